//! Incidents beyond lists: reading one from the ledger, reviewing it, and the shapes in which the API shows it. HTTP is
//! in `routes`, lists are in `index`.

pub(crate) mod covered;
mod detail;
mod escalate;
mod read;
mod review;
mod summary;

pub(crate) use detail::IncidentDetailView;
pub(crate) use read::Reader;
pub(crate) use review::{Command, MAX_COMMENT_CHARS, Reviewer};
pub(crate) use summary::IncidentSummary;
