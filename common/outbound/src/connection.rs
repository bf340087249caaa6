//! Connections for requests, opened before the request is made: whoever sends can look at the present state of things
//! between the two. And the pool of those that are open and idle.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::Uri;
use http_body_util::Full;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::rt::Executor;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::time::Instant;

use crate::certificate::PeerCertificates;
use crate::connect::is_https;
use crate::destination::Destination;
use crate::lookups::Requester;
use crate::policy::Addresses;
use crate::socket::Socket;

/// Time that an idle connection is kept: a receiver whose name leads elsewhere now is found there soon.
const IDLE: Duration = Duration::from_secs(10);
/// Idle connections of all requesters together: each is a socket and some 30 KiB, and twice the peer's certificates (here and
/// in the session). One more is closed instead of kept.
const MOST_IDLE: usize = 4_096;
/// Bytes of certificates of a connection that is kept: the peer chooses them, and a usual chain has 2 to 6 KiB.
const MAX_IDLE_CHAIN_BYTES: usize = 16 * 1024;

/// Bytes of a reply's head that a connection reads: what hyper reads by default, stated here as a bound of ours.
pub(crate) const MAX_HEADER_BYTES: usize = 8_192 + 100 * 4_096;

/// A connection to a destination, for one request of one requester. It has to be answered by `deadline`.
pub struct Connection {
    pub(crate) line: Line,
    pub(crate) key: ConnectionKey,
    pub(crate) deadline: Instant,
    /// Whether an earlier request went over it: the receiver may close it at any time.
    pub(crate) is_reused: bool,
}

/// HTTP over an open socket.
pub(crate) struct Line {
    pub(crate) sender: SendRequest<Full<Bytes>>,
    /// With TLS.
    pub(crate) certificates: Option<PeerCertificates>,
}

/// A connection that one requester opened, and looked up the name for, is not used by another, nor by a request that may
/// reach fewer addresses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ConnectionKey {
    pub(crate) requester: Requester,
    addresses: Addresses,
    is_secure: bool,
    authority: String,
}

impl ConnectionKey {
    pub(crate) fn new(requester: Requester, uri: &Uri, addresses: Addresses) -> Self {
        let authority = uri.authority().map(ToString::to_string).unwrap_or_default();
        Self { requester, addresses, is_secure: is_https(uri), authority }
    }
}

impl Connection {
    /// Speaks HTTP over a socket.
    ///
    /// # Errors
    /// When the socket breaks at once.
    pub(crate) async fn over(socket: Socket, key: ConnectionKey, deadline: Instant) -> hyper::Result<Self> {
        let certificates = socket.session().and_then(PeerCertificates::of);
        let (sender, connection) =
            http1::Builder::new().max_buf_size(MAX_HEADER_BYTES).handshake(TokioIo::new(socket)).await?;
        TokioExecutor::new().execute(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection to a receiver broke");
            }
        });
        Ok(Self { line: Line { sender, certificates }, key, deadline, is_reused: false })
    }

    /// Whether it leads to a destination.
    #[must_use]
    pub fn leads_to(&self, destination: &Destination) -> bool {
        self.key == ConnectionKey::new(self.key.requester, &destination.uri, self.key.addresses)
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("key", &self.key).finish_non_exhaustive()
    }
}

/// Connections that are open and idle.
pub(crate) struct Pool {
    idle: Mutex<HashMap<ConnectionKey, Vec<Idle>>>,
    /// Per destination of a requester.
    most: usize,
}

struct Idle {
    line: Line,
    until: Instant,
}

impl Pool {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { idle: Mutex::default(), most })
    }

    /// An idle connection, the one that was used last.
    pub(crate) fn take(&self, key: ConnectionKey, deadline: Instant) -> Option<Connection> {
        let now = Instant::now();
        let mut idle = self.lock();
        let there = idle.get_mut(&key)?;
        let usable = |one: &Idle| one.until > now && one.line.sender.is_ready();
        let line = std::iter::from_fn(|| there.pop()).find(usable).map(|one| one.line);
        if there.is_empty() {
            idle.remove(&key);
        }
        line.map(|line| Connection { line, key, deadline, is_reused: true })
    }

    /// Keeps a connection for a while, once the receiver can be sent another request.
    pub(crate) fn keep(self: &Arc<Self>, key: ConnectionKey, mut line: Line) {
        if line.certificates.as_ref().is_some_and(|chain| chain.bytes() > MAX_IDLE_CHAIN_BYTES) {
            return;
        }
        let pool = Arc::clone(self);
        TokioExecutor::new().execute(async move {
            if line.sender.ready().await.is_ok() && pool.put(key.clone(), line) {
                tokio::time::sleep(IDLE).await;
                pool.close_old(&key);
            }
        });
    }

    /// Whether there was room for it.
    fn put(&self, key: ConnectionKey, line: Line) -> bool {
        let mut idle = self.lock();
        let all: usize = idle.values().map(Vec::len).sum();
        let there = idle.entry(key).or_default();
        let has_room = there.len() < self.most && all < MOST_IDLE;
        if has_room {
            there.push(Idle { line, until: Instant::now() + IDLE });
        }
        idle.retain(|_, there| !there.is_empty());
        has_room
    }

    fn close_old(&self, key: &ConnectionKey) {
        let now = Instant::now();
        let mut idle = self.lock();
        let Some(there) = idle.get_mut(key) else { return };
        there.retain(|one| one.until > now);
        if there.is_empty() {
            idle.remove(key);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ConnectionKey, Vec<Idle>>> {
        // A panic can leave nothing half-done in it.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
