//! Text that is structure: JSON objects, Windows events in XML, audit records, CEF, LEEF, Heroku's router and
//! logfmt, told apart by their first bytes. Lines in a program's own wording are read in `program`.

use common::timestamp::Timestamp;

use super::reading::Reading;
use super::{auditd, cef, heroku, json, leef, logfmt, netfilter, program, xml};
use crate::record::Entries;

/// What a text holds whose format says what its names mean.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Structure<'t> {
    /// Everything, under the names of the format.
    pub(super) entries: Entries<'t>,
    /// What it comes to.
    pub(super) reading: Reading<'t>,
    /// When it happened.
    pub(super) time: Option<Timestamp>,
}

/// A text that is structure.
pub(super) enum Text<'t> {
    /// An object whose names its sender chose.
    Object(Entries<'t>),
    /// A record of a known format.
    Known(Structure<'t>),
}

/// Reads a text that `program` wrote, where it is known; `None` where it is not structure. Only JSON
/// and XML go on behind a line's end.
pub(super) fn read<'t>(program: Option<&str>, text: &'t str) -> Option<Text<'t>> {
    match text.as_bytes().first()? {
        b'{' => return json::entries(text).map(Text::Object),
        // Samba indents the messages of its log.
        b' ' if text.trim_start().starts_with('{') => return json::entries(text).map(Text::Object),
        b'@' => return json::entries(text.strip_prefix("@cee:")?).map(Text::Object),
        b'<' => return xml::element(text, "Event").map(|event| Text::Object(vec![event])),
        _ => {}
    }
    let line = program::first_line(text).trim_end();
    let line = if program == Some("kernel") { netfilter::after_uptime(line) } else { line };
    match line.as_bytes().first()? {
        b'C' if line.starts_with("CEF:") => cef::read(line).map(Text::Known),
        b'L' if line.starts_with("LEEF:") => leef::read(line).map(Text::Known),
        b't' | b'n' | b'a' if auditd::is_audit(line) => auditd::read(line).map(Text::Known),
        b'a' if program == Some("heroku") => heroku::read(line).map(Text::Known),
        b'A'..=b'Z' | b'a'..=b'z' | b'_' => logfmt::entries(line).map(Text::Object),
        _ => None,
    }
}
