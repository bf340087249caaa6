//! Access lines of Squid in its native format, of which other caches write the same.

use super::reading::{Outcome, Reading, source};
use super::{address, web};

/// Reads `TIME ELAPSED CLIENT RESULT/STATUS BYTES METHOD URL USER HIERARCHY/PEER TYPE`; `None` for lines of other shapes.
///
/// The method and the URL are the client's, who cannot put blanks into them; a user name has those encoded. Additions
/// of a format stand behind.
pub(super) fn read(line: &str) -> Option<Reading<'_>> {
    let mut words = line.split_ascii_whitespace();
    let mut word = || words.next();
    let (time, elapsed, address) = (word()?, word()?, word()?);
    if !is_time(time) || !is_number(elapsed) || !address::is_address(address) {
        return None;
    }
    let (result, status) = word()?.split_once('/')?;
    let is_result = result.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let size = word()?;
    if !is_result || status.len() != 3 || !is_number(status) || !is_number(size) {
        return None;
    }
    let (method, url, user, hierarchy) = (word()?, word()?, word()?, word()?);
    if !hierarchy.contains('/') {
        return None;
    }
    let mut reading =
        Reading { fields: Vec::with_capacity(12), log_source: source(Some("squid"), Some("proxy"), None) };
    reading.text("client.address", address::plain_address(address));
    reading.text("squid.result", result);
    web::status(status.parse().ok(), &mut reading);
    reading.number("http.response.body.size", size);
    if method != "-" {
        reading.text("http.request.method", method);
    }
    web::target(url, &mut reading);
    if user != "-" {
        reading.text("user.name", user);
        if status == "407" {
            refuse(&mut reading);
        }
    }
    Some(reading)
}

/// Every client first gets a request for credentials; one that names a user refuses those that were sent.
fn refuse(reading: &mut Reading<'_>) {
    reading.log_source = source(Some("squid"), Some("authentication"), Some("squid"));
    reading.action("login_failed", Some(Outcome::Failure));
    reading.text("process.name", "squid");
}

/// `1795616347.203`: seconds and milliseconds.
fn is_time(word: &str) -> bool {
    word.len() >= 13
        && word.split_once('.').is_some_and(|(seconds, rest)| {
            seconds.len() >= 9 && rest.len() == 3 && is_number(seconds) && is_number(rest)
        })
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(line: &str) -> Option<[String; 5]> {
        let reading = read(line)?;
        let names =
            ["event.action", "client.address", "user.name", "http.response.status_code", "url.original"];
        Some(names.map(|name| {
            let found = reading.fields.iter().find(|(own, _)| *own == name);
            found.and_then(|(_, value)| value.to_text()).map(|text| text.into_owned()).unwrap_or_default()
        }))
    }

    #[test]
    fn requests_and_refused_credentials() {
        for (line, expected) in [
            (
                "1795616347.203     30 203.0.113.10 TCP_DENIED/407 3498 GET http://www.example.com/ anna HIER_NONE/- text/html",
                ["login_failed", "203.0.113.10", "anna", "407", "http://www.example.com/"],
            ),
            // Nobody has tried to log in yet.
            (
                "1795616347.203      0 2001:db8::9 TCP_DENIED/407 3498 CONNECT www.example.com:443 - HIER_NONE/- text/html",
                ["", "2001:db8::9", "", "407", "www.example.com:443"],
            ),
            (
                "1795616347.203     38 203.0.113.10 TCP_MISS/200 742 GET http://www.example.com/ anna HIER_DIRECT/198.51.100.10 text/html",
                ["", "203.0.113.10", "anna", "200", "http://www.example.com/"],
            ),
            // A name with a copy of the line: blanks are encoded.
            (
                "1795616347.203      0 203.0.113.10 TCP_DENIED/407 3498 GET http://e/ x%20192.0.2.1%20TCP_DENIED/407 HIER_NONE/- text/html",
                ["login_failed", "203.0.113.10", "x%20192.0.2.1%20TCP_DENIED/407", "407", "http://e/"],
            ),
        ] {
            assert_eq!(values(line), Some(expected.map(str::to_owned)), "{line}");
        }
    }

    #[test]
    fn other_lines_are_not_squids() {
        for line in [
            "",
            "1795616347.203 0 host TCP_DENIED/407 3498 GET http://e/ anna HIER_NONE/- text/html",
            "1795616347 0 203.0.113.10 TCP_DENIED/407 3498 GET http://e/ anna HIER_NONE/- text/html",
            "1795616347.203 0 203.0.113.10 denied/407 3498 GET http://e/ anna HIER_NONE/- text/html",
            "1795616347.203 0 203.0.113.10 TCP_DENIED/407 3498 GET http://e/ anna",
            "2026/11/25 14:18:56| Starting new basicauthenticator helpers...",
        ] {
            assert_eq!(values(line), None, "{line}");
        }
    }
}
