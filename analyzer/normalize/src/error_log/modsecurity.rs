//! Messages of ModSecurity in the error logs of Apache and nginx: `ModSecurity: Access denied with code 403
//! (phase 2). … [id "949110"] [msg "…"] [data "…"] [tag "attack-sqli"] [uri "/"] [unique_id "…"]`.

use super::{BLOCKED, FLAGGED, Report};
use crate::access_log::quoted;
use crate::reading::Reading;
use crate::split;

/// Reads a message; returns whether it was one. One request has several: `http.request.id` is the same in all.
pub(super) fn read<'t>(text: &'t str, reading: &mut Reading<'t>) -> bool {
    let Some(text) = text.strip_prefix("ModSecurity: ") else { return false };
    let action = if text.starts_with("Access denied ") {
        BLOCKED
    } else if text.starts_with("Warning. ") {
        FLAGGED
    } else {
        return true;
    };
    let mut report = Report::of(action);
    let mut has_class = false;
    for (name, value) in attributes(text) {
        match name {
            "id" => reading.text("rule.id", value),
            "msg" => reading.text("rule.name", value),
            "unique_id" => reading.text("http.request.id", value),
            "uri" => report = report.about_url(value),
            "tag" if !has_class && value.starts_with("attack-") => {
                reading.text("rule.category", value);
                has_class = true;
            }
            _ => {}
        }
    }
    report.add_to(reading);
    true
}

/// `[name "value"]` behind the description. Quotes in values are escaped.
fn attributes(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let start = split::at_first(text, " [file \"").or_else(|| split::at_first(text, " [id \""));
    let mut rest = start.map_or("", |(before, _)| text.get(before.len() + 1..).unwrap_or_default());
    std::iter::from_fn(move || {
        let (name, behind) = rest.strip_prefix('[')?.split_once(" \"")?;
        let (value, behind) = quoted(behind);
        rest = behind.strip_prefix(']')?.trim_start();
        Some((name, value))
    })
}
