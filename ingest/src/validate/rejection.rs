//! Reason for refusing a body, in a message that a sender can act on. The status codes are `respond`'s.

use std::fmt;

use thiserror::Error;

/// A refused batch. Nothing of it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// The body does not follow its format (400).
    Malformed {
        /// Index of the record at fault, from 0; `None` if the fault is outside records.
        record: Option<u32>,
        /// Expected and found values.
        reason: Reason,
    },
    /// The body follows its format and holds too much (413).
    LimitExceeded {
        /// Name of the limit, as in [`Limits`](crate::limits::Limits).
        limit: &'static str,
        /// The most that is accepted.
        allowed: u64,
        /// Amount found.
        found: u64,
        /// Index of the record that holds too much, from 0; `None` when it is not a record.
        record: Option<u32>,
    },
}

impl std::error::Error for Rejection {}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Malformed { record, .. } | Self::LimitExceeded { record, .. }) = self;
        if let Some(record) = record {
            write!(f, "record {record}: ")?;
        }
        match self {
            Self::Malformed { reason, .. } => reason.fmt(f),
            Self::LimitExceeded { limit, allowed, found, .. } => {
                write!(f, "at most {allowed} {} are accepted, found {found}", limit.replace('_', " "))
            }
        }
    }
}

/// A reason returned by a walk. Boxed, so that the usual result of the walkers, no reason, fits into
/// a register.
pub(crate) type Fault = Box<Reason>;

/// Fault in the format of a body. `at` is a byte offset into the inflated body.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Reason {
    /// A protobuf field extends beyond its message's end.
    #[error("a protobuf field is longer than the message around it")]
    Truncated,
    /// A varint of more than ten bytes or 64 bits.
    #[error("a protobuf varint has more than 64 bits")]
    VarintTooLong,
    /// A field key with number 0, a number out of range, or a wire type that does not exist.
    #[error("{found} is not a protobuf field key")]
    FieldKey {
        /// The key that was read.
        found: u64,
    },
    /// A start-group or end-group field: protobuf has deprecated them and OTLP has none.
    #[error("field {number} is a protobuf group, which OTLP does not use")]
    Group {
        /// Number of the field.
        number: u32,
    },
    /// A known field with another wire type.
    #[error("field {number} of {message} has protobuf wire type {found}, expected {expected}")]
    WireType {
        /// Name of the message.
        message: &'static str,
        /// Number of the field.
        number: u32,
        /// The wire type defined by OTLP.
        expected: u32,
        /// The wire type that was read.
        found: u32,
    },
    /// A text field that is not UTF-8.
    #[error("a protobuf text field is not UTF-8")]
    TextNotUtf8,
    /// Values nested deeper than [`Limits::depth`](crate::limits::Limits::depth).
    #[error("values are nested deeper than {allowed} levels")]
    TooDeep {
        /// The deepest that is accepted.
        allowed: u32,
    },
    /// A JSON body that is not UTF-8.
    #[error("the body is not UTF-8 at byte {at}")]
    BodyNotUtf8 {
        /// The first byte that is not.
        at: usize,
    },
    /// JSON that stops too early.
    #[error("the JSON ends where {expected} is expected")]
    UnexpectedEnd {
        /// Expected next.
        expected: &'static str,
    },
    /// Unexpected input for JSON or the schema at this position.
    #[error("expected {expected} at byte {at}, found {:?}", char::from(*found))]
    Unexpected {
        /// Expected token.
        expected: &'static str,
        /// The byte that is there.
        found: u8,
        /// Position.
        at: usize,
    },
    /// A control character inside a JSON string.
    #[error("the JSON string has an unescaped control character at byte {at}")]
    ControlCharacter {
        /// Position.
        at: usize,
    },
    /// An escape that JSON does not have.
    #[error("the JSON string has an invalid escape sequence at byte {at}")]
    Escape {
        /// Position of the backslash.
        at: usize,
    },
    /// A JSON object names a field twice, in either spelling.
    #[error("the field {name} occurs twice in one object")]
    DuplicateField {
        /// The field's name in OTLP JSON.
        name: &'static str,
    },
    /// An `AnyValue` object with more than one value.
    #[error("a value has {name} beside another value, expected one")]
    SeveralValues {
        /// The second value's name in OTLP JSON.
        name: &'static str,
    },
    /// A number that does not fit its field.
    #[error("{name} is not {expected}")]
    FieldValue {
        /// The field's name in OTLP JSON.
        name: &'static str,
        /// Expected value.
        expected: &'static str,
    },
    /// A JSON object that is neither empty nor an OTLP logs request.
    #[error("the object has no resourceLogs, expected an OTLP logs request or an array of log objects")]
    NoResourceLogs,
    /// A newline-delimited body without any record.
    #[error("the body holds no record, expected at least one")]
    NoRecord,
}
