//! Names of packages and domains that resemble well-known ones (typosquatting, brand impersonation). Pure.
//!
//! # Contract
//!
//! * [`Names::lookalike`] compares a package with well-known ones of its ecosystem: those of `data/`, which are chosen by hand, and
//!   those that the caller adds, for example the names of its lock files. A known name is never a lookalike. The owner is part of
//!   the comparison where the name contains it (npm scopes, hosts and accounts of Go modules, owners of actions); elsewhere the
//!   caller compares maintainers.
//! * [`Brands::lookalike`] compares a host with the domains of brands and of the caller; [`Brands::named`] finds a brand in a text for
//!   people.
//! * **Bounds**: names of 512 bytes at most are compared; 20,000 names can be added for an ecosystem and 2,000 domains.
//!   A comparison is linear in the number and length of the known names.
//!
//! | file | content |
//! |---|---|
//! | `edit.rs` | one edit between two names |
//! | `lists.rs` | lists of names |
//! | `package.rs` | packages |
//! | `domain.rs`, `domain/brand.rs` | hosts, and names of brands in texts |

mod domain;
mod edit;
mod lists;
mod package;

pub use domain::{BrandLookalike, Brands, Resemblance};
pub use edit::Edit;
pub use lists::{ListError, MAX_ADDED};
pub use package::{Lookalike, Names};
