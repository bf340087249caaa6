//! Mistakes of a first start: each message contains the value, the expected form and an example, and the setting as
//! written.

use std::process::{Command, Output};

use crate::http::Request;
use crate::server::{Server, wait_for};
use crate::skip::{Lacking, skip};

fn palisade(arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.args(arguments).envs(environment.iter().copied()).output().unwrap()
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The command fails, and its message contains all of this.
fn refused(arguments: &[&str], environment: &[(&str, &str)], told: &[&str]) {
    let output = palisade(arguments, environment);
    let text = text(&output);
    assert!(!output.status.success(), "{arguments:?} {environment:?}: {text}");
    for told in told {
        assert!(text.contains(told), "{arguments:?} {environment:?}: no {told:?} in {text}");
    }
}

#[test]
fn addresses_that_are_none_are_answered_with_an_example() {
    let serve = |address| vec!["serve", "--listen", address];
    refused(&serve("8080"), &[], &["--listen: \"8080\"", "127.0.0.1:8080", "[::]:8080"]);
    refused(
        &serve("localhost"),
        &[],
        &["--listen: \"localhost\"", "for example 127.0.0.1:8080 or [::1]:8080"],
    );
    refused(&serve("::1"), &[], &["\"::1\"", "for example [::1]:8080"]);
    refused(
        &["serve", "--admin-listen", "9464"],
        &[],
        &["--admin-listen: \"9464\"", "127.0.0.1:9464", "off"],
    );
    let by_environment = [("PALISADE__LISTEN__ADDRESS", "palisade.example:8080")];
    let named = "setting listen.address (PALISADE__LISTEN__ADDRESS): \"palisade.example:8080\"";
    refused(&["serve"], &by_environment, &[named, "names are not resolved"]);
}

#[test]
fn unknown_roles_are_answered_with_those_that_exist() {
    let told = ["unknown role \"ingester\"", "ingest, analyzer, api and worker", "for example ingest,api"];
    refused(&["serve", "--role", "ingester"], &[], &[&told[..], &["--role: "]].concat());
    for written in ["ingester", "ingest,ingester", "[\"ingester\"]"] {
        refused(
            &["config", "check"],
            &[("PALISADE__ROLES", written)],
            &[&told[..], &["PALISADE__ROLES"]].concat(),
        );
    }
    let printed = palisade(&["config", "print"], &[("PALISADE__ROLES", "ingest, api")]);
    let settings: serde_json::Value = serde_json::from_slice(&printed.stdout).unwrap();
    assert_eq!(settings["roles"], serde_json::json!(["ingest", "api"]));
}

#[test]
fn a_data_directory_that_is_a_file_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    let told = [
        "data_dir (PALISADE__DATA_DIR) (--data-dir)",
        path,
        "which is a file, expected a directory",
        "/var/lib/palisade",
    ];
    for command in [
        &["serve", "--listen", "127.0.0.1:0"][..],
        &["init"],
        &["key", "list"],
        &["config", "check"],
        &["doctor"],
    ] {
        refused(&[command, &["--data-dir", path]].concat(), &[], &told);
    }
}

#[test]
fn a_probe_that_reaches_nobody_names_the_address_and_the_setting() {
    let address = crate::server::free_address().to_string();
    let told = [
        "no response at",
        &address,
        "admin_listen (PALISADE__ADMIN_LISTEN)",
        "--admin-listen 127.0.0.1:9464",
    ];
    refused(&["probe"], &[("PALISADE__ADMIN_LISTEN", &address)], &told);
    refused(&["probe", "--admin-listen", &address], &[], &told);
}

#[test]
fn ipv6_addresses_are_taken_from_flags_and_from_the_environment() {
    let port =
        || std::net::TcpListener::bind("[::1]:0").map(|listener| listener.local_addr().unwrap().to_string());
    let Ok(by_flag) = port() else {
        skip("IPv6 addresses", Lacking::Machine, "this machine has no IPv6 loopback");
        return;
    };
    let server = Server::start_at(by_flag.parse().unwrap());
    assert_eq!(server.first_run()["base_url"], format!("http://{by_flag}/api/v1"));

    let (by_environment, admin) = (port().unwrap(), port().unwrap());
    let directory = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_palisade"))
        .args(["serve", "--data-dir", directory.path().join("data").to_str().unwrap()])
        .env("PALISADE__LISTEN__ADDRESS", &by_environment)
        .env("PALISADE__ADMIN_LISTEN", &admin)
        .env("PALISADE__TELEMETRY__LOG", "warn")
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    for address in [&by_environment, &admin] {
        wait_for("the server answers over IPv6", || {
            let answer = Request::new("GET", "/readyz").try_send(address.parse().unwrap());
            answer.filter(|answer| answer.status == 200)
        });
    }
    let probed = palisade(&["probe"], &[("PALISADE__ADMIN_LISTEN", &admin)]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(probed.status.success(), "{}", text(&probed));
}
