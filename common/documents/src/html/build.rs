//! Tokens to the tree, after "tree construction" of the HTML standard: implied elements and end tags, formatting that continues in the
//! next block, content that a table moves out of itself, SVG and MathML. It decides which ancestors hide a text, so it follows browsers
//! where a difference would show hidden text as visible or leave text out. Modes of framesets and of `select` are left out: they only
//! drop elements.

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, State, Tokenizer};

use super::names::{
    BLOCK, ENDS_FOREIGN, ENDS_PARAGRAPH, FORMATTING, HEADING, MARKER, RAW, REFERENCES_ONLY, SPECIAL,
    TABLE_PART, VOID, flags,
};
use super::tree::{BODY, HTML, Name, Tree};

mod close;

/// Depth of nesting at most, as in browsers. Elements below it become siblings.
const DEEPEST: usize = 512;
/// Formatting elements that continue at most. Browsers permit three equal ones; pages have a few.
const MOST_FORMATTING: usize = 32;

/// Reads a page.
pub(super) fn build(text: &str) -> Tree {
    let mut builder = Builder::new();
    let emitter =
        CallbackEmitter::new(|event: CallbackEvent<'_>, span: Span<usize>| builder.take(&event, span));
    let mut tokenizer = Tokenizer::new_with_emitter(text, emitter);
    // A token is a change of the state: the content of some elements is no markup.
    while let Some(Ok(state)) = tokenizer.next() {
        tokenizer.set_state(state);
    }
    drop(tokenizer);
    builder.tree
}

/// An open element.
#[derive(Clone, Copy, Debug)]
struct Open {
    node: u32,
    name: Name,
    flags: u32,
    is_foreign: bool,
}

struct Builder {
    tree: Tree,
    stack: Vec<Open>,
    /// Number of open elements whose names share a slot: an end tag without an open element costs no search.
    open: [u16; 256],
    /// Formatting elements that continue, and marks of the cells and objects that end them.
    formatting: Vec<Option<Open>>,
    form: Option<u32>,
    /// Name and place of the start tag that is being read.
    tag: Option<(Name, u32)>,
}

impl Builder {
    fn new() -> Self {
        let mut tree = Tree::default();
        tree.add_roots(BLOCK | SPECIAL);
        let mut builder =
            Self { tree, stack: Vec::new(), open: [0; 256], formatting: Vec::new(), form: None, tag: None };
        for (node, name) in [(HTML, Name::new(b"html")), (BODY, Name::new(b"body"))] {
            builder.push(Open { node, name, flags: flags(name), is_foreign: false });
        }
        builder
    }

    fn take(&mut self, event: &CallbackEvent<'_>, span: Span<usize>) -> Option<State> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tree.begin_attributes();
                self.tag = Some((Name::new(name), span.start as u32));
            }
            CallbackEvent::AttributeName { name } if self.tag.is_some() => {
                self.tree.add_attribute(name, span.end);
            }
            CallbackEvent::AttributeValue { value } if self.tag.is_some() => {
                self.tree.set_value(value, span.start)
            }
            CallbackEvent::CloseStartTag { self_closing } => {
                let (name, offset) = self.tag.take()?;
                return self.start_tag(name, offset, *self_closing);
            }
            CallbackEvent::EndTag { name } => {
                self.tag = None;
                self.end_tag(Name::new(name), span.start as u32);
            }
            CallbackEvent::String { value } => self.text(value, span.start),
            CallbackEvent::Comment { value } => {
                let parent = self.current().node;
                self.tree.add_comment(parent, value, span.start);
            }
            _ => {}
        }
        None
    }

    /// The innermost open element. The first two never end.
    fn current(&self) -> Open {
        let body = Open { node: BODY, name: Name::default(), flags: 0, is_foreign: false };
        self.stack.last().copied().unwrap_or(body)
    }

    fn push(&mut self, open: Open) {
        if self.stack.len() >= DEEPEST {
            self.tree.is_cut = true;
            return;
        }
        if let Some(count) = self.open.get_mut(usize::from(open.name.slot())) {
            *count += 1;
        }
        if open.flags & MARKER != 0 && !open.is_foreign {
            self.formatting.push(None);
        }
        self.stack.push(open);
    }

    fn pop(&mut self) -> Option<Open> {
        if self.stack.len() <= 2 {
            return None;
        }
        let open = self.stack.pop()?;
        if let Some(count) = self.open.get_mut(usize::from(open.name.slot())) {
            *count = count.saturating_sub(1);
        }
        if open.flags & MARKER != 0 && !open.is_foreign {
            let mark = self.formatting.iter().rposition(Option::is_none);
            self.formatting.truncate(mark.unwrap_or_default());
        }
        Some(open)
    }

    /// Parent of the next node: text in a table outside of its cells is placed before the table.
    fn parent(&self, moves_out: bool) -> u32 {
        let current = self.current();
        if !moves_out || current.flags & TABLE_PART == 0 || current.is_foreign {
            return current.node;
        }
        let table = self.stack.iter().rposition(|open| open.name == Name::new(b"table"));
        let before = table.and_then(|at| self.stack.get(at.checked_sub(1)?));
        before.map_or(current.node, |open| open.node)
    }

    fn text(&mut self, text: &[u8], offset: usize) {
        let is_blank = text.iter().all(u8::is_ascii_whitespace);
        if !is_blank && !self.current().is_foreign && self.current().flags & (RAW | REFERENCES_ONLY) == 0 {
            self.continue_formatting();
        }
        let parent = self.parent(!is_blank);
        self.tree.add_text(parent, text, offset);
    }

    fn start_tag(&mut self, name: Name, offset: u32, self_closing: bool) -> Option<State> {
        let flags = flags(name);
        if self.current().is_foreign && !self.is_integration_point() {
            if flags & ENDS_FOREIGN == 0 {
                self.foreign(name, offset, self_closing);
                return None;
            }
            while self.current().is_foreign && !self.is_integration_point() && self.pop().is_some() {}
        }
        if name == Name::new(b"html") || name == Name::new(b"body") {
            self.tree.merge_attributes(if name == Name::new(b"html") { HTML } else { BODY });
            return None;
        }
        // Nothing of the head but its texts matters, and those are recognised by themselves.
        if name == Name::new(b"head") || (name == Name::new(b"form") && self.form.is_some()) {
            return None;
        }
        if !self.close_before(name, flags) {
            return None;
        }
        if flags & (ENDS_PARAGRAPH | TABLE_PART | RAW) == 0 {
            self.continue_formatting();
        }
        if name == Name::new(b"svg") || name == Name::new(b"math") {
            self.foreign(name, offset, self_closing);
            return None;
        }
        let moves_out = flags & TABLE_PART == 0 && !is_of_table(name);
        let parent = self.parent(moves_out);
        let node = self.tree.add_element(parent, name, flags, false, offset)?;
        if name == Name::new(b"form") {
            self.form = Some(node);
        }
        if flags & VOID != 0 {
            return None;
        }
        let open = Open { node, name, flags, is_foreign: false };
        self.push(open);
        if flags & FORMATTING != 0 && self.formatting.len() < MOST_FORMATTING {
            self.formatting.push(Some(open));
        }
        state(name, flags)
    }

    fn foreign(&mut self, name: Name, offset: u32, self_closing: bool) {
        let parent = self.parent(true);
        let Some(node) = self.tree.add_element(parent, name, flags(name), true, offset) else { return };
        if !self_closing {
            self.push(Open { node, name, flags: flags(name), is_foreign: true });
        }
    }

    /// Whether the current element contains HTML although it belongs to SVG or MathML.
    fn is_integration_point(&self) -> bool {
        const NAMES: [Name; 9] = [
            Name::new(b"foreignobject"),
            Name::new(b"desc"),
            Name::new(b"title"),
            Name::new(b"mi"),
            Name::new(b"mo"),
            Name::new(b"mn"),
            Name::new(b"ms"),
            Name::new(b"mtext"),
            Name::new(b"annotation-xml"),
        ];
        NAMES.contains(&self.current().name)
    }

    /// Opens formatting elements again that the end of a block has closed.
    fn continue_formatting(&mut self) {
        let is_open = |open: &Open| self.stack.iter().rev().any(|other| other.node == open.node);
        let Some(Some(last)) = self.formatting.last() else { return };
        if is_open(last) {
            return;
        }
        let from = self.formatting.iter().rposition(|entry| entry.as_ref().is_none_or(is_open));
        let from = from.map_or(0, |at| at + 1);
        for at in from..self.formatting.len() {
            let Some(Some(open)) = self.formatting.get(at).copied() else { continue };
            let parent = self.parent(true);
            let Some(node) = self.tree.add_copy(parent, open.node) else { return };
            let copy = Open { node, ..open };
            self.push(copy);
            if let Some(entry) = self.formatting.get_mut(at) {
                *entry = Some(copy);
            }
        }
    }
}

/// Elements that have their place inside of a table.
fn is_of_table(name: Name) -> bool {
    const NAMES: [Name; 9] = [
        Name::new(b"caption"),
        Name::new(b"colgroup"),
        Name::new(b"col"),
        Name::new(b"td"),
        Name::new(b"th"),
        Name::new(b"style"),
        Name::new(b"script"),
        Name::new(b"template"),
        Name::new(b"form"),
    ];
    NAMES.contains(&name)
}

/// State of the tokenizer for the content of an element.
fn state(name: Name, flags: u32) -> Option<State> {
    if name == Name::new(b"script") {
        Some(State::ScriptData)
    } else if name == Name::new(b"plaintext") {
        Some(State::PlainText)
    } else if flags & RAW != 0 {
        Some(State::RawText)
    } else if flags & REFERENCES_ONLY != 0 {
        Some(State::RcData)
    } else {
        None
    }
}

impl Builder {
    /// Whether headings, lists and the like may be searched: the part of the stack above `html` and `body`.
    fn is_maybe_open(&self, name: Name) -> bool {
        self.open.get(usize::from(name.slot())).is_some_and(|count| *count > 0)
    }

    fn is_heading(&self) -> bool {
        self.current().flags & HEADING != 0
    }
}
