//! The only way out of the process to addresses that others name: webhook targets, collectors, pages, packages, hosts of
//! an inventory. Callers decide what is sent, and when it is sent again.
//!
//! # Contract
//!
//! * **Address guard.** [`Outbound::destination`] judges a URL by its text, and every connection judges the addresses that
//!   its name leads to: all of them must be public or in `allow_networks`. The connection goes to an address that was
//!   judged; no name is resolved twice for it. Plain http is for `allow_networks` only.
//! * **Policy.** [`Policy`] is part of each call of [`Outbound::send`] and [`Outbound::handshake`]: schemes, hosts, ports,
//!   addresses, redirects, a [`Rate`] and a [`Budget`] that calls may share. It narrows the guard and cannot widen it.
//! * **Redirects.** Each hop is judged by guard and policy as a first request is, and counts as one in rate and budget.
//!   From https to http none is followed. To another origin (RFC 6454) only headers that cannot carry a credential are
//!   sent. A [`Reply`] tells the hops that led to it, and so does [`SendError::Redirected`].
//! * **Bounds.** [`Caps`] bounds the headers and body of a reply and the time for everything. With [`Coding::Inflated`] the
//!   body cap counts inflated bytes, and reading ends as soon as they exceed it. A budget counts bytes as they were sent.
//! * **Certificates.** A request is sent only to a server whose certificate is trusted, and its reply comes with the chain.
//!   [`Outbound::handshake`] sends nothing and reports the chain together with the reason why it is not trusted.
//! * **DNS.** [`Outbound::ask`] puts questions to the same name servers. Addresses that the guard refuses are withheld.
//! * **Look-ups.** Those of one organization ([`Requester`]) are limited, so that silent name servers hold up nobody else.
//!
//! A connection is used again by the same requester, for the same origin and the same kind of addresses, for ten seconds. No
//! proxy of the environment is used, and no cookie or credential is kept.

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
mod recent;
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
pub use recent::Recent;
pub use redirect::RedirectError;
pub use request::{Caps, Coding, Hop, Reading, Reply, Request, SendError, Via};
pub use resolve::{Resolve, SystemResolver};
