//! Read index behind the lists of a resource: filters, exact totals, every order and offset, and literal search over the heads
//! of a ledger, in memory, one index per organization. The ledger stays the source of truth: single resources are not read from
//! here.
//!
//! A type of record implements [`ListedRecord`], any other resource [`Listed`], and writes its filters as a closure over the columns of an [`Item`].
//!
//! * **Freshness.** An index is loaded on first use and follows the ledgers of all shards by their change feeds, so that a list
//!   lags behind the commits of other processes by one poll. [`Index::apply`] shows a commit of this process at once.
//! * **Exactness.** A list contains each head once, as of its latest commit that was read; totals count all that match.
//! * **Order.** Newest activity first, then id descending; other orders are sorted per request.
//! * **Bounds.** Beyond the budget of an organization its oldest heads are left out and lists say so; beyond the budget of the
//!   resource in the process, and after an idle time, whole indexes are dropped, least recently used first. At most two indexes are loaded at a
//!   time, and a request waits at most 20 s for a load, which goes on with the next request.

mod counts;
mod dictionary;
mod follow;
mod listed;
mod listed_record;
mod load;
mod measure;
mod ordered;
mod organization;
mod page;
mod settings;
mod slots;
mod sorting;
mod text;
mod texts;

pub use counts::{Histogram, Tally, histogram};
pub use dictionary::Dictionary;
pub use listed::{Listed, Place};
pub use listed_record::ListedRecord;
pub use ordered::{Item, Match};
pub use organization::{OrganizationIndex, Scan};
pub use page::{Page, Part, all, by_activity, by_key, by_key_and_id};
pub use settings::Settings;
pub use slots::{Config, Index, IndexError, Opened};
pub use text::Needle;

#[cfg(test)]
mod tests;
