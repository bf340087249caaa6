//! E-mail addresses, as people and programs write them: a dotted local part and a host name with a
//! top-level domain of letters (a subset of RFC 5321, section 4.1.2).

use super::Secret;
use super::text::Text;
use crate::entity::EntityType;

/// The longest local part (RFC 5321, section 4.5.3.1.1).
const LONGEST_LOCAL: usize = 64;
/// The longest domain (RFC 5321, section 4.5.3.1.2).
const LONGEST_DOMAIN: usize = 253;

/// Examines the address around the `@` at `at`.
pub(super) fn examine(text: &Text<'_>, at: usize) -> Option<Secret> {
    let run_start = text.run_back(at, LONGEST_LOCAL, is_local);
    let start =
        (run_start..at).find(|index| text.at(*index).is_ascii_alphanumeric() && text.begins_word(*index))?;
    let start = text.after_escape(start);
    let end = domain_end(text, at + 1)?;
    (start < at).then_some(Secret { start, end, entity: EntityType::Email })
}

/// End of the domain: at least two labels, the last one of two letters or more.
fn domain_end(text: &Text<'_>, domain: usize) -> Option<usize> {
    let run_end = text.run_at_most(domain, LONGEST_DOMAIN + 1, |byte| is_label(byte) || byte == b'.');
    let end = text.run_back(run_end, run_end - domain, |byte| byte == b'.' || byte == b'-');
    let name = text.slice(domain, end);
    if end - domain > LONGEST_DOMAIN || text.masked_at(run_end) || !name.contains(&b'.') {
        return None;
    }
    let labels = name.split(|byte| *byte == b'.');
    let top = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    let is_top = top.len() >= 2 && top.iter().all(u8::is_ascii_alphabetic);
    (is_top && labels.into_iter().all(|label| !label.is_empty())).then_some(end)
}

fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'-')
}

fn is_label(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}
