//! The journal's script, on a journal of the test: records sent when a reply is lost, and the script is ended and restarted.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::installed;
use crate::machine::{Daemon, bounded, or_skip, program, write_program};
use crate::page::adapted;
use crate::receiver::Receiver;
use crate::server::wait_for;

/// A journal, and the script that sends it.
struct Journal {
    directory: tempfile::TempDir,
    writer: PathBuf,
}

impl Journal {
    /// `None` if a prerequisite is missing.
    fn new(receiver: &Receiver) -> Option<Self> {
        let senders = installed::find("journald")?;
        let journalctl = or_skip("journald", program("journalctl"))?;
        let curl = or_skip("journald", program("curl"))?;
        let directory = tempfile::tempdir().unwrap();
        let writer = senders.join("debian/root/lib/systemd/systemd-journal-remote");
        let journal = Self { directory, writer };
        for part in ["journal", "bin", "state"] {
            std::fs::create_dir(journal.at(part)).unwrap();
        }
        // The same program, on the journal of this test instead of the machine's.
        let reads = format!("exec {} --directory={} \"$@\"", journalctl.display(), journal.shown("journal"));
        write_program(&journal.at("bin/journalctl"), &format!("#!/bin/sh\n{reads}\n"));
        // The first request arrives, and its reply does not.
        let (curl, lost) = (curl.display(), journal.shown("lost"));
        let sends = format!(
            "status=$({curl} \"$@\")\n[ -e {lost} ] || {{ : >{lost}; status=000; }}\nprintf %s \"$status\""
        );
        write_program(&journal.at("bin/curl"), &format!("#!/bin/sh\n{sends}\n"));
        let script =
            adapted("journald", 0, receiver).replace("/var/lib/palisade-journal", &journal.shown("state"));
        write_program(&journal.at("script"), &script);
        Some(journal)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn shown(&self, name: &str) -> String {
        self.at(name).display().to_string()
    }

    /// Adds an entry, in a file of the journal of its own.
    fn add(&self, number: u32, message: &str) {
        let entry = format!(
            "__REALTIME_TIMESTAMP={}\n__MONOTONIC_TIMESTAMP={number}\n_BOOT_ID=0123456789abcdef0123456789abcdef\n\
             _MACHINE_ID=0123456789abcdef0123456789abcdef\n_HOSTNAME=web-1\nPRIORITY=6\nSYSLOG_IDENTIFIER=shop\n\
             MESSAGE={message}\n\n",
            1_795_425_220_000_000_u64 + u64::from(number)
        );
        let mut writer = bounded(&self.writer);
        writer
            .arg("-o")
            .arg(self.at(&format!("journal/part{number}.journal")))
            .arg("-")
            .stdin(Stdio::piped());
        let mut writing = writer.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        writing.stdin.take().unwrap().write_all(entry.as_bytes()).unwrap();
        assert!(writing.wait().unwrap().success());
    }

    fn start(&self) -> Daemon {
        let path = format!("PATH={}:{}", self.shown("bin"), std::env::var("PATH").unwrap());
        Daemon::start(Path::new("env"), [path, self.shown("script")], &self.at("log"))
    }
}

#[test]
fn the_journal_is_delivered_by_its_script_once_whatever_is_restarted() {
    let receiver = Receiver::start();
    let Some(journal) = Journal::new(&receiver) else { return };
    journal.add(0, "login failed for root from 203.0.113.9");
    let running = journal.start();
    wait_for("the first reply is lost", || journal.at("lost").metadata().ok());
    drop(running);
    assert!(journal.at("state/batch").try_exists().unwrap(), "what was not acknowledged is kept");

    // Longer than journalctl shows by default.
    let long = format!("login failed for admin {}", "x".repeat(5_000));
    journal.add(1, &long);
    let _running = journal.start();
    let evidence = receiver.arrived_from_the_shop();
    assert_eq!(evidence["event_time"], "2026-11-23T09:13:40.000Z", "{evidence}");
    let has_long = |incident: &Value| {
        let mut all = incident["evidence"].as_array().unwrap().iter();
        all.any(|one| one["message"].as_str().unwrap().contains("for admin"))
    };
    let incident = wait_for("the second entry arrives", || Some(receiver.incident()).filter(has_long));
    assert_eq!(incident["event_count"], 2, "the batch that was sent again counts once: {incident}");
    wait_for("nothing waits", || (!journal.at("state/batch").try_exists().unwrap()).then_some(()));
    assert!(!std::fs::read_to_string(journal.at("state/cursor")).unwrap().trim().is_empty());
}
