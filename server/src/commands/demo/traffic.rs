//! What the demo sends: the logs of a small shop under a few attacks, among ordinary traffic. Made by
//! counting, not by chance, so that every demo tells the same story.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

/// The lines of one source, in the order in which they happened.
pub(super) struct Stream {
    /// Name of the source.
    pub source: &'static str,
    /// What kind of lines these are.
    pub what: &'static str,
    /// The lines, as a log drain sends them.
    pub lines: Vec<Value>,
}

/// What happened in the quarter of an hour before `now`.
pub(super) fn streams(now: Timestamp) -> Vec<Stream> {
    let start = now - Duration::from_secs(15 * 60);
    vec![bastion(start), shop(start)]
}

struct Lines {
    start: Timestamp,
    timed: Vec<(u64, Value)>,
}

impl Lines {
    fn new(start: Timestamp) -> Self {
        Self { start, timed: Vec::new() }
    }

    /// A line of a program, so many milliseconds after the start.
    fn program(&mut self, millis: u64, program: &str, message: String) {
        let time = self.start + Duration::from_millis(millis);
        let line = json!({"timestamp": format!("{time:.3}"), "host": "bastion-1", "program": program, "message": message});
        self.timed.push((millis, line));
    }

    /// A line of an access log in the combined format.
    fn access(&mut self, millis: u64, client: &str, request: &str, status: u16, agent: &str) {
        let time = self.start + Duration::from_millis(millis);
        let stamp = time.strftime("%d/%b/%Y:%H:%M:%S +0000");
        let message = format!(r#"{client} - - [{stamp}] "{request} HTTP/1.1" {status} 512 "-" "{agent}""#);
        let line = json!({"timestamp": format!("{time:.3}"), "host": "web-1", "program": "nginx", "message": message});
        self.timed.push((millis, line));
    }

    fn in_order(mut self) -> Vec<Value> {
        self.timed.sort_by_key(|(millis, _)| *millis);
        self.timed.into_iter().map(|(_, line)| line).collect()
    }
}

/// A host people log in to: ordinary logins, a brute force that succeeds, a spray, abuse of sudo.
fn bastion(start: Timestamp) -> Stream {
    let mut lines = Lines::new(start);
    for number in 0..120_u64 {
        let user = ["alice", "bob", "carol", "deploy"][number as usize % 4];
        let from = 10 + number % 20;
        let at = number * 7_000;
        lines.program(
            at,
            "sshd",
            format!(
                "Accepted publickey for {user} from 198.51.100.{from} port {} ssh2: ED25519 SHA256:demo",
                40_000 + number
            ),
        );
        lines.program(
            at + 900,
            "sshd",
            format!("pam_unix(sshd:session): session opened for user {user}(uid=1000) by (uid=0)"),
        );
        lines.program(at + 5_000, "CRON", "pam_unix(cron:session): session closed for user root".to_owned());
    }
    lines.program(90_000, "sshd", "Failed password for alice from 198.51.100.10 port 40111 ssh2".to_owned());
    for number in 0..36_u64 {
        lines.program(
            120_000 + number * 1_500,
            "sshd",
            format!("Failed password for root from 203.0.113.50 port {} ssh2", 52_000 + number),
        );
    }
    lines.program(176_000, "sshd", "Accepted password for root from 203.0.113.50 port 52999 ssh2".to_owned());
    for number in 0..24_u64 {
        let user = [
            "admin", "oracle", "postgres", "test", "ubuntu", "git", "jenkins", "backup", "ftp", "www", "pi",
            "guest",
        ][number as usize % 12];
        lines.program(
            300_000 + number * 4_000,
            "sshd",
            format!(
                "Failed password for invalid user {user} from 203.0.113.77 port {} ssh2",
                33_000 + number
            ),
        );
    }
    lines.program(420_000, "sudo", "  mallory : user NOT in sudoers ; TTY=pts/3 ; PWD=/home/mallory ; USER=root ; COMMAND=/usr/bin/cat /etc/shadow".to_owned());
    Stream { source: "bastion", what: "sshd, sudo and cron", lines: lines.in_order() }
}

/// A web shop: customers, a scanner, injections, and a web shell that answers.
fn shop(start: Timestamp) -> Stream {
    const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0";
    let mut lines = Lines::new(start);
    for number in 0..1_500_u64 {
        let page = ["/", "/products/17", "/products/42", "/cart", "/style.css", "/search?q=lamp"]
            [number as usize % 6];
        let status = if number % 97 == 0 { 404 } else { 200 };
        let client = format!("192.0.2.{}", number % 200);
        lines.access(number * 590, &client, &format!("GET {page}"), status, BROWSER);
    }
    for number in 0..60_u64 {
        let path = format!("/{}-{number}.php", ["admin", "backup", "old", "test"][number as usize % 4]);
        lines.access(
            200_000 + number * 250,
            "203.0.113.99",
            &format!("GET {path}"),
            404,
            "Mozilla/5.0 (compatible; Nikto)",
        );
    }
    for number in 0..8_u64 {
        let query = ["1%27%20OR%20%271%27%3D%271", "1%20UNION%20SELECT%20username,password%20FROM%20users--"]
            [number as usize % 2];
        lines.access(
            400_000 + number * 2_000,
            "203.0.113.23",
            &format!("GET /products?id={query}"),
            500,
            BROWSER,
        );
    }
    lines.access(500_000, "203.0.113.23", "GET /download?file=../../../../etc/passwd", 200, BROWSER);
    lines.access(520_000, "203.0.113.23", "GET /uploads/shell.php?cmd=id", 200, BROWSER);
    lines.access(530_000, "203.0.113.23", "GET /.env", 200, "curl/8.5.0");
    Stream { source: "shop", what: "nginx access log", lines: lines.in_order() }
}
