//! A separate organization on a server, created with the commands as by an operator, and its requests.

use std::net::SocketAddr;
use std::process::Stdio;

use serde_json::{Value, json};

use super::http::{Request, Response};
use super::server::Server;

/// Calls the API as an organization.
pub(crate) struct Tenant {
    /// A key with every scope.
    pub(crate) key: String,
    /// Address of the server.
    pub(crate) address: SocketAddr,
}

impl Tenant {
    /// Creates the organization beside the running server.
    pub(crate) fn new(server: &Server, name: &str) -> Self {
        let run = |arguments: &[&str]| {
            let output = server.command(arguments).stdout(Stdio::piped()).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        let made = run(&["org", "create", "--name", name]);
        let organization = made.split_whitespace().find(|word| word.len() == 36).unwrap().to_owned();
        let keys = run(&["key", "create", "--org", &organization, "--name", name]);
        Self { key: keys.lines().next().unwrap().to_owned(), address: server.address() }
    }

    fn request(&self, method: &str, path: &str, content_type: &str) -> Request {
        Request::new(method, &format!("/api/v1{path}"))
            .header("authorization", &format!("Bearer {}", self.key))
            .header("content-type", content_type)
    }

    /// Sends a JSON body; null for none.
    pub(crate) fn send(&self, method: &str, path: &str, body: &Value) -> Response {
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        self.request(method, path, "application/json").body(body).send(self.address)
    }

    /// Reads a resource that must exist.
    pub(crate) fn get(&self, path: &str) -> Value {
        let response = self.send("GET", path, &Value::Null);
        assert_eq!(response.status, 200, "GET {path}: {}", response.text());
        response.json()
    }

    /// Creates a resource, which must succeed.
    pub(crate) fn create(&self, path: &str, body: &Value) -> Value {
        let response = self.send("POST", path, body);
        assert_eq!(response.status, 201, "POST {path}: {}", response.text());
        response.json()
    }

    /// Creates a source and returns its id.
    pub(crate) fn source(&self, name: &str) -> String {
        let source = self.create("/infrastructure/sources", &json!({"name": name}));
        source["id"].as_str().unwrap().to_owned()
    }

    /// Sends a batch to a source, which must be accepted.
    pub(crate) fn ingest(&self, source: &str, content_type: &str, body: Vec<u8>) {
        let path = format!("/infrastructure/sources/{source}/v1/logs");
        let response = self.request("POST", &path, content_type).body(body).send(self.address);
        assert_eq!(response.status, 200, "{}", response.text());
    }
}
