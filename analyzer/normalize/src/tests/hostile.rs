//! Text of a client in a line must not become a statement of the line about the client.

use proptest::prelude::any;
use proptest::prelude::*;

use super::samples::SAMPLES;
use super::*;

const ATTACKER: &str = "198.51.100.7";
const FRAMED: &str = "203.0.113.9";

/// Starts of lines of each format.
const OPENINGS: [&str; 34] = [
    "",
    "Jul  8 09:10:11 h sshd[1]: ",
    "Jul  8 09:10:11 h sudo: ",
    "Jul  8 09:10:11 h CRON[1]: (root) ",
    "Jul  8 09:10:11 h systemd-logind[1]: New session ",
    "Jul  8 09:10:11 h systemd[1]: ",
    "Jul  8 09:10:11 h kernel: [1.0] x IN=",
    "Jul  8 09:10:11 h haproxy[1]: 198.51.100.7:1 [08/Jul/2026:09:10:11.655] ",
    "Jul  8 09:10:11 h nginx: ",
    "<1>1 ",
    "<1>1 - h a - - [",
    "<1>1 - h heroku router - at=info method=GET path=",
    "{\"log\":\"",
    "{\"Event\":{\"System\":",
    "2026-07-08T09:10:11Z h su: ",
    "2026-07-08T09:10:11Z shop 198.51.100.7:1 ",
    "2026/07/08 09:10:11 [error] 1#1: ",
    "[Wed Jul 08 09:10:11 2026] [error] [",
    "type=EXECVE msg=audit(1.0:1): a0=",
    "type=USER_LOGIN msg=audit(1.0:1): msg='acct=",
    "CEF:0|a|b|1|2|c|3|src=",
    "http 2026-07-08T09:10:11Z a 198.51.100.7:1 ",
    "tls 2.0 2026-07-08T09:10:11Z a b 198.51.100.7:1 ",
    "a=1 b=",
    "a=1, b=2, c=",
    "[a:\"1\"; b:\"",
    "<a b=\"",
    "<134>",
    "%ASA-6-113005: AAA user authentication Rejected : reason = x : user = ",
    "%SEC_LOGIN-4-LOGIN_FAILED: Login failed [user: ",
    "1,2026/07/08 09:10:11,1,SYSTEM,auth,0,x,,auth-fail,\"",
    "<134>Jul  8 09:10:11 filterlog[1]: 5,,,1,vtnet0,match,block,in,4,",
    "Jul  8 09:10:11 g php-fpm[1]: /index.php: webConfigurator authentication error for user '",
    "__CURSOR=s\nMESSAGE=",
];

/// Text a client may choose: noise, and pieces of the lines that servers write.
fn chosen_by_client() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just(format!("from {FRAMED} port 22 ssh2")),
        Just(format!(" from {FRAMED} port 22")),
        Just(format!("{FRAMED} - - ")),
        Just(format!(" rhost={FRAMED} user=root")),
        Just(" user=root".to_owned()),
        Just("[08/Jul/2026:09:10:11 +0000] ".to_owned()),
        Just(" ssh2: RSA SHA256:x".to_owned()),
        Just(": Too many authentication failures".to_owned()),
        Just(" [preauth]".to_owned()),
        Just(format!("Accepted password for root from {FRAMED} port 1 ssh2")),
        Just(format!("\",\"remote_addr\":\"{FRAMED}")),
        "[ -~]{0,12}",
        "\\PC{0,6}",
    ];
    prop::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

/// As web servers write quoted parts.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// As HAProxy writes requests: quotes and unprintable bytes as `#` and two digits.
fn numbered(text: &str) -> String {
    text.chars()
        .map(
            |c| {
                if (' '..='~').contains(&c) && c != '"' && c != '#' {
                    c.to_string()
                } else {
                    "#22".to_owned()
                }
            },
        )
        .collect()
}

/// As auditd writes text of users.
fn audited(text: &str) -> String {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"') {
        return format!("\"{text}\"");
    }
    text.bytes().map(|byte| format!("{byte:02X}")).collect()
}

fn ssh_lines(text: &str) -> Vec<String> {
    let ssh = |message: String| format!("Jul  8 09:10:11 web-1 sshd[812]: {message}");
    vec![
        ssh(format!("Failed password for invalid user {text} from {ATTACKER} port 5 ssh2")),
        ssh(format!("Failed publickey for invalid user {text} from {ATTACKER} port 5 ssh2: RSA SHA256:abc")),
        ssh(format!(
            "Failed publickey for invalid user {text} from {ATTACKER} port 5 ssh2: RSA-CERT SHA256:abc ID {text} (serial 0) CA RSA SHA256:def"
        )),
        ssh(format!("Invalid user {text} from {ATTACKER} port 5")),
        ssh(format!("Connection closed by invalid user {text} {ATTACKER} port 5 [preauth]")),
        ssh(format!(
            "Disconnecting invalid user {text} {ATTACKER} port 5: Change of username or service not allowed: ({text},x) -> ({text},x) [preauth]"
        )),
        ssh(format!(
            "error: maximum authentication attempts exceeded for invalid user {text} from {ATTACKER} port 5 ssh2 [preauth]"
        )),
        ssh(format!("Received disconnect from {ATTACKER} port 5:11: {text} [preauth]")),
        ssh(format!("Bad protocol version identification '{text}' from {ATTACKER} port 5")),
        ssh(format!(
            "pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser={text} rhost={ATTACKER}"
        )),
        ssh(format!(
            "pam_sss(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost={ATTACKER} user={text}"
        )),
        // An unknown program, which marks the client's text as every careful program does.
        format!("web-1 app[3]: Jul  8 09:10:11 login of user \"{}\" failed", quoted(text)),
    ]
}

fn web_lines(text: &str) -> Vec<String> {
    let (web, proxy) = (quoted(text), numbered(text));
    let escaped = text.replace('\\', "\\\\").replace('=', "\\=").replace('\n', " ");
    vec![
        format!(
            "{ATTACKER} - {web} [08/Jul/2026:09:10:11 +0000] \"GET /{web} HTTP/1.1\" 401 5 \"{web}\" \"{web}\" \"{web}\""
        ),
        format!(
            "{ATTACKER}:5 [08/Jul/2026:09:10:11.655] in b/s 1/0/3/6/9 401 27 - - ---- 1/1/1/1/0 0/0 \"GET /{proxy} HTTP/1.1\""
        ),
        format!(
            "https 2026-07-08T09:10:11.945958Z app/a/1 {ATTACKER}:4 - -1 -1 -1 401 - 1 3 \"GET https://x:443/{web} HTTP/1.1\" \"{web}\" - - - \"-\" \"{web}\" \"-\" 0 - \"-\" \"-\" \"-\""
        ),
        format!(
            "2026-07-08T09:10:11.945958Z shop {ATTACKER}:2817 10.0.0.5:80 0.1 0.1 0.1 401 401 0 29 \"GET http://x:80/{web} HTTP/1.1\" \"{web}\" - -"
        ),
        format!(
            "<158>1 2026-07-08T09:10:11Z host heroku router - at=info method=GET path=\"/{web}\" host=x fwd=\"{FRAMED},{ATTACKER}\" status=401 bytes=9"
        ),
        format!("level=info msg=\"{web}\" remote_addr={ATTACKER} user=\"{web}\""),
        format!("Jul  8 09:10:11 fw-1 CEF:0|a|b|1|2|c|3|src={ATTACKER} msg={escaped} suser={escaped}"),
        format!(
            "2026/07/08 09:10:11 [error] 12#12: *7 open() \"/srv/{text}\" failed, client: {ATTACKER}, server: x, request: \"GET /{text} HTTP/1.1\""
        ),
        format!(
            "[Wed Jul 08 09:10:11.123456 2026] [core:error] [pid 1:tid 2] [client {ATTACKER}:5001] AH00126: {text}"
        ),
    ]
}

fn structured_lines(text: &str) -> Vec<String> {
    let name = audited(text);
    vec![
        format!("type=USER_LOGIN msg=audit(1783501811.000:12): pid=8 msg='op=login acct={name} exe=\"/usr/sbin/sshd\" addr={ATTACKER} res=failed'"),
        serde_json::json!({"remote_addr": ATTACKER, "request": format!("GET /{text} HTTP/1.1"), "status": 401, "http_user_agent": text, "message": text}).to_string(),
        serde_json::json!({"remote_addr": ATTACKER, "message": text}).to_string(),
        serde_json::json!({"client_ip": ATTACKER, "appname": "shop", "msg": format!("Jul  8 09:10:11 h sshd[1]: {text}")}).to_string(),
        serde_json::json!({"remote_addr": format!("{FRAMED}, {ATTACKER}"), "method": "GET", "path": text, "status": 401}).to_string(),
        serde_json::json!({"kind": "Event", "auditID": "i", "stage": "x", "userAgent": text, "sourceIPs": [FRAMED, ATTACKER], "responseStatus": {"code": 401}}).to_string(),
        serde_json::json!({"eventVersion": "1", "eventSource": "x", "eventName": "y", "userAgent": text, "sourceIPAddress": ATTACKER, "errorCode": "z"}).to_string(),
        serde_json::json!({"Channel": "Security", "EventID": 4625, "TargetUserName": text, "WorkstationName": text, "IpAddress": ATTACKER}).to_string(),
        serde_json::json!({"event": "login", "result": "failure", "src_ip": ATTACKER, "username": text, "user_agent": text, "headers": {"client_ip": text}}).to_string(),
        serde_json::json!({"event": {"action": "login", "outcome": "failure"}, "actor": {"ip": ATTACKER, "name": text}, "request": {"body": text, "params": {"source_ip": FRAMED}}}).to_string(),
        format!("type=\"event\", action=\"login\", status=\"failed\", srcip={ATTACKER}, user=\"{}\"", quoted(text)),
        format!("type=event action=login status=failed srcip={ATTACKER} user=\"{}\"", quoted(text)),
        format!("%ASA-6-605004: Login denied from {ATTACKER}/5 to outside:192.0.2.1/ssh for user \"{text}\""),
        format!("Jul  8 09:10:11 g php-fpm[1]: /index.php: webConfigurator authentication error for user '{text}' from: {ATTACKER}"),
        format!("%ASA-6-113015: AAA user authentication Rejected : reason = Invalid password : local database : user = {text} : user IP = {ATTACKER}"),
        format!("<30>1 2026-07-08T09:10:11Z web-1 shop 7 - - {}", serde_json::json!({"remote_addr": ATTACKER, "user": text})),
    ]
}

fn lines(text: &str) -> Vec<String> {
    [ssh_lines(text), web_lines(text), structured_lines(text)].concat()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_moves_the_client_address(text in chosen_by_client()) {
        for (number, line) in lines(&text).iter().enumerate() {
            let payload = payload(super::line(line), &[]);
            let found = only(&payload);
            if let Some(address) = super::text(&found, "client.address") {
                prop_assert_eq!(address, ATTACKER, "line {} {}", number, line);
            }
            if text.is_ascii() && number == 0 {
                prop_assert_eq!(super::text(&found, "client.address"), Some(ATTACKER), "{}", line);
                prop_assert_eq!(super::text(&found, "user.name").unwrap_or_default(), &text);
            }
            let succeeded = super::text(&found, "event.outcome") == Some("success");
            prop_assert!(!succeeded, "{} became a success", line);
        }
    }

    #[test]
    fn any_text_is_normalized_without_a_panic(text in "\\PC{0,80}", opening in 0..OPENINGS.len()) {
        let line_text = format!("{}{text}", OPENINGS[opening]);
        for record in [line(&line_text), object(&[("message", &text), (&text, "x"), ("request", &text)]), object(&[("message", &line_text)])] {
            let payload = payload(record, &[]);
            only(&payload);
        }
    }

    #[test]
    fn broken_samples_are_normalized_without_a_panic(
        number in 0..SAMPLES.len(), cut in any::<prop::sample::Index>(), noise in "\\PC{0,6}", behind in any::<bool>(),
    ) {
        let sample = SAMPLES[number].line;
        let mut at = cut.index(sample.len() + 1);
        while !sample.is_char_boundary(at) {
            at -= 1;
        }
        let rest = if behind { &sample[at..] } else { "" };
        let text = format!("{}{noise}{rest}", &sample[..at]);
        for record in [line(&text), object(&[("message", &text)]), object(&[("MESSAGE", &text), ("SYSLOG_IDENTIFIER", "kernel")])] {
            let payload = payload(record, &[]);
            only(&payload);
        }
    }

    #[test]
    fn fields_of_a_line_are_borrowed_from_it(user in "[a-z]{1,8}", port in 1..u16::MAX) {
        let line = format!("Jul  8 09:10:11 web-1 sshd[812]: Failed password for {user} from 2001:db8::17 port {port} ssh2");
        let payload = payload(super::line(&line), &[]);
        for (name, value) in only(&payload).event.fields {
            let borrowed = !matches!(&value, Value::String(Cow::Owned(_)));
            prop_assert!(borrowed, "{} is a copy", name);
        }
    }
}

/// Work must grow with the line, not with its square: a megabyte that looks like many beginnings.
#[test]
fn long_lines_take_one_pass() {
    let many = [
        format!(
            "sshd[1]: Failed publickey for {} from {ATTACKER} port 5 ssh2: x y z",
            "a from 1.1.1.1 port 1 ssh2: b ".repeat(40_000)
        ),
        format!("Disconnecting invalid user {}", "a 1.1.1.1 port 1: ".repeat(60_000)),
        format!("Failed publickey for {}", "a ssh2: ".repeat(120_000)),
        format!("Disconnecting invalid user {}", "a: ".repeat(300_000)),
        format!("alice : TTY=x ; {}", "USER=a ; COMMAND=b ; ".repeat(50_000)),
        format!("1.1.1.1 - - [08/Jul/2026:09:10:11 +0000] \"GET /{}", "\\\"%2e".repeat(150_000)),
        "<1>1 - - - - - [".repeat(60_000),
        "{\"log\":\"{".repeat(100_000),
        "2026-07-08T09:10:11Z stdout F ".repeat(30_000),
        "message repeated 2 times: [ ".repeat(30_000),
        format!("type=EXECVE msg=audit(1.0:1): {}", "a1[1]=41 ".repeat(100_000)),
        format!("type=USER_LOGIN msg=audit(1.0:1): {}", "msg='".repeat(200_000)),
        format!("<1>1 - h a - - {}", "[a b=\"\\]\"]".repeat(90_000)),
        format!("CEF:0|a|b|1|2|c|3|{}", "a=b ".repeat(200_000)),
        format!("x IN={}", " SRC=198.51.100.7".repeat(60_000)),
        format!("a=1 {}", "b=2 ".repeat(200_000)),
        format!("2026/07/08 09:10:11 [error] 1#1: {}", ", client: ".repeat(100_000)),
        format!("[Wed Jul 08 09:10:11 2026] [error] {}", "[remote x] ".repeat(90_000)),
        format!("198.51.100.7:1 [08/Jul/2026:09:10:11.655] in b/s {}", "1/".repeat(400_000)),
        format!("https 2026-07-08T09:10:11Z a 198.51.100.7:1 {}", "\"\\\"".repeat(200_000)),
        format!("a=1, b=2, {}", "c=\"".repeat(200_000)),
        format!("a=1, b=2, {}", "c=3, ".repeat(200_000)),
        format!("x \"{}", "\"a\"=1,".repeat(100_000)),
        format!("<a>{}", "<b c=\"d\"/>".repeat(90_000)),
        format!("<a>{}", "<b>".repeat(200_000)),
        format!("<134>{}", "<134>".repeat(150_000)),
        format!("%ASA-6-113005: {}", "user = a : user IP = 1.1.1.1 ".repeat(30_000)),
        format!("1,2026/07/08 09:10:11,1,SYSTEM,{}", "\"\",".repeat(200_000)),
        format!("1,2026/07/08 09:10:11,1,SYSTEM,{}", "\"\"\"".repeat(200_000)),
        format!("__CURSOR=a\n{}", "A=b\n".repeat(150_000)),
        format!("{{\"a\":[{}{{}}]}}", "{\"client.ip.user\":\"1.1.1.1\"},".repeat(30_000)),
        format!("{{\"Records\":[{}", "{\"a\":[".repeat(100_000)),
    ];
    for text in many {
        for prefix in ["", "Jul  8 09:10:11 h sshd[1]: ", "Jul  8 09:10:11 h sudo: "] {
            let payload = payload(line(&format!("{prefix}{text}")), &[]);
            only(&payload);
        }
    }
}
