//! Requests of any method against real sockets: caps, policies and redirects.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "the servers of a test end with its runtime")]

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use common::clock::SystemClock;
use common::ids::OrganizationId;
use http::{HeaderMap, HeaderValue, Method};
use outbound::{
    Addresses, Budget, Caps, Coding, Config, ConnectError, HostPattern, Hosts, Outbound, Policy, PolicyError,
    Rate, Reading, RedirectError, Reply, Request, Requester, Resolve, SendError,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use uuid::Uuid;

/// Answers with the next of several addresses, the last one for ever.
struct Script(Vec<IpAddr>, AtomicUsize);

#[async_trait]
impl Resolve for Script {
    async fn resolve(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        let turn = self.1.fetch_add(1, Ordering::SeqCst);
        Ok(vec![self.0[turn.min(self.0.len() - 1)]])
    }
}

fn resolving(addresses: &[&str]) -> Outbound {
    let config = Config { allow_networks: vec!["127.0.0.0/8".parse().unwrap()], ..Config::default() };
    let addresses = addresses.iter().map(|address| address.parse().unwrap()).collect();
    let script = Script(addresses, AtomicUsize::new(0));
    Outbound::new(&config, Arc::new(script), Arc::new(SystemClock::new())).unwrap()
}

fn way_out() -> Outbound {
    resolving(&["127.0.0.1"])
}

/// A server that answers by the path of a request, and keeps the heads and bodies that it was sent.
struct Server {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Closes each connection after its reply, of which the last part is repeated without end if `is_endless`.
    async fn start(replies: Vec<(&'static str, String)>, is_endless: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (hearing, replies) = (Arc::clone(&heard), Arc::new(replies));
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let (hearing, replies) = (Arc::clone(&hearing), Arc::clone(&replies));
                tokio::spawn(async move {
                    let mut buffer = vec![0; 65_536];
                    let read = stream.read(&mut buffer).await.unwrap();
                    let request = String::from_utf8_lossy(&buffer[..read]).into_owned();
                    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                    hearing.lock().unwrap().push(request);
                    let reply = replies.iter().find(|(known, _)| *known == path).map(|(_, reply)| reply);
                    let Some(reply) = reply else { return };
                    let _ = stream.write_all(reply.as_bytes()).await;
                    let endless = format!("x-more: {}\r\n", "y".repeat(1_000));
                    while is_endless && stream.write_all(endless.as_bytes()).await.is_ok() {}
                });
            }
        });
        Self { address, heard }
    }

    async fn answering(reply: &str) -> Self {
        Self::start(vec![("/", reply.to_owned())], false).await
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

fn redirect(status: u16, to: &str) -> String {
    format!("HTTP/1.1 {status} Elsewhere\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n")
}

fn get(policy: Policy) -> Request {
    let caps = Caps {
        body_bytes: 1_024,
        reading: Reading::Whole,
        coding: Coding::AsSent,
        header_bytes: 4_096,
        deadline: None,
    };
    Request { method: Method::GET, headers: HeaderMap::new(), body: Bytes::new(), caps, policy }
}

fn following(redirects: u8) -> Policy {
    Policy { redirects, ..Policy::default() }
}

async fn send(outbound: &Outbound, url: &str, request: Request) -> Result<Reply, SendError> {
    let requester = Requester::background(OrganizationId(Uuid::from_u128(1)));
    outbound.send(requester, &outbound.destination(url).unwrap(), request).await
}

#[tokio::test]
async fn every_method_is_sent_and_framing_headers_of_the_caller_are_not() {
    for method in [Method::GET, Method::HEAD, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS] {
        let server = Server::answering("HTTP/1.1 204 No Content\r\n\r\n").await;
        let mut headers = HeaderMap::new();
        for (name, value) in [("host", "evil.example"), ("transfer-encoding", "chunked"), ("x-mine", "1")] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        let request = Request { method: method.clone(), headers, ..get(Policy::default()) };
        assert_eq!(send(&way_out(), &server.url("/"), request).await.unwrap().status, 204);
        let heard = server.heard().concat();
        assert!(heard.starts_with(&format!("{method} / HTTP/1.1\r\n")), "{heard}");
        assert!(heard.contains(&format!("host: {}\r\n", server.address)), "{heard}");
        assert!(heard.contains("x-mine: 1") && !heard.contains("chunked"), "{heard}");
    }
    let tunnel = Request { method: Method::CONNECT, ..get(Policy::default()) };
    let error = send(&way_out(), "http://127.0.0.1:8080/", tunnel).await.unwrap_err();
    assert!(matches!(error, SendError::Policy(PolicyError::Method)), "{error:?}");
}

#[tokio::test]
async fn a_whole_body_is_read_to_its_cap_and_refused_beyond() {
    let exact = Server::answering(&ok(&"x".repeat(1_024))).await;
    let reply = send(&way_out(), &exact.url("/"), get(Policy::default())).await.unwrap();
    assert_eq!(reply.body.len(), 1_024);
    let announced = Server::answering(&ok(&"x".repeat(1_025))).await;
    let error = send(&way_out(), &announced.url("/"), get(Policy::default())).await.unwrap_err();
    assert!(matches!(error, SendError::Body { most: 1_024, found: 1_025 }), "{error:?}");
    let endless = Server::start(vec![("/", "HTTP/1.1 200 OK\r\n\r\n".to_owned())], true).await;
    let error = send(&way_out(), &endless.url("/"), get(Policy::default())).await.unwrap_err();
    assert!(matches!(error, SendError::Body { most: 1_024, .. }), "{error:?}");
    let broken = Server::answering("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf").await;
    let error = send(&way_out(), &broken.url("/"), get(Policy::default())).await.unwrap_err();
    assert!(matches!(error, SendError::Broken(_)), "{error:?}");
}

#[tokio::test]
async fn headers_are_capped_and_endless_ones_end() {
    let large = format!("HTTP/1.1 200 OK\r\nx-large: {}\r\ncontent-length: 0\r\n\r\n", "x".repeat(5_000));
    let server = Server::answering(&large).await;
    let error = send(&way_out(), &server.url("/"), get(Policy::default())).await.unwrap_err();
    assert!(matches!(error, SendError::Headers { most: 4_096, .. }), "{error:?}");
    let endless = Server::start(vec![("/", "HTTP/1.1 200 OK\r\n".to_owned())], true).await;
    let error = send(&way_out(), &endless.url("/"), get(Policy::default())).await.unwrap_err();
    assert!(matches!(error, SendError::Headers { .. }), "{error:?}");
}

#[tokio::test]
async fn a_slow_body_ends_at_the_deadline_of_the_call() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let answering = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nslow").await.unwrap();
        stream
    });
    let mut request = get(Policy::default());
    request.caps.deadline = Some(Duration::from_millis(200));
    let error = send(&way_out(), &url, request).await.unwrap_err();
    assert!(matches!(error, SendError::TimedOut { seconds } if seconds == 0.2), "{error:?}");
    drop(answering.await.unwrap());
}

#[tokio::test]
async fn redirects_are_followed_as_far_as_the_policy_allows_and_told() {
    let replies = vec![
        ("/a", redirect(302, "/b")),
        ("/b", redirect(307, "/c")),
        ("/c", ok("here")),
        ("/loop", redirect(302, "/loop")),
    ];
    let server = Server::start(replies, false).await;
    let reply = send(&way_out(), &server.url("/a"), get(following(2))).await.unwrap();
    assert_eq!((reply.status, &reply.body[..]), (200, &b"here"[..]));
    let hops: Vec<_> = reply.hops.iter().map(|hop| (hop.url.clone(), hop.status)).collect();
    assert_eq!(hops, [(server.url("/a"), 302), (server.url("/b"), 307)]);
    assert_eq!(send(&way_out(), &server.url("/a"), get(following(0))).await.unwrap().status, 302);
    let before = server.heard().len();
    let error = send(&way_out(), &server.url("/loop"), get(following(5))).await.unwrap_err();
    let SendError::Redirect { cause: RedirectError::TooMany { most: 5 }, hops } = error else {
        panic!("{error:?}");
    };
    assert_eq!((hops.len(), server.heard().len() - before), (6, 6));
}

#[tokio::test]
async fn another_origin_gets_no_credentials() {
    let target = Server::answering(&ok("")).await;
    let server = Server::start(vec![("/", redirect(308, &target.url("/")))], false).await;
    let mut headers = HeaderMap::new();
    for name in ["authorization", "cookie", "x-api-key"] {
        headers.insert(name, HeaderValue::from_static("secret"));
    }
    let body = Bytes::from_static(b"body");
    let request = Request { method: Method::PUT, headers, body, ..get(following(1)) };
    send(&way_out(), &server.url("/"), request).await.unwrap();
    assert_eq!(server.heard().concat().matches("secret").count(), 3);
    let heard = target.heard().concat();
    assert!(heard.starts_with("PUT / ") && !heard.contains("secret"), "{heard}");
}

#[tokio::test]
async fn a_redirect_is_judged_as_a_first_request_is() {
    for to in
        ["http://10.0.0.1:8080/", "http://[::ffff:10.0.0.1]/", "http://0x0a000001/", "file:///etc/passwd"]
    {
        let server = Server::answering(&redirect(302, to)).await;
        let error = send(&way_out(), &server.url("/"), get(following(5))).await.unwrap_err();
        assert!(matches!(error, SendError::Redirect { .. }), "{to}: {error:?}");
    }
}

#[tokio::test]
async fn a_name_that_is_rebound_between_two_hops_is_judged_again() {
    for home in ["10.0.0.1", "169.254.169.254", "::1", "64:ff9b::7f00:1", "2002:7f00:1::", "::ffff:10.0.0.1"]
    {
        let server = Server::answering(&redirect(302, "/again")).await;
        let url = format!("http://receiver.example:{}/", server.address.port());
        let outbound = resolving(&["127.0.0.1", home]);
        let error = send(&outbound, &url, get(following(5))).await.unwrap_err();
        assert!(matches!(error, SendError::Connect(ConnectError::Blocked { .. })), "{home}: {error:?}");
        assert_eq!(server.heard().len(), 1);
    }
}

#[tokio::test]
async fn the_policy_holds_for_redirects_too() {
    let server = Server::answering(&redirect(302, "http://other.example:8080/")).await;
    let hosts = Hosts::Only([HostPattern::Exact("127.0.0.1".to_owned())].into());
    let policy = Policy { hosts, ..following(5) };
    let error = send(&way_out(), &server.url("/"), get(policy.clone())).await.unwrap_err();
    let SendError::Redirect { cause, .. } = error else { panic!("{error:?}") };
    assert!(matches!(cause, RedirectError::Policy(PolicyError::Host { .. })), "{cause:?}");
    let error = send(&way_out(), "http://other.example:8080/", get(policy)).await.unwrap_err();
    assert!(matches!(error, SendError::Policy(PolicyError::Host { .. })) && error.is_final(), "{error:?}");
}

#[tokio::test]
async fn a_connection_to_an_allowed_network_is_not_used_where_only_public_addresses_are() {
    let server = Server::answering(&ok("")).await;
    let outbound = way_out();
    let url = format!("https://receiver.example:{}/", server.address.port());
    let policy = Policy { addresses: Addresses::Public, ..Policy::default() };
    let error = send(&outbound, &url, get(policy)).await.unwrap_err();
    assert!(matches!(error, SendError::Connect(ConnectError::Blocked { .. })), "{error:?}");
    assert_eq!(server.heard().len(), 0);
}

#[tokio::test]
async fn calls_share_a_budget_and_a_rate() {
    let server = Server::answering(&ok("12345678")).await;
    // A reply of 8 bytes, and its header `content-length: 8`.
    let budget = Budget::new(3, 40);
    let policy = Policy { budget: Some(Arc::clone(&budget)), ..Policy::default() };
    send(&way_out(), &server.url("/"), get(policy.clone())).await.unwrap();
    let error = send(&way_out(), &server.url("/"), get(policy.clone())).await.unwrap_err();
    assert!(matches!(error, SendError::Budget(_)), "{error:?}");
    assert_eq!((budget.requests(), budget.bytes()), (2, 40), "it is used up");
    let policy = Policy { rate: Some(Rate::every(Duration::from_secs(3_600))), ..Policy::default() };
    send(&way_out(), &server.url("/"), get(policy.clone())).await.unwrap();
    let error = send(&way_out(), &server.url("/"), get(policy)).await.unwrap_err();
    assert!(matches!(error, SendError::Rate { .. }), "{error:?}");
}
