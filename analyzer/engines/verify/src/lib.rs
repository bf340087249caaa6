//! Claims of a text checked against sources. Pure and deterministic: no clock, no I/O.
//!
//! - `terms.rs`: a text to its terms.
//! - `claims.rs`: a text to its claims.
//! - `evidence.rs`: sources to an index of sentences; a claim to the sentences nearest to it.
//! - `align.rs`: a claim and a sentence to their agreement.
//! - `contradict.rs`: a claim and a sentence to a reason why both cannot hold.
//! - `decide.rs`: all of it to a verdict.

mod align;
mod claims;
mod contradict;
mod decide;
mod evidence;
mod terms;

pub use claims::MAX_CLAIMS;
pub use decide::{Claim, MAX_BYTES, MAX_SOURCES, Source, VerifyError, check};
