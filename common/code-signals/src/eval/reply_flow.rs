//! Whether a program reads the reply to a request: the way of the result from the instruction of the request to the end of its
//! function, and from there through the calls that led to it. A reply that is not read belongs to no service that the program
//! works with.

mod names;

use std::rc::Rc;

use names::{CONTINUES, FORMS, PUTS, STARTS};

use super::Machine;
use crate::ir::{FnId, Function, Op, Reg, Sym};
use crate::source::Language;

/// Instructions that are looked at for all requests of a set: more count as reading the reply.
pub(crate) const MOST_STEPS: usize = 2_000_000;
/// Functions within each other that are looked at.
const MOST_WITHIN: u32 = 6;

/// An entry of the stack of calls.
#[derive(Debug)]
pub(crate) enum Level {
    /// An instruction of a function.
    Code(Rc<Function>, usize),
    /// A function that was given to another one is called by it.
    Callback,
    /// A request of a client: its handler answers with what it returns.
    Handler,
}

/// What becomes of a value within a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Ignored,
    Returned,
    Read,
}

impl Machine<'_> {
    /// Whether the reply to the request of the current instruction is read.
    pub(crate) fn reply_is_read(&mut self) -> bool {
        if self.is_read_by_callback() {
            return true;
        }
        let mut is_called_back = false;
        for level in (0..self.calls.len()).rev() {
            let (function, index) = match self.calls.get(level) {
                Some(Level::Code(function, index)) => (function.clone(), *index),
                Some(Level::Callback) => {
                    is_called_back = true;
                    continue;
                }
                _ => return true,
            };
            if std::mem::take(&mut is_called_back) {
                let Some(Op::Call { callee, .. }) = function.code.get(index).map(|one| &one.op) else {
                    return true;
                };
                if !STARTS.contains(&self.last_name(&function, *callee)) {
                    return true;
                }
            }
            match self.fate(&function, Reg::try_from(index).unwrap_or(0), None, 0) {
                Fate::Ignored => return false,
                Fate::Read => return true,
                Fate::Returned => {}
            }
        }
        true
    }

    /// Whether a function that the request itself is given reads one of its parameters.
    fn is_read_by_callback(&mut self) -> bool {
        let Some(Level::Code(function, index)) = self.calls.last() else { return false };
        let (function, index) = (function.clone(), *index);
        let Some(Op::Call { arguments, .. }) = function.code.get(index).map(|one| &one.op) else {
            return false;
        };
        let given: Vec<Reg> = self.given(&function, *arguments).collect();
        for register in given {
            let Some(Op::Closure(local)) = function.code.get(register as usize).map(|one| &one.op) else {
                continue;
            };
            let Some(inner) = self.nested(&function, *local) else { return true };
            for parameter in inner.parameters.clone() {
                if self.fate(&inner, 0, Some(parameter), 1) == Fate::Read {
                    return true;
                }
            }
        }
        false
    }

    /// The name of a function or method that is called.
    fn last_name(&self, function: &Function, callee: Reg) -> &str {
        match function.code.get(callee as usize).map(|one| &one.op) {
            Some(Op::Attribute { name, .. } | Op::Load(name)) => self.names.text(*name),
            _ => "",
        }
    }

    /// What becomes of the result of an instruction, or of a parameter, in the code behind it.
    fn fate(&mut self, function: &Rc<Function>, from: Reg, parameter: Option<Sym>, within: u32) -> Fate {
        let first = if parameter.is_some() { 0 } else { from as usize + 1 };
        let cost = function.code.len().saturating_sub(first);
        if cost > self.reply_steps || within > MOST_WITHIN {
            return Fate::Read;
        }
        self.reply_steps -= cost;
        let mut held = vec![false; function.code.len()];
        if let Some(start) = held.get_mut(from as usize).filter(|_| parameter.is_none()) {
            *start = true;
        }
        let mut names: Vec<Sym> = parameter.into_iter().collect();
        let mut fate = Fate::Ignored;
        for (index, instruction) in function.code.iter().enumerate().skip(first) {
            let has = |register: &Reg| held.get(*register as usize).copied().unwrap_or(false);
            let any = |(from, to): &(u32, u32)| {
                function.registers.get(*from as usize..*to as usize).unwrap_or_default().iter().any(has)
            };
            let holds = match &instruction.op {
                Op::Load(name) => names.contains(name),
                Op::Store { name, value, .. } if has(value) => {
                    if self.is_outside(function, *name) {
                        return Fate::Read;
                    }
                    names.push(*name);
                    true
                }
                Op::Attribute { of, .. } | Op::Slice { of, .. } | Op::Element(of) | Op::Await(of) => has(of),
                Op::Index { of, key } => has(of) || has(key),
                Op::SetAttribute { value, .. } | Op::SetIndex { value, .. } if has(value) => {
                    return Fate::Read;
                }
                Op::Binary { left, right, .. } => has(left) || has(right),
                Op::Concat(span) | Op::List(span) | Op::Join(span) => any(span),
                Op::Map(span) => self.given(function, *span).any(|value| has(&value)),
                Op::Return(value) if has(value) => {
                    fate = Fate::Returned;
                    true
                }
                Op::Closure(local) if !names.is_empty() => {
                    if self.loads(function, *local, &names, within) {
                        return Fate::Read;
                    }
                    false
                }
                Op::Call { callee, arguments, .. } => {
                    let name = self.last_name(function, *callee).to_owned();
                    let given: Vec<Reg> = self.given(function, *arguments).collect();
                    let is_method = has(callee);
                    let is_given = given.iter().any(has);
                    match self.fate_of_call(function, (&name, is_method, is_given), &given, within) {
                        Fate::Read => return Fate::Read,
                        later => later == Fate::Returned,
                    }
                }
                _ => false,
            };
            if holds && let Some(register) = held.get_mut(index) {
                *register = true;
            }
        }
        fate
    }

    /// What a call does with a reply that is its object or one of its arguments: reads it, gives it back, or neither.
    fn fate_of_call(
        &mut self,
        function: &Rc<Function>,
        (name, is_method, is_given): (&str, bool, bool),
        given: &[Reg],
        within: u32,
    ) -> Fate {
        match (is_method, is_given) {
            (false, false) => Fate::Ignored,
            (true, _) if CONTINUES.contains(&name) => match self.fate_of_continued(function, given, within) {
                Fate::Returned if name.starts_with("on") => Fate::Ignored,
                fate => fate,
            },
            (true, false) if !PUTS.contains(&name) => Fate::Returned,
            (false, true) if STARTS.contains(&name) || FORMS.contains(&name) => Fate::Returned,
            _ => Fate::Read,
        }
    }

    fn given<'f>(
        &self,
        function: &'f Function,
        (from, to): (u32, u32),
    ) -> impl Iterator<Item = Reg> + use<'f> {
        let arguments = function.arguments.get(from as usize..to as usize).unwrap_or_default();
        arguments.iter().map(|argument| argument.value)
    }

    /// What the functions that are called with a reply do with it.
    fn fate_of_continued(&mut self, function: &Rc<Function>, given: &[Reg], within: u32) -> Fate {
        let mut worst = Fate::Ignored;
        for register in given {
            let later = match function.code.get(*register as usize).map(|one| &one.op) {
                Some(Op::Literal(_)) => continue,
                Some(Op::Closure(local)) => match self.nested(function, *local) {
                    Some(inner) => match inner.parameters.first().copied() {
                        Some(parameter) => self.fate(&inner, 0, Some(parameter), within + 1),
                        None => Fate::Ignored,
                    },
                    None => Fate::Read,
                },
                _ => Fate::Read,
            };
            match later {
                Fate::Read => return Fate::Read,
                Fate::Returned => worst = Fate::Returned,
                Fate::Ignored => {}
            }
        }
        worst
    }

    fn nested(&self, function: &Function, local: FnId) -> Option<Rc<Function>> {
        let base = self.units.get(function.unit as usize)?.base;
        self.functions.get((base + local) as usize).cloned()
    }

    /// Whether a function, or one within it, uses one of the names.
    fn loads(&mut self, function: &Function, local: FnId, names: &[Sym], within: u32) -> bool {
        let Some(inner) = self.nested(function, local) else { return true };
        if within > MOST_WITHIN || inner.code.len() > self.reply_steps {
            return true;
        }
        self.reply_steps -= inner.code.len();
        inner.code.iter().any(|instruction| match &instruction.op {
            Op::Load(name) => names.contains(name) && !inner.parameters.contains(name),
            Op::Closure(local) => self.loads(&inner, *local, names, within + 1),
            _ => false,
        })
    }

    /// Whether a variable that is assigned belongs to the code around a function. Python and Ruby declare none.
    fn is_outside(&self, function: &Function, name: Sym) -> bool {
        let declares = |op: &Op| matches!(op, Op::Store { name: known, mode: crate::ir::StoreMode::Declare, .. } if *known == name);
        let unit = self.units.get(function.unit as usize);
        let is_declared = unit
            .is_some_and(|unit| matches!(unit.language, Language::Python | Language::Ruby | Language::Bash))
            || function.parameters.contains(&name);
        !is_declared && !function.code.iter().any(|instruction| declares(&instruction.op))
    }
}
