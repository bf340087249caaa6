//! Job titles and nationalities, from lists of words.

pub(crate) mod vocabulary;

use redact::identifiers::Entity;

use crate::meaning::{Marks, NATIONALITY, TITLE};
use crate::model::Found;
use crate::token::{Look, Token};

/// Adds titles and nationalities beside what is found already.
pub(crate) fn add(tokens: &[Token<'_>], marks: &[Marks], found: &mut Vec<Found>) {
    for (index, token) in tokens.iter().enumerate() {
        let mark = marks.get(index).copied().unwrap_or(0);
        if mark & TITLE != 0 {
            let first = title_start(tokens, index);
            found.push(Found { first, end: index + 1, entity: Entity::Title, reason: "job title" });
        } else if token.look == Look::Capital && mark & NATIONALITY != 0 {
            found.push(Found {
                first: index,
                end: index + 1,
                entity: Entity::Nationality,
                reason: "nationality",
            });
        }
    }
    // Names, places and organizations take precedence where they overlap.
    let named: Vec<(usize, usize)> = found
        .iter()
        .filter(|one| !matches!(one.entity, Entity::Title | Entity::Nationality))
        .map(|one| (one.first, one.end))
        .collect();
    found.retain(|one| {
        if !matches!(one.entity, Entity::Title | Entity::Nationality) {
            return true;
        }
        let near = named.partition_point(|(_, end)| *end <= one.first);
        named.get(near).is_none_or(|(first, _)| *first >= one.end)
    });
}

/// Includes up to three words before that are written with a capital, or are usual in titles.
fn title_start(tokens: &[Token<'_>], head: usize) -> usize {
    let mut first = head;
    while head - first < 3 {
        let Some(before) = first.checked_sub(1).and_then(|at| tokens.get(at)) else { break };
        let usual = matches!(
            before.text,
            "senior"
                | "junior"
                | "chief"
                | "lead"
                | "head"
                | "software"
                | "sales"
                | "project"
                | "product"
                | "data"
                | "vice"
                | "general"
                | "assistant"
                | "executive"
                | "marketing"
                | "human"
                | "resources"
        );
        let capital = before.look == Look::Capital
            && !matches!(before.text, "The" | "A" | "An" | "Our" | "My" | "Your");
        if !(usual || capital) {
            break;
        }
        first -= 1;
    }
    first
}
