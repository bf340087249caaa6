//! Rules about clouds whose names are not always the record's own.

use super::Table;

/// Rules that were written for an exporter's names.
pub(super) const GOOGLE: &Table = &[
    ("gcp.audit.method_name", &["protoPayload.methodName"]),
    ("gcp.audit.service_name", &["protoPayload.serviceName"]),
    ("gcp.audit.resource_name", &["protoPayload.resourceName"]),
    ("gcp.audit.request_metadata.caller_ip", &["protoPayload.requestMetadata.callerIp"]),
    ("gcp.audit.authentication_info.principal_email", &["protoPayload.authenticationInfo.principalEmail"]),
];

/// Rules spell some names in lower case.
pub(super) const OKTA: &Table = &[
    ("eventtype", &["eventType"]),
    ("displaymessage", &["displayMessage"]),
    ("legacyeventtype", &["legacyEventType"]),
    ("actor.alternateid", &["actor.alternateId"]),
    ("actor.displayname", &["actor.displayName"]),
    ("client.ipaddress", &["client.ipAddress"]),
    ("securitycontext.isproxy", &["securityContext.isProxy"]),
    ("securityContext.isproxy", &["securityContext.isProxy"]),
    ("debugcontext.debugdata.behaviors", &["debugContext.debugData.behaviors"]),
    ("debugcontext.debugdata.requesturi", &["debugContext.debugData.requestUri"]),
    ("debugcontext.debugdata.logonlysecuritydata", &["debugContext.debugData.logOnlySecurityData"]),
    ("target.user.display.name", &["target.displayName"]),
];

/// Rules use the names of the log's tables, of its export and of a shipper; records have those of one.
pub(super) const AZURE: &Table = &[
    ("operationName", &["operationName", "operationName.value", "OperationName", "OperationNameValue"]),
    ("OperationName", &["OperationName", "operationName", "operationName.value"]),
    ("OperationNameValue", &["OperationNameValue", "operationName", "operationName.value"]),
    ("properties.message", &["properties.message", "properties.activityDisplayName", "operationName"]),
    ("Operation", &["Operation", "properties.activityDisplayName", "operationName"]),
    ("ActivityDisplayName", &["ActivityDisplayName", "properties.activityDisplayName"]),
    ("Category", &["Category", "properties.category", "category"]),
    ("CategoryValue", &["CategoryValue", "properties.eventCategory", "category"]),
    ("ResourceProviderValue", &["ResourceProviderValue", "resourceProviderName.value"]),
    ("LoggedByService", &["LoggedByService", "properties.loggedByService"]),
    ("TargetResources", &["TargetResources", "properties.targetResources"]),
    ("InitiatedBy", &["InitiatedBy", "properties.initiatedBy"]),
    ("Result", &["Result", "properties.result", "resultType"]),
    ("ResultType", &["ResultType", "resultType", "properties.status.errorCode"]),
    ("ResultDescription", &["ResultDescription", "resultDescription", "properties.status.failureReason"]),
    ("resultType", &["resultType", "ResultType"]),
    ("Status", &["Status", "properties.status", "resultType"]),
    ("AppDisplayName", &["AppDisplayName", "properties.appDisplayName"]),
    ("AppId", &["AppId", "properties.appId"]),
    ("ClientApp", &["ClientApp", "ClientAppUsed", "properties.clientAppUsed"]),
    ("ClientAppUsed", &["ClientAppUsed", "properties.clientAppUsed"]),
    ("AuthenticationRequirement", &["AuthenticationRequirement", "properties.authenticationRequirement"]),
    ("authenticationProtocol", &["authenticationProtocol", "properties.authenticationProtocol"]),
    ("conditionalAccessStatus", &["conditionalAccessStatus", "properties.conditionalAccessStatus"]),
    ("ConditionalAccessStatus", &["ConditionalAccessStatus", "properties.conditionalAccessStatus"]),
    ("DeviceDetail", &["DeviceDetail", "properties.deviceDetail"]),
    ("DeviceDetail.isCompliant", &["DeviceDetail.isCompliant", "properties.deviceDetail.isCompliant"]),
    ("DeviceDetail.trusttype", &["DeviceDetail.trusttype", "properties.deviceDetail.trustType"]),
    ("Location", &["Location", "properties.location", "location"]),
    ("NetworkLocationDetails", &["NetworkLocationDetails", "properties.networkLocationDetails"]),
    ("ResourceDisplayName", &["ResourceDisplayName", "properties.resourceDisplayName"]),
    ("riskEventType", &["riskEventType", "properties.riskEventType"]),
    ("riskState", &["riskState", "properties.riskState"]),
    ("userAgent", &["userAgent", "properties.userAgent"]),
    ("UserPrincipalName", &["UserPrincipalName", "properties.userPrincipalName"]),
    ("Username", &["Username", "properties.userPrincipalName"]),
    ("IpAddress", &["IpAddress", "callerIpAddress", "properties.ipAddress"]),
];
