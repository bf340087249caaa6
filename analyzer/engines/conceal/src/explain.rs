//! The summary in fixed sentences. It quotes nothing of the text.

use std::collections::BTreeMap;

use redact::identifiers::Span;

use crate::{Choice, Form};

/// Formats that the summary names: more would make it longer than the text of most requests.
const MOST_FORMATS: usize = 8;
/// Phrases that were not understood that the summary names.
const MOST_PHRASES: usize = 10;
/// Characters of such a phrase.
const LONGEST_PHRASE: usize = 60;

pub(crate) fn summary(spans: &[Span], counts: &[(String, usize)], choice: &Choice, form: Form) -> String {
    let kinds = if choice.is_chosen() { "chosen" } else { "default" };
    let mut sentences = Vec::new();
    if spans.is_empty() {
        sentences.push(format!("No value of the {kinds} kinds was found; the text is unchanged."));
    } else {
        let by = match form {
            Form::Placeholders => "placeholders",
            Form::Surrogates => "invented values",
        };
        let values = if spans.len() == 1 { "value" } else { "values" };
        let list: Vec<String> = counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
        sentences.push(format!(
            "{} {values} of the {kinds} kinds replaced by {by}: {}.",
            spans.len(),
            list.join(", ")
        ));
        sentences.push(formats(spans));
    }
    if !choice.unknown().is_empty() {
        sentences.push(unknown(choice.unknown()));
    }
    sentences.join(" ")
}

/// How values were recognised, the most frequent first.
fn formats(spans: &[Span]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for span in spans {
        *counts.entry(span.reason).or_insert(0) += 1;
    }
    let mut formats: Vec<(&str, usize)> = counts.into_iter().collect();
    formats.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    let more = formats.len().saturating_sub(MOST_FORMATS);
    let named: Vec<String> =
        formats.iter().take(MOST_FORMATS).map(|(name, count)| format!("{name} ({count})")).collect();
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("Recognised by: {}{more}.", named.join(", "))
}

fn unknown(phrases: &[String]) -> String {
    let quoted: Vec<String> = phrases.iter().take(MOST_PHRASES).map(|phrase| quoted(phrase)).collect();
    let more = phrases.len().saturating_sub(MOST_PHRASES);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("Not understood, and not looked for: {}{more}.", quoted.join(", "))
}

/// A phrase on one line, cut to [`LONGEST_PHRASE`].
fn quoted(phrase: &str) -> String {
    let line = |letter: char| if letter.is_control() || letter == '"' { ' ' } else { letter };
    let cut: String = phrase.chars().take(LONGEST_PHRASE).map(line).collect();
    let dots = if phrase.chars().nth(LONGEST_PHRASE).is_some() { "…" } else { "" };
    format!("\"{cut}{dots}\"")
}
