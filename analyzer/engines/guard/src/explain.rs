//! A verdict in sentences. Fixed wording, facts with their places, no randomness: equal inputs give equal bytes.

use std::fmt::Write as _;
use std::ops::Range;

use text::Disguise;

use crate::decide::{Input, Judged};
use crate::facts::Fact;
use crate::verdict::Violation;
use crate::view::Read;

/// Facts that are named at most.
const MAX_FACTS: usize = 5;

/// Longest excerpt in characters.
const EXCERPT: usize = 60;

/// The reasons of a verdict. `judged` has the clearest part first.
pub(crate) fn explain(
    inputs: &[Input<'_>],
    reads: &[Vec<Read>],
    judged: &[Judged],
    violations: &[Violation],
    redact: &dyn Fn(&str) -> String,
) -> String {
    let mut text = String::new();
    let blocking: Vec<&Judged> = judged.iter().filter(|judged| judged.blocks()).collect();
    if blocking.is_empty() {
        pass(inputs, reads, judged, redact, &mut text);
        return text;
    }
    let names: Vec<&str> = violations.iter().map(|violation| violation.name()).collect();
    let _ = write!(text, "Blocked: {}.", names.join(", "));
    let mut facts: Vec<(&Judged, &Fact)> =
        blocking.iter().flat_map(|judged| judged.facts.iter().map(move |fact| (*judged, fact))).collect();
    facts.sort_by(|(_, one), (_, two)| two.strength.total_cmp(&one.strength));
    for (judged, fact) in facts.iter().take(MAX_FACTS) {
        let Some((input, read)) = source(inputs, reads, judged) else { continue };
        sentence(input, read, fact, redact, &mut text);
    }
    let Some((first, (input, read))) =
        blocking.first().and_then(|first| Some((first, source(inputs, reads, first)?)))
    else {
        return text;
    };
    if facts.is_empty() {
        let place = read.view.source_of_words(&first.words);
        let _ = write!(
            text,
            " The wording of the {} at {} is that of attacks.",
            input.name,
            characters(input.text, &place)
        );
    }
    how(read, &mut text);
    text
}

fn pass(
    inputs: &[Input<'_>],
    reads: &[Vec<Read>],
    judged: &[Judged],
    redact: &dyn Fn(&str) -> String,
    text: &mut String,
) {
    let characters: usize = inputs.iter().map(|input| input.text.chars().count()).sum();
    let decoded = reads.iter().flatten().filter(|read| read.view.is_decoded).count();
    let plural = if judged.len() == 1 { "" } else { "s" };
    let _ = write!(text, "Passed: {characters} characters were read in {} part{plural}", judged.len());
    match decoded {
        0 => text.push('.'),
        1 => text.push_str(", with 1 decoded text."),
        decoded => {
            let _ = write!(text, ", with {decoded} decoded texts.");
        }
    }
    let facts = judged.iter().flat_map(|judged| judged.facts.iter().map(move |fact| (judged, fact)));
    // Of equally strong facts the one of the clearest part.
    let strongest = facts.reduce(|best, next| if next.1.strength > best.1.strength { next } else { best });
    let found = strongest.and_then(|(judged, fact)| Some((source(inputs, reads, judged)?, fact)));
    match found {
        None => text.push_str(" No sign of an attack was found."),
        Some(((input, read), fact)) => {
            text.push_str(" The strongest sign did not suffice:");
            sentence(input, read, fact, redact, text);
        }
    }
}

fn source<'a, 'b>(
    inputs: &'a [Input<'b>],
    reads: &'a [Vec<Read>],
    judged: &Judged,
) -> Option<(&'a Input<'b>, &'a Read)> {
    Some((inputs.get(judged.input)?, reads.get(judged.input)?.get(judged.view)?))
}

/// One fact: the text, its place, an excerpt.
fn sentence(input: &Input<'_>, read: &Read, fact: &Fact, redact: &dyn Fn(&str) -> String, text: &mut String) {
    let place = read.view.source_of_words(&fact.words);
    let _ = write!(text, " The {} {} at {}", input.name, fact.says, characters(input.text, &place));
    let shown = shown_words(input, read, fact);
    if !shown.is_empty() {
        let _ = write!(text, ": \"{}\"", excerpt(&redact(shown)));
    }
    text.push('.');
}

/// The part of the input that a fact is about; of a disguised text, the part of the view in which it can be read.
fn shown_words<'r>(input: &Input<'r>, read: &'r Read, fact: &Fact) -> &'r str {
    if read.view.disguises.is_empty() && !read.view.is_decoded {
        return input.text.get(read.view.source_of_words(&fact.words)).unwrap_or_default();
    }
    let words = read.view.words.get(fact.words.clone()).unwrap_or_default();
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return "" };
    read.view.text.get(first.start as usize..last.end as usize).unwrap_or_default()
}

/// At most [`EXCERPT`] characters on one line.
fn excerpt(text: &str) -> String {
    let mut shown = String::new();
    for (count, char) in text.chars().enumerate() {
        if count == EXCERPT {
            shown.push('…');
            break;
        }
        shown.push(if char.is_whitespace() || char.is_control() { ' ' } else { char });
    }
    shown
}

fn characters(text: &str, place: &Range<usize>) -> String {
    let count = |end: usize| text.get(..end).map_or(0, |before| before.chars().count());
    format!("characters {}-{}", count(place.start), count(place.end))
}

fn how(read: &Read, text: &mut String) {
    if read.view.disguises.is_empty() {
        return;
    }
    let mut names: Vec<&str> = Vec::new();
    for name in read.view.disguises.iter().map(|disguise| name(*disguise)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let _ = write!(text, " It was disguised by {}.", names.join(", then "));
}

fn name(disguise: Disguise) -> &'static str {
    match disguise {
        Disguise::Base64 => "base64",
        Disguise::Base32 => "base32",
        Disguise::Base85 => "base85",
        Disguise::Hexadecimal => "hexadecimal digits",
        Disguise::Binary => "binary digits",
        Disguise::Decimal => "decimal codes",
        Disguise::Percent => "percent encoding",
        Disguise::Entities => "HTML entities",
        Disguise::Escapes => "escapes",
        Disguise::Rot13 => "rot13",
        Disguise::Reversed => "reversal",
        Disguise::Leet => "figures for letters",
        Disguise::Homoglyphs => "look-alike letters",
        Disguise::ZeroWidth => "characters without width",
        Disguise::Tags => "tag characters",
        Disguise::Spaced => "spaced letters",
        Disguise::Shuffled => "shuffled letters",
    }
}
