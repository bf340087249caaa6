//! Texts that stand in maps and lists of several resources, as types of the interface description: a component each, with their
//! bounds.

use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A token of RFC 9110 section 5.6.2.
const HEADER_NAME: &str = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$";

/// Name of a header.
pub enum HeaderName {}
/// Value of a header.
pub enum HeaderValue {}

fn text(about: &str) -> ObjectBuilder {
    ObjectBuilder::new().description(Some(about)).schema_type(Type::String)
}

impl PartialSchema for HeaderName {
    fn schema() -> RefOr<Schema> {
        text("Name of a header, case-insensitive")
            .min_length(Some(1))
            .max_length(Some(100))
            .pattern(Some(HEADER_NAME))
            .into()
    }
}

impl PartialSchema for HeaderValue {
    fn schema() -> RefOr<Schema> {
        text("Value of a header: visible ASCII, with spaces and tabs between characters")
            .max_length(Some(8_192))
            .into()
    }
}

impl ToSchema for HeaderName {}
impl ToSchema for HeaderValue {}
