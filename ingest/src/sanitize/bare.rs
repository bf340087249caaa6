//! Values of the keys `pass`, `auth` and `code`, which are ambiguous by themselves: the first may have a count or an
//! outcome, the second a method, the third an error. They are judged as text with such a name is, by the rules of the
//! redactor. Also of `pwd`, which is a password or a directory.

use std::ops::Range;

use redact::{EntityType, Match, Redactor, without_disguise};

use super::listed;

/// The longest value that is judged, in bytes: as much as the redactor reads of a credential in base64.
const LONGEST: usize = 4096;
/// Parts of the keys of accounts, in small letters, and such keys as a whole.
const ACCOUNT_PARTS: [&[u8]; 5] = [b"user", b"login", b"usr", b"mail", b"account"];
const ACCOUNTS: [&[u8]; 1] = [b"uid"];
/// Keys that occur beside an authorization code of OAuth, and one that occurs beside other codes, too.
const GRANTS: [&[u8]; 4] = [b"redirect_uri", b"grant_type", b"code_verifier", b"session_state"];
const STATE: &[u8] = b"state";
/// Keys of the working directory and the one before.
const DIRECTORIES: [&[u8]; 2] = [b"pwd", b"oldpwd"];
/// Starts of directories, for lower-case keys, which may also have passwords.
const ROOTS: [&str; 14] = [
    "home",
    "root",
    "usr",
    "opt",
    "srv",
    "var",
    "tmp",
    "etc",
    "app",
    "data",
    "mnt",
    "Users",
    "workspace",
    "builds",
];
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
    /// `code`, as the whole key.
    Code,
    /// `code`, beside the keys of a grant of OAuth.
    CodeOfGrant,
    /// `code`, beside the key `state`.
    CodeWithState,
}

impl Name {
    /// The name that this key is.
    pub(super) fn of(key: &[u8]) -> Option<Self> {
        if key.eq_ignore_ascii_case(b"pass") {
            return Some(Self::Pass);
        }
        if key.eq_ignore_ascii_case(b"code") {
            return Some(Self::Code);
        }
        let (head, last) = key.split_at_checked(key.len().checked_sub(4)?)?;
        let begins = head.last().is_none_or(|before| {
            !before.is_ascii_alphanumeric() || (before.is_ascii_lowercase() && last.starts_with(b"A"))
        });
        (begins && last.eq_ignore_ascii_case(b"auth")).then_some(Self::Auth)
    }

    /// Text before the value if it is text.
    fn head(self) -> &'static [u8] {
        match self {
            Self::Pass => b"pass=\"",
            Self::PassOfAccount => b"user=u pass=\"",
            Self::Auth => b"\"auth\":\"",
            Self::Code => b"\"code\":\"",
            Self::CodeOfGrant | Self::CodeWithState => b"\"redirect_uri\":\"\",\"code\":\"",
        }
    }

    /// Kind of value expected.
    fn entity(self) -> EntityType {
        match self {
            Self::Pass | Self::PassOfAccount | Self::Auth => EntityType::Password,
            Self::Code | Self::CodeOfGrant | Self::CodeWithState => EntityType::Secret,
        }
    }
}

/// Whether the key of one of these pairs names an account.
pub(super) fn have_account(mut pairs: impl Iterator<Item = Range<usize>>, payload: &[u8]) -> bool {
    pairs.any(|pair| listed::keys(payload, &pair).any(is_account))
}

/// The name `code` beside the keys of these pairs.
pub(super) fn code_beside(pairs: impl Iterator<Item = Range<usize>>, payload: &[u8]) -> Name {
    let mut name = Name::Code;
    for pair in pairs {
        for key in listed::keys(payload, &pair) {
            let key = without_disguise(key);
            if GRANTS.iter().any(|grant| key.eq_ignore_ascii_case(grant)) {
                return Name::CodeOfGrant;
            }
            if key.eq_ignore_ascii_case(STATE) {
                name = Name::CodeWithState;
            }
        }
    }
    name
}

/// Whether this key names a directory or a password.
pub(super) fn is_directory_name(key: &[u8]) -> bool {
    DIRECTORIES.iter().any(|name| key.eq_ignore_ascii_case(name))
}

/// Whether the value under such a key is a directory.
pub(super) fn is_directory(value: &[u8]) -> bool {
    let is_path = value.iter().all(|byte| *byte >= b' ');
    let is_drive = matches!(value, [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    let below_root = |root: &str| {
        let below = value.strip_prefix(b"/").and_then(|path| path.strip_prefix(root.as_bytes()));
        below.is_some_and(|below| matches!(below, [] | [b'/', ..]))
    };
    is_path
        && (is_drive
            || value == b"/"
            || value.starts_with(b"~/")
            || ROOTS.iter().any(|root| below_root(root)))
}

/// Whether a code does not consist of words, as those of errors do.
fn is_random(code: &[u8]) -> bool {
    let holds = |class: fn(&u8) -> bool| code.iter().any(class);
    let mixed = holds(u8::is_ascii_lowercase) && holds(u8::is_ascii_uppercase) && holds(u8::is_ascii_digit);
    mixed || (code.len() >= 20 && code.iter().all(u8::is_ascii_hexdigit))
}

fn is_account(key: &[u8]) -> bool {
    let key = without_disguise(key.get(..LONGEST_KEY).unwrap_or(key)).to_ascii_lowercase();
    ACCOUNTS.contains(&key.as_slice())
        || ACCOUNT_PARTS.iter().any(|part| memchr::memmem::find(&key, part).is_some())
}

/// Finds secrets in a value under such a name. `scratch` is working memory.
pub(super) fn find(
    redactor: &Redactor,
    name: Name,
    value: &[u8],
    scratch: &mut Vec<u8>,
    matches: &mut Vec<Match>,
) {
    matches.clear();
    if value.len() > LONGEST || name == Name::Code || (name == Name::CodeWithState && !is_random(value)) {
        return;
    }
    scratch.clear();
    scratch.extend_from_slice(name.head());
    let start = scratch.len();
    scratch.extend(value.iter().map(|byte| plain(*byte)));
    let end = scratch.len();
    scratch.push(b'"');
    redactor.find_only(scratch, &[name.entity()], matches);
    matches.retain_mut(|found| {
        found.start = found.start.max(start) - start;
        found.end = found.end.min(end).saturating_sub(start);
        found.start < found.end
    });
}

/// The byte, or a replacement of the same length if it would end or escape a value in quotes.
pub(super) fn plain(byte: u8) -> u8 {
    match byte {
        b'"' | b'\'' | b'`' | b'\\' | b'\n' | b'\r' => 0x1f,
        _ => byte,
    }
}
