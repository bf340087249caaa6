//! The walk through one batch, field by field: which texts are searched and which values are masked as a whole.

mod overwrite;

use std::cell::{Cell, OnceCell};
use std::ops::Range;

use redact::{Candidates, EntityType, Redactor};

use super::bare;
use super::key_lines::{self, OpenKey};
use super::listed;
use super::names::Names;
use super::span::Span;
use super::{Report, Scratch};
use crate::validate::schema::{KEY_VALUE, Key, Kind, LENGTH, Message, REQUEST, Role, any_value, key_value};

/// What the key above a value asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    /// Look for secrets.
    Scan,
    /// The value is a secret as a whole, and so is everything below it.
    Mask,
    /// Look for secrets; a text may be one as a whole.
    Judge(bare::Name),
    /// Detection groups by this value: only what has a form of its own is masked in it.
    Leave,
}

/// What is masked even where detection groups by the value: none of it looks like an identifier. Access key ids of
/// AWS are none of these types.
const UNMISTAKABLE: [EntityType; 3] = [EntityType::PrivateKey, EntityType::Jwt, EntityType::ApiKey];

impl Treatment {
    /// Whether a value counts even where the scan has named no candidate.
    fn reaches_everything(self) -> bool {
        matches!(self, Self::Mask | Self::Judge(_))
    }

    /// What it asks for below lists, and at pairs, whose keys speak for themselves.
    fn below(self) -> Self {
        if self == Self::Mask { Self::Mask } else { Self::Scan }
    }
}

/// A message in the payload.
struct Node {
    message: &'static Message,
    place: Range<usize>,
    /// Whether one of its pairs names an account: looked for once, however many of them ask.
    has_account: OnceCell<bool>,
    /// Whether one of its pairs holds the name of a secret.
    names_a_secret: Cell<bool>,
}

impl Node {
    fn new(message: &'static Message, place: Range<usize>) -> Self {
        Self { message, place, has_account: OnceCell::new(), names_a_secret: Cell::new(false) }
    }

    fn has_account(&self, payload: &[u8]) -> bool {
        let find = || bare::have_account(listed::pairs(payload, &self.place, self.message), payload);
        *self.has_account.get_or_init(find)
    }
}

/// The walk through one batch.
pub(super) struct Walk<'s> {
    redactor: &'s Redactor,
    /// Where in the payload there may be anything to do.
    candidates: &'s Candidates,
    names: &'s mut Names,
    scratch: &'s mut Scratch,
    /// Where the key of the innermost pair around lies; empty in bodies.
    under: Range<usize>,
    /// A private key of which not all lines have come yet. While there is one, nothing is passed over.
    open_key: Option<OpenKey>,
    report: Report,
}

impl<'s> Walk<'s> {
    pub(super) fn new(
        redactor: &'s Redactor,
        candidates: &'s Candidates,
        names: &'s mut Names,
        scratch: &'s mut Scratch,
    ) -> Self {
        Self { redactor, candidates, names, scratch, under: 0..0, open_key: None, report: Report::default() }
    }

    /// Masks what is secret in the batch.
    pub(super) fn run(mut self, payload: &mut [u8]) -> Report {
        let request = Node::new(&REQUEST, 0..payload.len());
        self.message(payload, &request, Treatment::Scan);
        self.report
    }

    fn message(&mut self, payload: &mut [u8], node: &Node, treatment: Treatment) {
        let mut at = node.place.start;
        while let Some(span) = payload.get(..node.place.end).and_then(|payload| Span::next(payload, at)) {
            at = span.place.end;
            if treatment.reaches_everything()
                || self.candidates.may_hold_anything(&span.place)
                || self.open_key.is_some()
            {
                self.field(payload, span, node, treatment);
            }
        }
        if node.names_a_secret.get() {
            self.named_values(payload, node);
        }
    }

    /// Masks the values that a pair of the message names. They may stand before the name, so all are looked for again.
    #[cold]
    fn named_values(&mut self, payload: &mut [u8], node: &Node) {
        let mut at = node.place.start;
        while let Some(span) = payload.get(..node.place.end).and_then(|payload| Span::next(payload, at)) {
            at = span.place.end;
            if listed::is_pair(node.message, span.key) && listed::is_value(payload, &span.place) {
                self.field(payload, span, node, Treatment::Mask);
            }
        }
    }

    /// A key and its value, in the message `parent`.
    fn pair(&mut self, payload: &mut [u8], place: Range<usize>, parent: &Node, inherited: Treatment) {
        let (treatment, name) = self.name(payload, &place, parent, inherited.below());
        let outer = std::mem::replace(&mut self.under, name);
        self.message(payload, &Node::new(&KEY_VALUE, place), treatment);
        self.under = outer;
    }

    /// Masks what is secret in a pair's name and returns the treatment of its value, and where the name lies. A name
    /// given twice, or after its value, counts as well.
    fn name(
        &mut self,
        payload: &mut [u8],
        pair: &Range<usize>,
        parent: &Node,
        inherited: Treatment,
    ) -> (Treatment, Range<usize>) {
        let (mut treatment, mut place) = (inherited, 0..0);
        let mut at = pair.start;
        while let Some(span) = payload.get(..pair.end).and_then(|payload| Span::next(payload, at)) {
            at = span.place.end;
            if span.key != key_value::KEY {
                continue;
            }
            let name = payload.get(span.place.clone()).unwrap_or_default();
            let verdict = self.names.judge(self.redactor, name);
            if treatment != Treatment::Mask && verdict != Treatment::Scan {
                treatment = verdict;
            }
            if listed::is_name_key(name) && self.holds_sensitive_name(payload, pair) {
                parent.names_a_secret.set(true);
            }
            place = span.place.clone();
            self.scan(payload, span.place);
        }
        if treatment == Treatment::Judge(bare::Name::Pass) && parent.has_account(payload) {
            treatment = Treatment::Judge(bare::Name::PassOfAccount);
        }
        (treatment, place)
    }

    /// Whether the value of the pair at `pair` is a sensitive name.
    fn holds_sensitive_name(&mut self, payload: &[u8], pair: &Range<usize>) -> bool {
        listed::names(payload, pair.clone()).any(|name| {
            self.candidates.may_be_sensitive(&name)
                && self.names.judge(self.redactor, payload.get(name).unwrap_or_default()) == Treatment::Mask
        })
    }

    fn field(&mut self, payload: &mut [u8], span: Span, node: &Node, treatment: Treatment) {
        let Span { key, place } = span;
        let Some(field) = node.message.field(key >> 3) else {
            // What a later version of OTLP keeps here we cannot know, but it may be text.
            if key & 7 == LENGTH {
                self.scan(payload, place);
            }
            return;
        };
        match field.kind {
            Kind::Attributes => self.pair(payload, place, node, treatment),
            Kind::Many(inner) if inner.role == Role::KeyValue => self.pair(payload, place, node, treatment),
            Kind::One(inner) | Kind::Many(inner) => self.inner(payload, key, place, (node, inner), treatment),
            // A pair's name has been looked at before its fields.
            Kind::Text if node.message.role == Role::KeyValue => {}
            Kind::Text | Kind::Texts | Kind::Base64 => self.text(payload, place, node.message, treatment),
            Kind::Int64 | Kind::Double if treatment == Treatment::Mask => self.zero(payload, place, key),
            _ => {}
        }
    }

    /// A message in another one.
    fn inner(
        &mut self,
        payload: &mut [u8],
        key: Key,
        place: Range<usize>,
        (outer, message): (&Node, &'static Message),
        treatment: Treatment,
    ) {
        let is_list = outer.message.role == Role::Value;
        let treatment = match treatment {
            Treatment::Judge(_) if is_list => Treatment::Scan,
            _ => treatment,
        };
        let node = Node::new(message, place);
        self.message(payload, &node, treatment);
        if is_list && key == any_value::ARRAY_VALUE && treatment == Treatment::Scan {
            self.arguments(payload, node.place);
        }
    }

    fn text(
        &mut self,
        payload: &mut [u8],
        place: Range<usize>,
        message: &'static Message,
        treatment: Treatment,
    ) {
        match treatment {
            Treatment::Mask => self.mask(payload, place),
            Treatment::Leave => {
                self.scan_for(payload, place, Some(&UNMISTAKABLE));
            }
            Treatment::Scan if message.role == Role::Value => self.value(payload, place),
            Treatment::Scan => self.scan(payload, place),
            Treatment::Judge(name) => {
                self.scan(payload, place.clone());
                self.judge(payload, place, name);
            }
        }
    }

    /// Masks what is secret in a text that is a value, which may be a line of a private key.
    fn value(&mut self, payload: &mut [u8], place: Range<usize>) {
        if let Some(open) = &mut self.open_key {
            let read = open.read(payload, &self.under, &place);
            if open.is_closed() {
                self.open_key = None;
            }
            match read {
                key_lines::Text::Foreign => {}
                key_lines::Text::Line(line) => return self.mask_line(payload, &place, line),
                key_lines::Text::Last(line) => self.mask_line(payload, &place, line),
            }
        }
        let text = place.clone();
        if let Some(header) = self.scan_for(payload, place, None) {
            let header = text.start + header.start..text.start + header.end;
            self.open_key = Some(OpenKey::new(self.under.clone(), header));
        }
    }

    /// Masks a line of a private key, which lies at `line` in the text at `text`.
    fn mask_line(&mut self, payload: &mut [u8], text: &Range<usize>, line: Range<usize>) {
        self.mask_as(payload, text.start + line.start..text.start + line.end, EntityType::PrivateKey);
    }

    /// Masks what is secret in a text.
    fn scan(&mut self, payload: &mut [u8], place: Range<usize>) {
        self.scan_for(payload, place, None);
    }

    /// Masks what is secret in a text and of these types, if any are given. Where the text ends within a private key,
    /// returns the place of that line's log header in the text.
    fn scan_for(
        &mut self,
        payload: &mut [u8],
        place: Range<usize>,
        entities: Option<&[EntityType]>,
    ) -> Option<Range<usize>> {
        if !self.candidates.may_match(&place) {
            return None;
        }
        let text = payload.get_mut(place)?;
        let matches = &mut self.scratch.matches;
        match entities {
            None => self.redactor.find(text, matches),
            Some(entities) => self.redactor.find_only(text, entities, matches),
        }
        let opens = key_lines::opens(text, matches);
        self.redactor.mask(text, matches);
        let masked = matches.len();
        self.count(masked);
        opens
    }

    /// Masks what is secret in a text for the key above it.
    fn judge(&mut self, payload: &mut [u8], place: Range<usize>, name: bare::Name) {
        let Some(text) = payload.get_mut(place) else { return };
        let Scratch { matches, named, .. } = &mut *self.scratch;
        bare::find(self.redactor, name, text, named, matches);
        self.redactor.mask(text, matches);
        let masked = matches.len();
        self.count(masked);
    }
}
