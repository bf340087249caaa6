//! Package registries: metadata and archives of packages.
//!
//! # Contract
//!
//! * **Requests** go through [`outbound::Outbound`] only, with a policy per registry: its hosts, at most three redirects between
//!   them, a deadline, and the budget of the caller ([`Access`]). A redirect to another host or to an address that is not public
//!   is [`RegistryError::Refused`].
//! * **Metadata** is typed. A detail that a registry lacks, or that an optional request did not deliver, is an entry of
//!   [`Package::gaps`], so that a check can report it as not possible. A document that does not fit is
//!   [`RegistryError::Malformed`] with the path of the field.
//! * **Archives** are verified by the strongest checksum of the registry, or by that of the caller, before they are returned.
//! * **Bounds**: metadata 32 MiB inflated, archives 64 MiB ([`Config`]), releases of a package 20,000; the cache 64 MiB.
//! * **Cache**: documents with an entity tag are kept in memory; they are fresh for five minutes and are asked for with their tag
//!   after that. Registries are public, so organizations share it.
//!
//! | file | content |
//! |---|---|
//! | `config.rs`, `error.rs` | settings, errors |
//! | `package.rs`, `checksum.rs` | metadata of any registry |
//! | `client.rs`, `fetch.rs`, `cache.rs`, `archive.rs` | the interface and its requests |
//! | `npm.rs`, `pypi.rs`, `golang.rs`, `rubygems.rs`, `crates.rs`, `actions.rs` | one registry each |

mod actions;
mod archive;
mod cache;
mod checksum;
mod client;
mod config;
mod crates;
mod error;
mod fetch;
mod golang;
mod npm;
mod package;
mod pypi;
mod rubygems;

pub use actions::{ActionHost, ActionRelease, ActionRepository};
pub use archive::Archive;
pub use checksum::{Algorithm, Checksum, module_sum};
pub use client::{Access, Registries};
pub use config::{Config, Registry};
pub use error::RegistryError;
pub use package::{
    Artifact, ArtifactKind, Detail, Evidence, Gap, MAX_RELEASES, Package, Publisher, Release, Withdrawal,
    WithdrawalKind,
};
