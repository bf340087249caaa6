//! Texts that stand in maps and lists of several resources, as types of the interface description: a component each, with their
//! bounds.

use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A token of RFC 9110 section 5.6.2.
const HEADER_NAME: &str = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$";

/// Headers of requests that a resource may have, as [`directory`] checks them.
const MOST_HEADERS: usize = 16;

/// Name of a header.
pub enum HeaderName {}
/// Value of a header.
pub enum HeaderValue {}

/// Headers of requests as a map from names to values, or null.
#[must_use]
pub fn nullable_headers(about: &str) -> ObjectBuilder {
    let name = match HeaderName::schema() {
        RefOr::T(schema) => Some(schema),
        RefOr::Ref(_) => None,
    };
    ObjectBuilder::new()
        .description(Some(about))
        .schema_type(SchemaType::from_iter([Type::Object, Type::Null]))
        .max_properties(Some(MOST_HEADERS))
        .property_names(name)
        .additional_properties(Some(Ref::from_schema_name("HeaderValue")))
}

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
        text("Value of a header: visible ASCII and spaces").max_length(Some(8_192)).into()
    }
}

impl ToSchema for HeaderName {}
impl ToSchema for HeaderValue {}
