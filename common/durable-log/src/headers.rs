//! The binary form of a batch's headers, as stored by the log beside the payload.

use common::batch::BatchHeaders;
use common::fingerprint::{Fingerprint, Fingerprints, MOST_FINGERPRINTS};
use common::format::UnknownFormat;
use common::ids::{OrganizationId, SourceId};
use common::timestamp::Timestamp;
use thiserror::Error;

use crate::FORMATS;

/// The format version as it is written, in one byte.
const FORMAT_BYTE: u8 = FORMATS.newest as u8;

/// Reason why header bytes could not be read.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum HeadersError {
    /// Written in another format.
    #[error("batch headers have {0}")]
    Format(#[from] UnknownFormat),
    /// Shorter than their fields need, or a text that is not UTF-8.
    #[error("batch headers end or break at byte {at} of {length}")]
    Malformed {
        /// Position at which reading stopped.
        at: usize,
        /// Number of bytes available.
        length: usize,
    },
}

const FLAG_IDEMPOTENCY: u8 = 1;
const FLAG_TIMED: u8 = 2;
const FLAG_TICK: u8 = 4;
const FLAG_FINGERPRINTS: u8 = 8;

/// Appends the binary form: format version, flags, fixed fields, then two texts with a length byte
/// pair, then the fingerprints. Little-endian throughout.
pub fn encode(headers: &BatchHeaders, out: &mut Vec<u8>) {
    let mut flags = 0;
    if headers.idempotency.is_some() {
        flags |= FLAG_IDEMPOTENCY;
    }
    if headers.every_record_timed {
        flags |= FLAG_TIMED;
    }
    if headers.tick {
        flags |= FLAG_TICK;
    }
    if !headers.fingerprints.is_empty() {
        flags |= FLAG_FINGERPRINTS;
    }
    out.push(FORMAT_BYTE);
    out.push(flags);
    out.extend_from_slice(headers.organization.as_bytes());
    out.extend_from_slice(headers.source.as_bytes());
    out.extend_from_slice(&headers.received_at.0.to_le_bytes());
    out.extend_from_slice(&headers.digest);
    out.extend_from_slice(&headers.record_count.to_le_bytes());
    if let Some(idempotency) = &headers.idempotency {
        out.extend_from_slice(idempotency);
    }
    for text in [&headers.application_group, &headers.environment] {
        let bytes = text.as_bytes();
        let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&bytes[..usize::from(length)]);
    }
    if !headers.fingerprints.is_empty() {
        headers.fingerprints.encode(out);
    }
}

/// Reads the binary form from the front of `bytes`; returns the headers and their number of bytes.
///
/// # Errors
/// [`HeadersError`] when the bytes are of another format, too short, or not UTF-8.
pub fn decode(bytes: &[u8]) -> Result<(BatchHeaders, usize), HeadersError> {
    let mut reader = Reader { bytes, at: 0 };
    let [version, flags] = reader.array()?;
    FORMATS.check(version.into())?;
    let organization = OrganizationId::from_bytes(reader.array()?);
    let source = SourceId::from_bytes(reader.array()?);
    let received_at = Timestamp(i64::from_le_bytes(reader.array()?));
    let digest = reader.array()?;
    let record_count = u32::from_le_bytes(reader.array()?);
    let idempotency = if flags & FLAG_IDEMPOTENCY == 0 { None } else { Some(reader.array()?) };
    let application_group = reader.text()?;
    let environment = reader.text()?;
    let fingerprints =
        if flags & FLAG_FINGERPRINTS == 0 { Fingerprints::default() } else { reader.fingerprints()? };
    let headers = BatchHeaders {
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
        fingerprints,
    };
    Ok((headers, reader.at))
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

    /// At least one, by offset.
    fn fingerprints(&mut self) -> Result<Fingerprints, HeadersError> {
        let count = usize::from(u16::from_le_bytes(self.array()?));
        let mut read: Vec<Fingerprint> = Vec::new();
        for _ in 0..count {
            let offset = u32::from_le_bytes(self.array()?);
            if read.last().is_some_and(|last| last.offset >= offset) {
                return Err(self.malformed());
            }
            read.push(Fingerprint { offset, value: u64::from_le_bytes(self.array()?) });
        }
        if !(1..=MOST_FINGERPRINTS).contains(&count) {
            return Err(self.malformed());
        }
        Ok(Fingerprints::new(read))
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
    use super::*;

    fn headers() -> BatchHeaders {
        BatchHeaders {
            organization: OrganizationId::from_bytes([1; 16]),
            source: SourceId::from_bytes([2; 16]),
            application_group: "shop".to_owned(),
            environment: "production".to_owned(),
            received_at: Timestamp(3),
            digest: [4; 32],
            idempotency: Some([5; 32]),
            every_record_timed: true,
            record_count: 6,
            tick: false,
            fingerprints: fingerprints(),
        }
    }

    fn fingerprints() -> Fingerprints {
        Fingerprints::new(vec![
            Fingerprint { offset: 7, value: 8 },
            Fingerprint { offset: 9, value: u64::MAX },
        ])
    }

    #[test]
    fn what_is_written_is_read() {
        for (idempotency, fingerprints) in [
            (None, fingerprints()),
            (Some([5; 32]), fingerprints()),
            (Some([5; 32]), Fingerprints::default()),
        ] {
            let headers = BatchHeaders { idempotency, fingerprints, ..headers() };
            let mut bytes = Vec::new();
            encode(&headers, &mut bytes);
            let length = bytes.len();
            bytes.extend_from_slice(b"payload");
            assert_eq!(decode(&bytes).unwrap(), (headers, length));
        }
    }

    #[test]
    fn headers_without_masked_values_take_no_room_for_fingerprints() {
        let headers = BatchHeaders { fingerprints: Fingerprints::default(), ..headers() };
        let mut bytes = Vec::new();
        encode(&headers, &mut bytes);
        assert_eq!(bytes.len(), 2 + 16 + 16 + 8 + 32 + 4 + 32 + 2 + 4 + 2 + 10);
    }

    #[test]
    fn another_format_is_refused_in_words() {
        let mut bytes = Vec::new();
        encode(&headers(), &mut bytes);
        assert_eq!(u32::from(bytes[0]), FORMATS.newest);
        for (format, words) in [(FORMAT_BYTE + 1, "reads up to"), (FORMAT_BYTE - 1, "first release")] {
            bytes[0] = format;
            let refused = decode(&bytes).unwrap_err();
            assert!(refused.to_string().contains(words), "{refused}");
        }
    }

    #[test]
    fn fingerprints_are_read_as_they_are_written_only() {
        let mut bytes = Vec::new();
        encode(&headers(), &mut bytes);
        // A count of none, and decreasing offsets.
        let at = bytes.len() - 2 * 12 - 2;
        for (place, byte) in [(at, 0), (at + 2, 200)] {
            let mut other = bytes.clone();
            other[place] = byte;
            assert!(matches!(decode(&other), Err(HeadersError::Malformed { .. })), "{place}");
        }
    }

    #[test]
    fn every_truncation_is_an_error() {
        let mut bytes = Vec::new();
        encode(&headers(), &mut bytes);
        for length in 0..bytes.len() {
            assert!(decode(&bytes[..length]).is_err(), "{length} bytes were enough");
        }
    }

    #[test]
    fn rows_and_messages_hold_no_fingerprint() {
        let headers = headers();
        let written = serde_json::to_string(&headers).unwrap();
        assert!(!written.contains("fingerprint") && !written.contains(&u64::MAX.to_string()), "{written}");
        assert!(!format!("{headers:?}").contains(&u64::MAX.to_string()));
    }
}
