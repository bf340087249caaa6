//! Requests and responses as evidence (sections 3.46 and 3.47).

use super::document::{Run, shared};
use super::lenient::{CappedMap, Words};
use super::result::{Content, MAX_HEADERS, ToolResult, WebRequest, WebResponse};
use crate::text::cut;
use crate::{Evidence, Limits};

/// Headers with credentials, whose values are replaced.
const SECRET_HEADERS: [&str; 5] =
    ["authorization", "cookie", "proxy-authorization", "set-cookie", "x-api-key"];
/// Value of a header with credentials.
const REMOVED: &str = "(removed)";

/// The request and the response of a result.
pub(super) fn evidence(result: &ToolResult, run: &Run<'_>) -> Vec<Evidence> {
    let request = result.web_request.as_ref();
    let response = result.web_response.as_ref();
    let shared_request = shared::<WebRequest>(&run.web_requests, request.and_then(|one| one.index));
    let shared_response = shared::<WebResponse>(&run.web_responses, response.and_then(|one| one.index));
    let request = shared_request.as_ref().or(request).and_then(of_request);
    let response = shared_response.as_ref().or(response).and_then(of_response);
    let piece = |label: &str, text: String| Evidence { label: label.to_owned(), text };
    let request = request.map(|text| piece("request", text));
    request.into_iter().chain(response.map(|text| piece("response", text))).collect()
}

fn of_request(request: &WebRequest) -> Option<String> {
    let target = request.target.as_deref().map(short)?;
    let method = request.method.as_deref().map_or_else(|| "GET".to_owned(), short);
    let protocol = protocol(request.protocol.as_deref(), request.version.as_deref());
    Some(whole(&format!("{method} {target}{protocol}"), &request.headers, request.body.as_ref()))
}

fn of_response(response: &WebResponse) -> Option<String> {
    let status = response.status_code?;
    let protocol = protocol(response.protocol.as_deref(), response.version.as_deref());
    let reason =
        response.reason_phrase.as_deref().map_or_else(String::new, |reason| format!(" {}", short(reason)));
    let first = format!("{protocol} {status}{reason}");
    Some(whole(first.trim_start(), &response.headers, response.body.as_ref()))
}

fn protocol(name: Option<&str>, version: Option<&str>) -> String {
    match (name, version) {
        (Some(name), Some(version)) => format!(" {}/{}", short(name), short(version)),
        _ => String::new(),
    }
}

fn whole(first: &str, headers: &CappedMap<Words, MAX_HEADERS>, body: Option<&Content>) -> String {
    let mut text = first.to_owned();
    for (name, values) in &headers.0 {
        let is_secret = SECRET_HEADERS.iter().any(|secret| name.trim().eq_ignore_ascii_case(secret));
        let value =
            if is_secret { REMOVED.to_owned() } else { short(values.0.first().map_or("", String::as_str)) };
        text.push_str(&format!("\n{}: {value}", short(name)));
    }
    if let Some(body) = body.and_then(|body| body.text.as_deref()) {
        text.push_str("\n\n");
        text.push_str(&cut(body, Limits::EVIDENCE_TEXT));
    }
    cut(&text, Limits::EVIDENCE_TEXT)
}

fn short(text: &str) -> String {
    cut(text, Limits::NAME)
}

#[cfg(test)]
mod tests {
    use super::evidence;
    use crate::Limits;
    use crate::sarif::document::Run;
    use crate::sarif::result::ToolResult;

    fn texts(run: &str, result: &str) -> Vec<(String, String)> {
        let run: Run<'_> = serde_json::from_str(run).unwrap();
        let result: ToolResult = serde_json::from_str(result).unwrap();
        evidence(&result, &run).into_iter().map(|one| (one.label, one.text)).collect()
    }

    #[test]
    fn requests_and_responses_lose_credentials() {
        let result = r#"{"webRequest": {"protocol": "HTTP", "version": "1.1", "method": "POST", "target": "/label",
            "headers": {"Host": "shop.example", "AUTHORIZATION": "Bearer abc", "cookie": "id=1"}, "body": {"text": "a=b"}},
            "webResponse": {"statusCode": 200, "reasonPhrase": "OK", "headers": {"Set-Cookie": "id=2"}}}"#;
        let request =
            "POST /label HTTP/1.1\nAUTHORIZATION: (removed)\nHost: shop.example\ncookie: (removed)\n\na=b";
        let pair = |label: &str, text: &str| (label.to_owned(), text.to_owned());
        assert_eq!(
            texts("{}", result),
            [pair("request", request), pair("response", "200 OK\nSet-Cookie: (removed)")]
        );
    }

    #[test]
    fn a_request_can_be_shared_and_is_bounded() {
        let body = "x".repeat(5_000);
        let run = format!(r#"{{"webRequests": [{{"target": "/a", "body": {{"text": "{body}"}}}}]}}"#);
        let texts = texts(&run, r#"{"webRequest": {"index": 0}, "webResponse": {"index": 4}}"#);
        assert_eq!(texts.len(), 1);
        assert!(texts[0].1.starts_with("GET /a\n\nxx"));
        assert_eq!(texts[0].1.chars().count(), Limits::EVIDENCE_TEXT);
    }
}
