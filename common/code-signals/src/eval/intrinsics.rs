//! Names with a meaning: from the effect of a name to the change of the world and the result of the call.

use super::calls::{Called, Given};
use super::{CONFIDED, Machine};
use crate::api::{self, Effect};
use crate::report::Time;
use crate::source::Subject;
use crate::value::{Kind, Value};

impl Machine<'_> {
    /// The result of a call with a meaning.
    pub(super) fn intrinsic(&mut self, called: &Called) -> Option<Value> {
        let path = called.callee.path;
        if let Some(effect) = self.paths.effect(path) {
            return self.effect(effect, called);
        }
        // Python: `server.tool()(function)`.
        if self.path_text(path).ends_with(".tool()") && called.at(0).is_some_and(Value::has_function) {
            return Some(self.handlers(called));
        }
        if self.path_text(path) == "%resolve" {
            let value = called.at(0).cloned().unwrap_or_default();
            self.add_field(called.callee.scope, self.known.value, &value);
            return Some(Value::default());
        }
        let (receiver, method) = (called.receiver.as_ref()?, called.method?);
        let name = self.names.shared(method);
        if self.paths.effect(receiver.path) == Some(Effect::Environ)
            && matches!(&*name, "get" | "fetch" | "pop" | "setdefault" | "[]")
        {
            let variable = called.at(0).cloned().unwrap_or_default();
            let value = self.variable_named(&variable);
            return Some(self.or_default(value, called));
        }
        if matches!(&*name, "setData" | "writeText")
            && let Some(text) = called.values().last().cloned()
        {
            self.chain_copied_address(&text);
        }
        if let Some(result) = self.text_method(&name, receiver, called) {
            return Some(result);
        }
        if let Some(result) = self.registration(&name, called) {
            return Some(result);
        }
        let effect = api::method(self.current_language, &name)?;
        self.method_effect(effect, receiver, called)
    }

    fn effect(&mut self, effect: Effect, called: &Called) -> Option<Value> {
        let first = called.at(0).cloned().unwrap_or_default();
        match effect {
            Effect::Network => Some(self.network(called)),
            Effect::Connection => Some(self.connection(called)),
            Effect::Download => {
                let fetched = self.network(called);
                if let Some(to) = called.at(1) {
                    let to = to.clone();
                    self.write_file(&to, &fetched);
                    return Some(to);
                }
                Some(fetched)
            }
            Effect::Dns => Some(self.dns(called)),
            Effect::Decode(codec) => Some(self.decode(codec, &first, called.at(1), called)),
            Effect::Execute => Some(self.execute_call(called)),
            Effect::Compile => self.compile(called),
            Effect::LoadCode => Some(self.load_code_call(called)),
            Effect::Shell => Some(self.shell_line(called)),
            Effect::Process => Some(self.process(called)),
            Effect::Spawn => Some(self.spawn(called)),
            Effect::Open => Some(self.open(called, false)),
            Effect::Create => Some(self.open(called, true)),
            Effect::Read => {
                let content = self.read_file(&first);
                self.call_backs(&called.arguments, &content);
                Some(content)
            }
            Effect::Write => {
                let data = called.at(1).cloned().unwrap_or_default();
                self.write_file(&first, &data);
                self.call_backs(&called.arguments, &Value::default());
                Some(Value::default())
            }
            Effect::Copy => {
                let data = self.read_file(&first);
                let to = called.at(1).cloned().unwrap_or_default();
                self.write_file(&to, &data);
                // Python gives the path of the copy.
                let is_python = self.current_language == crate::source::Language::Python;
                Some(if is_python { to } else { Value::default() })
            }
            Effect::Encrypt => Some(self.encrypt(called)),
            Effect::Archive => Some(self.put_into_archive(called)),
            Effect::Delete => Some(self.delete_call(called)),
            Effect::Getenv => {
                let value = self.variable_named(&first);
                Some(self.or_default(value, called))
            }
            Effect::Registry => Some(self.registry(called)),
            Effect::Redirect => Some(self.redirect_streams(called)),
            Effect::Capture => Some(self.capture(called)),
            Effect::Identity => {
                let taint = self.identity_read(self.path_text(called.callee.path).to_owned());
                Some(Value::tainted(taint))
            }
            Effect::Import => self.import_call(&first),
            Effect::Folder => Some(self.list_folder(called)),
            Effect::Clipboard => {
                self.chain_clipboard();
                self.chain_copied_address(&first);
                Some(Value::default())
            }
            Effect::Pour => Some(self.pour(first, called)),
            _ => self.loading_effect(effect, called),
        }
    }

    /// Effects of code and data that are loaded or prepared in ways of their own.
    fn loading_effect(&mut self, effect: Effect, called: &Called) -> Option<Value> {
        let first = called.at(0).cloned().unwrap_or_default();
        match effect {
            Effect::Worker => Some(self.worker(called)),
            Effect::Unpickle => {
                let taint = self.taint_of(&first);
                let is_file = self.path_text(called.callee.path).ends_with(".load");
                self.chain_unpickled(taint, is_file);
                Some(self.same(&first, called))
            }
            Effect::ArchiveFolder => Some(self.archive_folder(called)),
            Effect::Setup => {
                self.described_dependencies(called);
                None
            }
            Effect::Memory => {
                let taint = self.taint_of_all(called.values());
                if taint != 0 {
                    self.chain_execute(&Value::tainted(taint), taint);
                }
                Some(Value::default())
            }
            Effect::TemporaryFile => Some(self.temporary_file(called)),
            Effect::WriteTo => {
                let data = called.at(1).cloned().unwrap_or_default();
                Some(self.write_data(&first, &data, called))
            }
            _ => self.pure_effect(effect, called),
        }
    }

    /// The further arguments go into the first one: a file, a buffer, or a connection.
    fn pour(&mut self, into: Value, called: &Called) -> Value {
        if self.is_connection(&into) {
            let arguments = called.arguments.get(1..).unwrap_or_default().to_vec();
            let (callee, receiver) = (called.callee.clone(), Some(into));
            return self.network(&Called { callee, receiver, method: None, arguments, constructs: false });
        }
        let from = called.at(1).cloned().unwrap_or_default();
        self.feed(&from, &into);
        Value::default()
    }

    /// A variable of the environment, or the second argument where it is not set.
    fn or_default(&mut self, mut variable: Value, called: &Called) -> Value {
        if let Some(default) =
            called.at(1).filter(|default| default.as_text().is_some_and(|text| !text.is_empty()))
        {
            variable.or(default, &mut self.taints);
        }
        variable
    }

    /// Functions given to a server: they are called with requests, later.
    pub(super) fn handlers(&mut self, called: &Called) -> Value {
        let taint = self.origin(Kind::Handler, "arguments of a handler".into());
        let time = std::mem::replace(&mut self.time, Time::Call);
        self.calls.push(super::reply_flow::Level::Handler);
        let answer = self.call_backs(&called.arguments, &Value::tainted(taint));
        self.calls.pop();
        self.time = time;
        self.describes(called, &answer);
        Value { path: self.paths.called(called.callee.path), ..Value::default() }
    }

    /// Descriptions among the arguments of a registration, and the answer of a handler that lists tools.
    fn describes(&mut self, called: &Called, answer: &Value) {
        let parts: Vec<Value> = called.values().filter(|value| !value.has_function()).cloned().collect();
        for part in parts {
            let taint = self.taint_of(&part);
            self.chain_description(taint);
        }
        if called.at(0).is_some_and(|first| self.path_text(first.path).contains("ListTools")) {
            let taint = self.taint_of(answer);
            self.chain_description(taint);
        }
    }

    /// Methods that register functions of handlers and commands, whatever their object is.
    fn registration(&mut self, name: &str, called: &Called) -> Option<Value> {
        if !called.arguments.iter().any(|given| given.value.has_function()) {
            return None;
        }
        let first = called.at(0).and_then(Value::as_text);
        let is_route = first.is_some_and(|text| text.first() == Some(&b'/'));
        let routes =
            matches!(name, "get" | "post" | "put" | "delete" | "patch" | "all" | "use" | "route" | "handle");
        match api::method(self.current_language, name) {
            Some(Effect::Handles) => Some(self.handlers(called)),
            Some(Effect::Commands) => {
                let taint = self.origin(Kind::Input, "arguments of a command".into());
                let time = std::mem::replace(&mut self.time, Time::Call);
                self.call_backs(&called.arguments, &Value::tainted(taint));
                self.time = time;
                called.receiver.clone()
            }
            _ if routes && is_route => Some(self.handlers(called)),
            _ => None,
        }
    }

    /// Methods of objects about which nothing is known.
    fn method_effect(&mut self, effect: Effect, receiver: &Value, called: &Called) -> Option<Value> {
        match effect {
            Effect::Read => Some(self.read_handle(receiver)),
            Effect::Write => Some(self.write_handle(receiver, called)),
            Effect::Decode(codec) => self.decode_method(codec, receiver, called),
            Effect::Execute => Some(self.execute_call(called)),
            Effect::Same => {
                let mut value = self.same(receiver, called);
                value.path = if receiver.path == 0 { 0 } else { self.paths.called(called.callee.path) };
                Some(value)
            }
            Effect::JoinPath => {
                let parts: Vec<Value> = std::iter::once(receiver).chain(called.values()).cloned().collect();
                Some(self.join_path(&parts))
            }
            Effect::Format => Some(self.format(called)),
            Effect::Folder if receiver.as_text().is_some() => {
                let pattern = called.at(0).filter(|pattern| pattern.as_text().is_some()).cloned();
                let entry = pattern.unwrap_or_else(|| Value::text(crate::ir::HOLE));
                Some(self.entry_of(receiver, &entry))
            }
            Effect::Reverse => Some(self.reversed(receiver)),
            Effect::Encrypt => Some(self.encrypt(called)),
            Effect::Map => {
                let function =
                    called.values().find(|value| value.has_function() || value.path != 0).cloned()?;
                Some(self.map_over(&function, receiver))
            }
            Effect::Open if receiver.as_text().is_some() => {
                let opened = Called {
                    arguments: [Given::plain(receiver.clone())]
                        .into_iter()
                        .chain(called.arguments.iter().cloned())
                        .collect(),
                    callee: called.callee.clone(),
                    receiver: None,
                    method: None,
                    constructs: false,
                };
                Some(self.open(&opened, false))
            }
            Effect::GetAttribute => self.send(receiver, called),
            Effect::Digest => {
                self.call_backs(&called.arguments, receiver);
                Some(Value::default())
            }
            Effect::Confide if self.files.subject == Subject::Repository => {
                Some(Value::tainted(self.origin(Kind::Handler, CONFIDED.into())))
            }
            Effect::Apply => Some(self.apply_given(called)),
            Effect::CharacterNumber => Some(self.character_number(receiver)),
            _ => None,
        }
    }
}
