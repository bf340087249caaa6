//! What a client can write into a line must not become what the line says about the client.

use proptest::prelude::*;

use super::*;

const ATTACKER: &str = "198.51.100.7";
const FRAMED: &str = "203.0.113.9";

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

fn lines(text: &str) -> Vec<String> {
    let web = quoted(text);
    let ssh = |message: String| format!("Jul  8 09:10:11 web-1 sshd[812]: {message}");
    vec![
        ssh(format!("Failed password for invalid user {text} from {ATTACKER} port 5 ssh2")),
        ssh(format!("Failed publickey for invalid user {text} from {ATTACKER} port 5 ssh2: RSA SHA256:abc")),
        ssh(format!("Failed publickey for invalid user {text} from {ATTACKER} port 5 ssh2: RSA-CERT SHA256:abc ID {text} (serial 0) CA RSA SHA256:def")),
        ssh(format!("Invalid user {text} from {ATTACKER} port 5")),
        ssh(format!("Connection closed by invalid user {text} {ATTACKER} port 5 [preauth]")),
        ssh(format!("Disconnecting invalid user {text} {ATTACKER} port 5: Change of username or service not allowed: ({text},x) -> ({text},x) [preauth]")),
        ssh(format!("error: maximum authentication attempts exceeded for invalid user {text} from {ATTACKER} port 5 ssh2 [preauth]")),
        ssh(format!("Received disconnect from {ATTACKER} port 5:11: {text} [preauth]")),
        ssh(format!("Bad protocol version identification '{text}' from {ATTACKER} port 5")),
        ssh(format!("pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser={text} rhost={ATTACKER}")),
        ssh(format!("pam_sss(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost={ATTACKER} user={text}")),
        format!("{ATTACKER} - {web} [08/Jul/2026:09:10:11 +0000] \"GET /{web} HTTP/1.1\" 401 5 \"{web}\" \"{web}\" \"{web}\""),
        serde_json::json!({"remote_addr": ATTACKER, "request": format!("GET /{text} HTTP/1.1"), "status": 401, "http_user_agent": text, "message": text}).to_string(),
        format!("web-1 app[3]: Jul  8 09:10:11 user {text} failed"),
    ]
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
    fn any_text_is_normalized_without_a_panic(text in "\\PC{0,80}", prefix in 0..6_usize) {
        let prefix = ["", "Jul  8 09:10:11 h sshd[1]: ", "Jul  8 09:10:11 h sudo: ", "<1>1 ", "{\"log\":\"", "2026-07-08T09:10:11Z h su: "][prefix];
        for record in [line(&format!("{prefix}{text}")), object(&[("message", &text), (&text, "x"), ("request", &text)])] {
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
    ];
    for text in many {
        for prefix in ["", "Jul  8 09:10:11 h sshd[1]: ", "Jul  8 09:10:11 h sudo: "] {
            let payload = payload(line(&format!("{prefix}{text}")), &[]);
            only(&payload);
        }
    }
}
