//! Passwords in URLs (RFC 3986, section 3.2.1): only the password is masked, the user and host stay.

use super::Secret;
use super::text::Text;
use super::value;
use crate::entity::EntityType;

/// Separators of the scheme and the authority; JSON may escape slashes.
pub(super) const MARKS: [&[u8]; 2] = [b"://", br":\/\/"];

/// Examines the authority at `authority`, behind the scheme that ends at `at`. The last `@` ends the user information, as programs that
/// accept an unescaped `@` in passwords read it.
pub(super) fn examine(text: &Text<'_>, at: usize, authority: usize) -> Option<Secret> {
    if !text.before(at).is_ascii_alphanumeric() {
        return None;
    }
    let authority_end = text.run(authority, is_authority);
    let user_end = text.run(authority, |byte| is_authority(byte) && byte != b':' && byte != b'@');
    if text.at(user_end) != b':' {
        return None;
    }
    let start = user_end + 1;
    let after_last_at = text.run_back(authority_end, authority_end - start, |byte| byte != b'@');
    let end = after_last_at.checked_sub(1)?;
    let found = end > start && text.at(end) == b'@' && !value::holds_mask(text.slice(start, end));
    found.then_some(Secret { start, end, entity: EntityType::Password })
}

/// Longest text before an `@` searched for the authority's start; a longer one is assumed.
const LONGEST_LOOK_BACK: usize = 128;

/// Whether the `@` at `at` may be in the authority of a URL, with a `:` before it.
pub(super) fn may_end_password(text: &Text<'_>, at: usize) -> bool {
    let start = text.run_back(at, LONGEST_LOOK_BACK, is_authority);
    let begins = start + LONGEST_LOOK_BACK == at
        || MARKS.iter().any(|mark| start.checked_sub(mark.len()).is_some_and(|at| text.has(at, mark)));
    begins && text.slice(start, at).contains(&b':')
}

fn is_authority(byte: u8) -> bool {
    byte > b' ' && byte != 0x7f && !matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'\\')
}
