//! The way out against real sockets: who is reached, who is not, and what comes back.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "the receivers of a test end with its runtime")]

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use common::clock::SystemClock;
use common::ids::OrganizationId;
use http::{HeaderMap, Method};
use outbound::{
    Caps, Coding, Config, ConnectError, Connection, Outbound, Policy, Reading, Reply, Request, Requester,
    Resolve, SendError,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use uuid::Uuid;

/// Answers with the next of several answers, the last one for ever.
struct Script {
    answers: Vec<Vec<IpAddr>>,
    asked: AtomicUsize,
}

impl Script {
    fn new(answers: &[&[&str]]) -> Arc<Self> {
        let parse = |answer: &&[&str]| answer.iter().map(|address| address.parse().unwrap()).collect();
        Arc::new(Self { answers: answers.iter().map(parse).collect(), asked: AtomicUsize::new(0) })
    }
}

#[async_trait]
impl Resolve for Script {
    async fn resolve(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        let turn = self.asked.fetch_add(1, Ordering::SeqCst);
        Ok(self.answers[turn.min(self.answers.len() - 1)].clone())
    }
}

fn loopback_allowed() -> Config {
    Config { allow_networks: vec!["127.0.0.0/8".parse().unwrap()], ..Config::default() }
}

/// Answers every connection with the same bytes and closes it; counts them.
async fn receiver(reply: &'static [u8]) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, connections) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
    let counter = Arc::clone(&connections);
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            counter.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(async move {
                read_request(&mut stream).await;
                let _ = stream.write_all(reply).await;
            });
        }
    });
    (address, connections)
}

async fn read_request(stream: &mut TcpStream) {
    let mut read = Vec::new();
    while !read.ends_with(b"body") {
        let mut buffer = [0; 1024];
        match stream.read(&mut buffer).await {
            Ok(count) if count > 0 => read.extend_from_slice(&buffer[..count]),
            _ => return,
        }
    }
}

fn way_out(config: &Config, resolver: Arc<dyn Resolve>) -> Outbound {
    Outbound::new(config, resolver, Arc::new(SystemClock::new())).unwrap()
}

fn requester() -> Requester {
    Requester::interactive(OrganizationId(Uuid::from_u128(1)))
}

fn request(method: Method, body: Bytes, body_bytes: usize) -> Request {
    let caps = Caps {
        body_bytes,
        reading: Reading::Beginning,
        coding: Coding::AsSent,
        header_bytes: 65_536,
        deadline: None,
    };
    Request { method, target: None, headers: HeaderMap::new(), body, caps, policy: Policy::default() }
}

async fn post(outbound: &Outbound, url: &str) -> Result<Reply, SendError> {
    let destination = outbound.destination(url).unwrap();
    let connection = match outbound.idle(requester(), &destination) {
        Some(idle) => idle,
        None => outbound.connect(requester(), &destination).await?,
    };
    let body = Bytes::from_static(b"body");
    outbound.send(connection, &destination, request(Method::POST, body, 1_024)).await
}

/// Answers every request of every connection; counts connections.
async fn lasting_receiver() -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, connections) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
    let counter = Arc::clone(&connections);
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            counter.fetch_add(1, Ordering::SeqCst);
            let answering = async move {
                loop {
                    read_request(&mut stream).await;
                    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await?;
                }
            };
            tokio::spawn(async move {
                let _: io::Result<()> = answering.await;
            });
        }
    });
    (address, connections)
}

/// An idle connection, once there is one: it is kept as soon as it is ready for another request.
async fn idle(outbound: &Outbound, requester: Requester, url: &str) -> Connection {
    let destination = outbound.destination(url).unwrap();
    loop {
        match outbound.idle(requester, &destination) {
            Some(connection) => return connection,
            None => tokio::task::yield_now().await,
        }
    }
}

fn blocked(outcome: Result<Reply, SendError>) -> IpAddr {
    let error = outcome.unwrap_err();
    assert!(error.is_final(), "{error}");
    // Tenants see the text, which tells them nothing of the network that their name leads into.
    assert_eq!(error.to_string(), "receiver.example does not resolve to a public address");
    let SendError::Connect(ConnectError::Blocked { address, .. }) = error else { panic!("{error:?}") };
    address
}

#[tokio::test]
async fn a_name_that_leads_home_is_refused_whatever_else_it_leads_to() {
    for answer in [
        &["127.0.0.1"][..],
        &["93.184.216.34", "10.0.0.1"],
        &["::1"],
        &["64:ff9b::7f00:1"],
        &["::ffff:10.0.0.1"],
    ] {
        let outbound = way_out(&Config::default(), Script::new(&[answer]));
        blocked(post(&outbound, "https://receiver.example/hook").await);
    }
}

#[tokio::test]
async fn an_answer_that_changes_after_the_check_is_judged_again() {
    let (home, connections) = receiver(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let outbound = way_out(&Config::default(), Script::new(&[&["93.184.216.34"], &["127.0.0.1"]]));
    let destination = outbound.destination(&format!("https://receiver.example:{}/", home.port())).unwrap();
    outbound.check(requester(), &destination).await.unwrap();
    let outcome = post(&outbound, destination.as_str()).await;
    assert_eq!(blocked(outcome), IpAddr::from([127, 0, 0, 1]));
    assert_eq!(connections.load(Ordering::SeqCst), 0, "nobody was connected to");
}

#[tokio::test]
async fn a_name_is_resolved_once_for_a_connection() {
    let (address, connections) = receiver(b"HTTP/1.1 204 No Content\r\n\r\n").await;
    let script = Script::new(&[&["127.0.0.1"], &["10.9.9.9"]]);
    let outbound = way_out(&loopback_allowed(), Arc::clone(&script) as Arc<dyn Resolve>);
    let reply = post(&outbound, &format!("http://receiver.example:{}/", address.port())).await.unwrap();
    assert_eq!((reply.status, connections.load(Ordering::SeqCst)), (204, 1));
    assert_eq!(script.asked.load(Ordering::SeqCst), 1, "what was judged is what was connected to");
}

#[tokio::test]
async fn a_connection_is_used_again_by_the_same_requester_only() {
    let (address, connections) = lasting_receiver().await;
    let outbound = way_out(&loopback_allowed(), Script::new(&[&[]]));
    let url = format!("http://{address}/hook?a=b");
    let destination = outbound.destination(&url).unwrap();
    post(&outbound, &url).await.unwrap();
    let again = idle(&outbound, requester(), &url).await;
    assert!(
        again.leads_to(&destination)
            && !again.leads_to(&outbound.destination("https://other.example").unwrap())
    );
    assert!(outbound.idle(requester(), &destination).is_none(), "it is taken");
    let body = Bytes::from_static(b"body");
    let reply = outbound.send(again, &destination, request(Method::POST, body, 1_024)).await.unwrap();
    assert_eq!((reply.status, &reply.body[..], connections.load(Ordering::SeqCst)), (200, &b"ok"[..], 1));
    drop(idle(&outbound, requester(), &url).await);
    let stranger = Requester::background(OrganizationId(Uuid::from_u128(2)));
    assert!(outbound.idle(stranger, &destination).is_none());
}

#[tokio::test]
async fn an_idle_connection_is_closed_after_ten_seconds() {
    let (address, _) = lasting_receiver().await;
    let outbound = way_out(&loopback_allowed(), Script::new(&[&[]]));
    let url = format!("http://{address}/");
    for (waited, is_idle) in [(9, true), (11, false)] {
        post(&outbound, &url).await.unwrap();
        // Until it is kept.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(waited)).await;
        tokio::time::resume();
        let found = outbound.idle(requester(), &outbound.destination(&url).unwrap());
        assert_eq!(found.is_some(), is_idle, "after {waited} s");
    }
}

#[tokio::test]
async fn a_request_over_a_connection_that_the_receiver_has_closed_is_not_sent_and_says_so() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let (close, closing) = tokio::sync::oneshot::channel::<()>();
    let receiving = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        read_request(&mut stream).await;
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await.unwrap();
        closing.await.unwrap();
    });
    let outbound = way_out(&loopback_allowed(), Script::new(&[&[]]));
    post(&outbound, &url).await.unwrap();
    let connection = idle(&outbound, requester(), &url).await;
    close.send(()).unwrap();
    receiving.await.unwrap();
    let destination = outbound.destination(&url).unwrap();
    let outcome = outbound.send(connection, &destination, request(Method::POST, Bytes::new(), 0)).await;
    assert!(matches!(outcome, Err(SendError::Closed)), "{outcome:?}");
}

#[tokio::test]
async fn without_tls_only_allowed_networks_are_reached() {
    let outbound = way_out(&loopback_allowed(), Script::new(&[&["93.184.216.34"]]));
    let error = post(&outbound, "http://receiver.example/").await.unwrap_err();
    assert!(matches!(error, SendError::Connect(ConnectError::Unencrypted { .. })), "{error:?}");
    assert!(error.is_final());
}

#[tokio::test]
async fn redirects_are_answers() {
    let (target, reached) = receiver(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let location = format!("HTTP/1.1 302 Found\r\nlocation: http://{target}/\r\ncontent-length: 0\r\n\r\n");
    let (address, _) = receiver(location.leak().as_bytes()).await;
    let outbound = way_out(&loopback_allowed(), Script::new(&[&[]]));
    let reply = post(&outbound, &format!("http://{address}/")).await.unwrap();
    assert_eq!((reply.status, reached.load(Ordering::SeqCst)), (302, 0));
}

#[tokio::test]
async fn of_a_long_reply_only_the_beginning_is_read() {
    let reply = [b"HTTP/1.1 500 Oh\r\nretry-after: 7\r\n\r\n".as_slice(), &[b'x'; 100_000]].concat();
    let (address, _) = receiver(reply.leak()).await;
    let outbound = way_out(&loopback_allowed(), Script::new(&[&[]]));
    let reply = post(&outbound, &format!("http://{address}/")).await.unwrap();
    assert_eq!((reply.status, reply.body.len()), (500, 1_024));
    assert_eq!(reply.headers["retry-after"], "7");
}

#[tokio::test]
async fn a_status_is_a_reply_however_its_body_ends() {
    let config = Config { timeout_ms: 200, ..loopback_allowed() };
    let outbound = way_out(&config, Script::new(&[&[]]));
    let (address, _) = receiver(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbroken off").await;
    let reply = post(&outbound, &format!("http://{address}/")).await.unwrap();
    assert_eq!((reply.status, &reply.body[..]), (200, &b"broken off"[..]));
    let (address, _) = receiver(b"HTTP/1.1 202 Yes\r\ntransfer-encoding: chunked\r\n\r\nno size").await;
    assert_eq!(post(&outbound, &format!("http://{address}/")).await.unwrap().status, 202);

    let slow = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = slow.local_addr().unwrap();
    let answering = tokio::spawn(async move {
        let (mut stream, _) = slow.accept().await.unwrap();
        read_request(&mut stream).await;
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nslow").await.unwrap();
        stream
    });
    let reply = post(&outbound, &format!("http://{address}/")).await.unwrap();
    assert_eq!((reply.status, &reply.body[..]), (200, &b"slow"[..]));
    drop(answering.await.unwrap());
}

#[tokio::test]
async fn a_receiver_that_hangs_or_breaks_off_is_told_apart() {
    let config = Config { timeout_ms: 200, ..loopback_allowed() };
    let outbound = way_out(&config, Script::new(&[&[]]));
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let error = post(&outbound, &format!("http://{}/", silent.local_addr().unwrap())).await.unwrap_err();
    assert!(matches!(error, SendError::TimedOut { .. }) && !error.is_final(), "{error:?}");
    let (address, _) = receiver(b"").await;
    let error = post(&outbound, &format!("http://{address}/")).await.unwrap_err();
    assert!(matches!(error, SendError::Broken(_)) && !error.is_final(), "{error:?}");
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let error = post(&outbound, &format!("http://{nobody}/")).await.unwrap_err();
    assert!(
        matches!(error, SendError::Connect(ConnectError::Failed { .. })) && !error.is_final(),
        "{error:?}"
    );
}
