//! `/incidents`.

mod list;
mod review;
mod show;
