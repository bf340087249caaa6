//! `/incidents`.

mod follow;
mod list;
mod review;
mod show;
