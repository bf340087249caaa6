//! Replies to requests that carried YAML: remembered without it and completed from the request, so that what is
//! remembered under idempotency keys stays small.

use rest::error::ApiError;
use rest::reply;

/// The JSON of a resource with its YAML put back, as its last property.
pub(crate) fn with(without: &str, yaml: &str) -> Result<String, ApiError> {
    let open = without.strip_suffix('}').unwrap_or(without);
    Ok(format!("{open},\"yaml\":{}}}", reply::text(&yaml)?))
}
