//! Error lines of Apache: `[Wed Jul 08 09:10:11.123456 2026] [core:error] [pid 1:tid 2] [client ADDRESS:PORT]
//! AH01630: TEXT, referer: …`.

use super::{DENIED, LIMITED, LOGIN_FAILED, MALFORMED, NOT_FOUND, Report, modsecurity, php};
use crate::reading::Reading;
use crate::{address, split};

/// The groups in front are the server's own, so that the first client in them is the peer.
pub(super) fn read(line: &str) -> Option<Reading<'_>> {
    let (date, mut rest) = group(line)?;
    let is_date = date.len() >= 24 && date.as_bytes().get(3) == Some(&b' ') && date.contains(':');
    let (level, behind) = group(rest)?;
    // Versions since 2.4 name the module, and always write the port of the client.
    let (module, level) = level.split_once(':').unwrap_or(("", level));
    if !is_date
        || level.is_empty()
        || !level.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    {
        return None;
    }
    let mut reading = super::reading("apache");
    reading.text("log.level", level);
    rest = behind;
    let mut has_client = false;
    loop {
        rest = without_error_number(rest);
        let Some((inside, behind)) = group(rest) else { break };
        if let Some(process) = inside.strip_prefix("pid ") {
            reading.number("process.pid", process.split(':').next().unwrap_or_default());
        } else if let Some(peer) = inside.strip_prefix("client ") {
            let address = if module.is_empty() { address::plain_address(peer) } else { without_port(peer) };
            if address::is_address(address) {
                reading.text("client.address", address);
                has_client = true;
            }
            rest = behind;
            break;
        } else if inside.strip_prefix("remote ").is_none() {
            break;
        }
        rest = behind;
    }
    // Lines without a client are about the server.
    if has_client && !modsecurity::read(without_client(rest), &mut reading) {
        let text = without_code(rest);
        let text = split::at_first(text, ", referer: ").map_or(text, |(text, _)| text);
        if let Some(report) = report(text) {
            report.add_to(&mut reading);
        }
    }
    Some(reading)
}

/// `[INSIDE] `, and the rest. An address of IPv6 is not in brackets of its own here.
fn group(text: &str) -> Option<(&str, &str)> {
    let (inside, behind) = text.strip_prefix('[')?.split_once(']')?;
    Some((inside, behind.strip_prefix(' ').unwrap_or(behind)))
}

/// `ADDRESS:PORT`, where an address of IPv6 is not in brackets.
fn without_port(peer: &str) -> &str {
    let address = peer.rsplit_once(':').map_or(peer, |(address, _)| address);
    address::plain_address(if address::is_address(address) { address } else { peer })
}

/// `(13)Permission denied: [client …`: an error of the operating system stands before the client.
fn without_error_number(text: &str) -> &str {
    let rest = text.strip_prefix('(').and_then(|rest| split::at_first(rest, ": [client "));
    match rest {
        Some((error, _)) if !error.contains('[') => text.get(error.len() + 3..).unwrap_or(text),
        _ => text,
    }
}

/// ModSecurity names the client a second time.
fn without_client(text: &str) -> &str {
    group(text).filter(|(inside, _)| inside.starts_with("client ")).map_or(text, |(_, rest)| rest)
}

/// `AH01630: TEXT`: versions since 2.4 number their messages.
fn without_code(text: &str) -> &str {
    let rest = text.strip_prefix("AH").and_then(|rest| rest.split_once(": "));
    rest.filter(|(code, _)| code.bytes().all(|byte| byte.is_ascii_digit())).map_or(text, |(_, rest)| rest)
}

fn report(text: &str) -> Option<Report<'_>> {
    if let Some(report) = authentication(text) {
        return Some(report);
    }
    for (beginning, action) in [
        ("client denied by server configuration: ", DENIED),
        ("Directory index forbidden by Options directive: ", DENIED),
        ("file permissions deny server access: ", DENIED),
        ("Symbolic link not allowed or link target not accessible: ", DENIED),
        ("File does not exist: ", NOT_FOUND),
        ("script not found or unable to stat: ", NOT_FOUND),
    ] {
        if let Some(path) = text.strip_prefix(beginning) {
            let path = path.strip_prefix("uri ").unwrap_or(path);
            return Some(Report::of(action).about_file(path));
        }
    }
    if let Some(rest) = text.strip_prefix("invalid URI path (") {
        return Some(Report::of(MALFORMED).about_url(rest.strip_suffix(')').unwrap_or(rest)));
    }
    if let Some(rest) = text.strip_prefix("Cannot serve directory ") {
        return Some(
            Report::of(DENIED).about_file(split::at_first(rest, ": ").map_or(rest, |(path, _)| path)),
        );
    }
    if let Some(rest) = text.strip_prefix("access to ") {
        let (path, rest) = split::at_byte(rest, b' ')?;
        let is_denied = rest.starts_with("denied ") || rest.starts_with("failed ");
        return is_denied.then(|| Report::of(DENIED).about_url(path));
    }
    if let Some(rest) = text.strip_prefix("stderr from ") {
        let (path, message) = split::at_first(rest, ": ")?;
        return message.starts_with("script not found").then(|| Report::of(NOT_FOUND).about_file(path));
    }
    if let Some(rest) = text.strip_prefix("script '") {
        let (path, _) = split::at_last(rest, "' not found or unable to stat")?;
        return Some(Report::of(NOT_FOUND).about_file(path));
    }
    if let Some(rest) = text.strip_prefix("Got error '") {
        return php::report(rest.trim_end_matches('\''));
    }
    if text.starts_with("mod_qos(") && text.contains("access denied") {
        return Some(Report::of(LIMITED));
    }
    const MALFORMED_REQUESTS: [&str; 5] = [
        "Invalid method in request ",
        "Invalid URI in request ",
        "request failed: ",
        "client sent ",
        "Request header ",
    ];
    if MALFORMED_REQUESTS.iter().any(|beginning| text.starts_with(beginning)) {
        return Some(Report::of(MALFORMED));
    }
    php::application_report(text)
}

/// Basic, digest, form and directory authentication. Quotes of the client are escaped, so that the first mark
/// with a quote is the server's.
fn authentication(text: &str) -> Option<Report<'_>> {
    if let Some(rest) = text.strip_prefix("client used wrong authentication scheme: ") {
        return Some(Report::of(LOGIN_FAILED).about_url(rest));
    }
    if let Some(rest) = text.strip_prefix("auth_ldap authenticate: user ") {
        let (user, rest) = split::at_first(rest, " authentication failed; URI ")?;
        return Some(Report::of(LOGIN_FAILED).by(user).about_url(rest.split(' ').next().unwrap_or_default()));
    }
    // The version of digest authentication before 2.4 has its name in front.
    let text = text.strip_prefix("Digest: ").unwrap_or(text);
    let rest = text.strip_prefix("user ")?;
    if let Some((user, rest)) = rest.strip_prefix('`').and_then(|rest| split::at_first(rest, "' in realm `"))
    {
        let (_, uri) = split::at_first(rest, "' not found: ")
            .or_else(|| split::at_first(rest, "' denied by provider: "))?;
        return Some(Report::of(LOGIN_FAILED).by(user).about_url(uri));
    }
    if let Some((user, rest)) = split::at_first(rest, ": authentication failure for \"") {
        let uri = split::at_byte(rest, b'"').map_or(rest, |(uri, _)| uri);
        return Some(Report::of(LOGIN_FAILED).by(unquoted(user)).about_url(uri));
    }
    if let Some((user, rest)) = split::at_first(rest, ": authorization failure for \"") {
        let uri = split::at_byte(rest, b'"').map_or(rest, |(uri, _)| uri);
        return Some(Report::of(DENIED).by(user).about_url(uri));
    }
    let (user, uri) =
        split::at_first(rest, ": password mismatch: ").or_else(|| split::at_first(rest, " not found: "))?;
    Some(Report::of(LOGIN_FAILED).by(unquoted(user)).about_url(uri))
}

/// Form authentication puts the name into quotes.
fn unquoted(user: &str) -> &str {
    user.strip_prefix('\'').and_then(|user| user.strip_suffix('\'')).unwrap_or(user)
}
