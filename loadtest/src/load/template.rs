//! A body built in advance, and the places in it that are filled in for each request. A gzip body is one
//! member: the records that change are in a stored block, the rest was deflated in advance.

use std::io::Write;

use bytes::Bytes;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use prost::Message;
use rand::rngs::StdRng;

use crate::forms::{Form, OtlpRecord, attribute, export, log_record};
use crate::load::lines::{self, ACCOUNT, ADDRESS, ID, Record, TIME_MS};

/// Head of a gzip member: deflate, no name, no time (RFC 1952 section 2.3).
pub const GZIP_HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
/// Most bytes of a stored block (RFC 1951 section 3.2.4).
const MOST_STORED: usize = 65_535;
const NANOSECONDS_A_MILLISECOND: u64 = 1_000_000;
/// Beginning and end of a JSON export.
const EXPORT_HEAD: &[u8] = b"{\"resourceLogs\":[";
const EXPORT_TAIL: &[u8] = b"]}";

/// Values of one request.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    /// The time of its records, milliseconds since 1970.
    pub now_ms: u64,
    /// The id of its first record; the others are numbered consecutively.
    pub first_id: u64,
    /// The number of its attacker, if it has one.
    pub attacker: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Time,
    TimeNanos,
    Id,
    Address,
    Account,
}

impl Mark {
    const ALL: [Self; 5] = [Self::Time, Self::TimeNanos, Self::Id, Self::Address, Self::Account];

    fn bytes(self) -> Vec<u8> {
        match self {
            Self::Time => TIME_MS.to_string().into_bytes(),
            Self::TimeNanos => (TIME_MS * NANOSECONDS_A_MILLISECOND).to_le_bytes().to_vec(),
            Self::Id => ID.as_bytes().to_vec(),
            Self::Address => ADDRESS.as_bytes().to_vec(),
            Self::Account => ACCOUNT.as_bytes().to_vec(),
        }
    }
}

/// A body with placeholders.
#[derive(Debug)]
pub struct Template {
    pub form: Form,
    /// Records in it.
    pub records: u32,
    /// Number of those that belong to an attack; they come first.
    pub attack_records: u32,
    /// The body, or the changing part of a gzip body.
    changing: Vec<u8>,
    marks: Vec<(usize, Mark)>,
    deflated: Option<Deflated>,
}

/// The constant part of a gzip body.
#[derive(Debug)]
struct Deflated {
    bytes: Vec<u8>,
    checksum: Crc,
}

impl Template {
    /// The body of some records. Of a gzip body, only the `head` is filled in for each request; a
    /// head too large for a stored block makes it a plain body; see [`Template::is_gzip`].
    pub fn new(form: Form, gzip: bool, head: &[Record], tail: &[Record], attack: bool) -> Self {
        let (mut changing, fixed) = encode(form, head, tail);
        let deflated = if gzip && changing.len() <= MOST_STORED {
            Some(deflate(&fixed))
        } else {
            changing.extend_from_slice(&fixed);
            None
        };
        let count = |records: &[Record]| u32::try_from(records.len()).unwrap_or(u32::MAX);
        Self {
            form,
            records: count(head) + count(tail),
            attack_records: if attack { count(head) } else { 0 },
            marks: find_marks(&changing),
            changing,
            deflated,
        }
    }

    /// Ordinary records in protobuf, plain, of which the first changes with each request.
    pub fn ordinary(chance: &mut StdRng, count: usize) -> Self {
        let records = lines::ordinary(chance, count);
        let (head, tail) = records.split_at(1.min(count));
        Self::new(Form::Protobuf, false, head, tail, false)
    }

    /// The body of a request.
    pub fn body(&self, stamp: &Stamp) -> Bytes {
        let mut body = Vec::new();
        self.fill(stamp, &mut body);
        Bytes::from(body)
    }

    /// Whether it is sent as gzip.
    pub fn is_gzip(&self) -> bool {
        self.deflated.is_some()
    }

    /// Appends the body of a request to `out`.
    pub fn fill(&self, stamp: &Stamp, out: &mut Vec<u8>) {
        let Some(deflated) = &self.deflated else {
            self.append(stamp, out);
            return;
        };
        out.extend_from_slice(&GZIP_HEAD);
        let length = u16::try_from(self.changing.len()).unwrap_or(u16::MAX);
        out.push(0);
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&(!length).to_le_bytes());
        let mut checksum = Crc::new();
        checksum.update(self.append(stamp, out));
        checksum.combine(&deflated.checksum);
        out.extend_from_slice(&deflated.bytes);
        out.extend_from_slice(&checksum.sum().to_le_bytes());
        out.extend_from_slice(&checksum.amount().to_le_bytes());
    }

    /// Appends the changing part; returns it.
    fn append<'o>(&self, stamp: &Stamp, out: &'o mut Vec<u8>) -> &'o [u8] {
        let begin = out.len();
        out.extend_from_slice(&self.changing);
        let body = out.get_mut(begin..).unwrap_or_default();
        let milliseconds = decimal(stamp.now_ms);
        let nanoseconds = (stamp.now_ms * NANOSECONDS_A_MILLISECOND).to_le_bytes();
        let address = address(stamp.attacker);
        let account = format!("u{:07}", stamp.attacker);
        let mut id = stamp.first_id;
        for (at, mark) in &self.marks {
            let text: &[u8] = match mark {
                Mark::Time => &milliseconds,
                Mark::TimeNanos => &nanoseconds,
                Mark::Id => {
                    id = id.wrapping_add(1);
                    &hexadecimal(id)
                }
                Mark::Address => address.as_bytes(),
                Mark::Account => account.as_bytes(),
            };
            if let Some(place) = body.get_mut(*at..*at + text.len()) {
                place.copy_from_slice(text);
            }
        }
        body
    }
}

/// An attacker's address: unique for more than three million, all of equal length, so that none is
/// part of another.
pub fn address(attacker: u32) -> String {
    let byte = |place: u32| 100 + attacker / 150_u32.pow(place) % 150;
    format!("10.{}.{}.{}", byte(2), byte(1), byte(0))
}

fn decimal(mut number: u64) -> [u8; 13] {
    let mut digits = [b'0'; 13];
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
    digits
}

fn hexadecimal(number: u64) -> [u8; 16] {
    let mut digits = [0; 16];
    for (index, digit) in digits.iter_mut().enumerate() {
        let value = (number >> (60 - 4 * index)) as u8 & 15;
        *digit = if value < 10 { b'0' + value } else { b'a' + value - 10 };
    }
    digits
}

fn find_marks(body: &[u8]) -> Vec<(usize, Mark)> {
    let mut marks = Vec::new();
    for mark in Mark::ALL {
        let bytes = mark.bytes();
        let found = body.windows(bytes.len()).enumerate().filter(|(_, window)| *window == bytes);
        marks.extend(found.map(|(at, _)| (at, mark)));
    }
    marks.sort_by_key(|(at, _)| *at);
    marks
}

fn deflate(bytes: &[u8]) -> Deflated {
    let mut checksum = Crc::new();
    checksum.update(bytes);
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(bytes);
    Deflated { bytes: encoder.finish().unwrap_or_default(), checksum }
}

/// The body in two parts that consist of whole records each.
fn encode(form: Form, head: &[Record], tail: &[Record]) -> (Vec<u8>, Vec<u8>) {
    match form {
        Form::Protobuf => (export(head).encode_to_vec(), export(tail).encode_to_vec()),
        Form::OtlpJson => {
            let mut first = EXPORT_HEAD.to_vec();
            first.extend_from_slice(&resources(head));
            let mut second = Vec::new();
            if !tail.is_empty() {
                second.push(b',');
                second.extend_from_slice(&resources(tail));
            }
            second.extend_from_slice(EXPORT_TAIL);
            (first, second)
        }
        Form::JsonArray => {
            let first = format!("[{}", objects(head, ","));
            let comma = if tail.is_empty() { "" } else { "," };
            (first.into_bytes(), format!("{comma}{}]", objects(tail, ",")).into_bytes())
        }
        Form::Ndjson => {
            let first = format!("{}\n", objects(head, "\n"));
            (first.into_bytes(), objects(tail, "\n").into_bytes())
        }
    }
}

fn objects(records: &[Record], between: &str) -> String {
    records.iter().map(Record::object).collect::<Vec<_>>().join(between)
}

/// The elements of `resourceLogs` as JSON.
fn resources(records: &[Record]) -> Vec<u8> {
    // Texts and numbers only: writing them as JSON cannot fail.
    let whole = serde_json::to_vec(&export(records)).unwrap_or_default();
    let within = whole.strip_prefix(EXPORT_HEAD).and_then(|rest| rest.strip_suffix(EXPORT_TAIL));
    within.unwrap_or_default().to_vec()
}

impl OtlpRecord for Record {
    fn host(&self) -> Option<&str> {
        Some(&self.host)
    }

    fn log_record(&self) -> LogRecord {
        let own = self.attributes.iter().map(|(name, value)| attribute(name, value));
        LogRecord {
            severity_text: self.level.to_owned(),
            attributes: own.chain([attribute("request.id", ID)]).collect(),
            ..log_record(TIME_MS, &self.message)
        }
    }
}

#[cfg(test)]
mod tests;
