//! `/console` below the site, where `dashboard_url` of events points. There is no web console yet: each path of it answers
//! with a short page that names the object and the API call that shows it. A page is made of the path alone: it holds no
//! data of any organization, so that it needs no API key, and whether the object exists is not said.

use std::fmt::Write;

use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use uuid::Uuid;

use crate::app::{App, Shared};
use crate::openapi::BASE_PATH;
use rest::html::{escape, page};

/// A kind of objects that the console will show.
struct Section {
    /// Its path below `/console`.
    path: &'static str,
    /// One of its objects, in words.
    object: &'static str,
    /// All of them, in words.
    objects: &'static str,
    /// The path below `{base_url}` that lists them.
    list: &'static str,
    /// Whether the API shows one of them by itself, below the path of the list.
    has_detail: bool,
    /// The scope that a narrowed API key needs.
    scope: &'static str,
}

const fn section(
    path: &'static str,
    (object, objects): (&'static str, &'static str),
    list: &'static str,
    has_detail: bool,
    scope: &'static str,
) -> Section {
    Section { path, object, objects, list, has_detail, scope }
}

const SECTIONS: [Section; 12] = [
    section("incidents", ("Incident", "Incidents"), "/incidents", true, "incidents:read"),
    section("findings", ("Finding", "Findings"), "/findings", true, "findings:read"),
    section("sources", ("Source", "Sources"), "/infrastructure/sources", true, "sources:read"),
    section("rules", ("Detection rule", "Detection rules"), "/detection-rules", true, "rules:read"),
    section("suppressions", ("Suppression", "Suppressions"), "/suppressions", true, "rules:read"),
    section(
        "policies",
        ("Monitoring policy", "Monitoring policies"),
        "/monitoring-policies",
        true,
        "policies:read",
    ),
    section("webhooks", ("Webhook target", "Webhook targets"), "/webhooks", true, "webhooks:read"),
    section("telemetry", ("Telemetry endpoint", "Telemetry endpoints"), "/telemetry", true, "telemetry:read"),
    section(
        "deliveries",
        ("Webhook delivery", "Webhook deliveries"),
        "/webhook-deliveries",
        false,
        "webhooks:read",
    ),
    section("applications", ("Application", "Applications"), "/applications", true, "applications:read"),
    section("agents", ("Agent", "Agents"), "/agents", true, "agents:read"),
    section("keys", ("API key", "API keys"), "/api-keys", false, "keys:read"),
];

/// The console's first page.
pub(crate) async fn start(State(app): State<Shared>) -> Response {
    page(StatusCode::OK, "Palisade console", &overview(&app))
}

/// A page of the console. `path` is percent-decoded; of it nothing but an id appears in the page, as it was parsed.
pub(crate) async fn show(State(app): State<Shared>, Path(path): Path<String>) -> Response {
    let (first, rest) = path.split_once('/').unwrap_or((&path, ""));
    let section = SECTIONS.iter().find(|section| section.path == first);
    match (section, rest) {
        (Some(section), "") => page(StatusCode::OK, section.objects, &call(&app, section, None)),
        (Some(section), id) if section.has_detail => match Uuid::try_parse(id) {
            Ok(id) => {
                let id = id.hyphenated().to_string();
                page(StatusCode::OK, &format!("{} {id}", section.object), &call(&app, section, Some(&id)))
            }
            Err(_) => missing(&app),
        },
        _ => missing(&app),
    }
}

fn missing(app: &App) -> Response {
    let text = format!("<p>The console has no page at this address.</p>\n{}", overview(app));
    page(StatusCode::NOT_FOUND, "No such page", &text)
}

/// The API call that shows a section, or an object of it.
fn call(app: &App, section: &Section, id: Option<&str>) -> String {
    let (list, scope) = (section.list, section.scope);
    let (below, answer) = match id {
        Some(id) => (format!("{list}/{id}"), "Details"),
        None => (list.to_owned(), "The list"),
    };
    let url = escape(&format!("{}{below}", app.kit.base_url));
    format!(
        "<p>This version has no web console. {answer} is the answer to this API call:</p>\n\
         <pre>GET {BASE_PATH}{below}</pre>\n\
         <p>With an API key that has all scopes or the scope <code>{scope}</code>:</p>\n\
         <pre>curl -H 'Authorization: Bearer &lt;API_KEY&gt;' '{url}'</pre>\n\
         <p>All calls are in the <a href=\"{reference}\">API reference</a>.</p>\n",
        reference = reference(app),
    )
}

/// The calls that list the objects of each section.
fn overview(app: &App) -> String {
    let mut text =
        "<p>This version has no web console. These API calls return the same objects:</p>\n<ul>\n".to_owned();
    for Section { objects, list, .. } in &SECTIONS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "<li>{objects}: <code>GET {BASE_PATH}{list}</code></li>");
    }
    let _ = writeln!(
        text,
        "</ul>\n<p>All of them are in the <a href=\"{}\">API reference</a>.</p>",
        reference(app)
    );
    text
}

/// Address of the API reference.
fn reference(app: &App) -> String {
    escape(&format!("{}/docs", app.kit.base_url.trim_end_matches(BASE_PATH)))
}
