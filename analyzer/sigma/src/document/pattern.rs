//! Text values with wildcards: `*` stands for any run of characters, newlines included, `?` for
//! exactly one, a backslash takes their meaning away.

/// A text value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// Its parts in order; no two literals and no two runs follow each other.
    pub parts: Vec<Part>,
}

/// A part of a text value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// These characters.
    Literal(String),
    /// Exactly one character.
    One,
    /// Any run of characters, also an empty one.
    Run,
}

impl Pattern {
    /// Reads a value as rules write it. Before a wildcard every two backslashes are one and a single
    /// one left takes the wildcard's meaning away; elsewhere one or two are one, three or four two.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut pattern = Self::default();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let backslashes = rest.len() - rest.trim_start_matches('\\').len();
            if backslashes == 0 {
                pattern.push_character(first, true);
                rest = &rest[first.len_utf8()..];
                continue;
            }
            rest = &rest[backslashes..];
            let Some(wildcard) = rest.chars().next().filter(|next| matches!(next, '*' | '?')) else {
                (0..backslashes.div_ceil(2)).for_each(|_| pattern.push_character('\\', false));
                continue;
            };
            (0..backslashes / 2).for_each(|_| pattern.push_character('\\', false));
            pattern.push_character(wildcard, backslashes.is_multiple_of(2));
            rest = &rest[1..];
        }
        pattern
    }

    /// These characters and nothing else: no wildcards, no escapes.
    #[must_use]
    pub fn literal(text: &str) -> Self {
        Self { parts: vec![Part::Literal(text.to_owned())] }
    }

    /// The same pattern, with anything before it.
    #[must_use]
    pub fn after_anything(mut self) -> Self {
        if self.parts.first() != Some(&Part::Run) {
            self.parts.insert(0, Part::Run);
        }
        self
    }

    /// The same pattern, with anything after it.
    #[must_use]
    pub fn before_anything(mut self) -> Self {
        if self.parts.last() != Some(&Part::Run) {
            self.parts.push(Part::Run);
        }
        self
    }

    fn push_character(&mut self, character: char, wildcards: bool) {
        match (character, self.parts.last_mut()) {
            ('*', Some(Part::Run)) if wildcards => {}
            ('*', _) if wildcards => self.parts.push(Part::Run),
            ('?', _) if wildcards => self.parts.push(Part::One),
            (_, Some(Part::Literal(text))) => text.push(character),
            _ => self.parts.push(Part::Literal(character.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        let part = |part: &Part| match part {
            Part::Literal(text) => text.clone(),
            Part::One => "<one>".to_owned(),
            Part::Run => "<run>".to_owned(),
        };
        Pattern::parse(text).parts.iter().map(part).collect()
    }

    #[test]
    fn backslashes_and_wildcards() {
        let table = [
            (r"", ""),
            (r"a*b?c", "a<run>b<one>c"),
            (r"a**b", "a<run>b"),
            (r"\*", "*"),
            (r"\?", "?"),
            (r"\\*", r"\<run>"),
            (r"\\?", r"\<one>"),
            (r"\\\*", r"\*"),
            (r"\\\\*", r"\\<run>"),
            (r"C:\a", r"C:\a"),
            (r"C:\\a", r"C:\a"),
            (r"C:\\\a", r"C:\\a"),
            (r"C:\\\\a", r"C:\\a"),
            (r"a\", r"a\"),
            (r"\\server\*", r"\server*"),
        ];
        for (text, expected) in table {
            assert_eq!(show(text), expected, "{text}");
        }
    }
}
