//! Handlers: `/findings` below `{base_url}`, and one finding at its unversioned path (specification, Endpoints: Findings).

pub(crate) mod change;
pub(crate) mod counts;
pub(crate) mod import;
pub(crate) mod list;
pub(crate) mod show;
pub(crate) mod triage;

use axum::routing::{MethodRouter, get};
use common::ids::RecordId;
use rest::path::PathParameter;

use crate::Shared;

/// Path of one finding below the site that older clients use.
pub(crate) const LEGACY_PATH: &str = "/api/findings/{finding_id}";

/// The finding in a path. A malformed id is a 404: the specification lists no 400 for it.
pub(crate) struct FindingPath;

impl PathParameter for FindingPath {
    type Id = RecordId;
    const NAME: &'static str = "finding";
}

/// The unversioned path: the same reply as the versioned one.
pub(crate) fn legacy() -> MethodRouter<Shared> {
    get(show::show)
}
