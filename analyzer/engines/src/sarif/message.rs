//! The text of a message (sections 3.11 and 3.12).

use super::document::{Component, Rule};
use super::result::{Message, MessageString};
use crate::text::cut;

/// Most white space at the beginning of a text; a longer one counts as blank.
const MAX_BLANK: usize = 1_000;

/// The text of a message: its own, or the string that it names in the rule or else in the component (section 3.11.7). The
/// formatted text is used where there is no plain one. Of the result, `limit` characters are needed; it may be longer.
pub(super) fn text(
    message: &Message,
    rule: Option<&Rule>,
    component: &Component<'_>,
    limit: usize,
) -> Option<String> {
    let named = || {
        let id = message.id.as_ref()?;
        let of_rule = rule.and_then(|rule| rule.message_strings.0.get(id)).and_then(plain);
        of_rule.or_else(|| component.global_message_strings.0.get(id).and_then(plain))
    };
    let template = filled(&message.text).or_else(named).or_else(|| filled(&message.markdown))?;
    // Thousands of results can refer to one long string. A placeholder may stand for nothing, hence twice the limit.
    let template = cut(template, limit.saturating_mul(2));
    let arguments = &message.arguments.items;
    // Braces are doubled in a string with placeholders. Tools that have no arguments write braces as they are.
    let text = if arguments.is_empty() { template } else { fill(&template, arguments, limit) };
    Some(without_links(&text))
}

/// The plain text, or else the formatted one.
pub(super) fn plain(string: &MessageString) -> Option<&str> {
    filled(&string.text).or_else(|| filled(&string.markdown))
}

/// A text that is more than white space.
fn filled(text: &Option<String>) -> Option<&str> {
    // The bound is for the same reason as that of the template.
    text.as_deref().filter(|text| text.chars().take(MAX_BLANK).any(|letter| !letter.is_whitespace()))
}

/// A template with its placeholders `{0}` replaced by the arguments (section 3.11.5). Stops behind `limit` characters, since a
/// template can repeat a long argument.
fn fill(template: &str, arguments: &[String], limit: usize) -> String {
    let mut filled = String::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        filled.push_str(&rest[..at]);
        // Each character has at most four bytes.
        if filled.len() > limit.saturating_mul(4) {
            return filled;
        }
        let braces = &rest[at..];
        if braces.starts_with("{{") || braces.starts_with("}}") {
            filled.push_str(&braces[..1]);
            rest = &braces[2..];
            continue;
        }
        let named = braces[1..].split_once('}').and_then(|(index, after)| {
            let argument = arguments.get(index.parse::<usize>().ok()?)?;
            Some((argument, after))
        });
        match named {
            Some((argument, after)) if braces.starts_with('{') => {
                filled.push_str(argument);
                rest = after;
            }
            _ => {
                filled.push_str(&braces[..1]);
                rest = &braces[1..];
            }
        }
    }
    filled.push_str(rest);
    filled
}

/// A text in which each link to a location of the result, `[text](1)`, is only its text (section 3.11.6), since the numbers of
/// locations are not kept. Links to addresses stay.
fn without_links(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(end) = rest.find("](") {
        let (before, after) = (&rest[..end], &rest[end + 2..]);
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let start = before.rfind('[').filter(|_| digits > 0 && after[digits..].starts_with(')'));
        match start {
            Some(start) => {
                plain.push_str(&before[..start]);
                plain.push_str(&before[start + 1..]);
                rest = &after[digits + 1..];
            }
            None => {
                plain.push_str(&rest[..end + 2]);
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::{fill, text, without_links};
    use crate::sarif::document::{Component, Rule};
    use crate::sarif::result::Message;

    fn message(json: &str) -> Message {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn placeholders_are_replaced_and_braces_are_halved() {
        let arguments = ["x".to_owned(), "{1}".to_owned()];
        assert_eq!(fill("{{{0}}} {1} {2} {a} } {", &arguments, 100), "{x} {1} {2} {a} } {");
        assert_eq!(fill("{0", &arguments, 100), "{0");
    }

    #[test]
    fn a_repeated_argument_stops_at_the_limit() {
        let long = ["x".repeat(1_000)];
        assert!(fill(&"{0}".repeat(10_000), &long, 100).len() < 2_000);
    }

    #[test]
    fn links_to_locations_become_their_text() {
        assert_eq!(without_links("from a [user value](1), [b](22)."), "from a user value, b.");
        assert_eq!(without_links("see [page](https://a.example/1)"), "see [page](https://a.example/1)");
        assert_eq!(without_links("a](1) [b](1"), "a](1) [b](1");
    }

    #[test]
    fn a_message_is_looked_up_in_the_rule_then_in_the_component() {
        let rule: Rule = serde_json::from_str(
            r#"{"messageStrings": {"one": {"text": "rule {0}"}, "formatted": {"markdown": "*rule*"}}}"#,
        )
        .unwrap();
        let component: Component<'_> = serde_json::from_str(
            r#"{"globalMessageStrings": {"one": {"text": "global"}, "two": {"text": "global {0}"}}}"#,
        )
        .unwrap();
        let text = |json: &str| text(&message(json), Some(&rule), &component, 100);
        assert_eq!(text(r#"{"text": "own", "id": "one"}"#).as_deref(), Some("own"));
        assert_eq!(text(r#"{"id": "one", "arguments": ["a"]}"#).as_deref(), Some("rule a"));
        assert_eq!(text(r#"{"id": "formatted"}"#).as_deref(), Some("*rule*"));
        assert_eq!(text(r#"{"id": "two", "arguments": ["a"]}"#).as_deref(), Some("global a"));
        assert_eq!(text(r#"{"id": "three", "markdown": "**own**"}"#).as_deref(), Some("**own**"));
        assert_eq!(text(r#"{"id": "three"}"#), None);
        assert_eq!(text(r#"{"text": " "}"#), None);
        assert_eq!(text(r#"{"text": "${{ secrets.A }}"}"#).as_deref(), Some("${{ secrets.A }}"));
    }
}
