//! Hashes of passwords in the forms of `crypt` and of PHC strings: `$6$salt$hash`, `$2b$12$…`, `$apr1$…`,
//! `$argon2id$v=19$m=…$salt$hash`. The algorithm stays readable.

use super::text::Text;
use super::{Examined, Secret};
use crate::entity::EntityType;

/// The beginnings, in lower case.
pub(super) const BEGINNINGS: [&str; 14] = [
    "$1$", "$5$", "$6$", "$7$", "$y$", "$gy$", "$2a$", "$2b$", "$2x$", "$2y$", "$apr1$", "$argon2",
    "$pbkdf2", "$scrypt$",
];
/// The shortest hash: that of MD5 has 22 bytes, in the alphabet of `crypt`.
const SHORTEST: usize = 22;
/// Fields between the name of the algorithm and the hash, at most: type, version, parameters, salt.
const MOST_FIELDS: usize = 5;

/// Examines a hash whose form is named at `at`, in `length` bytes.
pub(super) fn examine(text: &Text<'_>, at: usize, length: usize) -> Option<Examined> {
    // `Handler$1$…` is the name of a class, not of an algorithm.
    if !text.begins_word(at) {
        return None;
    }
    let start = at + length;
    let mut field = start;
    for _ in 0..MOST_FIELDS {
        let end = field_end(text, field);
        if text.at(end) == b'$' {
            field = end + 1;
            continue;
        }
        let end = text.run_back(end, end - field, |byte| matches!(byte, b'.' | b',' | b'-')).max(field);
        let is_hash = field > start && end - field >= SHORTEST;
        return is_hash.then_some(Examined {
            secret: Some(Secret { start, end, entity: EntityType::Password }),
            resume: end,
        });
    }
    None
}

/// Whether as many bytes as the shortest hash has may belong to fields behind the name at `at`.
pub(super) fn may_begin(text: &Text<'_>, at: usize, length: usize) -> bool {
    let start = at + length;
    text.run_at_most(start, SHORTEST, |byte| is_field(byte) || matches!(byte, b'$' | b','))
        == start + SHORTEST
}

/// Fields of parameters hold commas, others do not.
fn field_end(text: &Text<'_>, start: usize) -> usize {
    let end = text.run(start, is_field);
    let parameters = text.at(end) == b',' && text.slice(start, end).contains(&b'=');
    let longer = if parameters { text.run(start, |byte| is_field(byte) || byte == b',') } else { end };
    if text.at(longer) == b'$' { longer } else { end }
}

fn is_field(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/' | b'+' | b'=' | b'_' | b'-')
}
