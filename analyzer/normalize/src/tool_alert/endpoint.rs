//! Alerts about hosts: antivirus, endpoint detection, host intrusion detection, runtime security.

use super::formats::{Format, USUAL, gate, mark};
use super::severity::{Scale, Severity};
use super::subject::Kind::{Address, Host, Resource, User};

/// Microsoft Graph, `security/alerts_v2`.
pub(super) const GRAPH_SECURITY: Format = Format {
    tool: "microsoft_defender",
    gate: gate("serviceSource"),
    marks: &[mark("serviceSource", &[]), mark("title", &[]), mark("severity", &[])],
    id: &["detectorId", "id"],
    subjects: &[
        (Host, "evidence.deviceDnsName"),
        (Host, "evidence.hostName"),
        (User, "evidence.userAccount.userPrincipalName"),
        (User, "evidence.userAccount.accountName"),
        (Address, "evidence.ipAddress"),
        (Resource, "evidence.resourceName"),
        (Resource, "actorDisplayName"),
    ],
    closed: &[("status", &["resolved"]), ("classification", &["falsePositive"])],
    ..USUAL
};

/// The interface of Defender for Endpoint.
pub(super) const DEFENDER_FOR_ENDPOINT: Format = Format {
    tool: "defender_for_endpoint",
    gate: gate("computerDnsName"),
    marks: &[mark("computerDnsName", &[]), mark("detectionSource", &[]), mark("severity", &[])],
    id: &["threatName", "id"],
    subjects: &[(Host, "computerDnsName"), (Host, "machineId")],
    closed: &[("status", &["Resolved"]), ("classification", &["FalsePositive"])],
    ..USUAL
};

/// Streaming of advanced hunting: the rows that name an alert's subject.
pub(super) const DEFENDER_EVIDENCE: Format = Format {
    tool: "microsoft_defender",
    gate: gate("category"),
    marks: &[mark("category", &["AdvancedHunting-AlertEvidence"])],
    root: "properties",
    signature: &["Title"],
    id: &["AlertId"],
    severity: &["Severity"],
    subjects: &[(Host, "DeviceName"), (User, "AccountUpn"), (User, "AccountName"), (Address, "RemoteIP")],
    ..USUAL
};

/// Windows events of Defender: malware found (1006, 1116), acted on (1007, 1117), action failed (1008, 1118, 1119).
pub(super) const DEFENDER_ANTIVIRUS: Format = Format {
    tool: "windows_defender",
    gate: gate("Channel"),
    marks: &[
        mark("Channel", &["Microsoft-Windows-Windows Defender/Operational"]),
        mark("EventID", &["1006", "1007", "1008", "1116", "1117", "1118", "1119"]),
    ],
    signature: &["Threat Name", "ThreatName"],
    id: &["Threat ID", "ThreatID"],
    severity: &["Severity Name", "SeverityName"],
    subjects: &[(Host, "Computer"), (Host, "computer_name"), (Host, "winlog.computer_name")],
    ..USUAL
};

/// The event stream of CrowdStrike Falcon.
pub(super) const CROWDSTRIKE: Format = Format {
    tool: "crowdstrike",
    gate: gate("metadata"),
    marks: &[
        mark(
            "metadata.eventType",
            &[
                "DetectionSummaryEvent",
                "EppDetectionSummaryEvent",
                "IdpDetectionSummaryEvent",
                "XdrDetectionSummaryEvent",
            ],
        ),
        mark("event.SeverityName", &[]),
    ],
    root: "event",
    signature: &["DetectName", "Name", "Technique"],
    id: &["DetectId", "CompositeId", "DetectionID"],
    severity: &["SeverityName"],
    subjects: &[
        (Host, "ComputerName"),
        (Host, "Hostname"),
        (User, "SourceAccountName"),
        (User, "UserName"),
        (Host, "SourceEndpointHostName"),
    ],
    ..USUAL
};

/// A threat of SentinelOne.
pub(super) const SENTINELONE: Format = Format {
    tool: "sentinelone",
    gate: gate("threatInfo"),
    marks: &[mark("threatInfo.threatName", &[])],
    signature: &["threatInfo.threatName"],
    id: &["threatInfo.threatId"],
    severity: &["threatInfo.confidenceLevel"],
    scale: Scale::Confidence,
    unstated: Severity::Medium,
    subjects: &[
        (Host, "agentRealtimeInfo.agentComputerName"),
        (Host, "agentDetectionInfo.agentComputerName"),
        (User, "threatInfo.processUser"),
    ],
    closed: &[
        ("threatInfo.incidentStatus", &["resolved"]),
        ("threatInfo.analystVerdict", &["false_positive"]),
    ],
    ..USUAL
};

/// Falco with `json_output`.
pub(super) const FALCO: Format = Format {
    tool: "falco",
    gate: gate("output_fields"),
    marks: &[mark("rule", &[]), mark("priority", &[]), mark("output", &[])],
    signature: &["rule"],
    id: &["rule"],
    severity: &["priority"],
    scale: Scale::Syslog,
    subjects: &[
        (Host, "hostname"),
        (Resource, "output_fields.k8s.pod.name"),
        (Resource, "output_fields.container.name"),
        (Resource, "output_fields.container.id"),
    ],
    ..USUAL
};

/// `alerts.json` of Wazuh and of OSSEC's descendants.
pub(super) const WAZUH: Format = Format {
    tool: "wazuh",
    gate: gate("manager"),
    marks: &[
        mark("rule.level", &[]),
        mark("rule.description", &[]),
        mark("manager.name", &[]),
        mark("decoder", &[]),
    ],
    signature: &["rule.description"],
    id: &["rule.id"],
    severity: &["rule.level"],
    scale: Scale::Level,
    unstated: Severity::Informational,
    subjects: &[(Address, "data.srcip"), (Host, "agent.name"), (Host, "manager.name")],
    ..USUAL
};

/// Alerts of Elastic Security.
pub(super) const ELASTIC: Format = Format {
    tool: "elastic",
    gate: gate("kibana.alert.rule.name"),
    marks: &[mark("kibana.alert.rule.name", &[]), mark("kibana.alert.severity", &[])],
    signature: &["kibana.alert.rule.name"],
    id: &["kibana.alert.rule.uuid"],
    severity: &["kibana.alert.severity"],
    subjects: &[(Host, "host.name"), (User, "user.name"), (Address, "source.ip")],
    closed: &[("kibana.alert.workflow_status", &["closed"])],
    ..USUAL
};
