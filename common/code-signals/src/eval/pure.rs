//! Meanings without a change of the world: conversions, folding, functions that call functions.

use super::Machine;
use super::calls::{Called, Given};
use crate::api::{Codec, Effect};
use crate::fold;
use crate::ir::{Const, HOLE};
use crate::report::CapabilityKind;
use crate::source::Language;
use crate::value::{Kind, Value};

impl Machine<'_> {
    /// Effects without a change of the world.
    pub(super) fn pure_effect(&mut self, effect: Effect, called: &Called) -> Option<Value> {
        let first = called.at(0).cloned().unwrap_or_default();
        match effect {
            Effect::Same => Some(self.same(&first, called)),
            Effect::Whole => {
                let name = self.path_text(called.callee.path);
                if name == "enumerate" || name == "Object.entries" && first.object != 0 {
                    return Some(self.pairs(&first));
                }
                let mut value = self.same(&first, called);
                if self.path_text(called.callee.path).ends_with("Environ") {
                    value.taint = self.environment_read();
                }
                Some(value)
            }
            Effect::JoinPath => {
                let parts: Vec<Value> = called.values().cloned().collect();
                Some(self.join_path(&parts))
            }
            Effect::Home => Some(Value::text(b"~")),
            Effect::Temporary => Some(Value::text(b"/tmp")),
            Effect::SitePackages => Some(Value::text(b"/usr/lib/python*/site-packages")),
            Effect::GetAttribute if self.current_language == Language::Ruby => {
                self.send(&Value::default(), called)
            }
            Effect::GetAttribute => {
                if let Some(name) = called.at(1).cloned() {
                    self.chain_decoded_name(&name, "A member");
                }
                let name = called.at(1).and_then(Value::as_whole_text)?.clone();
                let name = self.names.of(&String::from_utf8_lossy(&name));
                Some(self.attribute(&first, name))
            }
            Effect::Globals => {
                let root = self.names.of(if self.current_language == Language::Python {
                    "builtins"
                } else {
                    "globalThis"
                });
                let path = self.paths.root(self.current_language, root, self.names);
                Some(Value {
                    path: if first.path == 0 { path } else { first.path },
                    object: first.object,
                    ..Value::default()
                })
            }
            Effect::Characters => Some(self.characters(called)),
            Effect::Map => called.at(1).cloned().map(|list| self.map_over(&first, &list)),
            Effect::Apply => Some(self.apply_given(called)),
            Effect::Bind => Some(first),
            Effect::Promise => Some(self.promise(&first)),
            Effect::Format => Some(self.format(called)),
            Effect::Reverse => Some(self.reversed(&first)),
            Effect::Buffer => {
                let object = self.new_object();
                let taint = self.taint_of_all(called.values());
                self.add_taint(object, taint);
                Some(Value { object, taint, constant: first.constant, ..Value::default() })
            }
            Effect::Digest => {
                self.call_backs(&called.arguments, &Value::default());
                Some(Value { path: self.paths.called(called.callee.path), ..Value::default() })
            }
            Effect::Quote => {
                let taint = self.taint_of(&first);
                let taint = self.taints.without(taint, Kind::Handler);
                Some(Value { taint, constant: Some(Const::Text(HOLE.into())), ..Value::default() })
            }
            Effect::Handles => Some(self.handlers(called)),
            _ => self.character_effect(effect, &first, called),
        }
    }

    /// A value that keeps constant and data, for conversions.
    pub(super) fn same(&mut self, first: &Value, called: &Called) -> Value {
        // Functions given to methods, such as `filter`, execute; those given to wrappers do not yet.
        let returned = if called.method.is_some() && first.path == 0 && !first.has_function() {
            self.call_backs(&called.arguments, first)
        } else {
            Value::default()
        };
        let mut value = Value { path: 0, ..first.clone() };
        let rest = self.taint_of_all(called.values());
        value.taint = self.taints.union(value.taint, rest);
        if first.path != 0 && first.object == 0 && first.constant.is_none() {
            value.path = self.paths.called(called.callee.path);
        }
        if returned.taint != 0 || returned.constant.is_some() {
            value.or(&returned, &mut self.taints);
        }
        value
    }

    /// `map(f, list)`: folded if the elements are known.
    pub(super) fn map_over(&mut self, function: &Value, list: &Value) -> Value {
        // An entry of a folder stands for all of them.
        let is_folder = list.as_text().is_some_and(|text| crate::value::has_hole(text));
        let constants = list.constant.as_ref().filter(|_| !is_folder).and_then(fold::elements);
        let constants = constants.or_else(|| self.constant_items(list).filter(|_| list.constant.is_none()));
        if let Some(constants) = constants.filter(|list| list.len() <= 16_384) {
            let results: Option<Vec<Const>> =
                constants.into_iter().map(|element| self.map_element(function, element)).collect();
            if let Some(results) = results {
                let constant = self.folded(Some(Const::List(results.into())));
                let (own, letters) = (self.taint_of(list), self.letters_origin(list));
                return Value { constant, taint: self.taints.union(own, letters), ..Value::default() };
            }
        }
        let element = self.element(list);
        let given = Called {
            callee: function.clone(),
            receiver: None,
            method: None,
            arguments: vec![Given::plain(element)],
            constructs: false,
        };
        let result = self.called(&given);
        let taint = self.taint_of(&result);
        let object = self.new_object();
        self.push_item(object, &result);
        Value { object, taint, ..Value::default() }
    }

    pub(super) fn map_element(&mut self, function: &Value, element: Const) -> Option<Const> {
        let arguments = vec![Given::plain(Value::constant(element))];
        if function.has_function() {
            if self.steps == 0 {
                return None;
            }
            // Each element is a call of its own, without the memo that would grow by it.
            let id = function.function - 1;
            let following = std::mem::replace(&mut self.following, true);
            let result = self.run_function(id, function.scope, function.object, &arguments);
            self.following = following;
            return result.constant;
        }
        let called =
            Called { callee: function.clone(), receiver: None, method: None, arguments, constructs: false };
        self.called(&called).constant
    }

    /// Starts a function in a thread, at exit or later: it executes with its arguments.
    pub(super) fn apply_given(&mut self, called: &Called) -> Value {
        let taint = self.taint_of_all(called.values());
        let tuple = called
            .arguments
            .iter()
            .find(|given| given.keyword.is_some_and(|name| self.names.text(name) == "args"));
        let arguments = match tuple {
            Some(tuple) => vec![Given { keyword: None, value: tuple.value.clone(), spread: true }],
            None => called.arguments.iter().skip(1).cloned().collect(),
        };
        let functions: Vec<Value> = called.values().filter(|value| value.has_function()).cloned().collect();
        let mut result = Value::tainted(taint);
        // An error in a thread does not reach its starter.
        let quiet = std::mem::replace(&mut self.entrusted.quiet, true);
        for function in functions {
            let returned = self.apply(&function, &arguments);
            result.or(&returned, &mut self.taints);
        }
        self.entrusted.quiet = quiet;
        result
    }

    /// The value of a promise is the value that it is resolved with, so waiting for it changes nothing.
    pub(super) fn promise(&mut self, executor: &Value) -> Value {
        let cell = self.new_object();
        let resolve = self.names.of("%resolve");
        let path = self.paths.root(self.current_language, resolve, self.names);
        let resolve = Value { path, scope: cell, ..Value::default() };
        if executor.has_function() {
            self.apply(executor, &[Given::plain(resolve.clone()), Given::plain(resolve)]);
        }
        let value = self.object(cell).and_then(|object| object.fields.get(&self.known.value)).cloned();
        value.unwrap_or_else(|| Value { object: cell, ..Value::default() })
    }

    /// Formatting: the form is a text in which the arguments replace their places in order.
    pub(super) fn format(&mut self, called: &Called) -> Value {
        let taint = self.taint_of_all(called.values());
        let receiver = called.receiver.as_ref().filter(|receiver| receiver.as_text().is_some());
        let (form, values): (Value, Vec<Value>) = match receiver {
            Some(form) => (form.clone(), called.values().cloned().collect()),
            None => (called.at(0).cloned().unwrap_or_default(), called.values().skip(1).cloned().collect()),
        };
        let mut values = values;
        // The operator of Python has a tuple of the values, and adds a hole for those that are missing.
        let is_tuple = |first: &Value| {
            matches!(first.constant, Some(Const::List(_)))
                || self.object(first.object).is_some_and(|object| !object.items.is_empty())
        };
        if self.path_text(called.callee.path) == "%format" && values.first().is_some_and(is_tuple) {
            values.truncate(1);
        }
        if let [only] = values.as_slice() {
            let items =
                self.object(only.object).map(|object| object.items.clone()).filter(|items| !items.is_empty());
            let list = match &only.constant {
                Some(Const::List(list)) => Some(list.iter().cloned().map(Value::constant).collect()),
                _ => items,
            };
            values = list.unwrap_or(values);
        }
        let Some(text) = form.as_text() else { return Value::tainted(taint) };
        let text = super::methods::fill(text, &values);
        let constant = self.folded(Some(Const::Text(text.into())));
        Value { constant, taint: self.taints.union(taint, form.taint), ..Value::default() }
    }

    /// `object.send(:name, ...)` of Ruby, and its relatives that only find the method or constant.
    pub(super) fn send(&mut self, receiver: &Value, called: &Called) -> Option<Value> {
        let name = called.at(0).and_then(Value::as_whole_text)?.clone();
        let name = self.names.of(&String::from_utf8_lossy(&name));
        let is_constant = self.names.text(name).starts_with(char::is_uppercase);
        let global = self.names.of("Object");
        let root = self.paths.root(self.current_language, global, self.names);
        let is_global = receiver.path == 0 && receiver.object == 0 || is_constant;
        let holder = if is_global { Value { path: root, ..Value::default() } } else { receiver.clone() };
        let member = self.attribute(&holder, name);
        let sends = called.method.is_none_or(|method| {
            self.names.text(method).ends_with("send__") || self.names.text(method).ends_with("send")
        });
        if !sends {
            return Some(member);
        }
        let arguments = called.arguments.iter().skip(1).cloned().collect();
        let direct = Called {
            callee: member,
            receiver: Some(holder),
            method: Some(name),
            arguments,
            constructs: false,
        };
        Some(self.called(&direct))
    }

    /// Decoding of data: folded for constants; data of literals and files counts as concealed code if it is executed.
    pub(super) fn decode(
        &mut self,
        codec: Codec,
        data: &Value,
        name: Option<&Value>,
        called: &Called,
    ) -> Value {
        let name = name.and_then(Value::as_whole_text).cloned();
        let undoes = match codec {
            Codec::Named | Codec::Buffer => name.as_deref().and_then(fold::decode::by_name),
            codec => Some(codec),
        };
        let Some(codec) = undoes else {
            let mut same = Value { path: 0, ..data.clone() };
            same.taint = self.taint_of(data);
            if let Some(Const::List(list)) = &data.constant {
                same.constant = fold::characters(list);
            }
            return same;
        };
        let decoded = data.as_whole_text().and_then(|text| fold::decode::decode(codec, text, None));
        let mut taint = self.taint_of(data);
        let literal = data.texts().any(|text| text.len() >= 16);
        let from_file = self.taints.source(taint, Kind::File).is_some()
            || self.taints.source(taint, Kind::Decoded).is_some();
        let detail = format!("{codec:?}").to_lowercase();
        if codec != Codec::Percent {
            self.capability(CapabilityKind::Decode, &detail);
            let conceals = literal
                || from_file && codec != Codec::Marshal
                || self.taints.source(taint, Kind::Decoded).is_some();
            let kind = if conceals { Kind::Decoded } else { Kind::Recoded };
            let origin = self.origin(kind, detail);
            taint = self.taints.union(taint, origin);
        }
        let result = Value {
            constant: self.folded(decoded.map(|bytes| Const::Text(bytes.into()))),
            taint,
            ..Value::default()
        };
        self.call_backs(&called.arguments, &result);
        result
    }
}
