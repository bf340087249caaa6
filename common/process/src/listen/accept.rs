//! The accept loop: accepts connections up to the limit, and at the end waits for them for a
//! bounded time.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use hyper::body::Incoming;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinError, JoinSet};

use super::connection::{Connection, ConnectionError};
use super::plain::PlainHandler;
use super::{Bound, ListenConfig};
use crate::shutdown::{Shutdown, Stage};
use crate::tasks::BoxError;

/// Pause of accepting when the operating system refuses, most often for lack of file descriptors:
/// long enough for some connections to end.
const REFUSED_PAUSE: Duration = Duration::from_millis(100);

/// Handler of requests: any function from a request and its peer's address to a response.
pub trait Handler: Send + Sync + 'static {
    /// Body of the responses.
    type Body: Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static;

    /// Answers one request.
    fn answer(
        &self,
        request: Request<Incoming>,
        peer: SocketAddr,
    ) -> impl Future<Output = Response<Self::Body>> + Send + 'static;
}

impl<F, A, B> Handler for F
where
    F: Fn(Request<Incoming>, SocketAddr) -> A + Send + Sync + 'static,
    A: Future<Output = Response<B>> + Send + 'static,
    B: Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static,
{
    type Body = B;

    fn answer(
        &self,
        request: Request<Incoming>,
        peer: SocketAddr,
    ) -> impl Future<Output = Response<B>> + Send + 'static {
        self(request, peer)
    }
}

/// Outcome of the drain of a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drained {
    /// Connections that had not ended in time and were cut.
    pub cut: usize,
}

impl Bound {
    /// Serves connections until `shutdown` drains, then allows those in progress at most `patience`
    /// to finish.
    pub async fn serve<H: Handler>(self, handler: H, shutdown: Shutdown, patience: Duration) -> Drained {
        let Self { listener, certificates, config, plain, .. } = self;
        let slots = Arc::new(Semaphore::new(config.max_connections));
        let connection = Arc::new(Connection::new(config, certificates, handler, plain, shutdown.clone()));
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                () = shutdown.reached(Stage::Draining) => break,
                Some(ended) = connections.join_next() => report(ended),
                accepted = accept(&listener, &slots) => {
                    let Some((stream, peer, slot)) = accepted else { continue };
                    connections.spawn(serve_one(connection.clone(), stream, peer, slot));
                }
            }
        }
        drop(listener);
        drain(connections, patience, &shutdown).await
    }
}

/// Serves one stream of any kind as a connection without TLS, until it ends: for tests and fuzzing.
pub async fn converse<T, H>(
    stream: T,
    peer: SocketAddr,
    config: ListenConfig,
    handler: H,
    plain: Option<Arc<dyn PlainHandler>>,
) where
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    H: Handler,
{
    let connection = Connection::new(config, None, handler, plain, Shutdown::new());
    report_end(connection.receive(stream, peer).await, peer);
}

async fn accept(
    listener: &tokio::net::TcpListener,
    slots: &Arc<Semaphore>,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let slot = slots.clone().acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => Some((stream, peer, slot)),
        Err(error) => {
            tracing::warn!(%error, "a connection could not be accepted");
            tokio::time::sleep(REFUSED_PAUSE).await;
            None
        }
    }
}

async fn serve_one<H: Handler>(
    connection: Arc<Connection<H>>,
    stream: TcpStream,
    peer: SocketAddr,
    slot: OwnedSemaphorePermit,
) {
    report_end(connection.serve(stream, peer).await, peer);
    drop(slot);
}

fn report_end(ended: Result<(), ConnectionError>, peer: SocketAddr) {
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "a connection ended with an error");
    }
}

async fn drain(mut connections: JoinSet<()>, patience: Duration, shutdown: &Shutdown) -> Drained {
    let finish = async {
        while let Some(ended) = connections.join_next().await {
            report(ended);
        }
    };
    tokio::select! {
        () = finish => {}
        () = tokio::time::sleep(patience) => {}
        () = shutdown.reached(Stage::AtOnce) => {}
    }
    let cut = connections.len();
    if cut > 0 {
        tracing::warn!(cut, "connections were closed at the end of the drain");
        connections.shutdown().await;
    }
    Drained { cut }
}

fn report(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a connection task terminated: a handler panicked");
    }
}
