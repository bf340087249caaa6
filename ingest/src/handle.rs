//! The walk of one request through all stages, in the order in which it may be refused. What the
//! stages do is theirs; what becomes of their errors is `respond`'s.

use std::error::Error;
use std::pin::{Pin, pin};
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use common::clock::SharedClock;
use common::ids::KeyId;
use common::pepper::Pepper;
use directory::{Authenticator, Source, SourceLookup};
use durable_log::{AppendError, DurableLog};
use http::request::Parts;
use http::{HeaderValue, Request, Response, Version};
use http_body::Body;
use http_body_util::Full;
use redact::Redactor;
use thiserror::Error;
use tokio::sync::Semaphore;

use crate::admit::{Admission, AdmitError, Permit};
use crate::append::Prepared;
use crate::authorize::AuthorizeError;
use crate::config::IngestConfig;
use crate::digest::Digests;
use crate::limits::Limits;
use crate::measure::Meters;
use crate::receive::{PaceConfig, ReceiveError};
use crate::request::{Content, Encoding, RequestError};
use crate::respond::Dialect;
use crate::sanitize::Sanitizer;
use crate::validate::{Format, Rejection, validate};
use crate::{append, authorize, receive, request, respond};

/// Bodies up to this many bytes on the wire are prepared where they were received; larger ones on a
/// thread that may block. Handing one over costs about 15 us; preparing 256 KiB takes about half a
/// millisecond, so that the hand-over costs at most a few percent and no connection waits longer
/// than that for its turn, while the largest bodies would hold all of them up for tens.
const INLINE_BYTES: usize = 256 * 1024;
/// The same for gzip bodies, which grow by six on their way.
const INLINE_GZIP_BYTES: usize = INLINE_BYTES / 6;
/// Bodies of refused requests that are read and dropped at a time: each may fill its connection's
/// read buffer, together 64 MiB.
const MAX_DISCARDING: usize = 64;

/// What ingestion works with. Opened and owned elsewhere.
#[derive(Clone)]
pub struct Dependencies {
    /// Where accepted batches go.
    pub log: Arc<dyn DurableLog>,
    /// Knows the keys.
    pub authenticator: Arc<Authenticator>,
    /// Knows the sources.
    pub sources: Arc<SourceLookup>,
    /// Finds the secrets to mask.
    pub redactor: Arc<Redactor>,
    /// Keys the digests.
    pub pepper: Pepper,
    /// What time it is.
    pub clock: SharedClock,
}

/// The ingestion endpoint (specification, Infrastructure log ingestion).
pub struct Ingest {
    log: Arc<dyn DurableLog>,
    authenticator: Arc<Authenticator>,
    sources: Arc<SourceLookup>,
    clock: SharedClock,
    pace: PaceConfig,
    admission: Admission,
    discarding: Semaphore,
    /// As many as there are cores: more large bodies at a time would only hold memory longer.
    preparing: Semaphore,
    preparation: Arc<Preparation>,
    meters: Arc<Meters>,
}

/// Why a batch was not accepted.
#[derive(Debug, Error)]
pub(crate) enum Refusal {
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error(transparent)]
    Authorize(#[from] AuthorizeError),
    #[error(transparent)]
    Admit(#[from] AdmitError),
    #[error(transparent)]
    Receive(#[from] ReceiveError),
    #[error(transparent)]
    Rejected(#[from] Rejection),
    #[error(transparent)]
    Append(#[from] AppendError),
    #[error("the process is ending")]
    Ending,
}

/// Who a log line is about.
pub(crate) struct Caller {
    pub(crate) request_id: HeaderValue,
    /// Known once the key is.
    pub(crate) key: Option<KeyId>,
}

/// A request whose head is in order, before its body is read.
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
    #[must_use]
    pub fn build(config: IngestConfig, dependencies: Dependencies) -> Arc<Self> {
        let Dependencies { log, authenticator, sources, redactor, pepper, clock } = dependencies;
        let IngestConfig { limits, admission, pace } = config;
        let (digests, meters) = (Digests::new(pepper), Arc::new(Meters::new()));
        let sanitizer = Sanitizer::new(redactor);
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Arc::new(Self {
            log,
            authenticator,
            sources,
            clock,
            pace,
            admission: Admission::new(&admission),
            discarding: Semaphore::new(MAX_DISCARDING),
            preparing: Semaphore::new(cores),
            preparation: Arc::new(Preparation { limits, sanitizer, digests, meters: Arc::clone(&meters) }),
            meters,
        })
    }

    /// Whether a path is this endpoint's, whatever stands in the place of the source id.
    #[must_use]
    pub fn matches(path: &str) -> bool {
        request::source_segment(path).is_some()
    }

    /// Answers one request. Any method, any head and any body get an answer; 200 only once the batch
    /// is durable.
    pub async fn handle<B>(&self, request: Request<B>) -> Response<Full<Bytes>>
    where
        B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
    {
        let started = self.clock.monotonic();
        let (head, body) = request.into_parts();
        let mut body = pin!(body);
        let dialect = Dialect::of(&head.headers);
        let mut caller = Caller { request_id: request::request_id(&head.headers, &*self.clock), key: None };
        let (outcome, body_begun) = match self.open(&head, &*body, &mut caller).await {
            Ok(opened) => (self.take(opened, body.as_mut()).await, true),
            Err(refusal) => (Err(refusal), false),
        };
        let mut response = match outcome {
            Ok(accepted) => {
                self.meters.accepted(accepted.content.format, accepted.record_count);
                respond::accepted(dialect)
            }
            Err(refusal) => {
                let format = request::content(&head.headers).ok().map(|content| content.format);
                let read = self.discard(&head, body, &refusal, body_begun).await;
                // The header exists in HTTP/1 only; HTTP/2 resets the stream instead.
                let close = !read && head.version < Version::HTTP_2;
                respond::refused(&refusal, format, dialect, &caller, close)
            }
        };
        response.headers_mut().insert(request::REQUEST_ID, caller.request_id);
        let seconds = self.clock.monotonic().saturating_sub(started).as_secs_f64();
        self.meters.answered(&head.method, response.status(), seconds);
        response
    }

    /// Everything that can be decided before the body is read.
    async fn open(&self, head: &Parts, body: &impl Body, caller: &mut Caller) -> Result<Opened, Refusal> {
        request::check_method(&head.method)?;
        let key = request::bearer_key(&head.headers)?;
        let grant = authorize::key(&self.authenticator, key).await?;
        caller.key = Some(grant.key_id);
        let id = request::source_id(head.uri.path())?;
        let source = authorize::source(&self.sources, &grant, id).await?;
        let content = request::content(&head.headers)?;
        let declared = receive::declared_length(body, &self.preparation.limits)?;
        let idempotency =
            request::idempotency_key(&head.headers)?.map(|key| self.preparation.digests.idempotency(key));
        let permit = self.admission.admit(self.log.usage(), declared)?;
        Ok(Opened { source, content, idempotency, permit })
    }

    /// The body, from the wire to its place in the log.
    async fn take<B>(&self, opened: Opened, body: Pin<&mut B>) -> Result<Accepted, Refusal>
    where
        B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
    {
        let Opened { source, content, idempotency, mut permit } = opened;
        let wire = receive::receive(body, &self.preparation.limits, &self.pace, &mut permit).await?;
        let (prepared, permit) = self.prepare(wire, content, permit).await?;
        let record_count = prepared.record_count;
        if record_count > 0 {
            let _queued = self.meters.queued(record_count);
            let begun = self.clock.monotonic();
            let received_at = self.clock.now();
            append::append(&self.log, &source, prepared, idempotency, received_at).await?;
            let seconds = self.clock.monotonic().saturating_sub(begun).as_secs_f64();
            self.meters.appended(record_count, seconds);
        }
        drop(permit);
        Ok(Accepted { content, record_count })
    }

    /// Prepares a batch, here or on a thread that may block. The permit goes along, so that the
    /// memory stays paid for even when nobody waits for the outcome any more.
    async fn prepare(
        &self,
        wire: BytesMut,
        content: Content,
        permit: Permit,
    ) -> Result<(Prepared, Permit), Refusal> {
        let inline_bytes = match content.encoding {
            Encoding::Identity => INLINE_BYTES,
            Encoding::Gzip => INLINE_GZIP_BYTES,
        };
        if wire.len() <= inline_bytes {
            return self.preparation.run(wire, content, permit);
        }
        let _turn = self.preparing.acquire().await.map_err(|_| Refusal::Ending)?;
        let preparation = self.preparation.clone();
        let work = tokio::task::spawn_blocking(move || preparation.run(wire, content, permit));
        match work.await.map_err(tokio::task::JoinError::try_into_panic) {
            Ok(outcome) => outcome,
            Err(Ok(panic)) => std::panic::resume_unwind(panic),
            Err(Err(_cancelled)) => Err(Refusal::Ending),
        }
    }

    /// Reads and drops the rest of a refused body, where that helps the sender to read the answer;
    /// says whether the body came to its end.
    async fn discard<B>(&self, head: &Parts, body: Pin<&mut B>, refusal: &Refusal, body_begun: bool) -> bool
    where
        B: Body<Data = Bytes>,
    {
        if body.is_end_stream() {
            return true;
        }
        // Who waits for a 100 Continue has not sent anything; the first look at the body would send
        // the 100. Who was too slow stays too slow.
        let waits = !body_begun && request::expects_continue(&head.headers);
        let too_slow = matches!(refusal, Refusal::Receive(ReceiveError::TooSlow { .. }));
        if waits || too_slow {
            return false;
        }
        let Ok(_turn) = self.discarding.try_acquire() else { return false };
        receive::discard(body, self.preparation.limits.wire_bytes, self.pace.discard).await
    }
}

impl std::fmt::Debug for Ingest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ingest(..)")
    }
}

/// What turns a received body into a batch: pure work on the processor.
struct Preparation {
    limits: Limits,
    sanitizer: Sanitizer,
    digests: Digests,
    meters: Arc<Meters>,
}

impl Preparation {
    fn run(
        &self,
        wire: BytesMut,
        content: Content,
        mut permit: Permit,
    ) -> Result<(Prepared, Permit), Refusal> {
        let sent = wire.len();
        let body = match content.encoding {
            Encoding::Identity => receive::inflated_already(wire, &self.limits)?,
            Encoding::Gzip => {
                let hold = |bytes| permit.hold_inflated(bytes);
                receive::inflate(&wire, &self.limits, hold).map_err(ReceiveError::from)?
            }
        };
        self.meters.received(sent, body.len());
        if content.format != Format::OtlpProtobuf {
            permit.hold_transcoded(body.len())?;
        }
        let digest = self.digests.body(&body);
        let mut batch = validate(content.format, body, &self.limits)?;
        let report = self.sanitizer.sanitize(&mut batch.payload);
        self.meters.masked(report.masked);
        permit.shrink_to(batch.payload.capacity());
        let prepared = Prepared {
            payload: batch.payload.freeze(),
            record_count: batch.record_count,
            every_record_timed: batch.every_record_timed,
            digest,
        };
        Ok((prepared, permit))
    }
}
