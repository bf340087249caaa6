//! Reader of last resort: a message of an unknown program that says that a login failed, and from which address.
//!
//! Nothing is known of the program, so the message must say everything: a wording of failure and one of authentication, no
//! wording of success, and one address in a place where programs put their peer. Text in quotes is the client's and is read for
//! nothing but an address that fills the quotes. Text without quotes may be the client's as well, such as a user name with
//! blanks: so few words before the address may be none of those that such messages are made of.

use std::net::{IpAddr, SocketAddr};
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::super::client;
use super::header;

/// The longest message that is read, in bytes.
const LONGEST: usize = 1024;

/// A failed login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failure<'t> {
    pub(super) address: &'t str,
    pub(super) user: Option<&'t str>,
}

/// Beginnings of words of failure, in small letters.
const FAILURE: [&str; 26] = [
    "fail",
    "invalid",
    "incorrect",
    "wrong",
    "bad",
    "denied",
    "deny",
    "refus",
    "reject",
    "unauthori",
    "unsuccessful",
    "mismatch",
    "unknown",
    "unauthenticated",
    "illegal",
    "disallowed",
    "forbidden",
    "unable",
    "cannot",
    "nonexist",
    "non-exist",
    "blocked",
    "error",
    "unrecogni",
    "insufficient",
    "badauth",
];
/// Beginnings of words about authentication.
const AUTHENTICATION: [&str; 15] = [
    "authent",
    "authoriz",
    "authoris",
    "login",
    "logon",
    "log-in",
    "log-on",
    "signin",
    "sign-in",
    "password",
    "passwd",
    "passphrase",
    "credential",
    "sasl",
    "autherr",
];
/// Words about authentication, as wholes.
const AUTHENTICATION_WORDS: [&str; 4] = ["auth", "pam", "bind", "uname"];
/// Beginnings of words that say so only directly behind a word of failure: `unknown user`.
const SUBJECT: [&str; 4] = ["user", "account", "peer", "client-id"];
/// Words of success, as wholes.
const SUCCESS: [&str; 9] = [
    "success",
    "successful",
    "successfully",
    "succeeded",
    "accepted",
    "granted",
    "ok",
    "authenticated",
    "logged-in",
];
/// Names before an address that is the peer's.
const PEER: [&str; 33] = [
    "from",
    "client",
    "ip",
    "address",
    "addr",
    "host",
    "hostname",
    "rhost",
    "peer",
    "remote",
    "src",
    "source",
    "rip",
    "by",
    "for",
    "at",
    "ipaddr",
    "ipaddress",
    "ip_address",
    "ip-address",
    "remote_ip",
    "remote_addr",
    "remoteaddr",
    "remoteip",
    "client_ip",
    "clientip",
    "client_addr",
    "source_ip",
    "sourceip",
    "src_ip",
    "srcip",
    "via",
    "hostip",
];
/// Names before an address that is not the peer's.
const OTHER: [&str; 16] = [
    "to",
    "lip",
    "local",
    "server",
    "dst",
    "dest",
    "destination",
    "listen",
    "listening",
    "on",
    "dstip",
    "dst_ip",
    "laddr",
    "version",
    "upstream",
    "proxy",
];

/// Words of such messages that say nothing else here.
const ORDINARY: [&str; 45] = [
    "a",
    "an",
    "the",
    "to",
    "of",
    "in",
    "on",
    "at",
    "by",
    "is",
    "was",
    "has",
    "been",
    "with",
    "and",
    "while",
    "during",
    "due",
    "attempt",
    "attempts",
    "attempted",
    "request",
    "connection",
    "session",
    "remote",
    "new",
    "name",
    "method",
    "method:",
    "type",
    "service",
    "protocol",
    "port",
    "realm",
    "domain",
    "database",
    "principal",
    "identity",
    "email",
    "plain",
    "cram-md5",
    "id",
    "message",
    "reason",
    "event",
];
/// Words before the address that may be others: a user, and the part of the program that writes.
const MOST_OTHER_WORDS: usize = 3;

/// Reads a line; `None` where it does not certainly say that a login from one address failed.
pub(super) fn read(line: &str) -> Option<Failure<'_>> {
    if line.len() > LONGEST || !may_be(line.as_bytes()) {
        return None;
    }
    let mut wording = Wording::default();
    let mut peers = Peers::default();
    let mut user = None;
    let mut before: [&str; 2] = ["", ""];
    for token in Tokens::new(header::message(line)) {
        match token {
            Token::Word(word) => {
                peers.look_at(word, before);
                let says_something = wording.look_at(word, before[1]);
                peers.pass(word, says_something);
                if is_one_of(before[1], &["user", "username", "login", "account", "uname"]) && is_name(word) {
                    user.get_or_insert(word);
                }
                before = [before[1], word];
            }
            Token::Quoted(text) => {
                peers.look_at(text, before);
                if is_one_of(before[1], &["user", "username", "login", "account", "uname", "for"])
                    && parse(text).is_none()
                    && !text.is_empty()
                {
                    user.get_or_insert(text);
                }
                before = [before[1], ""];
            }
            Token::Unbalanced => return None,
        }
    }
    let address = peers.only()?;
    wording.says_failure().then_some(Failure { address, user: user.filter(|user| *user != address) })
}

/// Whether a line may hold a wording of failure: what rules out nearly all lines must be cheap.
fn may_be(line: &[u8]) -> bool {
    // An address has a dot or a colon between hexadecimal digits; every message has one of the words.
    memchr::memchr2(b'.', b':', line).is_some() && STEMS.as_ref().is_some_and(|stems| stems.is_match(line))
}

/// Parts of the words of failure, whatever the case of their first letter.
static STEMS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let stems = [
        "ail", "nvalid", "enied", "ncorrect", "rong", "efus", "eject", "nauthori", "nsuccess", "ismatch",
        "AIL", "nknown", "ENIED", "ad ", "not ",
    ];
    AhoCorasick::new(stems).ok()
});

/// The wordings of a message.
#[derive(Default)]
struct Wording {
    failure: bool,
    authentication: bool,
    success: bool,
    /// Whether the word before was one of failure.
    behind_failure: bool,
}

impl Wording {
    /// Takes in a word and returns whether it is part of a wording.
    fn look_at(&mut self, word: &str, before: &str) -> bool {
        let is_negated = is_one_of(before, &["not", "never", "no", "isn't", "wasn't", "without"]);
        let is_failure = begins_with(word, &FAILURE) || is_negated || is_one_of(word, &["such"]);
        self.success |= is_one_of(word, &SUCCESS) && !is_negated && !is_one_of(before, &["auth", "be"]);
        self.success |=
            is_one_of(word, &["in", "on"]) && is_one_of(before, &["logged", "signed"]) && !self.failure;
        let is_authentication = begins_with(word, &AUTHENTICATION)
            || is_one_of(word, &AUTHENTICATION_WORDS)
            || (self.behind_failure && begins_with(word, &SUBJECT))
            || (is_one_of(word, &["in", "on"])
                && is_one_of(before, &["log", "sign", "logged", "signed", "logging"]));
        self.authentication |= is_authentication;
        self.failure |= is_failure;
        self.behind_failure = is_failure;
        is_failure || is_authentication || begins_with(word, &SUBJECT)
    }

    fn says_failure(&self) -> bool {
        self.failure && self.authentication && !self.success
    }
}

/// The addresses of a message.
#[derive(Default)]
struct Peers<'t> {
    /// Behind a name of the peer.
    named: Option<&'t str>,
    /// Elsewhere.
    other: Option<&'t str>,
    is_ambiguous: bool,
    /// Words before the address that such messages are not made of.
    other_words: usize,
}

impl<'t> Peers<'t> {
    fn look_at(&mut self, word: &'t str, [_, before]: [&str; 2]) {
        let Some(address) = parse(word) else { return };
        let place = if is_one_of(before, &OTHER) {
            return;
        } else if is_one_of(before, &PEER) {
            &mut self.named
        } else {
            &mut self.other
        };
        match place {
            Some(known) if *known != address => self.is_ambiguous = true,
            known => *known = Some(address),
        }
    }

    /// Takes in a word beside the addresses.
    fn pass(&mut self, word: &str, says_something: bool) {
        let is_known =
            says_something || is_one_of(word, &ORDINARY) || is_one_of(word, &PEER) || is_one_of(word, &OTHER);
        if !is_known && self.named.is_none() && self.other.is_none() && parse(word).is_none() {
            self.other_words += 1;
            self.is_ambiguous |= self.other_words > MOST_OTHER_WORDS;
        }
    }

    /// The peer, where there is one.
    fn only(&self) -> Option<&'t str> {
        let disagree = self.named.is_some_and(|named| self.other.is_some_and(|other| other != named));
        if self.is_ambiguous || disagree {
            return None;
        }
        self.named.or(self.other)
    }
}

/// The address in a word, perhaps with a port and an interface.
fn parse(word: &str) -> Option<&str> {
    // Most words are none: an address begins with a hexadecimal digit, a bracket or a colon.
    let first = word.bytes().next()?;
    if !(first.is_ascii_hexdigit() || matches!(first, b'[' | b':')) {
        return None;
    }
    let inner = word.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(word);
    let inner = inner.split_once(['%', '#']).map_or(inner, |(address, _)| address);
    let is_whole = inner.parse::<IpAddr>().is_ok() || inner.parse::<SocketAddr>().is_ok();
    // A word such as `::` or `1:2` is a separator or a time.
    let has_form = inner.contains('.') || inner.bytes().filter(|byte| *byte == b':').count() > 2;
    (is_whole && has_form).then(|| client::plain_address(inner)).filter(|address| is_peer(address))
}

/// Whether an address can be a peer's: none that stands for any address.
fn is_peer(address: &str) -> bool {
    address.parse::<IpAddr>().is_ok_and(|address| !address.is_unspecified() && !address.is_multicast())
}

fn is_name(word: &str) -> bool {
    const PROSE: [&str; 14] = [
        "from",
        "for",
        "failed",
        "failure",
        "is",
        "was",
        "not",
        "name",
        "and",
        "with",
        "attempt",
        "unknown",
        "authentication",
        "does",
    ];
    !is_one_of(word, &PROSE) && parse(word).is_none()
}

fn is_one_of(word: &str, known: &[&str]) -> bool {
    known.iter().any(|known| word.eq_ignore_ascii_case(known))
}

fn begins_with(word: &str, stems: &[&str]) -> bool {
    let bytes = word.as_bytes();
    stems
        .iter()
        .any(|stem| bytes.get(..stem.len()).is_some_and(|start| start.eq_ignore_ascii_case(stem.as_bytes())))
}

/// A part of a message.
enum Token<'t> {
    Word(&'t str),
    /// Text in quotes, without them.
    Quoted(&'t str),
    /// A quote that does not end: where the client's text ends is unknown.
    Unbalanced,
}

/// Words and quoted texts, from left to right.
struct Tokens<'t> {
    rest: &'t str,
}

impl<'t> Tokens<'t> {
    fn new(text: &'t str) -> Self {
        Self { rest: text }
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        // Between words stand blanks and punctuation, but for what addresses and names hold.
        let text = self
            .rest
            .trim_start_matches(|letter: char| !is_of_word(letter) && !matches!(letter, '"' | '\'' | '`'));
        let first = text.chars().next()?;
        if matches!(first, '"' | '\'' | '`') {
            let inner = &text[1..];
            let Some(end) = closing_quote(inner, first) else {
                self.rest = "";
                // An apostrophe within a word was passed over with it.
                return Some(Token::Unbalanced);
            };
            self.rest = &inner[end + 1..];
            return Some(Token::Quoted(&inner[..end]));
        }
        let end = text.find(|letter: char| !is_of_word(letter) && letter != '\'').unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        let plain = word.trim_end_matches(['\'', ':', '.', '-', ']', '#']);
        // A closing quote that belongs to the word is one.
        if word[plain.len()..].contains('\'') && !word.contains("s'") {
            self.rest = &text[plain.len()..];
        }
        let plain =
            if word.starts_with('[') && word.ends_with(']') { word } else { plain.trim_start_matches('[') };
        Some(Token::Word(plain))
    }
}

/// Where a quote closes that no backslash escapes.
fn closing_quote(inner: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, letter) in inner.char_indices() {
        if letter == quote && !is_escaped {
            return Some(at);
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    None
}

/// Letters of words, host names and addresses.
fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '.' | ':' | '-' | '_' | '%' | '@' | '\\' | '#')
}
