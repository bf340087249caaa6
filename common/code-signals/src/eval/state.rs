//! Scopes, objects, and identities of values.

use std::hash::{BuildHasher, Hash, Hasher};
use std::rc::Rc;

use foldhash::fast::FixedState;

use super::Machine;
use crate::bounds::{MOST_FOLDED, MOST_OBJECTS};
use crate::ir::{Const, FnId, Function, StoreMode, Sym};
use crate::names::PathId;
use crate::value::{Kind, Object, ObjectId, Source, TaintId, Value, has_hole};

/// Scopes around each other, and bases of a class, that are searched.
const MOST_AROUND: usize = 24;

impl Machine<'_> {
    /// Adds the functions of a unit.
    pub(crate) fn add_functions(&mut self, functions: Vec<Function>) -> FnId {
        let base = u32::try_from(self.functions.len()).unwrap_or(u32::MAX);
        self.environments.resize(self.functions.len() + functions.len(), 0);
        self.executed.resize(self.functions.len() + functions.len(), false);
        self.functions.extend(functions.into_iter().map(Rc::new));
        base
    }

    /// The set of one origin at the current place.
    pub(crate) fn origin(&mut self, kind: Kind, detail: String) -> TaintId {
        self.origin_with(kind, detail, None, &[])
    }

    pub(crate) fn origin_with(
        &mut self,
        kind: Kind,
        detail: String,
        endpoint: Option<Rc<crate::endpoint::Endpoint>>,
        own: &'static [&'static str],
    ) -> TaintId {
        let key = (kind, self.file, self.line, self.time);
        let number = match self.source_numbers.get(&key) {
            Some(number) => *number,
            None => {
                let number = u32::try_from(self.sources.len()).unwrap_or(0);
                let detail = crate::findings::shorten(&detail).into();
                let (file, line) = (self.file, self.line);
                self.sources.push(Source { kind, file, line, detail, endpoint, own });
                self.source_numbers.insert(key, number);
                number
            }
        };
        self.taints.one(kind, number)
    }

    pub(crate) fn new_object(&mut self) -> ObjectId {
        if self.objects.len() >= MOST_OBJECTS {
            return 0;
        }
        let number = u32::try_from(self.objects.len()).unwrap_or(0);
        self.objects.push(Object::default());
        number
    }

    pub(crate) fn new_scope(&mut self, parent: ObjectId) -> ObjectId {
        let scope = self.new_object();
        if let Some(object) = self.object_mut(scope) {
            object.parent = parent;
            object.is_scope = true;
        }
        scope
    }

    pub(crate) fn object(&self, id: ObjectId) -> Option<&Object> {
        if id == 0 { None } else { self.objects.get(id as usize) }
    }

    pub(crate) fn object_mut(&mut self, id: ObjectId) -> Option<&mut Object> {
        if id == 0 { None } else { self.objects.get_mut(id as usize) }
    }

    /// Sets a field; a former value stays possible if this one has no constant.
    pub(crate) fn set_field(&mut self, id: ObjectId, name: Sym, value: Value) {
        let taint = self.taint_of(&value);
        let Some(object) = self.objects.get_mut(id as usize).filter(|_| id != 0) else { return };
        object.taint = self.taints.union(object.taint, taint);
        object.fields.insert(name, value);
    }

    pub(crate) fn add_field(&mut self, id: ObjectId, name: Sym, value: &Value) {
        let mut joined =
            self.object(id).and_then(|object| object.fields.get(&name)).cloned().unwrap_or_default();
        joined.or(value, &mut self.taints);
        self.set_field(id, name, joined);
    }

    pub(crate) fn store(&mut self, scope: ObjectId, name: Sym, value: Value, mode: StoreMode) {
        if mode == StoreMode::Declare {
            return self.set_field(scope, name, value);
        }
        let mut target = scope;
        let mut current = scope;
        for _ in 0..MOST_AROUND {
            let Some(object) = self.object(current) else { break };
            if object.fields.contains_key(&name) {
                target = current;
                break;
            }
            current = object.parent;
        }
        if mode == StoreMode::Add {
            self.add_field(target, name, &value);
        } else {
            self.set_field(target, name, value);
        }
    }

    /// A variable of this scope or those around it.
    pub(crate) fn lookup(&self, scope: ObjectId, name: Sym) -> Option<&Value> {
        let mut current = scope;
        for _ in 0..MOST_AROUND {
            let object = self.object(current)?;
            if let Some(value) = object.fields.get(&name) {
                return Some(value);
            }
            current = object.parent;
        }
        None
    }

    /// A member of an object, its class or their bases; true if the object is an instance or plain.
    pub(crate) fn member(&self, id: ObjectId, name: Sym) -> Option<(&Value, bool)> {
        let is_instance = self.object(id).is_some_and(|object| !object.is_scope);
        let mut current = id;
        for _ in 0..MOST_AROUND {
            let object = self.object(current)?;
            if let Some(value) = object.fields.get(&name) {
                return Some((value, is_instance));
            }
            current = object.class;
        }
        None
    }

    /// All origins of a value, with those of the parts of its object.
    pub(crate) fn taint_of(&mut self, value: &Value) -> TaintId {
        if value.object == 0 || value.has_function() {
            return value.taint;
        }
        let inner = match self.objects.get(value.object as usize) {
            // Modules and classes are code, not data.
            Some(object) if object.is_scope => 0,
            Some(object) => object.taint,
            None => 0,
        };
        self.taints.union(value.taint, inner)
    }

    pub(crate) fn taint_of_all<'v>(&mut self, values: impl IntoIterator<Item = &'v Value>) -> TaintId {
        let mut all = 0;
        for value in values {
            let taint = self.taint_of(value);
            all = self.taints.union(all, taint);
        }
        all
    }

    /// Identity of a path or address: equal for equal texts, and for the same unknown value.
    pub(crate) fn identity(&self, value: &Value) -> u64 {
        match value.as_text() {
            Some(text) if text.as_ref() != crate::ir::HOLE => {
                let text = text.strip_prefix(b"./").unwrap_or(text);
                FixedState::with_seed(11).hash_one(text)
            }
            _ => value.identity,
        }
    }

    /// Identity of the result of the current instruction.
    pub(crate) fn fresh_identity(&self, with: u64) -> u64 {
        FixedState::with_seed(13).hash_one((self.file, self.line, with))
    }

    /// A number that differs for arguments with different results.
    pub(crate) fn fingerprint(&self, value: &Value, into: &mut impl Hasher) {
        (value.path, value.function, value.scope, value.object, value.taint, value.identity).hash(into);
        let taint = self.object(value.object).map_or(0, |object| object.taint);
        taint.hash(into);
        match &value.constant {
            Some(Const::Text(text)) => text.hash(into),
            Some(Const::Number(number)) => number.to_bits().hash(into),
            Some(Const::List(list)) => list.len().hash(into),
            None => 0.hash(into),
        }
        value.others.as_ref().map_or(0, |others| others.len()).hash(into);
    }

    /// Counts the bytes of a folded constant; without budget it is not kept.
    pub(crate) fn folded(&mut self, constant: Option<Const>) -> Option<Const> {
        let length = match &constant {
            Some(Const::Text(text)) => text.len(),
            Some(Const::List(list)) => list.len() * 16,
            _ => 0,
        };
        self.folded += length;
        constant.filter(|_| self.folded <= MOST_FOLDED)
    }

    pub(crate) fn text_of(&self, value: &Value) -> String {
        value.as_text().map(|text| String::from_utf8_lossy(text).into_owned()).unwrap_or_default()
    }

    pub(crate) fn path_text(&self, path: PathId) -> &str {
        self.paths.text(path)
    }

    /// A text with the data of the values in its holes.
    pub(crate) fn hole_taint(&self, text: &[u8], unit: u32) -> TaintId {
        let hole = self.units.get(unit as usize).map_or(0, |unit| unit.hole);
        if hole != 0 && has_hole(text) { hole } else { 0 }
    }
}
