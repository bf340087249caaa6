//! Passwords in URLs (RFC 3986, section 3.2.1): only the password is masked, the user and host stay.

use super::Secret;
use super::text::Text;
use super::value;
use crate::entity::EntityType;

/// Examines the authority behind a `://` at `at`. The last `@` ends the user information, as programs that
/// accept an unescaped `@` in passwords read it.
pub(super) fn examine(text: &Text<'_>, at: usize) -> Option<Secret> {
    if !text.before(at).is_ascii_alphanumeric() {
        return None;
    }
    let authority = at + b"://".len();
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

fn is_authority(byte: u8) -> bool {
    byte > b' ' && byte != 0x7f && !matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'\\')
}
