//! Precedence of settings, rejected settings, and values that are never printed.

use std::error::Error;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::*;

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    listen: Listen,
    keys: Keys,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Listen {
    address: String,
    connections: usize,
    tls: bool,
    networks: Vec<String>,
    #[serde(rename = "idle_seconds", with = "seconds")]
    idle: Duration,
    certificate_file: Option<PathBuf>,
}

impl Default for Listen {
    fn default() -> Self {
        Self {
            address: "127.0.0.1:1".into(),
            connections: 10,
            tls: false,
            networks: vec![],
            idle: Duration::from_secs(75),
            certificate_file: None,
        }
    }
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Keys {
    pepper: Option<Secret>,
}

fn sources(file: Option<&Path>, environment: &[(&str, &str)], overrides: &[(&'static str, &str)]) -> Sources {
    let owned = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    Sources {
        file: file.map(Path::to_owned),
        environment: owned(environment),
        overrides: overrides
            .iter()
            .map(|(key, value)| Override { flag: "--flag", key, value: (*value).to_owned() })
            .collect(),
        secrets: &["keys.pepper"],
    }
}

/// The message with those of its causes, as an operator reads it.
fn told(error: &SettingsError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

fn write(directory: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = directory.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn nothing_given_is_the_defaults() {
    let settings: Settings = load(&sources(None, &[("PATH", "/bin")], &[])).unwrap();
    assert_eq!(settings, Settings::default());
}

#[test]
fn the_file_yields_to_the_environment_and_both_to_the_command_line() {
    let directory = tempfile::tempdir().unwrap();
    let file =
        write(&directory, "palisade.toml", "[listen]\nconnections = 1\ntls = true\nidle_seconds = 2\n");
    let environment = [("PALISADE__LISTEN__CONNECTIONS", "2"), ("PALISADE__LISTEN__IDLE_SECONDS", "0.5")];
    let overrides = [("listen.connections", "3"), ("listen.networks", "[\"10.0.0.0/8\", \"fd00::/8\"]")];
    let settings: Settings = load(&sources(Some(&file), &environment, &overrides)).unwrap();
    assert_eq!(settings.listen.connections, 3);
    assert!(settings.listen.tls);
    assert_eq!(settings.listen.idle, Duration::from_millis(500));
    assert_eq!(settings.listen.networks, ["10.0.0.0/8", "fd00::/8"]);
}

#[test]
fn unknown_keys_are_refused_by_name_wherever_they_stand() {
    let directory = tempfile::tempdir().unwrap();
    let file = write(&directory, "palisade.toml", "[listen]\nadress = \"x\"\n");
    let error = load::<Settings>(&sources(Some(&file), &[], &[])).unwrap_err();
    assert!(told(&error).contains("adress"), "{}", told(&error));
    let error = load::<Settings>(&sources(None, &[("PALISADE__LISTN__TLS", "true")], &[])).unwrap_err();
    assert!(told(&error).contains("listn"), "{}", told(&error));
    let error = load::<Settings>(&sources(None, &[("PALISADE__LISTEN____TLS", "true")], &[])).unwrap_err();
    assert!(matches!(error, SettingsError::Name { .. }));
}

#[test]
fn wrong_types_and_missing_files_are_refused() {
    let error =
        load::<Settings>(&sources(None, &[("PALISADE__LISTEN__CONNECTIONS", "many")], &[])).unwrap_err();
    let named = "setting listen.connections (PALISADE__LISTEN__CONNECTIONS): ";
    assert!(told(&error).starts_with(named), "{}", told(&error));
    let error = load::<Settings>(&sources(None, &[], &[("listen.connections", "many")])).unwrap_err();
    assert!(told(&error).starts_with("--flag: "), "{}", told(&error));
    for seconds in ["-1", "31536001", "1e19", "nan", "inf"] {
        let error = load::<Settings>(&sources(None, &[], &[("listen.idle_seconds", seconds)])).unwrap_err();
        assert!(told(&error).contains("expected 0 to 31536000 seconds"), "{}", told(&error));
    }
    let error = load::<Settings>(&sources(None, &[], &[("listen.networks", "[oops")])).unwrap_err();
    assert!(matches!(error, SettingsError::NotAnArray { key, .. } if key == "listen.networks"));
    let missing = Path::new("/nowhere/palisade.toml");
    let error = load::<Settings>(&sources(Some(missing), &[], &[])).unwrap_err();
    assert!(told(&error).contains("/nowhere/palisade.toml"), "{}", told(&error));
}

#[test]
fn an_ipv6_address_in_brackets_is_no_array() {
    let address = ("PALISADE__LISTEN__ADDRESS", "[::1]:8080");
    let settings: Settings = load(&sources(None, &[address], &[])).unwrap();
    assert_eq!(settings.listen.address, "[::1]:8080");
    let settings: Settings = load(&sources(None, &[], &[("listen.address", "[fe80::2]:1")])).unwrap();
    assert_eq!(settings.listen.address, "[fe80::2]:1");
}

#[test]
fn a_secret_may_stand_in_a_file_of_its_own_and_is_never_printed() {
    let directory = tempfile::tempdir().unwrap();
    let pepper = write(&directory, "pepper", "hunter2\n");
    let path = pepper.to_str().unwrap();
    let named = [("PALISADE__KEYS__PEPPER_FILE", path), ("PALISADE__LISTEN__CERTIFICATE_FILE", "/tls.pem")];
    let settings: Settings = load(&sources(None, &named, &[])).unwrap();
    assert_eq!(settings.keys.pepper.as_ref().map(Secret::expose), Some("hunter2"));
    assert_eq!(settings.listen.certificate_file.as_deref(), Some(Path::new("/tls.pem")));
    assert!(!format!("{settings:?}").contains("hunter2"));
    let printed = serde_json::to_string(&settings).unwrap();
    assert!(!printed.contains("hunter2") && printed.contains("[redacted]"), "{printed}");

    let twice = [("PALISADE__KEYS__PEPPER_FILE", path), ("PALISADE__KEYS__PEPPER", "x")];
    let error = load::<Settings>(&sources(None, &twice, &[])).unwrap_err();
    assert!(matches!(error, SettingsError::Twice { key: "keys.pepper" }));
    let missing = [("PALISADE__KEYS__PEPPER_FILE", "/nowhere/pepper")];
    let error = load::<Settings>(&sources(None, &missing, &[])).unwrap_err();
    assert!(told(&error).contains("/nowhere/pepper"), "{}", told(&error));
}
