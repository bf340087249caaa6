//! A receiver whose behaviour is in the path it is sent to, and which remembers what it was sent.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::collector;

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("no {name}")).to_str().unwrap()
    }

    pub(crate) fn event_id(&self) -> &str {
        self.header("x-service-event-id")
    }
}

/// See the module. `/status/503` answers so, `/flaky/2` does so twice and then acknowledges, `/close` breaks off, `/hang`
/// never answers, `/redirect` points to `/status/200`, `/long` answers more than anybody wants to keep, `/breaks/200` answers
/// so and breaks off in the body, `/stalls/200` sends no more than the beginning of the body. As a collector:
/// `/rejects/2` accepts a request but for two records, `/refuses/400` says why, `/few/3/413` answers so to more than three
/// records at once and to one that is `bad`, `/gathers/2` acknowledges once two requests are there.
#[derive(Clone)]
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    received: watch::Sender<Vec<Received>>,
}

impl Receiver {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let receiver = Self { address, received: watch::Sender::new(Vec::new()) };
        let accepting = receiver.clone();
        tokio::spawn(async move {
            let flaky: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (receiver, flaky) = (accepting.clone(), Arc::clone(&flaky));
                tokio::spawn(async move {
                    let answer = service_fn(|request| receiver.answer(request, &flaky));
                    let connection = hyper::server::conn::http1::Builder::new();
                    let _ = connection.serve_connection(TokioIo::new(stream), answer).await;
                });
            }
        });
        receiver
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Requests to a path so far.
    pub(crate) fn received(&self, path: &str) -> Vec<Received> {
        self.received.borrow().iter().filter(|one| one.path == path).cloned().collect()
    }

    /// Everything that was sent to a path, once there are `count` of it.
    pub(crate) async fn wait_for(&self, path: &str, count: usize) -> Vec<Received> {
        let mut changes = self.received.subscribe();
        let enough = |all: &Vec<Received>| all.iter().filter(|one| one.path == path).count() >= count;
        let waiting = changes.wait_for(enough);
        let limit = std::time::Duration::from_secs(20);
        let seen = tokio::time::timeout(limit, waiting).await.is_ok();
        assert!(seen, "{} of {count} requests to {path}", self.received(path).len());
        self.received(path)
    }

    async fn answer(
        &self,
        request: Request<Incoming>,
        flaky: &Mutex<HashMap<String, usize>>,
    ) -> Result<Response<Said>, Broken> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let path = parts.uri.path().to_owned();
        let media_type = parts.headers["content-type"].to_str().unwrap().to_owned();
        let received = Received { path: path.clone(), headers: parts.headers, body };
        self.received.send_modify(|all| all.push(received.clone()));
        let mut steps = path.split('/').skip(1);
        let (behaviour, number) =
            (steps.next().unwrap_or_default(), steps.next().and_then(|n| n.parse::<u16>().ok()));
        let reply = |status: u16, body: &[u8]| {
            let mut response = Response::new(Said::whole(body));
            *response.status_mut() = StatusCode::from_u16(status).unwrap();
            response
        };
        match behaviour {
            "status" => Ok(reply(number.unwrap(), b"")),
            "flaky" => {
                let mut seen = flaky.lock().unwrap();
                let seen = seen.entry(path.clone()).or_default();
                *seen += 1;
                Ok(reply(if *seen > usize::from(number.unwrap()) { 200 } else { 503 }, b"not yet"))
            }
            "few" => {
                let refusal = steps.next().unwrap().parse().unwrap();
                let found = collector::records(&received);
                let is_bad = found.iter().any(|record| collector::field(record, "bad").is_some());
                let is_taken = found.len() <= usize::from(number.unwrap()) && !is_bad;
                Ok(reply(if is_taken { 200 } else { refusal }, b""))
            }
            "gathers" => {
                self.wait_for(&path, usize::from(number.unwrap())).await;
                Ok(reply(200, b""))
            }
            "close" => Err(Broken),
            "breaks" => Ok(reply(number.unwrap(), b"the beg").map(|said| Said { end: End::Breaks, ..said })),
            "stalls" => Ok(reply(number.unwrap(), b"the beg").map(|said| Said { end: End::Stalls, ..said })),
            "hang" => std::future::pending::<Result<_, Infallible>>().await.map_err(|_| Broken),
            "redirect" => {
                let mut response = reply(302, b"");
                response.headers_mut().insert("location", self.url("/status/200").parse().unwrap());
                Ok(response)
            }
            "rejects" | "refuses" => {
                let is_json = media_type == "application/json";
                let status = if behaviour == "rejects" { 200 } else { number.unwrap() };
                Ok(reply(status, &collector::said(behaviour, number.unwrap(), is_json)))
            }
            "long" => Ok(reply(200, "\u{1b}[31mred ".repeat(1_000).as_bytes())),
            other => panic!("no such behaviour: {other}"),
        }
    }
}

/// The body of an answer.
struct Said {
    data: Option<Bytes>,
    end: End,
}

/// End of a body.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Well,
    Breaks,
    Broken,
    Stalls,
}

impl Said {
    fn whole(body: &[u8]) -> Self {
        let data = Some(Bytes::copy_from_slice(body)).filter(|data| !data.is_empty());
        Self { data, end: End::Well }
    }
}

impl Body for Said {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        match (self.data.take(), self.end) {
            (Some(data), _) => Poll::Ready(Some(Ok(Frame::data(data)))),
            (None, End::Well) => Poll::Ready(None),
            (None, End::Breaks) => {
                // Once more, so that what there is of it is sent before.
                self.end = End::Broken;
                context.waker().wake_by_ref();
                Poll::Pending
            }
            (None, End::Broken) => Poll::Ready(Some(Err(Broken))),
            (None, End::Stalls) => Poll::Pending,
        }
    }

    fn size_hint(&self) -> SizeHint {
        let size = self.data.as_ref().map_or(0, Bytes::len) as u64;
        // One that does not end well promises more than it sends.
        SizeHint::with_exact(if self.end == End::Well { size } else { size + 1_000 })
    }
}

/// Makes the connection end.
#[derive(Debug)]
pub(crate) struct Broken;

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("broken off")
    }
}

impl std::error::Error for Broken {}
