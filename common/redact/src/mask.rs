//! Taking matches out of a text: in place with the length kept, or with placeholders for people. Matches
//! come from [`crate::find`].

use crate::entity::{EntityType, Match};
use crate::find::reference::is_reference;
use crate::find::value::is_masked;

/// Overwrites each match; the length and the validity of UTF-8 stay. Matches outside of the text are ignored.
pub(crate) fn mask(text: &mut [u8], matches: &[Match]) {
    for found in matches {
        if let Some(secret) = text.get_mut(found.start..found.end) {
            overwrite(secret, found.entity);
        }
    }
}

/// Overwrites a whole value, unless it is masked already or names a secret in a secret store; returns whether it did.
pub(crate) fn mask_value(text: &mut [u8]) -> bool {
    let after_placeholder = text.iter().rposition(|byte| *byte == b'>').map_or(0, |end| end + 1);
    let filled = text.iter().skip(after_placeholder).all(|byte| *byte == b'*');
    let is_plain = (filled && is_masked(text)) || is_reference(text);
    if !is_plain {
        overwrite(text, EntityType::Secret);
    }
    !is_plain
}

/// The placeholder where it fits, padded with asterisks, else only asterisks.
fn overwrite(secret: &mut [u8], entity: EntityType) {
    let placeholder = entity.placeholder().as_bytes();
    secret.fill(b'*');
    if let Some(head) = secret.get_mut(..placeholder.len()) {
        head.copy_from_slice(placeholder);
    }
}

/// Puts the placeholder in place of each match.
pub(crate) fn replace(text: &str, matches: &[Match]) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut at = 0;
    for found in matches {
        let start = text.floor_char_boundary(found.start);
        replaced.push_str(text.get(at..start).unwrap_or_default());
        replaced.push_str(found.entity.placeholder());
        at = text.ceil_char_boundary(found.end);
    }
    replaced.push_str(text.get(at..).unwrap_or_default());
    replaced
}
