//! Contradictions and gaps in sentences.

use crate::align::Aligned;
use crate::claims::Said;
use crate::contradict::{Contradiction, Kind};
use crate::decide::Source;
use crate::replaced::replaced;

/// Words that the reason of "not found" names at most.
const NAMED: usize = 3;

/// Longest excerpt in a reason, in characters.
const EXCERPT: usize = 60;

/// The reason of a supported claim.
pub(crate) fn supported(passages: usize) -> String {
    match passages {
        1 => "Supported: one passage of the sources states all parts of the claim.".to_owned(),
        _ => format!("Supported: {passages} passages of the sources together state all parts of the claim."),
    }
}

/// The reason of a claim that no passage is about.
pub(crate) fn unknown() -> String {
    "Not found: no passage of the sources is about the claim.".to_owned()
}

/// The reason of a contradicted claim.
pub(crate) fn contradicted(one: &Contradiction, text: &str, sources: &[Source<'_>]) -> String {
    let claimed = excerpt(text.get(one.claimed.clone()));
    let place = one.stated.as_ref();
    let stated =
        place.map(|(source, place)| excerpt(sources.get(*source).and_then(|s| s.content.get(place.clone()))));
    let sentence = match (one.kind, stated) {
        (Kind::Negation, Some(stated)) => {
            format!("the source negates it with \"{stated}\", the claim does not")
        }
        (Kind::Negation, None) => format!("the claim negates with \"{claimed}\", the source does not"),
        (Kind::Order, _) => format!("the parts around \"{claimed}\" have other roles in the source"),
        (Kind::Exchanged, _) => format!("the number \"{claimed}\" belongs to other words in the source"),
        (Kind::Subject, Some(stated)) => {
            format!("the claim is about \"{claimed}\", the source about \"{stated}\"")
        }
        (kind, Some(stated)) => {
            format!("the claim has the {} \"{claimed}\", the source has \"{stated}\"", noun(kind))
        }
        (kind, None) => format!("the source does not have the {} \"{claimed}\"", noun(kind)),
    };
    format!("Contradicted: {sentence}.")
}

fn noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Opposite | Kind::Negation | Kind::Order | Kind::Subject | Kind::Exchanged => "word",
        Kind::Number | Kind::Date | Kind::Unit | Kind::Quantity | Kind::Name => kind.name(),
    }
}

/// The reason of a claim of which a part was found.
pub(crate) fn partial(claim: &Said, aligned: &Aligned<'_>, text: &str, sources: &[Source<'_>]) -> String {
    if let Some((place, other)) = replaced(&claim.terms, &aligned.stated, &aligned.beside)
        && let Some((term, other)) = claim.terms.get(place).zip(aligned.stated.get(other))
    {
        let claimed = excerpt(text.get(term.range()));
        let source = sources.get(aligned.first.source);
        let stated = excerpt(source.and_then(|source| source.content.get(other.range())));
        return format!("Not found: the source has \"{stated}\" in place of \"{claimed}\".");
    }
    let gaps = aligned.missing(&claim.terms).take(NAMED);
    let words: Vec<String> = gaps.map(|term| format!("\"{}\"", excerpt(text.get(term.range())))).collect();
    if words.is_empty() {
        return "Not found: the sources have the words of the claim, but not in this connection.".to_owned();
    }
    format!("Not found: the nearest passage lacks {}.", words.join(", "))
}

/// What was left out: terms of the claim, or passages of the sources.
pub(crate) fn limits(cut: bool, unsearched: bool) -> &'static str {
    match (cut, unsearched) {
        (true, true) => " Only the beginning of the claim was compared, and only with a part of the sources.",
        (true, false) => " Only the beginning of the claim was compared.",
        (false, true) => " Only a part of the sources was searched.",
        (false, false) => "",
    }
}

fn excerpt(text: Option<&str>) -> String {
    let text = text.unwrap_or_default();
    let mut excerpt: String =
        text.chars().take(EXCERPT).map(|char| if char == '"' { '\'' } else { char }).collect();
    if text.chars().nth(EXCERPT).is_some() {
        excerpt.push('…');
    }
    excerpt
}
