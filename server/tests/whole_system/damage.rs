//! A damaged ledger: the partition concerned is reported everywhere, and the others continue.

use std::process::Stdio;

use serde_json::Value;

use crate::lines::{Form, failed_logins};
use crate::server::{Server, wait_for};

/// The number of `Kind::State` in the file.
const STATE: u8 = 4;

fn reason(details: &Value, check: &str) -> Option<String> {
    let found = details["degraded"].as_array()?.iter().find(|entry| entry["check"] == check)?;
    Some(found["reason"].as_str()?.to_owned())
}

fn partition_list(server: &Server) -> String {
    let output = server.command(&["partition", "list"]).stdout(Stdio::piped()).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// Partitions that contain records.
fn used(server: &Server) -> Vec<u16> {
    let rows = partition_list(server);
    let rows = rows.lines().skip(1).map(|row| row.split_whitespace().collect::<Vec<_>>());
    rows.filter(|row| row[2] != "0").map(|row| row[0].parse().unwrap()).collect()
}

fn send_logins(server: &Server, source: &str) {
    let body = Form::Ndjson.body(&failed_logins(12, "root", "203.0.113.9"));
    assert_eq!(server.ingest(source, Form::Ndjson.content_type(), body).status, 200);
}

/// Creates a source in an empty partition.
fn source_elsewhere(server: &Server, partition: u16) -> String {
    (0..64)
        .find_map(|n| {
            let source = server.source(&format!("elsewhere-{n}"));
            send_logins(server, &source);
            used(server).iter().any(|used| *used != partition).then_some(source)
        })
        .unwrap()
}

/// Changes the state of a partition's analysis in the ledger of the stopped server; returns the number of rows.
fn damage_state(server: &Server, partition: u16) -> usize {
    let file = rusqlite::Connection::open(server.data_dir().join("ledger.sqlite3")).unwrap();
    let [high, low] = partition.to_be_bytes();
    let sql = "UPDATE entries SET body = x'20' WHERE ledger = ?1 AND kind = ?2";
    file.execute(sql, rusqlite::params![[0, high, low], STATE]).unwrap()
}

fn doctor(server: &Server) -> (bool, String) {
    let output = server.command(&["doctor"]).stdout(Stdio::piped()).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let line = said.lines().find(|line| line.contains("ledger file")).unwrap().to_owned();
    (output.status.success(), line)
}

#[test]
fn a_damaged_partition_is_told_everywhere_and_the_others_go_on() {
    let mut server = Server::start();
    let hurt = server.source("hurt");
    send_logins(&server, &hurt);
    server.incidents(&hurt, |incidents| !incidents.is_empty());
    let [partition] = used(&server)[..] else { panic!("one source lies in one partition") };
    assert!(doctor(&server).1.starts_with("ok"), "{}", doctor(&server).1);
    assert!(server.interrupt());
    assert!(damage_state(&server, partition) > 0);

    let (well, line) = doctor(&server);
    assert!(!well && line.starts_with("FAIL") && line.contains("checksum"), "{line}");

    server.run();
    let (status, details) = server
        .readiness(|_, details| reason(details, "analysis").is_some_and(|text| text.contains("damaged")));
    let told = reason(&details, "analysis").unwrap();
    assert!(status == 200 && told.contains(&partition.to_string()), "{details}");
    assert!(reason(&details, "ledger file").is_none(), "the server before ended in order: {details}");
    wait_for("the metric", || {
        let blocked = server.metric("palisade_analysis_partitions_blocked");
        blocked.iter().any(|(labels, value)| labels.contains("damaged") && *value >= 1.0).then_some(())
    });
    let list = partition_list(&server);
    let row = list.lines().nth(usize::from(partition) + 1).unwrap();
    assert!(
        row.contains("is damaged") && list.matches("sound").count() + 2 == list.lines().count(),
        "{list}"
    );
    let elsewhere = source_elsewhere(&server, partition);
    server.incidents(&elsewhere, |incidents| !incidents.is_empty());
    // Earlier incidents remain readable.
    server.incidents(&hurt, |incidents| !incidents.is_empty());
    assert_eq!(server.metric("palisade_ledger_file_damaged")[0].1, 0.0);

    server.kill();
    server.run();
    let (_, details) = server.readiness(|_, details| reason(details, "ledger file").is_some());
    let told = reason(&details, "ledger file").unwrap();
    assert!(told.contains("damaged") && told.contains("`palisade doctor` names them"), "{told}");
    assert_eq!(server.metric("palisade_ledger_file_damaged")[0].1, 1.0);

    assert!(server.interrupt());
    server.run();
    server.readiness(|_, details| reason(details, "ledger file").is_some());
}
