//! The interface description: what the routes do not say of themselves. Served at `/openapi.json` and committed beside
//! this crate.

mod ingestion;
mod refusals;

use utoipa::openapi::OpenApi as Document;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;

use crate::app::Shared;
use crate::error::ErrorBody;
use crate::routes;

pub(crate) use refusals::{BodyRefusals, Conflicts, DocumentRefusals, NotFound, Refusals};

/// Where the routes are mounted: the path of `{base_url}`.
pub(crate) const BASE_PATH: &str = "/api/v1";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Palisade",
        version = "1.0.0",
        description = "Incidents found in the logs of an organization, their review, and what is needed to send logs.\n\n\
            Every request carries an API key. An id of another organization is a 404, like one that never was. Unknown \
            and repeated query parameters and unknown body properties are a 400. `X-Request-Id` is taken over (1 to 128 \
            token characters) or made, and echoed. A key may make 600 requests a minute unless configured otherwise; \
            `RateLimit`, `RateLimit-Policy` and `X-RateLimit-*` tell what is left.\n\n\
            A narrowed key needs `incidents:read`, `incidents:write`, `sources:read`, `sources:write`, `rules:read`, \
            `rules:write`, `policies:read`, `policies:write`, `webhooks:read`, `webhooks:write`, `telemetry:read`, `telemetry:write`, `keys:read`, `keys:write` or `organization:read` for the \
            resource of that name (`rules` for detection rules and suppressions, `policies` for monitoring policies, \
            `webhooks` for webhook targets and deliveries, `telemetry` for telemetry endpoints, `keys` for API keys), and lacks it with a 403.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    paths(ingestion::accept_logs),
    components(schemas(ErrorBody)),
    modifiers(&ApiKey),
    security(("api_key" = [])),
    tags(
        (name = "Incidents", description = "What was found, and what people say about it"),
        (name = "Infrastructure sources", description = "Where logs come from"),
        (name = "Log ingestion", description = "Sending logs"),
        (name = "Detection rules", description = "What is looked for beyond the rules everybody has"),
        (name = "Suppressions", description = "What is not wanted, and why"),
        (name = "Monitoring policies", description = "Which incidents are escalated, and when; none unless somebody says so"),
        (name = "Webhooks", description = "Who is told of events, and what became of it"),
        (name = "Telemetry", description = "Collectors that events are exported to as OpenTelemetry logs"),
        (name = "API keys", description = "Who may ask"),
        (name = "Organization", description = "Whose it is"),
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
    }
}

/// The routes at their place, with everything said about them.
pub(crate) fn mount(routes: OpenApiRouter<Shared>) -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(Frame::openapi()).nest(BASE_PATH, routes)
}

/// The document as it is served and committed.
pub(crate) fn text() -> String {
    let document = mount(routes::all(|route| route)).into_openapi();
    // Written from our own types, which have nothing JSON cannot say.
    let mut text = document.to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}
