//! Bash and POSIX shells. A command is a call of its name with its words; its value is its output.
//!
//! Pipes and redirections are explicit: standard input is the argument `%stdin`, files that output goes to are the argument `%to`.

mod words;

use tree_sitter::Node;

use super::{Lowering, children, field, plain};
use crate::ir::{Argument, Op, Reg};
use words::{heredoc, unescaped_word, value};

pub(crate) fn program(l: &mut Lowering<'_>, root: Node<'_>) {
    let value = block(l, root, None);
    l.emit(Op::Return(value));
}

/// Statements in order; the value is the output of all of them.
fn block(l: &mut Lowering<'_>, node: Node<'_>, input: Option<Reg>) -> Reg {
    let mut outputs = Vec::new();
    for child in children(node) {
        if !matches!(child.kind(), "file_redirect" | "heredoc_redirect" | "herestring_redirect") {
            outputs.push(statement(l, child, &Streams { input, files: Vec::new() }));
        }
    }
    match outputs.as_slice() {
        [one] => *one,
        [] => l.unknown(),
        outputs => {
            let parts = l.registers(outputs);
            l.emit(Op::Concat(parts))
        }
    }
}

/// Redirections around a command.
#[derive(Clone, Default)]
struct Streams {
    input: Option<Reg>,
    files: Vec<Reg>,
}

fn statement(l: &mut Lowering<'_>, node: Node<'_>, streams: &Streams) -> Reg {
    l.deeper(|l| {
        l.at(node);
        one_statement(l, node, streams)
    })
}

fn one_statement(l: &mut Lowering<'_>, node: Node<'_>, streams: &Streams) -> Reg {
    match node.kind() {
        "command" => command(l, node, streams),
        "pipeline" => {
            let mut input = streams.input;
            let stages = children(node);
            let last = stages.len().saturating_sub(1);
            for (index, stage) in stages.into_iter().enumerate() {
                let files = if index == last { streams.files.clone() } else { Vec::new() };
                input = Some(statement(l, stage, &Streams { input, files }));
            }
            input.unwrap_or_else(|| l.unknown())
        }
        "redirected_statement" => redirected(l, node, streams),
        "variable_assignment" => assignment(l, node),
        "declaration_command" | "variable_assignments" => {
            for child in children(node).into_iter().filter(|child| child.kind() == "variable_assignment") {
                assignment(l, child);
            }
            l.unknown()
        }
        "function_definition" => {
            let name = field(node, "name").map(|name| l.str(name)).unwrap_or_default();
            let number = l.nested(name, &[], |l, _| {
                let body = field(node, "body");
                let value = body.map_or(0, |body| statement(l, body, &Streams::default()));
                l.emit(Op::Return(value));
            });
            let closure = l.emit(Op::Closure(number));
            let name = l.names.of(name);
            l.store(name, closure, true)
        }
        "for_statement" => {
            repeats(l);
            let mut cursor = node.walk();
            let words: Vec<Node<'_>> = node.children_by_field_name("value", &mut cursor).collect();
            let words: Vec<Reg> = words.into_iter().map(|word| value(l, word)).collect();
            let element = l.join(&words);
            if let Some(variable) = field(node, "variable") {
                let variable = l.sym(variable);
                l.store(variable, element, false);
            }
            field(node, "body").map_or(0, |body| inner(l, body, streams))
        }
        "while_statement" | "c_style_for_statement" => {
            repeats(l);
            inner(l, node, streams)
        }
        "if_statement" | "elif_clause" | "else_clause" | "case_statement" | "case_item" | "do_group" => {
            inner(l, node, streams)
        }
        "list" | "subshell" | "compound_statement" | "negated_command" | "program" | "ERROR" => {
            block(l, node, streams.input)
        }
        _ => value(l, node),
    }
}

fn repeats(l: &mut Lowering<'_>) {
    if let Some(function) = l.function() {
        function.loops = true;
    }
}

fn inner(l: &mut Lowering<'_>, node: Node<'_>, streams: &Streams) -> Reg {
    let mut output = 0;
    l.branch(|l| output = block(l, node, streams.input));
    output
}

fn redirected(l: &mut Lowering<'_>, node: Node<'_>, streams: &Streams) -> Reg {
    let mut streams = streams.clone();
    let mut piped = None;
    for redirect in children(node) {
        match redirect.kind() {
            "file_redirect" => redirect_file(l, redirect, &mut streams),
            "heredoc_redirect" => {
                for part in children(redirect) {
                    match part.kind() {
                        "heredoc_body" => streams.input = Some(heredoc(l, part)),
                        "file_redirect" => redirect_file(l, part, &mut streams),
                        "pipeline" | "command" => piped = Some(part),
                        _ => {}
                    }
                }
            }
            "herestring_redirect" => streams.input = redirect.named_child(0).map(|word| value(l, word)),
            _ => {}
        }
    }
    let output = field(node, "body").map(|body| statement(l, body, &streams));
    let output = match output {
        Some(output) => output,
        // `> file` without a command, and bodies that damaged input hides.
        None => l.unknown(),
    };
    match piped {
        Some(stage) => statement(l, stage, &Streams { input: Some(output), files: Vec::new() }),
        None => output,
    }
}

fn redirect_file(l: &mut Lowering<'_>, node: Node<'_>, streams: &mut Streams) {
    let Some(target) = field(node, "destination").or_else(|| node.named_child(0)) else { return };
    let target = value(l, target);
    let operator = l.slice(node);
    let operator =
        operator.get(operator.iter().take_while(|byte| byte.is_ascii_digit()).count()..).unwrap_or_default();
    if operator.starts_with(b"<") {
        let callee = l.load("cat");
        streams.input = Some(l.call(callee, &[plain(target)]));
    } else {
        streams.files.push(target);
    }
}

fn assignment(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let assigned = match field(node, "value") {
        Some(child) => value(l, child),
        None => l.literal(b""),
    };
    let Some(name) = field(node, "name") else { return assigned };
    let appends = l.str(node).get(l.str(name).len()..).is_some_and(|rest| rest.starts_with("+="));
    let name = l.sym(name);
    let assigned = if appends {
        let former = l.emit(Op::Load(name));
        l.concat(&[former, assigned])
    } else {
        assigned
    };
    l.store(name, assigned, false)
}

fn command(l: &mut Lowering<'_>, node: Node<'_>, streams: &Streams) -> Reg {
    let mut streams = streams.clone();
    let mut arguments = Vec::new();
    let mut name = None;
    for child in children(node) {
        match child.kind() {
            "command_name" => name = Some(child),
            "variable_assignment" => {
                assignment(l, child);
            }
            "file_redirect" => redirect_file(l, child, &mut streams),
            "herestring_redirect" => streams.input = child.named_child(0).map(|word| value(l, word)),
            _ => arguments.push(plain(value(l, child))),
        }
    }
    let callee = match name.and_then(|name| name.named_child(0)) {
        Some(word) if word.kind() == "word" => l.load(&unescaped_word(l, word)),
        Some(word) => {
            // The name of the command is computed.
            let computed = value(l, word);
            arguments.insert(0, plain(computed));
            l.load("%run")
        }
        None => return l.unknown(),
    };
    if let Some(value) = streams.input {
        let keyword = Some(l.names.of("%stdin"));
        arguments.push(Argument { keyword, value, spread: false });
    }
    for value in streams.files {
        let keyword = Some(l.names.of("%to"));
        arguments.push(Argument { keyword, value, spread: false });
    }
    l.at(node);
    if let Some(input) = streams.input.filter(|_| name.is_some_and(|name| l.str(name) == "read")) {
        read_into(l, node, input);
    }
    l.call(callee, &arguments)
}

/// `read a b`: variables receive the standard input.
fn read_into(l: &mut Lowering<'_>, node: Node<'_>, input: Reg) {
    for word in children(node).into_iter().filter(|child| child.kind() == "word") {
        if !l.str(word).starts_with('-') {
            let name = l.sym(word);
            l.store(name, input, false);
        }
    }
}
