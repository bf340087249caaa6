//! Values in `Cookie` and `Set-Cookie` headers (RFC 6265): names and attributes stay readable.

use super::pair::{Name, is_name, may_be_header, name_around};
use super::text::Text;
use super::value::{self, Value};
use super::{Examined, Secret, listed};
use crate::entity::EntityType;

/// Attributes of `Set-Cookie` (RFC 6265, section 4.1, and additions of browsers).
const ATTRIBUTES: [&[u8]; 9] =
    [b"path", b"domain", b"expires", b"max-age", b"samesite", b"version", b"priority", b"comment", b"port"];
/// The longest cookie name that is read.
const LONGEST_NAME: usize = 256;

/// Examines the header name around `at`; hands out each value in the list behind it.
pub(super) fn examine(text: &Text<'_>, at: usize, mut found: impl FnMut(Secret)) -> Option<Examined> {
    let name = name_around(text, at)?;
    let spelled = text.slice(name.start, name.end).to_ascii_lowercase();
    if !spelled.ends_with(b"cookie") {
        return None;
    }
    let sets = spelled.ends_with(b"set-cookie") || spelled.ends_with(b"set_cookie");
    let whole = match value::separator(text, name.end) {
        Some(place) => value::value(text, place.at),
        None => listed::value_of(text, name)?,
    };
    let limit = if whole.quoted { whole.end } else { text.len() };
    let mut at = whole.start;
    let mut first = true;
    while at < limit {
        let Some(crumb) = crumb(text, at, limit, sets && !first) else { break };
        first = false;
        if let Some(value) = crumb.value.filter(|value| hides(text, *value)) {
            found(Secret { start: value.start, end: value.end, entity: EntityType::Cookie });
        }
        at = crumb.end;
        if at >= limit || text.at(at) != b';' {
            break;
        }
        at = text.run_at_most(at + 1, 4, value::is_blank).min(limit);
    }
    Some(Examined { secret: None, resume: if whole.quoted { limit } else { at } })
}

/// Whether a value may follow the word `cookie` at `at`.
pub(super) fn may_begin(text: &Text<'_>, at: usize) -> bool {
    let word = b"cookie";
    let start = text.run_back(at, b"set-".len(), is_name);
    may_be_header(text, at, word) || listed::may_be_named(text, Name { start, end: at + word.len() })
}

/// One `name=value`, or an attribute.
struct Crumb {
    value: Option<Value>,
    /// Expected place of the `;`.
    end: usize,
}

fn crumb(text: &Text<'_>, start: usize, limit: usize, may_be_attribute: bool) -> Option<Crumb> {
    let name_end = text.run_at_most(start, LONGEST_NAME.min(limit - start), is_cookie_name);
    // Masked text need not have been a name: it takes the place of blanks, too, and the text behind it
    // would only now be a value.
    if name_end == start || value::holds_asterisks(text.slice(start, name_end)) {
        return None;
    }
    let name = text.slice(start, name_end).to_ascii_lowercase();
    if may_be_attribute && ATTRIBUTES.contains(&name.as_slice()) {
        let end =
            text.run_at_most(name_end, limit - name_end, |byte| byte != b';' && is_attribute_value(byte));
        return Some(Crumb { value: None, end });
    }
    if name_end >= limit || text.at(name_end) != b'=' {
        return Some(Crumb { value: None, end: name_end });
    }
    let mut value = value::value(text, name_end + 1);
    if !value.quoted {
        value.end = cookie_value_end(text, value.start);
    }
    value.end = value.end.min(limit);
    let after_quote = if value.quoted { quote_end(text, value.end) } else { value.end };
    Some(Crumb { value: Some(value).filter(|value| value.start < value.end), end: after_quote.min(limit) })
}

/// Behind the quote, with its backslashes, that closes a value.
fn quote_end(text: &Text<'_>, at: usize) -> usize {
    let mark = text.run_at_most(at, 8, |byte| byte == b'\\');
    if matches!(text.at(mark), b'"' | b'\'' | b'`') { mark + 1 } else { at }
}

/// Values may hold `&`, `)`, `]` and `}`, unlike other values without quotes.
fn cookie_value_end(text: &Text<'_>, start: usize) -> usize {
    let mut at = start;
    loop {
        at = value::unquoted_end(text, at);
        if !matches!(text.at(at), b'&' | b')' | b']' | b'}') {
            return at;
        }
        at += 1;
    }
}

fn hides(text: &Text<'_>, value: Value) -> bool {
    !value::is_placeholder(text.slice(value.start, value.end))
}

fn is_cookie_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'-' | b'.' | b'!' | b'$' | b'%' | b'*' | b'+' | b'~' | b'|')
}

fn is_attribute_value(byte: u8) -> bool {
    byte >= b' ' && !matches!(byte, b'"' | b'\'' | b'\\')
}
