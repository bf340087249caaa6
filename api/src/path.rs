//! Ids in paths. A malformed id is a 400 where the specification says so, elsewhere it names nothing: a 404.

use std::str::FromStr;

use axum::extract::{FromRequestParts, RawPathParams};
use common::ids::{
    DetectionRuleId, IncidentId, KeyId, PolicyId, SourceId, SuppressionId, TelemetryEndpointId,
    WebhookTargetId,
};
use deliver::DeliveryId;
use http::request::Parts;

use crate::error::ApiError;

/// The id in the path, each route having exactly one.
pub(crate) struct Id<T>(pub(crate) T);

/// An id that stands in paths.
pub(crate) trait PathId: FromStr {
    /// What a malformed one is answered with.
    fn malformed() -> ApiError;
}

impl PathId for IncidentId {
    fn malformed() -> ApiError {
        ApiError::Invalid("the incident id must be a hyphenated UUID".into())
    }
}

impl PathId for SourceId {
    fn malformed() -> ApiError {
        ApiError::NotFound("source")
    }
}

impl PathId for DetectionRuleId {
    fn malformed() -> ApiError {
        ApiError::NotFound("detection rule")
    }
}

impl PathId for SuppressionId {
    fn malformed() -> ApiError {
        ApiError::NotFound("suppression")
    }
}

impl PathId for PolicyId {
    fn malformed() -> ApiError {
        ApiError::NotFound("monitoring policy")
    }
}

impl PathId for WebhookTargetId {
    fn malformed() -> ApiError {
        ApiError::NotFound("webhook target")
    }
}

impl PathId for TelemetryEndpointId {
    fn malformed() -> ApiError {
        ApiError::NotFound("telemetry endpoint")
    }
}

impl PathId for DeliveryId {
    fn malformed() -> ApiError {
        ApiError::NotFound("webhook delivery")
    }
}

impl PathId for KeyId {
    fn malformed() -> ApiError {
        ApiError::NotFound("API key")
    }
}

impl<T: PathId, S: Send + Sync> FromRequestParts<S> for Id<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        // Refused when the path is not UTF-8 after decoding: malformed as well.
        let parameters = RawPathParams::from_request_parts(parts, state).await.map_err(|_| T::malformed())?;
        let text = parameters.iter().next().map_or("", |(_, text)| text);
        text.parse().map(Self).map_err(|_| T::malformed())
    }
}
