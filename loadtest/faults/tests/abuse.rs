//! A server bears malformed, slow and oversized requests.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "../../tests/support/tool.rs"]
mod tool;

#[test]
fn abuse_is_borne() {
    let directory = tempfile::tempdir().unwrap();
    let html = directory.path().join("abuse.html");
    let page = ["--html", html.to_str().unwrap()];
    let bounded = ["--seed", "20261121", "--short", "--idle-connections", "500", "--processor-factor", "20"];
    let (output, said) = tool::run("abuse", &tool::server(), &[bounded.as_slice(), &page].concat());
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("BAD") && said.contains("56 of 56 cases good"), "{said}");
    let html = std::fs::read_to_string(html).unwrap();
    assert!(html.contains("abuse     borne") && html.contains("Memory of the server"), "{html}");
}
