//! Sending a request, following redirects as its policy allows, and reading the reply within its caps. Every hop is
//! judged by the guard and the policy as the first request is. No proxy of the environment is used.

use std::time::Duration;

use bytes::Bytes;
use http::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, EXPECT, HOST, HeaderName, HeaderValue,
    LOCATION, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use http::response::Parts;
use http::uri::Authority;
use http::{HeaderMap, Method, Uri};
use http_body_util::Full;
use hyper::body::Incoming;
use tokio::io::AsyncWrite;
use tokio::time::Instant;

use crate::body::{BodyReader, Sink};
use crate::budget::BudgetError;
use crate::client::Outbound;
use crate::connection::{Connection, ConnectionKey, Line, MAX_HEADER_BYTES};
use crate::destination::Destination;
use crate::inflate;
use crate::lookups::Requester;
use crate::policy::{Policy, PolicyError};
use crate::redirect::{self, RedirectError, Step};
use crate::request::{Caps, Coding, Hop, Reading, Reply, Request, SendError, Via};

/// Headers that frame a message or belong to one connection (RFC 9110 section 7.6.1): a caller's would contradict ours.
const OURS: [HeaderName; 8] =
    [CONNECTION, CONTENT_LENGTH, EXPECT, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE];

/// Values that stay the same from hop to hop.
struct Trip {
    requester: Requester,
    caps: Caps,
    policy: Policy,
    deadline: Instant,
    within: Duration,
}

/// A reply whose body is unread.
struct Answer {
    parts: Parts,
    body: Incoming,
    line: Line,
    key: ConnectionKey,
    /// When its request was sent.
    sent_at: Duration,
}

impl Outbound {
    /// Sends a request to the destination, and to where it is redirected if its policy follows redirects.
    ///
    /// # Errors
    /// [`SendError`]; `Closed` only of a connection that was given. A reply of any status is none.
    pub async fn send(
        &self,
        via: impl Into<Via>,
        destination: &Destination,
        request: Request,
    ) -> Result<Reply, SendError> {
        self.exchange(via.into(), destination, request, None).await
    }

    /// Sends a request as [`Outbound::send`] does, and writes the body of the reply while it is read: for bodies that are too
    /// large for memory. The reply has none. That of an error status is written too. The caller flushes.
    ///
    /// # Errors
    /// [`SendError`], after which a part of the body may be written.
    pub async fn send_into(
        &self,
        via: impl Into<Via>,
        destination: &Destination,
        request: Request,
        sink: &mut (dyn AsyncWrite + Send + Unpin),
    ) -> Result<Reply, SendError> {
        self.exchange(via.into(), destination, request, Some(sink)).await
    }

    async fn exchange(
        &self,
        via: Via,
        destination: &Destination,
        request: Request,
        sink: Sink<'_>,
    ) -> Result<Reply, SendError> {
        let Request { method, target, mut headers, body, caps, policy } = request;
        if caps.coding == Coding::Inflated {
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(inflate::ACCEPTED));
        }
        let within = caps.deadline.unwrap_or(self.timeout);
        let mut deadline = Instant::now() + within;
        let (requester, mut given) = match via {
            Via::Requester(requester) => (requester, None),
            Via::Connection(connection) => {
                deadline = deadline.min(connection.deadline);
                (connection.key.requester, Some(connection))
            }
        };
        let trip = Trip { requester, caps, policy, deadline, within };
        let mut step = Step { destination: destination.clone(), target, method, headers, body };
        let mut hops = Vec::new();
        let answered = self.follow(&trip, &mut given, &mut step, &mut hops).await;
        let reply = match answered {
            Ok(answer) => self.read(&trip, answer, sink).await,
            Err(error) => Err(error),
        };
        match reply {
            Ok(reply) => Ok(Reply { hops, ..reply }),
            Err(cause) if hops.is_empty() => Err(cause),
            Err(cause) => Err(SendError::Redirected { cause: Box::new(cause), hops }),
        }
    }

    /// Makes requests until an answer is the reply; adds the redirects to `hops`.
    async fn follow(
        &self,
        trip: &Trip,
        given: &mut Option<Connection>,
        step: &mut Step,
        hops: &mut Vec<Hop>,
    ) -> Result<Answer, SendError> {
        loop {
            let answer = self.request(trip, given.take(), step).await?;
            let (status, headers) = (answer.parts.status, &answer.parts.headers);
            if trip.policy.redirects == 0 || !redirect::is_redirect(status, headers) {
                return Ok(answer);
            }
            hops.push(hop(step, &answer.parts));
            *step = self.redirected(trip, step, &answer.parts, hops.len())?;
        }
    }

    fn redirected(
        &self,
        trip: &Trip,
        step: &Step,
        parts: &Parts,
        hops: usize,
    ) -> Result<Step, RedirectError> {
        let most = trip.policy.redirects;
        if hops > usize::from(most) {
            return Err(RedirectError::TooMany { most });
        }
        let allowed = self.route.allowed(trip.policy.addresses);
        let next = redirect::next(step, parts.status, &parts.headers, allowed)?;
        trip.policy.admit(&next.destination)?;
        Ok(next)
    }

    /// Makes one request.
    async fn request(
        &self,
        trip: &Trip,
        given: Option<Connection>,
        step: &Step,
    ) -> Result<Answer, SendError> {
        if step.method == Method::CONNECT {
            return Err(PolicyError::Method.into());
        }
        trip.policy.begin(&step.destination, (trip.deadline, trip.within)).await?;
        let key = ConnectionKey::new(trip.requester, &step.destination.uri, trip.policy.addresses);
        if let Some(given) = given.filter(|given| given.key == key) {
            return self.over(trip, given, step).await;
        }
        if let Some(idle) = self.pool.take(key, trip.deadline) {
            match self.over(trip, idle, step).await {
                Err(SendError::Closed) => {}
                answered => return answered,
            }
        }
        let until = (trip.deadline, trip.within);
        let connection = self.open(trip.requester, &step.destination, trip.policy.addresses, until).await?;
        self.over(trip, connection, step).await
    }

    /// Sends one request over a connection.
    async fn over(&self, trip: &Trip, connection: Connection, step: &Step) -> Result<Answer, SendError> {
        let sent_at = self.clock.monotonic();
        let Connection { mut line, key, is_reused, .. } = connection;
        let sending = line.sender.try_send_request(request(step));
        let answered = tokio::time::timeout_at(trip.deadline, sending).await.map_err(|_| trip.late())?;
        let most = trip.caps.header_bytes;
        let (parts, body) = match answered {
            Ok(response) => response.into_parts(),
            Err(mut error) => {
                if is_reused && error.take_message().is_some() {
                    return Err(SendError::Closed);
                }
                let error = error.into_error();
                if error.is_parse_too_large() {
                    // Too many headers are the answer, whether or not the budget has room for them.
                    let _ = trip.take_bytes(MAX_HEADER_BYTES);
                    return Err(SendError::Headers {
                        most: most.min(MAX_HEADER_BYTES),
                        found: MAX_HEADER_BYTES,
                    });
                }
                return Err(SendError::Broken(error.into()));
            }
        };
        let found = parts.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
        let charged = trip.take_bytes(found);
        if found > most {
            return Err(SendError::Headers { most, found });
        }
        charged?;
        Ok(Answer { parts, body, line, key, sent_at })
    }

    async fn read(&self, trip: &Trip, answer: Answer, sink: Sink<'_>) -> Result<Reply, SendError> {
        let Answer { mut parts, body: incoming, line, key, sent_at } = answer;
        let certificates = line.certificates.clone();
        let mut reader = BodyReader::new(&trip.caps, trip.policy.budget.as_deref(), sink);
        let reading = tokio::time::timeout_at(trip.deadline, reader.read(&parts.headers, incoming));
        match (reading.await, trip.caps.reading) {
            (Ok(Ok(true)), _) => self.pool.keep(key, line),
            (Ok(Err(error)), Reading::Whole) | (Ok(Err(error @ SendError::Write(_))), _) => {
                return Err(error);
            }
            (Err(_), Reading::Whole) => return Err(trip.late()),
            (Err(_), Reading::Beginning) => {
                tracing::debug!(status = parts.status.as_u16(), "the body of a reply did not end in time");
            }
            (Ok(_), _) => {}
        }
        if trip.caps.coding == Coding::Inflated && parts.headers.remove(CONTENT_ENCODING).is_some() {
            // Those of the body as it was sent.
            parts.headers.remove(CONTENT_LENGTH);
        }
        let (status, headers, body) = (parts.status.as_u16(), parts.headers, reader.into_body());
        let latency = self.clock.monotonic().saturating_sub(sent_at);
        Ok(Reply { status, headers, body, latency, hops: Vec::new(), certificates })
    }
}

impl Trip {
    /// Charges bytes from the wire to the budget of the call.
    fn take_bytes(&self, bytes: usize) -> Result<(), BudgetError> {
        self.policy.budget.as_ref().map_or(Ok(()), |budget| budget.take_bytes(bytes))
    }

    fn late(&self) -> SendError {
        SendError::TimedOut { seconds: self.within.as_secs_f64() }
    }
}

/// A request in the form that HTTP/1.1 has for servers that are no proxy (RFC 9112 sections 3.2 and 3.2.1).
fn request(step: &Step) -> http::Request<Full<Bytes>> {
    let uri = &step.destination.uri;
    let mut headers: HeaderMap = step.headers.clone();
    for name in OURS {
        headers.remove(name);
    }
    if let Some(host) = uri.authority().and_then(|host| HeaderValue::try_from(host.as_str()).ok()) {
        headers.insert(HOST, host);
    }
    let mut request = http::Request::new(Full::new(step.body.clone()));
    *request.method_mut() = step.method.clone();
    let target = step.target.as_ref().or_else(|| uri.path_and_query());
    *request.uri_mut() = target.cloned().map(Uri::from).unwrap_or_default();
    *request.headers_mut() = headers;
    request
}

fn hop(step: &Step, parts: &Parts) -> Hop {
    let location = parts.headers.get(LOCATION).map(HeaderValue::as_bytes).unwrap_or_default();
    Hop {
        url: url(step),
        status: parts.status.as_u16(),
        location: String::from_utf8_lossy(location).into_owned(),
    }
}

/// The URL that a request is sent to.
fn url(step: &Step) -> String {
    let Some(target) = &step.target else { return step.destination.as_str().to_owned() };
    let uri = &step.destination.uri;
    let authority = uri.authority().map(Authority::as_str).unwrap_or_default();
    format!("{}://{authority}{target}", uri.scheme_str().unwrap_or_default())
}
