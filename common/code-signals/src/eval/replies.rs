//! Requests with secrets of callers whose reply is not read.

use std::rc::Rc;

use super::calls::Called;
use super::{Frame, Machine};
use crate::api::Effect;
use crate::endpoint::{Endpoint, Reputation};
use crate::ir::{Op, Reg, Sym};
use crate::source::Language;
use crate::value::{Kind, TaintId, Value};

/// Members of replies and requests that do not tell what the reply is.
const NEUTRAL: [&str; 31] = [
    "start",
    "daemon",
    "join",
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

impl Machine<'_> {
    /// Notes that data of a reply is used.
    pub(super) fn answer(&mut self, taint: TaintId) {
        if let Some(source) = self.taints.source(taint, Kind::Fetched) {
            self.entrusted.answered.insert(source);
        }
    }

    /// Replies that functions give to users of the package.
    pub(super) fn answer_returned(&mut self) {
        for (function, taint) in std::mem::take(&mut self.entrusted.returned) {
            if !self.entrusted.called.contains(function) {
                self.answer(taint);
            }
        }
    }

    /// Notes replies that an instruction other than a call uses.
    pub(super) fn answer_operation(&mut self, frame: &Frame, operation: &Op) {
        let taint = |register: Reg| frame.registers.get(register as usize).map_or(0, |value| value.taint);
        if self.current_language == Language::Go {
            // Errors are results, which are taken apart and compared before they are given on.
            match operation {
                Op::Return(value) => return self.answer(taint(*value)),
                Op::Index { .. } | Op::Binary { .. } => return,
                Op::Attribute { name, .. } if matches!(self.names.text(*name), "Body" | "Close") => return,
                _ => {}
            }
        }
        match operation {
            Op::Attribute { of, name } => {
                let taint = taint(*of);
                // Few values are replies, so that most names are not looked at.
                let is_reply = self.taints.source(taint, Kind::Fetched).is_some();
                if is_reply && !NEUTRAL.contains(&self.names.text(*name)) {
                    self.answer(taint);
                }
            }
            Op::Index { of: value, .. } | Op::Element(value) | Op::SetAttribute { value, .. } => {
                self.answer(taint(*value));
            }
            // An error of a promise is thrown where the promise is awaited.
            Op::Await(value) if !self.entrusted.quiet => self.answer(taint(*value)),
            Op::Binary { left, right, .. } => {
                self.answer(taint(*left));
                self.answer(taint(*right));
            }
            Op::Concat(span) => {
                let registers = frame.function.registers.get(span.0 as usize..span.1 as usize);
                for register in registers.unwrap_or_default() {
                    self.answer(taint(*register));
                }
            }
            _ => {}
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
        let header = self.unusual_header(called);
        let content = self.taints.union(content, header);
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

    /// Origins of headers that do not prove by their name who the sender is.
    fn unusual_header(&mut self, called: &Called) -> TaintId {
        const PROOFS: [&str; 7] = ["auth", "token", "key", "cookie", "secret", "session", "credential"];
        let name = self.names.of("headers");
        let given = called.arguments.iter().find(|given| given.keyword == Some(name));
        let options = called.values().filter_map(|value| self.object(value.object));
        let option = options.filter(|object| !object.is_scope).find_map(|object| object.fields.get(&name));
        let Some(headers) = given.map(|given| &given.value).or(option) else { return 0 };
        let Some(headers) = self.object(headers.object).filter(|object| !object.is_scope) else { return 0 };
        let is_proof = |name: &str| PROOFS.iter().any(|proof| name.to_ascii_lowercase().contains(proof));
        let unusual = headers.fields.iter().filter(|(name, _)| !is_proof(self.names.text(**name)));
        let values: Vec<Value> = unusual.map(|(_, value)| value.clone()).collect();
        self.taint_of_all(&values)
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
