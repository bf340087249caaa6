//! Functions that are given to others, and calls of unknown functions, whose result may hold any of their data.

use super::Machine;
use super::calls::{Called, Given};
use super::reply_flow::Level;
use super::words::Words;
use crate::api::Effect;
use crate::ir::Sym;
use crate::report::Time;
use crate::value::{ObjectId, TaintId, Value};

impl Machine<'_> {
    /// Calls a function that was given to an unknown one.
    pub(crate) fn call_back(&mut self, function: &Value, given: &Value) -> Value {
        let id = function.function.wrapping_sub(1);
        let Some(target) = self.functions.get(id as usize).cloned() else { return Value::default() };
        if target.entry == crate::ir::Entry::Handler {
            // Registered, not called: the requests come later.
            let site = (self.file, self.line);
            let arguments = self.entry_arguments(&target);
            (self.file, self.line) = site;
            let time = std::mem::replace(&mut self.time, Time::Call);
            self.calls.push(Level::Handler);
            self.apply(function, &arguments);
            self.calls.pop();
            self.time = time;
            return Value::default();
        }
        let count = target.parameters.len().min(8);
        let arguments: Vec<Given> = (0..count).map(|_| Given::plain(given.clone())).collect();
        self.calls.push(Level::Callback);
        let result = self.apply(function, &arguments);
        self.calls.pop();
        result
    }

    /// Calls all functions among arguments, also those in their objects.
    pub(crate) fn call_backs(&mut self, arguments: &[Given], given: &Value) -> Value {
        self.call_back_each(arguments.iter(), given)
    }

    fn call_back_each<'v>(&mut self, arguments: impl Iterator<Item = &'v Given>, given: &Value) -> Value {
        let mut result = Value::default();
        for argument in arguments {
            let functions = self.functions_in(&argument.value);
            for function in functions {
                let returned = self.call_back(&function, given);
                result.or(&returned, &mut self.taints);
            }
        }
        result
    }

    /// As `call_backs`, but functions within objects, which are options of frameworks, execute later.
    fn call_backs_now(&mut self, arguments: &[Given], given: &Value) -> Value {
        // So do functions that Python gives away, since its blocks are no functions.
        let executes = self.current_language != crate::source::Language::Python;
        let is_direct = |argument: &Given| executes && argument.value.has_function();
        let result = self.call_back_each(arguments.iter().filter(|argument| is_direct(argument)), given);
        let time = std::mem::replace(&mut self.time, Time::Call);
        self.call_back_each(arguments.iter().filter(|argument| !is_direct(argument)), given);
        self.time = time;
        result
    }

    fn functions_in(&self, value: &Value) -> Vec<Value> {
        if value.has_function() {
            return vec![value.clone()];
        }
        let Some(object) = self.object(value.object).filter(|object| !object.is_scope) else {
            return Vec::new();
        };
        let mut found: Vec<(Sym, Value)> = object
            .fields
            .iter()
            .filter(|field| field.1.has_function())
            .map(|(name, value)| (*name, value.clone()))
            .collect();
        found.sort_unstable_by_key(|field| field.0);
        found.truncate(16);
        found.into_iter().map(|(_, value)| Value { object: 0, ..value }).collect()
    }

    pub(super) fn unknown_call(&mut self, called: &Called) -> Value {
        let receiver = called.receiver.clone().unwrap_or_default();
        let mut taint: TaintId = self.taint_of_all(called.values());
        let mut held = self.taint_of(&receiver);
        let secret = self.secret_of_call(called, taint);
        if (taint != 0 || held != 0) && !self.converts(called) {
            taint = self.taint_without_secrets(taint);
            held = self.taint_without_secrets(held);
        }
        let given = self.taints.union(taint, held);
        if receiver.object != 0 && taint != 0 && !receiver.has_function() {
            self.add_taint(receiver.object, taint);
        }
        let returned = self.call_backs_now(&called.arguments, &Value::tainted(given));
        taint = self.taints.union(given, called.callee.taint);
        taint = self.taints.union(taint, returned.taint);
        taint = self.taints.union(taint, secret);
        self.describes_tool(called);
        let path = self.paths.called(called.callee.path);
        if let Some(Effect::Text(text)) = self.paths.effect(path) {
            return Value { taint, path, ..Value::text(text.as_bytes()) };
        }
        // Objects of unknown classes hold what is put into them.
        let constructs = called.constructs || self.words_of_path(called.callee.path).has(Words::CAPITAL);
        let object = if returned.object == 0 && constructs { self.new_object() } else { returned.object };
        let mut identity = self.identity(&receiver);
        for value in called.values() {
            identity = identity.rotate_left(9) ^ self.identity(value);
        }
        Value { taint, path, identity: self.fresh_identity(identity), object, ..Value::default() }
    }

    /// The description that a declaration of a tool is given: `Tool(description=…)`, `mcp.WithDescription(…)`.
    fn describes_tool(&mut self, called: &Called) {
        let words = self.words_of_path(called.callee.path);
        let is_option = words.has(Words::DESCRIPTION);
        if !is_option && !words.has(Words::TOOL) {
            return;
        }
        let is_description = |given: &&Given| {
            is_option || given.keyword.is_some_and(|name| self.names.text(name) == "description")
        };
        let description = called.arguments.iter().find(is_description).map(|given| given.value.clone());
        if let Some(description) = description {
            let taint = self.taint_of(&description);
            self.chain_description(taint);
        }
    }

    pub(crate) fn add_taint(&mut self, object: ObjectId, taint: TaintId) {
        let Some(known) = self.object(object).filter(|object| !object.is_scope).map(|object| object.taint)
        else {
            return;
        };
        let all = self.taints.union(known, taint);
        if let Some(object) = self.object_mut(object) {
            object.taint = all;
        }
    }
}
