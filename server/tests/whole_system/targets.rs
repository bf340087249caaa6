//! Applications and agents on a real server: the command that pairs a machine, and schedules after a crash between the commit of
//! a row and that of its schedule.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use common::clock::{Clock, SystemClock};
use common::timestamp::Timestamp;
use jobs::Schedule;
use ledger::Ledger;
use records::{Home, Records, Table};
use serde_json::{Value, json};

use crate::http::Response;
use crate::programs;
use crate::server::{Server, assert_in_no_file, files_below, wait_for};

/// Partitions of a data directory, and so shards of records.
const SHARDS: u16 = 8;

#[track_caller]
fn created(response: &Response) -> Value {
    assert_eq!(response.status, 201, "{}", response.text());
    response.json()
}

/// Runs a command as a person pastes it; the reply of the server.
fn run(command: &str) -> Value {
    let output = Command::new("sh").args(["-c", command]).stdin(Stdio::null()).output().unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command}: {complaints}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_command_of_a_new_coding_agent_pairs_the_machine_that_it_runs_on_once() {
    if !programs::has("the command that pairs a machine", "curl") {
        return;
    }
    let server = Server::start();
    let agent =
        created(&server.send("POST", "/agents", &json!({"name": "Laptops", "agent_type": "coding_agent"})));
    let path = format!("/agents/{}", agent["id"].as_str().unwrap());
    let command = agent["pairing"]["command"].as_str().unwrap();
    let paired = run(command);
    let token = paired["client_token"].as_str().unwrap();
    assert!(token.starts_with("pal_agent_"), "{paired}");
    assert_eq!(run(command)["error"]["code"], "unauthorized");
    let name = Command::new("uname").arg("-n").output().unwrap().stdout;
    let clients = server.get(&format!("{path}/clients"));
    assert_eq!(clients["data"][0]["name"], String::from_utf8(name).unwrap().trim());
    assert_eq!(
        (&clients["data"][0]["id"], &clients["pagination"]["total"]),
        (&paired["client_id"], &json!(1))
    );
    // One client address has ten tries a minute; two are used.
    let wrong = json!({"pairing_code": "0".repeat(12), "client": {"name": "a", "os": "b", "version": "c"}});
    let statuses: Vec<u16> =
        (0..9).map(|_| server.send("POST", "/agent-monitoring/pair", &wrong).status).collect();
    assert_eq!(statuses.last(), Some(&429), "{statuses:?}");
    let code = agent["pairing"]["code"].as_str().unwrap();
    // Of the token, its last part is the secret.
    assert_in_no_file(&files_below(&server.data_dir()), &[code, &token[token.len() - 22..]]);
}

/// The state after a kill between the commits of row and schedule: the row without its schedule. The housekeeping job is due.
fn remove_schedules(server: &Server) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let config = ledger::embedded::Config::default();
    let ledger: Arc<dyn Ledger> = Arc::new(ledger::embedded::open(&server.data_dir(), &config).unwrap());
    let records = Records::new(ledger, SHARDS, uuid::Uuid::new_v4());
    let past = SystemClock::new().now().minus(Duration::from_secs(60));
    let (removed, moved) = runtime.block_on(change_schedules(&records, past));
    assert_eq!((removed, moved), (1, 1));
}

async fn change_schedules(records: &Records, past: Timestamp) -> (usize, usize) {
    let (table, mut removed, mut moved) = (Table::new("job-schedule"), 0, 0);
    for shard in records.shards() {
        let place = (Home::Records, shard);
        for (key, schedule) in records.rows::<Schedule>(place, table, b"", None, 10).await.unwrap() {
            let mut attempts = records.attempts(place.0, place.1);
            let mut draft = attempts.next().await.unwrap().unwrap();
            match schedule.kind.as_str() {
                "scheduled-run" => {
                    draft.delete_row(table, &key);
                    removed += 1;
                }
                "repair-run-schedules" => {
                    draft.put_row(table, &key, &Schedule { next_due: past, ..schedule }).unwrap();
                    moved += 1;
                }
                _ => {}
            }
            assert!(attempts.commit(draft).await.unwrap());
        }
    }
    (removed, moved)
}

#[test]
fn a_schedule_that_was_not_written_before_the_process_was_killed_is_added() {
    let mut server = Server::start();
    let body = json!({"name": "Shop", "url": "https://shop.example.com/"});
    let application = created(&server.send("POST", "/applications", &body));
    let path = format!("/applications/{}", application["id"].as_str().unwrap());
    let change = json!({"red_team_schedule": "weekly", "login_password": "correct-horse-battery"});
    let changed = server.send("PATCH", &path, &change).json();
    let next = changed["schedule"]["next_run_at"].clone();
    assert!(next.is_string(), "{changed}");
    server.kill();
    remove_schedules(&server);
    assert_in_no_file(&files_below(&server.data_dir()), &["correct-horse-battery"]);
    server.run();
    let again = wait_for("the housekeeping job adds the schedule", || {
        let next = server.get(&path)["schedule"]["next_run_at"].clone();
        next.is_string().then_some(next)
    });
    assert_eq!(again, next, "a slot follows from the id");
}
