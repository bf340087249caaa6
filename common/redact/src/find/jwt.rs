//! JSON Web Tokens: signed (RFC 7515) with two or three parts, encrypted (RFC 7516) with five.

use super::text::Text;
use super::token::is_word;
use super::{Examined, Secret};
use crate::entity::EntityType;

/// The shortest header and payload in base64url: `{"alg":"none"}` takes 19 bytes, `{"sub":"1"}` 15.
const SHORTEST_PART: usize = 12;
/// The parts behind the payload: a signature, or the three others of an encrypted token.
const MOST_FURTHER_PARTS: usize = 3;

/// Starts of a header: `{"` and the first letter of a registered header parameter (RFC 7515, 7516) in base64.
pub(super) const BEGINNINGS: [&str; 9] =
    ["eyJh", "eyJ0", "eyJr", "eyJ4", "eyJl", "eyJj", "eyJq", "eyJ6", "eyJp"];

/// Examines a token that may begin at `at`. One that is cut off behind its payload counts.
pub(super) fn examine(text: &Text<'_>, at: usize) -> Option<Examined> {
    let begins = BEGINNINGS.iter().any(|beginning| text.has(at, beginning.as_bytes()));
    if !begins || !text.begins_word(at) {
        return None;
    }
    let header_end = text.run(at, is_word);
    if header_end - at < SHORTEST_PART || text.at(header_end) != b'.' {
        return Some(Examined { secret: None, resume: header_end });
    }
    let mut end = text.run(header_end + 1, is_word);
    if end - header_end - 1 < SHORTEST_PART {
        return Some(Examined { secret: None, resume: header_end });
    }
    for _ in 0..MOST_FURTHER_PARTS {
        let part_end = text.run(end + 1, is_word);
        if text.at(end) != b'.' || part_end == end + 1 {
            break;
        }
        end = part_end;
    }
    Some(Examined { secret: Some(Secret { start: at, end, entity: EntityType::Jwt }), resume: end })
}

/// Whether as much of a header as the shortest has begins at `at`.
pub(super) fn may_begin(text: &Text<'_>, at: usize) -> bool {
    let begins = BEGINNINGS.iter().any(|beginning| text.has(at, beginning.as_bytes()));
    begins && text.run_at_most(at, SHORTEST_PART, is_word) == at + SHORTEST_PART
}
