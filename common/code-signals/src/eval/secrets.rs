//! Secrets that callers and users of pages entrust to the code.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::calls::Called;
use super::words::{Numbers, Words, WordsOfNames};
use super::{Frame, Machine};
use crate::chains::Handover;
use crate::ir::{FnId, Function, Op, Reg, Sym};
use crate::secrets::{self, SecretName};
use crate::source::Language;
use crate::value::{Kind, ObjectId, SourceId, TaintId, Value};

/// What is known about secrets of callers.
#[derive(Debug, Default)]
pub(crate) struct Entrusted {
    /// Classes of names, by their numbers.
    classes: Vec<Option<SecretName>>,
    /// Words of names of functions.
    pub(super) words: WordsOfNames,
    /// Requests whose reply or error is used.
    pub(crate) answered: Numbers,
    /// Secrets that are used as keys of cryptography.
    pub(crate) keys: BTreeSet<SourceId>,
    pub(crate) handovers: Vec<Handover>,
    /// Functions that the code calls.
    pub(super) called: Numbers,
    /// Functions without a known caller when they were executed, with the replies that they return.
    pub(super) returned: Vec<(FnId, TaintId)>,
    /// Errors of the current instruction are suppressed.
    pub(crate) quiet: bool,
}

/// Names of variables that hold an element of a page.
const ELEMENTS: [&str; 10] =
    ["el", "elem", "element", "input", "field", "textarea", "inp", "target", "node", "control"];

/// Names of variables that hold an event of a page.
const EVENTS: [&str; 4] = ["e", "ev", "evt", "event"];

impl Machine<'_> {
    fn class_of(&mut self, name: Sym) -> SecretName {
        let index = name as usize;
        if let Some(Some(class)) = self.entrusted.classes.get(index) {
            return *class;
        }
        let class = secrets::classify(self.names.text(name));
        if self.entrusted.classes.len() <= index {
            self.entrusted.classes.resize(index + 1, None);
        }
        if let Some(slot) = self.entrusted.classes.get_mut(index) {
            *slot = Some(class);
        }
        class
    }

    pub(super) fn is_script(&self) -> bool {
        matches!(self.current_language, Language::JavaScript | Language::TypeScript)
    }

    fn kind_of(class: SecretName) -> Kind {
        if class == SecretName::Token { Kind::Token } else { Kind::Entrusted }
    }

    /// Parameters with the names of secrets are secrets of the caller.
    pub(super) fn entrust_parameters(&mut self, function: &Function, scope: ObjectId) {
        // Most functions have no such parameter.
        if !function.parameters.iter().any(|parameter| self.class_of(*parameter) != SecretName::None) {
            return;
        }
        for class in [SecretName::Secret, SecretName::Token, SecretName::Key] {
            for parameter in function.parameters.iter().copied() {
                if self.class_of(parameter) != class {
                    continue;
                }
                let given = self.object(scope).and_then(|object| object.fields.get(&parameter));
                let mut value = given.cloned().unwrap_or_default();
                let kind = Self::kind_of(class);
                let known = self.taint_of(&value);
                let is_known = self.taints.source(known, kind).is_some();
                let is_name = value.path != 0 && !self.paths.text(value.path).contains("()");
                if value.constant.is_some() || value.has_function() || is_name || is_known {
                    continue;
                }
                let site = (self.file, self.line);
                self.file = self.units.get(function.unit as usize).map_or(self.file, |unit| unit.file);
                self.line = function.code.first().map_or(self.line, |first| first.line);
                let detail = format!("the parameter {}", self.names.text(parameter));
                let taint = self.origin(kind, detail);
                (self.file, self.line) = site;
                value.taint = self.taints.union(value.taint, taint);
                self.set_field(scope, parameter, value);
            }
        }
    }

    /// The value of a member that by its name is a secret, or a field of a page.
    pub(super) fn member_of_caller(&mut self, frame: &Frame, of: Reg, name: Sym, mut value: Value) -> Value {
        // A property of Python is a function that is not called by its name.
        let is_property = value.has_function() && self.current_language == Language::Python;
        if value.constant.is_some() || value.object != 0 && !is_property {
            return value;
        }
        let text = self.names.text(name);
        if matches!(text, "length" | "size") {
            return self.without_secrets(value);
        }
        if self.is_script()
            && matches!(text, "value" | "key" | "keyCode" | "which" | "charCode" | "cookie")
            && let Some(detail) = self.field_of_page(frame, of, name)
        {
            let taint = self.origin(Kind::Entrusted, detail.into());
            value.taint = self.taints.union(value.taint, taint);
            return value;
        }
        if self.paths.text(value.path) == "document.cookie" {
            value.taint = self.taints.without(value.taint, Kind::Header);
        }
        if !matches!(self.class_of(name), SecretName::Secret | SecretName::Token) {
            return value;
        }
        // A parameter without a value is read as the name itself.
        let path = self.paths.text(value.path);
        let root = path.split('.').next().unwrap_or_default();
        let is_member = value.path == 0
            || path.contains("()")
            || frame.function.parameters.iter().any(|parameter| self.names.text(*parameter) == root);
        if is_member { self.member_secret(name, value) } else { value }
    }

    /// The value of a member or element that by its name is a secret.
    pub(super) fn member_secret(&mut self, name: Sym, mut value: Value) -> Value {
        let class = self.class_of(name);
        let is_property = value.has_function() && self.current_language == Language::Python;
        let is_known =
            value.constant.is_some() || (value.has_function() || value.object != 0) && !is_property;
        if is_known || !matches!(class, SecretName::Secret | SecretName::Token) {
            return value;
        }
        if self.taints.source(value.taint, Kind::Fetched).is_some() {
            return value;
        }
        let kind = Self::kind_of(class);
        let detail = format!("the member {}", self.names.text(name));
        let taint = self.origin(kind, detail);
        // The secret of a key says more than the key.
        let around = self.taints.without(value.taint, kind);
        value.taint = self.taints.union(around, taint);
        value
    }

    /// What a member of a page is: cookies, the content of a field, a pressed key.
    fn field_of_page(&self, frame: &Frame, of: Reg, name: Sym) -> Option<&'static str> {
        let operation = |register: Reg| frame.function.code.get(register as usize).map(|one| &one.op);
        let holder = match operation(of)? {
            Op::Load(name) | Op::Attribute { name, .. } => self.names.text(*name),
            Op::Call { callee, .. } => match operation(*callee)? {
                Op::Attribute { name, .. } => self.names.text(*name),
                _ => "",
            },
            _ => "",
        };
        match self.names.text(name) {
            // Code that looks for its own cookie takes them apart.
            "cookie" => {
                let own = u32::try_from(frame.registers.len()).unwrap_or(0);
                let following = frame.function.code.iter().skip(frame.registers.len() + 1).take(3);
                let is_read = following
                    .map(|one| &one.op)
                    .any(|op| matches!(op, Op::Attribute { of, .. } if *of == own));
                (holder == "document" && !is_read).then_some("the cookies of the page")
            }
            "key" | "keyCode" | "which" | "charCode" => EVENTS.contains(&holder).then_some("a pressed key"),
            _ => {
                let is_element = ELEMENTS.contains(&holder)
                    || matches!(holder, "currentTarget" | "activeElement" | "srcElement")
                    || holder.starts_with("querySelector")
                    || holder.starts_with("getElement");
                is_element.then_some("the content of a field of the page")
            }
        }
    }

    /// A secret that an unknown function gives, and keys of cryptography among its arguments.
    pub(super) fn secret_of_call(&mut self, called: &Called, given: TaintId) -> TaintId {
        let words = self.words_of_called(called);
        if let Some(source) = self.taints.source(given, Kind::Entrusted)
            && (words.has(Words::CIPHER) || self.paths.text(called.callee.path).contains("hmac."))
        {
            self.entrusted.keys.insert(source);
        }
        if self.is_script() && words.has(Words::FORM) && !called.arguments.is_empty() {
            return self.origin(Kind::Entrusted, "the fields of a form".into());
        }
        if self.is_script()
            && words.has(Words::VALUE)
            && called.arguments.is_empty()
            && self.paths.text(called.callee.path).contains("().")
        {
            return self.origin(Kind::Entrusted, "the content of a field of the page".into());
        }
        if words.has(Words::GETS)
            && let Some(text) = called.at(0).and_then(Value::as_whole_text).filter(|text| text.len() < 64)
        {
            let member = self.names.of(&String::from_utf8_lossy(text));
            return self.member_secret(member, Value::default()).taint;
        }
        if words.has(Words::GIVES_SECRET) {
            let name: Rc<str> = match called.method {
                Some(method) => self.names.shared(method),
                None => super::words::last_part(self.paths.text(called.callee.path)).into(),
            };
            return self.origin(Kind::Entrusted, format!("the result of {name}"));
        }
        0
    }

    /// True for unknown functions whose result is another form of their arguments, or that put them into their object.
    pub(super) fn converts(&mut self, called: &Called) -> bool {
        self.words_of_called(called).has(Words::CONVERTS)
    }

    pub(super) fn taint_without_secrets(&mut self, taint: TaintId) -> TaintId {
        let taint = self.taints.without(taint, Kind::Entrusted);
        self.taints.without(taint, Kind::Token)
    }

    pub(super) fn without_secrets(&mut self, value: Value) -> Value {
        Value { taint: self.taint_without_secrets(value.taint), ..value }
    }
}
