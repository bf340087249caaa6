//! Dynamic execution: text that becomes code, and code within the code of the set.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::Machine;
use super::calls::{Called, Given};
use crate::bounds::{MOST_INNER_BYTES, MOST_LAYERS, MOST_LEVELS};
use crate::program::Unit;
use crate::report::{CapabilityKind, UnreadReason};
use crate::source::Language;
use crate::value::{ObjectId, TaintId, Value};

impl Machine<'_> {
    /// `eval(code)`; a function is called instead, as by timers.
    pub(super) fn execute_call(&mut self, called: &Called) -> Value {
        if called.values().any(Value::has_function) {
            let given = called.receiver.clone().unwrap_or_default();
            return self.call_backs(&called.arguments, &Value::tainted(given.taint));
        }
        let code = called.at(0).cloned().unwrap_or_default();
        let is_timer = self.path_text(called.callee.path).starts_with("set");
        if is_timer && code.as_text().is_none() && code.taint == 0 {
            return Value::default();
        }
        self.execute(&code, self.current_language)
    }

    /// `Function("a", "code")` gives a function; calling it is what executes, but nobody compiles without calling.
    pub(super) fn compile(&mut self, called: &Called) -> Option<Value> {
        let is_script = matches!(self.current_language, Language::JavaScript | Language::TypeScript);
        let code = if is_script { called.values().last().cloned() } else { called.at(0).cloned() };
        let code = code.unwrap_or_default();
        if is_script {
            self.execute(&code, self.current_language);
            return Some(Value::default());
        }
        // `compile` keeps the text for `exec`.
        Some(Value { path: 0, ..code })
    }

    /// Text becomes code of a language: judged by its origin, then read itself.
    pub(crate) fn execute(&mut self, code: &Value, language: Language) -> Value {
        let taint = self.taint_of(code);
        let shown = self.text_of(code);
        self.capability(CapabilityKind::DynamicExecution, &shown);
        self.chain_execute(code, taint);
        let texts: Vec<_> = code.texts().filter(|text| text.len() > 3).cloned().collect();
        let mut result = Value::default();
        for text in texts {
            let inner = Value { taint, ..Value::text(&text) };
            let output = self.inner_code(&inner, language, 0, taint);
            result.or(&output, &mut self.taints);
        }
        result
    }

    /// Reads code within the code. `hole` is the origin of its unknown parts.
    pub(crate) fn inner_code(
        &mut self,
        code: &Value,
        language: Language,
        scope: ObjectId,
        hole: TaintId,
    ) -> Value {
        let Some(text) = code.as_text().cloned() else { return Value::default() };
        if self.layers >= MOST_LAYERS || self.levels >= MOST_LEVELS || text.is_empty() {
            return Value::default();
        }
        let key = FixedState::with_seed(23).hash_one((text.as_ref(), language, hole, self.time));
        if let Some(known) = self.inner_memo.get(&key) {
            return known.clone();
        }
        self.inner_memo.insert(key, Value::default());
        self.inner_bytes += text.len();
        if self.inner_bytes > MOST_INNER_BYTES {
            self.findings.unread(self.file, UnreadReason::SetTooLong);
            return Value::default();
        }
        let unit = u32::try_from(self.units.len()).unwrap_or(0);
        let Some(tree) = crate::parse::parse(&text, language, self.files.is_typed(self.file)) else {
            return Value::default();
        };
        let lowered = crate::lower::lower(&tree, &text, unit, language, self.names);
        let base = self.add_functions(lowered.functions);
        self.units.push(Unit { file: self.file, language, base, line: Some(self.line), hole });
        self.layers += 1;
        let outer = self.current_language;
        let scope = self.new_scope(scope);
        self.prepare_scope(scope, language);
        let Some(function) = self.functions.get(base as usize).cloned() else { return Value::default() };
        if let Some(executed) = self.executed.get_mut(base as usize) {
            *executed = true;
        }
        let result = self.run_in(function, scope);
        self.current_language = outer;
        self.layers -= 1;
        self.inner_memo.insert(key, result.clone());
        result
    }

    /// Native libraries and source files that are loaded by path.
    pub(super) fn load_code(&mut self, path: &Value) -> Value {
        let content = self.read_file(path);
        let taint = self.taint_of(&content);
        self.chain_file_run(taint, path);
        let shown = self.text_of(path);
        self.chain_unseen_program(&shown);
        Value::default()
    }

    /// Code loaded from the file of the first argument; loaders of modules have their name before it.
    pub(super) fn load_code_call(&mut self, called: &Called) -> Value {
        let name = self.path_text(called.callee.path);
        let is_named = ["spec_from_file_location", "FileLoader", "load_source", "load_dynamic"]
            .iter()
            .any(|end| name.ends_with(end));
        let path = called.at(usize::from(is_named)).or_else(|| called.at(0)).cloned().unwrap_or_default();
        self.load_code(&path);
        Value { path: self.paths.called(called.callee.path), ..Value::default() }
    }

    /// `new Worker(code, { eval: true })`; otherwise the argument is the path of a file.
    pub(super) fn worker(&mut self, called: &Called) -> Value {
        let evaluates = called.values().filter_map(|value| self.object(value.object)).any(|object| {
            !object.is_scope && object.fields.keys().any(|name| self.names.text(*name) == "eval")
        });
        let code = called.at(0).cloned().unwrap_or_default();
        if evaluates {
            self.execute(&code, self.current_language);
        }
        Value { path: self.paths.called(called.callee.path), ..Value::default() }
    }

    pub(super) fn import_call(&mut self, name: &Value) -> Option<Value> {
        if let Some(text) = name.as_whole_text() {
            let text = String::from_utf8_lossy(text).into_owned();
            self.chain_decoded_name(name, "A module");
            if let Some((kind, data)) = text.strip_prefix("data:").and_then(|rest| rest.split_once(',')) {
                let codec = if kind.ends_with("base64") {
                    crate::api::Codec::Base64
                } else {
                    crate::api::Codec::Percent
                };
                let decoded = crate::fold::decode::decode(codec, data.as_bytes(), None).unwrap_or_default();
                let taint = self.origin(crate::value::Kind::Decoded, "data address".into());
                let code = Value { taint, ..Value::text(&decoded) };
                return Some(self.execute(&code, self.current_language));
            }
            // `require("./file")` of a file that was written before.
            let identity = self.identity(name);
            if self.written.contains_key(&identity) {
                self.load_code(name);
            }
            if self.current_language == Language::Ruby && text.starts_with(char::is_uppercase) {
                let name = self.names.of(&text);
                let path = self.paths.root(Language::Ruby, name, self.names);
                return Some(self.named_value(path, 0));
            }
            let module = self.names.of(&text);
            return Some(self.import(module));
        }
        self.chain_decoded_name(name, "A module");
        let taint = self.taint_of(name);
        if taint != 0 && name.as_text().is_some_and(|text| text.starts_with(b"data:")) {
            return Some(self.execute(&Value::tainted(taint), self.current_language));
        }
        if taint != 0 || self.written.contains_key(&self.identity(name)) {
            self.load_code(name);
        }
        Some(Value::tainted(taint))
    }

    /// Arguments without keywords, as values.
    pub(super) fn words(arguments: &[Given]) -> Vec<Value> {
        arguments.iter().filter(|given| given.keyword.is_none()).map(|given| given.value.clone()).collect()
    }
}
