//! A claim and a sentence to a reason why both cannot hold.

use crate::terms::Term;

const NEGATIONS: [&str; 8] = ["not", "no", "never", "none", "neither", "nor", "cannot", "without"];

/// The contradiction of a sentence about the same matter, in words that follow "Contradicted: ".
pub(crate) fn contradiction(claim: &[Term], sentence: &[Term]) -> Option<String> {
    number(claim, sentence).or_else(|| negation(claim, sentence))
}

/// A number of the claim that the sentence lacks, where the sentence has one that the claim lacks.
fn number(claim: &[Term], sentence: &[Term]) -> Option<String> {
    let claimed = lacking(claim, sentence)?;
    let stated = lacking(sentence, claim)?;
    Some(format!("the claim says {claimed}, the source says {stated}."))
}

fn lacking<'a>(of: &'a [Term], other: &[Term]) -> Option<&'a str> {
    of.iter()
        .filter(|term| term.number().is_some())
        .find(|term| other.iter().all(|there| there.number() != term.number()))
        .map(|term| term.spelling.as_str())
}

fn negation(claim: &[Term], sentence: &[Term]) -> Option<String> {
    let (claimed, stated) = (negations(claim), negations(sentence));
    (claimed % 2 != stated % 2).then(|| "one of the two is negated.".to_owned())
}

fn negations(terms: &[Term]) -> usize {
    terms
        .iter()
        .filter(|term| NEGATIONS.contains(&term.spelling.as_str()) || term.spelling.ends_with("n't"))
        .count()
}
