//! Totals of each source: records accepted, refused, and recognised by format, which tell a user whether a log is
//! understood. Roles count into [`Statistics`] in memory; a [`Writer`] adds the counts to one row of each source every ten
//! seconds; the API reads the row.
//!
//! The rows lie in ledgers of their own, sharded as the log is ([`LedgerId::Statistics`](ledger::LedgerId::Statistics)), so
//! that no analyzer's commit ever conflicts with them. Totals are approximate where a process ends abruptly: up to one
//! interval of counts is lost, and records analysed twice are counted twice.

mod collector;
mod row;
mod writer;

pub use collector::{Statistics, describe_metrics};
pub use row::{Day, Example, MOST_EXAMPLES, ReadError, SourceKey, Totals, forget, read};
pub use writer::{FLUSH_INTERVAL, Writer};
