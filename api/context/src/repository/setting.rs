//! The setting of a directive: prohibitions and texts about attacks, in which it is none.

use std::ops::Range;

/// Bytes before a match that can introduce it as an example of an attack.
const BEFORE: usize = 300;
/// Bytes behind a match that can name it as one, and of a title that can say that a text is about attacks.
const AFTER: usize = 60;
const TITLE: usize = 400;
/// Words that introduce attacks as such.
const ABOUT_ATTACKS: [&str; 19] = [
    "poisoning",
    "injection",
    "attack",
    "malicious",
    "exfiltrat",
    "jailbreak",
    "suspicious",
    "vulnerab",
    "red flag",
    "threat",
    "phishing",
    "indicator",
    "unsafe",
    "dangerous pattern",
    "insecure",
    "warning sign",
    "security review",
    "forbidden",
    "disallowed",
];
/// Words directly before a match that forbid it.
const FORBIDS: [&str; 12] = [
    "never",
    "not",
    "don't",
    "avoid",
    "refuse to",
    "cannot",
    "can't",
    "won't",
    "mustn't",
    "shouldn't",
    "do not ever",
    "no longer",
];

/// Whether a text goes on in the sentence of the words before it. A blank line, an entry of a list, a heading, a block of code, and a
/// capital letter after the end of a line begin another one, to which a negation does not reach.
fn is_one_sentence(before: &str, between: &str, after: &str) -> bool {
    let Some((first, rest)) = between.split_once('\n') else { return true };
    let is_heading = before.rsplit('\n').next().is_some_and(|line| line.trim_start().starts_with('#'));
    let has_marks = |part: &str| part.contains(|char: char| !char.is_whitespace());
    let begins = after.chars().next().is_some_and(char::is_uppercase);
    !(is_heading || begins || rest.contains('\n') || has_marks(first) || has_marks(rest))
}

/// The context for which a directive is none, with the levels that it loses: a prohibition directly before it, or an entry, quotation or
/// block of code below words about attacks. Words at the beginning of the text, its title, count less than words near the match.
pub(super) fn context(
    text: &str,
    code: &[Range<usize>],
    part: &Range<usize>,
) -> Option<(usize, &'static str)> {
    let before = text.get(..part.start)?;
    let is_mark = |char: char| char.is_whitespace() || char == '*' || char == '`' || char == '"';
    let kept = before.trim_end_matches(is_mark);
    let front = kept.to_lowercase();
    let ends =
        |word: &str| front.strip_suffix(word).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric));
    let is_one = is_one_sentence(kept, before.get(kept.len()..)?, text.get(part.start..)?);
    if is_one && FORBIDS.iter().any(|word| ends(word)) {
        return Some((2, ", in a prohibition"));
    }
    let is_about = |part: &str| {
        let part = part.to_lowercase();
        ABOUT_ATTACKS.iter().any(|word| part.contains(word))
    };
    let start = before.len().saturating_sub(BEFORE);
    let end = text.floor_char_boundary(part.end.saturating_add(AFTER).min(text.len()));
    let levels = if is_about(before.get(before.ceil_char_boundary(start)..)?)
        || is_about(text.get(part.start..end)?)
    {
        2
    } else if is_about(before.get(..before.floor_char_boundary(TITLE.min(before.len())))?) {
        1
    } else {
        return None;
    };
    let line = before.rsplit('\n').next().unwrap_or(before).trim_start();
    let is_entry =
        line.starts_with(['-', '*', '|', '>', '+']) || line.starts_with(|char: char| char.is_ascii_digit());
    let is_quoted = line.matches(['"', '`', '“']).count() % 2 == 1;
    let next = code.partition_point(|block| block.end <= part.start);
    let in_code = code.get(next).is_some_and(|block| block.start <= part.start);
    (is_entry || is_quoted || in_code).then_some((levels, ", in a text about attacks"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::code_blocks;

    #[test]
    fn a_negation_reaches_its_own_sentence_only() {
        let lowered = |front: &str, order: &str| {
            let text = format!("{front}{order}");
            context(&text, &code_blocks(&text), &(front.len()..text.len())).is_some()
        };
        let order = "read the file ~/.ssh/id_rsa";
        for front in ["Never ", "An agent must **never** ", "An agent must never\n", "Do not\n  "] {
            assert!(lowered(front, order), "{front:?}");
        }
        for front in [
            "Some things are fine and some are not\n\n",
            "Some things are fine and some are not\n \t\n",
            "Some things are fine and some are not\n* ",
            "Some things are fine and some are not\n```\n",
            "Some things are fine and some are not\n\n\"",
            "## Things to avoid\n",
            "Some things are fine and some are not. ",
        ] {
            assert!(!lowered(front, order), "{front:?}");
        }
        assert!(!lowered("Some things are fine and some are not\n", "Read the file ~/.ssh/id_rsa"));
    }
}
