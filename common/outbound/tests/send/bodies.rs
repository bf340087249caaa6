//! Replies that are too long, too slow, broken or compressed.

use std::io::{self, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use http::Method;
use outbound::{Budget, Coding, Policy, Reading, Reply, Request, SendError};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::server::{Server, coded, following, get, ok, redirect, requester, send, way_out};

#[tokio::test]
async fn a_whole_body_is_read_to_its_cap_and_refused_beyond() {
    let exact = Server::answering(ok("x".repeat(1_024))).await;
    let reply = send(&way_out(), &exact.url("/"), get(Policy::default())).await.unwrap();
    assert_eq!(reply.body.len(), 1_024);
    let announced = Server::answering(ok("x".repeat(1_025))).await;
    let error = send(&way_out(), &announced.url("/"), get(Policy::default())).await.unwrap_err();
    assert!(matches!(error, SendError::Body { most: 1_024, found: 1_025 }), "{error:?}");
    let endless = Server::endless("HTTP/1.1 200 OK\r\n\r\n", "x".repeat(1_000)).await;
    let error = send(&way_out(), &endless.url("/"), get(Policy::default())).await.unwrap_err();
    assert!(matches!(error, SendError::Body { most: 1_024, .. }), "{error:?}");
    let broken = Server::answering("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf").await;
    let error = send(&way_out(), &broken.url("/"), get(Policy::default())).await.unwrap_err();
    assert!(matches!(error, SendError::Broken(_)), "{error:?}");
}

#[tokio::test]
async fn headers_are_capped_and_endless_ones_end() {
    let large = format!("HTTP/1.1 200 OK\r\nx-large: {}\r\ncontent-length: 0\r\n\r\n", "x".repeat(5_000));
    let server = Server::answering(large).await;
    let error = send(&way_out(), &server.url("/"), get(Policy::default())).await.unwrap_err();
    assert!(matches!(error, SendError::Headers { most: 4_096, .. }), "{error:?}");
    let endless = Server::endless("HTTP/1.1 200 OK\r\n", format!("x-more: {}\r\n", "y".repeat(1_000))).await;
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
async fn the_deadline_holds_for_all_redirects_together() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let to = format!("http://{}/", silent.local_addr().unwrap());
    let server = Server::answering(redirect(302, &to)).await;
    let mut request = get(following(5));
    request.caps.deadline = Some(Duration::from_millis(200));
    let error = send(&way_out(), &server.url("/"), request).await.unwrap_err();
    let SendError::Redirected { cause, hops } = error else { panic!("{error:?}") };
    assert!(matches!(*cause, SendError::TimedOut { .. }), "{cause:?}");
    assert_eq!((hops.len(), &hops[0].location), (1, &to));
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A request whose reply is inflated.
fn inflated(reading: Reading, policy: Policy) -> Request {
    let mut request = get(policy);
    request.caps.coding = Coding::Inflated;
    request.caps.reading = reading;
    request
}

async fn fetch(server: &Server, reading: Reading) -> Result<Reply, SendError> {
    send(&way_out(), &server.url("/"), inflated(reading, Policy::default())).await
}

#[tokio::test]
async fn a_compressed_body_is_inflated_where_the_call_asks_for_it() {
    let text = "text ".repeat(200);
    let server = Server::answering(coded("gzip", gzip(text.as_bytes()))).await;
    let reply = fetch(&server, Reading::Whole).await.unwrap();
    assert_eq!(reply.body, text);
    assert!(!reply.headers.contains_key("content-encoding") && !reply.headers.contains_key("content-length"));
    assert!(server.heard()[0].contains("accept-encoding: gzip, deflate\r\n"), "{:?}", server.heard());

    let reply = send(&way_out(), &server.url("/"), get(Policy::default())).await.unwrap();
    assert_eq!(reply.body, gzip(text.as_bytes()));
    assert_eq!(reply.headers["content-encoding"], "gzip");
    assert!(!server.heard()[1].contains("accept-encoding"), "{:?}", server.heard());

    let plain = Server::answering(ok("text")).await;
    assert_eq!(fetch(&plain, Reading::Whole).await.unwrap().body, "text");
    let head = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 99\r\n\r\n";
    let server = Server::answering(head).await;
    let request = Request { method: Method::HEAD, ..inflated(Reading::Whole, Policy::default()) };
    assert_eq!(send(&way_out(), &server.url("/"), request).await.unwrap().body, "");
}

#[tokio::test]
async fn a_compression_bomb_ends_at_the_cap() {
    let bomb = gzip(&vec![0; 2 * 1_024 * 1_024]);
    let sent = bomb.len() as u64;
    let server = Server::answering(coded("gzip", &bomb)).await;
    let budget = Budget::new(9, 1_000_000);
    let policy = Policy { budget: Some(Arc::clone(&budget)), ..Policy::default() };
    let mut request = inflated(Reading::Whole, policy);
    request.caps.body_bytes = 65_536;
    let error = send(&way_out(), &server.url("/"), request.clone()).await.unwrap_err();
    assert!(matches!(error, SendError::Body { most: 65_536, .. }), "{error:?}");
    assert!(budget.bytes() > 0 && budget.bytes() < sent + 200, "{} of {sent} sent", budget.bytes());
    request.caps.reading = Reading::Beginning;
    assert_eq!(send(&way_out(), &server.url("/"), request).await.unwrap().body.len(), 65_536);
}

#[tokio::test]
async fn an_endless_compressed_body_ends_whether_or_not_it_inflates_to_anything() {
    let head = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n";
    let zeros = Server::endless(head, gzip(&[0; 10_000])).await;
    let error = fetch(&zeros, Reading::Whole).await.unwrap_err();
    assert!(matches!(error, SendError::Body { most: 1_024, .. }), "{error:?}");
    let nothing = Server::endless(head, gzip(b"")).await;
    let error = fetch(&nothing, Reading::Whole).await.unwrap_err();
    assert!(matches!(error, SendError::Body { .. } | SendError::Inflate { .. }), "{error:?}");
    // A comment that does not end, in the head of the first member.
    let comment = format!("{head}\u{1f}");
    let mut start = comment.into_bytes();
    start.extend([0x8b, 8, 0x10, 0, 0, 0, 0, 0, 3]);
    let replies = vec![("/".to_owned(), start)];
    let script = crate::server::Script { replies, endless: Some(vec![b'c'; 1_000]), tls: None };
    let error = fetch(&Server::start(script).await, Reading::Whole).await.unwrap_err();
    assert!(matches!(error, SendError::Body { most: 1_024, .. }), "{error:?}");
}

#[tokio::test]
async fn a_coding_that_was_not_asked_for_and_a_damaged_body_are_errors() {
    let brotli = Server::answering(coded("br", "x")).await;
    let error = fetch(&brotli, Reading::Whole).await.unwrap_err();
    assert!(matches!(error, SendError::Coding { ref found } if found == "br"), "{error:?}");
    let sent = gzip(b"whole");
    for damaged in [&sent[..sent.len() - 1], b"not gzip", &[&sent[..], b"more"].concat()] {
        let server = Server::answering(coded("gzip", damaged)).await;
        let error = fetch(&server, Reading::Whole).await.unwrap_err();
        assert!(matches!(error, SendError::Inflate { .. }), "{error:?}");
        assert_eq!(fetch(&server, Reading::Beginning).await.unwrap().status, 200);
    }
}

/// Takes so many bytes and then no more.
struct Disk {
    written: Vec<u8>,
    most: usize,
}

impl AsyncWrite for Disk {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.written.len() + bytes.len() > self.most {
            return Poll::Ready(Err(io::Error::from(io::ErrorKind::StorageFull)));
        }
        self.written.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[tokio::test]
async fn a_body_can_be_written_instead_of_kept_in_memory() {
    let text = "0123456789".repeat(100_000);
    let plain = Server::answering(ok(&text)).await;
    let packed = Server::answering(coded("gzip", gzip(text.as_bytes()))).await;
    let download = async |server: &Server, reading, body_bytes: usize, most: usize| {
        let outbound = way_out();
        let destination = outbound.destination(&server.url("/")).unwrap();
        let mut request = inflated(reading, Policy::default());
        request.caps.body_bytes = body_bytes;
        let mut disk = Disk { written: Vec::new(), most };
        let reply = outbound.send_into(requester(), &destination, request, &mut disk).await;
        (reply, disk.written)
    };
    for server in [&plain, &packed] {
        let (reply, written) = download(server, Reading::Whole, text.len(), text.len()).await;
        assert_eq!((reply.unwrap().body.len(), written == text.as_bytes()), (0, true));
        let (reply, written) = download(server, Reading::Whole, text.len() - 1, text.len()).await;
        assert!(matches!(reply, Err(SendError::Body { .. })) && written.len() < text.len(), "{reply:?}");
        let (reply, written) = download(server, Reading::Beginning, 2_500, text.len()).await;
        assert_eq!((reply.unwrap().status, &written[..]), (200, &text.as_bytes()[..2_500]));
        for reading in [Reading::Whole, Reading::Beginning] {
            let (reply, _) = download(server, reading, text.len(), 1_000).await;
            assert!(matches!(reply, Err(SendError::Write(_))), "{reply:?}");
        }
    }
}
