//! Interpretation of the instructions over abstract values.
//!
//! The top level of each file executes at the time of its role, and what it calls at the same time. Functions that
//! nobody called execute once afterwards, as called by a user. Each instruction executes once in this way; following
//! calls needs further steps, which have a bound for the whole set.
//!
//! - `run.rs`: the order in which everything executes; `modules.rs`: files that load each other.
//! - `state.rs`: scopes, objects, origins of data.
//! - `operations.rs`: the instructions other than calls; `members.rs`: attributes and elements.
//! - `calls.rs`, `parameters.rs`: calls of functions of the set; `callbacks.rs`: functions that others call; `classes.rs`: classes and instances.
//! - `secrets.rs`, `words.rs`: secrets of callers, words of names; `replies.rs`: requests with them whose reply is not read.
//! - `intrinsics.rs`: names with a meaning; `pure.rs`, `sequences.rs`, `methods.rs`: those that change nothing.
//! - `reply_flow.rs`: the way of a reply through the code of a server.
//! - `archives.rs`, `files.rs`, `folders.rs`, `network.rs`, `processes.rs`, `execution.rs`: effects on the world.
//! - `commands.rs`: commands of shells; `downloads.rs`, `interpreters.rs`, `system.rs`: groups of them.

mod archives;
mod callbacks;
mod calls;
mod classes;
mod commands;
mod downloads;
mod execution;
mod files;
mod folders;
mod interpreters;
mod intrinsics;
mod members;
mod methods;
mod modules;
mod network;
mod operations;
mod parameters;
mod processes;
mod pure;
mod replies;
mod reply_flow;
mod run;
mod secrets;
mod sequences;
mod state;
mod streams;
mod system;
mod words;

pub(crate) use calls::Called;

use std::rc::Rc;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::bounds::MOST_LEVELS;
use crate::findings::Findings;
use crate::ir::{FnId, Function, Sym};
use crate::names::{Names, Paths};
use crate::program::{Files, Unit};
use crate::report::Time;
use crate::source::Subject;
use crate::value::{Kind, Object, ObjectId, Source, SourceId, Taints, Value};

/// Detail of the origin of files in the home folder whose names are not known.
pub(crate) const FILES_OF_USER: &str = "files of the user";
/// What a user or model answers to a server, and cookies of a browser that it steers, as an origin.
pub(crate) const CONFIDED: &str = "answers of the user";

/// Registers of one call that are kept for the next one.
const MOST_SPARE: usize = 1_024;

/// A call that is being executed.
pub(crate) struct Frame {
    pub(crate) function: Rc<Function>,
    pub(crate) scope: ObjectId,
    pub(crate) registers: Vec<Value>,
    pub(crate) returned: Value,
    /// Set in the second pass over a function with loops.
    again: bool,
}

/// Names that the interpretation itself uses.
pub(crate) struct Known {
    pub(crate) exports: Sym,
    pub(crate) module: Sym,
    pub(crate) prototype: Sym,
    pub(crate) constructor: Sym,
    pub(crate) value: Sym,
    pub(crate) stdin: Sym,
    pub(crate) to: Sym,
    pub(crate) decorated: Sym,
    pub(crate) default: Sym,
}

/// The whole state.
pub(crate) struct Machine<'a> {
    pub(crate) files: &'a Files<'a>,
    pub(crate) names: &'a mut Names,
    pub(crate) findings: Findings,
    pub(crate) paths: Paths,
    pub(crate) taints: Taints,
    pub(crate) sources: Vec<Source>,
    source_numbers: HashMap<(Kind, u32, u32, Time), SourceId, FixedState>,
    pub(crate) objects: Vec<Object>,
    functions: Vec<Rc<Function>>,
    pub(crate) units: Vec<Unit>,
    /// Content of written files, by the identity of their paths.
    pub(crate) written: HashMap<u64, Value, FixedState>,
    modules: Vec<modules::Module>,
    /// Scope shared by the files of a folder (Go) or of the set (Ruby).
    shared_scopes: HashMap<String, ObjectId, FixedState>,
    statics: HashMap<(FnId, ObjectId), ObjectId, FixedState>,
    instances: HashMap<ObjectId, ObjectId, FixedState>,
    /// Classes and prototypes to which functions were added outside of their bodies.
    owners: HashMap<FnId, ObjectId, FixedState>,
    /// First environment of each function.
    environments: Vec<ObjectId>,
    executed: Vec<bool>,
    waiting_inits: Vec<(FnId, ObjectId)>,
    /// Lists beside the first in a list of lists.
    siblings: HashMap<ObjectId, Vec<ObjectId>, FixedState>,
    /// Functions that were given to connections.
    later: Vec<network::Later>,
    memo: HashMap<u64, Value, FixedState>,
    inner_memo: HashMap<u64, Value, FixedState>,
    /// Registers of calls that ended, for the next ones: most functions are short and called often.
    spare: Vec<Vec<Value>>,
    steps: u64,
    following: bool,
    pub(crate) depth: u32,
    /// Functions, files and texts in execution.
    pub(crate) levels: u32,
    /// Number of origins when the current function began.
    pub(crate) sources_before: usize,
    layers: u32,
    inner_bytes: usize,
    folded: usize,
    pub(crate) time: Time,
    /// Language of the current function.
    pub(crate) current_language: crate::source::Language,
    /// File and line of the current instruction.
    pub(crate) file: u32,
    pub(crate) line: u32,
    pub(crate) known: Known,
    /// Places that send secrets of the environment.
    pub(crate) receivers: Vec<crate::chains::Receiver>,
    pub(crate) entrusted: secrets::Entrusted,
    /// Requests to addresses of the code, and the calls that led to the current instruction.
    pub(crate) requests: Vec<crate::chains::Request>,
    calls: Vec<reply_flow::Level>,
    reply_steps: usize,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(files: &'a Files<'a>, names: &'a mut Names) -> Self {
        let known = Known {
            exports: names.of("exports"),
            module: names.of("module"),
            prototype: names.of("prototype"),
            constructor: names.of("constructor"),
            value: names.of("%value"),
            stdin: names.of("%stdin"),
            to: names.of("%to"),
            decorated: names.of("%decorated"),
            default: names.of("default"),
        };
        let none = Source { kind: Kind::File, file: 0, line: 0, detail: "".into(), endpoint: None, own: &[] };
        Self {
            files,
            names,
            findings: Findings::new(),
            paths: Paths::new(),
            taints: Taints::new(),
            sources: vec![none],
            source_numbers: crate::names::map(),
            objects: vec![Object::default()],
            functions: Vec::new(),
            units: Vec::new(),
            written: crate::names::map(),
            modules: files.list.iter().map(|_| modules::Module::default()).collect(),
            shared_scopes: crate::names::map(),
            statics: crate::names::map(),
            instances: crate::names::map(),
            owners: crate::names::map(),
            environments: Vec::new(),
            executed: Vec::new(),
            waiting_inits: Vec::new(),
            siblings: crate::names::map(),
            later: Vec::new(),
            memo: crate::names::map(),
            inner_memo: crate::names::map(),
            spare: Vec::new(),
            steps: 0,
            following: false,
            depth: 0,
            levels: 0,
            sources_before: 0,
            layers: 0,
            inner_bytes: 0,
            folded: 0,
            time: Time::Call,
            current_language: crate::source::Language::Python,
            file: 0,
            line: 1,
            known,
            receivers: Vec::new(),
            entrusted: secrets::Entrusted::default(),
            requests: Vec::new(),
            calls: Vec::new(),
            reply_steps: reply_flow::MOST_STEPS,
        }
    }

    /// Executes a function in a new scope.
    pub(crate) fn run_function(
        &mut self,
        id: FnId,
        environment: ObjectId,
        receiver: ObjectId,
        arguments: &[calls::Given],
    ) -> Value {
        let Some(function) = self.functions.get(id as usize).cloned() else { return Value::default() };
        if self.levels >= MOST_LEVELS {
            return Value::tainted(self.taint_of_all(arguments.iter().map(|given| &given.value)));
        }
        if let Some(executed) = self.executed.get_mut(id as usize) {
            *executed = true;
        }
        let scope = self.new_scope(environment);
        if let Some(name) = function.receiver.filter(|name| *name != 0) {
            let value = Value { object: receiver, ..Value::default() };
            self.set_field(scope, name, value);
        }
        self.bind_parameters(&function, scope, arguments);
        self.entrust_parameters(&function, scope);
        self.run_in(function, scope)
    }

    /// Executes a function in a scope that exists.
    pub(crate) fn run_in(&mut self, function: Rc<Function>, scope: ObjectId) -> Value {
        let site = (self.file, self.line);
        let mut registers = self.spare.pop().unwrap_or_default();
        registers.reserve(function.code.len());
        let mut frame = Frame { function, scope, registers, returned: Value::default(), again: false };
        let before = self.sources.len();
        let outer = std::mem::replace(&mut self.sources_before, before);
        self.depth += 1;
        self.levels += 1;
        self.pass(&mut frame);
        // A value stored at the end of a loop reaches its beginning.
        if frame.function.loops && self.sources.len() > before {
            frame.again = true;
            frame.registers.clear();
            self.pass(&mut frame);
        }
        self.depth -= 1;
        self.levels -= 1;
        self.sources_before = outer;
        (self.file, self.line) = site;
        let mut registers = frame.registers;
        if registers.capacity() <= MOST_SPARE {
            registers.clear();
            self.spare.push(registers);
        }
        frame.returned
    }

    fn pass(&mut self, frame: &mut Frame) {
        let function = frame.function.clone();
        let Some(unit) = self.units.get(function.unit as usize) else { return };
        let (file, fixed, language) = (unit.file, unit.line, unit.language);
        let quiet = self.entrusted.quiet;
        self.current_language = language;
        // The replies of requests are followed through the code of servers only.
        let is_followed = self.files.subject == Subject::Repository;
        if is_followed {
            self.calls.push(reply_flow::Level::Code(function.clone(), 0));
        }
        for (index, instruction) in function.code.iter().enumerate() {
            self.file = file;
            self.line = fixed.unwrap_or(instruction.line);
            if self.following {
                self.steps = self.steps.saturating_sub(1);
            }
            self.entrusted.quiet = quiet || function.is_quiet(index);
            if is_followed && let Some(reply_flow::Level::Code(_, current)) = self.calls.last_mut() {
                *current = index;
            }
            let value = self.operation(frame, instruction, index);
            self.current_language = language;
            frame.registers.push(value);
        }
        self.entrusted.quiet = quiet;
        if is_followed {
            self.calls.pop();
        }
    }
}
