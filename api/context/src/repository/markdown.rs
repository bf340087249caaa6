//! Parts of Markdown that a model reads and a person does not see: comments, link definitions used as comments, hidden elements.

use std::ops::Range;

/// Hidden parts that are looked for; a text with more is hidden as a whole.
const MOST_PARTS: usize = 2_000;
/// Bytes of a tag.
const LONGEST_TAG: usize = 2_048;
/// Styles and attributes that hide an element.
const HIDING: [&str; 12] = [
    "display:none",
    "visibility:hidden",
    "opacity:0",
    "font-size:0",
    "font-size:1px",
    "color:white",
    "color:#fff",
    "color:transparent",
    "max-height:0",
    "left:-9",
    "text-indent:-9",
    "width:0",
];

/// Hidden parts of a Markdown text, in bytes, in order. Comments within blocks of code are shown, and therefore not hidden.
pub(super) fn hidden(text: &str) -> Vec<Range<usize>> {
    let blocks = crate::text::code_blocks(text);
    let in_code = |place: usize| {
        let next = blocks.partition_point(|block| block.end <= place);
        blocks.get(next).is_some_and(|block| block.start <= place)
    };
    let mut parts = comments(text);
    parts.extend(definitions(text));
    parts.extend(elements(text));
    parts.retain(|part| !in_code(part.start));
    parts.sort_by_key(|part| (part.start, part.end));
    let mut joined: Vec<Range<usize>> = Vec::new();
    for part in parts {
        match joined.last_mut() {
            Some(last) if part.start <= last.end => last.end = last.end.max(part.end),
            _ => joined.push(part),
        }
    }
    joined
}

fn comments(text: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut from = 0;
    while let Some(start) = text.get(from..).and_then(|rest| rest.find("<!--")).map(|place| place + from) {
        let end =
            text.get(start..).and_then(|rest| rest.find("-->")).map_or(text.len(), |place| start + place + 3);
        parts.push(start..end);
        if parts.len() >= MOST_PARTS {
            parts.push(end..text.len());
            break;
        }
        from = end;
    }
    parts
}

/// `[//]: # (…)` and `[comment]: <> (…)`: definitions of links that nothing refers to.
fn definitions(text: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut place = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start().to_ascii_lowercase();
        let is_comment = ["[//]:", "[comment]:", "[_]:", "[hidden]:", "[note]:", "[#]:"]
            .iter()
            .any(|start| trimmed.starts_with(start));
        if is_comment {
            parts.push(place..place + line.len());
        }
        place += line.len();
    }
    parts
}

/// Elements of HTML whose style or attribute hides them.
fn elements(text: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let lower = text.to_ascii_lowercase();
    for (start, _) in lower.match_indices('<').take(MOST_PARTS * 10) {
        let Some(rest) = lower.get(start + 1..) else { continue };
        let name: String = rest.chars().take_while(char::is_ascii_alphanumeric).take(20).collect();
        let window = rest.get(..rest.floor_char_boundary(LONGEST_TAG)).unwrap_or(rest);
        let Some(end) = window.find('>').filter(|_| !name.is_empty()) else { continue };
        let tag: String = window.get(..end).unwrap_or_default().split_whitespace().collect();
        let is_hidden = HIDING.iter().any(|style| tag.contains(style))
            || window.get(..end).is_some_and(|tag| tag.contains(" hidden"));
        if !is_hidden {
            continue;
        }
        let close = format!("</{name}");
        let content = start + 1 + end + 1;
        let until = lower
            .get(content..)
            .and_then(|rest| rest.find(&close))
            .map_or(text.len(), |place| content + place);
        parts.push(start..until);
        if parts.len() >= MOST_PARTS {
            break;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<&str> {
        hidden(text).into_iter().map(|part| &text[part]).collect()
    }

    #[test]
    fn comments_definitions_and_hidden_elements_are_hidden() {
        let text = "# A\n<!-- one -->\nshown\n[//]: # (two)\n<span style=\"display: none\">three</span> shown <div hidden>four</div>";
        let found = parts(text).join("|");
        for word in ["one", "two", "three", "four"] {
            assert!(found.contains(word), "{found}");
        }
        assert!(!found.contains("shown"), "{found}");
        assert!(parts("```html\n<!-- shown -->\n```\n").is_empty());
        assert!(parts("a < b and <b>bold</b>").is_empty());
        assert_eq!(parts("<!-- open").len(), 1);
    }
}
