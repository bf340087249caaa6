//! Guard, redact and verify as a client sees them that was written from their contract alone, in another language.

use std::process::{Command, Stdio};

use crate::guard::made;
use crate::programs;
use crate::server::Server;
use crate::skip::say;

/// The client; its phases are described there.
const CLIENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/analysis.py");

/// Runs a phase of the client against a server; fails with what it says.
fn satisfies(server: &Server, phase: &str) {
    let narrow = made(server, &["key", "create", "--name", "narrow", "--scopes", "incidents:read"]);
    let output = Command::new("python3")
        // No compiled files beside the sources.
        .args(["-B", CLIENT, phase])
        .env("PALISADE_URL", format!("http://{}", server.address()))
        .env("PALISADE_API_KEY", server.key())
        .env("PALISADE_NARROW_KEY", narrow.lines().next().unwrap())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let (said, complaints) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{phase}: {said}{complaints}");
    assert!(said.trim_end().ends_with("checks hold"), "{phase}: {said}");
    say(&format!("{phase}: {}", said.lines().last().unwrap()));
}

#[test]
fn the_contract_holds_for_a_client_that_knows_nothing_else() {
    if !programs::has("the client of the contract", "python3") {
        return;
    }
    let mut server = Server::unstarted();
    // The client has a site on loopback, for PDFs at a URL.
    server.set("PALISADE__OUTBOUND__ALLOW_NETWORKS", r#"["127.0.0.0/8"]"#);
    server.run();
    satisfies(&server, "contract");
}

#[test]
fn a_client_without_credits_is_told_so() {
    if !programs::has("the client without credits", "python3") {
        return;
    }
    let mut server = Server::unstarted();
    server.set("PALISADE__GUARD__PRICE", "1");
    server.run();
    let organization = server.first_run()["organization_id"].as_str().unwrap().to_owned();
    made(&server, &["org", "plan", &organization, "--credits", "0"]);
    satisfies(&server, "unpaid");
}

#[test]
fn a_client_beyond_its_rate_is_told_when_to_come_back() {
    if !programs::has("the client beyond its rate", "python3") {
        return;
    }
    let mut server = Server::unstarted();
    server.set("PALISADE__GUARD__REQUESTS_PER_MINUTE", "3");
    server.set("PALISADE__GUARD__ORGANIZATION_REQUESTS_PER_MINUTE", "3");
    server.run();
    satisfies(&server, "limited");
}
