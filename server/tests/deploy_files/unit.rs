//! The systemd unit: systemd's own verifier accepts it, its times are those of the product, and the product notifies the
//! service manager as configured in the unit.

use std::os::unix::net::UnixDatagram;
use std::time::Duration;

use crate::http::Request;
use crate::machine::{bounded, or_skip, printed, program, run};
use crate::process::{Process, words};
use crate::product::{Environment, palisade};
use crate::text;

const UNIT: &str = "deploy/systemd/palisade.service";

/// The value of a key that occurs once.
fn value(key: &str) -> String {
    let unit = text(UNIT);
    let mut values = unit.lines().filter_map(|line| line.strip_prefix(&format!("{key}=")));
    let value = values.next().unwrap_or_else(|| panic!("{UNIT} has no {key}"));
    assert_eq!(values.next(), None, "{UNIT} has {key} twice");
    value.to_owned()
}

#[test]
fn systemd_accepts_the_unit() {
    let Some(analyze) = or_skip("the systemd unit", program("systemd-analyze")) else { return };
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("palisade.service");
    let installed = text(UNIT).replace("/usr/bin/palisade", env!("CARGO_BIN_EXE_palisade"));
    std::fs::write(&file, &installed).unwrap();
    let output = bounded(&analyze).args(["verify", "--man=no"]).arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", printed(&output));
    // Exit status 0 does not exclude a line about a key that systemd does not know.
    let told = printed(&output);
    assert!(!told.contains("palisade.service:"), "{told}");

    std::fs::write(&file, installed.replace("Type=notify", "Type=notified")).unwrap();
    let output = bounded(&analyze).args(["verify", "--man=no"]).arg(&file).output().unwrap();
    assert!(printed(&output).contains("palisade.service:"), "a mistake is not noticed: {}", printed(&output));
}

#[test]
fn the_command_of_the_unit_exists() {
    let start = value("ExecStart");
    let arguments = start.strip_prefix("/usr/bin/palisade ").unwrap();
    let output = palisade(&Environment::new(), &[words(arguments), words("--help")].concat());
    assert!(output.status.success(), "{}", printed(&output));
}

/// The pause, the drain, a second to cut connections, and the flush must fit.
#[test]
fn stopping_may_take_as_long_as_documented() {
    let limit: f64 = value("TimeoutStopSec").parse().unwrap();
    let output = palisade(&Environment::new(), &words("config print"));
    let settings: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let seconds = |key: &str| settings["shutdown"][key].as_f64().unwrap();
    let needed = seconds("pause_seconds") + seconds("drain_seconds") + 1.0 + seconds("flush_seconds");
    assert!(limit > needed, "{limit} s are allowed, {needed} s are needed");
    let documented = format!("Give it {limit} s before you kill it");
    assert!(text("docs/operating.md").contains(&documented), "docs/operating.md does not say {documented:?}");
    for file in crate::compose::FILES {
        for service in crate::compose::services(file).iter().filter(|service| service.is_ours()) {
            let serves = service.command().first().is_some_and(|word| word == "serve");
            let grace = service.value["stop_grace_period"].as_str();
            assert!(!serves || grace == Some(format!("{limit}s").as_str()), "{}: {grace:?}", service.place);
        }
    }
}

#[test]
fn the_service_manager_is_told_when_the_process_serves_and_when_it_stops() {
    assert_eq!(value("Type"), "notify");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(40))).unwrap();
    let mut environment = Environment::new();
    environment.insert("NOTIFY_SOCKET".to_owned(), path.display().to_string());
    environment.insert("PALISADE__SHUTDOWN__PAUSE_SECONDS".to_owned(), "0".to_owned());
    let process = Process::begin(&environment, &words("serve"));
    let received = || {
        let mut buffer = [0; 512];
        let length = socket.recv(&mut buffer).unwrap();
        String::from_utf8(buffer[..length].to_vec()).unwrap()
    };
    let first = received();
    assert!(first.lines().any(|line| line == "READY=1"), "{first}");
    assert!(first.contains("STATUS=serving ingest, analyzer, api, worker"), "{first}");
    // Checked at once, without waiting.
    for address in [process.listener, process.admin] {
        assert_eq!(Request::new("GET", "/readyz").send(address).status, 200);
    }
    run(bounded("kill").args(["-TERM", &process.id().to_string()]));
    let second = received();
    assert!(second.lines().any(|line| line == "STOPPING=1"), "{second}");
}

/// System calls of a group of systemd, and of those that it contains.
fn calls_of(analyze: &std::path::Path, group: &str) -> Vec<String> {
    let output = bounded(analyze).args(["syscall-filter", group]).output().unwrap();
    let told = printed(&output);
    let words = told.lines().map(str::trim).filter(|line| !line.starts_with('#') && *line != group);
    words
        .flat_map(|word| if word.starts_with('@') { calls_of(analyze, word) } else { vec![word.to_owned()] })
        .collect()
}

/// Documents are parsed in a child that restricts itself, which the restrictions of the unit must permit.
#[test]
fn the_sandbox_may_start_in_the_unit() {
    assert_eq!(words(&value("RestrictNamespaces")), sandbox::NAMESPACES);
    let unit = text(UNIT);
    let filters = unit.lines().filter_map(|line| line.strip_prefix("SystemCallFilter=")).flat_map(words);
    let Some(analyze) = or_skip("the filter of system calls", program("systemd-analyze")) else { return };
    let permitted: Vec<String> = filters
        .flat_map(|word| if word.starts_with('@') { calls_of(&analyze, &word) } else { vec![word] })
        .collect();
    assert!(permitted.len() > 100, "{permitted:?}");
    for call in sandbox::SETUP_CALLS {
        assert!(permitted.iter().any(|known| known == call), "the unit does not permit {call}");
    }
}
