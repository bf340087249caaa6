//! Heads of requests that are too large, that contradict themselves, or that two parsers would read
//! differently: after those with two contradicting lengths a second request is hidden, which must
//! not be answered.

use std::sync::Arc;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::abuse::attack_target::AttackTarget;
use crate::abuse::seen::Seen;

/// The request hidden after one that can be read in two ways.
const HIDDEN: &str = "GET /hidden HTTP/1.1\r\nhost: palisade\r\n\r\n";
const RECORD: &str = "{\"message\":\"hello\"}\n";
const AT_A_TIME: usize = 8;

/// Many heads of many headers.
pub(crate) async fn many_headers(target: AttackTarget) -> Seen {
    let headers: String = (0..10_000).map(|number| format!("x-{number}: y\r\n")).collect();
    let bytes = format!("{}{headers}\r\n", target.head()).into_bytes();
    target.send_times(target.many(64, 8), bytes).await
}

/// One header of a mebibyte.
pub(crate) async fn giant_header(target: AttackTarget) -> Seen {
    let bytes = format!("{}x-giant: {}\r\n\r\n", target.head(), "y".repeat(1 << 20)).into_bytes();
    target.send_times(target.many(64, 8), bytes).await
}

/// A path of a mebibyte.
pub(crate) async fn giant_path(target: AttackTarget) -> Seen {
    let bytes = format!("GET /{} HTTP/1.1\r\nhost: palisade\r\n\r\n", "y".repeat(1 << 20)).into_bytes();
    target.send_times(target.many(64, 8), bytes).await
}

/// Endless headers, as fast as they are accepted.
pub(crate) async fn endless_headers(target: AttackTarget) -> Seen {
    let piece: Arc<str> = "x-more: and more\r\n".repeat(1000).into();
    let (head, flood): (Arc<str>, _) = (target.head().into(), target.flood());
    let attack = move |mut stream: TcpStream| {
        let (head, piece) = (Arc::clone(&head), Arc::clone(&piece));
        async move {
            let sending = async {
                if stream.write_all(head.as_bytes()).await.is_err() {
                    return;
                }
                while stream.write_all(piece.as_bytes()).await.is_ok() {}
            };
            let ended = tokio::time::timeout(flood, sending).await.is_ok();
            if ended { "ended" } else { "taken without end" }.to_owned()
        }
    };
    target.on_connections(target.many(64, 8), AT_A_TIME, attack).await
}

/// Duplicates of headers that must occur once.
pub(crate) async fn repeated_headers(target: AttackTarget) -> Seen {
    let headers = [
        "authorization: Bearer another\r\n",
        "content-type: application/x-protobuf\r\n",
        "content-encoding: identity\r\ncontent-encoding: gzip\r\n",
        "idempotency-key: a\r\nidempotency-key: b\r\n",
        "content-length: 7\r\n",
    ];
    target.send_each(headers.map(|extra| with_header(&target, extra))).await
}

/// Lengths that are invalid (RFC 9112 section 6.3).
pub(crate) async fn bad_lengths(target: AttackTarget) -> Seen {
    let lengths = [
        "content-length: 0\r\ncontent-length: 20\r\n",
        "content-length: 0, 20\r\n",
        "content-length: -1\r\n",
        "content-length: +0\r\n",
        "content-length: 0x0\r\n",
        "content-length: 0 0\r\n",
        "content-length: 18446744073709551616\r\n",
        "content-length:\r\n",
    ];
    hidden_behind(&target, &lengths, "").await
}

/// Transfer codings that two parsers would read differently (RFC 9112 section 6.1).
pub(crate) async fn bad_codings(target: AttackTarget) -> Seen {
    let codings = [
        "transfer-encoding : chunked\r\n",
        "transfer-encoding: xchunked\r\n",
        "transfer-encoding: chunked, identity\r\n",
        "transfer-encoding: identity, x\r\n",
        "transfer-encoding: \u{b}chunked\r\n",
        "transfer-encoding: chunked\r\ntransfer-encoding: x\r\n",
        " transfer-encoding: chunked\r\n",
        "x: y\rtransfer-encoding: chunked\r\n",
        "x\0: y\r\n",
    ];
    hidden_behind(&target, &codings, "0\r\n\r\n").await
}

/// Both a length and a coding: a parser that uses the length would read another request than one that uses
/// the coding, and both are sent.
pub(crate) async fn length_and_coding(target: AttackTarget) -> Seen {
    let long = format!("content-length: {}\r\ntransfer-encoding: chunked\r\n", 5 + HIDDEN.len());
    hidden_behind(&target, &[&long, "transfer-encoding: chunked\r\ncontent-length: 5\r\n"], "0\r\n\r\n").await
}

/// Chunks with sizes that are invalid or too large to represent.
pub(crate) async fn bad_chunks(target: AttackTarget) -> Seen {
    let extensions = format!("1;{}\r\nx\r\n0\r\n\r\n", "y".repeat(100_000));
    let chunks = [
        "10000000000000000\r\n",
        "ffffffffffffffff\r\nx",
        "-1\r\n",
        "5 5\r\nhello\r\n0\r\n\r\n",
        "x\r\n",
        "5\r\nhello0\r\n\r\n",
        "2\nab\r\n0\r\n\r\n",
        &extensions,
    ];
    let request = |chunks| target.ndjson(&format!("transfer-encoding: chunked\r\n\r\n{chunks}{HIDDEN}"));
    target.send_each(chunks.map(request)).await
}

/// Invalid request lines.
pub(crate) async fn bad_request_lines(target: AttackTarget) -> Seen {
    let lines = [
        "GET  / HTTP/1.1\r\n",
        "GET / HTTP/9.9\r\n",
        "GET / HTTP/1.1 HTTP/1.1\r\n",
        "G\0T / HTTP/1.1\r\n",
        "GET /\x01 HTTP/1.1\r\n",
        "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0",
        "hello\r\n",
    ];
    target.send_each(lines.map(|line| format!("{line}host: palisade\r\n\r\n"))).await
}

/// Invalid or multiple hosts: a proxy would choose by one of them, its backend by another (RFC 9112 section 3.2).
pub(crate) async fn bad_hosts(target: AttackTarget) -> Seen {
    let heads = [
        "HTTP/1.1",
        "HTTP/1.1\r\nhost: palisade\r\nhost: another",
        "HTTP/1.1\r\nhost: palisade/another",
        "HTTP/1.1\r\nhost: me@palisade",
        "HTTP/1.0\r\nhost: palisade\r\nhost: another",
    ];
    let requests = heads.map(|head| format!("GET /healthz {head}\r\n\r\n"));
    target.send_each(requests.into_iter().chain([with_header(&target, "host: another\r\n")])).await
}

/// A valid request with one more header.
fn with_header(target: &AttackTarget, extra: &str) -> String {
    target.ndjson(&format!("{extra}content-length: {}\r\n\r\n{RECORD}", RECORD.len()))
}

async fn hidden_behind(target: &AttackTarget, headers: &[&str], body: &str) -> Seen {
    let request = |headers: &&str| target.ndjson(&format!("{headers}\r\n{body}{HIDDEN}"));
    target.send_each(headers.iter().map(request)).await
}
