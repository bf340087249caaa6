//! Names of things that the text itself describes as things: `Casablanca is a 1942 film`.

use redact::identifiers::Entity;

use crate::feature::Page;
use crate::model::Found;

/// Nouns for works, organizations and places, in lower case. None of them is said of a person.
const THINGS: &[&str] = &[
    "album",
    "band",
    "book",
    "brand",
    "city",
    "comic",
    "company",
    "county",
    "district",
    "film",
    "firm",
    "game",
    "hotel",
    "island",
    "journal",
    "lake",
    "magazine",
    "manufacturer",
    "mountain",
    "movie",
    "municipality",
    "musical",
    "newspaper",
    "novel",
    "opera",
    "play",
    "province",
    "restaurant",
    "river",
    "series",
    "show",
    "sitcom",
    "song",
    "startup",
    "suburb",
    "town",
    "village",
];
/// Words behind the noun with which the description goes on. Another noun makes a person of it: `a film director`.
const BEHIND: &[&str] = &[
    "",
    "\n",
    ".",
    ",",
    ";",
    ":",
    "(",
    "!",
    "about",
    "based",
    "by",
    "directed",
    "for",
    "founded",
    "from",
    "in",
    "near",
    "of",
    "on",
    "published",
    "released",
    "set",
    "starring",
    "that",
    "which",
    "with",
    "written",
];
/// The most words between the article and the noun: `a 2001 American action-comedy film`.
const REACH: usize = 8;

/// Removes names that are described as a thing. A bounded number of words behind each name is looked at.
pub(crate) fn remove(page: &Page, found: &mut Vec<Found>) {
    found.retain(|one| one.entity != Entity::Name || !is_thing(page, one.end));
}

/// Whether `is a …` with a noun for a thing begins at a word.
fn is_thing(page: &Page, first: usize) -> bool {
    let word = |at: usize| page.tokens().get(at).map_or("", |token| token.lower.as_str());
    let described = matches!(word(first), "is" | "was") && matches!(word(first + 1), "a" | "an" | "the");
    if !described {
        return false;
    }
    let noun = (first + 2..first + 2 + REACH).find(|at| THINGS.contains(&word(*at)));
    noun.is_some_and(|noun| BEHIND.contains(&word(noun + 1)))
}
