//! Records of products after their documentation: client, user and outcome. The first table is the
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

/// Value found under a name; of several values the first.
pub(super) fn found<'e>(normalized: &'e Normalized<'_>, name: &str) -> &'e str {
    match normalized.event.field(name) {
        Some(Value::String(text)) => text,
        // Ours stands beside the record's own.
        Some(Value::Array(values)) => {
            let ours = |value: &&Value<'_>| {
                value.as_str().is_some_and(|text| {
                    text.starts_with("login_")
                        || text.starts_with("firewall_")
                        || matches!(text, "success" | "failure")
                })
            };
            values.iter().find(ours).or_else(|| values.first()).and_then(Value::as_str).unwrap_or_default()
        }
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

/// Shares of the left-out records' fields, and errors.
#[test]
fn records_of_products_left_out() {
    let (mut stated_all, mut found_all, mut missing, mut wrong) = ([0; 4], [0; 4], Vec::new(), Vec::new());
    let cases = cases(include_str!("vendors_left_out.txt"));
    for case in &cases {
        let payload = payload(line(&case.record), &[]);
        let normalized = only(&payload);
        for (at, name) in NAMES.iter().enumerate() {
            let (stated, found) = (case.stated[at], found(&normalized, name));
            stated_all[at] += u32::from(!stated.is_empty());
            found_all[at] += u32::from(!stated.is_empty() && found == stated);
            if found == stated {
                continue;
            }
            // A device's own word for an action is its own.
            let said = format!("{}: {name} is {found:?} and not {stated:?}", case.product);
            if found.is_empty() || *name == "event.action" { missing.push(said) } else { wrong.push(said) }
        }
    }
    assert!(cases.len() >= 40);
    println!("{} records; stated {stated_all:?}, found {found_all:?}\n{}", cases.len(), missing.join("\n"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (stated, found) in stated_all.into_iter().zip(found_all) {
        assert!(found * 100 >= stated * 60, "{found} of {stated}");
    }
}
