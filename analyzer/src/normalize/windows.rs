//! Windows events: their nested JSON form made flat, and the log source that channel and event number
//! stand for. Their fields have the names that rules use, so none is renamed.

use std::borrow::Cow;

use sigma::event::{LogSource, Value};

use super::reading::source;
use super::roles::{Role, Roles};
use crate::record::Entries;

/// Lifts the parts of `{"Event": {"System": …, "EventData": …}}` and of `winlog.event_data` to the top
/// level. XML attributes are joined to their element's name with `_`.
pub(super) fn flatten(fields: &mut Entries<'_>) {
    for (holder, parts) in
        [("Event", ["System", "EventData", "UserData"].as_slice()), ("winlog", ["event_data"].as_slice())]
    {
        let Some((_, Value::Map(inside))) = fields.iter_mut().find(|(name, _)| name == holder) else {
            continue;
        };
        if !inside.iter().any(|(name, _)| parts.first().is_some_and(|first| name == first)) {
            continue;
        }
        let mut lifted = Vec::new();
        for (name, value) in std::mem::take(inside) {
            match value {
                Value::Map(entries) if parts.iter().any(|part| name == *part) => {
                    entries.into_iter().for_each(|(name, value)| element(name, value, &mut lifted));
                }
                value => inside.push((name, value)),
            }
        }
        fields.extend(lifted);
    }
}

fn element<'a>(name: Cow<'a, str>, value: Value<'a>, into: &mut Entries<'a>) {
    let Value::Map(entries) = value else {
        into.push((name, value));
        return;
    };
    let (marked, plain): (Vec<_>, Vec<_>) = entries.into_iter().partition(|(key, _)| key.starts_with('#'));
    for (key, value) in marked {
        match value {
            Value::Map(attributes) => into.extend(
                attributes
                    .into_iter()
                    .map(|(attribute, value)| (Cow::Owned(format!("{name}_{attribute}")), value)),
            ),
            value if key == "#text" => into.push((name.clone(), value)),
            _ => {}
        }
    }
    if !plain.is_empty() {
        into.push((name, Value::Map(plain)));
    }
}

/// The log source of a Windows event; `None` for other records.
pub(super) fn log_source(roles: &Roles<'_, '_>) -> Option<LogSource<'static>> {
    let channel = roles.str(Role::Channel)?;
    let number = roles.number(Role::EventId)?;
    let service = service(channel)?;
    Some(source(Some("windows"), category(service, number), Some(service)))
}

/// The service that rules name for a channel.
fn service(channel: &str) -> Option<&'static str> {
    const SERVICES: [(&str, &str); 18] = [
        ("Security", "security"),
        ("System", "system"),
        ("Application", "application"),
        ("Microsoft-Windows-Sysmon/Operational", "sysmon"),
        ("Windows PowerShell", "powershell-classic"),
        ("Microsoft-Windows-PowerShell/Operational", "powershell"),
        ("PowerShellCore/Operational", "powershell"),
        ("Microsoft-Windows-Windows Defender/Operational", "windefend"),
        ("Microsoft-Windows-TaskScheduler/Operational", "taskscheduler"),
        ("Microsoft-Windows-WMI-Activity/Operational", "wmi"),
        ("Microsoft-Windows-Bits-Client/Operational", "bits-client"),
        ("Microsoft-Windows-NTLM/Operational", "ntlm"),
        ("Microsoft-Windows-CodeIntegrity/Operational", "codeintegrity-operational"),
        ("Microsoft-Windows-DNS-Client/Operational", "dns-client"),
        (
            "Microsoft-Windows-TerminalServices-LocalSessionManager/Operational",
            "terminalservices-localsessionmanager",
        ),
        ("Microsoft-Windows-Windows Firewall With Advanced Security/Firewall", "firewall-as"),
        ("Directory Service", "ldap"),
        ("DNS Server", "dns-server"),
    ];
    SERVICES.iter().find(|(name, _)| channel.eq_ignore_ascii_case(name)).map(|(_, service)| *service)
}

/// The category that rules name for an event number of a service.
fn category(service: &str, number: i64) -> Option<&'static str> {
    Some(match (service, number) {
        ("security", 4688) | ("sysmon", 1) => "process_creation",
        ("sysmon", 2) => "file_change",
        ("sysmon", 3) => "network_connection",
        ("sysmon", 4 | 16) => "sysmon_status",
        ("sysmon", 5) => "process_termination",
        ("sysmon", 6) => "driver_load",
        ("sysmon", 7) => "image_load",
        ("sysmon", 8) => "create_remote_thread",
        ("sysmon", 9) => "raw_access_thread",
        ("sysmon", 10) => "process_access",
        ("sysmon", 11) => "file_event",
        ("sysmon", 12) => "registry_event",
        ("sysmon", 13) => "registry_set",
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
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
