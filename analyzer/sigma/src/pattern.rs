//! Text values with wildcards: `*` stands for any run of characters, newlines included, `?` for exactly one, a backslash
//! escapes them. The effect of modifiers on a pattern is in `compile`, matching in `matcher`.

/// A text value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// Its parts in order; no two literals and no two runs follow each other.
    pub(crate) parts: Vec<Part>,
}

/// A part of a text value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// These characters.
    Literal(String),
    /// Exactly one character.
    One,
    /// Any run of characters, also an empty one.
    Run,
    /// One of [`DASHES`].
    Dash,
}

/// Characters that Windows programs accept as the dash before an option: hyphen, slash, en dash, em dash and horizontal bar.
pub(crate) const DASHES: [char; 5] = ['-', '/', '\u{2013}', '\u{2014}', '\u{2015}'];

/// A text value with placeholders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Template {
    /// The names of the placeholders, each with the pattern before it.
    pub(crate) placeholders: Vec<(Pattern, String)>,
    /// The pattern after the last of them.
    pub(crate) rest: Pattern,
}

impl Template {
    /// Reads a value in which `%name%` is a placeholder and `\%` a percent sign.
    pub(crate) fn parse(text: &str) -> Self {
        read(text, true)
    }
}

impl Pattern {
    /// Reads a value as rules write it. Before a wildcard every two backslashes are one and a single
    /// one left takes the wildcard's meaning away; elsewhere one or two are one, three or four two.
    pub(crate) fn parse(text: &str) -> Self {
        read(text, false).rest
    }

    /// These characters and nothing else: no wildcards, no escapes.
    pub(crate) fn literal(text: &str) -> Self {
        let mut pattern = Self::default();
        pattern.push_literal(text);
        pattern
    }

    /// The same pattern, with anything before it.
    pub(crate) fn after_anything(mut self) -> Self {
        if self.parts.first() != Some(&Part::Run) {
            self.parts.insert(0, Part::Run);
        }
        self
    }

    /// The same pattern, with anything after it.
    pub(crate) fn before_anything(mut self) -> Self {
        self.push(Part::Run);
        self
    }

    /// Adds a part at the end, joined with the last where both are literals or runs.
    pub(crate) fn push(&mut self, part: Part) {
        match (&part, self.parts.last()) {
            (Part::Literal(text), _) => self.push_literal(text),
            (Part::Run, Some(Part::Run)) => {}
            _ => self.parts.push(part),
        }
    }

    fn push_literal(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Literal(last)) => last.push_str(text),
            _ if text.is_empty() => {}
            _ => self.parts.push(Part::Literal(text.to_owned())),
        }
    }

    /// Adds the parts of another pattern at the end.
    pub(crate) fn append(&mut self, other: &Self) {
        other.parts.iter().cloned().for_each(|part| self.push(part));
    }
}

fn read(text: &str, placeholders: bool) -> Template {
    let mut template = Template::default();
    let mut rest = text;
    while !rest.is_empty() {
        let backslashes = rest.len() - rest.trim_start_matches('\\').len();
        rest = &rest[backslashes..];
        let next = rest.chars().next();
        let special = next.filter(|next| matches!(next, '*' | '?') || placeholders && *next == '%');
        let kept = if special.is_some() { backslashes / 2 } else { backslashes.div_ceil(2) };
        (0..kept).for_each(|_| template.rest.push_literal("\\"));
        let has_meaning = backslashes.is_multiple_of(2);
        let length = next.map_or(0, char::len_utf8);
        match (special, placeholder(rest)) {
            (Some('%'), Some(name)) if has_meaning => {
                let before = std::mem::take(&mut template.rest);
                template.placeholders.push((before, name.to_owned()));
                rest = &rest[name.len() + 2..];
                continue;
            }
            (Some('*'), _) if has_meaning => template.rest.push(Part::Run),
            (Some('?'), _) if has_meaning => template.rest.push(Part::One),
            _ => template.rest.push_literal(&rest[..length]),
        }
        rest = &rest[length..];
    }
    template
}

/// The name of the placeholder a text begins with.
fn placeholder(text: &str) -> Option<&str> {
    let (name, _) = text.strip_prefix('%')?.split_once('%')?;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(pattern: &Pattern) -> String {
        let part = |part: &Part| match part {
            Part::Literal(text) => text.clone(),
            Part::One => "<one>".to_owned(),
            Part::Run => "<run>".to_owned(),
            Part::Dash => "<dash>".to_owned(),
        };
        pattern.parts.iter().map(part).collect()
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
            ("%a%", "%a%"),
        ];
        for (text, expected) in table {
            assert_eq!(show(&Pattern::parse(text)), expected, "{text}");
        }
    }

    #[test]
    fn placeholders() {
        let table = [
            ("%a%", "<a>"),
            ("x%DC-1.b_c%*", "x<DC-1.b_c><run>"),
            (r"\%a%", "%a%"),
            (r"\\%a%", r"\<a>"),
            ("100%", "100%"),
            ("%%", "%%"),
            ("%a b%c%", "%a b<c>"),
            ("%é%", "<é>"),
        ];
        for (text, expected) in table {
            let template = Template::parse(text);
            let named =
                template.placeholders.iter().map(|(before, name)| format!("{}<{name}>", show(before)));
            assert_eq!(named.collect::<String>() + &show(&template.rest), expected, "{text}");
        }
    }
}
