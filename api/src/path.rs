//! Ids in paths. A malformed id is a 400 where the specification lists one for the operation, elsewhere it names nothing:
//! a 404.

use std::str::FromStr;

use axum::extract::{FromRequestParts, RawPathParams};
use common::ids::{DetectionRuleId, IncidentId, KeyId, PolicyId, ReceiverId, SourceId, SuppressionId};
use deliver::DeliveryId;
use http::Method;
use http::request::Parts;

use crate::error::ApiError;

/// The id in the path, each route having exactly one.
pub(crate) struct Id<T>(pub(crate) T);

/// An id that stands in paths.
pub(crate) trait PathId: FromStr {
    /// What a malformed one is answered with by the operation of a method.
    fn malformed(method: &Method) -> ApiError;
}

impl PathId for IncidentId {
    fn malformed(_: &Method) -> ApiError {
        ApiError::Invalid("the incident id must be a hyphenated UUID".into())
    }
}

impl PathId for SourceId {
    fn malformed(_: &Method) -> ApiError {
        ApiError::NotFound("source")
    }
}

impl PathId for DetectionRuleId {
    fn malformed(_: &Method) -> ApiError {
        ApiError::NotFound("detection rule")
    }
}

impl PathId for SuppressionId {
    fn malformed(_: &Method) -> ApiError {
        ApiError::NotFound("suppression")
    }
}

impl PathId for PolicyId {
    fn malformed(_: &Method) -> ApiError {
        ApiError::NotFound("monitoring policy")
    }
}

impl PathId for ReceiverId {
    fn malformed(_: &Method) -> ApiError {
        ApiError::NotFound("webhook target")
    }
}

/// The id of a telemetry endpoint: a receiver whose malformed id is answered in another way.
pub(crate) struct TelemetryId(pub(crate) ReceiverId);

impl FromStr for TelemetryId {
    type Err = <ReceiverId as FromStr>::Err;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

impl PathId for TelemetryId {
    fn malformed(method: &Method) -> ApiError {
        // The specification's table gives 400 to the change and to the test alone.
        match *method {
            Method::PATCH | Method::POST => {
                ApiError::Invalid("the telemetry endpoint's id must be a hyphenated UUID".into())
            }
            _ => ApiError::NotFound("telemetry endpoint"),
        }
    }
}

impl PathId for DeliveryId {
    fn malformed(_: &Method) -> ApiError {
        ApiError::NotFound("webhook delivery")
    }
}

impl PathId for KeyId {
    fn malformed(_: &Method) -> ApiError {
        ApiError::NotFound("API key")
    }
}

impl<T: PathId, S: Send + Sync> FromRequestParts<S> for Id<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let parameters = RawPathParams::from_request_parts(parts, state).await;
        // Refused when the path is not UTF-8 after decoding: malformed as well.
        let Ok(parameters) = parameters else { return Err(T::malformed(&parts.method)) };
        let text = parameters.iter().next().map_or("", |(_, text)| text);
        text.parse().map(Self).map_err(|_| T::malformed(&parts.method))
    }
}
