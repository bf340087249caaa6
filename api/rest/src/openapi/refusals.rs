//! Error responses of endpoints, as sets that an endpoint's description names.

use std::collections::BTreeMap;

use utoipa::IntoResponses;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};

type Responses = BTreeMap<String, RefOr<Response>>;

/// Every endpoint that takes an API key.
pub enum Refusals {}
/// Every endpoint that takes the token of a monitoring client.
pub enum ClientRefusals {}
/// Endpoints below an id.
pub enum NotFound {}
/// Endpoints that decide against what others did.
pub enum Conflicts {}
/// Endpoints with a body.
pub enum BodyRefusals {}
/// The endpoint anyone may ask.
pub enum DocumentRefusals {}
/// Every endpoint of guard, redact and verify: errors of one message.
pub enum MessageRefusals {}

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

impl IntoResponses for ClientRefusals {
    fn responses() -> Responses {
        collect([
            ("400", error("The request is not valid")),
            (
                "401",
                error("The client token is missing, unknown or revoked")
                    .header("WWW-Authenticate", text_header()),
            ),
            ("429", error("The client made too many requests").header("Retry-After", seconds_header())),
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

impl IntoResponses for MessageRefusals {
    fn responses() -> Responses {
        let wait = |response: ResponseBuilder| response.header("Retry-After", seconds_header());
        collect([
            ("400", message("The request is not valid; the message states the reason")),
            (
                "401",
                message("`API key missing` or `Invalid API key`").header("WWW-Authenticate", text_header()),
            ),
            ("402", message("`No subscription found`: the balance of credits is too low")),
            ("403", message("`API key lacks scope guard:use`")),
            ("404", message("`Team not found`: the organization was deleted")),
            ("413", message("`Input too large`")),
            ("415", message("`Unsupported content type`")),
            ("429", wait(message("`Rate limit exceeded`"))),
            ("500", message("Failure of the service")),
            ("503", wait(message("`Service busy`"))),
        ])
    }
}

fn collect<const N: usize>(responses: [(&str, ResponseBuilder); N]) -> Responses {
    responses.into_iter().map(|(status, response)| (status.to_owned(), response.build().into())).collect()
}

fn error(description: &str) -> ResponseBuilder {
    response(description, "Error")
}

fn message(description: &str) -> ResponseBuilder {
    response(description, "ErrorMessage")
}

fn response(description: &str, schema: &str) -> ResponseBuilder {
    let schema = Ref::from_schema_name(schema);
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
