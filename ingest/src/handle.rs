//! Path of one request through all stages, in the order in which it may be refused. Each stage is
//! defined in its module; `respond` maps their errors.

use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use common::clock::SharedClock;
use common::pepper::Pepper;
use directory::{Authenticator, Source, SourceLookup};
use durable_log::DurableLog;
use http::request::Parts;
use http::{Request, Response, Version};
use http_body::{Body, SizeHint};
use http_body_util::Full;
use process::listen::{Answering, PlainBody, PlainHandler, READ_BUFFER_BYTES};
use redact::Redactor;
use statistics::{SourceKey, Statistics};
use tokio::sync::Semaphore;

use crate::admit::{Admission, Demand, Permit};
use crate::config::IngestConfig;
use crate::count::Counting;
use crate::digest::Digests;
use crate::measure::Meters;
use crate::prepare::{BuildError, Preparer};
use crate::receive::{Broken, Intake, PaceConfig, Pieces, ReceiveError};
use crate::refusal::{Caller, Refusal};
use crate::request::{Content, Encoding};
use crate::respond::{Dialect, Refused};
use crate::sanitize::Sanitizer;
use crate::{append, authorize, receive, request, respond};

/// Number of bodies of refused requests that are read and dropped at a time; others wait for their turn,
/// unread, so that admitted bodies arrive before refused ones. This slows down refused senders. Short
/// bodies need no turn: a read or two take them in, often together with the head.
const MAX_DISCARDING: usize = 8;
/// Amount that the log makes durable with one write, by default. If no more waits for it, a batch goes with the next
/// write: the time until then is due to the disk, whatever is admitted, and does not count as waiting in a queue.
const ONE_GROUP_BYTES: u64 = 8 * 1024 * 1024;
/// Ratio of the work on a body after gzip to its size on the wire: log bodies usually shrink to a
/// sixth.
const GZIP_TIMES: usize = 6;

/// Source of randomness: any number with each call.
pub type Random = Arc<dyn Fn() -> u64 + Send + Sync>;

/// Dependencies of ingestion. Opened and owned elsewhere.
#[derive(Clone)]
pub struct Dependencies {
    /// Log for accepted batches.
    pub log: Arc<dyn DurableLog>,
    /// Directory of keys.
    pub authenticator: Arc<Authenticator>,
    /// Directory of sources.
    pub sources: Arc<SourceLookup>,
    /// Finds the secrets to mask.
    pub redactor: Arc<Redactor>,
    /// Keys the digests.
    pub pepper: Pepper,
    /// The clock.
    pub clock: SharedClock,
    /// Spreads the times at which refused senders retry.
    pub random: Random,
    /// Counts of batches by source.
    pub statistics: Arc<Statistics>,
}

/// The ingestion endpoint (specification, Infrastructure log ingestion).
pub struct Ingest {
    log: Arc<dyn DurableLog>,
    authenticator: Arc<Authenticator>,
    sources: Arc<SourceLookup>,
    clock: SharedClock,
    random: Random,
    pace: PaceConfig,
    admission: Admission,
    discarding: Semaphore,
    preparer: Preparer,
    meters: Arc<Meters>,
    counting: Counting,
}

/// A request with a valid head, before its body is read.
struct Opened {
    source: Arc<Source>,
    content: Content,
    idempotency: Option<[u8; 32]>,
    permit: Permit,
}

/// A batch that was accepted.
struct Accepted {
    content: Content,
    record_count: u32,
}

impl Ingest {
    /// The endpoint over its dependencies.
    ///
    /// # Errors
    /// If its threads cannot be started.
    pub fn build(config: IngestConfig, dependencies: Dependencies) -> Result<Arc<Self>, BuildError> {
        let Dependencies { log, authenticator, sources, redactor, pepper, clock, random, statistics } =
            dependencies;
        let IngestConfig { limits, admission, pace } = config;
        let (digests, meters) = (Digests::new(pepper), Arc::new(Meters::new()));
        let preparer = Preparer::new(
            limits,
            Sanitizer::new(redactor),
            digests,
            Arc::clone(&meters),
            Arc::clone(&clock),
        )?;
        Ok(Arc::new(Self {
            counting: Counting::new(statistics, Arc::clone(&clock)),
            log,
            authenticator,
            sources,
            admission: Admission::new(&admission, Arc::clone(&clock)),
            clock,
            random,
            pace,
            discarding: Semaphore::new(MAX_DISCARDING),
            preparer,
            meters,
        }))
    }

    /// Whether a path is that of this endpoint, with any text as source id.
    #[must_use]
    pub fn matches(path: &str) -> bool {
        request::source_segment(path).is_some()
    }

    /// Answers one request. Any method, head and body get a response; 200 only once the batch is
    /// durable.
    pub async fn handle<B>(&self, request: Request<B>) -> Response<Full<Bytes>>
    where
        B: Body<Data = Bytes, Error: Into<Broken>>,
    {
        let (head, body) = request.into_parts();
        self.walk(head, Pieces(pin!(body))).await
    }

    /// All stages, one after the other.
    async fn walk(&self, head: Parts, mut body: impl Intake) -> Response<Full<Bytes>> {
        let started = self.clock.monotonic();
        let dialect = Dialect::of(&head.headers);
        let request_id = request::request_id(&head.headers, &*self.clock);
        let mut caller = Caller { request_id, key: None, source: None };
        let (outcome, body_begun) = match self.open(&head, body.size_hint(), &mut caller).await {
            Ok(opened) => (self.take(opened, &mut body).await, true),
            Err(refusal) => (Err(refusal), false),
        };
        self.counting.count(caller.source, outcome.as_ref().map(|accepted| accepted.record_count));
        let mut response = match outcome {
            Ok(accepted) => {
                self.meters.accepted(accepted.content.format, accepted.record_count);
                respond::accepted(dialect)
            }
            Err(refusal) => {
                let format = request::content(&head.headers).ok().map(|content| content.format);
                let read = self.discard(&head, &mut body, &refusal, body_begun).await;
                // The header exists in HTTP/1 only; HTTP/2 resets the stream instead.
                let close = !read && head.version < Version::HTTP_2;
                let refused = Refused { format, dialect, caller: &caller, close };
                respond::refused(&refusal, refused, self.admission.pressure(), (self.random)())
            }
        };
        response.headers_mut().insert(request::REQUEST_ID, caller.request_id);
        let seconds = self.clock.monotonic().saturating_sub(started).as_secs_f64();
        self.meters.answered(&head.method, response.status(), seconds);
        response
    }

    /// All decisions that precede reading the body.
    async fn open(&self, head: &Parts, body: SizeHint, caller: &mut Caller) -> Result<Opened, Refusal> {
        request::check_method(&head.method)?;
        let key = request::bearer_key(&head.headers)?;
        let grant = authorize::key(&self.authenticator, key).await?;
        caller.key = Some(grant.key_id);
        let id = request::source_id(head.uri.path())?;
        let source = authorize::source(&self.sources, &grant, id).await?;
        caller.source = Some(SourceKey { organization: source.organization, source: source.id });
        let content = request::content(&head.headers)?;
        let declared = receive::declared_length(&body, self.preparer.limits())?;
        let idempotency =
            request::idempotency_key(&head.headers)?.map(|key| self.preparer.digests().idempotency(key));
        append::check(&*self.log, &source)?;
        let times = if content.encoding == Encoding::Gzip { GZIP_TIMES } else { 1 };
        let demand = Demand { organization: source.organization, declared, times };
        let permit = self.admission.admit(self.log.usage(), demand)?;
        Ok(Opened { source, content, idempotency, permit })
    }

    /// The body, from the wire to its place in the log.
    async fn take(&self, opened: Opened, body: &mut impl Intake) -> Result<Accepted, Refusal> {
        let Opened { source, content, idempotency, mut permit } = opened;
        self.admission.measure_round().await;
        let wire = receive::receive(body, self.preparer.limits(), &self.pace, &mut permit).await?;
        let (prepared, mut permit) =
            self.preparer.prepare(wire, (content, source.organization), permit).await?;
        let record_count = prepared.record_count;
        if record_count > 0 {
            let _queued = self.meters.queued(record_count);
            let begun = self.clock.monotonic();
            let received_at = self.clock.now();
            if self.log.usage().queued_bytes <= ONE_GROUP_BYTES {
                permit.begin_work();
            }
            append::append(&self.log, &source, prepared, idempotency, received_at).await?;
            permit.end_work();
            let seconds = self.clock.monotonic().saturating_sub(begun).as_secs_f64();
            self.meters.appended(record_count, seconds);
        }
        drop(permit);
        Ok(Accepted { content, record_count })
    }

    /// Reads and drops the rest of a refused body, where that helps the sender to read the
    /// response; returns whether the body was complete.
    async fn discard(
        &self,
        head: &Parts,
        body: &mut impl Intake,
        refusal: &Refusal,
        body_begun: bool,
    ) -> bool {
        if body.is_end() {
            return true;
        }
        // A sender that waits for a 100 Continue has not sent anything; the first poll of the body
        // would send the 100. A sender that was too slow stays too slow.
        let waits = !body_begun && request::expects_continue(&head.headers);
        let too_slow = matches!(refusal, Refusal::Receive(ReceiveError::TooSlow { .. }));
        if waits || too_slow {
            return false;
        }
        let is_short = body.size_hint().exact().is_some_and(|length| length <= READ_BUFFER_BYTES as u64);
        let most_bytes = self.preparer.limits().wire_bytes;
        let discard = async {
            let turn = if is_short { None } else { Some(self.discarding.acquire().await) };
            let is_read = receive::discard(body, most_bytes).await;
            drop(turn);
            is_read
        };
        // A request that has had no turn by then is answered regardless.
        tokio::time::timeout(self.pace.discard, discard).await.unwrap_or(false)
    }
}

impl PlainHandler for Ingest {
    fn takes(&self, path: &str) -> bool {
        Self::matches(path)
    }

    fn answer<'a>(&'a self, request: Request<PlainBody<'a>>) -> Answering<'a> {
        let (head, body) = request.into_parts();
        Box::pin(self.walk(head, body))
    }
}

impl std::fmt::Debug for Ingest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ingest(..)")
    }
}
