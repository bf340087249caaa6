//! `POST /api/redact` as an application calls it.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::guard::forms::Form;
use crate::guard::{assert_error, data_uri, pdf};
use crate::http::{Request, Response};
use crate::server::{Server, assert_in_no_file, files_below};

const PATH: &str = "/api/redact";
const TEXT: &str =
    "My name is Ana Pereira, write to ana.pereira@mail.example or call +1 415 555 0132. SSN 536-90-4399.";
const HONEST: &str = "Order 4471-2209 for Northwind Ltd ships on 12 May 2026; see https://example.org/orders?page=2, commit 9fceb02d.";

fn redact(server: &Server, body: &Value) -> Response {
    Request::new("POST", PATH)
        .header("x-superagent-api-key", &server.key())
        .header("content-type", "application/json")
        .body(body.to_string().into_bytes())
        .send(server.address())
}

/// Content and reasoning of a response that must be a redacted text.
#[track_caller]
fn content(response: &Response) -> (String, String) {
    assert_eq!(response.status, 200, "{}", response.text());
    let message = response.json()["choices"][0]["message"].clone();
    (message["content"].as_str().unwrap().to_owned(), message["reasoning"].as_str().unwrap().to_owned())
}

#[test]
fn personal_data_become_placeholders_and_other_text_stays() {
    let server = Server::start();
    let response = redact(&server, &json!({"text": TEXT}));
    let (text, reasoning) = content(&response);
    for (value, placeholder) in [
        ("Pereira", "<NAME_REDACTED>"),
        ("ana.pereira@mail.example", "<EMAIL_REDACTED>"),
        ("415", "<PHONE_REDACTED>"),
        ("536-90", "<SSN_REDACTED>"),
    ] {
        assert!(!text.contains(value) && text.contains(placeholder), "{placeholder}: {text}");
        assert!(!reasoning.contains(value), "{reasoning}");
    }
    assert!(reasoning.contains("1 EMAIL"), "{reasoning}");
    let whole = response.json();
    assert_eq!(whole["choices"][0]["finish_reason"], "stop");
    assert_eq!(
        whole["usage"]["total_tokens"].as_u64().unwrap(),
        whole["usage"]["prompt_tokens"].as_u64().unwrap()
            + whole["usage"]["completion_tokens"].as_u64().unwrap()
    );
    assert_eq!(content(&redact(&server, &json!({"text": HONEST}))).0, HONEST);
    assert_eq!(redact(&server, &json!({"text": TEXT})).json()["choices"], whole["choices"], "deterministic");
    let counts = server.metric("palisade_redact_values_total");
    assert!(counts.iter().any(|(labels, count)| labels.contains("EMAIL") && *count == 2.0), "{counts:?}");
}

#[test]
fn chosen_entities_replace_the_default_ones() {
    let server = Server::start();
    let text = format!("{TEXT} The project Falcon starts.");
    let body = json!({"text": text, "entities": ["emails", "project names", "?!"]});
    let (redacted, reasoning) = content(&redact(&server, &body));
    assert!(
        redacted.contains("<EMAIL_REDACTED>") && redacted.contains("<PROJECT_NAME_REDACTED>"),
        "{redacted}"
    );
    assert!(redacted.contains("Ana Pereira") && redacted.contains("536-90-4399"), "{redacted}");
    assert!(reasoning.contains("?!"), "a phrase that is not understood: {reasoning}");
}

#[test]
fn rewriting_gives_one_surrogate_for_one_person() {
    let server = Server::start();
    let text = "Dear Ana Pereira, thank you. Best wishes to Ana Pereira, ana.pereira@mail.example.";
    let (rewritten, _) = content(&redact(&server, &json!({"text": text, "rewrite": true})));
    assert!(!rewritten.contains("REDACTED") && !rewritten.contains("Pereira"), "{rewritten}");
    let name = rewritten.strip_prefix("Dear ").unwrap().split_once(',').unwrap().0;
    assert_eq!(rewritten.matches(name).count(), 2, "{rewritten}");
    assert!(rewritten.contains('@'), "{rewritten}");
}

#[test]
fn forms_and_documents_are_read_as_clients_of_the_contract_send_them() {
    let server = Server::start();
    let form = Form::new()
        .part("text", None, b"")
        .part("entities", None, br#"["EMAIL"]"#)
        .part("file", Some("a.pdf"), &pdf::page(TEXT))
        .part("format", None, b"json")
        .part("rewrite", None, b"false");
    let (text, _) = content(&form.send(&server, PATH));
    assert!(text.contains("<EMAIL_REDACTED>") && text.contains("Ana Pereira"), "{text}");
    let (text, _) = content(&redact(&server, &json!({"file": data_uri(&pdf::page(TEXT))})));
    assert!(text.contains("<NAME_REDACTED>"), "{text}");
    let form = Form::new().part("file", Some("a.pdf"), &pdf::page(TEXT)).part("format", None, b"pdf");
    assert_error(&form.send(&server, PATH), 400, "format must be json: this version does not write PDFs");
}

#[test]
fn malformed_requests_get_the_documented_messages() {
    let server = Server::start();
    assert_error(&redact(&server, &json!({})), 400, "Invalid text provided");
    assert_error(&redact(&server, &json!({"text": 7})), 400, "Invalid text provided");
    for entities in [json!([]), json!("EMAIL"), json!([1])] {
        let response = redact(&server, &json!({"text": TEXT, "entities": entities}));
        assert_error(&response, 400, "entities must be a non-empty array of strings");
    }
    let response = redact(&server, &json!({"text": TEXT, "rewrite": "yes"}));
    assert_error(&response, 400, "rewrite must be true or false");
    let large = redact(&server, &json!({"text": "a ".repeat(600 * 1024)}));
    assert_error(&large, 413, "Input too large");
}

#[test]
fn no_submitted_text_is_kept_or_logged() {
    let mut server = Server::start_verbose();
    let words = ["zqpersonal", "zqphrases"];
    redact(&server, &json!({"text": format!("{TEXT} {}", words[0]), "entities": [words[1]]}));
    assert!(server.interrupt());
    let files = [files_below(&server.data_dir()), vec![server.output()]].concat();
    assert_in_no_file(&files, &[words[0], words[1], "ana.pereira"]);
}

#[test]
fn the_command_line_redacts_like_the_api() {
    let server = Server::unstarted();
    let mut child = server
        .command(&["redact", "--entity", "EMAIL", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(TEXT.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let body: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = body["choices"][0]["message"]["content"].as_str().unwrap();
    assert!(text.contains("<EMAIL_REDACTED>") && text.contains("Ana Pereira"), "{text}");
}
