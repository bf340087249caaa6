//! Error responses of endpoints, as sets that an endpoint's description names.

use std::collections::BTreeMap;

use utoipa::IntoResponses;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};

type Responses = BTreeMap<String, RefOr<Response>>;

/// Every endpoint that takes an API key.
pub enum Refusals {}
/// Endpoints below an id.
pub enum NotFound {}
/// Endpoints that decide against what others did.
pub enum Conflicts {}
/// Endpoints with a body.
pub enum BodyRefusals {}
/// The endpoint anyone may ask.
pub enum DocumentRefusals {}

impl IntoResponses for Refusals {
    fn responses() -> Responses {
        collect([
            ("400", error("The request is not valid")),
            (
                "401",
                error("The API key is missing, unknown, expired or revoked")
                    .header("WWW-Authenticate", text_header()),
            ),
            ("403", error("The API key lacks the scope")),
            ("429", error("The API key made too many requests").header("Retry-After", seconds_header())),
            ("500", error("Internal error")),
            ("503", error("The service cannot reach its ledger").header("Retry-After", seconds_header())),
        ])
    }
}

impl IntoResponses for NotFound {
    fn responses() -> Responses {
        collect([("404", error("Not found in the organization"))])
    }
}

impl IntoResponses for Conflicts {
    fn responses() -> Responses {
        collect([("409", error("The request conflicts with the current state"))])
    }
}

impl IntoResponses for BodyRefusals {
    fn responses() -> Responses {
        collect([
            ("413", error("The body is larger than 262144 bytes")),
            ("415", error("The body is not sent as plain application/json")),
        ])
    }
}

impl IntoResponses for DocumentRefusals {
    fn responses() -> Responses {
        collect([("400", error("The request has query parameters")), ("500", error("Internal error"))])
    }
}

fn collect<const N: usize>(responses: [(&str, ResponseBuilder); N]) -> Responses {
    responses.into_iter().map(|(status, response)| (status.to_owned(), response.build().into())).collect()
}

fn error(description: &str) -> ResponseBuilder {
    let schema = Ref::from_schema_name("Error");
    let content = ContentBuilder::new().schema(Some(schema)).build();
    ResponseBuilder::new().description(description).content("application/json", content)
}

fn seconds_header() -> utoipa::openapi::Header {
    let schema = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1));
    HeaderBuilder::new()
        .schema(Some(schema))
        .description(Some("Seconds to wait before the next request"))
        .build()
}

fn text_header() -> utoipa::openapi::Header {
    HeaderBuilder::new().schema(Some(ObjectBuilder::new().schema_type(Type::String))).build()
}
