//! `/` and `/docs`: where to begin, and the interface description for people. Outside `{base_url}`, for anyone who can
//! reach the service.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;

use crate::app::Shared;
use rest::html::{self, document, escape};

/// The page at `/`: names the service and the next steps, with the address that clients use.
pub(crate) fn start_page(base_url: &str) -> String {
    let base_url = escape(base_url);
    let body = format!(
        "<p>This service ingests logs, detects attacks in them, and serves the incidents over an API.</p>\n\
         <ol>\n\
         <li><p>Use the API key that the first start printed or wrote to <code>first-run.json</code>, or create one: \
         <code>palisade key create --name NAME</code>.</p></li>\n\
         <li><p>Create a source of logs. The response contains its <code>logs_url</code>.</p>\n\
         <pre><code>curl -H \"Authorization: Bearer $API_KEY\" -H \"Content-Type: application/json\" \\\n  \
         -d '{{\"name\": \"first source\"}}' {base_url}/infrastructure/sources</code></pre></li>\n\
         <li><p>Send logs to it, here six failed logins from one address. <code>docs/senders.md</code> of the distribution \
         has a configuration for each common sender.</p>\n\
         <pre><code>for n in 1 2 3 4 5 6; do echo '{{\"host\": \"web-1\", \"program\": \"sshd\", \
         \"message\": \"Failed password for root from 203.0.113.9 port 4022'$n' ssh2\"}}'; done |\n  \
         curl -H \"Authorization: Bearer $API_KEY\" -H \"Content-Type: application/x-ndjson\" \\\n  \
         --data-binary @- $LOGS_URL</code></pre></li>\n\
         <li><p>List the incidents. The incident of these logins appears within seconds.</p>\n\
         <pre><code>curl -H \"Authorization: Bearer $API_KEY\" {base_url}/incidents</code></pre></li>\n\
         </ol>\n\
         <h2>Reference</h2>\n\
         <ul>\n\
         <li><a href=\"docs\">API reference</a></li>\n\
         <li><a href=\"api/v1/openapi.json\">OpenAPI 3.1 document</a></li>\n\
         <li><a href=\"readyz\">Readiness</a></li>\n\
         </ul>\n"
    );
    document("First steps", &body)
}

pub(crate) async fn start(State(app): State<Shared>) -> Response {
    html::response(StatusCode::OK, app.pages.start.clone())
}

pub(crate) async fn reference(State(app): State<Shared>) -> Response {
    html::response(StatusCode::OK, app.pages.reference.clone())
}
