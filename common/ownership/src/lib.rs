//! Assignment of partitions to processes. Processes that do the same work are its members: each
//! writes a row with the partitions it holds and a beat, and reads the rows of the others. The work
//! itself is defined elsewhere; so is the protection against two owners of a partition.
//!
//! * A partition is in the row of at most one member that is alive: every row is written by a commit on
//!   one ledger, at the sequence number of its reads.
//! * A member is dead when its beat has not changed for the length of a lease, measured by the reader's
//!   own clock over a time in which the reader itself could read. No two clocks are ever compared.
//! * Shares differ by one partition at most. A member that holds more than its share first stops working
//!   on the excess, then gives it up.
//! * A member that was considered dead, paused or cut off, finds its row missing: it drops everything
//!   and joins again.
//!
//! A lease only decides who *should* work. A member that has been paused may still believe that it owns a
//! partition; its commits fail because the new owner has raised the epoch in the partition's ledger.

mod config;
mod member;
mod sighting;
mod quota;
mod keeper;
mod share;
mod observer;

pub use config::Config;
pub use keeper::{Keeper, Membership};
pub use member::{MemberError, MemberId};
pub use observer::{Leases, Observer};
pub use share::Share;

#[cfg(test)]
mod tests;
