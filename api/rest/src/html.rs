//! HTML pages: one frame, one style sheet inside it, escaping. No script, and nothing is loaded from elsewhere.

use std::sync::LazyLock;

use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_FRAME_OPTIONS};
use http::{HeaderValue, StatusCode};
use sha2::{Digest, Sha256};

/// Follows the reader's choice of light or dark; colours have a contrast of at least 4.5 to 1 in both.
const STYLE: &str = include_str!("html/style.css");

/// Allows the style sheet of the frame, by its hash, and nothing else.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| policy("'none'"));

/// Allows forms to this deployment too.
static FORM_POLICY: LazyLock<HeaderValue> = LazyLock::new(|| policy("'self'"));

fn policy(form_action: &str) -> HeaderValue {
    let hash = STANDARD.encode(Sha256::digest(STYLE));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action {form_action}; frame-ancestors 'none'"
    );
    HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}

/// A whole page. `title` is text; `body` is HTML, in which every text was [escaped](escape).
pub fn document(title: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title} - Palisade</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n{body}</main>\n\
         </body>\n</html>\n"
    )
}

/// The reply that is a whole page.
pub fn page(status: StatusCode, title: &str, body: &str) -> Response {
    response(status, document(title, body))
}

/// The reply that is a whole page with a form, which is sent to this deployment.
pub fn form_page(status: StatusCode, title: &str, body: &str) -> Response {
    let mut response = page(status, title, body);
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, FORM_POLICY.clone());
    response
}

/// The same reply, which neither browsers nor proxies store: it is for one person.
pub fn private(mut response: Response) -> Response {
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The reply that carries a [document].
pub fn response(status: StatusCode, document: impl Into<axum::body::Body>) -> Response {
    let mut response = (status, document.into()).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CONTENT_SECURITY_POLICY, POLICY.clone());
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

/// Text as it stands in an element or in a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_leave_its_element() {
        let page = document("a <b> & \"c\" 'd'", "");
        assert!(
            page.contains("<title>a &lt;b&gt; &amp; &quot;c&quot; &#39;d&#39; - Palisade</title>"),
            "{page}"
        );
        assert!(!page.contains("<b>"), "{page}");
    }

    #[test]
    fn the_policy_allows_the_style_sheet_only() {
        let policy = POLICY.to_str().unwrap();
        let hash = STANDARD.encode(Sha256::digest(STYLE));
        assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
        assert!(policy.contains(&hash) && !policy.contains("unsafe"), "{policy}");
        assert!(policy.contains("form-action 'none'; frame-ancestors 'none'"), "{policy}");
        let form = form_page(StatusCode::OK, "a", "");
        let form = form.headers().get(CONTENT_SECURITY_POLICY).unwrap().to_str().unwrap();
        assert_eq!(form, policy.replace("form-action 'none'", "form-action 'self'"));
    }
}
