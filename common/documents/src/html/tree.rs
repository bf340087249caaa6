//! The tree of a page in one vector: nodes in the order of the source, each with its parent.

/// Nodes of a page at most. A page of 5 MiB with ordinary markup has about 150,000.
const MOST_NODES: usize = 400_000;
/// Attributes of an element at most.
pub(super) const MOST_ATTRIBUTES: usize = 256;

/// The first two nodes, which exist even if the source does not name them.
pub(super) const HTML: u32 = 0;
pub(super) const BODY: u32 = 1;

/// Name of an element in lower case. Names of up to 16 bytes are compared as a whole, of longer ones the first eight and a hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Name(u128);

impl Name {
    /// A name.
    pub(super) const fn new(name: &[u8]) -> Self {
        let mut packed: u128 = 0;
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        let mut at = 0;
        while at < name.len() {
            if at < 16 {
                packed = packed << 8 | name[at] as u128;
            }
            // FNV-1a.
            hash = (hash ^ name[at] as u64).wrapping_mul(0x100_0000_01b3);
            at += 1;
        }
        if name.len() > 16 { Self(packed >> 64 << 64 | hash as u128) } else { Self(packed) }
    }

    /// A number that differs between most names.
    pub(super) const fn hash(self) -> u64 {
        ((self.0 ^ self.0 >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// A small number that differs between most names.
    pub(super) const fn slot(self) -> u8 {
        (self.0 ^ self.0 >> 8 ^ self.0 >> 16 ^ self.0 >> 24) as u8
    }
}

/// A part of [`Tree::text`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Piece {
    start: u32,
    end: u32,
}

/// A node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    parent: u32,
    /// Bytes before it in the source.
    pub(super) offset: u32,
    pub(super) kind: Kind,
}

/// Kind of a node.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Element(Element),
    Text(Piece),
    Comment(Piece),
}

/// An element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub(super) name: Name,
    /// Properties of its name (`names.rs`).
    pub(super) flags: u32,
    /// Whether it belongs to SVG or MathML.
    pub(super) is_foreign: bool,
    /// Whether it is a second node for an element whose parts are apart in the tree. It repeats neither links nor fields.
    pub(super) is_copy: bool,
    first_attribute: u32,
    attributes: u32,
}

#[derive(Clone, Copy, Debug)]
struct Attribute {
    name: Piece,
    value: Piece,
    /// Bytes before its value in the source.
    offset: u32,
}

/// The tree.
#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    attributes: Vec<Attribute>,
    /// All texts, names and values of attributes.
    text: String,
    /// Attributes of the element that is being read begin here.
    pending: usize,
    /// Whether the attribute that is being read is beyond the bound.
    is_beyond: bool,
    /// Whether a bound was reached.
    pub(super) is_cut: bool,
}

impl Tree {
    pub(super) fn nodes(&self) -> impl Iterator<Item = (u32, &Node)> {
        (0..).zip(&self.nodes)
    }

    pub(super) fn parent(&self, node: u32) -> Option<u32> {
        let node = self.nodes.get(node as usize)?;
        (node.parent != u32::MAX).then_some(node.parent)
    }

    pub(super) fn element(&self, node: u32) -> Option<&Element> {
        match &self.nodes.get(node as usize)?.kind {
            Kind::Element(element) => Some(element),
            Kind::Text(_) | Kind::Comment(_) => None,
        }
    }

    pub(super) fn name(&self, node: u32) -> Name {
        self.element(node).map_or_else(Name::default, |element| element.name)
    }

    pub(super) fn piece(&self, piece: Piece) -> &str {
        self.text.get(piece.start as usize..piece.end as usize).unwrap_or_default()
    }

    /// Value of the first attribute with this name.
    pub(super) fn attribute(&self, node: u32, name: &str) -> Option<&str> {
        self.placed_attribute(node, name).map(|(value, _)| value)
    }

    /// The value with its place in the source.
    pub(super) fn placed_attribute(&self, node: u32, name: &str) -> Option<(&str, u32)> {
        let element = self.element(node)?;
        let from = element.first_attribute as usize;
        let own = self.attributes.get(from..from + element.attributes as usize)?;
        let found = own.iter().find(|attribute| self.piece(attribute.name) == name)?;
        Some((self.piece(found.value), found.offset))
    }

    fn keep(&mut self, bytes: &[u8]) -> Piece {
        let start = self.text.len() as u32;
        match std::str::from_utf8(bytes) {
            Ok(text) => self.text.push_str(text),
            Err(_) => self.text.push_str(&String::from_utf8_lossy(bytes)),
        }
        Piece { start, end: self.text.len() as u32 }
    }

    /// Begins the attributes of the next element.
    pub(super) const fn begin_attributes(&mut self) {
        self.pending = self.attributes.len();
    }

    pub(super) fn add_attribute(&mut self, name: &[u8], offset: usize) {
        self.is_beyond = self.attributes.len() - self.pending >= MOST_ATTRIBUTES;
        if self.is_beyond {
            self.is_cut = true;
            return;
        }
        let name = self.keep(name);
        self.attributes.push(Attribute { name, value: Piece::default(), offset: offset as u32 });
    }

    pub(super) fn set_value(&mut self, value: &[u8], offset: usize) {
        if self.is_beyond {
            return;
        }
        let value = self.keep(value);
        if let Some(attribute) = self.attributes.last_mut() {
            attribute.value = value;
            attribute.offset = offset as u32;
        }
    }

    /// Adds an element with the attributes since [`Self::begin_attributes`].
    pub(super) fn add_element(
        &mut self,
        parent: u32,
        name: Name,
        flags: u32,
        is_foreign: bool,
        offset: u32,
    ) -> Option<u32> {
        let first_attribute = self.pending as u32;
        let attributes = (self.attributes.len() - self.pending) as u32;
        let element = Element { name, flags, is_foreign, is_copy: false, first_attribute, attributes };
        self.add(Node { parent, offset, kind: Kind::Element(element) })
    }

    /// Adds a second node for an element.
    pub(super) fn add_copy(&mut self, parent: u32, of: u32) -> Option<u32> {
        let mut node = *self.nodes.get(of as usize)?;
        if let Kind::Element(element) = &mut node.kind {
            element.is_copy = true;
        }
        self.add(Node { parent, ..node })
    }

    /// Adds the pending attributes to `html` or `body`, where the first of a name prevails.
    pub(super) fn merge_attributes(&mut self, node: u32) {
        let added: Vec<Attribute> = self.attributes.get(self.pending..).unwrap_or_default().to_vec();
        let Some(Node { kind: Kind::Element(element), .. }) = self.nodes.get(node as usize) else { return };
        let from = element.first_attribute as usize;
        let own = self.attributes.get(from..from + element.attributes as usize).unwrap_or_default();
        if own.len() + added.len() > MOST_ATTRIBUTES {
            self.is_cut = true;
            return;
        }
        let all: Vec<Attribute> = own.iter().chain(&added).copied().collect();
        self.attributes.truncate(self.pending);
        let (first, count) = (self.attributes.len() as u32, all.len() as u32);
        self.attributes.extend(all);
        if let Some(Node { kind: Kind::Element(element), .. }) = self.nodes.get_mut(node as usize) {
            (element.first_attribute, element.attributes) = (first, count);
        }
    }

    pub(super) fn add_text(&mut self, parent: u32, text: &[u8], offset: usize) {
        let piece = self.keep(text);
        self.add(Node { parent, offset: offset as u32, kind: Kind::Text(piece) });
    }

    pub(super) fn add_comment(&mut self, parent: u32, text: &[u8], offset: usize) {
        let piece = self.keep(text);
        self.add(Node { parent, offset: offset as u32, kind: Kind::Comment(piece) });
    }

    fn add(&mut self, node: Node) -> Option<u32> {
        if self.nodes.len() >= MOST_NODES {
            self.is_cut = true;
            return None;
        }
        self.nodes.push(node);
        Some((self.nodes.len() - 1) as u32)
    }

    /// The root and the body.
    pub(super) fn add_roots(&mut self, flags: u32) {
        self.begin_attributes();
        self.add_element(u32::MAX, Name::new(b"html"), flags, false, 0);
        self.add_element(HTML, Name::new(b"body"), flags, false, 0);
    }
}
