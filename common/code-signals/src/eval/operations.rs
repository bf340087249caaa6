//! Instructions other than calls.

use super::{Frame, Machine};
use crate::api::Effect;
use crate::fold;
use crate::ir::{Const, Instruction, Op, Operator, Reg, StoreMode, Sym};
use crate::paths;
use crate::report::CapabilityKind;
use crate::source::Language;
use crate::value::{Kind, Value};

/// Elements of a list that are kept apart.
const MOST_ITEMS: usize = 512;

impl Machine<'_> {
    pub(super) fn operation(&mut self, frame: &mut Frame, instruction: &Instruction, index: usize) -> Value {
        let get = |register: Reg| frame.registers.get(register as usize).cloned().unwrap_or_default();
        match &instruction.op {
            Op::Unknown => Value { identity: self.fresh_identity(index as u64), ..Value::default() },
            Op::Literal(constant) => {
                let mut value = Value::constant(constant.clone());
                if let Const::Text(text) = constant {
                    value.taint = self.hole_taint(text, frame.function.unit);
                }
                value
            }
            Op::Load(name) => self.load(frame, *name),
            Op::Store { name, value, mode } => {
                let value = get(*value);
                let mode = if frame.again { StoreMode::Add } else { *mode };
                self.store(frame.scope, *name, value.clone(), mode);
                value
            }
            Op::Attribute { of, name } => self.attribute(&get(*of), *name),
            Op::SetAttribute { of, name, value } => {
                let value = get(*value);
                self.set_attribute(frame, *of, *name, &value);
                value
            }
            Op::Index { of, key } => self.index(&get(*of), &get(*key)),
            Op::SetIndex { of, key, value } => {
                let (key, value) = (get(*key), get(*value));
                self.set_index(frame, *of, &key, &value);
                value
            }
            Op::Slice { of, from, to, reversed } => self.slice(&get(*of), *from, *to, *reversed),
            Op::Call { callee, arguments, constructs } => self.call(frame, *callee, *arguments, *constructs),
            Op::Concat(span) => {
                let values = self.span(frame, *span);
                self.concat(&values)
            }
            Op::Binary { operator, left, right } => self.binary(*operator, &get(*left), &get(*right)),
            Op::List(span) => {
                let values = self.span(frame, *span);
                self.list(values)
            }
            Op::Map(span) => self.map(frame, *span),
            Op::Join(span) => {
                let mut joined = Value::default();
                for value in self.span(frame, *span) {
                    joined.or(&value, &mut self.taints);
                }
                joined
            }
            Op::Element(of) => self.element(&get(*of)),
            Op::Closure(function) => self.closure(frame, *function),
            Op::Class { body, bases } => self.class(frame, *body, *bases),
            Op::Import(module) => self.import(*module),
            Op::ImportAll(module) => {
                self.import_all(frame.scope, &get(*module));
                Value::default()
            }
            Op::Return(value) => {
                let value = get(*value);
                frame.returned.or(&value, &mut self.taints);
                value
            }
        }
    }

    pub(super) fn span(&self, frame: &Frame, (from, to): (u32, u32)) -> Vec<Value> {
        let registers = frame.function.registers.get(from as usize..to as usize).unwrap_or_default();
        registers.iter().map(|register| frame.registers.get(*register as usize).cloned().unwrap_or_default()).collect()
    }

    fn load(&mut self, frame: &Frame, name: Sym) -> Value {
        if let Some(value) = self.lookup(frame.scope, name) {
            return value.clone();
        }
        let path = self.paths.root(self.current_language, name, self.names);
        self.named_value(path, 0)
    }

    /// The value of a name with a meaning by itself.
    pub(super) fn named_value(&mut self, path: crate::names::PathId, taint: u32) -> Value {
        let mut value = Value { path, taint, ..Value::default() };
        match self.paths.effect(path) {
            Some(Effect::Text(text)) => value.constant = Some(Const::Text(text.as_bytes().into())),
            Some(Effect::Environ) => value.taint = self.origin(Kind::Environment, "the whole environment".into()),
            Some(Effect::Arguments) => value.taint = self.origin(Kind::Input, "arguments of the command".into()),
            Some(Effect::Request) => value.taint = self.origin(Kind::Handler, self.paths.text(path).to_owned()),
            Some(Effect::Home) if self.current_language == Language::Bash => {
                value.constant = Some(Const::Text(b"~".as_slice().into()));
            }
            Some(Effect::Temporary) if self.current_language == Language::Bash => {
                value.constant = Some(Const::Text(b"/tmp".as_slice().into()));
            }
            Some(Effect::Identity) if self.current_language == Language::Bash => {
                value.taint = self.identity_read(self.paths.text(path).to_owned());
            }
            _ => {}
        }
        if value.constant.is_none() {
            value.identity = self.fresh_identity(u64::from(path));
        }
        value
    }

    pub(super) fn attribute(&mut self, of: &Value, name: Sym) -> Value {
        if of.object != 0 && !of.has_function() {
            if let Some((value, is_instance)) = self.member(of.object, name) {
                let mut value = value.clone();
                if value.has_function() && is_instance {
                    value.object = of.object;
                }
                return value;
            }
            // The default export of a module without one is the module.
            if name == self.known.default && self.object(of.object).is_some() {
                return of.clone();
            }
        }
        if of.has_function() && name == self.known.prototype {
            return Value { object: self.statics_of(of), ..Value::default() };
        }
        if name == self.known.constructor && matches!(self.current_language, Language::JavaScript | Language::TypeScript) {
            let function = of.has_function() || self.path_text(of.path) == "%constructor";
            let root = self.names.of(if function { "Function" } else { "%constructor" });
            return Value { path: self.paths.root(self.current_language, root, self.names), ..Value::default() };
        }
        if self.paths.effect(of.path) == Some(Effect::Environ) {
            let text = self.names.text(name).to_owned();
            if crate::api::method(self.current_language, &text).is_none() && !matches!(text.as_str(), "get" | "fetch" | "items" | "copy" | "each") {
                return self.variable(&text);
            }
        }
        let taint = self.taint_of(of);
        let path = self.paths.child(of.path, name, self.names);
        let mut value = self.named_value(path, taint);
        if path == 0 && of.identity != 0 {
            value.identity = self.fresh_identity(of.identity);
        }
        value
    }

    /// A variable of the environment.
    pub(super) fn variable(&mut self, name: &str) -> Value {
        match name {
            "HOME" | "USERPROFILE" => return Value::text(b"~"),
            "APPDATA" | "LOCALAPPDATA" | "XDG_CONFIG_HOME" | "ProgramData" => return Value::text(b"~/AppData"),
            "TMPDIR" | "TEMP" | "TMP" => return Value::text(b"/tmp"),
            "USER" | "USERNAME" | "LOGNAME" | "HOSTNAME" | "COMPUTERNAME" => {
                return Value::tainted(self.identity_read(name.to_owned()));
            }
            _ => {}
        }
        let mut value = Value { identity: self.fresh_identity(name.len() as u64), ..Value::default() };
        if paths::is_secret_variable(name) {
            value.taint = self.origin(Kind::Variable, format!("the variable {name}"));
        }
        value
    }

    pub(super) fn identity_read(&mut self, detail: String) -> u32 {
        self.capability(CapabilityKind::Fingerprint, &detail);
        self.origin(Kind::Identity, detail)
    }

    fn set_attribute(&mut self, frame: &mut Frame, of: Reg, name: Sym, value: &Value) {
        let target = self.object_of(frame, of);
        self.add_field(target, name, value);
        if value.has_function() {
            self.owners.entry(value.function - 1).or_insert(target);
        }
        // Callbacks that are assigned, such as `onmessage`.
        if value.has_function() && self.names.text(name).starts_with("on") {
            let holder = frame.registers.get(of as usize).cloned().unwrap_or_default();
            let taint = self.taint_of(&holder);
            if taint != 0 {
                self.call_back(value, &Value::tainted(taint));
            }
        }
    }

    /// The object in a register; a variable without one gets one.
    pub(super) fn object_of(&mut self, frame: &mut Frame, register: Reg) -> u32 {
        let Some(value) = frame.registers.get(register as usize).cloned() else { return 0 };
        if value.has_function() {
            return self.statics_of(&value);
        }
        if value.object != 0 {
            return value.object;
        }
        let object = self.new_object();
        let fresh = Value { object, ..value };
        if let Some(Op::Load(name)) = frame.function.code.get(register as usize).map(|instruction| &instruction.op) {
            let scope = frame.scope;
            self.store(scope, *name, fresh.clone(), StoreMode::Assign);
        }
        if let Some(slot) = frame.registers.get_mut(register as usize) {
            *slot = fresh;
        }
        object
    }

    pub(super) fn index(&mut self, of: &Value, key: &Value) -> Value {
        if self.paths.effect(of.path) == Some(Effect::Environ) {
            let name = self.text_of(key);
            return self.variable(&name);
        }
        if let Some(number) = key.as_number() {
            if let Some(Const::List(list)) = &of.constant {
                let mut value = list.get(number as usize).cloned().map(Value::constant).unwrap_or_default();
                value.taint = of.taint;
                return value;
            }
            if let (Some(text), true) = (of.as_whole_text(), number >= 0.0) {
                let byte = text.get(number as usize).copied();
                return Value { taint: of.taint, ..byte.map(|byte| Value::text(&[byte])).unwrap_or_default() };
            }
            if let Some(item) = self.object(of.object).and_then(|object| object.items.get(number as usize)) {
                return item.clone();
            }
            return Value { taint: self.taint_of(of), identity: self.fresh_identity(of.identity), ..Value::default() };
        }
        if let Some(text) = key.as_whole_text().filter(|text| text.len() < 200) {
            let name = String::from_utf8_lossy(text).into_owned();
            let name = self.names.of(&name);
            return self.attribute(of, name);
        }
        let element = self.element(of);
        Value { path: 0, ..element }
    }

    fn set_index(&mut self, frame: &mut Frame, of: Reg, key: &Value, value: &Value) {
        let target = self.object_of(frame, of);
        if let Some(text) = key.as_whole_text().filter(|text| text.len() < 200) {
            let name = String::from_utf8_lossy(text).into_owned();
            let name = self.names.of(&name);
            return self.add_field(target, name, value);
        }
        let taint = self.taint_of(value);
        let all = self.object(target).map_or(0, |object| object.taint);
        let all = self.taints.union(all, taint);
        if let Some(object) = self.object_mut(target) {
            object.taint = all;
        }
    }

    fn slice(&mut self, of: &Value, from: Option<i32>, to: Option<i32>, reversed: bool) -> Value {
        let constant = of.constant.as_ref().and_then(|constant| {
            if reversed { fold::reverse(constant) } else { fold::slice(constant, from.map(i64::from), to.map(i64::from)) }
        });
        Value { constant: self.folded(constant), taint: self.taint_of(of), object: of.object, identity: of.identity, ..Value::default() }
    }

    pub(super) fn concat(&mut self, values: &[Value]) -> Value {
        let taint = self.taint_of_all(values);
        let constant = fold::concat(values.iter());
        let constant = self.folded(constant);
        let mut identity = 0;
        for value in values {
            identity ^= value.identity.rotate_left(7);
        }
        Value { constant, taint, identity, ..Value::default() }
    }

    fn binary(&mut self, operator: Operator, left: &Value, right: &Value) -> Value {
        let texts = left.as_text().is_some() || right.as_text().is_some();
        if operator == Operator::Divide && self.current_language == Language::Python && (texts || left.identity != 0) {
            return self.join_path(&[left.clone(), right.clone()]);
        }
        if let (Some(one), Some(other)) = (&left.constant, &right.constant) {
            if let Some(constant) = fold::arithmetic(operator, one, other) {
                let taint = self.taints.union(left.taint, right.taint);
                return Value { constant: self.folded(Some(constant)), taint, ..Value::default() };
            }
        }
        if operator == Operator::Add {
            if left.object != 0 && !texts {
                let taint = self.taint_of(right);
                let mut sum = left.clone();
                sum.taint = self.taints.union(sum.taint, taint);
                return sum;
            }
            if texts {
                return self.concat(&[left.clone(), right.clone()]);
            }
        }
        let taint = self.taint_of_all([left, right]);
        Value { taint, identity: self.fresh_identity(left.identity), ..Value::default() }
    }

    fn list(&mut self, values: Vec<Value>) -> Value {
        let constants = values.iter().map(|value| value.constant.clone().filter(|_| value.taint == 0 && value.path == 0));
        if let Some(list) = constants.collect::<Option<Vec<Const>>>().filter(|list| !list.is_empty()) {
            return Value::constant(Const::List(list.into()));
        }
        let taint = self.taint_of_all(&values);
        let object = self.new_object();
        if let Some(list) = self.object_mut(object) {
            list.taint = taint;
            list.items = values.into_iter().take(MOST_ITEMS).collect();
        }
        Value { object, ..Value::default() }
    }

    fn map(&mut self, frame: &mut Frame, (from, to): (u32, u32)) -> Value {
        let object = self.new_object();
        let function = frame.function.clone();
        for argument in function.arguments.get(from as usize..to as usize).unwrap_or_default() {
            let value = frame.registers.get(argument.value as usize).cloned().unwrap_or_default();
            match argument.keyword {
                Some(name) => self.set_field(object, name, value),
                None => self.spread_into(object, &value),
            }
        }
        Value { object, ..Value::default() }
    }

    fn spread_into(&mut self, object: u32, value: &Value) {
        let taint = self.taint_of(value);
        let fields: Vec<(Sym, Value)> = match self.object(value.object) {
            Some(from) => {
                let mut fields: Vec<_> = from.fields.iter().map(|(name, value)| (*name, value.clone())).collect();
                fields.sort_unstable_by_key(|field| field.0);
                fields.truncate(MOST_ITEMS);
                fields
            }
            None => Vec::new(),
        };
        for (name, value) in fields {
            self.set_field(object, name, value);
        }
        let all = self.object(object).map_or(0, |object| object.taint);
        let all = self.taints.union(all, taint);
        if let Some(object) = self.object_mut(object) {
            object.taint = all;
        }
    }

    /// Any element of a sequence.
    pub(super) fn element(&mut self, of: &Value) -> Value {
        if let Some(Const::List(list)) = &of.constant {
            let mut joined = Value { taint: of.taint, ..Value::default() };
            for constant in list.iter().take(crate::bounds::MOST_ALTERNATIVES) {
                joined.or(&Value::constant(constant.clone()), &mut self.taints);
            }
            return joined;
        }
        let taint = self.taint_of(of);
        let mut joined = Value { taint, ..Value::default() };
        let items = self.object(of.object).map(|object| object.items.iter().take(8).cloned().collect::<Vec<_>>());
        for item in items.unwrap_or_default() {
            joined.or(&item, &mut self.taints);
        }
        if joined.constant.is_none() {
            joined.identity = self.fresh_identity(of.identity);
        }
        joined
    }
}
