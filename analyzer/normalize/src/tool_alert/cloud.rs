//! Findings of cloud posture management and threat detection.

use super::formats::{Format, USUAL, gate, mark};
use super::severity::Scale;
use super::subject::Kind::{Address, Host, Resource, User};

const GUARDDUTY_SUBJECTS: &[(super::subject::Kind, &str)] = &[
    (User, "resource.accessKeyDetails.userName"),
    (Host, "resource.instanceDetails.instanceId"),
    (Resource, "resource.s3BucketDetails.name"),
    (Resource, "resource.eksClusterDetails.name"),
    (Resource, "resource.ecsClusterDetails.name"),
    (Resource, "resource.rdsDbInstanceDetails.dbInstanceIdentifier"),
    (Resource, "resource.lambdaDetails.functionName"),
    (Address, "service.action.networkConnectionAction.remoteIpDetails.ipAddressV4"),
    (Address, "service.action.awsApiCallAction.remoteIpDetails.ipAddressV4"),
    (Resource, "accountId"),
];

/// As it is exported to a bucket.
pub(super) const GUARDDUTY: Format = Format {
    tool: "guardduty",
    gate: gate("schemaVersion"),
    marks: &[mark("service.serviceName", &["guardduty"]), mark("type", &[])],
    signature: &["type"],
    scale: Scale::Tenths,
    subjects: GUARDDUTY_SUBJECTS,
    closed: &[("service.archived", &["true"])],
    ..USUAL
};

/// As EventBridge passes it on.
pub(super) const GUARDDUTY_EVENT: Format = Format {
    gate: gate("detail-type"),
    marks: &[mark("detail-type", &["GuardDuty Finding"])],
    root: "detail",
    ..GUARDDUTY
};

/// AWS Security Finding Format. Passed checks of a standard are findings, too.
pub(super) const SECURITY_HUB: Format = Format {
    tool: "security_hub",
    gate: gate("ProductArn"),
    marks: &[mark("ProductArn", &[]), mark("GeneratorId", &[])],
    signature: &["Title"],
    id: &["GeneratorId"],
    severity: &["Severity.Label", "FindingProviderFields.Severity.Label"],
    subjects: &[
        (User, "Resources.Details.AwsIamUser.UserName"),
        (User, "Resources.Details.AwsIamAccessKey.UserName"),
        (Resource, "Resources.Id"),
        (Resource, "AwsAccountId"),
    ],
    closed: &[
        ("RecordState", &["ARCHIVED"]),
        ("Workflow.Status", &["RESOLVED", "SUPPRESSED"]),
        ("Compliance.Status", &["PASSED", "NOT_AVAILABLE"]),
    ],
    ..USUAL
};

/// As EventBridge passes it on: one finding in each event.
pub(super) const SECURITY_HUB_EVENT: Format = Format {
    gate: gate("detail-type"),
    marks: &[mark(
        "detail-type",
        &["Security Hub Findings - Imported", "Security Hub Findings - Custom Action"],
    )],
    root: "detail.findings",
    ..SECURITY_HUB
};

/// A notification of Security Command Center.
pub(super) const GOOGLE: Format = Format {
    tool: "security_command_center",
    gate: gate("finding"),
    marks: &[mark("finding.resourceName", &[]), mark("finding.category", &[])],
    root: "finding",
    signature: &["category"],
    id: &["name"],
    subjects: &[(User, "access.principalEmail"), (Resource, "resourceName")],
    closed: &[("state", &["INACTIVE"]), ("mute", &["MUTED"])],
    ..USUAL
};

/// The same as an entry of Cloud Logging.
pub(super) const GOOGLE_LOG: Format = Format {
    gate: gate("jsonPayload"),
    marks: &[mark("jsonPayload.finding.resourceName", &[]), mark("jsonPayload.finding.category", &[])],
    root: "jsonPayload.finding",
    ..GOOGLE
};

/// Findings of the Open Cybersecurity Schema Framework: security, vulnerability, compliance, detection.
pub(super) const OCSF: Format = Format {
    tool: "ocsf",
    gate: gate("class_uid"),
    marks: &[mark("class_uid", &["2001", "2002", "2003", "2004"])],
    signature: &["finding_info.title", "finding.title"],
    id: &["finding_info.uid", "finding.uid"],
    subjects: &[
        (Host, "device.hostname"),
        (Host, "device.name"),
        (User, "actor.user.name"),
        (User, "evidences.actor.user.name"),
        (Host, "evidences.device.hostname"),
        (Address, "evidences.src_endpoint.ip"),
        (Resource, "resources.name"),
        (Resource, "resources.uid"),
        (Resource, "resource.uid"),
    ],
    closed: &[("status", &["Suppressed", "Resolved"]), ("compliance.status", &["Pass"])],
    ..USUAL
};

/// Continuous export of Microsoft Defender for Cloud.
pub(super) const DEFENDER_FOR_CLOUD: Format = Format {
    tool: "defender_for_cloud",
    gate: gate("AlertDisplayName"),
    marks: &[mark("AlertDisplayName", &[]), mark("CompromisedEntity", &[])],
    signature: &["AlertDisplayName"],
    id: &["AlertType", "SystemAlertId"],
    severity: &["Severity", "AlertSeverity"],
    subjects: &[(Resource, "CompromisedEntity")],
    closed: &[("Status", &["Resolved", "Dismissed"])],
    ..USUAL
};

/// The table `SecurityAlert` of Log Analytics.
pub(super) const SECURITY_ALERT: Format = Format {
    gate: gate("AlertSeverity"),
    marks: &[mark("AlertSeverity", &[]), mark("AlertName", &[])],
    signature: &["DisplayName", "AlertName"],
    severity: &["AlertSeverity"],
    ..DEFENDER_FOR_CLOUD
};
