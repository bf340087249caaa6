//! The interface description: the parts that the routes do not declare. Served at `/openapi.json` and committed beside
//! this crate.

mod ingestion;

use utoipa::openapi::OpenApi as Document;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;

use crate::app::Shared;
use crate::{routes, schema};
use rest::error::{ErrorBody, MessageBody};
pub(crate) use rest::openapi::BASE_PATH;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Palisade",
        version = "1.0.0",
        description = "Incidents detected in the logs of an organization, their review, and log ingestion.\n\n\
            Every request carries an API key. An id of another organization is answered with 404, like an id that does \
            not exist; unknown and repeated query parameters and unknown body properties with 400. `X-Request-Id` is \
            adopted from the request (1 to 128 token characters) or generated, and returned in the response. A key may \
            make 600 requests a minute, and the keys of an organization together 3,000, unless configured otherwise; \
            further requests are answered with 429 and `Retry-After`. The headers `RateLimit`, `RateLimit-Policy` and \
            `X-RateLimit-*` state the remaining quota.\n\n\
            A key with restricted scopes needs `incidents:read`, `incidents:write`, `findings:read`, \
            `findings:write`, `sources:read`, `sources:write`, \
            `rules:read`, `rules:write`, `policies:read`, `policies:write`, `webhooks:read`, `webhooks:write`, \
            `telemetry:read`, `telemetry:write`, `applications:read`, `applications:write`, `agents:read`, `agents:write`, \
            `code_host:read`, `code_host:write`, `context:read`, `context:write`, `contributors:read`, `contributors:write`, \
            `keys:read`, `keys:write` or `organization:read` for the resource of that name (`rules` for detection rules and suppressions, `policies` for monitoring policies, `webhooks` for \
            webhook targets and deliveries, `telemetry` for telemetry endpoints, `code_host` for installations and repositories, `keys` for API keys); a request without \
            the scope is answered with 403.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    paths(ingestion::accept_logs),
    servers((url = "/", description = "The deployment that serves this document.")),
    components(schemas(ErrorBody, MessageBody)),
    modifiers(&ApiKey),
    security(("api_key" = [])),
    tags(
        (name = "Guard", description = "Classification of text and PDF input for malicious intent"),
        (name = "Findings", description = "Weaknesses that reports, agent monitoring, advisories and other tools observed"),
        (name = "Incidents", description = "Detected incidents and their review"),
        (name = "Infrastructure sources", description = "Sources of logs"),
        (name = "Log ingestion", description = "Sending logs"),
        (name = "Detection rules", description = "Sigma rules of the organization, in addition to the built-in rules"),
        (name = "Suppressions", description = "Sigma filters that suppress findings, with a reason"),
        (name = "Monitoring policies", description = "Conditions under which incidents are escalated; none by default"),
        (name = "Webhooks", description = "Receivers of events, and their deliveries"),
        (name = "Telemetry", description = "Collectors to which events are exported as OpenTelemetry logs"),
        (name = "Code host", description = "Installations of the service in accounts of the code host, and their repositories"),
        (name = "Applications", description = "Web applications of the organization, and their scheduled runs"),
        (name = "Agents", description = "Agents of the organization, their scheduled runs, and their monitoring clients"),
        (name = "Agent monitoring", description = "Requests of monitoring clients"),
        (name = "Context", description = "Scores of content before an agent reads it"),
        (name = "Contributors", description = "Trust scores of logins of the code host, from public data"),
        (name = "API keys", description = "Credentials of clients"),
        (name = "Organization", description = "The organization of the API key"),
        (name = "Interface description", description = "This document")
    )
)]
struct Frame;

struct ApiKey;

impl Modify for ApiKey {
    fn modify(&self, document: &mut Document) {
        let mut scheme = Http::new(HttpAuthScheme::Bearer);
        scheme.description =
            Some("An API key of the organization: `Authorization: Bearer <API_KEY>`.".to_owned());
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("api_key", SecurityScheme::Http(scheme));
        let mut scheme = Http::new(HttpAuthScheme::Bearer);
        scheme.description = Some(
            "The token of a monitoring client, from pairing: `Authorization: Bearer pal_agent_…`.".to_owned(),
        );
        components.add_security_scheme("client_token", SecurityScheme::Http(scheme));
    }
}

/// The routes at their place, with everything said about them.
pub(crate) fn mount(routes: OpenApiRouter<Shared>) -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(Frame::openapi()).nest(BASE_PATH, routes)
}

/// The document as it is committed, and as it is served by a deployment that clients reach at `site_url`.
pub(crate) fn text(site_url: Option<&str>, described: Vec<Document>) -> String {
    let mut document = mount(routes::all(|route| route)).into_openapi();
    described.into_iter().for_each(|other| document.merge(other));
    rest::openapi::complete(&mut document, schema::components());
    if let Some(server) = document.servers.iter_mut().flatten().next()
        && let Some(site_url) = site_url
    {
        site_url.clone_into(&mut server.url);
    }
    // Written from our own types, which have nothing JSON cannot say.
    let mut text = document.to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}
