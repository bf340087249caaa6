//! XML of machines: elements, attributes and text (XML 1.0), as the values that converters to JSON make of
//! them. Documents that declare types, as no events do, are refused, and so nothing is ever expanded.

use std::borrow::Cow;

use sigma::event::Value;

use crate::record::Entries;

/// Elements nested deeper than this make a text no event.
const MAX_DEPTH: u8 = 16;

/// Reads a text that is one element of this name: its attributes with `@` before their names, its text as
/// `#text`, its children by name. An element of text alone is that text. Several `Data` in a row are a list, as is
/// one of them. `None` for any other text.
pub(super) fn element<'t>(text: &'t str, name: &str) -> Option<(Cow<'t, str>, Value<'t>)> {
    let text = text.trim();
    let text = match text.strip_prefix("<?xml ") {
        Some(declaration) => declaration.split_once("?>")?.1.trim_start(),
        None => text,
    };
    let mut reader = Reader { rest: text.strip_prefix('<')?.strip_prefix(name).map(|_| text)? };
    let (found, value) = reader.element(MAX_DEPTH)?;
    (found == name && reader.rest.is_empty()).then_some((Cow::Borrowed(found), value))
}

/// Reads a text that is one element of any name: its attributes and children, by their plain names. `None` for any other
/// text, and for an element that holds a text alone.
pub(super) fn document(text: &str) -> Option<Entries<'_>> {
    let text = text.trim();
    let text = match text.strip_prefix("<?xml ") {
        Some(declaration) => declaration.split_once("?>")?.1.trim_start(),
        None => text,
    };
    if !text.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic) || !text.ends_with('>') {
        return None;
    }
    let mut reader = Reader { rest: text };
    let (name, value) = reader.element(MAX_DEPTH)?;
    // Pages are no records.
    let is_page = name.eq_ignore_ascii_case("html");
    match plain(value) {
        Value::Map(entries) if reader.rest.is_empty() && !is_page => Some(entries),
        _ => None,
    }
}

/// Attributes without the mark before their names.
fn plain(value: Value<'_>) -> Value<'_> {
    fn plain_entry<'t>((name, value): (Cow<'t, str>, Value<'t>)) -> (Cow<'t, str>, Value<'t>) {
        let attribute = name.strip_prefix('@').map(|name| Cow::Owned(name.to_owned()));
        (attribute.unwrap_or(name), plain(value))
    }
    match value {
        Value::Map(entries) => Value::Map(entries.into_iter().map(plain_entry).collect()),
        Value::Array(values) => Value::Array(values.into_iter().map(plain).collect()),
        other => other,
    }
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn passes(&mut self, mark: &str) -> bool {
        let behind = self.rest.strip_prefix(mark);
        self.rest = behind.unwrap_or(self.rest);
        behind.is_some()
    }

    fn name(&mut self) -> Option<&'t str> {
        let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_:.-".contains(byte) || *byte >= 0x80;
        let end = self.rest.bytes().take_while(is_of_name).count();
        let (name, behind) = self.rest.split_at_checked(end)?;
        self.rest = behind;
        (!name.is_empty()).then_some(name)
    }

    /// An element from its bracket on.
    fn element(&mut self, depth: u8) -> Option<(&'t str, Value<'t>)> {
        let depth = depth.checked_sub(1)?;
        if !self.passes("<") {
            return None;
        }
        let name = self.name()?;
        let mut entries = Vec::new();
        if self.attributes(&mut entries)? {
            self.content(name, depth, &mut entries)?;
        }
        Some((name, value(entries)))
    }

    /// Attributes, and whether content follows.
    fn attributes(&mut self, entries: &mut Entries<'t>) -> Option<bool> {
        loop {
            self.rest = self.rest.trim_start();
            if self.passes("/>") {
                return Some(false);
            }
            if self.passes(">") {
                return Some(true);
            }
            let name = self.name()?;
            self.rest = self.rest.trim_start().strip_prefix('=')?.trim_start();
            let quote = self.rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
            let (text, behind) = self.rest.get(1..)?.split_once(quote)?;
            self.rest = behind;
            entries.push((Cow::Owned(format!("@{name}")), Value::String(unescaped(text)?)));
        }
    }

    /// Text and children up to the end of the element, which is passed.
    fn content(&mut self, name: &str, depth: u8, entries: &mut Entries<'t>) -> Option<()> {
        loop {
            let end = memchr::memchr(b'<', self.rest.as_bytes())?;
            let (text, behind) = self.rest.split_at_checked(end)?;
            self.rest = behind;
            if !text.trim().is_empty() {
                entries.push((Cow::Borrowed("#text"), Value::String(unescaped(text)?)));
            }
            if self.passes("</") {
                let is_end = self.name()? == name;
                self.rest = self.rest.trim_start().strip_prefix('>')?;
                return is_end.then_some(());
            }
            let (child, value) = self.element(depth)?;
            add(entries, child, value);
        }
    }
}

fn add<'t>(entries: &mut Entries<'t>, name: &'t str, value: Value<'t>) {
    let is_list = name == "Data";
    match entries.last_mut() {
        Some((last, Value::Array(values))) if is_list && last == name => values.push(value),
        _ if is_list => entries.push((Cow::Borrowed(name), Value::Array(vec![value]))),
        _ => entries.push((Cow::Borrowed(name), value)),
    }
}

/// Value of an element.
fn value(mut entries: Entries<'_>) -> Value<'_> {
    if entries.is_empty() {
        return Value::Null;
    }
    let is_text = entries.len() == 1 && entries.iter().all(|(name, _)| name == "#text");
    match entries.pop() {
        Some((_, text)) if is_text => text,
        last => {
            entries.extend(last);
            Value::Map(entries)
        }
    }
}

/// Text without references (section 4.6 of XML 1.0, and to characters by number).
fn unescaped(text: &str) -> Option<Cow<'_, str>> {
    if memchr::memchr(b'&', text.as_bytes()).is_none() {
        return Some(Cow::Borrowed(text));
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, reference)) = rest.split_once('&') {
        plain.push_str(before);
        let (name, behind) = reference.split_once(';')?;
        plain.push(match name {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            number => {
                let number = number.strip_prefix('#')?;
                let code = match number.strip_prefix('x') {
                    Some(digits) => u32::from_str_radix(digits, 16),
                    None => number.parse(),
                };
                char::from_u32(code.ok()?)?
            }
        });
        rest = behind;
    }
    plain.push_str(rest);
    Some(Cow::Owned(plain))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn map(entries: Vec<(&'static str, Value<'static>)>) -> Value<'static> {
        Value::Map(entries.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }

    fn text(text: &'static str) -> Value<'static> {
        Value::String(text.into())
    }

    #[test]
    fn elements_become_what_converters_make_of_them() {
        let found = element(
            "<?xml version='1.0'?>\n<Event a=\"1 &amp; 2\"><S><Id Q='0'>7</Id><N/></S> <D><Data Name='x'>a&lt;b&#x41;&#66;</Data><Data>c</Data></D></Event>",
            "Event",
        );
        let id = map(vec![("@Q", text("0")), ("#text", text("7"))]);
        let data = Value::Array(vec![map(vec![("@Name", text("x")), ("#text", text("a<bAB"))]), text("c")]);
        let event = map(vec![
            ("@a", text("1 & 2")),
            ("S", map(vec![("Id", id), ("N", Value::Null)])),
            ("D", map(vec![("Data", data)])),
        ]);
        assert_eq!(found, Some(("Event".into(), event)));
    }

    #[test]
    fn anything_else_is_refused() {
        let deep = format!("<Event>{}{}</Event>", "<a>".repeat(10_000), "</a>".repeat(10_000));
        for text in [
            "",
            "<Event>",
            "<Event></Even>",
            "<Event></Event>x",
            "<Event/><Event/>",
            "<Events/>",
            "<Event a=1/>",
            "<Event a='1/>",
            "<Event>&unknown;</Event>",
            "<Event>&#xd800;</Event>",
            "<Event><!-- x --></Event>",
            "<!DOCTYPE Event [<!ENTITY a 'b'>]><Event>&a;</Event>",
            &deep,
        ] {
            assert_eq!(element(text, "Event"), None, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_written_is_read(value in "[ -~é]{1,20}") {
            let escaped = value.replace('&', "&amp;").replace('<', "&lt;").replace('\'', "&apos;");
            let written = format!("<Event a='{escaped}'>x{escaped}</Event>");
            let (_, found) = element(&written, "Event").unwrap();
            let expected = vec![("@a".into(), Value::String(value.clone().into())), ("#text".into(), Value::String(format!("x{value}").into()))];
            prop_assert_eq!(found, Value::Map(expected));
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in "[<>/&;='\"aé ]{0,40}") {
            element(&format!("<Event{text}"), "Event");
            element(&format!("<Event>{text}</Event>"), "Event");
        }
    }
}
