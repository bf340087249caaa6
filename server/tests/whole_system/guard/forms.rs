//! Forms as clients send them (RFC 7578).

use crate::http::{Request, Response};
use crate::server::Server;

const BOUNDARY: &str = "a-boundary-of-parts";

/// A form.
pub(crate) struct Form(Vec<u8>);

impl Form {
    pub(crate) fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a part, with a file name if it is a file.
    pub(crate) fn part(mut self, name: &str, file: Option<&str>, content: &[u8]) -> Self {
        let file = file.map_or_else(String::new, |file| {
            format!("; filename=\"{file}\"\r\nContent-Type: application/octet-stream")
        });
        let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n");
        self.0.extend_from_slice(head.as_bytes());
        self.0.extend_from_slice(content);
        self.0.extend_from_slice(b"\r\n");
        self
    }

    pub(crate) fn send(mut self, server: &Server, path: &str) -> Response {
        self.0.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
        Request::new("POST", path)
            .header("authorization", &format!("Bearer {}", server.key()))
            .header("content-type", &format!("multipart/form-data; boundary={BOUNDARY}"))
            .body(self.0)
            .send(server.address())
    }
}
