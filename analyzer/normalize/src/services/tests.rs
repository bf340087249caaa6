//! Lines of services: those of their documentation, those with an address in a place that a client chose, and lines that
//! look like a failed login and are none.

use crate::content::Content;
use crate::program;

fn fields(name: Option<&str>, line: &str) -> [Option<String>; 3] {
    let reading = program::read(name, &Content::of(line));
    ["event.action", "client.address", "user.name"].map(|name| {
        let (_, value) = reading.fields.iter().find(|(own, _)| *own == name)?;
        value.to_text().map(|text| text.into_owned())
    })
}

/// Lines of the tables of lines: `program | action | address | user | line`, `-` for none.
const LINES: [&str; 3] = [
    include_str!("tests/lines.txt"),
    include_str!("tests/lines_access.txt"),
    include_str!("tests/lines_applications.txt"),
];

#[test]
fn lines_of_documented_wordings_are_read() {
    let rows = LINES.iter().flat_map(|lines| lines.lines());
    let mut wrong = Vec::new();
    for row in rows.filter(|row| !row.is_empty() && !row.starts_with('#')) {
        let parts: Vec<_> = row.splitn(5, " | ").collect();
        let [program, action, address, user, line] = parts[..] else { panic!("{row}") };
        let stated = |text: &str| (text != "-").then(|| text.to_owned());
        let found = fields(stated(program).as_deref(), line);
        if found != [stated(action), stated(address), stated(user)] {
            wrong.push(format!("{row}\n    found {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_line_costs_a_bounded_number_of_tries_whatever_the_number_of_wordings() {
    use super::budget::Budget;
    use super::table::TABLES;

    // Pieces of the wordings themselves, again and again, as a client may write them into a name.
    for program in ["postfix/smtpd", "dovecot", "exim", "mariadbd", "kamailio", "sogod"] {
        let literals = TABLES.of_program(program).map(|wording| wording.pattern.longest_literal());
        let piece: String = literals.collect();
        let line = piece.repeat(1 + 1900 / piece.len().max(1));
        let line = &line[..line.len().min(2000)];
        let budget = Budget::of_line();
        let readings =
            TABLES.of_program(program).filter_map(|wording| wording.pattern.read(line, &budget)).count();
        assert!(budget.spent() <= 1024, "{program}: {}, {readings} readings", budget.spent());
        assert!(super::read_named(program, line).is_none_or(|reading| {
            !budget.is_spent() || reading.fields.iter().all(|(name, _)| *name != "client.address")
        }));
    }
}

#[test]
fn a_line_of_which_not_every_reading_was_tried_names_no_client() {
    let wording = "Login failed for {user} from {client} at {text} port {number}";
    let patterns = super::pattern::Pattern::parse(wording).unwrap();
    let line =
        format!("Login failed for a{} from 203.0.113.9 at x port 1", " from 198.51.100.1 at y".repeat(60));
    let budget = super::budget::Budget::of_line();
    let found: Vec<_> =
        patterns.iter().cycle().take(64).map(|pattern| pattern.read(&line, &budget)).collect();
    assert!(budget.is_spent());
    assert!(found.iter().flatten().all(|found| found.address.is_none()), "{found:?}");
    let short = "Login failed for anna from 203.0.113.9 at x port 1";
    let budget = super::budget::Budget::of_line();
    assert_eq!(patterns[0].read(short, &budget).and_then(|found| found.address), Some("203.0.113.9"));
    assert!(budget.spent() < 16, "{}", budget.spent());
}
