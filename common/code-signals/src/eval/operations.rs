//! Instructions other than calls.

use super::{Frame, Machine};
use crate::api::Effect;
use crate::fold;
use crate::ir::{Const, Instruction, Op, Operator, Reg, StoreMode, Sym};
use crate::source::Language;
use crate::value::{Kind, Value};

/// Elements of a list that are kept apart.
pub(super) const MOST_ITEMS: usize = 512;

impl Machine<'_> {
    pub(super) fn operation(&mut self, frame: &mut Frame, instruction: &Instruction, index: usize) -> Value {
        self.answer_operation(frame, &instruction.op);
        let unknown = Value::default();
        let at = |register: Reg| frame.registers.get(register as usize).unwrap_or(&unknown);
        match &instruction.op {
            Op::Unknown => Value { identity: self.fresh_identity(index as u64), ..Value::default() },
            Op::Literal(constant) => self.literal(frame, constant),
            Op::Load(name) => self.load(frame, *name),
            Op::Store { name, value, mode } => {
                let value = at(*value).clone();
                let mode = if frame.again { StoreMode::Add } else { *mode };
                self.store(frame.scope, *name, value.clone(), mode);
                value
            }
            Op::Attribute { of, name } => {
                let value = self.attribute(at(*of), *name);
                self.member_of_caller(frame, *of, *name, value)
            }
            Op::SetAttribute { of, name, value } => {
                let value = at(*value).clone();
                self.load_image(at(*of).path, *name, &value);
                self.set_attribute(frame, *of, *name, &value);
                value
            }
            Op::Index { of, key } => self.index(at(*of), at(*key)),
            Op::SetIndex { of, key, value } => {
                let (key, value) = (at(*key).clone(), at(*value).clone());
                self.set_index(frame, *of, &key, &value);
                value
            }
            Op::Slice { of, from, to, reversed } => self.slice(at(*of), *from, *to, *reversed),
            Op::Call { callee, arguments, constructs } => self.call(frame, *callee, *arguments, *constructs),
            Op::Concat(span) => {
                let values = self.span(frame, *span);
                self.concat(&values)
            }
            Op::Binary { operator, left, right } => self.binary(*operator, at(*left), at(*right)),
            Op::List(span) => {
                let values = self.span(frame, *span);
                self.list(values)
            }
            Op::Map(span) => self.map(frame, *span),
            Op::Join(span) => {
                let mut joined = Value::default();
                let registers = frame.function.registers.get(span.0 as usize..span.1 as usize);
                for register in registers.unwrap_or_default() {
                    joined.or(at(*register), &mut self.taints);
                }
                joined
            }
            Op::Element(of) => self.element(at(*of)),
            Op::Closure(function) => self.closure(frame, *function),
            Op::Class { body, bases } => self.class(frame, *body, *bases),
            Op::Import(module) => self.import(*module),
            Op::ImportAll(module) => {
                self.import_all(frame.scope, at(*module));
                Value::default()
            }
            Op::Return(value) => {
                let value = at(*value).clone();
                frame.returned.or(&value, &mut self.taints);
                value
            }
            Op::Await(value) => at(*value).clone(),
        }
    }

    fn literal(&mut self, frame: &Frame, constant: &Const) -> Value {
        let mut value = Value::constant(constant.clone());
        if let Const::Text(text) = constant {
            value.taint = self.hole_taint(text, frame.function.unit);
            if fold::looks_encoded(text) {
                let taint = self.origin(Kind::Decoded, crate::chains::LONG_LITERAL.into());
                value.taint = self.taints.union(value.taint, taint);
            }
        }
        value
    }

    pub(super) fn span(&self, frame: &Frame, (from, to): (u32, u32)) -> Vec<Value> {
        let registers = frame.function.registers.get(from as usize..to as usize).unwrap_or_default();
        registers
            .iter()
            .map(|register| frame.registers.get(*register as usize).cloned().unwrap_or_default())
            .collect()
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
            Some(Effect::Environ) => {
                value.taint = self.origin(Kind::Environment, "the whole environment".into())
            }
            Some(Effect::Arguments) => {
                value.taint = self.origin(Kind::Input, "arguments of the command".into())
            }
            Some(Effect::Request) => {
                value.taint = self.origin(Kind::Handler, self.paths.text(path).to_owned())
            }
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

    fn slice(&mut self, of: &Value, from: Option<i32>, to: Option<i32>, reversed: bool) -> Value {
        let constant = of.constant.as_ref().and_then(|constant| {
            if reversed {
                fold::reverse(constant)
            } else {
                fold::slice(constant, from.map(i64::from), to.map(i64::from))
            }
        });
        let mut taint = self.taint_of(of);
        // Without literal bounds, a loop takes the characters part by part.
        if from.is_none() && to.is_none() && !reversed {
            let letters = self.letters_origin(of);
            taint = self.taints.union(taint, letters);
        }
        let (object, identity) = (of.object, of.identity);
        Value { constant: self.folded(constant), taint, object, identity, ..Value::default() }
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
        if operator == Operator::Divide
            && self.current_language == Language::Python
            && (texts || left.identity != 0)
        {
            return self.join_path(&[left.clone(), right.clone()]);
        }
        let constants = left.constant.as_ref().zip(right.constant.as_ref());
        if let Some(constant) = constants.and_then(|(one, other)| fold::arithmetic(operator, one, other)) {
            let taint = self.taints.union(left.taint, right.taint);
            return Value { constant: self.folded(Some(constant)), taint, ..Value::default() };
        }
        if operator == Operator::Add {
            if let Some(sum) = self.sum_of_lists(left, right) {
                return sum;
            }
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
        let taint = match operator {
            // A comparison with a secret is none.
            Operator::Other => self.taint_without_secrets(taint),
            Operator::Xor => self.deciphered(taint),
            _ => taint,
        };
        Value { taint, identity: self.fresh_identity(left.identity), ..Value::default() }
    }

    fn list(&mut self, values: Vec<Value>) -> Value {
        let constants =
            values.iter().map(|value| value.constant.clone().filter(|_| value.taint == 0 && value.path == 0));
        if let Some(list) = constants.collect::<Option<Vec<Const>>>().filter(|list| !list.is_empty()) {
            let taint = self.numbers_origin(&list);
            return Value { taint, ..Value::constant(Const::List(list.into())) };
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
                Some(name) => {
                    self.chain_recipient(name, &value);
                    self.set_field(object, name, value);
                }
                None => self.spread_into(object, &value),
            }
        }
        Value { object, ..Value::default() }
    }

    fn spread_into(&mut self, object: u32, value: &Value) {
        let taint = self.taint_of(value);
        let fields: Vec<(Sym, Value)> = match self.object(value.object) {
            Some(from) => {
                let mut fields: Vec<_> =
                    from.fields.iter().map(|(name, value)| (*name, value.clone())).collect();
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
}
