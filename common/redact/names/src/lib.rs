//! Names of people, places and organizations, found by a linear model over the words of a text and a few rules for
//! salutations, signatures and introductions. Pure; the path of logs does not use it.
//!
//! A text becomes tokens ([`token`]), the tokens that may be part of a name get features ([`feature`]), the model gives
//! each of them a score for each tag, and the best path of tags that is legal makes spans ([`path`]). Rules
//! ([`rule`]) add what salutations and signatures show, and a name that was found once is found everywhere
//! ([`repeat`]). Every step looks at a bounded number of tokens around each token: linear.

mod company;
mod described;
pub mod feature;
mod free;
pub mod lists;
mod locator;
mod meaning;
mod model;
mod path;
mod repeat;
mod rule;
pub mod surrogate;
mod title;
pub mod token;

pub use model::{FEATURES, NameError, NameModel};
pub use path::{TAGS, Tag};
