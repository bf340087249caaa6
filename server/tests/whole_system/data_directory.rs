//! A data directory of which a part is missing, or belongs to another deployment, is refused and not changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use crate::server::Server;

/// Required parts of a deployment on one machine.
const PARTS: [&str; 3] = ["pepper", "ledger.sqlite3", "log"];

/// A server that served once and shut down in order.
fn stopped() -> Server {
    let mut server = Server::start();
    assert!(server.interrupt());
    server
}

fn run(server: &Server, arguments: &[&str]) -> (Output, String) {
    let mut command = server.command(arguments);
    let output = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (output, said)
}

/// Runs everything that opens the directory; all must fail. Returns the message of the server.
fn refused(server: &Server) -> String {
    let serve = ["serve", "--listen", "127.0.0.1:0", "--admin-listen", "off"];
    let mut words = String::new();
    for arguments in [&["doctor"][..], &["config", "check"], &["init"], &["org", "list"], &serve] {
        let (output, said) = run(server, arguments);
        assert!(!output.status.success(), "{arguments:?}: {said}");
        words = said;
    }
    words
}

/// Every file with its content, except for the lock, which contains nothing of a deployment.
fn contents(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.insert(path.clone(), Vec::new());
            found.extend(contents(&path));
        } else if !path.ends_with("server.lock") {
            found.insert(path.clone(), std::fs::read(&path).unwrap());
        }
    }
    found
}

#[test]
fn a_missing_part_is_named_and_nothing_takes_its_place() {
    let mut server = stopped();
    let (data, aside) = (server.data_dir(), tempfile::tempdir().unwrap());
    for part in PARTS {
        let (place, kept) = (data.join(part), aside.path().join(part));
        std::fs::rename(&place, &kept).unwrap();
        let before = contents(&data);
        let said = refused(&server);
        assert!(said.contains(place.to_str().unwrap()) && said.contains("is missing"), "{part}: {said}");
        assert!(said.contains("backup") && said.contains("--data-dir"), "{part}: {said}");
        assert!(contents(&data) == before, "{part}: something was changed");
        std::fs::rename(&kept, &place).unwrap();
    }
    // Of all three only the first key and the key-encryption keys are left.
    for part in PARTS {
        std::fs::rename(data.join(part), aside.path().join(part)).unwrap();
    }
    let before = contents(&data);
    let said = refused(&server);
    assert!(said.contains("first-run.json"), "{said}");
    assert!(contents(&data) == before, "something was changed");
    for part in PARTS {
        std::fs::rename(aside.path().join(part), data.join(part)).unwrap();
    }
    server.run();
    server.get("/organization");
}

#[test]
fn a_part_of_another_deployment_is_refused() {
    let (mut server, mut other) = (stopped(), stopped());
    let aside = tempfile::tempdir().unwrap();
    let (data, others) = (server.data_dir(), other.data_dir());
    for (part, words) in
        [("pepper", "the pepper is not"), ("ledger.sqlite3", "the log is that"), ("log", "the log is that")]
    {
        let exchange = || {
            std::fs::rename(data.join(part), aside.path().join(part)).unwrap();
            std::fs::rename(others.join(part), data.join(part)).unwrap();
            std::fs::rename(aside.path().join(part), others.join(part)).unwrap();
        };
        exchange();
        for server in [&server, &other] {
            let said = refused(server);
            assert!(said.contains(words) && said.contains("same backup"), "{part}: {said}");
            let (_, said) = run(server, &["doctor"]);
            let finding = said.lines().find(|line| line.starts_with("FAIL  ledger"));
            assert!(finding.is_some_and(|line| line.contains(words)), "{part}: {said}");
            let pepper = std::fs::read_to_string(server.data_dir().join("pepper")).unwrap();
            assert!(!said.contains(pepper.trim_end()), "{said}");
        }
        exchange();
    }
    for server in [&mut server, &mut other] {
        server.run();
        server.get("/organization");
    }
}

/// Replaces the format version in the log's manifest.
fn record_log_format(data: &Path, format: u32) {
    let manifest = data.join("log/manifest");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let recorded = text.lines().find(|line| line.starts_with("format ")).unwrap();
    std::fs::write(&manifest, text.replace(recorded, &format!("format {format}"))).unwrap();
}

/// Replaces the format version in the ledger's header.
fn record_ledger_format(data: &Path, format: u32) {
    let file = rusqlite::Connection::open(data.join("ledger.sqlite3")).unwrap();
    file.pragma_update(None, "user_version", format).unwrap();
}

#[test]
fn a_part_in_a_newer_format_is_refused_whichever_it_is_and_nothing_is_changed() {
    let mut server = stopped();
    let data = server.data_dir();
    let (ledger, log) = (ledger::FORMATS.newest, durable_log::FORMATS.newest);
    for (newer_ledger, newer_log) in [(1, 0), (0, 1), (1, 1)] {
        record_ledger_format(&data, ledger + newer_ledger);
        record_log_format(&data, log + newer_log);
        let before = contents(&data);
        let said = refused(&server);
        let (part, found, newest) =
            if newer_log > 0 { ("log", log + 1, log) } else { ("ledger", ledger + 1, ledger) };
        let words = format!("has format version {found}, this build reads up to {newest}");
        assert!(said.contains(part) && said.contains(&words), "{said}");
        assert!(contents(&data) == before, "something was changed");
    }
    record_ledger_format(&data, ledger);
    record_log_format(&data, log);
    server.run();
    server.get("/organization");
}

#[test]
fn a_directory_that_is_not_prepared_stays_empty() {
    let server = stopped();
    std::fs::remove_dir_all(server.data_dir()).unwrap();
    let (_, said) = run(&server, &["doctor"]);
    assert!(said.contains("not prepared yet"), "{said}");
    assert!(run(&server, &["config", "check"]).0.status.success());
    assert!(!server.data_dir().try_exists().unwrap());
}

/// A process that is killed during its first start, as early as possible and later, leaves nothing that prevents the next
/// one from serving.
#[test]
fn an_interrupted_first_start_is_taken_up_again() {
    let mut server = stopped();
    let data = server.data_dir();
    // Everything but the record in the ledger: the state after a kill just before it.
    std::fs::remove_file(data.join("ledger.sqlite3")).unwrap();
    std::fs::remove_file(data.join("key-encryption-keys")).unwrap();
    std::fs::remove_file(data.join("first-run.json")).unwrap();
    std::fs::write(data.join("first-start.unfinished"), "").unwrap();
    // A key that was written to the file and never became valid.
    std::fs::write(data.join("first-run.new"), "{").unwrap();
    server.run();
    server.get("/organization");
    assert!(!data.join("first-start.unfinished").try_exists().unwrap());
    assert!(!data.join("first-run.new").try_exists().unwrap());

    // A key that became valid before the file had its name.
    assert!(server.interrupt());
    std::fs::rename(data.join("first-run.json"), data.join("first-run.new")).unwrap();
    server.run();
    server.get("/organization");
}
