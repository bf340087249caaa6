//! `/findings`: lists, reading, review, triage and deletion of what engines record.

mod board;
mod deletion;
mod events;
mod imports;
mod lists;
mod merging;
mod observed;
mod reading;
mod review;
mod triage;
