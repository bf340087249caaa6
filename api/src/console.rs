//! `/console` below the site, where `dashboard_url` of events points. There is no web console yet: each path of it answers
//! with a short page that names the object and the API call that shows it. A page is made of the path alone: it holds no
//! data of any organization, so that it needs no API key, and whether the object exists is not said.

use std::fmt::Write;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_FRAME_OPTIONS};
use http::{HeaderValue, StatusCode};
use uuid::Uuid;

use crate::app::{App, Shared};
use crate::openapi::BASE_PATH;

/// Nothing is loaded, run or framed.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

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

const SECTIONS: [Section; 9] = [
    section("incidents", ("Incident", "Incidents"), "/incidents", true, "incidents:read"),
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
        Some(id) => (format!("{list}/{id}"), "Everything known of it"),
        None => (list.to_owned(), "The list"),
    };
    let url = escaped(&format!("{}{below}", app.base_url));
    format!(
        "<p>This version has no web console. {answer} is the answer to this API call:</p>\n\
         <pre>GET {BASE_PATH}{below}</pre>\n\
         <p>With an API key that may do everything or has the scope <code>{scope}</code>:</p>\n\
         <pre>curl -H 'Authorization: Bearer &lt;API_KEY&gt;' '{url}'</pre>\n\
         <p>All calls are in the <a href=\"{document}\">interface description</a>.</p>\n",
        document = document(app),
    )
}

/// The calls that list the objects of each section.
fn overview(app: &App) -> String {
    let mut text =
        "<p>This version has no web console. These API calls show what it will show:</p>\n<ul>\n".to_owned();
    for Section { objects, list, .. } in &SECTIONS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "<li>{objects}: <code>GET {BASE_PATH}{list}</code></li>");
    }
    let _ = writeln!(
        text,
        "</ul>\n<p>All of them are in the <a href=\"{}\">interface description</a>.</p>",
        document(app)
    );
    text
}

fn document(app: &App) -> String {
    escaped(&format!("{}/openapi.json", app.base_url))
}

/// A page with a title and a body of trusted HTML.
fn page(status: StatusCode, title: &str, body: &str) -> Response {
    let title = escaped(title);
    let html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} - Palisade</title>\n</head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n"
    );
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (CONTENT_SECURITY_POLICY, POLICY),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    ];
    (status, headers, html).into_response()
}

/// A text as HTML, in content and in quoted attributes.
fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_leave_its_place() {
        assert_eq!(
            escaped("<a href=\"x\" title='y'>&"),
            "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;"
        );
    }
}
