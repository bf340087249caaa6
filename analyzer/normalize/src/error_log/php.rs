//! Messages of PHP programs: in the error logs of the web servers in front of them, and in PHP's own log, whose
//! lines are `[24-Nov-2026 08:07:25 UTC] TEXT`.

use super::{DENIED, FAILED, LOGIN_FAILED, NOT_FOUND, Report, wording};
use crate::reading::Reading;
use crate::split;

/// Reads a line of PHP's own log. No field of it is the client's address, so that one is only taken where the
/// text names it as such, and no other.
pub(super) fn read(line: &str) -> Option<Reading<'_>> {
    let (date, text) = line.strip_prefix('[')?.split_once("] ")?;
    if !super::begins_as(date, b"00-aaa-0000 00:00:00") {
        return None;
    }
    let mut reading = super::reading("php");
    if let Some(report) = application_report(text) {
        if let Some(address) = wording::only_address(text) {
            reading.text("client.address", address);
        }
        report.add_to(&mut reading);
    }
    Some(reading)
}

/// Messages of the gateway to PHP, of itself or of the program.
pub(super) fn report(message: &str) -> Option<Report<'_>> {
    if message.starts_with("Primary script unknown") {
        return Some(Report::of(NOT_FOUND));
    }
    if message.starts_with("Access to the script ") {
        return Some(Report::of(DENIED));
    }
    application_report(message)
}

/// Messages of a program: a refused login, in its own words, or its failure.
pub(super) fn application_report(text: &str) -> Option<Report<'_>> {
    let text = split::at_first(text, "PHP message: ").map_or(text, |(_, message)| message);
    if text.starts_with("PHP Fatal error: ") {
        return Some(Report::of(FAILED));
    }
    // Messages of the interpreter quote the program and its data; of them one is about the client's password.
    let is_own = text.starts_with("PHP ");
    let is_refused = if is_own {
        text.contains("ldap_bind(): Unable to bind to server: Invalid credentials")
    } else {
        wording::says_login_failed(text)
    };
    is_refused.then(|| Report::of(LOGIN_FAILED).by(if is_own { "" } else { wording::user(text) }))
}
