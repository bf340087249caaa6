//! A claim and its evidence to reasons why both cannot hold.

use std::borrow::Cow;
use std::ops::Range;

use crate::align::Aligned;
use crate::binding::Bindings;
use crate::claims::Said;
use crate::evidence::Passage;
use crate::lexicon::{Class, Lexicon};
use crate::order::Swaps;
use crate::pronoun::subject;
use crate::terms::Term;

/// Kinds of contradictions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Number,
    Date,
    Unit,
    Quantity,
    Name,
    Opposite,
    Negation,
    Order,
    Subject,
    Exchanged,
}

impl Kind {
    /// Whether it is a feature of the model. Exchanged numbers are none: in reordered texts they are found in true claims
    /// too often, so that they only explain a verdict.
    pub(crate) fn is_weighed(self) -> bool {
        self != Self::Exchanged
    }

    /// Whether it is counted together with others. Those that the order of words or the reading of a pronoun alone can
    /// bring about say too little for that.
    pub(crate) fn is_counted(self) -> bool {
        !matches!(self, Self::Subject | Self::Exchanged)
    }

    /// Name in features, and of most kinds in reasons.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Date => "date",
            Self::Unit => "unit",
            Self::Quantity => "quantity",
            Self::Name => "name",
            Self::Opposite => "opposite",
            Self::Negation => "negation",
            Self::Order => "order",
            Self::Subject => "subject",
            Self::Exchanged => "exchanged",
        }
    }
}

/// A reason why a claim and its evidence cannot both hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contradiction {
    pub(crate) kind: Kind,
    /// Words of the claim, as a place in the text; none where the evidence alone negates.
    pub(crate) claimed: Range<usize>,
    /// Words of the evidence: number of the source and place in it. None where nothing stands against the words.
    pub(crate) stated: Option<(usize, Range<usize>)>,
}

/// All contradictions, in the order in which they are explained.
pub(crate) fn contradictions(
    claim: &Said,
    aligned: &Aligned<'_>,
    (swaps, bindings): (&Swaps, &Bindings),
    lexicon: &Lexicon,
) -> Vec<Contradiction> {
    let gaps = Gaps { claim: &claim.terms, aligned, lexicon };
    let mut found: Vec<Contradiction> = gaps.numbers().into_iter().collect();
    found.extend(gaps.classes());
    let negation = gaps.negation();
    let (agreed, opposed): (Vec<_>, Vec<_>) =
        gaps.opposites().into_iter().partition(|pair| negation.is_some() && gaps.denied(*pair));
    found.extend(opposed.first().map(|(term, other)| gaps.against(Kind::Opposite, term, other)));
    // "Not open" and "closed" agree.
    found.extend(negation.filter(|_| agreed.is_empty()));
    found.extend(gaps.name());
    found.extend(order(&claim.terms, swaps));
    found.extend(gaps.subject(claim.resolved));
    let exchanged = bindings.exchanged.and_then(|place| claim.terms.get(place));
    found.extend(exchanged.map(|term| alone(Kind::Exchanged, term)));
    found
}

/// Words of the claim that its evidence lacks, and words of the evidence that the claim lacks.
struct Gaps<'a> {
    claim: &'a [Term],
    aligned: &'a Aligned<'a>,
    lexicon: &'a Lexicon,
}

impl Gaps<'_> {
    /// Terms of the claim that no passage of the evidence has.
    fn missing(&self) -> impl Iterator<Item = &Term> {
        self.claim.iter().zip(&self.aligned.found).filter(|(_, found)| **found == 0.0).map(|(term, _)| term)
    }

    /// Terms of the claim that the first passage does not have.
    fn missing_first(&self) -> impl Iterator<Item = &Term> {
        let found = &self.aligned.beside.found;
        self.claim.iter().zip(found).filter(|(_, found)| **found < 1.0).map(|(term, _)| term)
    }

    fn first(&self) -> &Passage {
        self.aligned.first
    }

    /// Terms of the first passage.
    fn stated(&self) -> &[Term] {
        &self.aligned.stated
    }

    /// Terms of the first passage that the claim lacks.
    fn instead(&self) -> impl Iterator<Item = &Term> {
        let claimed = |term: &Term| self.claim.iter().any(|other| other.feature == term.feature);
        self.stated().iter().filter(move |term| !claimed(term))
    }

    fn against(&self, kind: Kind, claimed: &Term, stated: &Term) -> Contradiction {
        Contradiction { kind, claimed: claimed.range(), stated: Some((self.first().source, stated.range())) }
    }

    fn numbers(&self) -> Option<Contradiction> {
        let term = self.missing().find(|term| term.value.is_some())?;
        let other = self.instead().filter(|other| other.value.is_some());
        let nearest = other.min_by(|a, b| distance(term, a).total_cmp(&distance(term, b)))?;
        Some(self.against(Kind::Number, term, nearest))
    }

    /// Members of a class in place of another member, one for each kind.
    fn classes(&self) -> Vec<Contradiction> {
        let mut found: Vec<Contradiction> = Vec::new();
        for term in self.missing_first() {
            for (class, number) in &term.meaning(self.lexicon).classes {
                let kind = kind(*class);
                let member = |other: &&Term| other.meaning(self.lexicon).classes.contains(&(*class, *number));
                if found.iter().all(|other| other.kind != kind)
                    && let Some(other) = self.instead().find(member)
                {
                    found.push(self.against(kind, term, other));
                }
            }
        }
        found
    }

    /// Words of the claim with words of opposite meaning that stand in their place.
    fn opposites(&self) -> Vec<(&Term, &Term)> {
        let mut found = Vec::new();
        for term in self.missing_first() {
            for (pair, side) in &term.meaning(self.lexicon).opposites {
                let opposed = |other: &&Term| other.meaning(self.lexicon).opposites.contains(&(*pair, !side));
                found.extend(self.instead().find(opposed).map(|other| (term, other)));
            }
        }
        found
    }

    /// Whether one of two opposites is the word that a negation is about.
    fn denied(&self, (term, other): (&Term, &Term)) -> bool {
        denies(self.claim, term, self.lexicon) || denies(self.stated(), other, self.lexicon)
    }

    /// A negation on one side alone.
    fn negation(&self) -> Option<Contradiction> {
        let claimed = negated(self.claim, self.lexicon, |_| true);
        let shared = |term: &Term| {
            self.claim
                .iter()
                .any(|other| other.feature == term.feature || (term.root != 0 && term.root == other.root))
        };
        let stated = negated(self.stated(), self.lexicon, shared);
        match (claimed.as_slice(), stated.as_slice()) {
            ([], [term, ..]) => Some(Contradiction {
                kind: Kind::Negation,
                claimed: 0..0,
                stated: Some((self.first().source, term.range())),
            }),
            ([term, ..], []) => {
                Some(Contradiction { kind: Kind::Negation, claimed: term.range(), stated: None })
            }
            _ => None,
        }
    }

    fn name(&self) -> Option<Contradiction> {
        let term = self.missing().find(|term| term.name && term.value.is_none())?;
        let other = self.instead().find(|other| other.name && other.value.is_none())?;
        Some(self.against(Kind::Name, term, other))
    }

    /// Another subject, where a pronoun stands for one of the two.
    fn subject(&self, resolved: bool) -> Option<Contradiction> {
        if !resolved && matches!(self.aligned.stated, Cow::Borrowed(_)) {
            return None;
        }
        let content = |terms: &'_ [Term]| -> Vec<Term> {
            subject(terms, self.lexicon).iter().filter(|term| term.content).cloned().collect()
        };
        let (claimed, stated) = (content(self.claim), content(self.stated()));
        let found = |term: &Term| self.stated().iter().any(|other| other.feature == term.feature);
        if claimed.iter().any(found) {
            return None;
        }
        Some(self.against(Kind::Subject, claimed.first()?, stated.first()?))
    }
}

/// A contradiction to nothing in particular.
fn alone(kind: Kind, term: &Term) -> Contradiction {
    Contradiction { kind, claimed: term.range(), stated: None }
}

/// How many times larger one number is than the other.
fn distance(one: &Term, other: &Term) -> f64 {
    let size = |term: &Term| term.value.unwrap_or_default().abs().max(1e-9).ln();
    (size(one) - size(other)).abs()
}

fn kind(class: Class) -> Kind {
    match class {
        Class::Date => Kind::Date,
        Class::Unit => Kind::Unit,
        Class::Number => Kind::Number,
        Class::Quantity => Kind::Quantity,
        Class::Name => Kind::Name,
    }
}

/// Content words that a negation reaches.
const SCOPE: usize = 3;

/// Negations whose scope has a term that fits.
fn negated<'a>(terms: &'a [Term], lexicon: &Lexicon, fits: impl Fn(&Term) -> bool) -> Vec<&'a Term> {
    let reaches = |place: usize| {
        let after = terms.iter().skip(place + 1).filter(|term| term.content).take(SCOPE);
        let before = terms.iter().take(place).rev().filter(|term| term.content).take(1);
        after.chain(before).any(&fits)
    };
    let negations = terms.iter().enumerate().filter(|(_, term)| term.meaning(lexicon).negation);
    negations.filter(|(place, _)| reaches(*place)).map(|(_, term)| term).collect()
}

/// Content words after a negation of which one may be what it denies: "not open", "no longer open".
const DENIED: usize = 2;

/// Whether a negation stands directly before a word.
fn denies(terms: &[Term], word: &Term, lexicon: &Lexicon) -> bool {
    let negations = terms.iter().enumerate().filter(|(_, term)| term.meaning(lexicon).negation);
    let denied = |place: usize| terms.iter().skip(place + 1).filter(|term| term.content).take(DENIED);
    negations.into_iter().any(|(place, _)| denied(place).any(|term| term.start == word.start))
}

fn order(claim: &[Term], swaps: &Swaps) -> Option<Contradiction> {
    let term = claim.get(*swaps.around.first()?)?;
    Some(Contradiction { kind: Kind::Order, claimed: term.range(), stated: None })
}
