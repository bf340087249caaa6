//! Text that is structure: JSON objects, Windows events in XML, audit records, CEF, LEEF, Heroku's router and
//! logfmt, distinguished by their first bytes. Lines in a program's own wording are read in `program`.

use super::content::Content;
use super::format::Format;
use super::reading::Structure;
use super::{auditd, cef, heroku, json, leef, logfmt, netfilter, pairs, xml};
use crate::record::Entries;

/// Most bytes of a tag and the version behind it.
const TAG: usize = 80;

/// A text that is structure.
pub(super) enum Text<'t> {
    /// An object whose names its sender chose.
    Object(Entries<'t>),
    /// Such an object that was written as pairs with marks between them.
    Pairs(Entries<'t>),
    /// A record of a known format.
    Known(Format, Structure<'t>),
}

/// Reads a text that `program` wrote, where it is known; `None` if it is not structure. Only JSON
/// and XML go on behind a line's end.
pub(super) fn read<'t>(program: Option<&str>, content: &Content<'t>) -> Option<Text<'t>> {
    let text = content.text;
    match text.as_bytes().first()? {
        b'{' => return json::entries(text).map(Text::Object),
        // Samba indents the messages of its log.
        b' ' if text.trim_start().starts_with('{') => return json::entries(text).map(Text::Object),
        b'@' => return json::entries(text.strip_prefix("@cee:")?).map(Text::Object),
        b'<' => {
            let event = xml::element(text, "Event").map(|event| Text::Object(vec![event]));
            return event.or_else(|| xml::document(text).map(Text::Object));
        }
        _ => {}
    }
    let line = content.first_line().trim_end();
    let line = if program == Some("kernel") { netfilter::after_uptime(line) } else { line };
    match line.as_bytes().first()? {
        // Some leave a space behind the name, which then looks like a tag.
        b'0'..=b'9' if program == Some("CEF") => {
            cef::behind_name(line).map(|read| Text::Known(Format::CEF, read))
        }
        b'C' if line.starts_with("CEF:") => cef::read(line).map(|read| Text::Known(Format::CEF, read)),
        b'L' if line.starts_with("LEEF:") => leef::read(line).map(|read| Text::Known(Format::LEEF, read)),
        b't' | b'n' | b'a' if auditd::is_audit(line) => {
            auditd::read(line).map(|read| Text::Known(Format::AUDITD, read))
        }
        b'a' if program == Some("heroku") => heroku::read(line).map(|read| Text::Known(Format::HEROKU, read)),
        b'A'..=b'Z' | b'a'..=b'z' | b'_' => {
            if let Some((format, read)) = behind_tag(line) {
                return Some(Text::Known(format, read));
            }
            // Pairs have a sign.
            memchr::memchr(b'=', line.as_bytes())?;
            logfmt::entries(line).map(Text::Object).or_else(|| pairs::entries(line).map(Text::Pairs))
        }
        b'"' | b'[' => pairs::entries(line).map(Text::Pairs),
        _ => None,
    }
}

/// CEF or LEEF behind a word that no colon makes a tag of.
fn behind_tag(line: &str) -> Option<(Format, Structure<'_>)> {
    let window = line.as_bytes().get(..TAG).unwrap_or(line.as_bytes());
    let bar = memchr::memchr(b'|', window)?;
    let before = line.get(..bar)?;
    if let Some(at) = before.rfind("CEF:") {
        return Some((Format::CEF, cef::read(line.get(at..)?)?));
    }
    Some((Format::LEEF, leef::read(line.get(before.rfind("LEEF:")?..)?)?))
}
