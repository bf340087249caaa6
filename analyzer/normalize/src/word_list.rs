//! Lists of words, written as one text each and split when the code is compiled.

/// The words of a text, of which there are `N`.
pub(crate) const fn words<const N: usize>(text: &'static str) -> [&'static str; N] {
    texts(&grouped(&[((), text)], ()))
}

/// The words alone of a list of words with meanings.
pub(crate) const fn texts<T: Copy, const N: usize>(words: &[(&'static str, T); N]) -> [&'static str; N] {
    let (mut found, mut at) = ([""; N], 0);
    while at < N {
        found[at] = words[at].0;
        at += 1;
    }
    found
}

/// The words of several texts, of which there are `N`, each with its text's meaning.
pub(crate) const fn grouped<T: Copy, const N: usize>(
    groups: &[(T, &'static str)],
    none: T,
) -> [(&'static str, T); N] {
    let (mut found, mut at, mut group) = ([("", none); N], 0, 0);
    while group < groups.len() {
        let (meaning, mut rest) = groups[group];
        while let Some((word, behind)) = first(rest) {
            assert!(at < N, "more words than were counted");
            found[at] = (word, meaning);
            (rest, at) = (behind, at + 1);
        }
        group += 1;
    }
    assert!(at == N, "fewer words than were counted");
    found
}

/// The number of words in several texts.
pub(crate) const fn count<T: Copy>(groups: &[(T, &'static str)]) -> usize {
    let (mut count, mut group) = (0, 0);
    while group < groups.len() {
        let mut rest = groups[group].1;
        while let Some((_, behind)) = first(rest) {
            (rest, count) = (behind, count + 1);
        }
        group += 1;
    }
    count
}

/// The first word of a text, and the text behind it.
const fn first(text: &'static str) -> Option<(&'static str, &'static str)> {
    let text = text.trim_ascii_start();
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() && !bytes[end].is_ascii_whitespace() {
        end += 1;
    }
    if end == 0 { None } else { Some(text.split_at(end)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_between_blanks_and_line_ends() {
        const GROUPS: [(u8, &str); 3] = [(1, "one two\n    three"), (2, ""), (3, " four ")];
        assert_eq!(count(&GROUPS), 4);
        assert_eq!(grouped(&GROUPS, 0), [("one", 1), ("two", 1), ("three", 1), ("four", 3)]);
        assert_eq!(words("a  b"), ["a", "b"]);
    }
}
