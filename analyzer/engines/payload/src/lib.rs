//! Malicious code in packages: the words and capabilities of a piece of code to a score, with reasons. Pure.
//!
//! `code-signals` finds capabilities and the chains of them that are attacks by themselves. A payload without such a chain is
//! often an unusual combination: a library of dates that reads an account and sends a request. A linear model, learned from
//! labelled packages, judges these combinations.
//!
//! - `lines.rs`: a file to lines without comments.
//! - `words.rs`: a line to words: parts of names, members, and the form of literals.
//! - `facts.rs`: capabilities and chains to facts of a place.
//! - `windows.rs`: files to the windows that are judged by themselves.
//! - `score.rs`: windows to a score by the model, and the reasons for it.

mod facts;
mod lines;
mod score;
mod windows;
mod words;

pub use score::{FEATURES, Judged, Payloads, TABLE, scale};
pub use windows::{Reading, Row, Window, fact_feature, read};

/// Reasons for which the recognition cannot be prepared.
#[derive(Debug, thiserror::Error)]
pub enum PayloadError {
    /// The bytes are no model, or one of other features.
    #[error("the model of payloads cannot be used")]
    Model(#[from] linear_model::ModelError),
    /// The model lacks a number.
    #[error("the model of payloads has no number {0}")]
    Number(&'static str),
}
