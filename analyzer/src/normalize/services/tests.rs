//! Lines of services: those of their documentation, those with an address in a place that a client chose, and lines that
//! look like a failed login and are none.

use crate::normalize::program;

fn fields(name: Option<&str>, line: &str) -> [Option<String>; 3] {
    let reading = program::read(name, line);
    ["event.action", "client.address", "user.name"].map(|name| {
        let (_, value) = reading.fields.iter().find(|(own, _)| *own == name)?;
        value.to_text().map(|text| text.into_owned())
    })
}

/// Lines of the tables of lines: `program | action | address | user | line`, `-` for none.
const LINES: [&str; 3] =
    [include_str!("lines.txt"), include_str!("lines_access.txt"), include_str!("lines_applications.txt")];

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
