//! HTTP requests: the canonical fields of a request line and its target, and requests in structured
//! records. Access lines are taken apart in `access_log`.

use std::borrow::Cow;

use sigma::event::Value;

use super::reading::{Reading, source};
use super::roles::{Role, Roles};
use super::split;

/// Reads a structured record; empty if it is not about a request, which takes a method and its
/// target.
pub(super) fn read<'a>(roles: &Roles<'_, 'a>) -> Reading<'a> {
    let mut reading = Reading::default();
    let method = roles.text(Role::Method).filter(|word| is_method(word));
    if let Some(method) = method {
        read_target(roles, &mut reading);
        if !reading.is_empty() {
            reading.push("http.request.method", Value::String(method));
        }
    }
    if reading.is_empty()
        && let Some(request) = roles.text(Role::RequestLine)
    {
        with(request, &mut reading, |request, reading| {
            if split::at_first(request, " HTTP/").is_some() {
                request_line(request, reading);
            }
        });
    }
    if reading.is_empty() {
        return reading;
    }
    reading.log_source = source(None, Some("webserver"), None);
    status(roles.number(Role::Status), &mut reading);
    if let Some(size) = roles.number(Role::Size) {
        reading.push("http.response.body.size", Value::Int(size));
    }
    for (role, name) in [
        (Role::UserAgent, "user_agent.original"),
        (Role::Referer, "http.request.header.referer"),
        (Role::ServerAddress, "server.address"),
    ] {
        if let Some(text) = roles.text(role) {
            reading.push(name, Value::String(text));
        }
    }
    reading
}

/// Path and query where both are given; else the target as it was sent, which holds both.
fn read_target<'a>(roles: &Roles<'_, 'a>, reading: &mut Reading<'a>) {
    let (path, query) = (roles.text(Role::Path), roles.text(Role::Query));
    let sent = roles.text(Role::Target);
    let whole = sent.clone().filter(|sent| {
        let sent_path = sent.split_once('?').map(|(path, _)| path);
        sent_path.is_some() && sent_path == path.as_deref()
    });
    let Some(path) = path.filter(|_| query.is_some() || whole.is_none()) else {
        if let Some(text) = sent.or_else(|| roles.text(Role::FullUrl)) {
            with(text, reading, target);
        }
        return;
    };
    let both = match query {
        Some(query) => {
            let both = format!("{path}?{}", query.strip_prefix('?').unwrap_or(&query));
            reading.push("url.query", Value::String(query));
            Cow::Owned(both)
        }
        None => path.clone(),
    };
    with(path.clone(), reading, |path, reading| reading.text("url.extension", extension(path)));
    reading.push("url.path", Value::String(path));
    reading.push("url.path_and_query", raw_and_decoded(both));
}

/// Lets a reader of borrowed text read a text that may be owned.
pub(super) fn with<'a>(
    text: Cow<'a, str>,
    reading: &mut Reading<'a>,
    read: impl for<'t> Fn(&'t str, &mut Reading<'t>),
) {
    match text {
        Cow::Borrowed(text) => read(text, reading),
        Cow::Owned(text) => {
            let mut local = Reading::default();
            read(&text, &mut local);
            reading.append(local.into_owned());
        }
    }
}

/// `GET /path?query HTTP/1.1`. Anything else a client may have sent is kept as it is.
pub(super) fn request_line<'t>(request: &'t str, reading: &mut Reading<'t>) {
    let parts = split::at_byte(request, b' ').filter(|(method, _)| is_method(method));
    let Some((method, rest)) = parts else {
        if request != "-" {
            reading.text("url.original", request);
        }
        return;
    };
    reading.text("http.request.method", method);
    let (text, version) = split::at_last(rest, " HTTP/").unwrap_or((rest, ""));
    target(text, reading);
    reading.text("network.protocol.version", version);
}

/// The fields of a request target: path and query, or a whole URL.
pub(super) fn target<'t>(text: &'t str, reading: &mut Reading<'t>) {
    reading.text("url.original", text);
    let local = match split::at_first(text, "://") {
        Some((scheme, rest)) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            rest.find(['/', '?']).map_or("/", |at| &rest[at..])
        }
        _ => text,
    };
    let (path, query) = split::at_first(local, "?").unwrap_or((local, ""));
    reading.text("url.path", path);
    reading.text("url.query", query);
    reading.text("url.extension", extension(path));
    if !local.is_empty() {
        reading.push("url.path_and_query", raw_and_decoded(Cow::Borrowed(local)));
    }
}

/// Text behind the last dot of a path's last part.
fn extension(path: &str) -> &str {
    let name = split::at_last(path, "/").map_or(path, |(_, name)| name);
    match split::at_last(name, ".") {
        Some((stem, extension)) if !stem.is_empty() => extension,
        _ => "",
    }
}

/// The HTTP status, if it is one.
pub(super) fn status(status: Option<i64>, reading: &mut Reading<'_>) {
    if let Some(status) = status.filter(|status| (100..=599).contains(status)) {
        reading.push("http.response.status_code", Value::Int(status));
    }
}

/// As it was sent and, where that is something else, percent-decoded once (with `+` for a space in
/// the query): a rule may be written against either, and a pattern that only shows when decoded twice
/// is not what the server acted on.
fn raw_and_decoded(raw: Cow<'_, str>) -> Value<'_> {
    match decoded(&raw) {
        Some(decoded) => Value::Array(vec![Value::String(raw), Value::String(Cow::Owned(decoded))]),
        None => Value::String(raw),
    }
}

fn decoded(text: &str) -> Option<String> {
    memchr::memchr2(b'%', b'+', text.as_bytes())?;
    let query_at = memchr::memchr(b'?', text.as_bytes()).unwrap_or(text.len());
    if memchr::memchr(b'%', text.as_bytes()).is_none() && !text[query_at..].contains('+') {
        return None;
    }
    let digit = |at: usize| {
        char::from(*text.as_bytes().get(at)?).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
    };
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(high << 4 | low);
                at += 2;
            }
            (b'+', ..) if at > query_at => bytes.push(b' '),
            _ => bytes.push(*byte),
        }
        at += 1;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned()).filter(|decoded| decoded != text)
}

/// A method is upper case; other APIs have verbs in lower case.
fn is_method(word: &str) -> bool {
    (1..=20).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || b"-_".contains(&byte))
}

#[cfg(test)]
mod tests;
