//! `POST /api/verify` as an application calls it.

use std::io::Write;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::guard::{assert_error, made};
use crate::http::{Request, Response};
use crate::server::{Server, assert_in_no_file, files_below};

const PATH: &str = "/api/verify";
const TEXT: &str =
    "The bridge over the Lark was opened in May 1931. It is 640 metres long. Whales are mammals.";
const CHRONICLE: &str = "The bridge over the Lark was opened in May 1931. It is 420 metres long.";

fn request(server: &Server) -> Request {
    Request::new("POST", PATH)
        .header("x-superagent-api-key", &server.key())
        .header("content-type", "application/json")
}

fn verify(server: &Server, body: &Value) -> Response {
    request(server).body(body.to_string().into_bytes()).send(server.address())
}

fn question() -> Value {
    let chronicle =
        json!({"content": CHRONICLE, "name": "Chronicle", "url": "https://example.com/chronicle"});
    json!({"text": TEXT, "sources": [{"content": "Cats sleep a lot."}, chronicle], "unknown": [1]})
}

/// Claims of a response that must have some, and its reasoning.
#[track_caller]
fn claims(response: &Response) -> (Vec<Value>, String) {
    assert_eq!(response.status, 200, "{}", response.text());
    let message = response.json()["choices"][0]["message"].clone();
    let claims = message["content"]["claims"].as_array().unwrap().clone();
    (claims, message["reasoning"].as_str().unwrap().to_owned())
}

#[test]
fn each_claim_gets_its_verdict_with_verbatim_evidence() {
    let server = Server::start();
    let response = verify(&server, &question());
    let (said, reasoning) = claims(&response);
    let verdicts: Vec<Option<bool>> = said.iter().map(|claim| claim["verdict"].as_bool()).collect();
    assert_eq!(verdicts, [Some(true), Some(false), Some(false)], "{said:?}");
    for (claim, start) in said.iter().zip(["Supported: ", "Contradicted: ", "Not found: "]) {
        assert!(claim["reasoning"].as_str().unwrap().starts_with(start), "{claim}");
        let confidence = claim["confidence"].as_f64().unwrap();
        assert!((0.5..=1.0).contains(&confidence), "{claim}");
        let mut parts = claim["evidence"].as_str().unwrap().split(" … ");
        assert!(parts.all(|part| CHRONICLE.contains(part)), "{claim}");
        assert!(TEXT.contains(claim["claim"].as_str().unwrap()), "{claim}");
    }
    assert_eq!(said[0]["evidence"], "The bridge over the Lark was opened in May 1931.");
    assert_eq!(said[0]["sources"], json!([{"name": "Chronicle", "url": "https://example.com/chronicle"}]));
    assert!(said[1]["reasoning"].as_str().unwrap().contains("\"640\""), "{}", said[1]);
    assert_eq!((&said[2]["evidence"], &said[2]["sources"]), (&json!(""), &json!([])));
    assert_eq!(
        reasoning,
        "Of 3 claims, 1 are supported, 1 are contradicted and 1 are not found in the sources."
    );

    let whole = response.json();
    assert_eq!(whole["choices"][0]["finish_reason"], "stop");
    assert_eq!(whole["choices"][0]["message"]["role"], "assistant");
    assert!(whole["model"].as_str().unwrap().starts_with("palisade-verify-"), "{whole}");
    let usage = |name: &str| whole["usage"][name].as_u64().unwrap();
    assert!(usage("prompt_tokens") > 20 && usage("completion_tokens") > 20, "{whole}");
    assert_eq!(usage("total_tokens"), usage("prompt_tokens") + usage("completion_tokens"));
    assert!(response.header("x-ratelimit-remaining-requests").is_some());
    assert_eq!(response.header("x-ratelimit-over-limit"), Some("no"));
    assert_eq!(verify(&server, &question()).json()["choices"], whole["choices"], "deterministic");
    let counts = server.metric("palisade_verify_claims_total");
    for outcome in ["supported", "contradicted", "not_found"] {
        let of = counts.iter().find(|(labels, _)| labels.contains(&format!("\"{outcome}\"")));
        assert_eq!(of.map(|(_, count)| *count), Some(2.0), "{outcome}: {counts:?}");
    }
}

#[test]
fn a_source_without_a_name_is_named_by_its_number_and_a_text_without_claims_has_none() {
    let server = Server::start();
    let body =
        json!({"text": "It is 420 metres long.", "sources": [{"content": "Cats."}, {"content": CHRONICLE}]});
    let (said, _) = claims(&verify(&server, &body));
    assert_eq!(said[0]["sources"], json!([{"name": "Source 2"}]));
    let (said, reasoning) =
        claims(&verify(&server, &json!({"text": "Really?", "sources": [{"content": "Cats."}]})));
    assert_eq!((said.len(), reasoning.as_str()), (0, "The text makes no claim."));
}

#[test]
fn every_row_of_the_table_of_errors_is_as_documented() {
    let server = Server::start();
    let sources = json!([{"content": CHRONICLE, "name": "Chronicle"}]);
    for body in [
        json!({"sources": sources}),
        json!({"text": 7, "sources": sources}),
        json!({"text": " ", "sources": sources}),
    ] {
        assert_error(&verify(&server, &body), 400, "text is required and must be a string");
    }
    for body in [
        json!({"text": TEXT}),
        json!({"text": TEXT, "sources": []}),
        json!({"text": TEXT, "sources": CHRONICLE}),
    ] {
        assert_error(&verify(&server, &body), 400, "sources is required and must be a non-empty array");
    }
    for source in [json!({"name": "Chronicle"}), json!({"content": 7}), json!(CHRONICLE), json!(null)] {
        let body = json!({"text": TEXT, "sources": [{"content": CHRONICLE}, source]});
        assert_error(&verify(&server, &body), 400, "Each source must have a 'content' field (string)");
    }
    let many = vec![json!({"content": "Cats."}); 101];
    let response = verify(&server, &json!({"text": TEXT, "sources": many}));
    assert_error(&response, 400, "sources must have at most 100 elements");
    let named = json!([{"content": CHRONICLE, "name": "a".repeat(257)}]);
    let response = verify(&server, &json!({"text": TEXT, "sources": named}));
    assert_error(&response, 400, "name must have at most 256 bytes");
    assert_eq!(request(&server).body(b"{".to_vec()).send(server.address()).status, 400);

    let plain = Request::new("POST", PATH).header("content-type", "application/json");
    assert_error(&plain.body(b"{}".to_vec()).send(server.address()), 401, "API key missing");
    let wrong = Request::new("POST", PATH).header("authorization", "Bearer pal_live_wrong");
    assert_error(&wrong.body(b"{}".to_vec()).send(server.address()), 401, "Invalid API key");
    let narrow = made(&server, &["key", "create", "--name", "narrow", "--scopes", "incidents:read"]);
    let narrow = Request::new("POST", PATH).header("x-api-key", narrow.lines().next().unwrap());
    assert_error(&narrow.body(b"{}".to_vec()).send(server.address()), 403, "API key lacks scope guard:use");

    let large = json!({"text": TEXT, "sources": [{"content": "a ".repeat((2 << 20) + 1)}]});
    assert_error(&verify(&server, &large), 413, "Input too large");
    let form = Request::new("POST", PATH)
        .header("x-api-key", &server.key())
        .header("content-type", "multipart/form-data; boundary=a");
    assert_error(&form.body(b"--a--".to_vec()).send(server.address()), 415, "Unsupported content type");
    let get = Request::new("GET", PATH).send(server.address());
    assert_eq!((get.status, get.header("allow")), (405, Some("POST")), "{}", get.text());
}

#[test]
fn a_call_without_credits_is_refused_and_one_with_credits_is_charged_once() {
    let mut server = Server::unstarted();
    server.set("PALISADE__GUARD__PRICE", "1");
    server.run();
    let organization = server.first_run()["organization_id"].as_str().unwrap().to_owned();
    made(&server, &["org", "plan", &organization, "--credits", "1"]);
    assert_eq!(verify(&server, &json!({"text": 7})).status, 400, "a rejected request costs nothing");
    assert_eq!(verify(&server, &question()).status, 200);
    assert_error(&verify(&server, &question()), 402, "No subscription found");
}

#[test]
fn no_submitted_text_is_kept_or_logged() {
    let mut server = Server::start_verbose();
    let words = ["zqclaimed", "zqsourced", "zqnamed", "zqaddressed"];
    let [claimed, sourced, named, addressed] = words;
    let source = json!({"content": format!("{CHRONICLE} {sourced}"), "name": named, "url": addressed});
    assert_eq!(
        verify(&server, &json!({"text": format!("{TEXT} {claimed}"), "sources": [source]})).status,
        200
    );
    assert_eq!(verify(&server, &json!({"text": claimed, "sources": [{"name": named}]})).status, 400);
    assert!(server.interrupt());
    let files = files_below(&server.data_dir());
    assert!(!files.is_empty());
    assert_in_no_file(&[files, vec![server.output()]].concat(), &words);
}

#[test]
fn the_command_line_verifies_like_the_api() {
    let server = Server::unstarted();
    let run = |arguments: &[&str], input: &str| -> Output {
        let mut child = server
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that is refused may end before it reads.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    };
    let sources = tempfile::tempdir().unwrap();
    let path = |name: &str, content: &[u8]| {
        let path = sources.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (cats, chronicle) = (path("cats", b"Cats sleep a lot."), path("chronicle", CHRONICLE.as_bytes()));
    let output = run(&["verify", "--source", &cats, "--source", &chronicle], TEXT);
    let body: Value = serde_json::from_slice(&output.stdout).unwrap();
    let said = &body["choices"][0]["message"]["content"]["claims"];
    assert_eq!((&said[0]["verdict"], &said[1]["verdict"]), (&json!(true), &json!(false)), "{said}");
    assert_eq!(said[0]["sources"], json!([{"name": chronicle}]));
    let bytes = path("bytes", b"\xff\xfe");
    for (source, expected) in [(bytes.as_str(), "offset 0"), ("absent", "cannot read absent")] {
        let refused = run(&["verify", "--source", source], TEXT);
        let reason = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && reason.contains(expected), "{expected}: {reason}");
    }
    assert!(!run(&["verify"], TEXT).status.success(), "a source is required");
    let models = run(&["models"], "");
    assert!(String::from_utf8_lossy(&models.stdout).contains("palisade-verify-"));
}
