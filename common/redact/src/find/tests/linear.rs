//! The work is linear in the length of the text, also for text made to be costly: what a rule looks at byte by byte
//! is counted.

use super::everything;
use crate::find::text::Text;

/// Prefixes that start rules and never finish them, or finish them late.
const COSTLY: [&str; 52] = [
    "password",
    "pass",
    "password=",
    "password: ",
    "password='",
    "password=\\'",
    "password=`x'",
    "\"password\":\"",
    "password= password=",
    "password: token ",
    "credentials:{",
    "credentials={{",
    "--password ",
    "<password>",
    "secret",
    "secret_access_key ",
    "AKIAABCDEFGHIJKLMNOP ",
    "AKIAABCDEFGHIJKLMNOP",
    "eyJh",
    "eyJh-",
    "eyJhaaaaaaaaaaaa.",
    "-----BEGIN PRIVATE KEY-----",
    "-BEGIN PRIVATE KEY-----",
    "BEGIN PRIVATE KEY-----",
    "-----BEGIN ",
    "-",
    "----- -",
    "://",
    "a://b:",
    "a://b:c@",
    "a://@",
    "@",
    "a@",
    "a@a.",
    "a.",
    "authorization: ",
    "authorization: digest ",
    "authorization: aws4-hmac-sha256 ",
    "bearer ",
    "cookie: a=",
    "cookie: a;",
    "set-cookie: path=",
    "\"cookie\":\"a='",
    "sk-",
    "sk-a1",
    "glpat-....................",
    "4111 ",
    "4",
    "1:AA",
    "ssn ",
    "::",
    "\\",
];

/// Steps for so many bytes of a repeated piece.
fn steps(piece: &str, length: usize) -> u64 {
    let text: Vec<u8> = piece.bytes().cycle().take(length).collect();
    let redactor = everything();
    let text = Text::new(&text);
    redactor.finder.find(&text, &mut Vec::new());
    text.steps()
}

#[test]
fn work_grows_with_the_length_and_no_faster() {
    const LENGTH: usize = 8 * 1024;
    for piece in COSTLY {
        let (once, fourfold) = (steps(piece, LENGTH), steps(piece, 4 * LENGTH));
        assert!(
            fourfold < 5 * once + 10_000,
            "{piece:?}: {once} steps, then {fourfold} for four times the text"
        );
        assert!(fourfold < MOST_PER_BYTE * 4 * LENGTH as u64, "{piece:?}: {fourfold} steps");
    }
}

/// No text costs more; ordinary log lines cost about two.
const MOST_PER_BYTE: u64 = 64;

#[test]
#[ignore = "takes a minute without optimisation; run it after changing what a rule reads"]
fn the_largest_body_stays_within_the_bound() {
    const LARGEST_BODY: usize = 16 * 1024 * 1024;
    for piece in ["password", "eyJh-"] {
        let steps = steps(piece, LARGEST_BODY);
        assert!(steps < MOST_PER_BYTE * LARGEST_BODY as u64, "{piece:?}: {steps} steps");
    }
}
