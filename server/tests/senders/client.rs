//! The interface description: valid, and sufficient for a public generator to produce a working typed client.

use crate::http::Request;
use crate::machine::{bounded, or_skip, run};
use crate::python::Python;
use crate::server::Server;

/// Requests of the generated client.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/senders/generated_client.py");

#[test]
fn a_generated_client_is_typed_and_works() {
    let Some(python) = or_skip("a generated client", Python::find()) else { return };
    let server = Server::start();
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let document = Request::new("GET", "/api/v1/openapi.json").send(server.address());
    assert_eq!(document.status, 200);
    std::fs::write(at.join("openapi.json"), document.body).unwrap();
    run(bounded(python.program()).args(["-m", "openapi_spec_validator", "openapi.json"]).current_dir(at));
    // The generator asks for a formatter that is not needed.
    std::fs::write(at.join("generator.yml"), "post_hooks: []\n").unwrap();
    run(bounded(python.program())
        .args(["-m", "openapi_python_client", "generate", "--path", "openapi.json", "--meta", "none"])
        .args(["--output-path", "generated", "--config", "generator.yml"])
        .current_dir(at));
    let said = run(bounded(python.program())
        .arg(SCRIPT)
        .current_dir(at)
        .env("PYTHONPATH", at)
        .env("PALISADE_URL", format!("http://{}", server.address()))
        .env("PALISADE_API_KEY", server.key()));
    assert!(said.ends_with("done"), "{said}");
    let sources = server.get("/infrastructure/sources");
    assert_eq!(sources["data"][0]["name"], "generated", "{sources}");
}
