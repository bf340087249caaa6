//! Scripts to routes: string literals that are paths, in calls, tables of routers, and templates with parameters.
//! A literal is read from its first quote, without tracking which quotes open and close: in minified code regular
//! expressions contain single quotes, behind which that distinction would be inverted.

use std::collections::BTreeSet;

use crate::template::template;

/// Bytes of a script that are read.
pub const MOST_SCRIPT_BYTES: usize = 2 << 20;
/// Routes of a script.
pub const MOST_ROUTES: usize = 500;
/// Bytes of a route.
const LONGEST_ROUTE: usize = 256;
/// Bytes before a literal in which the name of a call is searched, and behind it its options.
const LOOK_BEHIND: usize = 24;
const LOOK_AHEAD: usize = 80;

/// Methods of calls such as `axios.post(`.
const METHODS: [&str; 7] = ["delete", "get", "head", "options", "patch", "post", "put"];
/// Extensions of files that pages load: they are no routes.
const ASSETS: [&str; 16] = [
    ".css", ".eot", ".gif", ".ico", ".jpeg", ".jpg", ".js", ".map", ".mjs", ".mp4", ".png", ".svg", ".ttf",
    ".webp", ".woff", ".woff2",
];

/// A route of a script.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScriptRoute {
    /// Method in capitals.
    pub method: String,
    /// Path with placeholders, or an absolute URL with them, as in the script.
    pub path: String,
    /// Names of parameters of the query.
    pub parameters: Vec<String>,
}

/// Routes of a script in their order, and whether a bound was reached.
#[must_use]
pub fn routes(script: &[u8]) -> (Vec<ScriptRoute>, bool) {
    let mut cut = script.len() > MOST_SCRIPT_BYTES;
    let script = script.get(..MOST_SCRIPT_BYTES).unwrap_or(script);
    let mut routes: Vec<ScriptRoute> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut place = 0;
    while let Some(rest) = script.get(place..) {
        let Some(start) = memchr::memchr3(b'"', b'\'', b'`', rest).map(|found| place + found) else { break };
        place = start + 1;
        let Some((literal, end)) = literal(script, start) else { continue };
        // The quote that ends a literal may begin the next one.
        place = end;
        let Some((mut path, parameters)) = path_of(literal) else { continue };
        if path.ends_with('/') {
            path.push_str(&appended(script, end));
        }
        let method = method(script, start, end);
        let route = ScriptRoute { method, path, parameters };
        if routes.len() >= MOST_ROUTES {
            cut = true;
            break;
        }
        if seen.insert(route.clone()) {
            routes.push(route);
        }
    }
    (routes, cut)
}

/// The characters of a route behind a quote, and the place of the quote that ends it.
fn literal(script: &[u8], start: usize) -> Option<(&str, usize)> {
    let quote = *script.get(start)?;
    let content = script.get(start + 1..script.len().min(start + 1 + LONGEST_ROUTE))?;
    let starts = content.first().is_some_and(|first| matches!(first, b'/' | b'h' | b'a' | b'$'));
    if !starts {
        return None;
    }
    let end = content.iter().position(|byte| *byte == quote || !is_route_byte(*byte))?;
    if content.get(end) != Some(&quote) {
        return None;
    }
    Some((std::str::from_utf8(content.get(..end)?).ok()?, start + 1 + end))
}

const fn is_route_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'/' | b'_' | b'-' | b'.' | b'~' | b':' | b'{' | b'}' | b'$')
        || matches!(byte, b'?' | b'=' | b'&' | b'%' | b'+' | b'@' | b'[' | b']' | b'(' | b')' | b',' | b'*')
}

/// A path with placeholders and the names in its query, if a literal is a route.
fn path_of(literal: &str) -> Option<(String, Vec<String>)> {
    let literal = literal.split('#').next().unwrap_or(literal);
    let text = with_placeholders(literal);
    // A variable in front of a path is the address of the server.
    let text = text.strip_prefix("{base}").unwrap_or(&text);
    let (path, query) = text.split_once('?').unwrap_or((text, ""));
    let (origin, route) = match path.find("://") {
        Some(scheme) if path.starts_with("http") => {
            let behind = path.get(scheme + 3..)?;
            path.split_at(scheme + 3 + behind.find('/')?)
        }
        Some(_) => return None,
        None => ("", path),
    };
    let api = route.starts_with("api/");
    let letters = route.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_path = (route.starts_with('/') || api) && letters && !route.starts_with("//");
    let has_code = route.contains(['(', ')', ',', '*', '[', ']', '$', '=', '+', '@', '&']);
    let lower = route.to_ascii_lowercase();
    if !is_path || has_code || ASSETS.iter().any(|extension| lower.ends_with(extension)) {
        return None;
    }
    let slash = if api { "/" } else { "" };
    let names = query.split('&').filter_map(|pair| pair.split('=').next());
    let names =
        names.filter(|name| !name.is_empty() && !name.contains(['{', '}'])).map(str::to_owned).collect();
    Some((format!("{origin}{}", template(&format!("{slash}{route}"))), names))
}

/// `${user.id}`, `:id` and `[id]` as `{id}`; a leading variable as `{base}`.
fn with_placeholders(literal: &str) -> String {
    let mut text = String::with_capacity(literal.len());
    let mut rest = literal;
    while let Some(start) = rest.find("${") {
        let (before, behind) = rest.split_at(start);
        let Some(end) = behind.find('}') else { break };
        text.push_str(before);
        let expression = behind.get(2..end).unwrap_or_default();
        let name = expression
            .rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .find(|part| !part.is_empty());
        let behind = behind.get(end + 1..).unwrap_or_default();
        let name = if text.is_empty() && behind.starts_with('/') { "base" } else { name.unwrap_or("value") };
        text.push_str(&format!("{{{name}}}"));
        rest = behind;
    }
    text.push_str(rest);
    let (path, query) =
        text.split_once('?').map_or((text.as_str(), None), |(path, query)| (path, Some(query)));
    let segments: Vec<String> = path.split('/').map(router_parameter).collect();
    let path = segments.join("/");
    query.map_or_else(|| path.clone(), |query| format!("{path}?{query}"))
}

fn router_parameter(segment: &str) -> String {
    let name = segment
        .strip_prefix(':')
        .or_else(|| segment.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')))
        .map(|name| name.trim_end_matches(['?', '*', '+']))
        .filter(|name| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
    name.map_or_else(|| segment.to_owned(), |name| format!("{{{name}}}"))
}

/// The placeholder of a variable that is appended to a literal: `"/users/" + user.id`.
fn appended(script: &[u8], end: usize) -> String {
    let behind = script.get(end + 1..script.len().min(end + 1 + LOOK_BEHIND)).unwrap_or_default();
    let Some(variable) = behind.trim_ascii_start().strip_prefix(b"+") else { return String::new() };
    let variable = variable.trim_ascii_start();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let length = variable.iter().position(|byte| !is_name(byte)).unwrap_or(variable.len());
    let name =
        variable.get(..length).unwrap_or_default().rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    if name.is_empty() { String::new() } else { format!("{{{}}}", String::from_utf8_lossy(name)) }
}

/// The method of the call around a literal: `.post(` before it, or `method: "POST"` behind it.
fn method(script: &[u8], start: usize, end: usize) -> String {
    let before = script.get(start.saturating_sub(LOOK_BEHIND)..start).unwrap_or_default();
    let before = String::from_utf8_lossy(before).to_ascii_lowercase();
    if let Some(call) = before.trim_end().strip_suffix('(') {
        let name = call.trim_end().rsplit('.').next().filter(|name| name.len() < call.trim_end().len());
        if let Some(name) = name.filter(|name| METHODS.contains(name)) {
            return name.to_ascii_uppercase();
        }
    }
    // `open("PUT", "/path")` of XMLHttpRequest.
    let argument =
        before.trim_end().strip_suffix(',').map(|rest| rest.trim_end().trim_end_matches(['"', '\'']));
    if let Some(name) =
        argument.and_then(|rest| rest.rsplit(['"', '\'']).next()).filter(|name| METHODS.contains(name))
    {
        return name.to_ascii_uppercase();
    }
    let behind = script.get(end + 1..script.len().min(end + 1 + LOOK_AHEAD)).unwrap_or_default();
    let behind = String::from_utf8_lossy(behind).to_ascii_lowercase();
    let options =
        behind.split([';', ')']).next().and_then(|call| call.split_once(',')).map_or("", |(_, rest)| rest);
    let value =
        options.split_once("method").map(|(_, value)| value.trim_start_matches(['"', '\'', ' ', ':', '`']));
    let name = value.and_then(|value| value.split(|c: char| !c.is_ascii_alphabetic()).next());
    name.filter(|name| METHODS.contains(name)).unwrap_or("get").to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(script: &str) -> Vec<String> {
        routes(script.as_bytes())
            .0
            .into_iter()
            .map(|route| format!("{} {}", route.method, route.path))
            .collect()
    }

    #[test]
    fn calls_tables_and_templates_are_routes() {
        let script = r#"
            fetch("/api/users"); fetch('/api/users/'+id, {headers: h, method: "DELETE"});
            axios.post(`/api/orders/${order.id}/items`, body); http.get("api/me");
            x.open("PUT", "/api/settings"); $.ajax({url:"/legacy.php?user=1&mode=full"});
            const routes=[{path:"/account/:accountId/edit"},{path:"/blog/[slug]"}];
            fetch(`${API}/v2/search?q=${q}`); fetch("https://api.a.test/v1/ping")
        "#;
        assert_eq!(
            found(script),
            [
                "GET /api/users",
                "DELETE /api/users/{id}",
                "POST /api/orders/{id}/items",
                "GET /api/me",
                "PUT /api/settings",
                "GET /legacy.php",
                "GET /account/{accountId}/edit",
                "GET /blog/{slug}",
                "GET /v2/search",
                "GET https://api.a.test/v1/ping",
            ]
        );
        assert_eq!(routes(b"f('/a?user=1&mode=x')").0[0].parameters, ["user", "mode"]);
    }

    #[test]
    fn text_that_is_no_path_is_not() {
        let script = r#"
            a="/"; b="//cdn"; c="text/html"; d="/style.css"; e="/* x */"; f="/^a(b|c)$/"; g="application/json";
            h="/img/a.PNG"; i='/ with spaces'; j="hello"; k="/$1"; l="ftp://a/b"; m="/12/34"
        "#;
        assert_eq!(found(script), Vec::<String>::new());
    }

    #[test]
    fn quotes_in_regular_expressions_hide_nothing() {
        assert_eq!(found(r#"x.replace(/'/g,"").then(()=>fetch('/api/a')),y(/"/,fetch("/api/b"))"#).len(), 2);
    }

    #[test]
    fn bounds_hold() {
        let script: String = (0..MOST_ROUTES + 5).map(|number| format!("f('/r{number}/x');")).collect();
        let (found, cut) = routes(script.as_bytes());
        assert_eq!((found.len(), cut), (MOST_ROUTES, true));
    }
}
