//! A client that sends exactly the given bytes.

use std::collections::HashMap;
use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A request to be sent.
#[derive(Clone)]
pub(crate) struct Post {
    address: SocketAddr,
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Post {
    pub(crate) fn to(address: SocketAddr, path: &str) -> Self {
        Self { address, method: "POST".to_owned(), path: path.to_owned(), headers: vec![], body: vec![] }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn method(mut self, method: &str) -> Self {
        self.method = method.to_owned();
        self
    }

    pub(crate) fn path(mut self, path: &str) -> Self {
        self.path = path.to_owned();
        self
    }

    /// Sets a header, in place of one of the same name.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self = self.without(name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(other, _)| other != name);
        self
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Everything up to the body, without its length.
    pub(crate) fn open_head(&self) -> String {
        let mut head = format!("{} {} HTTP/1.1\r\nhost: palisade\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        head
    }

    pub(crate) fn head(&self) -> String {
        format!("{}content-length: {}\r\n\r\n", self.open_head(), self.body.len())
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        [self.head().as_bytes(), &self.body].concat()
    }

    pub(crate) async fn send(&self) -> Answer {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(&self.bytes()).await.unwrap();
        Answer::read(&mut stream, &self.method).await
    }
}

impl Answer {
    /// Reads one answer and no byte more.
    pub(crate) async fn read(stream: &mut (impl AsyncReadExt + Unpin), method: &str) -> Self {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        let head = String::from_utf8(head).unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: HashMap<_, _> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let length = match headers.get("content-length") {
            Some(length) if method != "HEAD" => length.parse().unwrap(),
            _ => 0,
        };
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.unwrap();
        Self { status, headers, body }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The `google.rpc.Status` of a protobuf refusal.
    pub(crate) fn rpc_status(&self) -> (i32, String) {
        #[derive(Clone, PartialEq, prost::Message)]
        struct Status {
            #[prost(int32, tag = "1")]
            code: i32,
            #[prost(string, tag = "2")]
            message: String,
        }
        assert_eq!(self.header("content-type"), Some("application/x-protobuf"), "{self:?}");
        let status: Status = prost::Message::decode(self.body.as_slice()).unwrap();
        (status.code, status.message)
    }

    /// Seconds of `Retry-After`.
    pub(crate) fn retry_after(&self) -> u64 {
        self.header("retry-after").expect("no Retry-After").parse().unwrap()
    }
}
