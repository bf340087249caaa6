//! Calls: of functions of the set, of classes, of names with a meaning, and of unknown functions.

use std::hash::BuildHasher;
use std::hash::{Hash, Hasher};

use foldhash::fast::FixedState;

use super::{Frame, Machine};
use crate::bounds::{MOST_CALLS_DEEP, MOST_LEVELS};
use crate::ir::{FnId, Op, Reg, Sym};
use crate::source::Language;
use crate::value::Value;

/// An argument.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) keyword: Option<Sym>,
    pub(crate) value: Value,
    pub(crate) spread: bool,
}

impl Given {
    pub(crate) const fn plain(value: Value) -> Self {
        Self { keyword: None, value, spread: false }
    }
}

/// A call with everything that is known about it.
pub(crate) struct Called {
    pub(crate) callee: Value,
    /// The object of a method.
    pub(crate) receiver: Option<Value>,
    /// The name of a method.
    pub(crate) method: Option<Sym>,
    pub(crate) arguments: Vec<Given>,
    pub(crate) constructs: bool,
}

impl Called {
    /// The argument of a position among those without keywords.
    pub(crate) fn at(&self, index: usize) -> Option<&Value> {
        self.arguments.iter().filter(|given| given.keyword.is_none()).nth(index).map(|given| &given.value)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &Value> {
        self.arguments.iter().map(|given| &given.value)
    }
}

impl Machine<'_> {
    pub(super) fn call(
        &mut self,
        frame: &mut Frame,
        callee: Reg,
        span: (u32, u32),
        constructs: bool,
    ) -> Value {
        let function = frame.function.clone();
        let get = |register: Reg| frame.registers.get(register as usize).cloned().unwrap_or_default();
        let (receiver, method) = match function.code.get(callee as usize).map(|instruction| &instruction.op) {
            Some(Op::Attribute { of, name }) => (Some(get(*of)), Some(*name)),
            Some(Op::Index { of, key }) => {
                let key = get(*key);
                let name = key.as_whole_text().filter(|text| text.len() < 200);
                let name = name.map(|text| String::from_utf8_lossy(text).into_owned());
                (Some(get(*of)), name.map(|name| self.names.of(&name)))
            }
            _ => (None, None),
        };
        let arguments = function.arguments.get(span.0 as usize..span.1 as usize).unwrap_or_default();
        let arguments: Vec<Given> = arguments
            .iter()
            .map(|argument| Given {
                keyword: argument.keyword,
                value: get(argument.value),
                spread: argument.spread,
            })
            .collect();
        let called = Called { callee: get(callee), receiver, method, arguments, constructs };
        self.put_into_holder(frame, callee, &called);
        self.answer_call(&called);
        if self.current_language == Language::Bash {
            return self.shell_call(frame, callee, &called);
        }
        self.called(&called)
    }

    /// A command or function of a shell.
    fn shell_call(&mut self, frame: &Frame, callee: Reg, called: &Called) -> Value {
        if called.callee.has_function() {
            let scope = self.new_scope(called.callee.scope);
            for (index, given) in called.arguments.iter().filter(|given| given.keyword.is_none()).enumerate()
            {
                let name = self.names.of(&(index + 1).to_string());
                self.set_field(scope, name, given.value.clone());
            }
            let id = called.callee.function - 1;
            if self.depth >= MOST_CALLS_DEEP || self.levels >= MOST_LEVELS {
                return Value::default();
            }
            if let Some(executed) = self.executed.get_mut(id as usize) {
                *executed = true;
            }
            let Some(function) = self.functions.get(id as usize).cloned() else { return Value::default() };
            return self.run_in(function, scope);
        }
        let name = match frame.function.code.get(callee as usize).map(|instruction| &instruction.op) {
            Some(Op::Load(name)) => self.names.text(*name).to_owned(),
            _ => self.text_of(&called.callee),
        };
        let stdin = called.arguments.iter().find(|given| given.keyword == Some(self.known.stdin));
        let stdin = stdin.map(|given| given.value.clone());
        let words: Vec<Value> = called
            .arguments
            .iter()
            .filter(|given| given.keyword.is_none())
            .map(|given| given.value.clone())
            .collect();
        let output = self.command(&name, &words, stdin.as_ref(), frame.scope);
        let to = self.known.to;
        for given in called.arguments.iter().filter(|given| given.keyword == Some(to)) {
            self.write_file(&given.value, &output);
            self.redirected_to(&given.value, &name, &words);
        }
        output
    }

    pub(crate) fn called(&mut self, called: &Called) -> Value {
        if let [Given { keyword: Some(keyword), value, .. }] = called.arguments.as_slice()
            && *keyword == self.known.decorated
        {
            return self.decorate(called, value.clone());
        }
        if let Some(result) = self.function_method(called) {
            return result;
        }
        if called.callee.has_function() {
            if called.constructs {
                return self.construct_from_function(&called.callee, &called.arguments);
            }
            return self.apply(&called.callee, &called.arguments);
        }
        if let Some(class) = self.class_of_call(called) {
            return self.construct(class, called);
        }
        if let Some(result) = self.intrinsic(called) {
            return result;
        }
        if let Some(function) = self.callable(&called.callee) {
            return self.apply(&function, &called.arguments);
        }
        self.unknown_call(called)
    }

    /// A decorator: one of the set is called, one that registers handlers or threads too; others only keep the function.
    fn decorate(&mut self, called: &Called, function: Value) -> Value {
        let starts = self.paths.effect(called.callee.path) == Some(crate::api::Effect::Apply);
        if called.callee.has_function() {
            return self.apply(&called.callee, &[Given::plain(function)]);
        }
        let id = function.function.wrapping_sub(1);
        let is_handler =
            self.functions.get(id as usize).is_some_and(|target| target.entry == crate::ir::Entry::Handler);
        if function.has_function() && (starts || is_handler) {
            self.call_back(&function, &Value::default());
        } else if function.has_function() && self.path_text(called.callee.path).ends_with(".list_tools()") {
            let answer = self.apply(&function, &[]);
            let taint = self.taint_of(&answer);
            self.chain_description(taint);
        }
        function
    }

    /// `f.call(this, x)`, `f.apply(this, [x])`, `f.bind(this, x)`.
    fn function_method(&mut self, called: &Called) -> Option<Value> {
        if !matches!(self.current_language, Language::JavaScript | Language::TypeScript | Language::Ruby) {
            return None;
        }
        let receiver = called.receiver.as_ref()?;
        let method = self.names.text(called.method?);
        if !receiver.has_function() && self.paths.effect(receiver.path).is_none() {
            return None;
        }
        let skipped = usize::from(self.current_language != Language::Ruby);
        let arguments = match method {
            "call" => called.arguments.get(skipped..).unwrap_or_default().to_vec(),
            "apply" => vec![Given { keyword: None, value: called.at(1)?.clone(), spread: true }],
            "bind" => return Some(receiver.clone()),
            _ => return None,
        };
        let direct =
            Called { callee: receiver.clone(), receiver: None, method: None, arguments, constructs: false };
        Some(self.called(&direct))
    }

    /// A call of a function of the set. The result is that of the same call before, if there was one.
    pub(crate) fn apply(&mut self, callee: &Value, arguments: &[Given]) -> Value {
        let id = callee.function.wrapping_sub(1);
        if callee.has_function() {
            self.entrusted.called.insert(id);
        }
        if self.depth >= MOST_CALLS_DEEP || self.steps == 0 {
            return Value::tainted(self.taint_of_all(arguments.iter().map(|given| &given.value)));
        }
        let mut hasher = FixedState::with_seed(17).build_hasher();
        (id, callee.scope, callee.object, self.time, self.entrusted.quiet).hash(&mut hasher);
        for given in arguments {
            (given.keyword, given.spread).hash(&mut hasher);
            self.fingerprint(&given.value, &mut hasher);
        }
        let key = hasher.finish();
        if let Some(result) = self.memo.get(&key) {
            return result.clone();
        }
        // A recursive call sees no result.
        self.memo.insert(key, Value::default());
        let following = std::mem::replace(&mut self.following, true);
        let result = self.run_function(id, callee.scope, callee.object, arguments);
        self.following = following;
        self.memo.insert(key, result.clone());
        result
    }

    pub(super) fn closure(&mut self, frame: &Frame, local: FnId) -> Value {
        let base = self.units.get(frame.function.unit as usize).map_or(0, |unit| unit.base);
        let id = base + local;
        if let Some(environment) =
            self.environments.get_mut(id as usize).filter(|environment| **environment == 0)
        {
            *environment = frame.scope;
        }
        let Some(function) = self.functions.get(id as usize) else { return Value::default() };
        if function.runs_on_import && self.time != crate::report::Time::Call {
            self.waiting_inits.push((id, frame.scope));
        }
        if function.is_command {
            let unit = self.units.get(frame.function.unit as usize);
            let file = unit.and_then(|unit| self.files.list.get(unit.file as usize));
            // `setup.py` is always run as a command.
            if file.is_some_and(|file| file.is_build) && self.time == crate::report::Time::Install {
                let function = function.clone();
                if let Some(executed) = self.executed.get_mut(id as usize) {
                    *executed = true;
                }
                self.run_in(function, frame.scope);
            }
        }
        Value { function: id + 1, scope: frame.scope, ..Value::default() }
    }
}
