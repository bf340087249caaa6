//! Values of sensitive names: `password=…`, JSON, YAML, query strings, environment, command lines, XML.
//! Which names are sensitive stands in [`super::name`], the grammar of values in [`super::value`].

use super::name::{LONGEST, Names};
use super::text::Text;
use super::value::{self, Place, Value};
use super::{Examined, Secret};
use crate::entity::EntityType;

/// A value that begins with an access key id of AWS is left to [`super::aws`].
const ACCESS_KEY_IDS: [&[u8]; 2] = [b"AKIA", b"ASIA"];
/// Session identifiers shorter than this are counters of an operating system, not credentials.
const SHORTEST_SESSION_ID: usize = 8;

/// A name in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The run of name characters around `at`, of which the last bytes count; none where the run goes on for
/// longer than a name behind `at`.
pub(super) fn name_around(text: &Text<'_>, at: usize) -> Option<Name> {
    let end = text.run_at_most(at, LONGEST + 1, is_name);
    let start = text.run_back(end, LONGEST, is_name);
    (end - at <= LONGEST).then_some(Name { start, end })
}

/// How many bytes at the start of a name belong to an escape sequence that runs into it.
pub(super) fn escape_length(text: &Text<'_>, name: Name) -> usize {
    [1, 2, 5]
        .into_iter()
        .find(|length| {
            let opens = match length {
                2 => text.before(name.start) == b'%',
                _ => text.before(name.start) == b'\\',
            };
            opens && name.start + length <= name.end && text.ends_escape(name.start + length)
        })
        .unwrap_or(0)
}

/// Examines the name around `at` and the value behind it.
pub(super) fn examine(text: &Text<'_>, at: usize, names: &Names) -> Option<Examined> {
    let name = name_around(text, at)?;
    let spelled = text.slice(name.start, name.end);
    let place = place(text, name)?;
    let entity = names.classify(spelled, escape_length(text, name))?;
    if value::begins_placeholder(text, place.at()) {
        return None;
    }
    let value = match place {
        Found::Value(place) => behind_separator(text, name, place)?,
        Found::Argument(at) => value::value(text, at),
        Found::Element(at) => element(text, at),
    };
    let counts = is_secret(spelled, text.slice(value.start, value.end));
    let secret = counts.then_some(Secret { start: value.start, end: value.end, entity });
    // What stands in a short value that is no secret may be a name itself: `session: token: …`.
    let reexamined = !counts && value.end - value.start <= LONGEST;
    Some(Examined { secret, resume: if reexamined { value.start } else { value.end } })
}

/// Whether a value may follow the name around `at`. Only what a match holds is looked at, so the answer is
/// no more than a guess where the text ends sooner, but never wrong where there is a match.
pub(super) fn may_follow(text: &Text<'_>, at: usize) -> bool {
    let end = text.run_at_most(at, LONGEST + 1, is_name);
    if text.at(end) == b'>' || value::separator_mark(text, end).is_some() {
        return true;
    }
    let dashed = || text.slice(text.run_back(at, LONGEST, is_name), at).contains(&b'-');
    value::is_blank(text.at(end)) && dashed()
}

/// Whether a header's name ends with the word at `at` and a value may follow.
pub(super) fn may_be_header(text: &Text<'_>, at: usize, word: &[u8]) -> bool {
    let end = at + word.len();
    !is_name(text.at(end)) && value::separator_mark(text, end).is_some()
}

/// The value behind a separator; none where what stands there is no value of this name: an object, the next
/// pair, prose, or the type in `service(module:type)` as PAM writes it.
fn behind_separator(text: &Text<'_>, name: Name, place: Place) -> Option<Value> {
    let opens_object = text.at(place.at) == b'{' && text.at(place.at + 1) != b'{';
    let in_brackets =
        place.colon && !place.loose && (text.before(name.start) == b'(' || text.masked_before(name.start));
    if opens_object || in_brackets || (place.loose && value::is_pair(text, place.at)) {
        return None;
    }
    let value = value::value(text, place.at);
    let prose = place.colon && place.loose && !value.quoted && value::is_prose(text, value);
    (!prose).then_some(value)
}

/// Where the value of a name stands.
#[derive(Clone, Copy, Debug)]
enum Found {
    /// Behind a separator.
    Value(Place),
    /// Behind a blank, as the argument of a command-line option.
    Argument(usize),
    /// Between the tags of an XML element.
    Element(usize),
}

impl Found {
    /// Where the value, or its quote, begins.
    fn at(self) -> usize {
        match self {
            Self::Value(place) => place.at,
            Self::Argument(at) | Self::Element(at) => at,
        }
    }
}

fn place(text: &Text<'_>, name: Name) -> Option<Found> {
    if let Some(place) = value::separator(text, name.end) {
        return Some(Found::Value(place));
    }
    if text.at(name.end) == b'>' && matches!(text.before(name.start), b'<' | b':') {
        return Some(Found::Element(name.end + 1));
    }
    let before = text.before(name.start);
    let begins = before <= b' ' || matches!(before, b'"' | b'\'' | b'`');
    let is_option = begins && text.at(name.start) == b'-';
    let argument = text.run_at_most(name.end, 4, value::is_blank);
    (is_option && argument > name.end && text.at(argument) != b'-').then_some(Found::Argument(argument))
}

/// The text of an XML element: up to the next tag, in one line.
fn element(text: &Text<'_>, start: usize) -> Value {
    let end = text.run(start, |byte| byte != b'<' && value::is_unquoted(byte));
    Value { start, end, quoted: false }
}

fn is_secret(name: &[u8], value: &[u8]) -> bool {
    let is_session = name.to_ascii_lowercase().windows(4).any(|part| part == b"sess");
    let identifier = value.get(..20).is_some_and(|id| {
        ACCESS_KEY_IDS.iter().any(|prefix| id.starts_with(prefix))
            && id.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    });
    let shortest = if is_session { SHORTEST_SESSION_ID } else { 1 };
    value.len() >= shortest && !identifier && !value::is_placeholder(value)
}

pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The types that pairs can yield.
pub(super) const ENTITIES: [EntityType; 2] = [EntityType::Password, EntityType::Secret];
