//! The only way out of the process to addresses that others name: webhook targets, collectors, documents to be
//! fetched. Every address is judged before anything is sent to it, and the connection goes to the address that
//! was judged. What is sent, and when again, is the callers' business.

mod address;
mod client;
mod config;
mod connect;
mod connection;
mod destination;
mod lookups;
mod resolve;
mod socket;

pub use address::Reason;
pub use client::{Outbound, OutboundError, Reply, SendError};
pub use config::Config;
pub use connect::ConnectError;
pub use connection::Connection;
pub use destination::{Destination, DestinationError};
pub use lookups::{LookupRefusal, MAX_LOOKUPS, Requester};
pub use resolve::{Resolve, SystemResolver};
