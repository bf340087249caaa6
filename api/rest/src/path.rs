//! Ids in paths. A malformed id is a 400 where the specification lists one for the operation; elsewhere it names nothing and
//! is a 404.

use std::str::FromStr;

use axum::extract::{FromRequestParts, RawPathParams};
use http::Method;
use http::request::Parts;

use crate::error::ApiError;

/// The id in the path, each route having exactly one.
pub struct Id<P: PathParameter>(pub P::Id);

/// A kind of resource whose id stands in paths: a type of the resource's crate.
pub trait PathParameter {
    /// Type of the id.
    type Id: FromStr;
    /// Name of the resource, for a 404.
    const NAME: &'static str;

    /// Refusal of a malformed id by the operation of a method.
    #[must_use]
    fn malformed(_method: &Method) -> ApiError {
        ApiError::NotFound(Self::NAME)
    }
}

impl<P: PathParameter, S: Send + Sync> FromRequestParts<S> for Id<P> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let parameters = RawPathParams::from_request_parts(parts, state).await;
        // Refused when the path is not UTF-8 after decoding: malformed as well.
        let Ok(parameters) = parameters else { return Err(P::malformed(&parts.method)) };
        let text = parameters.iter().next().map_or("", |(_, text)| text);
        text.parse().map(Self).map_err(|_| P::malformed(&parts.method))
    }
}
