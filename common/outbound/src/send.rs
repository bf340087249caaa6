//! Sending a request, following redirects as its policy allows, and reading the reply within its caps. Every hop is
//! judged by the guard and the policy as the first request is. No proxy of the environment is used.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::{
    CONNECTION, CONTENT_LENGTH, EXPECT, HOST, HeaderName, HeaderValue, LOCATION, PROXY_AUTHORIZATION, TE,
    TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use http::response::Parts;
use http::{HeaderMap, Method, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1::SendRequest;
use tokio::time::Instant;

use crate::client::Outbound;
use crate::connection::{Connection, MAX_HEADER_BYTES, Place};
use crate::destination::Destination;
use crate::lookups::Requester;
use crate::policy::{Policy, PolicyError};
use crate::redirect::{self, RedirectError, Step};
use crate::request::{Caps, Hop, Reading, Reply, Request, SendError, Via};

/// Headers that frame a message or belong to one connection (RFC 9110 section 7.6.1): a caller's would contradict ours.
const OURS: [HeaderName; 8] =
    [CONNECTION, CONTENT_LENGTH, EXPECT, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE];

/// What stays the same from hop to hop.
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
    sender: SendRequest<Full<Bytes>>,
    place: Place,
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
        let began = self.clock.monotonic();
        let Request { method, headers, body, caps, policy } = request;
        let within = caps.deadline.unwrap_or(self.timeout);
        let mut deadline = Instant::now() + within;
        let (requester, mut given) = match via.into() {
            Via::Requester(requester) => (requester, None),
            Via::Connection(connection) => {
                deadline = deadline.min(connection.deadline);
                (connection.place.requester, Some(connection))
            }
        };
        let trip = Trip { requester, caps, policy, deadline, within };
        let mut step = Step { destination: destination.clone(), method, headers, body };
        let mut hops = Vec::new();
        loop {
            let answer = self.ask(&trip, given.take(), &step).await?;
            let (status, headers) = (answer.parts.status, &answer.parts.headers);
            if trip.policy.redirects == 0 || !redirect::is_redirect(status, headers) {
                let (status, headers) = (status.as_u16(), headers.clone());
                let body = self.read(&trip, answer).await?;
                let latency = self.clock.monotonic().saturating_sub(began);
                return Ok(Reply { status, headers, body, latency, hops });
            }
            hops.push(hop(&step, &answer.parts));
            step = match self.redirected(&trip, &step, &answer.parts, hops.len()) {
                Ok(next) => next,
                Err(cause) => return Err(SendError::Redirect { cause, hops }),
            };
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
    async fn ask(&self, trip: &Trip, given: Option<Connection>, step: &Step) -> Result<Answer, SendError> {
        trip.policy.admit(&step.destination)?;
        if step.method == Method::CONNECT {
            return Err(PolicyError::Method.into());
        }
        if let Some(budget) = &trip.policy.budget {
            budget.take_request()?;
        }
        if let Some(rate) = &trip.policy.rate {
            let seconds = trip.within.as_secs_f64();
            let start = rate.reserve(trip.deadline).ok_or(SendError::Rate { seconds })?;
            tokio::time::sleep_until(start).await;
        }
        let place = Place::new(trip.requester, &step.destination.uri, trip.policy.addresses);
        if let Some(given) = given.filter(|given| given.place == place) {
            return over(trip, given, step).await;
        }
        if let Some(idle) = self.pool.take(place, trip.deadline) {
            match over(trip, idle, step).await {
                Err(SendError::Closed) => {}
                answered => return answered,
            }
        }
        let until = (trip.deadline, trip.within);
        let connection = self.open(trip.requester, &step.destination, trip.policy.addresses, until).await?;
        over(trip, connection, step).await
    }

    async fn read(&self, trip: &Trip, answer: Answer) -> Result<Bytes, SendError> {
        let Answer { parts, body: incoming, sender, place } = answer;
        let mut body = BytesMut::new();
        let reading = tokio::time::timeout_at(trip.deadline, read_body(incoming, trip, &mut body));
        match (reading.await, trip.caps.reading) {
            (Ok(Ok(true)), _) => self.pool.keep(place, sender),
            (Ok(Err(error)), Reading::Whole) => return Err(error),
            (Err(_), Reading::Whole) => return Err(trip.late()),
            (Err(_), Reading::Beginning) => {
                tracing::debug!(status = parts.status.as_u16(), "the body of a reply did not end in time");
            }
            (Ok(_), _) => {}
        }
        Ok(body.freeze())
    }
}

impl Trip {
    fn late(&self) -> SendError {
        SendError::TimedOut { seconds: self.within.as_secs_f64() }
    }
}

async fn over(trip: &Trip, connection: Connection, step: &Step) -> Result<Answer, SendError> {
    let Connection { mut sender, place, is_reused, .. } = connection;
    let sending = sender.try_send_request(request(step));
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
                return Err(SendError::Headers { most: most.min(MAX_HEADER_BYTES), found: MAX_HEADER_BYTES });
            }
            return Err(SendError::Broken(error.into()));
        }
    };
    let found = parts.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if found > most {
        return Err(SendError::Headers { most, found });
    }
    Ok(Answer { parts, body, sender, place })
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
    *request.uri_mut() = uri.path_and_query().cloned().map(Uri::from).unwrap_or_default();
    *request.headers_mut() = headers;
    request
}

fn hop(step: &Step, parts: &Parts) -> Hop {
    let location = parts.headers.get(LOCATION).map(HeaderValue::as_bytes).unwrap_or_default();
    Hop {
        url: step.destination.as_str().to_owned(),
        status: parts.status.as_u16(),
        location: String::from_utf8_lossy(location).into_owned(),
    }
}

/// Reads a body as far as it is wanted. The rest is not read, and its connection not used again: returns whether there is
/// none.
async fn read_body(mut incoming: Incoming, trip: &Trip, read: &mut BytesMut) -> Result<bool, SendError> {
    let (most, is_whole) = (trip.caps.body_bytes, trip.caps.reading == Reading::Whole);
    let announced = incoming.size_hint().lower();
    if is_whole && announced > most as u64 {
        return Err(SendError::Body { most, found: announced });
    }
    while (is_whole || read.len() < most) && !incoming.is_end_stream() {
        let frame = match incoming.frame().await {
            None => return Ok(true),
            Some(frame) => frame.map_err(|error| SendError::Broken(error.into()))?,
        };
        let Ok(data) = frame.into_data() else { continue };
        if let Some(budget) = &trip.policy.budget {
            budget.take_bytes(data.len())?;
        }
        let room = most - read.len();
        if is_whole && data.len() > room {
            return Err(SendError::Body { most, found: (read.len() + data.len()) as u64 });
        }
        read.extend_from_slice(data.get(..data.len().min(room)).unwrap_or_default());
    }
    Ok(incoming.is_end_stream())
}
