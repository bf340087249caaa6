//! A name that was found once is found everywhere: whole, and by its words.

use std::collections::HashSet;

use redact::identifiers::Entity;

use crate::feature::Page;
use crate::model::Found;
use crate::token::{Look, Token};

/// Words that are parts of names and also other words; alone they are not taken for the name.
const COMMON: &[&str] = &[
    "will", "may", "mark", "rose", "grace", "hope", "faith", "joy", "bill", "jack", "rich", "art", "grant",
    "chase", "drew", "frank", "dawn", "april", "june", "august", "summer", "king", "young", "long", "white",
    "black", "brown", "green", "gray", "day", "best", "price", "page", "field", "hill", "wood", "stone",
    "bush", "park", "banks", "street", "church", "bishop", "pope", "cook", "baker", "the", "van", "der",
    "von", "de", "la", "le", "del", "don", "an", "so", "do", "sun", "china", "paris", "london", "jordan",
    "chad", "israel", "san", "new", "in", "on", "st",
];
/// Names whose words are looked for. Bounds the set; a text with more different names has lost its thread.
const MOST: usize = 4096;

/// Adds the other places of names that were found.
pub(crate) fn add(tokens: &[Token<'_>], page: &Page, found: &mut Vec<Found>) {
    let mut words: HashSet<&str> = HashSet::new();
    for name in found.iter().filter(|one| one.entity == Entity::Name) {
        let several = name.end - name.first > 1;
        let named = tokens.iter().zip(page.tokens()).take(name.end).skip(name.first);
        for (token, prepared) in named {
            let written = matches!(token.look, Look::Capital | Look::Mixed | Look::Upper);
            let long = token.text.chars().count() >= if several { 3 } else { 4 };
            let common = COMMON.contains(&prepared.lower.as_str()) || prepared.is_small_elsewhere();
            if written && long && !common && words.len() < MOST {
                words.insert(token.text);
            }
        }
    }
    if words.is_empty() {
        return;
    }
    let mut taken = vec![false; tokens.len()];
    for one in found.iter().filter(|one| matches!(one.entity, Entity::Name | Entity::Organization)) {
        taken.iter_mut().take(one.end).skip(one.first).for_each(|taken| *taken = true);
    }
    let mut more: Vec<Found> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let free = taken.get(index) == Some(&false);
        if !(free && words.contains(token.text)) {
            continue;
        }
        match more.last_mut().filter(|last| last.end == index) {
            Some(last) => last.end = index + 1,
            None => more.push(Found {
                first: index,
                end: index + 1,
                entity: Entity::Name,
                reason: "name found elsewhere in the text",
            }),
        }
    }
    let over = |one: &Found| {
        more.get(more.partition_point(|name| name.end <= one.first)).is_some_and(|name| name.first < one.end)
    };
    found.retain(|one| one.entity == Entity::Name || !over(one));
    found.extend(more);
}
