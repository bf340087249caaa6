//! The inflated body into one OTLP logs request in protobuf, the whole batch or nothing. Every limit
//! that needs the body's structure is checked here; only the resulting bytes are built in memory,
//! and for protobuf not even those.

mod drain;
mod event_time;
mod json;
mod marks;
mod otlp_json;
mod otlp_proto;
mod output;
mod rejection;
pub(crate) mod schema;
mod severity;
mod tally;
pub(crate) mod wire;

use bytes::BytesMut;
use common::timestamp::Timestamp;

pub use self::drain::SCOPE_NAME as DRAIN_SCOPE_NAME;
use self::json::Cursor;
use self::output::Output;
pub use self::rejection::{Reason, Rejection};
use self::tally::{Counted, Tally};
use crate::limits::Limits;

/// The content types of the specification's ingestion endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `application/x-protobuf`: an OTLP logs request.
    OtlpProtobuf,
    /// `application/json`: an OTLP logs request, or an array of log objects.
    Json,
    /// `application/x-ndjson` or `application/ndjson`: one log object per line.
    Ndjson,
}

/// Maximum growth of a JSON body when transcoded to protobuf, as a factor. Logs stay about as long
/// as they are or shrink by half; an array of small negative numbers is the worst, because protobuf
/// writes `-1,` in thirteen bytes.
pub const GROWTH: usize = 5;

/// A batch that keeps every limit.
#[derive(Debug)]
pub struct ValidBatch {
    /// An OTLP `ExportLogsServiceRequest` in protobuf. Protobuf bodies are passed on as they are;
    /// from JSON at most [`GROWTH`] times as long as the body.
    pub payload: BytesMut,
    /// Number of log records in the payload; 0 for an empty batch.
    pub record_count: u32,
    /// Whether every record states a time of its own: in OTLP one of its two times, in a drain object
    /// a time field that can be read. True of an empty batch.
    pub every_record_timed: bool,
}

/// Checks `body` and turns it into protobuf. `received_at` completes dates without a year.
///
/// # Errors
/// [`Rejection::Malformed`] where the body does not follow `format`, and where values are nested
/// deeper than `limits.depth`; otherwise [`Rejection::LimitExceeded`] where it exceeds a limit.
pub fn validate(
    format: Format,
    body: BytesMut,
    limits: &Limits,
    received_at: Timestamp,
) -> Result<ValidBatch, Rejection> {
    let tally = Tally::new(limits);
    let (payload, counted) = match format {
        Format::OtlpProtobuf => {
            let counted = otlp_proto::walk(&body, tally)?;
            (body, counted)
        }
        Format::Json => {
            transcode(&body, tally, |text, output, tally| json_body(text, output, tally, received_at))?
        }
        Format::Ndjson => transcode(&body, tally, |text, output, tally| {
            drain::transcode_lines(text, output, tally, received_at)
        })?,
    };
    let Counted { records, every_record_timed } = counted;
    let (allowed, found) = (limits.batch_bytes, payload.len() as u64);
    if found > allowed {
        return Err(Rejection::LimitExceeded { limit: "batch_bytes", allowed, found, record: None });
    }
    Ok(ValidBatch { payload, record_count: records, every_record_timed })
}

/// Writes the protobuf of a JSON body with `write`.
///
/// The whole body is checked for UTF-8 at once, which is several times faster than doing it string
/// by string. Where that fails, the part before the fault is walked to learn which record it is in.
fn transcode(
    body: &[u8],
    tally: Tally<'_>,
    write: impl FnOnce(&[u8], &mut Output, Tally<'_>) -> Result<Counted, Rejection>,
) -> Result<(BytesMut, Counted), Rejection> {
    let text = match simdutf8::compat::from_utf8(body) {
        Ok(_) => body,
        Err(error) => &body[..error.valid_up_to()],
    };
    // Drain records grow a little when transcoded to protobuf, OTLP JSON shrinks.
    let mut output = Output::with_capacity(text.len() + text.len() / 4 + 64);
    let outcome = write(text, &mut output, tally);
    if text.len() == body.len() {
        return Ok((output.into_bytes(), outcome?));
    }
    let reason = Reason::BodyNotUtf8 { at: text.len() };
    match outcome {
        Err(Rejection::Malformed { record, reason: Reason::UnexpectedEnd { .. } }) => {
            Err(Rejection::Malformed { record, reason })
        }
        Ok(_)
        | Err(Rejection::LimitExceeded { .. } | Rejection::Malformed { reason: Reason::NoRecord, .. }) => {
            Err(Rejection::Malformed { record: None, reason })
        }
        Err(earlier) => Err(earlier),
    }
}

/// The first byte of an `application/json` body distinguishes the two formats.
fn json_body(
    text: &[u8],
    output: &mut Output,
    tally: Tally<'_>,
    received_at: Timestamp,
) -> Result<Counted, Rejection> {
    let mut cursor = Cursor::new(text);
    match cursor.peek() {
        Some(b'{') => otlp_json::transcode(cursor, output, tally),
        Some(b'[') => drain::transcode_array(cursor, output, tally, received_at),
        _ => Err(tally.malformed(*cursor.unexpected("an OTLP logs request or an array of log objects"))),
    }
}

#[cfg(test)]
pub(crate) mod tests;
