//! Texts and pages of which a mail program shows one, and the words that they share. A text for programs that differs from the page for
//! readers is a way to hide instructions.

use std::collections::HashSet;

use mail_parser::{Message, MimeHeaders, PartType};

use super::{Alternatives, Body, Part};
use crate::document::{Run, TextKind};

/// Letters of a word at least. Shorter ones are in every text.
const LEAST_LETTERS: usize = 4;

/// Pairs of a text and a page in the same set of alternatives.
pub(super) fn pairs(message: &Message<'_>, parts: &[Part]) -> Vec<Alternatives> {
    let mut found = Vec::new();
    for part in &message.parts {
        let PartType::Multipart(children) = &part.body else { continue };
        if !part.is_content_type("multipart", "alternative") {
            continue;
        }
        let below = below(message, children);
        let of = |is_page: bool| {
            parts.iter().find(|part| {
                below.contains(&part.number)
                    && !part.is_attached
                    && matches!(part.body, Body::Html(_)) == is_page
            })
        };
        if let (Some(text), Some(page)) = (of(false), of(true)) {
            let (one, other) = (words(text, false), words(page, false));
            found.push(Alternatives {
                text: text.number,
                page: page.number,
                text_in_page: share(&one, &words(page, true)),
                page_in_text: share(&other, &one),
            });
        }
    }
    found
}

/// Numbers of the parts within a set, at any depth. A part has one parent, so each is visited once.
fn below(message: &Message<'_>, children: &[u32]) -> HashSet<u32> {
    let mut found = HashSet::new();
    let mut waiting: Vec<u32> = children.to_vec();
    while let Some(number) = waiting.pop() {
        if !found.insert(number) {
            continue;
        }
        if let Some(PartType::Multipart(inner)) = message.parts.get(number as usize).map(|part| &part.body) {
            waiting.extend(inner);
        }
    }
    found
}

/// Words of a part in lower case: visible ones, and for a comparison with a text the descriptions of images and targets of links too.
fn words(part: &Part, with_descriptions: bool) -> HashSet<String> {
    let mut words = HashSet::new();
    let mut add = |text: &str| {
        let letters = text.split(|sign: char| !sign.is_alphanumeric());
        words.extend(letters.filter(|word| word.chars().count() >= LEAST_LETTERS).map(str::to_lowercase));
    };
    let is_read = |run: &Run| run.is_visible() || (with_descriptions && run.kind == TextKind::Alternative);
    part.body.document().runs().filter(|(_, run)| is_read(run)).for_each(|(_, run)| add(&run.text));
    if let (Body::Html(page), true) = (&part.body, with_descriptions) {
        page.links.iter().for_each(|link| add(&link.href));
    }
    words
}

fn share(words: &HashSet<String>, of: &HashSet<String>) -> u8 {
    if words.is_empty() {
        return 100;
    }
    let shared = words.iter().filter(|word| of.contains(*word)).count();
    u8::try_from(shared * 100 / words.len()).unwrap_or(100)
}
