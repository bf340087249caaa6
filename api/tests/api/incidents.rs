//! `/incidents`.

mod escalate;
mod follow;
mod list;
mod review;
mod show;
mod summary;
