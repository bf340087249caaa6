//! Ruby.

mod definitions;

use tree_sitter::Node;

use super::{Lowering, children, field, parse_number, plain};
use crate::fold::escape::{Escapes, unescape};
use crate::ir::{Argument, Op, Reg};
use definitions::{assignment, bare_methods, binary, bind, class, closure, method, parameters};

pub(crate) fn program(l: &mut Lowering<'_>, root: Node<'_>) {
    l.bare_methods = bare_methods(l);
    block(l, root);
}

/// Statements in order; gives the value of the last one.
fn block(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let mut value = None;
    for child in children(node) {
        value = Some(expression(l, child));
    }
    value.unwrap_or_else(|| l.unknown())
}

fn branch(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let mut value = 0;
    l.branch(|l| value = expression(l, node));
    value
}

fn expression(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    l.deeper(|l| {
        l.at(node);
        one(l, node)
    })
}

fn of(l: &mut Lowering<'_>, node: Node<'_>, name: &str) -> Reg {
    match field(node, name) {
        Some(child) => expression(l, child),
        None => l.unknown(),
    }
}

/// A variable, a constant, or the call of a method without parentheses.
fn bare_name(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let name = l.sym(node);
    let value = l.emit(Op::Load(name));
    // A bare name that is no variable is a call.
    let is_parameter = l.function().is_some_and(|function| function.parameters.contains(&name));
    let is_method = !is_parameter && l.bare_methods.binary_search(&name).is_ok();
    let calls = node.kind() == "identifier" && (is_method || is_command(l.str(node)));
    if calls { l.call(value, &[]) } else { value }
}

fn one(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    match node.kind() {
        "identifier" | "constant" | "global_variable" | "class_variable" | "self" | "super" => {
            bare_name(l, node)
        }
        "instance_variable" => {
            let of = l.load("self");
            l.attribute(of, l.str(node))
        }
        "scope_resolution" => {
            let Some(name) = field(node, "name") else { return l.unknown() };
            match field(node, "scope") {
                Some(scope) => {
                    let scope = expression(l, scope);
                    l.attribute(scope, l.str(name))
                }
                None => l.load(l.str(name)),
            }
        }
        "string" | "chained_string" | "heredoc_body" | "delimited_symbol" | "bare_string" => string(l, node),
        "subshell" => {
            let command = string(l, node);
            let callee = l.load("system");
            l.call(callee, &[plain(command)])
        }
        "simple_symbol" => {
            let text = l.str(node).trim_start_matches(':').as_bytes();
            l.literal(text)
        }
        "character" => {
            let text = l.slice(node).get(1..).unwrap_or_default();
            l.literal(text)
        }
        "integer" | "float" => {
            let number = parse_number(l.str(node));
            l.number(number)
        }
        "call" => call(l, node),
        "element_reference" => {
            let object = of(l, node, "object");
            let key = node.named_child(1).map_or(0, |key| expression(l, key));
            l.emit(Op::Index { of: object, key })
        }
        "assignment" | "operator_assignment" => assignment(l, node),
        "binary" => binary(l, node),
        "array" | "string_array" | "symbol_array" | "right_assignment_list" => {
            let parts: Vec<Reg> = children(node).into_iter().map(|child| expression(l, child)).collect();
            let parts = l.registers(&parts);
            l.emit(Op::List(parts))
        }
        "hash" => {
            let pairs = pairs(l, node);
            let pairs = l.arguments(&pairs);
            l.emit(Op::Map(pairs))
        }
        "method" | "singleton_method" => method(l, node),
        "class" | "module" | "singleton_class" => class(l, node),
        "lambda" => {
            let parameters = parameters(l, field(node, "parameters"));
            closure(l, field(node, "body"), &parameters)
        }
        "block" | "do_block" => {
            let parameters = parameters(l, field(node, "parameters"));
            closure(l, field(node, "body"), &parameters)
        }
        _ => control(l, node),
    }
}

fn control(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    match node.kind() {
        "if" | "unless" | "elsif" | "conditional" | "if_modifier" | "unless_modifier" | "case" | "when" => {
            let mut values = Vec::new();
            for child in children(node) {
                values.push(branch(l, child));
            }
            l.join(&values)
        }
        "while" | "until" | "for" | "while_modifier" | "until_modifier" => {
            if let Some(function) = l.function() {
                function.loops = true;
            }
            if let (Some(pattern), Some(value)) = (field(node, "pattern"), field(node, "value")) {
                let sequence = expression(l, value);
                let element = l.emit(Op::Element(sequence));
                bind(l, pattern, element);
            }
            l.branch(|l| {
                block(l, node);
            });
            l.unknown()
        }
        "return" | "next" | "break" => {
            let value = node.named_child(0).map_or(0, |child| expression(l, child));
            l.emit(Op::Return(value));
            value
        }
        "begin" | "body_statement" => {
            let is_quiet = conceals_errors(l, node);
            let mut value = 0;
            l.quietly(is_quiet, |l| value = block(l, node));
            value
        }
        "begin_block"
        | "block_body"
        | "then"
        | "do"
        | "else"
        | "ensure"
        | "program"
        | "parenthesized_statements"
        | "argument_list"
        | "in"
        | "interpolation"
        | "splat_argument"
        | "hash_splat_argument"
        | "block_argument"
        | "pattern"
        | "ERROR" => block(l, node),
        "rescue" | "rescue_modifier" => {
            let is_quiet = node.kind() == "rescue_modifier";
            let mut values: Vec<Reg> = Vec::new();
            l.quietly(is_quiet, |l| {
                values = children(node).into_iter().map(|child| branch(l, child)).collect();
            });
            l.join(&values)
        }
        "heredoc_beginning" => heredoc(l, node),
        "nil" | "true" | "false" | "comment" | "regex" | "exceptions" | "exception_variable" | "alias" => {
            l.unknown()
        }
        _ => block(l, node),
    }
}

/// True if the handlers of a block suppress errors of requests.
fn conceals_errors(l: &Lowering<'_>, node: Node<'_>) -> bool {
    let mut handlers = children(node).into_iter().filter(|child| child.kind() == "rescue").peekable();
    handlers.peek().is_some()
        && handlers.all(|handler| {
            let error = field(handler, "variable").and_then(|variable| variable.named_child(0));
            let body = field(handler, "body").map(|body| l.str(body)).unwrap_or_default();
            super::errors::is_quiet(body, error.map(|error| l.str(error)))
        })
}

/// The body of a here-document follows the line; it is the next `heredoc_body` after its beginning.
fn heredoc(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let mut current = node;
    for _ in 0..12 {
        let mut sibling = current.next_sibling();
        while let Some(next) = sibling {
            if next.kind() == "heredoc_body" {
                return string(l, next);
            }
            sibling = next.next_sibling();
        }
        match current.parent() {
            Some(parent) => current = parent,
            None => break,
        }
    }
    l.unknown()
}

/// Methods of the kernel that are called without arguments or parentheses.
fn is_command(name: &str) -> bool {
    matches!(name, "gets" | "binding" | "request" | "params")
}

fn string(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let raw = l.slice(node).first() == Some(&b'\'');
    let mut parts = Vec::new();
    let mut text: Vec<u8> = Vec::new();
    for child in children(node) {
        match child.kind() {
            "string_content" | "heredoc_content" if raw => {
                let content = l.slice(child);
                let plain = crate::fold::replace(content, b"\\\\", b"\\");
                match plain {
                    Some(crate::ir::Const::Text(plain)) => text.extend_from_slice(&plain),
                    _ => text.extend_from_slice(content),
                }
            }
            "string_content" | "heredoc_content" => text.extend_from_slice(l.slice(child)),
            // Text between single quotation marks has two escapes, of the mark and of itself.
            "escape_sequence" if raw && matches!(l.slice(child), b"\\\\" | b"\\'") => {
                text.extend(l.slice(child).last());
            }
            "escape_sequence" if raw => text.extend_from_slice(l.slice(child)),
            "escape_sequence" => text.extend_from_slice(&unescape(l.slice(child), Escapes::Bytes)),
            "heredoc_end" | "comment" => {}
            _ => {
                if !text.is_empty() {
                    parts.push(l.literal(&text));
                    text.clear();
                }
                parts.push(expression(l, child));
            }
        }
    }
    if !text.is_empty() || parts.is_empty() {
        parts.push(l.literal(&text));
    }
    l.concat(&parts)
}

fn pairs(l: &mut Lowering<'_>, node: Node<'_>) -> Vec<Argument> {
    let mut pairs = Vec::new();
    for child in children(node) {
        if child.kind() == "pair" {
            let value = of(l, child, "value");
            let keyword = field(child, "key").map(|key| l.str(key).trim_matches(['"', '\'', ':']));
            let keyword = keyword.map(|keyword| l.names.of(keyword));
            pairs.push(Argument { keyword, value, spread: false });
        } else {
            let value = expression(l, child);
            pairs.push(Argument { keyword: None, value, spread: child.kind() == "hash_splat_argument" });
        }
    }
    pairs
}

fn call(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let method = field(node, "method").map(|method| l.str(method)).unwrap_or("call");
    let callee = match field(node, "receiver") {
        Some(receiver) => {
            let receiver = expression(l, receiver);
            l.attribute(receiver, method)
        }
        None => l.load(method),
    };
    let mut arguments = field(node, "arguments").map(|list| pairs(l, list)).unwrap_or_default();
    if let Some(block) = field(node, "block") {
        let keyword = Some(l.names.of("&"));
        let value = expression(l, block);
        arguments.push(Argument { keyword, value, spread: false });
    }
    l.at(node);
    // `X.new` constructs; bare members with the name of a constant are modules.
    let arguments = l.arguments(&arguments);
    l.emit(Op::Call { callee, arguments, constructs: method == "new" })
}
