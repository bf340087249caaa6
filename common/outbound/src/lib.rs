//! The only way out of the process to addresses that others name: webhook targets, collectors, documents to be
//! fetched. Every address is judged before anything is sent to it, and the connection goes to the address that
//! was judged. [`Outbound::send`] sends every request, within its caps and its policy. What is sent, and when again, is the callers' business.

mod address;
mod body;
mod budget;
mod certificate;
mod client;
mod config;
mod connect;
mod connection;
mod destination;
mod dns;
mod handshake;
mod inflate;
mod lookups;
mod policy;
mod redirect;
mod request;
mod resolve;
mod send;
mod socket;
mod tls;

pub use address::Reason;
pub use budget::{Budget, BudgetError, Rate};
pub use certificate::{Certificate, MalformedCertificate, PeerCertificates, TrustError};
pub use client::{Outbound, OutboundError};
pub use config::Config;
pub use connect::ConnectError;
pub use connection::Connection;
pub use destination::{Destination, DestinationError};
pub use dns::{Answer, DnsError, DnsRecord, DnsType, Question, RecordData};
pub use handshake::Handshake;
pub use lookups::{LookupRefusal, MAX_LOOKUPS, Requester};
pub use policy::{Addresses, HostPattern, Hosts, Policy, PolicyError, Schemes};
pub use redirect::RedirectError;
pub use request::{Caps, Coding, Hop, Reading, Reply, Request, SendError, Via};
pub use resolve::{Resolve, SystemResolver};
