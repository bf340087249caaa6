//! One accepted batch: the message of the durable log. The payload is an OTLP
//! `ExportLogsServiceRequest` in protobuf, already sanitized, whatever the sender used; the headers
//! say everything an analyzer must know that the payload does not.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::ids::{OrganizationId, SourceId};
use crate::timestamp::Timestamp;

/// The format that [`BatchHeaders::encode`] writes.
pub const FORMAT_VERSION: u8 = 1;

/// A batch as it travels: headers beside the payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// What must be known about the payload.
    pub headers: BatchHeaders,
    /// OTLP logs in protobuf, sanitized. Empty exactly when [`BatchHeaders::tick`] is set.
    pub payload: Bytes,
}

/// What travels with a batch, so that an analyzer is a function of the log alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchHeaders {
    /// Owner of the source.
    pub organization: OrganizationId,
    /// The source the batch was sent to.
    pub source: SourceId,
    /// Application group of the source when the batch was accepted, 1..100 characters.
    pub application_group: String,
    /// Environment of the source when the batch was accepted, 1..50 characters.
    pub environment: String,
    /// When the batch was accepted.
    pub received_at: Timestamp,
    /// Keyed hash of the inflated body as sent, before redaction.
    pub digest: [u8; 32],
    /// Keyed hash of the `Idempotency-Key` header, where the sender gave one.
    pub idempotency: Option<[u8; 32]>,
    /// Whether every record carries a time of its own: only then is an equal body a repeat.
    pub every_record_timed: bool,
    /// Number of log records in the payload.
    pub record_count: u32,
    /// A message without records that only tells the analyzer that time has passed.
    pub tick: bool,
}

/// Why header bytes could not be read.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum HeadersError {
    /// Written by a version this build does not know.
    #[error("batch headers have format {found}, expected {FORMAT_VERSION}")]
    UnknownFormat {
        /// The version byte that was read.
        found: u8,
    },
    /// Shorter than their fields need, or a text that is not UTF-8.
    #[error("batch headers end or break at byte {at} of {length}")]
    Malformed {
        /// Where reading stopped.
        at: usize,
        /// How many bytes there were.
        length: usize,
    },
}

const FLAG_IDEMPOTENCY: u8 = 1;
const FLAG_TIMED: u8 = 2;
const FLAG_TICK: u8 = 4;

impl BatchHeaders {
    /// Appends the binary form: version, flags, fixed fields, then two texts with a length byte
    /// pair. Little-endian throughout.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut flags = 0;
        if self.idempotency.is_some() {
            flags |= FLAG_IDEMPOTENCY;
        }
        if self.every_record_timed {
            flags |= FLAG_TIMED;
        }
        if self.tick {
            flags |= FLAG_TICK;
        }
        out.push(FORMAT_VERSION);
        out.push(flags);
        out.extend_from_slice(self.organization.as_bytes());
        out.extend_from_slice(self.source.as_bytes());
        out.extend_from_slice(&self.received_at.0.to_le_bytes());
        out.extend_from_slice(&self.digest);
        out.extend_from_slice(&self.record_count.to_le_bytes());
        if let Some(idempotency) = &self.idempotency {
            out.extend_from_slice(idempotency);
        }
        for text in [&self.application_group, &self.environment] {
            let bytes = text.as_bytes();
            let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
            out.extend_from_slice(&length.to_le_bytes());
            out.extend_from_slice(&bytes[..usize::from(length)]);
        }
    }

    /// Reads the binary form from the front of `bytes`; returns the headers and how many bytes they
    /// took.
    ///
    /// # Errors
    /// [`HeadersError`] when the bytes are of another version, too short, or not UTF-8.
    pub fn decode(bytes: &[u8]) -> Result<(Self, usize), HeadersError> {
        let mut reader = Reader { bytes, at: 0 };
        let [version, flags] = reader.array()?;
        if version != FORMAT_VERSION {
            return Err(HeadersError::UnknownFormat { found: version });
        }
        let organization = OrganizationId::from_bytes(reader.array()?);
        let source = SourceId::from_bytes(reader.array()?);
        let received_at = Timestamp(i64::from_le_bytes(reader.array()?));
        let digest = reader.array()?;
        let record_count = u32::from_le_bytes(reader.array()?);
        let idempotency = if flags & FLAG_IDEMPOTENCY == 0 { None } else { Some(reader.array()?) };
        let application_group = reader.text()?;
        let environment = reader.text()?;
        let headers = Self {
            organization,
            source,
            application_group,
            environment,
            received_at,
            digest,
            idempotency,
            every_record_timed: flags & FLAG_TIMED != 0,
            record_count,
            tick: flags & FLAG_TICK != 0,
        };
        Ok((headers, reader.at))
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn malformed(&self) -> HeadersError {
        HeadersError::Malformed { at: self.at, length: self.bytes.len() }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], HeadersError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let found = rest.first_chunk::<N>().ok_or_else(|| self.malformed())?;
        self.at += N;
        Ok(*found)
    }

    fn text(&mut self) -> Result<String, HeadersError> {
        let length = usize::from(u16::from_le_bytes(self.array()?));
        let found = self.bytes.get(self.at..self.at + length).ok_or_else(|| self.malformed())?;
        let text = std::str::from_utf8(found).map_err(|_| self.malformed())?;
        self.at += length;
        Ok(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn headers() -> BatchHeaders {
        BatchHeaders {
            organization: OrganizationId(Uuid::from_u128(1)),
            source: SourceId(Uuid::from_u128(2)),
            application_group: "shop".to_owned(),
            environment: "production".to_owned(),
            received_at: Timestamp(3),
            digest: [4; 32],
            idempotency: Some([5; 32]),
            every_record_timed: true,
            record_count: 6,
            tick: false,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for idempotency in [None, Some([5; 32])] {
            let headers = BatchHeaders { idempotency, ..headers() };
            let mut bytes = Vec::new();
            headers.encode(&mut bytes);
            let length = bytes.len();
            bytes.extend_from_slice(b"payload");
            assert_eq!(BatchHeaders::decode(&bytes).unwrap(), (headers, length));
        }
    }

    #[test]
    fn every_truncation_is_an_error() {
        let mut bytes = Vec::new();
        headers().encode(&mut bytes);
        for length in 0..bytes.len() {
            assert!(BatchHeaders::decode(&bytes[..length]).is_err(), "{length} bytes were enough");
        }
    }
}
