//! Organizations, API keys and sources: who may send what, and where it belongs; and what the processes of
//! a deployment agree on. The rules and the rows are here; HTTP is not.
//!
//! Organizations and keys lie in the platform's ledger, because a key is looked up before its
//! organization is known. Sources lie in their organization's ledger.

mod api_key;
mod authenticate;
pub mod deployment;
pub mod bootstrap;
mod directory;
mod error;
mod fields;
mod generations;
mod key_text;
mod organization;
mod read_through;
mod rows;
mod source;
mod source_lookup;

pub use api_key::{ApiKey, NewKey, SCOPES};
pub use authenticate::{AuthenticateError, Authenticator, Grant};
pub use directory::Directory;
pub use error::DirectoryError;
pub use key_text::KeyText;
pub use organization::Organization;
pub use source::{DEFAULT_APPLICATION_GROUP, DEFAULT_ENVIRONMENT, NewSource, Source, SourceChange};
pub use source_lookup::{LookupError, SourceLookup};

#[cfg(test)]
mod tests;
