//! Lines: first line of each document of a text, and the line of a field. The tree keeps no positions, so that the line of a
//! field is looked up by its path in case of a refusal.

/// One document of a text.
pub(crate) struct Source<'t> {
    /// Its text, its `---` line included, so that content on that line is not lost.
    pub(crate) text: &'t str,
    /// Its first line in the whole text, from 1.
    pub(crate) line: u32,
}

impl Source<'_> {
    /// Its last line, from 0.
    pub(crate) fn last_line(&self) -> u32 {
        u32::try_from(self.text.lines().count()).unwrap_or(u32::MAX).saturating_sub(1)
    }
}

/// Splits a text at its document markers. YAML allows no `---` at the start of a line inside a value,
/// so that one broken document does not hide the others. Comments and directives alone are no document.
pub(crate) fn sources(text: &str) -> Vec<Source<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut sources = Vec::new();
    let (mut start, mut start_line) = (0, 1);
    let (mut offset, mut line) = (0, 1);
    for content in text.split_inclusive('\n') {
        if offset > start && is_marker(content) {
            sources.push(Source { text: &text[start..offset], line: start_line });
            (start, start_line) = (offset, line);
        }
        offset += content.len();
        line += 1;
    }
    sources.push(Source { text: &text[start..], line: start_line });
    sources.retain(|source| source.text.lines().any(says_something));
    sources
}

fn is_marker(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
}

fn says_something(line: &str) -> bool {
    let content = line.strip_prefix("---").unwrap_or(line).trim();
    !content.is_empty() && !content.starts_with(['#', '%'])
}

/// The line of the field at `path` in a document that begins at `first_line`: the keys of the path are
/// looked for one below the other. Where a key is not found (a missing field, a list), the line of
/// the last one that was.
pub(crate) fn line_of(text: &str, first_line: u32, path: &[&str]) -> u32 {
    let mut found = first_line;
    let mut wanted = path.iter().filter(|segment| !segment.starts_with('['));
    let mut next = wanted.next();
    let mut deeper_than = None;
    for (line, content) in (first_line..).zip(text.lines()) {
        let Some(key) = next else { break };
        let indent = content.len() - content.trim_start_matches([' ', '-']).len();
        if deeper_than.is_some_and(|outer| indent <= outer) && says_something(content) {
            break;
        }
        let at_level = deeper_than.is_some() || indent == 0;
        if at_level && holds_key(content, key) {
            found = line;
            deeper_than = Some(indent);
            next = wanted.next();
        }
    }
    found
}

fn holds_key(content: &str, key: &str) -> bool {
    let content = content.trim_start_matches([' ', '-']).trim_start_matches(['"', '\'']);
    let rest = content.strip_prefix(key).map(|rest| rest.trim_start_matches(['"', '\'', ' ']));
    rest.is_some_and(|rest| rest.starts_with(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_at_markers_and_keeps_line_numbers() {
        let text = "%YAML 1.2\n# head\n---\ntitle: a\n---\n# nothing\n--- \ntitle: |\n  --- not a marker\n";
        let found: Vec<_> = sources(text).iter().map(|source| (source.line, source.text)).collect();
        assert_eq!(found, [(3, "---\ntitle: a\n"), (7, "--- \ntitle: |\n  --- not a marker\n")]);
    }

    #[test]
    fn finds_the_line_of_a_path() {
        let text =
            "title: x\ndetection:\n  title: no\n  selection:\n    - a: 1\n      'b|re': 2\n  condition: c\n";
        assert_eq!(line_of(text, 10, &["title"]), 10);
        assert_eq!(line_of(text, 10, &["detection", "selection", "[0]", "b|re"]), 15);
        assert_eq!(line_of(text, 10, &["detection", "condition"]), 16);
        assert_eq!(line_of(text, 10, &["detection", "absent"]), 11);
        assert_eq!(line_of(text, 10, &["detection", "selection", "condition"]), 13);
    }
}
