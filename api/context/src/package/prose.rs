//! Texts within files of a package: comments and docstrings of code, and parts of Markdown that a reader does not see.
//!
//! Comments are recognised by their marks without regard to strings: more text is read than a compiler would take for comments, never
//! less, so that no quotation mark conceals a comment. Linear in the length.

use std::collections::BTreeSet;

use crate::artifact::ThreatType;
use crate::text::Passage;

/// Characters of a comment from which on it can be a sentence.
const SHORTEST: usize = 12;

/// Marks of comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marks {
    /// `//` and `/*`.
    Slashes,
    /// `#`, and strings between three quotation marks.
    Hash,
}

/// Comments of a package, each once: many files begin with the same licence.
#[derive(Default)]
pub(super) struct Comments(BTreeSet<String>);

impl Comments {
    /// Comments of a file of code that stand in no earlier one, a line for each of theirs.
    pub(super) fn of(&mut self, path: &str, text: &str) -> String {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        let marks = match extension {
            "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" | "go" => Marks::Slashes,
            _ => Marks::Hash,
        };
        let mut found = String::new();
        for part in parts(text, marks) {
            let part = part.trim_matches(|char: char| char.is_whitespace() || "/*#\"'!@".contains(char));
            if part.len() < SHORTEST || !self.0.insert(part.to_owned()) {
                continue;
            }
            for line in part.lines() {
                let line = line.trim().trim_start_matches(['*', '#', '/', '@']).trim();
                // A map of sources is data, and has the text of other files.
                if !line.starts_with("sourceMappingURL=") {
                    found.push_str(line);
                    found.push('\n');
                }
            }
            found.push('\n');
        }
        found
    }
}

/// The comments of a text; consecutive lines of comments are one.
fn parts(text: &str, marks: Marks) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let (mut open, mut was_line): (Option<&str>, bool) = (None, false);
    for line in text.lines() {
        let mut rest = line;
        let mut is_line = false;
        loop {
            if let Some(end) = open {
                let at = rest.find(end);
                let inside = at.map_or(rest, |at| rest.get(..at).unwrap_or_default());
                push(&mut parts, inside, true);
                let Some(at) = at else { break };
                (open, rest) = (None, rest.get(at + end.len()..).unwrap_or_default());
                continue;
            }
            let Some((at, mark)) = first(rest, marks) else { break };
            let behind = rest.get(at + mark.len()..).unwrap_or_default();
            match mark {
                "//" | "#" => {
                    push(&mut parts, behind, was_line);
                    is_line = true;
                    break;
                }
                _ => {
                    parts.push(String::new());
                    open = Some(if mark == "/*" { "*/" } else { mark });
                    rest = behind;
                }
            }
        }
        was_line = is_line;
    }
    parts
}

/// Adds a line to the last comment or to a new one.
fn push(parts: &mut Vec<String>, line: &str, joins: bool) {
    match parts.last_mut().filter(|_| joins) {
        Some(last) => {
            last.push_str(line);
            last.push('\n');
        }
        None => parts.push(format!("{line}\n")),
    }
}

/// The first mark of a line. `://` is a part of a URL, unless it ends there or contains words: then it may be a label before a comment.
fn first(line: &str, marks: Marks) -> Option<(usize, &'static str)> {
    let bytes = line.as_bytes();
    let candidates: &[&'static str] = match marks {
        Marks::Slashes => &["//", "/*"],
        Marks::Hash => &["\"\"\"", "'''", "#"],
    };
    (0..bytes.len()).find_map(|at| {
        let rest = bytes.get(at..)?;
        let mark = candidates.iter().find(|mark| rest.starts_with(mark.as_bytes()))?;
        let is_url =
            *mark == "//" && at > 0 && bytes.get(at - 1) == Some(&b':') && is_quoted(line.get(at + 2..)?);
        (!is_url).then_some((at, *mark))
    })
}

/// Whether the text behind `://` ends like a URL in code: at a quotation mark or bracket, before any space.
fn is_quoted(rest: &str) -> bool {
    let end = rest.find(|char: char| char.is_whitespace() || "'\"`<>)]}\\".contains(char));
    end.and_then(|end| rest.get(end..)?.chars().next()).is_some_and(|char| !char.is_whitespace())
}

/// Texts of the comments of HTML in Markdown, which its readers do not see, a paragraph for each; marks of tools that are repeated
/// once.
pub(super) fn hidden(text: &str) -> String {
    let (mut found, mut known) = (String::new(), BTreeSet::new());
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let end_of_line =
        |from: usize| part(from, text.len()).find('\n').map_or(text.len(), |length| from + length);
    let mut fence: Option<&str> = None;
    let (mut at, mut end, mut is_new) = (0, end_of_line(0), true);
    while at < text.len() {
        if is_new {
            fence = after_line(fence, part(at, end));
            is_new = false;
        }
        let Some(mark) = part(at, end).find("<!--").map(|length| at + length).filter(|_| fence.is_none())
        else {
            (at, is_new) = (end + 1, true);
            end = end_of_line(at);
            continue;
        };
        // In code within a line the mark is visible text; the code ends in its line.
        let is_code = part(at, mark).matches('`').count() % 2 == 1;
        if let Some(length) = is_code.then(|| part(mark, end).find('`')).flatten() {
            at = mark + length + 1;
            continue;
        }
        let behind = part(mark + "<!--".len(), text.len());
        let (comment, _) = behind.split_once("-->").unwrap_or((behind, ""));
        if known.insert(comment.trim()) {
            found.push_str(comment.trim());
            found.push_str("\n\n");
        }
        at = mark + "<!--".len() + comment.len() + "-->".len();
        if at > end {
            end = end_of_line(at);
        }
    }
    found
}

/// The marks of the block of code that is open behind a line. A block ends with at least as many of the same marks, and nothing behind
/// them.
fn after_line<'t>(open: Option<&'t str>, line: &'t str) -> Option<&'t str> {
    let Some(marks) = fence_of(line) else { return open };
    match open {
        Some(open) if marks.starts_with(open) && line.trim() == marks => None,
        Some(open) => Some(open),
        None => Some(marks),
    }
}

/// The marks that begin or end a block of code in a line: three or more behind at most three spaces.
fn fence_of(line: &str) -> Option<&str> {
    let start = line.trim_start_matches(' ');
    let mark = start.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = start.chars().take_while(|other| *other == mark).count();
    let (marks, behind) = start.split_at_checked(length)?;
    let is_block = length >= 3 && line.len() - start.len() <= 3 && !behind.contains('`');
    is_block.then_some(marks)
}

/// Whether a file is a document by its name.
pub(super) fn is_document(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    name.starts_with("readme")
        || [".md", ".rst", ".mdx", ".markdown", ".adoc"].iter().any(|end| name.ends_with(end))
}

/// A document, and the comments in it, which are judged by themselves: what is around them is visible.
pub(super) fn document(path: &str, text: &str) -> Vec<Passage> {
    let of = |name: String, text: &str| Passage {
        is_aside: true,
        threat: Some(ThreatType::DocInjection),
        ..Passage::visible(name, text)
    };
    let comments = hidden(text);
    let hidden = Passage {
        hidden: std::iter::once(0..comments.len()).collect(),
        ..of(format!("the hidden comments of {path}"), &comments)
    };
    vec![of(path.to_owned(), text), hidden]
}

/// The comments and docstrings of a file of code, or the text of the metadata of a distribution.
pub(super) fn commented(path: &str, text: &str, comments: &mut Comments) -> Vec<Passage> {
    let name = path.rsplit('/').next().unwrap_or(path);
    if name == "package.json" || name.ends_with(".toml") || name.ends_with(".cfg") {
        return Vec::new();
    }
    // Descriptions of distributions are texts, not code.
    if matches!(name, "PKG-INFO" | "METADATA") {
        return document(path, text);
    }
    let is_stub = [".pyi", ".d.ts", ".d.mts", ".d.cts"].iter().any(|end| name.ends_with(end));
    let threat = if is_stub { ThreatType::TypeStubInjection } else { ThreatType::DocInjection };
    let said = comments.of(path, text);
    let name = format!("the comments of {path}");
    vec![Passage { is_aside: true, threat: Some(threat), ..Passage::visible(name, said) }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, text: &str) -> String {
        Comments::default().of(path, text)
    }

    #[test]
    fn comments_and_docstrings_are_read_and_quotation_marks_conceal_none() {
        let code = "const a = 'https://example.org/path';\nlet b = \"/*\"; // the first comment here\n/* a second\n * comment of two lines */ code();\n";
        let found = of("a.js", code);
        assert!(
            found.contains("the first comment here") && found.contains("comment of two lines"),
            "{found}"
        );
        assert!(!found.contains("example.org"), "{found}");
        let label = "run:// Read the notes of the maintainer first.\nhttps: // and then the rest of them\n";
        assert!(of("a.js", label).contains("notes of the maintainer"));
        let code = "x = \"'\" # an apostrophe conceals nothing\ndef f():\n    \"\"\"Docstring of\n    two lines.\"\"\"\n    return 1\n";
        let found = of("a.py", code);
        assert!(
            found.contains("an apostrophe conceals nothing") && found.contains("Docstring of\ntwo lines."),
            "{found}"
        );
        assert!(!found.contains("return 1"), "{found}");
    }

    #[test]
    fn a_comment_that_stands_in_several_files_is_read_once() {
        let mut comments = Comments::default();
        let licence = "// Licensed under the terms of the licence.\n// All rights are reserved.\ncode()\n";
        assert!(comments.of("a.js", licence).contains("reserved"));
        assert_eq!(comments.of("b.js", licence), "");
        let mapped = "// The end of the file.\n//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozfQ==\n";
        assert_eq!(comments.of("c.js", mapped), "The end of the file.\n\n");
    }

    #[test]
    fn comments_of_html_in_markdown_are_hidden() {
        let text = "# Title\n<!-- one -->\ntext <!-- unfinished";
        assert_eq!(hidden(text), "one\n\nunfinished\n\n");
        assert_eq!(hidden("# Title\n"), "");
    }

    #[test]
    fn marks_of_comments_in_code_of_markdown_are_visible() {
        assert_eq!(hidden("- Escape `<!--` and `<script>` in output\n- more\n"), "");
        assert_eq!(hidden("```html\n<!-- a comment -->\n```\n"), "");
        assert_eq!(hidden("`<!--` then <!-- one --> and\n```js\nx\n```\n<!-- two -->"), "one\n\ntwo\n\n");
        assert_eq!(hidden("```\n~~~\n```\n<!-- outside -->"), "outside\n\n");
        assert_eq!(hidden("a lone ` and <!-- no code -->"), "no code\n\n");
        // Linear in the length of a line.
        assert_eq!(hidden(&"`<!-- ` ".repeat(100_000)), "");
        assert_eq!(hidden(&"<!---->".repeat(100_000)), "\n\n");
        assert_eq!(hidden("<!-- skip -->\nA\n<!-- skip -->"), "skip\n\n");
        assert_eq!(hidden("```x``` is code\n<!-- three"), "three\n\n");
    }
}
