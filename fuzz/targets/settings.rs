//! Settings from any TOML and any environment: read or refused. The environment's lines,
//! `NAME=value`, stand before the first line of three dashes, the file behind it.

#![no_main]

use std::io::{Seek, Write};
use std::sync::{LazyLock, Mutex, PoisonError};

use libfuzzer_sys::fuzz_target;
use process::admin::AdminListen;
use process::listen::ListenConfig;
use process::settings::{self, Sources};
use process::shutdown::ShutdownConfig;
use process::telemetry::TelemetryConfig;
use serde::Deserialize;
use tempfile::NamedTempFile;

static FILE: LazyLock<Mutex<NamedTempFile>> =
    LazyLock::new(|| Mutex::new(NamedTempFile::new().expect("a temporary file")));

/// The sections of the process, as far as crates other than the binary define them.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    listen: ListenConfig,
    admin_listen: AdminListen,
    shutdown: ShutdownConfig,
    telemetry: TelemetryConfig,
    ingest: ingest::IngestConfig,
    redaction: redact::Policy,
    log: durable_log::embedded::Config,
    ledger: ledger::embedded::Config,
    analyzer: analyzer::Config,
}

fuzz_target!(|input: &[u8]| {
    let Ok(input) = std::str::from_utf8(input) else { return };
    let (environment, toml) = input.split_once("---\n").unwrap_or(("", input));
    let variable = |line: &str| line.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mut file = FILE.lock().unwrap_or_else(PoisonError::into_inner);
    file.as_file_mut().set_len(0).expect("the file can be emptied");
    file.rewind().expect("the file can be rewound");
    file.write_all(toml.as_bytes()).expect("the file can be written");
    let sources = Sources {
        file: Some(file.path().to_owned()),
        environment: environment.lines().filter_map(variable).collect(),
        overrides: Vec::new(),
        // A secret may be read from any file that is named, which is not for a fuzzer to do.
        secrets: &[],
    };
    match settings::load::<Settings>(&sources) {
        Ok(settings) => drop(redact::Redactor::new(&settings.redaction)),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
