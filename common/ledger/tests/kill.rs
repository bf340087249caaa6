//! A process that commits is killed; the commits acknowledged to it must exist. The process is this test
//! binary, started once more.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]
#![expect(clippy::print_stdout, reason = "the killed process reports on its standard output")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use ledger::embedded::{self, Config};
use ledger::{Commit, Kind, Ledger, LedgerId, Op, Range, Seq};

const LEDGER: LedgerId = LedgerId::Platform;
/// Names the directory of the ledger to the process that is killed.
const DIRECTORY: &str = "LEDGER_KILL_TEST_DIRECTORY";
const ROWS_PER_COMMIT: u64 = 20;
const WRITERS: u16 = 4;

/// Not a test by itself: commits until it is killed, and prints each acknowledged sequence number.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "started by the test below"]
async fn commit_until_killed() {
    let directory = std::env::var(DIRECTORY).unwrap();
    let ledger = Arc::new(embedded::open(Path::new(&directory), &Config::default()).unwrap());
    let mut tasks = tokio::task::JoinSet::new();
    for writer in 0..WRITERS {
        // Others keep the writing thread in groups of several.
        tasks.spawn(commit_forever(Arc::clone(&ledger), writer));
    }
    tasks.join_all().await;
}

async fn commit_forever(ledger: Arc<embedded::EmbeddedLedger>, writer: u16) {
    let id = LedgerId::Partition(common::partition::Partition(writer));
    for seq in ledger.seq(id).await.unwrap().0.. {
        let ops = (0..ROWS_PER_COMMIT)
            .map(|row| Op::Put {
                kind: Kind::History,
                key: format!("{seq:010} {row:02}").into(),
                body: vec![7; 500].into(),
            })
            .collect();
        assert_eq!(ledger.commit(id, Seq(seq), ops).await.unwrap(), Commit::Done(Seq(seq + 1)));
        println!("\ntold {writer} {}", seq + 1);
    }
}

#[tokio::test]
async fn what_was_answered_survives_a_kill() {
    let directory = tempfile::tempdir().unwrap();
    let mut told = [0_u64; WRITERS as usize];
    for answers_before_kill in [1, 40, 200] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "commit_until_killed", "--ignored", "--nocapture"])
            .env(DIRECTORY, directory.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut answers = 0;
        for line in lines {
            let line = line.unwrap();
            let Some(numbers) = line.strip_prefix("told ") else { continue };
            let (writer, seq) = numbers.split_once(' ').unwrap();
            told[writer.parse::<usize>().unwrap()] = seq.parse().unwrap();
            answers += 1;
            if answers == answers_before_kill {
                // Its output between this and its end is not read; it may have committed more.
                child.kill().unwrap();
                break;
            }
        }
        child.wait().unwrap();
        assert_eq!(answers, answers_before_kill, "the process ended by itself");
        check(directory.path(), &told).await;
    }
}

async fn check(directory: &Path, told: &[u64]) {
    let ledger = embedded::open(directory, &Config::default()).unwrap();
    assert_eq!(ledger.seq(LEDGER).await.unwrap(), Seq(0));
    for (writer, told) in told.iter().enumerate() {
        let id = LedgerId::Partition(common::partition::Partition(u16::try_from(writer).unwrap()));
        let Seq(found) = ledger.seq(id).await.unwrap();
        assert!(found >= *told, "writer {writer} was told of {told} commits, found {found}");
        let rows = ledger.scan(id, Kind::History, Range::default(), usize::MAX).await.unwrap();
        assert_eq!(rows.len() as u64, found * ROWS_PER_COMMIT, "every commit is whole");
    }
}
