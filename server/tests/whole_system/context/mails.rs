//! Mails that two independent programs signed, dkimpy and OpenDKIM, through the front door, with keys and policies in a real name server.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::name_servers::{NameServers, is_here, txt};
use crate::server::{Server, everywhere, wait_for};
use crate::skip::{Lacking, skip};

const OPENDKIM: &str = "/usr/sbin/opendkim-testmsg";
const SIGN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/whole_system/context/sign.py");
const HEADER: &str = "From: Anna <anna@sender.example>\r\nTo: Ben <ben@receiver.example>\r\nSubject: Minutes of Tuesday\r\n\
    Date: Tue, 24 Nov 2026 09:00:00 +0000\r\nMessage-ID: <1@sender.example>\r\n";
const BODY: &str = "\r\nDear Ben,\r\n\r\nthe minutes of Tuesday are in the shared folder. See you on Thursday at ten.\r\n\r\nAnna\r\n";

/// Keys with their name server.
struct Signers {
    directory: tempfile::TempDir,
    names: NameServers,
}

/// Signing programs.
#[derive(Clone, Copy, Debug)]
enum Program {
    Dkimpy,
    OpenDkim,
}

pub(super) fn python() -> std::ffi::OsString {
    std::env::var_os("PALISADE_TEST_PYTHON").unwrap_or_else(|| "python3".into())
}

fn run(command: &mut Command, input: &[u8]) -> Vec<u8> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// A new key, and its record.
fn key(directory: &Path, name: &str) -> String {
    let file = directory.join(name);
    run(Command::new("openssl").args(["genrsa", "-traditional", "-out"]).arg(&file).arg("2048"), b"");
    let public = run(
        Command::new("openssl").arg("rsa").arg("-in").arg(&file).args(["-pubout", "-outform", "PEM"]),
        b"",
    );
    let public = String::from_utf8(public).unwrap();
    let base64: String = public.lines().filter(|line| !line.starts_with("--")).collect();
    txt(&format!("v=DKIM1; k=rsa; p={base64}"))
}

impl Signers {
    fn start(test: &str) -> Option<Self> {
        if !is_here(OPENDKIM, test) || !NameServers::is_here(test) {
            return None;
        }
        let has_dkimpy = Command::new(python()).args(["-c", "import dkim"]).output();
        if !has_dkimpy.is_ok_and(|output| output.status.success()) {
            skip(test, Lacking::Daemons, "Python has no dkimpy (server/tests/requirements.txt)");
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        let of = |name: &str| key(directory.path(), name);
        // Written, and in no zone: the other one is.
        of("stolen");
        of("unpublished");
        let zone = format!(
            "own._domainkey.sender {}\nstolen._domainkey.sender {}\nown._domainkey.other {}\nseal._domainkey.list {}\n\
             _dmarc.sender {}\n_dmarc.other {}\nsender {}\n",
            of("sender"),
            of("real"),
            of("other"),
            of("list"),
            txt("v=DMARC1; p=reject; adkim=r; aspf=r"),
            txt("v=DMARC1; p=none"),
            txt("v=spf1 ip4:192.0.2.0/24 -all"),
        );
        let names = NameServers::start(&[("example", zone)]);
        Some(Self { directory, names })
    }

    fn server(&self) -> Server {
        let mut server = Server::unstarted();
        server.set("PALISADE__OUTBOUND__NAME_SERVERS", &self.names.setting());
        server.set("PALISADE__OUTBOUND__RESOLVE_TIMEOUT_MS", "800");
        server.set("PALISADE__CONTEXT__MAIL_RELAYS", r#"["mx.receiver.example"]"#);
        server.set("PALISADE__CONTEXT__ARC_SEALERS", r#"["list.example"]"#);
        server.run();
        server
    }

    fn signed(&self, program: Program, (selector, domain, key): (&str, &str, &str)) -> Vec<u8> {
        let key = self.directory.path().join(key);
        let mail = [HEADER, BODY].concat();
        match program {
            Program::Dkimpy => {
                let mut command = Command::new(python());
                run(command.args([SIGN, "dkim", selector, domain]).arg(key), mail.as_bytes())
            }
            Program::OpenDkim => {
                let mut command = Command::new(OPENDKIM);
                command.args(["-C", "-d", domain, "-s", selector, "-k"]).arg(key);
                run(&mut command, mail.as_bytes())
            }
        }
    }
}

fn scan(server: &Server, mail: &[u8]) -> Value {
    let request = server.request("POST", "/context/email?mode=full&details=true");
    request.header("content-type", "message/rfc822").body(mail.to_vec()).send(server.address()).json()
}

/// Outcome and points of a check.
fn outcome(result: &Value, id: &str) -> (String, i64) {
    let checks = result["checks"].as_array().unwrap_or_else(|| panic!("{result}"));
    let check = checks.iter().find(|check| check["id"] == id).unwrap();
    (check["outcome"].as_str().unwrap().to_owned(), check["points"].as_i64().unwrap())
}

fn passed(points: i64) -> (String, i64) {
    ("passed".to_owned(), points)
}

fn failed(points: i64) -> (String, i64) {
    ("failed".to_owned(), points)
}

/// Everything but identifier and time.
fn compared(result: &Value) -> Value {
    let mut result = result.clone();
    for field in ["identifier", "scanned_at"] {
        result.as_object_mut().unwrap().remove(field);
    }
    result
}

const OWN: (&str, &str, &str) = ("own", "sender.example", "sender");

#[test]
fn mails_of_two_signing_programs_have_equal_results() {
    let Some(mut signers) = Signers::start("signed mails") else { return };
    let server = signers.server();
    let both = |identity: (&str, &str, &str), change: &dyn Fn(Vec<u8>) -> Vec<u8>| {
        let [one, other] = [Program::Dkimpy, Program::OpenDkim]
            .map(|program| scan(&server, &change(signers.signed(program, identity))));
        assert_eq!(compared(&one), compared(&other));
        one
    };
    let same = |mail: Vec<u8>| mail;
    let valid = both(OWN, &same);
    assert_eq!((outcome(&valid, "email.dkim"), outcome(&valid, "email.dmarc")), (passed(20), passed(20)));
    assert_eq!((&valid["verdict"], &valid["floor"]), (&json!("safe"), &json!(null)), "{valid}");

    let altered =
        both(OWN, &|mail| String::from_utf8(mail).unwrap().replace("at ten", "at two").into_bytes());
    assert_eq!((outcome(&altered, "email.dkim"), outcome(&altered, "email.dmarc")), (failed(0), failed(-30)));
    assert_eq!(altered["threats"][0]["type"], "phishing", "{altered}");

    let stolen = both(("stolen", "sender.example", "stolen"), &same);
    assert_eq!((outcome(&stolen, "email.dkim"), outcome(&stolen, "email.dmarc")), (failed(0), failed(-30)));

    let unpublished = both(("absent", "sender.example", "unpublished"), &same);
    assert_eq!(outcome(&unpublished, "email.dkim"), failed(0), "{unpublished}");

    let unaligned = both(("own", "other.example", "other"), &same);
    let outcomes = (outcome(&unaligned, "email.dkim"), outcome(&unaligned, "email.dmarc"));
    assert_eq!(outcomes, (passed(20), failed(-30)), "{unaligned}");

    signers.names.stop();
    let signers = &signers;
    for program in [Program::Dkimpy, Program::OpenDkim] {
        // Another mail than before, since results are kept.
        let mail = [b"X-Note: again\r\n".to_vec(), signers.signed(program, OWN)].concat();
        let result = scan(&server, &mail);
        for id in ["email.dkim", "email.dmarc"] {
            assert_eq!(outcome(&result, id), ("not_possible".to_owned(), 0), "{result}");
        }
        assert_eq!((&result["floor"], &result["confidence"]), (&json!("caution"), &json!("low")));
    }
}

#[test]
fn configured_relays_and_sealers_vouch_for_a_mail() {
    let Some(signers) = Signers::start("relays and sealers of mails") else { return };
    let server = signers.server();
    let received = |address: &str, by: &str| {
        let line = format!(
            "Return-Path: <anna@sender.example>\r\nReceived: from out.sender.example (out.sender.example [{address}])\r\n by {by} \
             with ESMTPS id 1;\r\n Tue, 24 Nov 2026 09:00:01 +0000\r\n"
        );
        [line.into_bytes(), signers.signed(Program::OpenDkim, OWN)].concat()
    };
    let relay = "mx.receiver.example";
    assert_eq!(outcome(&scan(&server, &received("192.0.2.7", relay)), "email.spf"), passed(5));
    assert_eq!(outcome(&scan(&server, &received("198.51.100.7", relay)), "email.spf"), failed(0));
    let elsewhere = scan(&server, &received("192.0.2.7", "mx.elsewhere.example"));
    assert_eq!(outcome(&elsewhere, "email.spf"), ("not_possible".to_owned(), 0));

    // A list that changes the subject, breaks the signature and seals the mail.
    let mail = String::from_utf8(signers.signed(Program::Dkimpy, OWN)).unwrap();
    let changed = mail.replace("Subject: Minutes", "Subject: [list] Minutes");
    let results = format!(
        "Authentication-Results: list.example; dkim=pass header.d=sender.example; arc=none\r\n{changed}"
    );
    let seal = |domain: &str, key: &str, selector: &str| {
        let mut command = Command::new(python());
        command
            .args([SIGN, "arc", selector, domain])
            .arg(signers.directory.path().join(key))
            .arg("list.example");
        run(&mut command, results.as_bytes())
    };
    let sealed = scan(&server, &seal("list.example", "list", "seal"));
    assert_eq!((outcome(&sealed, "email.arc"), outcome(&sealed, "email.dkim")), (passed(10), failed(0)));
    let by_others = scan(&server, &seal("other.example", "other", "own"));
    assert_eq!(outcome(&by_others, "email.arc"), passed(0), "{by_others}");
}

/// Waits until the result at a path is that of the whole scan.
fn whole(server: &Server, path: &str) -> Value {
    wait_for("the whole scan", || {
        let result = server.get(path);
        (result["pending_deep_scan"] == false).then_some(result)
    })
}

#[test]
fn results_survive_a_restart_and_a_mail_whose_scan_was_killed_is_scanned_when_it_is_sent_again() {
    everywhere("private results over a restart and a kill", |server| {
        let silent = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let setting = format!(r#"["{}"]"#, silent.local_addr().unwrap());
        server.set("PALISADE__OUTBOUND__NAME_SERVERS", &setting);
        server.set("PALISADE__OUTBOUND__RESOLVE_TIMEOUT_MS", "4000");
        assert!(server.interrupt());
        server.run();
        let send = |server: &Server, query: &str, mail: &[u8]| {
            let request = server.request("POST", &format!("/context/email{query}"));
            request.header("content-type", "message/rfc822").body(mail.to_vec()).send(server.address()).json()
        };
        let path = |result: &Value| {
            let (origin, identifier) = (result["origin"].as_str(), result["identifier"].as_str());
            format!("/context/{}/{}?details=true", origin.unwrap(), identifier.unwrap())
        };
        let message =
            server.send("POST", "/context/message?details=true", &json!({"text": "Lunch at 12?"})).json();
        let email =
            send(server, "", b"From: Anna <anna@sender.example>\r\nSubject: Lunch\r\n\r\nAt twelve?\r\n");
        let email = whole(server, &path(&email));
        assert!(server.interrupt(), "the server ends in order");
        server.run();
        for result in [&message, &email] {
            assert_eq!(&server.get(&path(result)), result, "the result is stored");
        }

        let signature =
            b"DKIM-Signature: v=1; a=rsa-sha256; d=sender.example; s=own; h=from; bh=YQ==; b=YQ==\r\n";
        let mail = [HEADER.as_bytes(), signature, BODY.as_bytes()].concat();
        let first = send(server, "", &mail);
        assert_eq!(first["pending_deep_scan"], true, "{first}");
        server.kill();
        server.run();
        let request = server.request("GET", &path(&first)).send(server.address());
        if request.status == 200 {
            let lost = request.json();
            assert_eq!(
                (&lost["pending_deep_scan"], &lost["floor"]),
                (&json!(true), &json!("caution")),
                "{lost}"
            );
        } else {
            // Results are written a moment after the reply.
            assert_eq!(request.status, 404, "{}", request.text());
        }
        let again = send(server, "?mode=full&details=true", &mail);
        assert_eq!(again["pending_deep_scan"], false, "{again}");
        assert_eq!(outcome(&again, "email.dmarc").0, "not_possible", "{again}");
    });
}
