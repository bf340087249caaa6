//! Names behind a label, before the words of a speaker, and behind introductions in scripts without blanks.

use super::vocabulary::{LABELS, UNSPACED};
use super::{LONGEST, Lower, Named, is_capital, name_end};
use crate::feature::Page;
use crate::lists::FORENAME;
use crate::token::{Look, Token, is_unspaced};

/// A name behind a label and a colon: `Patient: Anna Berg`.
pub(super) fn labelled(tokens: &[Token<'_>], text: &Lower<'_>, index: usize) -> Option<Named> {
    if text.word(index) != ":" && text.word(index) != "：" {
        return None;
    }
    let quote = usize::from(text.word(index.checked_sub(1)?) == "\"");
    let last = index.checked_sub(1 + quote)?;
    let one = text.word(last).to_owned();
    let two = last.checked_sub(1).map(|before| format!("{} {one}", text.word(before))).unwrap_or_default();
    let unspaced =
        last.checked_sub(1).map(|before| format!("{}{one}", text.word(before))).unwrap_or_default();
    let key = one.replace('_', " ");
    let preceded = last.checked_sub(1).is_none_or(|before| {
        !matches!(tokens.get(before).map(|token| token.look), Some(Look::Lower))
            || LABELS.contains(&two.as_str())
    });
    let named = LABELS.contains(&two.as_str())
        || LABELS.contains(&unspaced.as_str())
        || (LABELS.contains(&key.as_str()) && preceded);
    if !named {
        return None;
    }
    let first = index + 1 + usize::from(text.word(index + 1) == "\"");
    if tokens.get(first).is_some_and(|token| token.text.chars().next().is_some_and(is_unspaced)) {
        let count = tokens
            .iter()
            .skip(first)
            .take(6)
            .take_while(|token| token.text.chars().next().is_some_and(is_unspaced))
            .count();
        return (2..=5).contains(&count).then_some((first, first + count, "label"));
    }
    let end = name_end(tokens, text, first, LONGEST);
    let comma = text.word(end) == ","
        && is_capital(tokens, end + 1)
        && end == first + 1
        && matches!(text.word(end + 2), "" | "\n");
    let end = if comma { end + 2 } else { end };
    let alone = matches!(text.word(end), "" | "\n" | "," | ";" | "|" | "\"" | "(" | "." | "/" | "<");
    (end > first && alone).then_some((first, end, "label"))
}

/// Two or three characters behind an introduction in a script without blanks.
pub(super) fn unspaced(tokens: &[Token<'_>], index: usize) -> Option<Named> {
    let joined = |first: usize, count: usize| -> String {
        tokens.iter().skip(first).take(count).map(|token| token.text).collect()
    };
    if !tokens.get(index)?.text.chars().next().is_some_and(is_unspaced) {
        return None;
    }
    let head = UNSPACED.iter().find(|head| joined(index, head.chars().count()) == **head)?;
    let first = index + head.chars().count();
    let count = tokens
        .iter()
        .skip(first)
        .take(6)
        .take_while(|token| {
            token.text.chars().next().is_some_and(|letter| ('\u{3400}'..='\u{9FFF}').contains(&letter))
        })
        .count();
    let weak = matches!(*head, "我是" | "私は");
    let fits = if weak { (2..=3).contains(&count) } else { count >= 2 };
    let length = count.min(if head.starts_with('私') || head.starts_with("名前") { 4 } else { 3 });
    fits.then_some((first, first + length, "introduction"))
}

/// A forename that begins a line and is followed by a colon and a quotation: the speaker of a dialogue.
pub(super) fn speaking(tokens: &[Token<'_>], page: &Page, colon: usize) -> Option<Named> {
    let first = colon.checked_sub(1)?;
    let begins = first == 0 || tokens.get(first - 1).is_some_and(|token| token.look == Look::Line);
    let forename = page.tokens().get(first).is_some_and(|token| token.lists & FORENAME != 0);
    let signs = tokens.get(colon + 1..)?.iter().take(2);
    let quoted = signs.into_iter().any(|token| matches!(token.text, "\"" | "“" | "«" | "„" | "'" | "‘"));
    (begins && forename && quoted).then_some((first, colon, "speaker"))
}
