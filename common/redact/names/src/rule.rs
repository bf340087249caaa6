//! Names that their surroundings show: titles of courtesy, introductions, salutations, signatures and labels.

mod label;
pub(crate) mod vocabulary;

use redact::identifiers::Entity;

use crate::feature::Page;
use crate::meaning::{CLOSING, HONORIFIC, INTRODUCTION, Marks, SALUTATION, UNSPACED_HEAD};
use crate::model::Found;
use crate::token::{Look, Token};
use label::{labelled, speaking, unspaced};
use vocabulary::{INTRODUCTIONS, WEAK};

/// The most tokens of a name behind a rule.
const LONGEST: usize = 4;

/// Adds what the rules show. Each token is looked at with at most a few around it.
pub(crate) fn add(tokens: &[Token<'_>], page: &Page, marks: &[Marks], found: &mut Vec<Found>) {
    let text = Lower(page);
    let mut named: Vec<Found> = Vec::new();
    for index in 0..tokens.len() {
        let mark = marks.get(index).copied().unwrap_or(0);
        let range = match text.word(index) {
            ":" | "：" => labelled(tokens, &text, index).or_else(|| speaking(tokens, page, index)),
            _ if mark == 0 => None,
            _ => marked(tokens, &text, marks, index),
        };
        if let Some((first, end, reason)) = range
            && named.last().is_none_or(|last| last.end <= first)
        {
            named.push(Found { first, end, entity: Entity::Name, reason });
        }
    }
    // A name of the model that holds one of a rule is longer; all others give way.
    let rule = |one: &Found| {
        named.get(named.partition_point(|name| name.end <= one.first)).filter(|name| name.first < one.end)
    };
    found.retain(|one| {
        rule(one)
            .is_none_or(|name| one.entity == Entity::Name && one.first <= name.first && name.end <= one.end)
    });
    let model = found.clone();
    let held = |name: &Found| {
        model.get(model.partition_point(|one| one.end <= name.first)).is_some_and(|one| one.first < name.end)
    };
    found.extend(named.iter().filter(|name| !held(name)).copied());
    found.sort_by_key(|one| (one.first, one.end));
}

fn marked(tokens: &[Token<'_>], text: &Lower<'_>, marks: &[Marks], index: usize) -> Option<Named> {
    let mark = marks.get(index).copied().unwrap_or(0);
    let has = |meaning: Marks| mark & meaning != 0;
    let honorific = || has(HONORIFIC).then(|| honorific(tokens, text, marks, index)).flatten();
    let introduced = || has(INTRODUCTION).then(|| introduced(tokens, text, index)).flatten();
    let greeted = || has(SALUTATION).then(|| greeted(tokens, text, index)).flatten();
    let signed = || has(CLOSING).then(|| signed(tokens, text, index)).flatten();
    let unspaced = || has(UNSPACED_HEAD).then(|| unspaced(tokens, index)).flatten();
    honorific().or_else(introduced).or_else(greeted).or_else(signed).or_else(unspaced)
}

/// The tokens in lower case.
struct Lower<'a>(&'a Page);

impl Lower<'_> {
    /// A token; empty outside of the text.
    fn word(&self, index: usize) -> &str {
        self.0.tokens().get(index).map_or("", |token| token.lower.as_str())
    }
}

type Named = (usize, usize, &'static str);

fn is_capital(tokens: &[Token<'_>], index: usize) -> bool {
    tokens.get(index).is_some_and(|token| matches!(token.look, Look::Capital | Look::Mixed | Look::Upper))
}

/// End of the capitals, particles and initials from `first` on.
fn name_end(tokens: &[Token<'_>], text: &Lower<'_>, first: usize, most: usize) -> usize {
    let (mut at, mut end) = (first, first);
    while at < first + most {
        let initial = tokens.get(at).is_some_and(|token| token.text.chars().count() == 1);
        if is_capital(tokens, at) {
            at += 1;
            end = at;
            if initial && text.word(at) == "." && is_capital(tokens, at + 1) {
                at += 1;
            }
        } else if at > first
            && matches!(
                text.word(at),
                "de" | "la"
                    | "van"
                    | "der"
                    | "den"
                    | "von"
                    | "da"
                    | "dos"
                    | "del"
                    | "di"
                    | "bin"
                    | "al"
                    | "el"
                    | "le"
                    | "ten"
                    | "ter"
                    | "zu"
                    | "of"
            )
            && at + 1 < first + most
        {
            at += 1;
        } else {
            break;
        }
    }
    end
}

fn honorific(tokens: &[Token<'_>], text: &Lower<'_>, marks: &[Marks], index: usize) -> Option<Named> {
    let written_small = tokens.get(index).is_some_and(|token| token.look == Look::Lower);
    let stop = text.word(index + 1) == "." && tokens.get(index + 1).is_some_and(|token| !token.apart);
    let first = index + 1 + usize::from(stop);
    // Titles may follow each other: `Herr Dr.`
    if marks.get(first).is_some_and(|mark| mark & HONORIFIC != 0) {
        return None;
    }
    let end = name_end(tokens, text, first, LONGEST);
    if end > first {
        return Some((first, end, "title of courtesy"));
    }
    // In text without capitals the abbreviation with its full stop suffices.
    let small = written_small
        && stop
        && tokens
            .get(first)
            .is_some_and(|token| token.look == Look::Lower && token.apart && token.text.len() > 1);
    let abbreviation = matches!(text.word(index), "mr" | "mrs" | "ms" | "dr" | "prof");
    (small && abbreviation).then_some((first, first + 1, "title of courtesy"))
}

fn introduced(tokens: &[Token<'_>], text: &Lower<'_>, index: usize) -> Option<Named> {
    let mut best: Option<(usize, &str)> = None;
    for phrase in INTRODUCTIONS {
        let mut at = index;
        let fits = phrase.split(' ').all(|part| {
            let same = text.word(at) == part;
            at += 1;
            same
        });
        if fits && best.is_none_or(|(end, _)| at > end) {
            best = Some((at, phrase));
        }
    }
    let (first, phrase) = best?;
    let first = if matches!(text.word(first), ":" | "\"" | "“") { first + 1 } else { first };
    let end = name_end(tokens, text, first, LONGEST);
    let last = |at: usize| {
        matches!(
            text.word(at),
            "" | "."
                | ","
                | "!"
                | "\n"
                | "and"
                | "from"
                | "und"
                | "et"
                | "y"
                | "calling"
                | "with"
                | "("
                | ";"
                | "-"
                | "–"
        )
    };
    if WEAK.contains(&phrase) {
        // `This is Anna from support`; nationalities and places follow `I am` without such a sign as well.
        let full = end >= first + 2;
        return (end > first && full && last(end)).then_some((first, end, "introduction"));
    }
    if end > first {
        return Some((first, end, "introduction"));
    }
    let small = (first..first + 3)
        .take_while(|at| {
            tokens.get(*at).is_some_and(|token| token.look == Look::Lower && token.text.len() > 1)
                && !last(*at)
        })
        .count();
    (small > 0 && last(first + small)).then_some((first, first + small, "introduction"))
}

fn greeted(tokens: &[Token<'_>], text: &Lower<'_>, index: usize) -> Option<Named> {
    let begins = index == 0 || matches!(text.word(index - 1), "\n" | "." | "!" | "\"" | "“" | ":");
    if !begins {
        return None;
    }
    let first = index + 1;
    let end = name_end(tokens, text, first, 3);
    let group = matches!(
        text.word(first),
        "team"
            | "all"
            | "sir"
            | "madam"
            | "customer"
            | "everyone"
            | "hiring"
            | "there"
            | "world"
            | "support"
            | "colleagues"
            | "friends"
            | "sirs"
            | "kitty"
            | "god"
            | "lord"
            | "santa"
            | "mr"
            | "mrs"
            | "ms"
            | "dr"
    );
    (end > first && !group && matches!(text.word(end), "," | "!" | "\n" | ":" | "–" | "-")).then_some((
        first,
        end,
        "salutation",
    ))
}

fn signed(tokens: &[Token<'_>], text: &Lower<'_>, index: usize) -> Option<Named> {
    let comma = usize::from(matches!(text.word(index + 1), "," | "!" | "." | "-"));
    if text.word(index + 1 + comma) != "\n" {
        return None;
    }
    let first = index + 2 + comma;
    let end = name_end(tokens, text, first, LONGEST);
    let alone = matches!(text.word(end), "" | "\n" | "," | "|" | "(");
    let team = (first..end).any(|at| {
        matches!(
            text.word(at),
            "team"
                | "support"
                | "department"
                | "group"
                | "gmbh"
                | "inc"
                | "ltd"
                | "the"
                | "your"
                | "customer"
                | "sent"
        )
    });
    (end > first && alone && !team).then_some((first, end, "signature"))
}
