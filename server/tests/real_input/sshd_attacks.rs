//! Clients of sshd, and the expectations of a person reading its log about each of them.

use super::machine::or_skip;
use super::python::Python;
use super::senders::send_by_the_sdk;
use super::server::Server;
use super::skip::say;
use super::sshd::{GUESSABLE, Programs, Proof, Sshd};
use super::verdict::{Expected, Verdict};

const GUESSER: &str = "127.0.0.2";
const SPRAYER: &str = "127.0.0.3";
const INTRUDER: &str = "127.0.0.4";
const ADMINISTRATOR: &str = "127.0.0.5";
const AUTOMATION: &str = "127.0.0.6";
const PASSER_BY: &str = "127.0.0.7";

/// Names that scanners try. The last one imitates the end of a line, to blame another address.
const SPRAYED: [&str; 7] =
    ["admin", "oracle", "support", "ftpuser", "minecraft", "test user", "x from 198.51.100.99 port 22 ssh2"];

#[test]
fn attacks_on_sshd_become_the_incidents_a_person_would_name() {
    let ready = Programs::find().and_then(|programs| Ok((programs, Python::find()?)));
    let Some((programs, python)) = or_skip("sshd", ready) else { return };
    let versions = format!("{}; {}", programs.version(), python.version());

    let sshd = Sshd::start(programs);
    attack(&sshd);
    let has_intruder = sshd.has_guessable_account();
    if !has_intruder {
        say(
            "sshd: no mount namespace here, so no password may be the right one: the guessed login is left out",
        );
    }
    let log = sshd.stop();
    let lines: Vec<&str> = log.lines().collect();

    let server = Server::start();
    let source = server.source("bastion");
    send_by_the_sdk(&python, &server, &source, "sshd", &log);
    let mut expected = vec![guessing(&lines), spraying(&lines)];
    if has_intruder {
        expected.push(intrusion(&lines));
    }
    let verdict = Verdict::await_of(&server, &source, &expected);
    say(&format!("\n{versions}\n{} lines of sshd, sent by the OpenTelemetry SDK\n{verdict}", lines.len()));
    verdict.must_hold();
    nobody_else_is_blamed(&lines, &verdict);
}

/// All clients at once, so that their lines are mixed as on a real host.
fn attack(sshd: &Sshd) {
    let wrong = |password| Proof::Password(password, 1);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            assert!(!sshd.connect(ADMINISTRATOR, "root", wrong("typing error")));
            assert!(!sshd.connect(ADMINISTRATOR, "root", Proof::OtherKey));
            assert!(sshd.connect(ADMINISTRATOR, "root", Proof::Key));
        });
        scope.spawn(|| {
            for _ in 0..6 {
                assert!(sshd.connect(AUTOMATION, "root", Proof::Key));
            }
        });
        scope.spawn(|| assert!(!sshd.connect(PASSER_BY, "guest", Proof::OtherKey)));
        // Six times on one connection, which the server then closes, and twice on others.
        scope.spawn(|| {
            assert!(!sshd.connect(GUESSER, "root", Proof::Password("123456", 6)));
            assert!(!sshd.connect(GUESSER, "root", wrong("toor")));
            assert!(!sshd.connect(GUESSER, "root", wrong("password")));
        });
        scope.spawn(|| {
            for user in SPRAYED {
                assert!(!sshd.connect(SPRAYER, user, wrong("Winter2026!")));
            }
        });
        if sshd.has_guessable_account() {
            scope.spawn(|| {
                let (user, password) = GUESSABLE;
                assert!(!sshd.connect(INTRUDER, user, Proof::Password("Winter2025!", 3)));
                assert!(!sshd.connect(INTRUDER, user, Proof::Password("Winter2026!", 3)));
                assert!(sshd.connect(INTRUDER, user, wrong(password)));
            });
        }
    });
}

/// Lines that contain a text and end in this address, found as a person does with grep.
fn count(lines: &[&str], text: &str, address: &str) -> usize {
    let from = format!(" from {address} port ");
    lines.iter().filter(|line| line.contains(text) && line.contains(&from)).count()
}

/// Lines of sshd about a client that gave up, or was disconnected, before it had logged in.
fn given_up(lines: &[&str], address: &str) -> usize {
    let of_address = format!(" {address} port ");
    lines
        .iter()
        .filter(|line| line.starts_with("Connection closed by ") || line.starts_with("Disconnecting "))
        .filter(|line| line.contains(" user ") && line.contains(&of_address))
        .count()
}

fn guessing(lines: &[&str]) -> Expected {
    let failed = count(lines, "Failed password for root ", GUESSER);
    assert_eq!(failed, 8, "{lines:#?}");
    Expected {
        did: "8 wrong passwords of root",
        address: GUESSER,
        title: "SSH password guessing",
        severity: "medium",
        rules: &["SSH password guessing"],
        events: failed + given_up(lines, GUESSER),
    }
}

fn spraying(lines: &[&str]) -> Expected {
    let failed = count(lines, "Failed password for invalid user ", SPRAYER);
    let asked = count(lines, "Invalid user ", SPRAYER);
    assert_eq!((failed, asked), (SPRAYED.len(), SPRAYED.len()), "{lines:#?}");
    Expected {
        did: "one password for 7 users that do not exist",
        address: SPRAYER,
        title: "SSH password spraying",
        severity: "medium",
        rules: &["SSH password spraying", "SSH user enumeration"],
        events: failed + asked + given_up(lines, SPRAYER),
    }
}

fn intrusion(lines: &[&str]) -> Expected {
    let failed = count(lines, "Failed password for deploy ", INTRUDER);
    let accepted = count(lines, "Accepted password for deploy ", INTRUDER);
    assert_eq!((failed, accepted), (6, 1), "{lines:#?}");
    Expected {
        did: "6 wrong passwords of deploy, then the right one",
        address: INTRUDER,
        title: "SSH login succeeded after password guessing",
        severity: "critical",
        rules: &["SSH login succeeded after password guessing"],
        events: failed + accepted + given_up(lines, INTRUDER),
    }
}

/// The log has lines of the ordinary clients, and of the address that a user name imitated.
fn nobody_else_is_blamed(lines: &[&str], verdict: &Verdict) {
    assert_eq!(count(lines, "Accepted publickey for root ", AUTOMATION), 6, "{lines:#?}");
    assert_eq!(count(lines, "Failed password for root ", ADMINISTRATOR), 1, "{lines:#?}");
    assert_eq!(count(lines, "Invalid user guest ", PASSER_BY), 1, "{lines:#?}");
    assert!(lines.iter().any(|line| line.contains("198.51.100.99 port 22 ssh2")), "{lines:#?}");
    verdict.blames_nobody_but_expected();
}
