//! Matched records to incidents, in four steps, in the order of processing a record. It is classified by its rules, accumulated
//! with earlier records in windows and risks, its findings are attached to incidents, and incidents that changed are escalated.
//! Everything is a function of the log and the rules in force: there is no clock and no I/O, rows of the ledger are read and
//! written by the caller.

pub mod matched;
pub mod classify;
pub mod accumulate;
pub mod attach;
pub mod escalate;
pub mod fold_state;

pub mod carried;
pub mod fan_in;
pub mod finding;
pub mod identity;
pub mod note;
pub mod plan;
pub mod rows;
pub mod state_table;
