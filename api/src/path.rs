//! Resources whose ids stand in paths.

use common::ids::{DetectionRuleId, IncidentId, KeyId, PolicyId, ReceiverId, SourceId, SuppressionId};
use deliver::DeliveryId;
use http::Method;
use rest::error::ApiError;
use rest::path::PathParameter;

/// An incident.
pub(crate) enum IncidentPath {}
/// A source.
pub(crate) enum SourcePath {}
/// A detection rule.
pub(crate) enum DetectionRulePath {}
/// A suppression.
pub(crate) enum SuppressionPath {}
/// A monitoring policy.
pub(crate) enum PolicyPath {}
/// A webhook target.
pub(crate) enum WebhookPath {}
/// A telemetry endpoint.
pub(crate) enum TelemetryPath {}
/// A webhook delivery.
pub(crate) enum DeliveryPath {}
/// An API key.
pub(crate) enum KeyPath {}

impl PathParameter for IncidentPath {
    type Id = IncidentId;
    const NAME: &'static str = "incident";

    fn malformed(_: &Method) -> ApiError {
        ApiError::Invalid("the incident id must be a hyphenated UUID".into())
    }
}

impl PathParameter for SourcePath {
    type Id = SourceId;
    const NAME: &'static str = "source";
}

impl PathParameter for DetectionRulePath {
    type Id = DetectionRuleId;
    const NAME: &'static str = "detection rule";
}

impl PathParameter for SuppressionPath {
    type Id = SuppressionId;
    const NAME: &'static str = "suppression";
}

impl PathParameter for PolicyPath {
    type Id = PolicyId;
    const NAME: &'static str = "monitoring policy";
}

impl PathParameter for WebhookPath {
    type Id = ReceiverId;
    const NAME: &'static str = "webhook target";
}

impl PathParameter for TelemetryPath {
    type Id = ReceiverId;
    const NAME: &'static str = "telemetry endpoint";

    fn malformed(method: &Method) -> ApiError {
        // The specification's table gives 400 to the change and to the test alone.
        match *method {
            Method::PATCH | Method::POST => {
                ApiError::Invalid("the telemetry endpoint's id must be a hyphenated UUID".into())
            }
            _ => ApiError::NotFound(Self::NAME),
        }
    }
}

impl PathParameter for DeliveryPath {
    type Id = DeliveryId;
    const NAME: &'static str = "webhook delivery";
}

impl PathParameter for KeyPath {
    type Id = KeyId;
    const NAME: &'static str = "API key";
}
