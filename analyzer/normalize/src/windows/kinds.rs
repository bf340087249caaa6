//! Which service a channel is and which category an event's number, by the names of Sigma's log sources.

/// Product and service that rules name for a channel.
pub(super) fn service(channel: &str) -> Option<(&'static str, &'static str)> {
    if channel.eq_ignore_ascii_case("Linux-Sysmon/Operational") {
        return Some(("linux", "sysmon"));
    }
    let of = |table: &[(&str, &'static str)], name: &str| {
        table.iter().find(|(own, _)| name.eq_ignore_ascii_case(own)).map(|(_, service)| *service)
    };
    let service = match channel.get(.."Microsoft-Windows-".len()) {
        Some(vendor) if vendor.eq_ignore_ascii_case("Microsoft-Windows-") => {
            of(MICROSOFT, channel.get(vendor.len()..)?)
        }
        _ => of(OTHERS, channel),
    };
    service.map(|service| ("windows", service))
}

const OTHERS: &[(&str, &str)] = &[
    ("Security", "security"),
    ("System", "system"),
    ("Application", "application"),
    ("Windows PowerShell", "powershell-classic"),
    ("PowerShellCore/Operational", "powershell"),
    ("Directory Service", "ldap"),
    ("DNS Server", "dns-server"),
    ("MSExchange Management", "msexchange-management"),
    ("OpenSSH/Operational", "openssh"),
];

/// Behind `Microsoft-Windows-`.
const MICROSOFT: &[(&str, &str)] = &[
    ("Sysmon/Operational", "sysmon"),
    ("PowerShell/Operational", "powershell"),
    ("Windows Defender/Operational", "windefend"),
    ("TaskScheduler/Operational", "taskscheduler"),
    ("WMI-Activity/Operational", "wmi"),
    ("Bits-Client/Operational", "bits-client"),
    ("NTLM/Operational", "ntlm"),
    ("CodeIntegrity/Operational", "codeintegrity-operational"),
    ("DNS-Client/Operational", "dns-client"),
    ("DNS-Server/Analytical", "dns-server-analytic"),
    ("DNSServer/Audit", "dns-server-audit"),
    ("DHCP-Server/Operational", "dhcp"),
    ("DriverFrameworks-UserMode/Operational", "driver-framework"),
    ("TerminalServices-LocalSessionManager/Operational", "terminalservices-localsessionmanager"),
    ("Windows Firewall With Advanced Security/Firewall", "firewall-as"),
    ("AppLocker/EXE and DLL", "applocker"),
    ("AppLocker/MSI and Script", "applocker"),
    ("AppLocker/Packaged app-Deployment", "applocker"),
    ("AppLocker/Packaged app-Execution", "applocker"),
    ("AppModel-Runtime/Admin", "appmodel-runtime"),
    ("AppXDeploymentServer/Operational", "appxdeployment-server"),
    ("AppxPackaging/Operational", "appxpackaging-om"),
    ("CAPI2/Operational", "capi2"),
    ("CertificateServicesClient-Lifecycle-System/Operational", "certificateservicesclient-lifecycle-system"),
    ("Diagnosis-Scripted/Operational", "diagnosis-scripted"),
    ("Hyper-V-Worker-Admin", "hyper-v-worker"),
    ("IIS-Configuration/Operational", "iis-configuration"),
    ("Kernel-EventTracing/Admin", "kernel-event-tracing"),
    ("Kernel-ShimEngine/Operational", "kernel-shimengine"),
    ("LSA/Operational", "lsa-server"),
    ("PrintService/Admin", "printservice-admin"),
    ("PrintService/Operational", "printservice-operational"),
    ("Security-Mitigations/Kernel Mode", "security-mitigations"),
    ("Security-Mitigations/User Mode", "security-mitigations"),
    ("SENSE/Operational", "sense"),
    ("ServiceBus-Client/Operational", "microsoft-servicebus-client"),
    ("Shell-Core/Operational", "shell-core"),
    ("SmbClient/Connectivity", "smbclient-connectivity"),
    ("SmbClient/Security", "smbclient-security"),
    ("SMBServer/Connectivity", "smbserver-connectivity"),
    ("VHDMP-Operational", "vhdmp"),
];

/// The category that rules name for an event number of a service. `change` is Sysmon's word for the kind
/// of a registry event. Other events have a category of their own: rules for these are not for it.
pub(super) fn category(service: &str, number: i64, change: &str) -> Option<&'static str> {
    Some(match (service, number) {
        ("security", 4688) | ("sysmon", 1) => "process_creation",
        ("security", 4689) | ("sysmon", 5) => "process_termination",
        ("security", 5156 | 5157) | ("sysmon", 3) => "network_connection",
        ("security", 4657) | ("sysmon", 13) => "registry_set",
        ("sysmon", 2) => "file_change",
        ("sysmon", 4 | 16) => "sysmon_status",
        ("sysmon", 6) => "driver_load",
        ("sysmon", 7) => "image_load",
        ("sysmon", 8) => "create_remote_thread",
        ("sysmon", 9) => "raw_access_thread",
        ("sysmon", 10) => "process_access",
        ("sysmon", 11) => "file_event",
        ("sysmon", 12) => match change {
            "CreateKey" => "registry_add",
            "DeleteKey" | "DeleteValue" => "registry_delete",
            _ => "registry_event",
        },
        ("sysmon", 14) => "registry_rename",
        ("sysmon", 15) => "create_stream_hash",
        ("sysmon", 17 | 18) => "pipe_created",
        ("sysmon", 19..=21) => "wmi_event",
        ("sysmon", 22) => "dns_query",
        ("sysmon", 23 | 26) => "file_delete",
        ("sysmon", 24) => "clipboard_change",
        ("sysmon", 25) => "process_tampering",
        ("sysmon", 27) => "file_block_executable",
        ("sysmon", 28) => "file_block_shredding",
        ("sysmon", 29) => "file_executable_detected",
        ("sysmon", 255) => "sysmon_error",
        ("powershell", 4103) => "ps_module",
        ("powershell", 4104) => "ps_script",
        ("powershell-classic", 400) => "ps_classic_start",
        ("powershell-classic", 600) => "ps_classic_provider_start",
        ("powershell-classic", 800) => "ps_classic_script",
        ("security", 4624..=4625 | 4634 | 4647..=4649 | 4768..=4776) => "authentication",
        ("windefend", 1006..=1009 | 1116..=1119) => "antivirus",
        // Whatever is installed writes there.
        ("application", _) => return None,
        _ => "event_log",
    })
}
