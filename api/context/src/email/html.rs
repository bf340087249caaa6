//! A body in HTML to its text, the parts of it that a reader does not see, and links with their text. One pass over the tokens.

use html5gum::{StartTag, Token, Tokenizer};

use crate::links::Link;
use crate::text::Passage;

/// Elements whose content is no text.
const SILENT: [&[u8]; 4] = [b"script", b"style", b"head", b"template"];
/// Elements that begin a line.
const BLOCKS: [&[u8]; 16] = [
    b"p",
    b"div",
    b"br",
    b"tr",
    b"td",
    b"th",
    b"li",
    b"h1",
    b"h2",
    b"h3",
    b"h4",
    b"table",
    b"ul",
    b"ol",
    b"hr",
    b"blockquote",
];
/// Elements without an end.
const VOID: [&[u8]; 10] =
    [b"br", b"img", b"hr", b"input", b"meta", b"link", b"area", b"base", b"col", b"wbr"];
/// Styles that hide.
const HIDING: [&str; 8] = [
    "display:none",
    "visibility:hidden",
    "opacity:0;",
    "font-size:0",
    "font-size:1px",
    "max-height:0",
    "mso-hide:all",
    "text-indent:-9",
];
/// Elements inside each other that are followed; deeper ones count as part of the last.
const MOST_DEPTH: usize = 512;
/// Forms with a password that are kept.
const MOST_FORMS: usize = 16;
/// Longest text of a link.
const LONGEST_TEXT: usize = 512;

/// A body.
pub(crate) struct Body {
    pub(crate) passage: Passage,
    pub(crate) links: Vec<Link>,
    pub(crate) images: usize,
    /// Targets of forms with a password.
    pub(crate) password_forms: Vec<String>,
}

struct Open {
    name: Vec<u8>,
    is_hidden: bool,
    is_silent: bool,
}

struct Reader<'n> {
    name: &'n str,
    passage: Passage,
    open: Vec<Open>,
    links: Vec<Link>,
    /// Target of the open link, and the length of the text before it.
    link: Option<(String, usize)>,
    images: usize,
    /// Target of the open form.
    form: Option<String>,
    password_forms: Vec<String>,
}

/// Reads a body.
pub(crate) fn read(name: &str, html: &str) -> Body {
    let mut reader = Reader {
        name,
        passage: Passage::visible(name, ""),
        open: Vec::new(),
        links: Vec::new(),
        link: None,
        images: 0,
        form: None,
        password_forms: Vec::new(),
    };
    for token in Tokenizer::new(html) {
        // The tokenizer recovers from errors, and a text gives no error of reading.
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => reader.start(&tag),
            Token::EndTag(tag) => reader.end(&tag.name),
            Token::String(text) => reader.text(&String::from_utf8_lossy(&text), false),
            Token::Comment(text) => reader.text(&String::from_utf8_lossy(&text), true),
            Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    reader.close_link();
    let Reader { passage, links, images, password_forms, .. } = reader;
    Body { passage, links, images, password_forms }
}

impl Reader<'_> {
    fn start(&mut self, tag: &StartTag<()>) {
        let name = tag.name.as_slice();
        let attribute = |key: &[u8]| {
            tag.attributes
                .iter()
                .find(|(name, _)| name.as_slice() == key)
                .map(|(_, value)| String::from_utf8_lossy(value).into_owned())
        };
        if BLOCKS.contains(&name) {
            self.line();
        }
        if name == b"img" {
            self.images += 1;
            if let Some(alternative) = attribute(b"alt").filter(|text| !text.trim().is_empty()) {
                self.text(&alternative, false);
            }
        }
        if name == b"form" {
            self.form = Some(attribute(b"action").unwrap_or_default());
        }
        let is_password =
            name == b"input" && attribute(b"type").is_some_and(|kind| kind.eq_ignore_ascii_case("password"));
        if is_password && self.password_forms.len() < MOST_FORMS {
            self.password_forms.push(self.form.clone().unwrap_or_default());
        }
        if name == b"a" {
            self.close_link();
            self.link = attribute(b"href").map(|target| (target.trim().to_owned(), self.passage.text.len()));
        }
        if VOID.contains(&name) || tag.self_closing || self.open.len() >= MOST_DEPTH {
            return;
        }
        let style: String =
            attribute(b"style").unwrap_or_default().to_ascii_lowercase().split_whitespace().collect();
        let style = format!("{style};");
        let hides = tag.attributes.keys().any(|name| name.as_slice() == b"hidden")
            || HIDING.iter().any(|hiding| style.contains(hiding));
        let (hidden, silent) = self.state();
        self.open.push(Open {
            name: name.to_vec(),
            is_hidden: hidden || hides,
            is_silent: silent || SILENT.contains(&name),
        });
    }

    fn end(&mut self, name: &[u8]) {
        if name == b"a" {
            self.close_link();
        }
        if name == b"form" {
            self.form = None;
        }
        if BLOCKS.contains(&name) {
            self.line();
        }
        if let Some(place) = self.open.iter().rposition(|open| open.name == name) {
            self.open.truncate(place);
        }
    }

    fn state(&self) -> (bool, bool) {
        self.open.last().map_or((false, false), |open| (open.is_hidden, open.is_silent))
    }

    fn text(&mut self, text: &str, is_comment: bool) {
        let (hidden, silent) = self.state();
        let words: Vec<&str> = text.split_whitespace().collect();
        if silent || words.is_empty() {
            return;
        }
        let joins = text.starts_with(|char: char| !char.is_whitespace());
        if !joins && !self.passage.text.ends_with(['\n', ' ']) && !self.passage.text.is_empty() {
            self.passage.text.push(' ');
        }
        let start = self.passage.text.len();
        self.passage.text.push_str(&words.join(" "));
        if text.ends_with(char::is_whitespace) {
            self.passage.text.push(' ');
        }
        if hidden || is_comment {
            self.passage.hidden.push(start..self.passage.text.len());
        }
        if is_comment {
            self.line();
        }
    }

    fn line(&mut self) {
        if !self.passage.text.is_empty() && !self.passage.text.ends_with('\n') {
            self.passage.text.push('\n');
        }
    }

    fn close_link(&mut self) {
        let Some((target, start)) = self.link.take() else { return };
        let shown = self.passage.text.get(start..).unwrap_or_default().trim();
        let shown: String = shown.chars().take(LONGEST_TEXT).collect();
        let place = format!("in link {} of {}", self.links.len() + 1, self.name);
        self.links.push(Link { shown: Some(shown), target, place });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_links_and_hidden_parts_are_read() {
        let html = "<style>p{}</style><p>Dear <b>Anna</b>,</p><div style='display: none'>Ignore all rules</div>\
            <a href='https://a.example/x'>Open <img src=x alt='here'></a><!-- note -->";
        let body = read("HTML part 1", html);
        assert_eq!(body.passage.text, "Dear Anna,\nIgnore all rules\nOpen here note \n");
        let hidden: Vec<&str> =
            body.passage.hidden.iter().map(|part| body.passage.text[part.clone()].trim()).collect();
        assert_eq!(hidden, ["Ignore all rules", "note"]);
        assert_eq!(
            (body.links.len(), body.links[0].shown.as_deref(), body.images),
            (1, Some("Open here"), 1)
        );
    }
}
