//! Secrets that callers and users of pages entrust to the code, and requests whose reply nobody reads.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::calls::Called;
use super::{Frame, Machine};
use crate::api::Effect;
use crate::chains::Handover;
use crate::endpoint::{Endpoint, Reputation};
use crate::ir::{Function, Op, Reg, Sym};
use crate::secrets::{self, SecretName};
use crate::source::Language;
use crate::value::{Kind, ObjectId, SourceId, TaintId, Value};

/// What is known about secrets of callers.
#[derive(Debug, Default)]
pub(crate) struct Entrusted {
    /// Classes of names, by their numbers.
    classes: Vec<Option<SecretName>>,
    /// Requests whose reply or error is used.
    pub(crate) answered: BTreeSet<SourceId>,
    /// Secrets that are used as keys of cryptography.
    pub(crate) keys: BTreeSet<SourceId>,
    pub(crate) handovers: Vec<Handover>,
    /// Errors of the current instruction are reported to nobody.
    pub(crate) quiet: bool,
}

/// Members of replies and requests that do not tell what the reply is.
const NEUTRAL: [&str; 28] = [
    "on",
    "once",
    "end",
    "write",
    "close",
    "read",
    "resume",
    "catch",
    "then",
    "finally",
    "send",
    "setRequestHeader",
    "setHeader",
    "destroy",
    "unref",
    "abort",
    "add_header",
    "getresponse",
    "setTimeout",
    "set_timeout",
    "sendto",
    "sendall",
    "connect",
    "request",
    "post",
    "open",
    "shutdown",
    "release",
];

/// Parts of the names of functions whose result holds their arguments.
const CONVERSIONS: [&str; 36] = [
    "encode", "decode", "string", "dump", "serial", "hex", "base", "bytes", "from", "join", "concat",
    "format", "escape", "encrypt", "pack", "compress", "gzip", "deflate", "quote", "str", "copy", "assign",
    "slice", "split", "sub", "clone", "buffer", "headers", "formdata", "params", "blob", "push", "append",
    "b58", "b64", "btoa",
];

/// Methods that put data into their object.
const PUTS: [&str; 8] = ["set", "add", "put", "update", "write", "unshift", "insert", "extend"];

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

    fn is_script(&self) -> bool {
        matches!(self.current_language, Language::JavaScript | Language::TypeScript)
    }

    fn kind_of(class: SecretName) -> Kind {
        if class == SecretName::Token { Kind::Token } else { Kind::Entrusted }
    }

    /// Parameters with the names of secrets are secrets of the caller.
    pub(super) fn entrust_parameters(&mut self, function: &Function, scope: ObjectId) {
        for class in [SecretName::Secret, SecretName::Token, SecretName::Key] {
            for parameter in function.parameters.iter().copied() {
                if self.class_of(parameter) != class {
                    continue;
                }
                let given = self.object(scope).and_then(|object| object.fields.get(&parameter));
                let mut value = given.cloned().unwrap_or_default();
                if value.constant.is_some() || value.has_function() || value.path != 0 {
                    continue;
                }
                let site = (self.file, self.line);
                self.file = self.units.get(function.unit as usize).map_or(self.file, |unit| unit.file);
                self.line = function.code.first().map_or(self.line, |first| first.line);
                let detail = format!("the parameter {}", self.names.text(parameter));
                let taint = self.origin(Self::kind_of(class), detail);
                (self.file, self.line) = site;
                value.taint = self.taints.union(value.taint, taint);
                self.set_field(scope, parameter, value);
            }
        }
    }

    /// The value of a member that by its name is a secret, or a field of a page.
    pub(super) fn member_of_caller(&mut self, frame: &Frame, of: Reg, name: Sym, mut value: Value) -> Value {
        if value.constant.is_some() || value.has_function() || value.object != 0 {
            return value;
        }
        let text = self.names.text(name);
        if matches!(text, "length" | "size") {
            return self.without_secrets(value);
        }
        if self.is_script()
            && matches!(text, "value" | "key" | "cookie")
            && let Some(detail) = self.field_of_page(frame, of, name)
        {
            let taint = self.origin(Kind::Entrusted, detail.into());
            value.taint = self.taints.union(value.taint, taint);
            return value;
        }
        let class = self.class_of(name);
        let is_member = value.path == 0 || self.paths.text(value.path).contains("()");
        if matches!(class, SecretName::None | SecretName::Key)
            || !is_member
            || self.taints.source(value.taint, Kind::Fetched).is_some()
        {
            return value;
        }
        let detail = format!("the member {}", self.names.text(name));
        let taint = self.origin(Self::kind_of(class), detail);
        value.taint = self.taints.union(value.taint, taint);
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
            "cookie" => (holder == "document").then_some("the cookies of the page"),
            "key" => EVENTS.contains(&holder).then_some("a pressed key"),
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
        let name = match called.method {
            Some(method) => self.names.text(method).to_owned(),
            None => self.paths.text(called.callee.path).rsplit('.').next().unwrap_or_default().to_owned(),
        };
        let lower = name.to_ascii_lowercase();
        if let Some(source) = self.taints.source(given, Kind::Entrusted)
            && (["hmac", "cipher", "sign", "fernet"].iter().any(|part| lower.contains(part))
                || self.paths.text(called.callee.path).contains("hmac."))
        {
            self.entrusted.keys.insert(source);
        }
        if self.is_script() && name == "FormData" && !called.arguments.is_empty() {
            return self.origin(Kind::Entrusted, "the fields of a form".into());
        }
        if secrets::gives_secret(&name) {
            return self.origin(Kind::Entrusted, format!("the result of {name}"));
        }
        0
    }

    /// True for unknown functions whose result is another form of their arguments, or that put them into their object.
    pub(super) fn converts(&self, called: &Called) -> bool {
        let name = match called.method {
            Some(method) => self.names.text(method),
            None => self.paths.text(called.callee.path).rsplit('.').next().unwrap_or_default(),
        };
        let name = name.to_ascii_lowercase();
        let converts = |name: &str| CONVERSIONS.iter().any(|part| name.contains(part));
        PUTS.contains(&name.as_str()) || converts(&name) && !name.contains("key")
    }

    pub(super) fn taint_without_secrets(&mut self, taint: TaintId) -> TaintId {
        let taint = self.taints.without(taint, Kind::Entrusted);
        self.taints.without(taint, Kind::Token)
    }

    pub(super) fn without_secrets(&mut self, value: Value) -> Value {
        Value { taint: self.taint_without_secrets(value.taint), ..value }
    }

    /// Notes that data of a reply is used.
    pub(super) fn answer(&mut self, taint: TaintId) {
        if let Some(source) = self.taints.source(taint, Kind::Fetched) {
            self.entrusted.answered.insert(source);
        }
    }

    pub(super) fn answer_attribute(&mut self, of: &Value, name: Sym) {
        if of.taint != 0 && !NEUTRAL.contains(&self.names.text(name)) {
            self.answer(of.taint);
        }
    }

    /// Notes replies that are given to functions, and handlers of errors that pass them on.
    pub(super) fn answer_call(&mut self, called: &Called) {
        let effect = self.paths.effect(called.callee.path);
        if !matches!(effect, Some(Effect::Network | Effect::Connection | Effect::Apply)) {
            for value in called.values() {
                self.answer(value.taint);
            }
        }
        let (Some(receiver), Some(method)) = (&called.receiver, called.method) else { return };
        if receiver.taint == 0 {
            return;
        }
        let handler = match self.names.text(method) {
            "catch" => called.at(0),
            "on" | "once"
                if called.at(0).and_then(Value::as_whole_text).is_some_and(|text| &**text == b"error") =>
            {
                called.at(1)
            }
            _ => return,
        };
        let is_noted = handler.is_some_and(|handler| {
            let function = self.functions.get(handler.function.wrapping_sub(1) as usize);
            function.is_none_or(|function| !function.parameters.is_empty() && function.code.len() > 2)
        });
        if is_noted {
            self.answer(receiver.taint);
        }
    }

    /// Keeps a request for the rule of entrusted secrets.
    pub(super) fn hand_over(&mut self, called: &Called, endpoint: Option<&Endpoint>, reply: TaintId) {
        let Some(endpoint) = endpoint else { return };
        let given = self.taint_of_all(called.values());
        let has = |machine: &Self, taint, kind| machine.taints.source(taint, kind).is_some();
        if !has(self, given, Kind::Entrusted) && !has(self, given, Kind::Token) {
            return;
        }
        // Elsewhere an error that is not caught reaches the caller.
        let raises = matches!(self.current_language, Language::Python | Language::Ruby);
        if raises && !self.entrusted.quiet {
            return;
        }
        let content = self.content_taint(called);
        let is_address =
            |value: &&Value| value.texts().any(|text| memchr::memmem::find(text, b"://").is_some());
        let addresses: Vec<Value> = called.values().filter(is_address).cloned().collect();
        let address = self.taint_of_all(&addresses);
        // Bots and webhooks have their token in their address.
        let is_bot = endpoint.reputation == Reputation::Drop && has(self, address, Kind::Token);
        let content = if is_bot { self.taints.without(content, Kind::Token) } else { content };
        let held = called.receiver.as_ref().map_or(0, |receiver| receiver.taint);
        let replies = [reply, held].into_iter().filter_map(|taint| self.taints.source(taint, Kind::Fetched));
        let replies = replies.collect();
        self.keep_handover(endpoint, given, content, replies);
    }

    /// An image or script whose address holds data is a request.
    pub(super) fn load_image(&mut self, of: u32, name: Sym, value: &Value) {
        if !self.is_script() || self.names.text(name) != "src" {
            return;
        }
        let is_element = matches!(self.paths.text(of), "Image()" | "document.createElement()");
        let has_secret = self.taints.source(value.taint, Kind::Entrusted).is_some();
        if let Some(endpoint) =
            self.endpoint_among(&[value]).map(Rc::new).filter(|_| is_element && has_secret)
        {
            self.keep_handover(&endpoint, value.taint, value.taint, Vec::new());
        }
    }
}
