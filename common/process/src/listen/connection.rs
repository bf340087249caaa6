//! One connection, from the accepted socket to its end: TLS, protocol, requests, and the reasons to
//! close it.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Either;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulConnection;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use super::accept::Handler;
use super::activity::Activity;
use super::answer::Tracked;
use super::frames::FrameCount;
use super::peers::{Guest, Peers};
use super::plain::{Outcome, Plain, PlainHandler};
use super::protocol::{self, Protocol};
use super::stream::Stream;
use super::{Certificates, ListenConfig, READ_BUFFER_BYTES, host};
use crate::requests;
use crate::shutdown::{Shutdown, Stage};

/// Most bytes of HTTP/2 bodies a connection may have received and no handler read: the window of
/// the connection, and of each of its streams.
const HTTP2_WINDOW_BYTES: u32 = 1024 * 1024;
/// Streams reset by the peer before they were handled, and streams reset by us for its errors,
/// above which the connection is closed: the floods known as rapid reset and made you reset.
const HTTP2_RESETS: usize = 50;
/// Interval of pings to a silent HTTP/2 peer, and their time limit.
const HTTP2_PING_EVERY: Duration = Duration::from_secs(30);
const HTTP2_PING_WITHIN: Duration = Duration::from_secs(20);

/// Reason why a connection ended other than by an orderly close.
#[derive(Debug, Error)]
pub(super) enum ConnectionError {
    #[error("no TLS handshake or no first byte in {} s", .0.as_secs_f64())]
    Silent(Duration),
    #[error("the peer did not read a response for {} s", .0.as_secs_f64())]
    Untaken(Duration),
    #[error("the connection could not be set up: {0}")]
    SetUp(#[from] io::Error),
    #[error("the connection failed: {0}")]
    Broken(#[source] io::Error),
    #[error("HTTP failed: {0}")]
    Http(#[from] hyper::Error),
}

/// State that all connections of a listener share.
pub(super) struct Connection<H> {
    config: ListenConfig,
    certificates: Option<Certificates>,
    handler: H,
    plain: Option<Arc<dyn PlainHandler>>,
    shutdown: Shutdown,
    peers: Arc<Peers>,
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
}

impl<H: Handler> Connection<H> {
    pub(super) fn new(
        config: ListenConfig,
        certificates: Option<Certificates>,
        handler: H,
        plain: Option<Arc<dyn PlainHandler>>,
        shutdown: Shutdown,
    ) -> Self {
        let http1 = http1(&config);
        let http2 = http2(&config);
        Self { config, certificates, handler, plain, shutdown, peers: Arc::default(), http1, http2 }
    }

    pub(super) async fn serve(&self, stream: TcpStream, peer: SocketAddr) -> Result<(), ConnectionError> {
        // Answers are small and whole: waiting to fill a packet only delays them.
        stream.set_nodelay(true)?;
        self.receive(stream, peer).await
    }

    /// Performs the TLS handshake on a new stream, if configured, then speaks HTTP.
    pub(super) async fn receive<T>(&self, stream: T, peer: SocketAddr) -> Result<(), ConnectionError>
    where
        T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let visit = Visit { peer, guest: self.peers.enter(peer.ip()), activity: Arc::new(Activity::new()) };
        let Some(certificates) = &self.certificates else { return self.speak(stream, &visit).await };
        let encrypted = async {
            let stream = self.in_time(certificates.acceptor().accept(stream), &visit).await?;
            self.speak(stream, &visit).await
        };
        // In memory of its own, as one without TLS has no need of it.
        Box::pin(encrypted).await
    }

    /// Speaks HTTP over a stream that is ready for it.
    async fn speak<T>(&self, mut stream: T, visit: &Visit) -> Result<(), ConnectionError>
    where
        T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (protocol, seen) = self.in_time(protocol::detect(&mut stream), visit).await?;
        let frames = (protocol == Protocol::Http2).then(|| FrameCount::new(seen.len()));
        let mut stream = Stream::new(stream, seen, frames, self.config.write_stall, self.config.linger);
        if protocol == Protocol::Http1 {
            let outcome = self.speak_plain(&mut stream, visit).await.map_err(ConnectionError::Broken)?;
            if outcome == Outcome::Ended {
                return Ok(());
            }
        }
        // Allocated separately: a connection of plain requests does not need this state, which is several times as large.
        Box::pin(self.speak_any(protocol, stream, visit)).await
    }

    /// Answers requests of any form of HTTP.
    async fn speak_any<T>(
        &self,
        protocol: Protocol,
        stream: Stream<T>,
        visit: &Visit,
    ) -> Result<(), ConnectionError>
    where
        T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let service = service_fn(|request: http::Request<Incoming>| {
            let in_progress = visit.activity.begin();
            let (method, version) = (request.method().clone(), request.version());
            let answering =
                host::is_named(version, request.headers()).then(|| self.handler.answer(request, visit.peer));
            async move {
                let response = match answering {
                    Some(answering) => answering.await.map(Either::Left),
                    None => {
                        requests::refused("host");
                        host::refusal(version).map(Either::Right)
                    }
                };
                Ok::<_, Infallible>(Tracked::response(response, &method, in_progress))
            }
        });
        match protocol {
            Protocol::Http1 => {
                self.watch(self.http1.serve_connection(TokioIo::new(stream), service), visit).await
            }
            Protocol::Http2 => {
                self.watch(self.http2.serve_connection(TokioIo::new(stream), service), visit).await
            }
        }
    }

    /// Answers requests of HTTP/1.1 until there is one that is not plain, which may be the first.
    async fn speak_plain<T>(&self, stream: &mut Stream<T>, visit: &Visit) -> io::Result<Outcome>
    where
        T: AsyncRead + AsyncWrite + Unpin + Send,
    {
        let Some(handler) = &self.plain else { return Ok(Outcome::NotPlain) };
        let (config, shutdown, activity) = (&self.config, &self.shutdown, &visit.activity);
        let plain = Plain { handler: &**handler, config, shutdown, activity };
        plain.serve(stream, || self.is_crowded(visit)).await
    }

    /// Drives a connection until it ends, is idle for too long, or the process drains; then asks it to
    /// finish, and drops it once nothing is in progress on it. A peer that does not read a response is not
    /// waited for: over HTTP/2 it can prevent writing it at all, by not opening the window, so that the
    /// stream below notices nothing. Its other requests, which may be of other users behind a proxy, are
    /// finished first.
    async fn watch<C>(&self, connection: C, visit: &Visit) -> Result<(), ConnectionError>
    where
        C: GracefulConnection<Error = hyper::Error>,
    {
        let ListenConfig { first_request, idle, write_stall, .. } = self.config;
        let activity = &visit.activity;
        let mut connection = pin!(connection);
        tokio::select! {
            biased;
            ended = connection.as_mut() => return Ok(ended?),
            () = activity.stalled(write_stall) => {}
            () = activity.idle(first_request, idle, || self.is_crowded(visit)) => {}
            () = self.shutdown.reached(Stage::Draining) => {}
        }
        connection.as_mut().graceful_shutdown();
        tokio::select! {
            biased;
            ended = connection => Ok(ended?),
            () = activity.given_up(write_stall) => Err(ConnectionError::Untaken(write_stall)),
            () = activity.quiet(self.config.linger) => Ok(()),
        }
    }

    /// Runs a step before the first request; all such steps of a connection share one time limit.
    async fn in_time<R>(
        &self,
        step: impl Future<Output = io::Result<R>>,
        visit: &Visit,
    ) -> Result<R, ConnectionError> {
        tokio::select! {
            done = step => Ok(done?),
            () = visit.activity.unasked(self.config.first_request, || self.is_crowded(visit)) => {
                Err(ConnectionError::Silent(visit.activity.age()))
            }
            () = self.shutdown.reached(Stage::Draining) => {
                Err(io::Error::new(io::ErrorKind::ConnectionAborted, "the process is shutting down").into())
            }
        }
    }

    fn is_crowded(&self, visit: &Visit) -> bool {
        visit.guest.connections() > self.config.crowd
    }
}

/// State of a connection since it was accepted.
struct Visit {
    peer: SocketAddr,
    guest: Guest,
    activity: Arc<Activity>,
}

fn http1(config: &ListenConfig) -> http1::Builder {
    let mut http1 = http1::Builder::new();
    http1
        .timer(TokioTimer::new())
        // Idle time and incomplete heads are watched per connection, the same for both protocols.
        .header_read_timeout(None)
        // Senders that close their side after the request still want the answer.
        .half_close(true)
        .max_headers(config.max_headers)
        .max_header_size(config.max_head_bytes as usize)
        // Where larger heads are allowed, the buffer must hold one.
        .max_buf_size(READ_BUFFER_BYTES.max(config.max_head_bytes as usize));
    http1
}

fn http2(config: &ListenConfig) -> http2::Builder<TokioExecutor> {
    let mut http2 = http2::Builder::new(TokioExecutor::new());
    http2
        .timer(TokioTimer::new())
        .max_concurrent_streams(config.max_streams)
        .max_header_list_size(config.max_head_bytes)
        .max_pending_accept_reset_streams(HTTP2_RESETS)
        .max_local_error_reset_streams(HTTP2_RESETS)
        .initial_stream_window_size(HTTP2_WINDOW_BYTES)
        .initial_connection_window_size(HTTP2_WINDOW_BYTES)
        .keep_alive_interval(HTTP2_PING_EVERY)
        .keep_alive_timeout(HTTP2_PING_WITHIN);
    http2
}
