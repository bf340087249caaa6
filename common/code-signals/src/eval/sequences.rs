//! Sequences: their elements; those that are reversed, added, or given by the numbers of their characters.

use super::Machine;
use super::calls::Called;
use super::operations::MOST_ITEMS;
use crate::api::Effect;
use crate::fold;
use crate::ir::{Const, Sym};
use crate::paths;
use crate::value::{Kind, TaintId, Value};

/// Characters of a text that is reversed or given by numbers from which it counts as concealed.
const CONCEALED: usize = 12;
/// Numbers of a list, or characters of a literal, from which they can hold code.
const LONG_SEQUENCE: usize = 24;

impl Machine<'_> {
    /// A sequence from its end. Long constant ones are written so to conceal them.
    pub(super) fn reversed(&mut self, of: &Value) -> Value {
        let constant = of.constant.as_ref().and_then(fold::reverse);
        let length = match &constant {
            Some(Const::Text(text)) => text.len(),
            Some(Const::List(list)) => {
                list.iter().take_while(|part| matches!(part, Const::Text(text) if text.len() == 1)).count()
            }
            _ => 0,
        };
        let mut taint = self.taint_of(of);
        if length >= CONCEALED {
            let origin = self.origin(Kind::Decoded, "a reversed text".into());
            taint = self.taints.union(taint, origin);
        }
        Value { constant: self.folded(constant), taint, object: of.object, ..Value::default() }
    }

    pub(super) fn characters(&mut self, called: &Called) -> Value {
        let numbers = match called.arguments.as_slice() {
            [only] => {
                self.constant_items(&only.value).or_else(|| only.value.constant.clone().map(|one| vec![one]))
            }
            _ => called.values().map(|value| value.constant.clone()).collect(),
        };
        let constant = numbers.and_then(|numbers| fold::characters(&numbers));
        let mut taint = self.taint_of_all(called.values());
        // Numbers computed from a file are a decoder written by hand.
        if constant.is_none() && self.taints.source(taint, Kind::File).is_some() {
            let origin = self.origin(Kind::Decoded, "numbers of a file".into());
            taint = self.taints.union(taint, origin);
        }
        if matches!(&constant, Some(Const::Text(text)) if text.len() >= CONCEALED) {
            let origin = self.origin(Kind::Decoded, "numbers of characters".into());
            taint = self.taints.union(taint, origin);
        }
        Value { constant: self.folded(constant), taint, ..Value::default() }
    }

    /// Lists that are elements of one list: a loop over it means each of them, though a value has one object.
    pub(super) fn note_siblings(&mut self, parts: &[Value]) {
        let is_list = |part: &&Value| self.object(part.object).is_some_and(|object| !object.items.is_empty());
        let mut lists = parts.iter().filter(is_list).map(|part| part.object);
        if let Some(first) = lists.next() {
            let others: Vec<_> = lists.filter(|object| *object != first).collect();
            if !others.is_empty() {
                self.siblings.insert(first, others);
            }
        }
    }

    /// The elements of a list, if all of them are known.
    pub(crate) fn constant_items(&self, list: &Value) -> Option<Vec<Const>> {
        if let Some(Const::List(list)) = &list.constant {
            return Some(list.to_vec());
        }
        let object =
            self.object(list.object).filter(|object| !object.is_scope && !object.items.is_empty())?;
        object.items.iter().map(|item| item.constant.clone()).collect()
    }

    /// The origin of a long list of numbers of characters.
    pub(super) fn numbers_origin(&mut self, list: &[Const]) -> TaintId {
        let is_character = |part: &Const| matches!(part, Const::Number(number) if number.fract() == 0.0 && (0.0..1_114_112.0).contains(number));
        if list.len() < LONG_SEQUENCE || !list.iter().all(is_character) {
            return 0;
        }
        self.origin(Kind::Numbers, "a long list of numbers".into())
    }

    /// The origin of a literal whose characters are taken one by one.
    pub(super) fn letters_origin(&mut self, of: &Value) -> TaintId {
        let is_long = of.as_whole_text().is_some_and(|text| text.len() >= LONG_SEQUENCE);
        if is_long { self.origin(Kind::Numbers, "the characters of a literal".into()) } else { 0 }
    }

    /// Numbers combined as ciphers do it: those of a file are deciphered.
    pub(super) fn deciphered(&mut self, taint: TaintId) -> TaintId {
        if self.taints.source(taint, Kind::File).is_none() {
            return taint;
        }
        let origin = self.origin(Kind::Decoded, "numbers of a file".into());
        self.taints.union(taint, origin)
    }

    /// Conversions between characters and their numbers.
    pub(super) fn character_effect(
        &mut self,
        effect: Effect,
        first: &Value,
        called: &Called,
    ) -> Option<Value> {
        match effect {
            Effect::Bytes => Some(self.bytes_of(first, called)),
            Effect::CharacterNumber => Some(self.character_number(first)),
            // With a base, the digits are those of a text.
            Effect::ParsedNumber => {
                let has_base = called.at(1).is_some();
                Some(Value::tainted(if has_base { self.taint_of(first) } else { 0 }))
            }
            _ => None,
        }
    }

    /// `bytes(...)`: of a text the text, of numbers the characters.
    pub(super) fn bytes_of(&mut self, first: &Value, called: &Called) -> Value {
        let numbers = self.constant_items(first);
        let is_list =
            numbers.is_some() || self.object(first.object).is_some_and(|object| !object.items.is_empty());
        let constant = numbers.as_deref().and_then(fold::raw_bytes);
        let mut value = self.same(first, called);
        if is_list {
            value.taint = self.taint_of(first);
            let from_file = self.taints.source(value.taint, Kind::File).is_some();
            let is_long = matches!(&constant, Some(Const::Text(text)) if text.len() >= CONCEALED);
            if is_long || from_file && constant.is_none() {
                let origin = self.origin(Kind::Decoded, "numbers of characters".into());
                value.taint = self.taints.union(value.taint, origin);
            }
            value.constant = self.folded(constant);
            value.object = 0;
        }
        value
    }

    /// `ord(character)`.
    pub(super) fn character_number(&mut self, of: &Value) -> Value {
        let mut taint = self.taint_of(of);
        let letters = self.letters_origin(of);
        taint = self.taints.union(taint, letters);
        let constant = of.as_whole_text().and_then(|text| {
            let mut characters = std::str::from_utf8(text).ok()?.chars();
            let first = characters.next()?;
            characters.next().is_none().then(|| Const::Number(f64::from(u32::from(first))))
        });
        Value { constant, taint, ..Value::default() }
    }

    /// A constant list and another sequence, whose elements stay apart.
    pub(super) fn sum_of_lists(&mut self, left: &Value, right: &Value) -> Option<Value> {
        let is_list = |value: &Value| matches!(value.constant, Some(Const::List(_)));
        if !is_list(left) && !is_list(right) {
            return None;
        }
        let taint = self.taint_of_all([left, right]);
        let object = self.new_object();
        for value in [left, right] {
            match &value.constant {
                Some(Const::List(list)) => {
                    for part in list.iter().take(MOST_ITEMS) {
                        self.push_item(object, &Value::constant(part.clone()));
                    }
                }
                _ => {
                    let element = self.element(value);
                    self.push_item(object, &element);
                }
            }
        }
        self.add_taint(object, taint);
        Some(Value { object, taint, ..Value::default() })
    }

    /// A list of pairs with unknown keys and the values of a mapping.
    pub(super) fn pairs(&mut self, mapping: &Value) -> Value {
        let value = self.element(mapping);
        let pair = self.new_object();
        self.push_item(pair, &Value::default());
        self.push_item(pair, &value);
        let list = self.new_object();
        self.push_item(list, &Value { object: pair, ..Value::default() });
        Value { object: list, taint: self.taint_of(mapping), ..Value::default() }
    }

    /// Elements of a list or values of a mapping, names of secrets first.
    pub(super) fn parts(&self, object: u32) -> Vec<Value> {
        let Some(object) = self.object(object).filter(|object| !object.is_scope) else { return Vec::new() };
        let mut parts: Vec<&Value> = object.items.iter().take(MOST_ITEMS).collect();
        if parts.is_empty() {
            let mut fields: Vec<(&Sym, &Value)> = object.fields.iter().collect();
            fields.sort_unstable_by_key(|field| *field.0);
            parts = fields.into_iter().take(MOST_ITEMS).map(|field| field.1).collect();
        }
        // Each part is classified once, and only those that are given are copied.
        let is_secret = |value: &&Value| value.texts().any(|text| paths::classify(text).is_some());
        let (secrets, others): (Vec<&Value>, Vec<&Value>) = parts.into_iter().partition(is_secret);
        secrets.into_iter().chain(others).take(8).cloned().collect()
    }

    /// Any element of a sequence.
    pub(super) fn element(&mut self, of: &Value) -> Value {
        if let Some(Const::List(list)) = &of.constant {
            let mut joined = Value { taint: of.taint, ..Value::default() };
            // Names of secrets first, since only some alternatives are kept.
            let is_secret =
                |constant: &&Const| matches!(constant, Const::Text(text) if paths::classify(text).is_some());
            let secrets = list.iter().take(MOST_ITEMS).filter(is_secret);
            for constant in secrets.chain(list.iter()).take(crate::bounds::MOST_ALTERNATIVES) {
                joined.or(&Value::constant(constant.clone()), &mut self.taints);
            }
            return joined;
        }
        // An entry of a folder stands for all of them, and so does a pattern of paths.
        let stands =
            |text: &[u8]| crate::value::has_hole(text) || text.contains(&b'*') && text.contains(&b'/');
        // The paths that a generator gives have no list around them.
        let is_path = |text: &[u8]| text.contains(&b'/') && paths::classify(text).is_some();
        if of.as_text().is_some_and(|text| text.len() < 512 && (stands(text) || is_path(text))) {
            return of.clone();
        }
        let (own, letters) = (self.taint_of(of), self.letters_origin(of));
        let taint = self.taints.union(own, letters);
        let mut joined = Value { taint, ..Value::default() };
        let parts = self.parts(of.object);
        for item in &parts {
            joined.or(item, &mut self.taints);
        }
        self.note_siblings(&parts);
        if joined.constant.is_none() {
            joined.identity = self.fresh_identity(of.identity);
        }
        joined
    }
}
