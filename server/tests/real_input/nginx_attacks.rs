//! Clients of nginx with their requests, and the expectations of a person reading its access log about each of them.

use super::machine::or_skip;
use super::nginx::{Nginx, Programs};
use super::senders::{access_date, send_by_curl};
use super::server::Server;
use super::skip::say;
use super::verdict::{Expected, Verdict};

const VISITOR: &str = "127.0.1.2";
const SWEEPER: &str = "127.0.1.3";
const CLIMBER: &str = "127.0.1.4";
const INJECTOR: &str = "127.0.1.5";
const PROBER: &str = "127.0.1.6";
const THIEF: &str = "127.0.1.7";
const INTRUDER: &str = "127.0.1.8";
const MISTAKEN: &str = "127.0.1.9";

/// Requests of harmless visitors, including words of SQL and dead links.
const ORDINARY: [(&str, u16); 10] = [
    ("/", 200),
    ("/style.css", 200),
    ("/favicon.ico", 404),
    ("/about.html", 200),
    ("/search?q=union+station+select+hotels", 200),
    ("/search?q=rock+%27n%27+roll+and+more", 200),
    ("/search?q=how+to+drop+a+table+from+a+truck", 200),
    ("/products?id=42&order=price&from=10", 200),
    ("/docs/environment.html", 200),
    ("/old/page.html", 404),
];
const CLIMBING: [&str; 4] = [
    "/../../../../etc/passwd",
    "/static/..%2f..%2f..%2f..%2fetc%2fpasswd",
    "/%2e%2e/%2e%2e/%2e%2e/etc/shadow",
    "/images/..%255c..%255cwindows/win.ini",
];
const INJECTED: [&str; 3] = [
    "/products?id=1%27%20OR%20%271%27=%271",
    "/products?id=-1+UNION+ALL+SELECT+user,password,null+FROM+users--",
    "/products?id=1;SELECT%20pg_sleep(5)--",
];
const COMMANDS: [&str; 2] = ["/uploads/shell.php?cmd=id", "/uploads/shell.php?cmd=cat%20/etc/passwd"];
const SWEPT: usize = 25;

#[test]
fn attacks_on_nginx_become_the_incidents_a_person_would_name() {
    let Some(programs) = or_skip("nginx", Programs::find()) else { return };
    let nginx = Nginx::start(&programs);
    attack(&nginx);
    let log = nginx.stop();
    let lines: Vec<&str> = log.lines().collect();

    let server = Server::start();
    let source = server.source("web");
    send_by_curl(&server, &source, "nginx", &log);
    let expected = expected(&lines);
    let verdict = Verdict::await_of(&server, &source, &expected);
    say(&format!("\n{}\n{} lines of nginx, sent by curl\n{verdict}", programs.version(), lines.len()));
    verdict.must_hold();
    nobody_else_is_blamed(&lines, &verdict);
    times_are_the_log_s_own(&lines, &verdict);
}

fn attack(nginx: &Nginx) {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for (path, status) in ORDINARY {
                assert_eq!(nginx.get(VISITOR, path), status, "{path}");
            }
        });
        scope.spawn(|| {
            for number in 0..SWEPT {
                assert_eq!(nginx.get(SWEEPER, &format!("/admin/panel{number}/")), 404);
            }
        });
        scope.spawn(|| {
            for path in CLIMBING {
                assert!(nginx.get(CLIMBER, path) >= 400, "{path}");
            }
            for path in INJECTED {
                assert_eq!(nginx.get(INJECTOR, path), 200, "{path}");
            }
        });
        scope.spawn(|| {
            assert_eq!(nginx.get(PROBER, "/app/.env"), 404);
            assert_eq!(nginx.get(THIEF, "/"), 200);
            assert_eq!(nginx.get(THIEF, "/.env"), 200);
            for path in COMMANDS {
                assert_eq!(nginx.get(INTRUDER, path), 200, "{path}");
            }
            nginx.speak_tls(MISTAKEN);
        });
    });
}

/// Lines of an address, found as a person does with grep.
fn count(lines: &[&str], address: &str, text: &str) -> usize {
    let opening = format!("{address} ");
    lines.iter().filter(|line| line.starts_with(&opening) && line.contains(text)).count()
}

fn expected(lines: &[&str]) -> Vec<Expected> {
    vec![
        Expected {
            did: "asked for 25 paths that do not exist",
            address: SWEEPER,
            title: "Web content discovery (path enumeration)",
            severity: "medium",
            rules: &[],
            events: count(lines, SWEEPER, "\" 404 "),
        },
        Expected {
            did: "tried to climb out of the pages, 4 ways",
            address: CLIMBER,
            title: "Repeated path traversal",
            severity: "medium",
            rules: &["Repeated path traversal"],
            events: count(lines, CLIMBER, "\" 40"),
        },
        Expected {
            did: "sent SQL, 3 ways",
            address: INJECTOR,
            title: "SQL injection",
            severity: "high",
            rules: &["SQL injection"],
            events: count(lines, INJECTOR, "/products?id="),
        },
        Expected {
            did: "was given the .env file",
            address: THIEF,
            title: "Sensitive file served",
            severity: "high",
            rules: &["Sensitive file served"],
            events: count(lines, THIEF, "GET /.env HTTP/1.1\" 200 "),
        },
        Expected {
            did: "gave commands to a web shell",
            address: INTRUDER,
            title: "Web shell access",
            severity: "high",
            rules: &["Web shell access"],
            events: count(lines, INTRUDER, "GET /uploads/shell.php?cmd="),
        },
    ]
}

/// The log has lines of the ordinary visitors, too.
fn nobody_else_is_blamed(lines: &[&str], verdict: &Verdict<'_>) {
    assert_eq!(count(lines, VISITOR, ""), ORDINARY.len(), "{lines:#?}");
    assert_eq!(count(lines, PROBER, "/app/.env"), 1, "{lines:#?}");
    assert_eq!(count(lines, MISTAKEN, "\"\\x16\\x03"), 1, "{lines:#?}");
    let attacks = [(SWEEPER, SWEPT), (CLIMBER, CLIMBING.len()), (INJECTOR, INJECTED.len()), (INTRUDER, 2)];
    for (address, requests) in attacks {
        assert_eq!(count(lines, address, ""), requests, "{address}: {lines:#?}");
    }
    verdict.blames_nobody_but_expected();
}

/// An incident lasted from the date of its first line to that of its last, whenever the lines were sent.
fn times_are_the_log_s_own(lines: &[&str], verdict: &Verdict<'_>) {
    let mut dates =
        lines.iter().filter(|line| line.starts_with(&format!("{SWEEPER} "))).map(|line| access_date(line));
    let first = dates.next().unwrap();
    let last = dates.next_back().unwrap();
    let incident = verdict.about(SWEEPER);
    assert_eq!((&incident["first_seen_at"], &incident["last_activity_at"]), (&first.into(), &last.into()));
}
