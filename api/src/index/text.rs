//! Literal, case-insensitive search: how texts are folded, and where a searched text can be found.

use memchr::memmem::Finder;

/// Stands between the fields of a haystack; folded texts never contain it.
const BETWEEN: char = '\0';

/// Lowercase by Unicode's simple and special mappings, each character for itself: so the fold of a part of a text is a
/// part of the text's fold, which lowercasing whole words (final sigma) would not give.
pub(super) fn fold(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// The folded title and entity value in one text.
pub(super) fn haystack(title: &str, entity: &str) -> Box<str> {
    let fields = [title, entity].map(|field| fold(field).replace(BETWEEN, "\u{fffd}"));
    fields.join("\0").into()
}

/// A searched text.
pub(super) struct Needle {
    folded: String,
    finder: Finder<'static>,
}

impl Needle {
    pub(super) fn new(text: &str) -> Self {
        let folded = fold(text);
        let finder = Finder::new(folded.as_bytes()).into_owned();
        Self { folded, finder }
    }

    /// Whether a haystack has it within one of its fields.
    pub(super) fn is_in_haystack(&self, haystack: &str) -> bool {
        !self.folded.contains(BETWEEN) && self.finder.find(haystack.as_bytes()).is_some()
    }

    /// Whether a text as people wrote it has it.
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.finder.find(fold(text).as_bytes()).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn case_does_not_matter_and_nothing_is_a_wildcard() {
        let haystack = haystack("100% of_LOGINS failed: ÄÖÜ ΟΔΟΣ", "203.0.113.9");
        for found in ["100%", "of_logins", "äöü", "οδοσ", "ΟΔΟΣ", "Σ", "203.0.113"] {
            assert!(Needle::new(found).is_in_haystack(&haystack), "{found}");
        }
        for missing in ["1%f", "o_logins", "10.", "ΟΔΟΣ203", "ΟΔΟΣ\u{0}203"] {
            assert!(!Needle::new(missing).is_in_haystack(&haystack), "{missing}");
        }
    }

    proptest! {
        #[test]
        fn any_part_of_a_field_is_found(before in "\\PC{0,8}", part in "\\PC{1,8}", after in "\\PC{0,8}", other in "\\PC{0,8}") {
            let field = format!("{before}{part}{after}");
            let needle = Needle::new(&part.to_uppercase().to_lowercase());
            let same_fold = fold(&part.to_uppercase().to_lowercase()) == fold(&part);
            prop_assert!(Needle::new(&part).is_in_haystack(&haystack(&field, &other)));
            prop_assert!(Needle::new(&part).is_in_haystack(&haystack(&other, &field)));
            prop_assert!(!same_fold || needle.is_in_haystack(&haystack(&field, &other)));
        }

        #[test]
        fn a_text_in_neither_field_is_not_found(title in "[a-c]{0,6}", entity in "[a-c]{0,6}", q in "[a-c]{1,4}") {
            let expected = title.contains(&q) || entity.contains(&q);
            prop_assert_eq!(Needle::new(&q).is_in_haystack(&haystack(&title, &entity)), expected);
        }
    }
}
