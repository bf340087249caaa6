//! Values of the keys `pass` and `auth`, which say too little by themselves: a count and an outcome stand under the
//! one, a method under the other. They are judged as text with such a name is, by the rules of the redactor.

use std::ops::Range;

use redact::{EntityType, Match, Redactor};

use super::listed;

/// The longest value that is judged, in bytes: as much as the redactor reads of a credential in base64.
const LONGEST: usize = 4096;
/// Parts of the keys of accounts, in small letters, and such keys as a whole.
const ACCOUNT_PARTS: [&[u8]; 5] = [b"user", b"login", b"usr", b"mail", b"account"];
const ACCOUNTS: [&[u8]; 2] = [b"uid", b"name"];
/// The longest key that is looked at for these.
const LONGEST_KEY: usize = 64;

/// A key that is not sensitive whatever its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// `pass`, as the whole key.
    Pass,
    /// `pass`, beside the key of an account.
    PassOfAccount,
    /// `auth`, as the last part of the key.
    Auth,
}

impl Name {
    /// The name that this key is.
    pub(super) fn of(key: &[u8]) -> Option<Self> {
        if key.eq_ignore_ascii_case(b"pass") {
            return Some(Self::Pass);
        }
        let (head, last) = key.split_at_checked(key.len().checked_sub(4)?)?;
        let begins = head.last().is_none_or(|before| {
            !before.is_ascii_alphanumeric() || (before.is_ascii_lowercase() && last.starts_with(b"A"))
        });
        (begins && last.eq_ignore_ascii_case(b"auth")).then_some(Self::Auth)
    }

    /// What stands before the value where it is text.
    fn head(self) -> &'static [u8] {
        match self {
            Self::Pass => b"pass=\"",
            Self::PassOfAccount => b"user=u pass=\"",
            Self::Auth => b"\"auth\":\"",
        }
    }
}

/// Whether the key of one of these pairs names an account.
pub(super) fn have_account(mut pairs: impl Iterator<Item = Range<usize>>, payload: &[u8]) -> bool {
    pairs.any(|pair| listed::keys(payload, &pair).any(is_account))
}

fn is_account(key: &[u8]) -> bool {
    let key = key.get(..LONGEST_KEY).unwrap_or(key).to_ascii_lowercase();
    ACCOUNTS.contains(&key.as_slice())
        || ACCOUNT_PARTS.iter().any(|part| memchr::memmem::find(&key, part).is_some())
}

/// Finds what is secret in a value under such a name. `scratch` is memory to work in.
pub(super) fn find(
    redactor: &Redactor,
    name: Name,
    value: &[u8],
    scratch: &mut Vec<u8>,
    matches: &mut Vec<Match>,
) {
    matches.clear();
    if value.len() > LONGEST {
        return;
    }
    scratch.clear();
    scratch.extend_from_slice(name.head());
    let start = scratch.len();
    scratch.extend(value.iter().map(|byte| plain(*byte)));
    let end = scratch.len();
    scratch.push(b'"');
    redactor.find_only(scratch, &[EntityType::Password], matches);
    matches.retain_mut(|found| {
        found.start = found.start.max(start) - start;
        found.end = found.end.min(end).saturating_sub(start);
        found.start < found.end
    });
}

/// The byte, or where it would end or escape a value in quotes, one that does not and is as long.
pub(super) fn plain(byte: u8) -> u8 {
    match byte {
        b'"' | b'\'' | b'`' | b'\\' | b'\n' | b'\r' => 0x1f,
        _ => byte,
    }
}
