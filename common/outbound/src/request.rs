//! One request as callers describe it, its reply, and why there is none.

use std::time::Duration;

use bytes::Bytes;
use http::uri::PathAndQuery;
use http::{HeaderMap, Method};
use thiserror::Error;

use crate::budget::BudgetError;
use crate::certificate::PeerCertificates;
use crate::connect::ConnectError;
use crate::connection::Connection;
use crate::lookups::{LookupRefusal, Requester};
use crate::policy::{Policy, PolicyError};
use crate::redirect::RedirectError;

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    /// Any method but CONNECT.
    pub method: Method,
    /// Path and query that are sent instead of those of the destination, exactly as they are: a URL is normalized, which
    /// would change what a security check puts into it. A redirect leads to a URL again.
    pub target: Option<PathAndQuery>,
    /// Headers of the caller. Those that frame the message or belong to one connection are replaced.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
    /// Bounds of the reply.
    pub caps: Caps,
    /// Which requests the call may make.
    pub policy: Policy,
}

impl Request {
    /// A GET without a body.
    #[must_use]
    pub fn get(headers: HeaderMap, caps: Caps, policy: Policy) -> Self {
        Self { method: Method::GET, target: None, headers, body: Bytes::new(), caps, policy }
    }
}

/// Bounds of a reply.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    /// Bytes of the body, inflated where `coding` says so: what the caller has memory for.
    pub body_bytes: usize,
    /// Handling of a longer body.
    pub reading: Reading,
    /// Whether the body is inflated.
    pub coding: Coding,
    /// Bytes of header names and values; a connection reads at most 400 KiB in any case.
    pub header_bytes: usize,
    /// Time for everything, redirects included; `None` for the setting `timeout_ms`.
    pub deadline: Option<Duration>,
}

/// Amount of a body that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The beginning: the status is the reply, and a body that is longer, breaks off or takes too long only ends early.
    Beginning,
    /// All of it: anything less is an error.
    Whole,
}

/// Content coding of a body that a caller is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// As it is sent: archives, bodies whose digest is known, and parts of a body.
    AsSent,
    /// Asks for gzip or deflate, and inflates it. A body in another coding is an error. The headers of the reply are those
    /// of the inflated body.
    Inflated,
}

/// Connections of a request.
pub enum Via {
    /// A connection that was opened for it. It is not used where it leads elsewhere.
    Connection(Connection),
    /// Any connection of the requester.
    Requester(Requester),
}

impl From<Connection> for Via {
    fn from(connection: Connection) -> Self {
        Self::Connection(connection)
    }
}

impl From<Requester> for Via {
    fn from(requester: Requester) -> Self {
        Self::Requester(requester)
    }
}

/// Response of a receiver.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, as far as [`Caps`] wants it.
    pub body: Bytes,
    /// From sending the request to the last byte that was read. Without connecting, and of redirects only the last one.
    pub latency: Duration,
    /// The redirects that led to it, in order.
    pub hops: Vec<Hop>,
    /// The certificates of the server that answered, which are trusted; `None` without TLS.
    pub certificates: Option<PeerCertificates>,
}

impl Reply {
    /// `Retry-After` in seconds (RFC 9110 section 10.2.3). Its other form, a date, is not heeded: it needs two clocks to agree.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        let value = self.headers.get(http::header::RETRY_AFTER)?.to_str().ok()?;
        value.trim().parse().ok().map(Duration::from_secs)
    }
}

/// A redirect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The URL that answered.
    pub url: String,
    /// The status of its answer.
    pub status: u16,
    /// `Location`, as it was sent; unreadable bytes are replaced.
    pub location: String,
}

/// Reason why there is no reply.
#[derive(Debug, Error)]
pub enum SendError {
    /// There is no connection.
    #[error(transparent)]
    Connect(ConnectError),
    /// The receiver broke off, or does not speak HTTP.
    #[error("the receiver broke off")]
    Broken(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The receiver closed the idle connection before the request was sent: another one can be opened for it.
    #[error("the receiver has closed the connection")]
    Closed,
    /// It took too long.
    #[error("no reply within {seconds} s")]
    TimedOut {
        /// Time waited, in seconds.
        seconds: f64,
    },
    /// The policy of the call does not permit the request.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The budget of the call is used up.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// The rate of the call leaves no room before its deadline.
    #[error("expected room for a request within {seconds} s at the permitted rate, found none")]
    Rate {
        /// The deadline, in seconds.
        seconds: f64,
    },
    /// A redirect that is not followed; the cause of [`SendError::Redirected`], whose last hop it is.
    #[error(transparent)]
    Redirect(#[from] RedirectError),
    /// Following a redirect fails.
    #[error("{cause}")]
    Redirected {
        /// The reason.
        cause: Box<SendError>,
        /// The redirects that led to it, in order.
        hops: Vec<Hop>,
    },
    /// More headers than the caller wants.
    #[error("expected at most {most} bytes of headers, found {found} or more")]
    Headers {
        /// The cap.
        most: usize,
        /// Bytes that were read.
        found: usize,
    },
    /// More of a body than the caller wants.
    #[error("expected a body of at most {most} bytes, found {found} or more")]
    Body {
        /// The cap.
        most: usize,
        /// Bytes that were announced or read.
        found: u64,
    },
    /// The body cannot be written where the caller wants it.
    #[error("the body of the reply cannot be written")]
    Write(#[source] std::io::Error),
    /// A content coding that was not asked for.
    #[error("expected a body in the coding gzip, deflate or none, found {found}")]
    Coding {
        /// `Content-Encoding`, in lower case.
        found: String,
    },
    /// A body that cannot be inflated.
    #[error("the body cannot be inflated: {cause}")]
    Inflate {
        /// Its fault.
        cause: String,
    },
}

impl SendError {
    /// Whether trying again could not help.
    #[must_use]
    pub fn is_final(&self) -> bool {
        match self {
            Self::Policy(_) => true,
            Self::Connect(error) => error.is_final(),
            // The next redirect may lead elsewhere.
            _ => false,
        }
    }

    /// The limit of look-ups that was met, where that is the reason. The receiver was not asked.
    #[must_use]
    pub fn lookup_refusal(&self) -> Option<LookupRefusal> {
        match self {
            Self::Connect(ConnectError::Lookups { refusal, .. }) => Some(*refusal),
            _ => None,
        }
    }
}
