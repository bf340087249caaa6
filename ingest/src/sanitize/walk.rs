//! The walk through one batch, field by field: which texts are searched and which values are masked as a whole.

mod overwrite;
mod search;

use std::cell::{Cell, OnceCell};
use std::ops::Range;

use redact::{Candidates, EntityType, Redactor};

use super::bare;
use super::key_lines::OpenKey;
use super::listed;
use super::masked_values::MaskedValues;
use super::names::{Names, is_identifier, is_secret_key, is_secret_name};
use super::span::Span;
use super::treatment::Treatment;
use super::{Report, Scratch};
use crate::validate::schema::{
    FieldType, KEY_VALUE, Key, LENGTH, Message, REQUEST, Role, any_value, key_value,
};

/// Types that are masked even where detection groups by the value: none of them resembles an identifier. Access
/// key ids of AWS are not among them.
const UNMISTAKABLE: [EntityType; 3] = [EntityType::PrivateKey, EntityType::Jwt, EntityType::ApiKey];

/// A message in the payload.
struct Node {
    message: &'static Message,
    place: Range<usize>,
    /// Whether one of its pairs names an account: searched once, however often it is needed.
    has_account: OnceCell<bool>,
    /// Role of `code` beside its other pairs.
    code: OnceCell<bare::Name>,
    /// Treatments that the names in its pairs require.
    named: Cell<Treatment>,
}

impl Node {
    fn new(message: &'static Message, place: Range<usize>) -> Self {
        Self {
            message,
            place,
            has_account: OnceCell::new(),
            code: OnceCell::new(),
            named: Cell::new(Treatment::Scan),
        }
    }

    /// Role of a name beside the other pairs.
    fn beside(&self, name: bare::Name, payload: &[u8]) -> bare::Name {
        let pairs = || listed::pairs(payload, &self.place, self.message);
        match name {
            bare::Name::Pass if *self.has_account.get_or_init(|| bare::have_account(pairs(), payload)) => {
                bare::Name::PassOfAccount
            }
            bare::Name::Code => *self.code.get_or_init(|| bare::code_beside(pairs(), payload)),
            _ => name,
        }
    }
}

/// The walk through one batch.
pub(super) struct Walk<'s> {
    redactor: &'s Redactor,
    /// Parts of the payload that may need masking.
    candidates: &'s Candidates,
    names: &'s mut Names,
    scratch: &'s mut Scratch,
    values: &'s mut MaskedValues,
    /// Position of the key of the innermost enclosing pair; empty in bodies.
    under: Range<usize>,
    /// A private key whose end has not been reached yet. While there is one, nothing is skipped.
    open_key: Option<OpenKey>,
    report: Report,
}

impl<'s> Walk<'s> {
    pub(super) fn new(
        redactor: &'s Redactor,
        candidates: &'s Candidates,
        names: &'s mut Names,
        scratch: &'s mut Scratch,
        values: &'s mut MaskedValues,
    ) -> Self {
        Self {
            redactor,
            candidates,
            names,
            scratch,
            values,
            under: 0..0,
            open_key: None,
            report: Report::default(),
        }
    }

    /// Masks the secrets in the batch.
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
        if node.named.get() != Treatment::Scan {
            self.named_values(payload, node);
        }
    }

    /// Masks the values that a pair of the message names. They may precede the name, so all are searched again.
    #[cold]
    fn named_values(&mut self, payload: &mut [u8], node: &Node) {
        let mut at = node.place.start;
        while let Some(span) = payload.get(..node.place.end).and_then(|payload| Span::next(payload, at)) {
            at = span.place.end;
            if listed::is_pair(node.message, span.key) && listed::is_value(payload, &span.place) {
                self.field(payload, span, node, node.named.get());
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

    /// Masks secrets in a pair's name and returns the treatment of its value, and the position of the name. A name
    /// given twice, or after its value, counts as well.
    fn name(
        &mut self,
        payload: &mut [u8],
        pair: &Range<usize>,
        parent: &Node,
        inherited: Treatment,
    ) -> (Treatment, Range<usize>) {
        let mut place = 0..0;
        let of_secret = payload.get(self.under.clone()).is_some_and(is_secret_key);
        let mut own: Option<Treatment> = None;
        let mut at = pair.start;
        while let Some(span) = payload.get(..pair.end).and_then(|payload| Span::next(payload, at)) {
            at = span.place.end;
            if span.key != key_value::KEY {
                continue;
            }
            let name = payload.get(span.place.clone()).unwrap_or_default();
            let verdict = self.names.judge(self.redactor, name);
            let below = verdict.below(inherited, of_secret);
            own = Some(own.map_or(below, |own| own.and(below)));
            if verdict.holds_name {
                parent.named.set(parent.named.get().and(self.treatment_of_named(payload, pair)));
            }
            place = span.place.clone();
            self.scan(payload, span.place);
        }
        let mut treatment = own.unwrap_or(inherited);
        if let Treatment::Judge(name) = treatment {
            treatment = Treatment::Judge(parent.beside(name, payload));
        }
        (treatment, place)
    }

    /// Treatment by the sensitive name that is the value of the pair at `pair`, if it is one.
    fn treatment_of_named(&mut self, payload: &[u8], pair: &Range<usize>) -> Treatment {
        let mut treatment = Treatment::Scan;
        for place in listed::names(payload, pair.clone()) {
            if !self.candidates.may_be_sensitive(&place) {
                continue;
            }
            let name = payload.get(place).unwrap_or_default();
            treatment = match self.names.judge(self.redactor, name).treatment {
                Treatment::Mask if listed::may_be_number(name) => Treatment::Mask,
                Treatment::Mask => treatment.and(Treatment::MaskTexts),
                Treatment::Directory => treatment.and(Treatment::Directory),
                _ => treatment,
            };
        }
        treatment
    }

    fn field(&mut self, payload: &mut [u8], span: Span, node: &Node, treatment: Treatment) {
        let Span { key, place } = span;
        let Some(field) = node.message.field(key >> 3) else {
            // The content of this field in a later version of OTLP is unknown, but it may be text.
            if key & 7 == LENGTH {
                self.scan(payload, place);
            }
            return;
        };
        match field.kind {
            FieldType::Attributes => self.pair(payload, place, node, treatment),
            FieldType::Many(inner) if inner.role == Role::KeyValue => {
                self.pair(payload, place, node, treatment)
            }
            FieldType::One(inner) | FieldType::Many(inner) => {
                self.inner(payload, key, place, (node, inner), treatment)
            }
            // A pair's name has been looked at before its fields.
            FieldType::Text if node.message.role == Role::KeyValue => {}
            FieldType::Text | FieldType::Texts | FieldType::Base64 => {
                self.text(payload, place, node.message, treatment)
            }
            FieldType::Int64 | FieldType::Double if treatment.masks_numbers() => {
                self.zero(payload, place, key)
            }
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
        let treatment = if is_list { treatment.in_list() } else { treatment };
        let node = Node::new(message, place);
        if message.role == Role::Record {
            self.values.begin_record();
        }
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
            Treatment::Directory if payload.get(place.clone()).is_some_and(bare::is_directory) => {
                self.scan(payload, place);
            }
            Treatment::SecretName if payload.get(place.clone()).is_some_and(is_secret_name) => {
                self.scan(payload, place);
            }
            Treatment::Identifier if payload.get(place.clone()).is_some_and(is_identifier) => {
                self.scan_for(payload, place, Some(&UNMISTAKABLE));
            }
            Treatment::Leave => {
                self.scan_for(payload, place, Some(&UNMISTAKABLE));
            }
            Treatment::Scan if message.role == Role::Value => self.value(payload, place),
            Treatment::Scan => self.scan(payload, place),
            Treatment::Judge(name) => {
                self.scan(payload, place.clone());
                self.judge(payload, place, name);
            }
            _ => self.mask(payload, place),
        }
    }
}
