//! The vocabulary of Palisade: ids, time, limits, batches, incidents and the rows they are kept in.
//! Nouns only: nothing here opens a file or a socket, and nothing here knows a web framework.

pub mod batch;
pub mod clock;
pub mod digest;
pub mod event;
pub mod fingerprint;
pub mod format;
pub mod hexadecimal;
pub mod ids;
pub mod incident;
pub mod partition;
pub mod pepper;
pub mod row;
pub mod severity;
pub mod timestamp;
pub mod triage;
pub mod words;
