//! Literal, case-insensitive search: how texts are folded, where they are kept, and how a searched text is found.

use memchr::memmem::Finder;

/// Stands after each text; folded texts never contain it.
const BETWEEN: char = '\0';

/// Lowercase by Unicode's simple and special mappings, each character for itself: so the fold of a part of a text is a
/// part of the text's fold, which lowercasing whole words (final sigma) would not give.
fn fold(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// The folded texts of a resource in one text.
#[must_use]
pub(crate) fn haystack(texts: &[&str]) -> Box<str> {
    let folded: Vec<String> = texts.iter().map(|text| fold(text).replace(BETWEEN, "\u{fffd}")).collect();
    folded.join("\0").into()
}

/// A searched text.
#[derive(Debug)]
pub struct Needle {
    folded: String,
    finder: Finder<'static>,
}

impl Needle {
    /// A text to search for, in any case. Nothing in it is a wildcard.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let folded = fold(text);
        let finder = Finder::new(folded.as_bytes()).into_owned();
        Self { folded, finder }
    }

    /// Whether a text contains it.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        self.finder.find(fold(text).as_bytes()).is_some()
    }
}

/// The haystacks of a block in one allocation, so that a search reads memory in order.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// Each haystack, followed by [`BETWEEN`].
    all: Vec<u8>,
    /// The end of each haystack in `all`, separator included.
    ends: Vec<u32>,
}

impl Texts {
    fn start(&self, at: usize) -> usize {
        at.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| *end as usize)
    }

    pub(crate) fn insert(&mut self, at: usize, haystack: &str) {
        let start = self.start(at);
        let added = length(haystack.len() + 1);
        let bytes = haystack.bytes().chain([BETWEEN as u8]);
        drop(self.all.splice(start..start, bytes));
        self.ends.insert(at, length(start));
        self.ends.iter_mut().skip(at).for_each(|end| *end += added);
    }

    /// Removes a haystack; its length in bytes.
    pub(crate) fn remove(&mut self, at: usize) -> usize {
        let start = self.start(at);
        let end = self.ends.remove(at) as usize;
        drop(self.all.drain(start..end));
        let removed = end - start;
        self.ends.iter_mut().skip(at).for_each(|end| *end -= length(removed));
        removed - 1
    }

    /// Cuts the haystacks from `at` on off.
    pub(crate) fn split_off(&mut self, at: usize) -> Self {
        let start = self.start(at);
        let all = self.all.split_off(start);
        let mut ends = self.ends.split_off(at);
        ends.iter_mut().for_each(|end| *end -= length(start));
        Self { all, ends }
    }

    /// Which haystacks contain a searched text.
    pub(crate) fn search(&self, needle: &Needle) -> Vec<bool> {
        let mut containing = vec![false; self.ends.len()];
        if needle.folded.contains(BETWEEN) {
            return containing;
        }
        let mut from = 0;
        let mut ends = self.ends.iter().zip(&mut containing);
        while let Some(found) = self.all.get(from..).and_then(|rest| needle.finder.find(rest)) {
            let at = from + found;
            let Some((end, contains)) = ends.find(|(end, _)| **end as usize > at) else { break };
            *contains = true;
            from = *end as usize;
        }
        containing
    }
}

/// A length within a block: a thousand haystacks, none larger than a commit, which is at most a mebibyte.
fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn is_in_haystack(needle: &str, haystack: &str) -> bool {
        let mut texts = Texts::default();
        texts.insert(0, haystack);
        texts.search(&Needle::new(needle)) == [true]
    }

    #[test]
    fn case_does_not_matter_and_nothing_is_a_wildcard() {
        let haystack = haystack(&["100% of_LOGINS failed: ÄÖÜ ΟΔΟΣ", "203.0.113.9"]);
        for found in ["100%", "of_logins", "äöü", "οδοσ", "ΟΔΟΣ", "Σ", "203.0.113"] {
            assert!(is_in_haystack(found, &haystack), "{found}");
        }
        for missing in ["1%f", "o_logins", "10.", "ΟΔΟΣ203", "ΟΔΟΣ\u{0}203"] {
            assert!(!is_in_haystack(missing, &haystack), "{missing}");
        }
    }

    proptest! {
        #[test]
        fn any_part_of_a_field_is_found(before in "\\PC{0,8}", part in "\\PC{1,8}", after in "\\PC{0,8}", other in "\\PC{0,8}") {
            let field = format!("{before}{part}{after}");
            let other_case = part.to_uppercase().to_lowercase();
            let same_fold = fold(&other_case) == fold(&part);
            prop_assert!(is_in_haystack(&part, &haystack(&[&field, &other])));
            prop_assert!(is_in_haystack(&part, &haystack(&[&other, &field])));
            prop_assert!(!same_fold || is_in_haystack(&other_case, &haystack(&[&field, &other])));
        }

        #[test]
        fn a_text_in_neither_field_is_not_found(title in "[a-c]{0,6}", entity in "[a-c]{0,6}", q in "[a-c]{1,4}") {
            let expected = title.contains(&q) || entity.contains(&q);
            prop_assert_eq!(is_in_haystack(&q, &haystack(&[&title, &entity])), expected);
        }

        #[test]
        fn a_block_of_texts_is_searched_as_each_text_alone(
            steps in proptest::collection::vec((0_usize..20, proptest::option::of("[ab]{0,4}")), 0..40),
            split in 0_usize..20,
            q in "[ab]{1,3}",
        ) {
            let mut model: Vec<String> = Vec::new();
            let mut texts = Texts::default();
            for (at, text) in steps {
                match text {
                    Some(text) => {
                        let at = at.min(model.len());
                        texts.insert(at, &text);
                        model.insert(at, text);
                    }
                    None if at < model.len() => prop_assert_eq!(texts.remove(at), model.remove(at).len()),
                    None => {}
                }
            }
            let contains = |texts: &[String]| texts.iter().map(|text| text.contains(&q)).collect::<Vec<_>>();
            let needle = Needle::new(&q);
            prop_assert_eq!(texts.search(&needle), contains(&model));
            let split = split.min(model.len());
            let second = texts.split_off(split);
            prop_assert_eq!(texts.search(&needle), contains(&model[..split]));
            prop_assert_eq!(second.search(&needle), contains(&model[split..]));
        }
    }
}
