//! A receiver of webhooks on the loopback, which remembers what it was sent and answers as it is told.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// See the module.
pub(crate) struct Receiver {
    url: String,
    heard: Heard,
    /// Ends with the receiver.
    _serving: JoinSet<()>,
}

#[derive(Clone)]
struct Heard {
    status: Arc<AtomicU16>,
    received: watch::Sender<Vec<Received>>,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }
}

impl Receiver {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let status = Arc::new(AtomicU16::new(200));
        let heard = Heard { status, received: watch::Sender::new(Vec::new()) };
        let mut serving = JoinSet::new();
        serving.spawn(accept(listener, heard.clone()));
        Self { url, heard, _serving: serving }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The status of every answer from now on.
    pub(crate) fn answer_with(&self, status: u16) {
        self.heard.status.store(status, Ordering::SeqCst);
    }

    /// Everything that was sent, once there are `count` of it.
    pub(crate) async fn wait_for(&self, count: usize) -> Vec<Received> {
        let mut changes = self.heard.received.subscribe();
        let waiting = changes.wait_for(|all| all.len() >= count);
        let seen = tokio::time::timeout(Duration::from_secs(20), waiting).await.is_ok();
        assert!(seen, "{count} requests did not come");
        self.heard.received.borrow().clone()
    }
}

async fn accept(listener: TcpListener, heard: Heard) {
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let heard = heard.clone();
        connections.spawn(async move {
            let answer = service_fn(|request| heard.answer(request));
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
        });
    }
}

impl Heard {
    async fn answer(&self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        self.received.send_modify(|all| all.push(Received { headers: parts.headers, body }));
        let mut response = Response::new(Full::new(Bytes::from_static(b"noted")));
        *response.status_mut() = StatusCode::from_u16(self.status.load(Ordering::SeqCst)).unwrap();
        Ok(response)
    }
}
