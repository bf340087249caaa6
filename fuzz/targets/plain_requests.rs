//! Input of a client over HTTP/1.1, in pieces: with plain requests read by ourselves it gets the answers that hyper alone
//! would have given. The first byte chooses the cut of the input.

#![no_main]

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::{BodyExt, Full};
use libfuzzer_sys::fuzz_target;
use process::listen::{Answering, ListenConfig, PlainBody, PlainHandler, converse};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Runtime;

/// Start of HTTP/2 (RFC 9113 section 3.4), as far as HTTP/1.1 would read it as a head.
const HTTP2: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM";
/// More than all answers to one input.
const STREAM_BYTES: usize = 1 << 20;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime")
});

fuzz_target!(|input: &[u8]| {
    let Some((cut, said)) = input.split_first() else { return };
    // hyper reads a head that comes in pieces once there is an empty line, and says nothing if there never is one.
    let said = [said, b"\r\n\r\n"].concat();
    // Whether it answers the preface of HTTP/2 behind line ends depends on the pieces it comes in.
    if said.windows(HTTP2.len()).any(|bytes| bytes == HTTP2) {
        return;
    }
    let (first, second) = said.split_at(usize::from(*cut).min(said.len()));
    let expected = RUNTIME.block_on(answers([first, second], None));
    let found = RUNTIME.block_on(answers([first, second], Some(Arc::new(Telling))));
    assert_eq!(found, expected);
});

struct Telling;

impl PlainHandler for Telling {
    fn takes(&self, path: &str) -> bool {
        path.starts_with("/b")
    }

    fn answer<'a>(&'a self, request: Request<PlainBody<'a>>) -> Answering<'a> {
        Box::pin(tell(request))
    }
}

/// Parts of a request.
async fn tell<B: Body<Data = Bytes>>(request: Request<B>) -> Response<Full<Bytes>> {
    let (head, body) = request.into_parts();
    let length = body.size_hint();
    let Ok(body) = body.collect().await else { return Response::new(Full::from("broken")) };
    // Headers of one name keep their order, names need not.
    let mut headers: Vec<_> = head.headers.keys().map(|name| (name, head.headers.get_all(name))).collect();
    headers.sort_by_key(|(name, _)| name.as_str());
    let said = format!("{} {} {headers:?} {length:?} {:?}", head.method, head.uri, body.to_bytes());
    Response::new(Full::from(said))
}

/// The lines of the answers but for those that tell the date, and for one that hyper leaves out where a body breaks off.
async fn answers(pieces: [&[u8]; 2], plain: Option<Arc<dyn PlainHandler>>) -> Vec<String> {
    let (near, mut far) = tokio::io::duplex(STREAM_BYTES);
    let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
    let serving = converse(near, peer, ListenConfig::default(), |request, _peer| tell(request), plain);
    let asking = async {
        for piece in pieces {
            // The other side may have closed already.
            let _sent = far.write_all(piece).await;
            tokio::task::yield_now().await;
        }
        let _closed = far.shutdown().await;
        let mut said = Vec::new();
        far.read_to_end(&mut said).await.expect("a stream in memory");
        String::from_utf8_lossy(&said).into_owned()
    };
    let ((), said) = tokio::join!(serving, asking);
    let is_broken = said.contains("broken");
    let is_left_out = |line: &&str| line.starts_with("date: ") || is_broken && *line == "connection: close";
    let mut lines: Vec<String> =
        said.split("\r\n").filter(|line| !is_left_out(line)).map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}
