//! A scan of an MCP server at the stand-in for the code host, over a kill.

use serde_json::json;

use super::packages::{scan_jobs, whole};
use crate::code_host::{StandIn, output};
use crate::contributors::bare;
use crate::server::wait_for;

const SERVER: &str = "from mcp.server.fastmcp import FastMCP\n\nRATES = {'USD': '1.09', 'CHF': '0.94'}\nserver = FastMCP('rates')\n\n\n\
    @server.tool()\ndef rate(currency: str) -> str:\n    \"\"\"Returns the exchange rate of a currency against the euro.\"\"\"\n    \
    return RATES[currency]\n";

#[test]
fn a_killed_scan_of_an_mcp_server_has_one_result_after_the_restart() {
    let Some(mut stand_in) = StandIn::start() else { return };
    let git = bare(&stand_in.file("git"), "rates", &[("served", "server.py", SERVER)]);
    stand_in.state["repositories"]["60"] =
        json!({"full_name": "open/rates", "git": git, "default_branch": "served"});
    stand_in.state["users"]["open"] = json!({"profile": {"id": 5, "type": "User", "followers": 20,
        "public_repos": 1, "created_at": "2011-01-25T18:44:36Z"}});
    stand_in.put_state();
    let mut server = stand_in.server();
    server.run();
    let refused = server.send("POST", "/context/mcp", &json!({"target": "open/rates"}));
    assert_eq!(refused.status, 409, "{}", refused.text());
    assert!(output(&server, &["code-host", "bind", "7"]).contains("is connected"));

    let held = "/repos/open/rates/tarball/";
    stand_in.faults(&json!([{"match": format!("GET {held}"), "times": 1, "kind": "hold"}]));
    let downloads = || {
        let seen = stand_in.seen();
        let requests = seen["requests"].as_array().unwrap().iter();
        requests.filter(|one| one["path"].as_str().unwrap().starts_with(held)).count()
    };
    let first = server.send("POST", "/context/mcp?details=true", &json!({"target": "open/rates"}));
    assert_eq!(first.status, 200, "{}", first.text());
    let first = first.json();
    assert_eq!((&first["pending_deep_scan"], &first["floor"]), (&json!(true), &json!("caution")), "{first}");
    wait_for("the job downloads", || (downloads() == 1).then_some(()));
    server.kill();
    stand_in.faults(&json!([]));
    server.run();

    let path = format!("/context/mcp/{}?details=true", first["identifier"].as_str().unwrap());
    let result = whole(&server, &path);
    assert_eq!((&result["floor"], &result["threats"]), (&json!(null), &json!([])), "{result}");
    assert_eq!(result["coverage"]["complete"], true, "{result}");
    let again = server.send("POST", "/context/mcp?details=true&mode=full", &json!({"target": "Open/Rates"}));
    assert_eq!(again.json(), result, "scanned once");
    assert_eq!((downloads(), scan_jobs(&server)), (1, vec!["succeeded".to_owned()]));
    assert_eq!(stand_in.seen()["differences"], json!([]), "every request is as GitHub describes it");
}
