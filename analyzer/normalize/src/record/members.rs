//! Records that hold several: a CloudTrail file or an Azure delivery in one record, the lists a Kubernetes
//! API server posts, and messages of CloudWatch Logs to its subscribers. Finds the members only; they are read as records.

use super::message_field;
use super::wire::{Fields, Wire, first_message};

/// One of the records inside an envelope.
#[derive(Clone, Copy, Debug)]
pub(super) enum Member<'a> {
    /// An `AnyValue`, as it stands in the payload.
    Wire(&'a [u8]),
    /// A JSON object, as it stands in the text.
    Text(&'a str),
}

/// The members of an envelope, in order.
#[derive(Clone, Debug)]
pub(super) enum Members<'a> {
    /// The values of an `ArrayValue`.
    Wire(Fields<'a>),
    /// A JSON array of objects, behind its bracket, known to be well-formed as far as nesting goes.
    Text(&'a str),
}

/// Envelopes have few members beside the list itself; a record with more is none. CloudWatch Logs writes six beside it,
/// one of them (`policyLevel`) for subscriptions of a whole account.
const MOST_SIBLINGS: usize = 7;
/// An envelope's list begins this early in a text.
const OPENING_BYTES: usize = 256;
/// That of CloudWatch Logs comes last, behind the names of group and stream, of up to 512 characters each.
const SUBSCRIPTION_BYTES: usize = 4096;

// Field numbers of opentelemetry/proto/common/v1.
const STRING: u32 = 1;
const ARRAY: u32 = 5;
const MAP: u32 = 6;
const MEMBERS: u32 = 1;
const KEY: u32 = 1;
const VALUE: u32 = 2;

/// The members of a body (an `AnyValue`), where it is an envelope.
pub(super) fn of(body: &[u8]) -> Option<Members<'_>> {
    if let Some((map, _)) = first_message(body, MAP) {
        return of_map(map);
    }
    match Fields::new(body).next()? {
        (MAP, Wire::Bytes(map)) => of_map(map),
        (STRING, Wire::Bytes(text)) => of_text(text),
        _ => None,
    }
}

/// Whether a list of this name in an object of this kind is its content.
fn is_list_of_records(name: &[u8], kind: Option<&[u8]>) -> bool {
    match name {
        b"Records" | b"records" | b"logEvents" => true,
        b"items" => kind == Some(b"EventList"),
        _ => false,
    }
}

fn of_map(map: &[u8]) -> Option<Members<'_>> {
    let (mut kind, mut list, mut items, mut message) = (None, None, None, None);
    let mut entries = Fields::new(map);
    // Counting is cheap, and rules out most records.
    let mut counted = entries.clone();
    if (0..=MOST_SIBLINGS).all(|_| counted.next_message(MEMBERS).is_some()) {
        return None;
    }
    while let Some(entry) = entries.next_message(MEMBERS) {
        let key = Fields::new(entry).next_message(KEY).unwrap_or_default();
        if !matches!(key, b"kind" | b"items" | b"message") && !is_list_of_records(key, None) {
            continue;
        }
        let value = Fields::new(entry).next_message(VALUE).unwrap_or_default();
        let Some((number, Wire::Bytes(bytes))) = Fields::new(value).next() else { continue };
        match number {
            STRING if key == b"kind" => kind = Some(bytes),
            STRING if key == b"message" => message = Some(bytes),
            ARRAY if is_list_of_records(key, None) => list = Some(bytes),
            ARRAY if key == b"items" => items = Some(bytes),
            _ => {}
        }
    }
    let Some(values) = list.or_else(|| items.filter(|_| is_list_of_records(b"items", kind))) else {
        // A shipper's record whose message is the envelope as text.
        return of_text(message?);
    };
    let members = Members::Wire(Fields::new(values));
    let only_maps = members.clone().all(|member| match member {
        Member::Wire(value) => matches!(Fields::new(value).next(), Some((MAP, Wire::Bytes(_)))),
        Member::Text(_) => false,
    });
    only_maps.then_some(members)
}

fn of_text(text: &[u8]) -> Option<Members<'_>> {
    let start = text.iter().take(OPENING_BYTES).position(|byte| !byte.is_ascii_whitespace())?;
    if text.get(start) != Some(&b'{') {
        return None;
    }
    let opening = text.get(start + 1..)?;
    let list = list_at_start(opening).or_else(|| list_of_subscription(opening))?;
    let list = std::str::from_utf8(list).ok()?;
    ends_properly(list).then_some(Members::Text(list))
}

/// Behind its bracket, the list that an object begins with, or has behind few words.
fn list_at_start(opening: &[u8]) -> Option<&[u8]> {
    let bracket = memchr::memchr(b'[', &opening[..opening.len().min(OPENING_BYTES)])?;
    let before = opening.get(..bracket)?.trim_ascii_end().strip_suffix(b":")?.trim_ascii();
    let (siblings, name) = match before.iter().rposition(|byte| *byte == b',') {
        Some(comma) => (&before[..comma], before[comma + 1..].trim_ascii()),
        None => (&before[..0], before),
    };
    let name = name.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let kind = b"\"EventList\"";
    let kind = siblings.windows(kind.len()).any(|window| window == kind).then_some(b"EventList".as_slice());
    if is_list_of_records(name, kind) { opening.get(bracket + 1..) } else { None }
}

/// Behind its bracket, the list in a message of CloudWatch Logs to subscribers. In a text inside the object
/// the name would be written with backslashes.
fn list_of_subscription(opening: &[u8]) -> Option<&[u8]> {
    const NAME: &[u8] = b"\"logEvents\"";
    /// Other objects are not searched.
    const FIRST_NAMES: [&[u8]; 7] = [
        b"\"messageType\"",
        b"\"owner\"",
        b"\"logGroup\"",
        b"\"logStream\"",
        b"\"subscriptionFilters\"",
        b"\"policyLevel\"",
        NAME,
    ];
    let first = opening.trim_ascii_start();
    if !FIRST_NAMES.iter().any(|name| first.starts_with(name)) {
        return None;
    }
    let at = memchr::memmem::find(&opening[..opening.len().min(SUBSCRIPTION_BYTES)], NAME)?;
    let (before, _) = opening.split_at_checked(at)?;
    // The name of a member of the object itself: group, stream and filters have no braces in their names.
    let is_own = before.trim_ascii_end().last().is_none_or(|last| *last == b',');
    if !is_own || memchr::memchr2(b'{', b'}', before).is_some() {
        return None;
    }
    let behind = opening.get(at + NAME.len()..)?.trim_ascii_start().strip_prefix(b":")?;
    behind.trim_ascii_start().strip_prefix(b"[")
}

/// Whether a list, behind its bracket, holds objects alone and is closed, as is the object it is in.
fn ends_properly(list: &str) -> bool {
    let mut rest = list;
    while let Some((_, behind)) = next_object(rest) {
        rest = behind;
    }
    let behind = rest.trim_start().strip_prefix(']').map(str::trim);
    behind.is_some_and(|behind| behind == "}" || (behind.starts_with(',') && behind.ends_with('}')))
}

/// The object that a list goes on with, and the text behind it and its comma.
fn next_object(rest: &str) -> Option<(&str, &str)> {
    let rest = rest.trim_start();
    if !rest.starts_with('{') {
        return None;
    }
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let behind = rest[at + 1..].trim_start();
            let behind = match behind.strip_prefix(',') {
                Some(next) if next.trim_start().starts_with('{') => next,
                _ => behind,
            };
            return Some((&rest[..=at], behind));
        }
    }
    None
}

impl<'a> Iterator for Members<'a> {
    type Item = Member<'a>;

    fn next(&mut self) -> Option<Member<'a>> {
        match self {
            Self::Wire(values) => values.next_message(MEMBERS).map(Member::Wire),
            Self::Text(rest) => {
                let (object, behind) = next_object(rest)?;
                *rest = behind;
                Some(Member::Text(object))
            }
        }
    }
}

impl<'a> Member<'a> {
    /// The `AnyValue` in the payload; none for text.
    pub(super) fn wire(self) -> Option<&'a [u8]> {
        match self {
            Self::Wire(value) => Some(value),
            Self::Text(_) => None,
        }
    }

    /// An `AnyValue` that holds the member.
    pub(super) fn any_value(self) -> Vec<u8> {
        match self {
            Self::Wire(value) => value.to_vec(),
            Self::Text(text) => message_field(STRING, text.as_bytes()),
        }
    }
}
