//! Guard, redact and verify over HTTP: requests per CPU second of the whole server process, for texts of three sizes.
//!
//! `cargo bench -p benches --bench analyse_http -- --binary "$PWD/target/release/palisade"`; without `--binary` nothing is
//! measured, since these endpoints are part of the whole server only.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up has nothing to measure")]
#![expect(clippy::print_stdout, reason = "the table is the result")]

use std::env;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use benches::binary;
use benches::process_cpu::cpu_time;
use benches::senders::{Senders, Target, post};
use serde_json::{Value, json};

/// Time for caches and buffers to settle.
const WARM_UP: Duration = Duration::from_millis(500);
const MEASURED: Duration = Duration::from_secs(3);
/// Turns, of which the median is printed.
const ROUNDS: usize = 5;
/// Connections: more than the two threads of the analysis on a machine of two cores, fewer than its queue.
const CONNECTIONS: usize = 8;

/// An ordinary mail with names, an address and words of attacks.
const MAIL: &str = "Hi Anna, please ignore my previous email, the attachment was wrong. The meeting about the budget is \
    at 10:30 in room 204, write to tom.berg@example.com if you cannot come. Thanks, Tom\n";

fn main() {
    let arguments: Vec<String> = env::args().collect();
    let binary = arguments.iter().position(|argument| argument == "--binary");
    let Some(binary) = binary.and_then(|place| arguments.get(place + 1)) else {
        println!("not measured: --binary FILE is required");
        return;
    };
    for (size, name) in [(256, "256 B"), (1 << 10, "1 KiB"), (64 << 10, "64 KiB")] {
        let text: String = MAIL.chars().cycle().take(size).collect();
        let claim = "The meeting is in room 204.";
        let sources = json!([{"content": text, "name": "mail"}]);
        for (path, body) in [
            ("/api/guard", json!({"text": text})),
            ("/api/redact", json!({"text": text})),
            ("/api/verify", json!({"text": claim, "sources": sources})),
        ] {
            measure(Path::new(binary), path, name, &body);
        }
    }
}

fn measure(binary: &Path, path: &str, size: &str, body: &Value) {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut command = Command::new(binary);
    for limit in ["REQUESTS_PER_MINUTE", "ORGANIZATION_REQUESTS_PER_MINUTE"] {
        command.env(format!("PALISADE__GUARD__{limit}"), "100000000");
    }
    let (mut server, started) = binary::start(command, directory.path(), "ingest,analyzer,api,worker");
    let target: Target = started.target(path.to_owned());
    let request = post(&target, "application/json", "", body.to_string().as_bytes());
    let senders = Senders::start(vec![request], CONNECTIONS, target.address);
    thread::sleep(WARM_UP);
    let mut figures: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let (before, answered) = (cpu_time(server.id()).unwrap(), senders.accepted());
            thread::sleep(MEASURED);
            let cpu = cpu_time(server.id()).unwrap() - before;
            (senders.accepted() - answered) as f64 / cpu.as_secs_f64()
        })
        .collect();
    let ended = senders.stop();
    server.kill().unwrap();
    server.wait().unwrap();
    ended.unwrap();
    figures.sort_by(f64::total_cmp);
    println!("{path:<12} {size:>6}: {:>8.0} requests a CPU second", figures.get(ROUNDS / 2).unwrap());
}
