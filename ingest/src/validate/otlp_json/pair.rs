//! Key-value pairs as most of them are written: a text, in the usual order, without whitespace or escapes. Every other
//! pair is the business of the walk that the schema drives.

use super::super::json::Cursor;
use super::super::output::Output;
use super::super::schema::Key;

/// Passes on the pair at the cursor as the field `key`, if it is one of these; if not, the cursor is unchanged.
#[inline]
pub(super) fn text_pair(key: Key, cursor: &mut Cursor<'_>, output: &mut Output) -> bool {
    let start = cursor.position();
    // The empty name is left out, as a protobuf sender would.
    let Some((name, text)) = plain_pair(cursor).filter(|(name, _)| !name.is_empty()) else {
        cursor.go_back(start);
        return false;
    };
    output.text_pair(key, name, text);
    true
}

/// Reads a name and a text; may have read a part of them if there is something else.
#[inline]
fn plain_pair<'a>(cursor: &mut Cursor<'a>) -> Option<(&'a [u8], &'a [u8])> {
    cursor.take(br#"{"key":""#).then_some(())?;
    let name = cursor.rest_of_plain()?;
    cursor.take(br#","value":{"stringValue":""#).then_some(())?;
    let text = cursor.rest_of_plain()?;
    cursor.take(b"}}").then_some((name, text))
}
