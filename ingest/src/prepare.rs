//! From a received body to a batch: inflated, digested, validated, sanitized. Executed on the thread that
//! received the body if it is short, otherwise on one of a few for large ones. The stages are separate modules.

mod threads;

use std::num::NonZero;
use std::sync::Arc;

use bytes::BytesMut;
use common::clock::SharedClock;
use common::ids::OrganizationId;
use tokio::sync::Semaphore;

pub use self::threads::BuildError;
use self::threads::Threads;
use crate::admit::Permit;
use crate::append::Prepared;
use crate::digest::Digests;
use crate::limits::Limits;
use crate::measure::Meters;
use crate::receive::{self, ReceiveError};
use crate::refusal::Refusal;
use crate::request::{Content, Encoding};
use crate::sanitize::Sanitizer;
use crate::validate::{Format, validate};

/// Bodies up to this many bytes, inflated, are prepared on the receiving thread; larger ones on a
/// thread of their own. Passing one on costs about 15 us; preparing 256 KiB takes about half a
/// millisecond, so that passing it on costs at most a few percent and no connection waits longer
/// than that for its turn, while the largest bodies would delay all of them for tens.
const INLINE_BYTES: usize = 256 * 1024;

/// Maximum memory of a payload, as a multiple of its size, and in any case. OTLP JSON shrinks by half or more.
const MOST_EXCESS: usize = 4;
const LEAST_EXCESS: usize = 4096;

/// Large bodies that are prepared at a time.
const TURNS_PER_CORE: usize = 2;

/// Prepares batches.
pub(crate) struct Preparer {
    preparation: Arc<Preparation>,
    /// Twice as many as there are cores, so that the next one is ready when a core finishes one: between two
    /// turns there are two wake-ups, which take milliseconds where the cores are busy. More would only hold
    /// memory longer.
    turns: Arc<Semaphore>,
    /// As many.
    threads: Threads,
}

impl Preparer {
    /// # Errors
    /// If the system starts no more threads.
    pub(crate) fn new(
        limits: Limits,
        sanitizer: Sanitizer,
        digests: Digests,
        meters: Arc<Meters>,
        clock: SharedClock,
    ) -> Result<Self, BuildError> {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let turns = TURNS_PER_CORE * cores;
        let threads = Threads::start(turns)?;
        let preparation = Arc::new(Preparation { limits, sanitizer, digests, meters, clock });
        Ok(Self { preparation, turns: Arc::new(Semaphore::new(turns)), threads })
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.preparation.limits
    }

    pub(crate) fn digests(&self) -> &Digests {
        &self.preparation.digests
    }

    /// Prepares a batch, here or on one of the threads for it. The permit is passed along, so that
    /// the memory stays charged even after the caller stops waiting for the outcome.
    pub(crate) async fn prepare(
        &self,
        wire: BytesMut,
        (content, organization): (Content, OrganizationId),
        mut permit: Permit,
    ) -> Result<(Prepared, Permit), Refusal> {
        permit.begin_work();
        let sent = wire.len();
        let wire = match self.try_short(wire, content, &mut permit)? {
            Body::Ready(body) => {
                let format = content.format;
                return self.preparation.finish(sent, body, (format, organization), permit);
            }
            Body::AsSent(wire) => wire,
        };
        permit.end_work();
        permit.join_large(INLINE_BYTES)?;
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(|_| Refusal::Ending)?;
        let preparation = Arc::clone(&self.preparation);
        let prepared = self.threads.run(move || {
            let outcome = preparation.run(wire, (content, organization), permit);
            // Not before: the caller may stop waiting for it.
            drop(turn);
            outcome
        });
        let prepared = prepared.await;
        prepared.unwrap_or(Err(Refusal::Ending))
    }

    /// The body ready to be read, if that and all later steps are short work. The trailer of gzip states the
    /// inflated size, which is tried in one shot: a false size costs no more than a true one, and such a
    /// body goes to one of the threads like all work that is not short.
    fn try_short(&self, wire: BytesMut, content: Content, permit: &mut Permit) -> Result<Body, Refusal> {
        if wire.len() > INLINE_BYTES {
            return Ok(Body::AsSent(wire));
        }
        if content.encoding == Encoding::Identity {
            return Ok(Body::Ready(wire));
        }
        let hold = |bytes| permit.hold_inflated(bytes);
        let inflated = receive::inflate_up_to(&wire, INLINE_BYTES, self.limits(), hold)?;
        Ok(inflated.map_or(Body::AsSent(wire), Body::Ready))
    }
}

/// A body in preparation.
enum Body {
    /// Inflated, or in need of none.
    Ready(BytesMut),
    AsSent(BytesMut),
}

/// Conversion of a received body to a batch: pure work on the processor.
struct Preparation {
    limits: Limits,
    sanitizer: Sanitizer,
    digests: Digests,
    meters: Arc<Meters>,
    clock: SharedClock,
}

impl Preparation {
    fn run(
        &self,
        wire: BytesMut,
        (content, organization): (Content, OrganizationId),
        mut permit: Permit,
    ) -> Result<(Prepared, Permit), Refusal> {
        permit.begin_work();
        let sent = wire.len();
        let body = match content.encoding {
            Encoding::Identity => wire,
            Encoding::Gzip => {
                let hold = |bytes| permit.hold_inflated(bytes);
                receive::inflate(&wire, &self.limits, hold).map_err(ReceiveError::from)?
            }
        };
        self.finish(sent, body, (content.format, organization), permit)
    }

    fn finish(
        &self,
        sent: usize,
        body: BytesMut,
        (format, organization): (Format, OrganizationId),
        mut permit: Permit,
    ) -> Result<(Prepared, Permit), Refusal> {
        let body = receive::within_limit(body, &self.limits)?;
        self.meters.received(sent, body.len());
        if format != Format::OtlpProtobuf {
            permit.hold_transcoded(body.len())?;
        }
        let digest = self.digests.body(&body);
        let mut batch = validate(format, body, &self.limits, self.clock.now())?;
        let mut values = self.digests.masked_values(organization);
        let report = self.sanitizer.sanitize(&mut batch.payload, &mut values);
        self.meters.masked(report.masked);
        let payload = fitted(batch.payload);
        permit.shrink_to(payload.capacity());
        permit.end_work();
        let prepared = Prepared {
            payload: payload.freeze(),
            record_count: batch.record_count,
            every_record_timed: batch.every_record_timed,
            digest,
            fingerprints: values.into_fingerprints(),
        };
        Ok((prepared, permit))
    }
}

/// The payload in memory of at most four times its size and a page: it may be kept until it is analysed. Bodies inflated
/// piece by piece, or mostly blanks in JSON, begin with more.
fn fitted(payload: BytesMut) -> BytesMut {
    if payload.capacity() <= MOST_EXCESS * payload.len() + LEAST_EXCESS {
        return payload;
    }
    receive::moved(&payload, 0)
}
