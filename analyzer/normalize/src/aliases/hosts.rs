//! Rules about machines: processes, files, the registry and connections of one host.

use super::Table;

/// Rules about Linux and macOS, in the names of Sysmon.
pub(super) const UNIX: &Table = &[
    ("User", &["user.effective.name", "process.user.name", "process.owner", "user.name"]),
    ("CommandLine", &["process.command_line"]),
    ("Image", &["process.executable.path"]),
    ("ProcessName", &["process.name"]),
    ("ProcessId", &["process.pid"]),
    ("ParentImage", &["process.parent.executable.path"]),
    ("ParentCommandLine", &["process.parent.command_line"]),
    ("ParentProcessId", &["process.parent.pid"]),
    ("CurrentDirectory", &["process.working_directory"]),
    ("TargetFilename", &["file.path"]),
    ("Hostname", &["host.name"]),
    ("hostname", &["host.name"]),
    ("SourceIp", &["source.address", "client.address"]),
    ("src_ip", &["source.address", "client.address"]),
    ("SourcePort", &["source.port", "client.port"]),
    ("src_port", &["source.port", "client.port"]),
    ("DestinationIp", &["destination.address", "network.peer.address"]),
    ("dst_ip", &["destination.address"]),
    ("DestinationPort", &["destination.port", "network.peer.port"]),
    ("dst_port", &["destination.port"]),
    ("DestinationHostname", &["destination.domain", "destination.address"]),
    ("QueryName", &["dns.question.name"]),
];

/// Rules about Windows, in the names of Sysmon, against events of Sysmon, of the Security log (a new
/// process, a connection, a change to the registry) and of agents that write OpenTelemetry's names.
pub(super) const WINDOWS: &Table = &[
    ("Image", &["Image", "NewProcessName", "Application", "ProcessName", "process.executable.path"]),
    ("CommandLine", &["CommandLine", "process.command_line"]),
    ("ParentImage", &["ParentImage", "ParentProcessName", "process.parent.executable.path"]),
    ("ParentCommandLine", &["ParentCommandLine", "process.parent.command_line"]),
    ("CurrentDirectory", &["CurrentDirectory", "process.working_directory"]),
    ("User", &["User", "SubjectUserName", "process.user.name", "process.owner", "user.name"]),
    ("LogonId", &["LogonId", "SubjectLogonId"]),
    ("ProcessId", &["NewProcessId", "ProcessId", "process.pid"]),
    ("ParentProcessId", &["ParentProcessId", "process.parent.pid"]),
    ("TargetFilename", &["TargetFilename", "file.path"]),
    ("TargetObject", &["TargetObject", "ObjectName"]),
    ("Details", &["Details", "NewValue"]),
    ("SourceIp", &["SourceIp", "SourceAddress", "source.address"]),
    ("SourcePort", &["SourcePort", "source.port"]),
    ("DestinationIp", &["DestinationIp", "DestAddress", "destination.address", "network.peer.address"]),
    ("DestinationPort", &["DestinationPort", "DestPort", "destination.port", "network.peer.port"]),
    ("DestinationHostname", &["DestinationHostname", "destination.domain"]),
    ("QueryName", &["QueryName", "dns.question.name"]),
    ("Computer", &["Computer", "computer", "winlog.computer_name", "host.name"]),
    ("ComputerName", &["ComputerName", "Computer", "computer", "winlog.computer_name", "host.name"]),
    ("EventID", &["EventID", "winlog.event_id", "event_id"]),
    ("Channel", &["Channel", "winlog.channel", "channel"]),
    ("Provider_Name", &["Provider_Name", "winlog.provider_name", "ProviderName", "SourceName"]),
];

/// Rules about malware that an antivirus program found, against events of Windows Defender and alerts as they are read.
pub(super) const ANTIVIRUS: &Table = &[
    ("Signature", &["Signature", "Threat Name", "ThreatName", "rule.name"]),
    ("Filename", &["Filename", "Path", "file.path"]),
];
