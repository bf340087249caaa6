//! Values of sensitive names: `password=…`, JSON, YAML, query strings, environment, command lines, XML.
//! Which names are sensitive stands in [`super::name`], the grammar of values in [`super::value`].

use super::name::{LONGEST, Names};
use super::text::Text;
use super::value::{self, Value, ValueStart};
use super::{Examined, Secret, argument, bare, encoded, listed, reference, sql};
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

/// Number of bytes at the start of a name that belong to an escape sequence before it.
pub(super) fn escape_length(text: &Text<'_>, name: Name) -> usize {
    // A percent sign may be encoded itself.
    if text.before(name.start) == b'%' && text.has(name.start, b"25") {
        let is_encoded = text.slice(name.start + 2, name.start + 4).iter().all(u8::is_ascii_hexdigit);
        if is_encoded && name.start + 4 <= name.end {
            return 4;
        }
    }
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
    let Some(place) = place(text, name) else { return unjoined(text, name, names) };
    let escape = escape_length(text, name);
    let Some(entity) = names.classify(spelled, escape) else { return bare_pass(text, name, escape, place) };
    if value::begins_placeholder(text, place.at()) || reference::precedes_name(text, name) {
        return None;
    }
    let value = match place {
        Found::Value(place) => behind_separator(text, name, place)?,
        Found::Argument(at) => value::value(text, at),
        Found::Element(at) => element(text, at),
    };
    if is_directory(text, name, value) {
        return Some(Examined::refused(value));
    }
    Some(examined(text, spelled, value, entity))
}

/// Whether the value is the working directory of a shell or of sudo, not a password of ODBC.
fn is_directory(text: &Text<'_>, name: Name, value: Value) -> bool {
    /// Directories; passwords stand under a name in small letters, too.
    const ROOTS: [&[u8]; 12] = [
        b"/home/", b"/root", b"/usr/", b"/opt/", b"/srv/", b"/var/", b"/tmp", b"/etc/", b"/app", b"/data",
        b"/mnt/", b"/Users/",
    ];
    if text.before(name.start) == b';' {
        return false;
    }
    match text.slice(name.start, name.end) {
        b"PWD" | b"OLDPWD" => matches!(text.at(value.start), b'/' | b'~'),
        b"pwd" => ROOTS.iter().any(|root| text.has(value.start, root)),
        _ => false,
    }
}

fn examined(text: &Text<'_>, spelled: &[u8], value: Value, entity: EntityType) -> Examined {
    if !is_secret(spelled, text.slice(value.start, value.end)) {
        // A short value that is no secret may be a name itself: `session: token: …`.
        return Examined::refused(value);
    }
    let secret = Some(Secret { start: value.start, end: value.end, entity });
    Examined { secret, resume: value.end }
}

/// Examines a name that no separator joins to a value: it is percent-encoded, a value itself, or a keyword.
fn unjoined(text: &Text<'_>, name: Name, names: &Names) -> Option<Examined> {
    let spelled = text.slice(name.start, name.end);
    let entity = names.classify(spelled, escape_length(text, name))?;
    let value = encoded::value_behind(text, name.end).or_else(|| listed::value_of(text, name));
    let value = value.or_else(|| if sql::may_follow(text, name) { sql::password(text, name) } else { None });
    let value =
        value.or_else(|| if bare::may_be_netrc(text, name) { bare::netrc(text, name) } else { None })?;
    let hides_nothing = value::begins_placeholder(text, value.start)
        || is_directory(text, name, value)
        || value::holds_mask(text.slice(value.start, value.end));
    let Examined { secret, resume } =
        if hides_nothing { Examined::refused(value) } else { examined(text, spelled, value, entity) };
    Some(Examined { secret, resume: resume.max(name.end) })
}

/// Examines the name `pass`, which is an ordinary word.
fn bare_pass(text: &Text<'_>, name: Name, escape: usize, place: Found) -> Option<Examined> {
    if !bare::is_pass(text.slice(name.start + escape, name.end))
        || value::begins_placeholder(text, place.at())
    {
        return None;
    }
    let (value, is_colon) = match place {
        Found::Value(place) => (behind_separator(text, name, place)?, place.colon),
        Found::Argument(_) => return None,
        Found::Element(at) => (element(text, at), false),
    };
    if !bare::is_password(text, name, value, is_colon) {
        return Some(Examined::refused(value));
    }
    Some(examined(text, b"pass", bare::within_angles(text, value), EntityType::Password))
}

/// Whether a value may follow the name around `at`. Only bytes of a match are looked at, so the answer is
/// no more than a guess where the text ends sooner, but never wrong where there is a match.
pub(super) fn may_follow(text: &Text<'_>, at: usize) -> bool {
    let end = text.run_at_most(at, LONGEST + 1, is_name);
    if text.at(end) == b'>' || value::separator_mark(text, end).is_some() {
        return true;
    }
    let name = Name { start: text.run_back(at, LONGEST, is_name), end };
    match text.at(end) {
        b'%' | b'&' => encoded::may_follow(text, end),
        b' ' | b'\t' => {
            let dashed = || text.slice(name.start, at).contains(&b'-');
            dashed()
                || sql::may_follow(text, name)
                || bare::may_be_netrc(text, name)
                || listed::may_be_named(text, name)
        }
        // In a payload the next argument may be a text of its own, and before a long option its length a letter.
        byte @ ..=b' ' if text.slice(name.start, name.start + 2).contains(&b'-') => {
            byte != 0 || end < text.len()
        }
        b'\n' | b'\r' => bare::may_be_netrc(text, name) || listed::may_be_named(text, name),
        b'"' | b'\'' | b'`' | b'\\' | b',' => {
            // Before an option at the start of a text its length may be a letter.
            let is_option =
                || text.slice(name.start, at).contains(&b'-') && argument::next_start(text, end).is_some();
            is_option() || encoded::may_follow(text, end) || listed::may_be_named(text, name)
        }
        b'(' => sql::may_follow(text, name),
        _ => listed::may_be_named(text, name),
    }
}

/// Whether a header's name ends with the word at `at` and a value may follow.
pub(super) fn may_be_header(text: &Text<'_>, at: usize, word: &[u8]) -> bool {
    let end = at + word.len();
    !is_name(text.at(end)) && value::separator_mark(text, end).is_some()
}

/// The value behind a separator; none if the text there is no value of this name: an object, the next
/// pair, prose, or the type in `service(module:type)` as PAM writes it.
fn behind_separator(text: &Text<'_>, name: Name, place: ValueStart) -> Option<Value> {
    let opens_object = text.at(place.at) == b'{' && text.at(place.at + 1) != b'{';
    let in_brackets =
        place.colon && !place.loose && (text.before(name.start) == b'(' || text.masked_before(name.start));
    if opens_object || in_brackets || (place.loose && value::is_pair(text, place.at)) {
        return None;
    }
    // A string of T-SQL in the letters of its locale.
    let national = usize::from(text.has(place.at, b"N'"));
    let value = value::value(text, place.at + national);
    let prose = place.colon && place.loose && !value.quoted && value::is_prose(text, value);
    (!prose).then_some(value)
}

/// Place of a name's value.
#[derive(Clone, Copy, Debug)]
enum Found {
    /// Behind a separator.
    Value(ValueStart),
    /// Behind a blank, as the argument of a command-line option.
    Argument(usize),
    /// Between the tags of an XML element.
    Element(usize),
}

impl Found {
    /// Start of the value, or of its quote.
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
    if !is_option {
        return None;
    }
    let argument = text.run_at_most(name.end, 4, value::is_blank);
    if argument > name.end && text.at(argument) != b',' {
        return (text.at(argument) != b'-').then_some(Found::Argument(argument));
    }
    let listed = argument::next_start(text, name.end)?;
    let start = value::quote(text, listed).map_or(listed, |(start, ..)| start);
    (text.at(start) != b'-').then_some(Found::Argument(listed))
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
    value.len() >= shortest && !identifier && !value::is_placeholder(value) && !reference::is_reference(value)
}

pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The types that pairs can yield.
pub(super) const ENTITIES: [EntityType; 2] = [EntityType::Password, EntityType::Secret];
