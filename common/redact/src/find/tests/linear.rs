//! The work is linear in the length of the text, also for text made to be costly: what a rule looks at byte by byte
//! is counted.

use super::everything;
use crate::find::text::Text;
use crate::{Candidates, Redactor};

/// Prefixes that start rules and never finish them, or finish them late.
const COSTLY: [&str; 161] = [
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
    "PWD=/",
    "token%3D***",
    "token%3Dx",
    "pass=pass=",
    "user=a pass=12345678 ",
    "code=",
    "code=aB3456 ",
    "code=aB3456&",
    "code%3DaB3456",
    "\"code\":\"aB3456",
    "code\": ",
    "device_code=aB3456",
    "\"name\":\"authorization\",\"value\":\"a ",
    "authorization: a 1",
    "authorization%3A%20a",
    "\"name\":\"cookie\",\"value\":\"a=",
    r":\/\/",
    r"a:\/\/b:c@",
    r"hooks.slack.com\/services\/",
    "login \"a\" account b password ",
    "auth=",
    "\"auth\":\"",
    "auth=dTpw",
    "chpasswd<<<",
    "chpasswd <<< 'a:b",
    "chpasswd <<< a:b\\t",
    "echo 'a:b' | chpasswd ",
    "curl -u ",
    "curl -u a:",
    "curl,curl,",
    "mysql -p",
    "mysql -p'x'",
    "[\"mysql\",\"-p",
    "sshpass -p ",
    "ldapsearch -w ",
    "ldappasswd -s ",
    "net user a ",
    "net user a b",
    "net.exe use ",
    "net\" ",
    "convertto-securestring -asplaintext ",
    "'a' | convertto-securestring ",
    "identified by ",
    "identified by '",
    "identified with a as '",
    "identified\n",
    "identified by ''",
    "identified by 'a''",
    "create user a password('",
    "create user a: password '",
    "set password for a = 'a''",
    "a mysql -p",
    "mysql ",
    " mysql a b c",
    "mysql/",
    "\"mysql\",",
    "a1=\"mysql\" ",
    "-e mysql -u",
    "x mysql \"",
    "sudo a curl -u ",
    "curl \\\n",
    "sshpass\n- ",
    "--password\n- ",
    "chpasswd <<a\n",
    "chpasswd <<a\nb:c\n",
    "echo a | convertto-securestring ",
    "convertto-securestring ('",
    "-----BEGIN PRIVATE KEY-----\"",
    "-----BEGIN PRIVATE KEY-----\", \"aB3",
    "-----BEGIN PRIVATE KEY-----#012%0A",
    "-----BEGIN PRIVATE KEY-----\na: b\n",
    "-----BEGIN%20PRIVATE%20KEY-----%0A",
    "name=\"password\">",
    "<property name=\"password\">",
    "\"name\":\"password\",\"value\":{",
    "value: a\nname: password\n",
    "password&quot;:&quot;",
    "password%3A+%22",
    "create user identified by '",
    "create user a with password ",
    "create user password '",
    "set password for a = ",
    "login a password ",
    "machine a login b password ",
    "\"name\":\"password\",\"value\":\"",
    "name=\"password\"",
    "\"value\":\"a\",\"name\":\"password\",",
    "form-data; name=\"password\"\\r\\n\\r\\n",
    "$6$",
    "$6$a$",
    "$argon2id$v=19,m=1$",
    "$2b$12$aaaaaaaaaaaaaaaaaaaaaa",
    "8Q~",
    "abc8Q~aaaaaaaaaaaaaaaa",
    "EAAA",
    "pat",
    "pataaaaaaaaaaaaaa.",
    "private-lines: 1\n",
    "private-lines: 9999\naaaaaaaaaaaaaaaaaa",
    "\u{430}",
    "a\u{430}",
    "\u{200b}",
    "a\u{200b}",
    "ａ",
    "＝",
    "p\u{430}ssword ",
    "pass\u{200b}word=",
    "ｐａｓｓｗｏｒｄ",
    "\u{412}\u{200b}\u{433}",
];

/// Steps of the search for so many bytes of a repeated piece.
fn steps(redactor: &Redactor, piece: &str, length: usize) -> u64 {
    let text: Vec<u8> = piece.bytes().cycle().take(length).collect();
    let text = Text::new(&text);
    redactor.finder.find(&text, &mut Vec::new());
    text.steps()
}

/// Steps of the scan for candidates for so many bytes of a repeated piece.
fn steps_of_candidates(redactor: &Redactor, piece: &str, length: usize) -> u64 {
    let payload: Vec<u8> = piece.bytes().cycle().take(length).collect();
    let payload = Text::new(&payload);
    redactor.finder.candidates(&payload, &mut Candidates::default());
    payload.steps()
}

#[test]
fn the_search_grows_with_the_length_and_no_faster() {
    assert_linear(steps);
}

#[test]
fn the_scan_for_candidates_grows_with_the_length_and_no_faster() {
    assert_linear(steps_of_candidates);
}

fn assert_linear(steps: impl Fn(&Redactor, &str, usize) -> u64) {
    const LENGTH: usize = 8 * 1024;
    let redactor = everything();
    for piece in COSTLY {
        let (once, fourfold) = (steps(&redactor, piece, LENGTH), steps(&redactor, piece, 4 * LENGTH));
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
    let redactor = everything();
    for piece in ["password", "eyJh-"] {
        let steps = steps(&redactor, piece, LARGEST_BODY);
        assert!(steps < MOST_PER_BYTE * LARGEST_BODY as u64, "{piece:?}: {steps} steps");
    }
}
