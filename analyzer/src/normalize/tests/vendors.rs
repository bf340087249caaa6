//! Records of products after their documentation: who asked, as whom, and what came of it. The first table is the
//! one with which the dictionary was made; the second was written when it was finished.

use super::*;

pub(super) struct Case<'t> {
    pub(super) product: &'t str,
    /// Client address, user, outcome, action; empty where the record states none.
    pub(super) stated: [&'t str; 4],
    pub(super) record: String,
}

pub(super) fn cases(table: &str) -> Vec<Case<'_>> {
    let lines: Vec<_> = table.lines().filter(|line| !line.starts_with("# ") && !line.is_empty()).collect();
    lines
        .chunks(2)
        .map(|pair| {
            let head = pair[0].strip_prefix("@ ").unwrap_or_else(|| panic!("no head: {}", pair[0]));
            let mut parts = head.split('|').map(str::trim);
            let product = parts.next().unwrap();
            let stated: Vec<_> = parts.map(|part| if part == "-" { "" } else { part }).collect();
            let stated = stated.try_into().unwrap_or_else(|_| panic!("{head}"));
            // Only the export of the journal has several lines.
            let record =
                if pair[1].starts_with("__") { pair[1].replace("\\n", "\n") } else { pair[1].to_owned() };
            Case { product, stated, record }
        })
        .collect()
}

pub(super) const NAMES: [&str; 4] = ["client.address", "user.name", "event.outcome", "event.action"];

/// What was found under a name; of several values the first.
pub(super) fn found<'e>(normalized: &'e Normalized<'_>, name: &str) -> &'e str {
    match normalized.event.field(name) {
        Some(Value::String(text)) => text,
        Some(Value::Array(values)) => values.last().and_then(Value::as_str).unwrap_or_default(),
        _ => "",
    }
}

#[test]
fn each_record_says_who_asked_and_what_came_of_it() {
    let mut wrong = Vec::new();
    for case in cases(include_str!("vendors.txt")) {
        let payload = payload(line(&case.record), &[]);
        let normalized = only(&payload);
        for (name, stated) in NAMES.iter().zip(case.stated) {
            let found = found(&normalized, name);
            if found != stated {
                wrong.push(format!("{}: {name} is {found:?} and not {stated:?}", case.product));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
