//! The code host with a stand-in for GitHub as a process of its own: connecting through the browser and by command, events, and
//! secrets in no file.

#[path = "code_host/repositories.rs"]
mod repositories;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use tempfile::TempDir;

use crate::http::Request;
use crate::server::{Server, assert_in_no_file, files_below, wait_for};
use crate::skip::{Lacking, skip};

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../common/code-host/tests/github/stand_in.py");
const CLIENT_SECRET: &str = "the client secret of this test";
const WEBHOOK_SECRET: &str = "the webhook secret of this test";

/// The stand-in for GitHub, registered as the app of a server.
pub(crate) struct StandIn {
    directory: TempDir,
    address: SocketAddr,
    pub(crate) state: Value,
    child: Child,
}

impl StandIn {
    pub(crate) fn start() -> Option<Self> {
        let python = std::env::var_os("PALISADE_TEST_PYTHON").unwrap_or_else(|| "python3".into());
        let found = Command::new(&python).args(["-c", "import jsonschema"]).output();
        if !found.is_ok_and(|output| output.status.success()) {
            let why = "Python has no jsonschema (server/tests/requirements.txt)";
            skip("the code host", Lacking::Daemons, why);
            return None;
        }
        let directory = TempDir::new().unwrap();
        let path = |name: &str| directory.path().join(name);
        openssl(&["genrsa", "-traditional", "-out", text(&path("private.pem")), "2048"]);
        openssl(&["rsa", "-pubout", "-in", text(&path("private.pem")), "-out", text(&path("public.pem"))]);
        for (name, secret) in [("client-secret", CLIENT_SECRET), ("webhook-secret", WEBHOOK_SECRET)] {
            std::fs::write(path(name), format!("{secret}\n")).unwrap();
        }
        let state = json!({
            "app": {
                "id": 99, "slug": "palisade", "client_id": "Iv1.1", "client_secret": CLIENT_SECRET,
                "public_key": text(&path("public.pem")),
            },
            "installations": {
                "7": {"account": "acme", "repositories": [42]},
                "11": {"account": "beta", "repositories": [50]},
            },
            "repositories": {
                "42": {"full_name": "acme/shop", "private": true},
                "50": {"full_name": "beta/tool"},
            },
            "users": {},
            "pulls": [],
            "codes": {"of-the-owner": [7]},
        });
        std::fs::write(path("state.json"), state.to_string()).unwrap();
        let mut child = Command::new(&python)
            .args(["-B", PROGRAM, text(&path("state.json"))])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        let address = format!("127.0.0.1:{}", port.trim()).parse().unwrap();
        Some(Self { directory, address, state, child })
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn put_state(&self) {
        let request = Request::new("PUT", "/_state").body(self.state.to_string().into_bytes());
        assert_eq!(request.send(self.address).status, 200);
    }

    /// Pages of repositories that it was asked for since its state was last set.
    fn pages_read(&self) -> usize {
        let seen = self.seen();
        let requests = seen["requests"].as_array().unwrap();
        requests.iter().filter(|request| request["path"] == "/installation/repositories").count()
    }

    /// Sets how the next requests fail.
    pub(crate) fn faults(&self, faults: &Value) {
        let request = Request::new("PUT", "/_faults").body(faults.to_string().into_bytes());
        assert_eq!(request.send(self.address).status, 200);
    }

    /// Requests since state or faults were last set, and their differences from the description of GitHub.
    pub(crate) fn seen(&self) -> Value {
        Request::new("GET", "/_seen").send(self.address).json()
    }

    /// A server that is registered with it.
    pub(crate) fn server(&self) -> Server {
        let mut server = Server::unstarted().verbose();
        self.register(&mut server);
        server
    }

    /// Settings by which a server is registered with it, from its next start on.
    pub(crate) fn register(&self, server: &mut Server) {
        server.set("PALISADE__OUTBOUND__ALLOW_NETWORKS", r#"["127.0.0.0/8"]"#);
        for (setting, value) in [
            ("APP_ID", "99"),
            ("CLIENT_ID", "Iv1.1"),
            ("PRIVATE_KEY_FILE", text(&self.file("private.pem"))),
            ("CLIENT_SECRET_FILE", text(&self.file("client-secret"))),
            ("WEBHOOK_SECRET_FILE", text(&self.file("webhook-secret"))),
            ("API_URL", &self.url()),
            ("WEB_URL", &self.url()),
        ] {
            server.set(&format!("PALISADE__CODE_HOST__GITHUB__{setting}"), value);
        }
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn openssl(arguments: &[&str]) {
    assert!(Command::new("openssl").args(arguments).output().unwrap().status.success());
}

pub(crate) fn output(server: &Server, arguments: &[&str]) -> String {
    let output = server.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn wait_for_names(server: &Server, names: &[&str]) {
    wait_for("the repositories follow the host", || {
        let listed = server.get("/repositories");
        let found: Vec<_> =
            listed["data"].as_array().unwrap().iter().map(|one| one["full_name"].as_str().unwrap()).collect();
        (found == names).then_some(())
    });
}

/// The browser of the owner comes back from the host and confirms the connection; another browser and a repetition are refused.
/// Returns the token of the page and its cookie.
fn connect_in_a_browser(server: &Server, state: &str) -> [String; 2] {
    let callback =
        format!("/code-host/callback?code=of-the-owner&installation_id=7&setup_action=install&state={state}");
    let page = Request::new("GET", &callback).send(server.address());
    let html = page.text();
    assert_eq!(page.status, 200, "{html}");
    assert!(html.contains("<b>acme</b>") && html.contains("<b>1 repository</b>"), "{html}");
    assert_eq!(page.header("cache-control"), Some("no-store"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("form-action 'self'; frame-ancestors 'none'"), "{policy}");
    let cookie = page.header("set-cookie").unwrap();
    assert!(
        cookie.starts_with("__Host-") && cookie.contains("Secure; HttpOnly; SameSite=Strict"),
        "{cookie}"
    );
    let cookie = cookie.split(';').next().unwrap();
    let token = html.split("name=\"token\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let send = |cookie: &str| {
        let form = format!("state={state}&token={token}").into_bytes();
        let request = Request::new("POST", "/code-host/callback").header("cookie", cookie);
        request.header("content-type", "application/x-www-form-urlencoded").body(form).send(server.address())
    };
    assert_eq!(send("a=b").status, 403);
    assert_eq!(server.get("/code-host/installations")["pagination"]["total"], 0, "nothing is connected yet");
    let connected = send(cookie);
    assert_eq!(connected.status, 200, "{}", connected.text());
    assert_eq!(send(cookie).status, 409);
    [token.to_owned(), cookie.split_once('=').unwrap().1.to_owned()]
}

fn signed(server: &Server, event: &str, body: &Value) -> u16 {
    let mut hmac = Hmac::<Sha256>::new_from_slice(WEBHOOK_SECRET.as_bytes()).unwrap();
    hmac.update(body.to_string().as_bytes());
    let digits: String = hmac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let request = Request::new("POST", "/webhooks/github")
        .header("content-type", "application/json")
        .header("x-github-event", event)
        .header("x-github-delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958")
        .header("x-hub-signature-256", &format!("sha256={digits}"))
        .body(body.to_string().into_bytes());
    request.send(server.address()).status
}

#[test]
fn an_account_is_connected_through_the_browser_and_by_command_and_followed() {
    let Some(mut stand_in) = StandIn::start() else { return };
    let mut server = stand_in.server();
    server.run();
    let begun = server.send("POST", "/code-host/installations", &json!({}));
    assert_eq!(begun.status, 201, "{}", begun.text());
    let url = begun.json()["install_url"].as_str().unwrap().to_owned();
    let (page, state) = url.split_once("?state=").unwrap();
    assert_eq!(page, format!("{}/github-apps/palisade/installations/new", stand_in.url()));
    let secrets = connect_in_a_browser(&server, state);
    wait_for_names(&server, &["acme/shop"]);

    stand_in.state["repositories"]["42"]["full_name"] = json!("acme/store");
    stand_in.put_state();
    assert_eq!(signed(&server, "repository", &json!({"action": "renamed", "installation": {"id": 7}})), 202);
    wait_for_names(&server, &["acme/store"]);

    let bound = output(&server, &["code-host", "bind", "11"]);
    assert!(bound.contains("Installation 11 in the account beta is connected"), "{bound}");
    wait_for_names(&server, &["beta/tool", "acme/store"]);
    let missing = output(&server, &["code-host", "bind", "12"]);
    assert!(missing.contains("not active"), "{missing}");

    let looked = output(&server, &["doctor"]);
    assert!(looked.contains("knows the app palisade"), "{looked}");
    let printed = output(&server, &["config", "print"]);
    assert!(printed.contains("\"private_key\": \"[redacted]\"") && printed.contains("Iv1.1"), "{printed}");
    let key = std::fs::read_to_string(stand_in.file("private.pem")).unwrap();
    let line = key.lines().nth(1).unwrap();
    let mut texts = vec![line, CLIENT_SECRET, WEBHOOK_SECRET, "ghs_", "ghu_", "of-the-owner", state];
    texts.extend(secrets.iter().map(String::as_str));
    assert!(texts.iter().all(|text| !printed.contains(*text)));
    assert!(server.interrupt());
    let mut files = files_below(&server.data_dir());
    files.push(server.output());
    assert_in_no_file(&files, &texts);
}

/// 15 pages of repositories. The kill in the first run comes before rows are written, that in the second one while rows are
/// written. A job that was interrupted continues after ten seconds.
#[test]
fn kills_during_synchronizations_lose_and_double_no_repository() {
    const REPOSITORIES: usize = 1_500;
    let Some(mut stand_in) = StandIn::start() else { return };
    let numbers = 1_000..1_000 + REPOSITORIES;
    stand_in.state["installations"]["7"]["repositories"] = numbers.clone().collect();
    for number in numbers.clone() {
        stand_in.state["repositories"][number.to_string()] = json!({"full_name": format!("acme/a{number}")});
    }
    stand_in.put_state();
    let mut server = stand_in.server();
    server.run();
    let bound = output(&server, &["code-host", "bind", "7"]);
    assert!(bound.contains("Installation 7 in the account acme is connected"), "{bound}");
    kill_at_page(&stand_in, &mut server, 8);
    wait_for("all repositories are listed", || (names(&server, "acme/a") == REPOSITORIES).then_some(()));

    for number in numbers {
        stand_in.state["repositories"][number.to_string()]["full_name"] = json!(format!("acme/b{number}"));
    }
    stand_in.put_state();
    assert_eq!(signed(&server, "repository", &json!({"action": "renamed", "installation": {"id": 7}})), 202);
    kill_at_page(&stand_in, &mut server, 15);
    wait_for("all names are new", || (names(&server, "acme/b") == REPOSITORIES).then_some(()));
    assert_eq!(names(&server, "acme/"), REPOSITORIES);
    assert_eq!(server.get("/code-host/installations")["data"][0]["state"], "active");
}

fn kill_at_page(stand_in: &StandIn, server: &mut Server, page: usize) {
    wait_for("the job reads pages", || (stand_in.pages_read() >= page).then_some(()));
    server.kill();
    server.run();
}

/// Different repositories whose name begins so.
fn names(server: &Server, prefix: &str) -> usize {
    let total = server.get("/repositories?limit=1")["pagination"]["total"].as_u64().unwrap();
    let mut ids = BTreeSet::new();
    for offset in (0..total).step_by(100) {
        let page = server.get(&format!("/repositories?limit=100&offset={offset}"));
        let page = page["data"].as_array().unwrap().iter();
        let named = page.filter(|one| one["full_name"].as_str().unwrap().starts_with(prefix));
        ids.extend(named.map(|one| one["id"].as_str().unwrap().to_owned()));
    }
    ids.len()
}
