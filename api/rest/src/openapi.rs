//! Parts of the interface description that all resources share: responses of refused requests, value sets, and completion of
//! the components.

mod components;
mod refusals;
pub mod text;

use common::triage::TriageStatus;
use common::words::Word;
use utoipa::openapi::Ref;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa_axum::router::OpenApiRouter;

pub use components::complete;
pub use refusals::{
    BodyRefusals, ClientRefusals, Conflicts, DocumentRefusals, MessageRefusals, NotFound, Refusals,
};

/// Path below which the routes of the organization API are mounted: that of `{base_url}`.
pub const BASE_PATH: &str = "/api/v1";

/// Routes of a resource crate at their path in the organization API.
pub fn mounted<S: Clone + Send + Sync + 'static>(routes: OpenApiRouter<S>) -> OpenApiRouter<S> {
    OpenApiRouter::default().nest(BASE_PATH, routes)
}

/// A text that is one of a set of words.
pub fn words<'w>(about: &str, words: impl Iterator<Item = &'w str>) -> ObjectBuilder {
    let values = words.map(|word| Some(word.to_owned()));
    ObjectBuilder::new().description(Some(about)).schema_type(Type::String).enum_values(Some(values))
}

/// A text that is a word of an enum.
#[must_use]
pub fn word_of<T: Word>(about: &str) -> ObjectBuilder {
    words(about, T::VALUES.iter().map(|value| value.word()))
}

/// The triage statuses that a review may set; `triaging` belongs to automated triage.
#[must_use]
pub fn review_status() -> ObjectBuilder {
    let statuses = TriageStatus::ALL.into_iter().filter(|status| *status != TriageStatus::Triaging);
    words(
        "The new triage status; `triaging` is set by automated triage only",
        statuses.map(TriageStatus::as_str),
    )
}

/// A reference to a component.
#[must_use]
pub fn reference(name: &str, about: &str) -> Ref {
    let mut reference = Ref::from_schema_name(name);
    about.clone_into(&mut reference.description);
    reference
}

/// Values of the `code` of errors.
pub(crate) fn error_code() -> ObjectBuilder {
    let codes = [
        "invalid_request",
        "unauthorized",
        "forbidden",
        "not_found",
        "method_not_allowed",
        "conflict",
        "rate_limited",
        "internal_error",
        "service_unavailable",
    ];
    words("Machine-readable error code", codes.into_iter())
}
