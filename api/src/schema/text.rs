//! Texts that stand in lists and maps, as types of the interface description: a component each, with their bounds.

use directory::SCOPES;
pub(crate) use rest::openapi::text::{HeaderName, HeaderValue};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Scope of an API key with restricted scopes.
pub(crate) enum Scope {}
/// Id of a source.
pub(crate) enum SourceId {}
/// Application group of sources.
pub(crate) enum ApplicationGroup {}
/// Environment of sources.
pub(crate) enum Environment {}

fn text(about: &str) -> ObjectBuilder {
    ObjectBuilder::new().description(Some(about)).schema_type(Type::String)
}

fn short(about: &str, most: usize) -> ObjectBuilder {
    text(about).min_length(Some(1)).max_length(Some(most))
}

impl PartialSchema for Scope {
    fn schema() -> RefOr<Schema> {
        text("Scope of an API key with restricted scopes").enum_values(Some(SCOPES)).into()
    }
}

impl PartialSchema for SourceId {
    fn schema() -> RefOr<Schema> {
        text("Id of a source").format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid))).into()
    }
}

impl PartialSchema for ApplicationGroup {
    fn schema() -> RefOr<Schema> {
        short("Application group of sources", 100).into()
    }
}

impl PartialSchema for Environment {
    fn schema() -> RefOr<Schema> {
        short("Environment of sources", 50).into()
    }
}

impl ToSchema for Scope {}
impl ToSchema for SourceId {}
impl ToSchema for ApplicationGroup {}
impl ToSchema for Environment {}
