//! Processes started from programs: shell lines, lists of arguments, and their streams.

use super::Machine;
use super::calls::{Called, Given};
use crate::ir::Const;
use crate::report::CapabilityKind;
use crate::source::Language;
use crate::value::{Kind, Value};

/// Beginning of the name of a file that stands for the standard input of a program.
pub(super) const STDIN_OF: &str = "%stdin:";
/// Commands of a list that are followed beside the first.
const MOST_COMMANDS: usize = 8;

impl Machine<'_> {
    /// A line for a shell, or a list of words.
    pub(super) fn shell_line(&mut self, called: &Called) -> Value {
        let words = Self::words(&called.arguments);
        let line = words.first().cloned().unwrap_or_default();
        if self.current_language == Language::Ruby && words.len() > 1 {
            // `system("program", "argument")` uses no shell.
            return self.start(&words, None, called);
        }
        if line.as_text().is_none() && self.list_items(&line).is_some() {
            return self.start(&words, None, called);
        }
        self.run_line(&line, called)
    }

    fn run_line(&mut self, line: &Value, called: &Called) -> Value {
        let shown = self.text_of(line);
        self.capability(CapabilityKind::Shell, &shown);
        let taint = self.taint_of(line);
        self.chain_shell(line, taint);
        let mut output = Value::default();
        let texts: Vec<_> = line.texts().cloned().collect();
        for text in texts {
            let inner = Value { taint, ..Value::text(&text) };
            let result = self.inner_code(&inner, Language::Bash, 0, taint);
            output.or(&result, &mut self.taints);
        }
        let program = shown.split_whitespace().next().unwrap_or_default().to_owned();
        self.process_value(output, &program, called)
    }

    /// Elements of a list of words.
    fn list_items(&self, value: &Value) -> Option<Vec<Value>> {
        if let Some(Const::List(list)) = &value.constant {
            return Some(list.iter().cloned().map(Value::constant).collect());
        }
        self.object(value.object).filter(|object| !object.items.is_empty()).map(|object| object.items.clone())
    }

    /// `subprocess.run(...)`, `child_process.spawn(...)`: a list, a program with a list, or a line with the option `shell`.
    pub(super) fn process(&mut self, called: &Called) -> Value {
        let first = called.at(0).cloned().unwrap_or_default();
        if self.uses_shell(called)
            && first.as_text().is_some() | (first.taint != 0 && self.list_items(&first).is_none())
        {
            let rest: Vec<Value> = called.at(1).and_then(|list| self.list_items(list)).unwrap_or_default();
            let mut parts = vec![first];
            for word in rest {
                parts.push(Value::text(b" "));
                parts.push(word);
            }
            let line = self.concat(&parts);
            return self.run_line(&line, called);
        }
        for words in self.further_commands(&first) {
            self.start(&words, None, called);
        }
        let mut words = match self.list_items(&first) {
            Some(items) => items,
            None => vec![first.clone()],
        };
        if !matches!(self.current_language, Language::Python) {
            words.extend(called.at(1).and_then(|list| self.list_items(list)).unwrap_or_default());
        }
        let input = called
            .arguments
            .iter()
            .find(|given| given.keyword.is_some_and(|name| self.names.text(name) == "input"));
        let input = input.map(|given| given.value.clone());
        // Programs that replace the clipboard read its text from their input.
        let name = self.names.of("input");
        let options = called.values().filter_map(|value| self.object(value.object));
        let option = options.filter(|object| !object.is_scope).find_map(|object| object.fields.get(&name));
        if let Some(text) = input.clone().or_else(|| option.cloned()) {
            self.chain_copied_address(&text);
        }
        let mut result = self.start(&words, input, called);
        // One of several commands, as in a loop over a list of them.
        let others = first.others.unwrap_or_default();
        for other in others.iter() {
            if let Const::List(list) = other {
                let words: Vec<Value> = list.iter().cloned().map(Value::constant).collect();
                let other = self.start(&words, None, called);
                result.or(&other, &mut self.taints);
            }
        }
        result
    }

    /// The other commands, where a loop starts each of a list.
    fn further_commands(&self, first: &Value) -> Vec<Vec<Value>> {
        let constants = first.others.iter().flat_map(|others| others.iter());
        let lists = constants.filter_map(|constant| match constant {
            Const::List(list) => Some(list.iter().cloned().map(Value::constant).collect()),
            _ => None,
        });
        let objects = self.siblings.get(&first.object).map(Vec::as_slice).unwrap_or_default();
        let objects = objects
            .iter()
            .filter_map(|object| self.list_items(&Value { object: *object, ..Value::default() }));
        lists.chain(objects).take(MOST_COMMANDS).collect()
    }

    /// Python: the keyword `shell`. JavaScript: the option `shell` that is not known to be absent.
    fn uses_shell(&self, called: &Called) -> bool {
        let named = |given: &Given| given.keyword.is_some_and(|name| self.names.text(name) == "shell");
        if called.arguments.iter().any(named) {
            return true;
        }
        called.values().filter_map(|value| self.object(value.object)).any(|object| {
            !object.is_scope && object.fields.keys().any(|name| self.names.text(*name) == "shell")
        })
    }

    /// A program and its words, as in Go.
    pub(super) fn spawn(&mut self, called: &Called) -> Value {
        let mut words = Vec::new();
        // The context of a request and the mode of Python come before the program.
        let name = self.path_text(called.callee.path);
        let skipped = usize::from(name.ends_with("CommandContext") || name.starts_with("os.spawn"));
        for given in called.arguments.iter().skip(skipped) {
            match self.list_items(&given.value) {
                Some(items) => words.extend(items),
                None => words.push(given.value.clone()),
            }
        }
        self.start(&words, None, called)
    }

    fn start(&mut self, words: &[Value], input: Option<Value>, called: &Called) -> Value {
        let Some((program, rest)) = words.split_first() else { return Value::default() };
        // Of the programs of several systems, a shell is the one with the most effects.
        let shell = program
            .texts()
            .map(|text| String::from_utf8_lossy(text).into_owned())
            .find(|name| is_shell(name));
        let name = shell.unwrap_or_else(|| self.text_of(program));
        self.capability(CapabilityKind::Process, &name);
        let content = self.written_content(program);
        self.chain_program(program, content.as_ref());
        self.chain_unseen_program(&name);
        let output =
            if name.is_empty() { Value::default() } else { self.command(&name, rest, input.as_ref(), 0) };
        self.process_value(output, &name, called)
    }

    /// Content that the set wrote to a file.
    pub(super) fn written_content(&mut self, path: &Value) -> Option<Value> {
        let identity = self.identity(path);
        if identity == 0 { None } else { self.written.get(&identity).cloned() }
    }

    /// The value of a started process: its output, and an object with its streams.
    fn process_value(&mut self, output: Value, program: &str, called: &Called) -> Value {
        self.call_backs(&called.arguments, &Value { path: 0, ..output.clone() });
        let process = self.new_object();
        let stdin = self.new_object();
        if let Some(object) = self.object_mut(stdin) {
            object.file = Some(Box::new(Value::text(format!("{STDIN_OF}{program}").as_bytes())));
        }
        let name = self.names.of("stdin");
        self.set_field(process, name, Value { object: stdin, ..Value::default() });
        for name in ["stdout", "stderr"] {
            let name = self.names.of(name);
            self.set_field(process, name, output.clone());
        }
        let communicate = self.names.of("communicate");
        self.set_field(process, communicate, Value { path: 0, object: 0, ..output.clone() });
        let path = self.paths.called(called.callee.path);
        Value { object: process, taint: output.taint, constant: output.constant, path, ..Value::default() }
    }

    /// `os.dup2(socket.fileno(), 0)`: a shell started afterwards serves the connection.
    pub(super) fn redirect_streams(&mut self, called: &Called) -> Value {
        let taint = called.at(0).map_or(0, |value| self.taint_of(value));
        if let Some(source) = self.taints.source(taint, Kind::Fetched) {
            self.chain_reverse_shell(source);
        }
        Value::default()
    }
}

/// Whether a program is a shell that executes its input.
fn is_shell(program: &str) -> bool {
    matches!(program.rsplit('/').next().unwrap_or_default(), "sh" | "bash" | "zsh" | "dash" | "ksh")
}
