//! Every correlation just below and just above its threshold.

use super::*;

/// A correlation, lines that satisfy it, and sets of lines that each nearly do.
struct Case {
    correlation: &'static str,
    satisfying: Vec<Timed>,
    nearly: Vec<Vec<Timed>>,
}

pub(super) fn tested() -> Vec<String> {
    cases().into_iter().map(|case| case.correlation.to_owned()).collect()
}

#[test]
fn each_correlation_is_satisfied_and_just_not() {
    let rules = built_in().unwrap();
    for Case { correlation, satisfying, nearly } in cases() {
        let found = correlations_satisfied(&rules, &satisfying);
        assert!(found.iter().any(|name| name == correlation), "{correlation} is not in {found:?}");
        for (number, lines) in nearly.iter().enumerate() {
            let found = correlations_satisfied(&rules, lines);
            assert!(
                found.iter().all(|name| name != correlation),
                "{correlation} is in {found:?} of {number}"
            );
        }
    }
}

/// `count` lines, `every` seconds apart.
fn spaced(count: u64, every: u64, line: impl Fn(u64) -> String) -> Vec<Timed> {
    (0..count).map(|number| (number * every, line(number))).collect()
}

fn then(mut lines: Vec<Timed>, at: u64, line: &str) -> Vec<Timed> {
    lines.push((at, line.to_owned()));
    lines
}

fn ssh(message: &str) -> String {
    format!("Nov 20 09:10:11 web-1 sshd[812]: {message}")
}

fn failed(user: &str, address: &str) -> String {
    ssh(&format!("Failed password for {user} from {address} port 50122 ssh2"))
}

fn web(request: &str, status: u16) -> String {
    format!(
        "198.51.100.7 - - [20/Nov/2026:09:10:11 +0000] \"{request} HTTP/1.1\" {status} 153 \"-\" \"curl/8.5\""
    )
}

fn sudo(reason: &str) -> String {
    format!(
        "Nov 20 09:10:11 web-1 sudo: bob : {reason} ; TTY=pts/1 ; PWD=/home/bob ; USER=root ; COMMAND=/bin/ls"
    )
}

const ATTACKER: &str = "198.51.100.7";

fn accepted(method: &str, address: &str) -> String {
    ssh(&format!("Accepted {method} for deploy from {address} port 50122 ssh2"))
}

fn cases() -> Vec<Case> {
    [ssh_cases(), ssh_success_cases(), privilege_cases(), web_cases()].into_iter().flatten().collect()
}

fn user(number: u64) -> String {
    format!("user{number}")
}

fn guessing() -> Vec<Timed> {
    spaced(5, 60, |_| failed("deploy", ATTACKER))
}

fn spraying() -> Vec<Timed> {
    spaced(5, 150, |number| failed(&user(number), ATTACKER))
}

fn ssh_cases() -> Vec<Case> {
    let invalid = |count, every| {
        spaced(count, every, |number| {
            ssh(&format!("Invalid user {} from {ATTACKER} port 50122", user(number)))
        })
    };
    let abandoned = |count| {
        spaced(count, 30, |_| {
            ssh(&format!("Connection closed by authenticating user root {ATTACKER} port 5 [preauth]"))
        })
    };
    vec![
        Case {
            correlation: "ssh_password_guessing",
            // Whatever the user names.
            satisfying: spaced(5, 120, |number| failed(&user(number), ATTACKER)),
            nearly: vec![
                spaced(4, 60, |_| failed("deploy", ATTACKER)),
                spaced(8, 240, |_| failed("deploy", ATTACKER)),
                spaced(9, 60, |number| failed("deploy", &format!("203.0.113.{number}"))),
            ],
        },
        Case {
            correlation: "ssh_password_brute_force",
            satisfying: spaced(50, 10, |_| failed("root", ATTACKER)),
            nearly: vec![spaced(49, 10, |_| failed("root", ATTACKER))],
        },
        Case {
            correlation: "ssh_password_spray",
            satisfying: spraying(),
            nearly: vec![
                spaced(12, 60, |number| failed(&user(number % 4), ATTACKER)),
                spaced(5, 160, |number| failed(&user(number), ATTACKER)),
            ],
        },
        Case {
            correlation: "ssh_user_enumeration",
            satisfying: invalid(5, 60),
            nearly: vec![invalid(4, 60), invalid(6, 200)],
        },
        Case { correlation: "ssh_abandoned_logins", satisfying: abandoned(10), nearly: vec![abandoned(9)] },
    ]
}

fn ssh_success_cases() -> Vec<Case> {
    let by_password = accepted("password", ATTACKER);
    let by_key = accepted("publickey", ATTACKER);
    let elsewhere = accepted("password", "203.0.113.5");
    vec![
        Case {
            correlation: "ssh_login_after_guessing",
            satisfying: then(guessing(), 1_000, &by_password),
            nearly: vec![
                then(guessing(), 1_000, &by_key),
                then(guessing(), 1_000, &elsewhere),
                // Somebody else behind the same address.
                then(spaced(5, 60, |_| failed("root", ATTACKER)), 1_000, &by_password),
                then(guessing(), 3 * 3_600, &by_password),
                then(spaced(3, 60, |_| failed("deploy", ATTACKER)), 240, &by_password),
                spaced(
                    6,
                    60,
                    |number| if number == 0 { by_password.clone() } else { failed("deploy", ATTACKER) },
                ),
            ],
        },
        Case {
            correlation: "ssh_login_after_spray",
            satisfying: then(spraying(), 2_000, &by_password),
            nearly: vec![then(spraying(), 2_000, &by_key), then(spraying(), 2_000, &elsewhere)],
        },
    ]
}

fn privilege_cases() -> Vec<Case> {
    let su = |count, target: &'static str| {
        spaced(count, 60, move |_| {
            format!("Nov 20 09:10:11 web-1 su[9]: FAILED SU (to {target}) bob on pts/0")
        })
    };
    let wrong = |count, reason: &'static str| spaced(count, 60, move |_| sudo(reason));
    vec![
        Case {
            correlation: "su_to_root_guessing",
            satisfying: su(3, "root"),
            nearly: vec![su(2, "root"), su(5, "postgres")],
        },
        Case {
            correlation: "sudo_password_guessing",
            satisfying: wrong(3, "3 incorrect password attempts"),
            nearly: vec![wrong(2, "3 incorrect password attempts"), wrong(9, "a password is required")],
        },
        Case {
            correlation: "sudo_denied_repeatedly",
            satisfying: spaced(3, 1_000, |_| sudo("user NOT in sudoers")),
            nearly: vec![spaced(2, 1_000, |_| sudo("command not allowed"))],
        },
    ]
}

/// Requests in turn, a minute apart.
fn in_turn(requests: &'static [&'static str], status: u16) -> Vec<Timed> {
    requests.iter().zip(0..).map(|(request, number)| (number * 60, web(request, status))).collect()
}

fn web_cases() -> Vec<Case> {
    let login = |count| spaced(count, 30, |_| web("POST /login", 401));
    let missing = |count| spaced(count, 5, |number| web(&format!("GET /old/{number}"), 404));
    let errors = |count| spaced(count, 5, |_| web("GET /api", 502));
    vec![
        Case {
            correlation: "web_password_guessing",
            satisfying: login(10),
            nearly: vec![login(9), spaced(30, 10, |_| web("GET /api/orders", 401))],
        },
        Case {
            correlation: "web_login_after_guessing",
            satisfying: then(login(10), 600, &web("POST /login", 302)),
            nearly: vec![
                then(login(9), 600, &web("POST /login", 302)),
                then(login(10), 600, &web("GET /login", 200)),
            ],
        },
        Case {
            correlation: "web_path_traversal_repeated",
            satisfying: in_turn(
                &[
                    "GET /../../etc/passwd",
                    "GET /a?f=..%2f..%2fetc%2fpasswd",
                    "GET /%2e%2e/%2e%2e/etc/shadow",
                ],
                400,
            ),
            nearly: vec![in_turn(
                &["GET /../../etc/passwd", "GET /a?id=1'+or+'1'='1", "GET /%2e%2e/%2e%2e/etc/shadow"],
                400,
            )],
        },
        Case {
            correlation: "web_attack_repeated",
            satisfying: in_turn(
                &["GET /a?f=../../../../etc/passwd", "GET /a?id=1'+or+'1'='1", "GET /a?q=;cat+/etc/hosts"],
                404,
            ),
            nearly: vec![in_turn(&["GET /a?f=../../../../etc/passwd", "GET /a?q=;cat+/etc/hosts"], 404)],
        },
        Case {
            correlation: "web_path_sweep",
            satisfying: missing(20),
            // The same page over and over is a broken link.
            nearly: vec![missing(19), spaced(200, 1, |_| web("GET /old/1", 404))],
        },
        Case {
            correlation: "web_sensitive_file_sweep",
            satisfying: in_turn(&["GET /.env", "GET /.git/config", "GET /backup.zip"], 404),
            nearly: vec![in_turn(&["GET /.env", "GET /.env", "GET /.git/config", "GET /robots.txt"], 404)],
        },
        Case {
            correlation: "web_server_error_sweep",
            satisfying: spaced(20, 10, |number| web(&format!("GET /api?id={number}'"), 500)),
            nearly: vec![
                spaced(60, 4, |number| web(&format!("GET /api/{}", number % 6), 500)),
                // A server that is away fails at everything.
                spaced(60, 4, |number| web(&format!("GET /api/{number}"), 503)),
            ],
        },
        Case {
            correlation: "web_server_error_burst",
            satisfying: errors(50),
            nearly: vec![errors(49), spaced(60, 5, |_| web("GET /api", 404))],
        },
    ]
}

/// Lines of an ordinary fleet.
pub(super) fn benign() -> Vec<Timed> {
    let lines = include_str!("benign.log").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let timed = |line: &str| {
        let (at, line) = line.split_once(' ').unwrap();
        (at.parse().unwrap(), line.to_owned())
    };
    lines.map(timed).collect()
}

/// An hour of an ordinary fleet: nothing in it is worth a look.
#[test]
fn benign_traffic_qualifies_nothing() {
    let rules = built_in().unwrap();
    let lines = benign();
    assert!(lines.len() > 200);
    for (_, line) in &lines {
        for name in rules_finding(&rules, line) {
            let rule = rules.rules().iter().find(|rule| name_of(&rule.info) == name).unwrap();
            assert!(rule.info.level < Some(Level::Medium), "{name} finds {line}");
        }
    }
    let satisfied = correlations_satisfied(&rules, &lines);
    assert!(satisfied.is_empty(), "{satisfied:?}");
}
