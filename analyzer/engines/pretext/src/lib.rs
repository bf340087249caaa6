//! Phishing in mails and messages: their words, sender, links and attachments to a score, with reasons. Pure.
//!
//! - `letter.rs`: a mail or message as its fields.
//! - `hosts.rs`: hosts of senders and links to registrable domains and kinds of services.
//! - `facts.rs`: fields beside the text to facts.
//! - `lexicon.rs`: phrases of pretexts, pressure and requests, in nine languages; `phrases.rs`: phrases that stand near each other.
//! - `durations.rs`: short deadlines in figures; `figures.rs`: small amounts, codes, accounts and telephone numbers.
//! - `prohibition.rs`: phrases that a text forbids.
//! - `read.rs`: a text to words, phrases and the windows that are judged by themselves.
//! - `score.rs`: windows to a score by the model, and the reasons for it.

mod durations;
mod facts;
mod figures;
mod hosts;
mod letter;
mod lexicon;
mod phrases;
mod prohibition;
mod read;
mod score;

pub use facts::{Circumstances, Fact};
pub use hosts::{PROGRAMS, SHORTENERS, registrable, shown_domain};
pub use letter::{Kind, Letter, Link, Sender};
pub use lexicon::{Class, Lexicons};
pub use phrases::{Phrase, Purpose};
pub use read::{Reader, Reading, Row};
pub use score::{FEATURES, Judged, Judging, Pretexts, TABLE, Thresholds, scale};

/// Reasons for which the recognition cannot be prepared.
#[derive(Debug, thiserror::Error)]
pub enum PretextError {
    /// The bytes are no model, or one of other features.
    #[error("the model of pretexts cannot be used")]
    Model(#[from] linear_model::ModelError),
    /// A file of phrases that the build contains is not one.
    #[error("the phrases of pretexts cannot be used")]
    Lexicon(#[from] text::LexiconError),
    /// The model lacks a number.
    #[error("the model has no number {0}")]
    Number(&'static str),
}
