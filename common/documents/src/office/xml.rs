//! XML as events with local names. Entities of a document type are not expanded.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event as Token};

use crate::charset;

/// Nesting at most. Documents have less than a hundred levels.
const DEEPEST: usize = 512;

/// An event.
pub(super) enum Event<'e> {
    Open {
        /// Name without prefix.
        name: &'e str,
        attributes: Attributes<'e>,
        /// Bytes before it.
        offset: u32,
    },
    Close(&'e str),
    /// Text and the bytes before it.
    Text(Cow<'e, str>, u32),
}

/// Attributes of an element.
pub(super) struct Attributes<'e>(&'e BytesStart<'e>);

impl Attributes<'_> {
    /// Value of the attribute with this local name.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        let mut attributes = self.0.attributes();
        let found = attributes
            .with_checks(false)
            .flatten()
            .find(|attribute| attribute.key.local_name().as_ref() == name)?;
        Some(
            quick_xml::escape::unescape(&found.value)
                .map_or_else(|_| found.value.to_string(), Cow::into_owned),
        )
    }

    /// Whether a switch of this element is on: it is, unless its value says otherwise.
    pub(super) fn is_on(&self) -> bool {
        !matches!(self.get("val").as_deref(), Some("0" | "false" | "off"))
    }
}

/// Passes each event to `take`. `false` if the rest is damaged.
pub(super) fn walk(content: &[u8], take: &mut dyn FnMut(Event<'_>)) -> bool {
    let (text, _) = charset::decode(content, None);
    let mut reader = Reader::from_str(&text);
    reader.config_mut().allow_dangling_amp = true;
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    let mut depth = 0_usize;
    loop {
        let offset = reader.buffer_position() as u32;
        let Ok(token) = reader.read_event() else { return false };
        match &token {
            Token::Start(start) => {
                depth += 1;
                if depth > DEEPEST {
                    return false;
                }
                take(Event::Open {
                    name: start.local_name().as_ref(),
                    attributes: Attributes(start),
                    offset,
                });
            }
            Token::Empty(start) => {
                let name = start.local_name();
                take(Event::Open { name: name.as_ref(), attributes: Attributes(start), offset });
                take(Event::Close(name.as_ref()));
            }
            Token::End(end) => {
                depth = depth.saturating_sub(1);
                take(Event::Close(end.local_name().as_ref()));
            }
            Token::Text(text) => take(Event::Text(text.xml10_content(), offset)),
            Token::CData(text) => take(Event::Text(text.xml10_content(), offset)),
            Token::GeneralRef(reference) => {
                let name = reference.xml10_content();
                let known = quick_xml::escape::resolve_xml_entity(&name).map(Cow::Borrowed);
                let number =
                    || reference.resolve_char_ref().ok().flatten().map(|sign| Cow::Owned(sign.to_string()));
                if let Some(text) = known.or_else(number) {
                    take(Event::Text(text, offset));
                }
            }
            Token::Eof => return true,
            Token::Comment(_) | Token::Decl(_) | Token::PI(_) | Token::DocType(_) => {}
        }
    }
}
