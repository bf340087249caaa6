//! Python, also with the statements of Python 2.

mod definitions;
mod expressions;
mod operators;

use tree_sitter::Node;

use super::{Lowering, children, errors, field, plain};
use crate::ir::{Entry, Op};
use definitions::{class, decorated, definition, import_from, imports};
use expressions::{each, expression};

pub(crate) fn module(l: &mut Lowering<'_>, root: Node<'_>) {
    block(l, root);
}

fn block(l: &mut Lowering<'_>, node: Node<'_>) {
    for child in children(node) {
        statement(l, child);
    }
}

fn branch(l: &mut Lowering<'_>, node: Node<'_>) {
    l.branch(|l| block(l, node));
}

fn statement(l: &mut Lowering<'_>, node: Node<'_>) {
    l.deeper(|l| {
        l.at(node);
        one_statement(l, node);
        0
    });
}

fn one_statement(l: &mut Lowering<'_>, node: Node<'_>) {
    match node.kind() {
        "expression_statement" => {
            for child in children(node) {
                expression(l, child);
            }
        }
        "import_statement" => imports(l, node),
        "import_from_statement" => import_from(l, node),
        "function_definition" => {
            definition(l, node, Entry::None);
        }
        "class_definition" => {
            class(l, node);
        }
        "decorated_definition" => decorated(l, node),
        "return_statement" | "delete_statement" | "raise_statement" | "assert_statement" => {
            for child in children(node) {
                let value = expression(l, child);
                if node.kind() == "return_statement" {
                    l.emit(Op::Return(value));
                }
            }
        }
        "if_statement" => conditional(l, node),
        "for_statement" => {
            repeats(l);
            each(l, node);
            if let Some(body) = field(node, "body") {
                branch(l, body);
            }
        }
        "exec_statement" => {
            let code = field(node, "code").or_else(|| node.named_child(0));
            let code = code.map_or(0, |code| expression(l, code));
            let callee = l.load("exec");
            l.call(callee, &[plain(code)]);
        }
        "with_statement" => {
            let items = children(node).into_iter().find(|child| child.kind() == "with_clause");
            let is_quiet = items.is_some_and(|items| l.str(items).contains("suppress("));
            l.quietly(is_quiet, |l| with_items(l, node));
        }
        "global_statement" | "nonlocal_statement" | "pass_statement" | "comment" => {}
        "while_statement" => {
            repeats(l);
            parts(l, node);
        }
        "try_statement" => {
            let is_quiet = conceals_errors(l, node);
            l.quietly(is_quiet, |l| parts(l, node));
        }
        _ => parts(l, node),
    }
}

/// True if the handlers of a `try` statement suppress errors of requests.
fn conceals_errors(l: &Lowering<'_>, node: Node<'_>) -> bool {
    let mut is_quiet = false;
    for clause in children(node).into_iter().filter(|child| child.kind() == "except_clause") {
        let Some(body) = children(clause).into_iter().find(|child| child.kind() == "block") else { continue };
        let text = l.str(clause);
        let (head, body) =
            text.split_at_checked(body.start_byte() - clause.start_byte()).unwrap_or((text, ""));
        let (catches, error) = errors::catches_requests(head);
        if catches && !errors::is_quiet(body, error) {
            return false;
        }
        is_quiet |= catches;
    }
    is_quiet
}

fn repeats(l: &mut Lowering<'_>) {
    if let Some(function) = l.function() {
        function.loops = true;
    }
}

/// Reads all children of a statement: blocks as branches, clauses as statements, all else as expressions.
fn parts(l: &mut Lowering<'_>, node: Node<'_>) {
    for child in children(node) {
        match child.kind() {
            "block" => branch(l, child),
            kind if kind.ends_with("_clause") || kind.ends_with("_statement") || kind == "ERROR" => {
                statement(l, child);
            }
            kind if kind.ends_with("_definition") => statement(l, child),
            _ => {
                expression(l, child);
            }
        }
    }
}

fn conditional(l: &mut Lowering<'_>, node: Node<'_>) {
    let condition = field(node, "condition");
    let text = condition.map(|condition| l.str(condition)).unwrap_or_default();
    if text.contains("__name__")
        && text.contains("__main__")
        && node.parent().is_some_and(|p| p.kind() == "module")
    {
        let Some(body) = field(node, "consequence") else { return };
        let function = l.nested("__main__", &[], |l, number| {
            if let Some(function) = l.functions.get_mut(number as usize) {
                function.is_command = true;
            }
            block(l, body);
        });
        l.emit(Op::Closure(function));
        return;
    }
    parts(l, node);
}

fn with_items(l: &mut Lowering<'_>, node: Node<'_>) {
    for child in children(node) {
        if child.kind() == "with_clause" {
            for item in children(child) {
                if let Some(value) = field(item, "value") {
                    expression(l, value);
                }
            }
        } else if child.kind() == "block" {
            block(l, child);
        }
    }
}

/// A name as Python compares it (NFKC): letters of mathematics and of full width are those of the alphabet.
pub(super) fn plain_letters(name: &str) -> String {
    let plain = |letter: char| {
        let code = u32::from(letter);
        let in_alphabet =
            |at: u32, length: u32, first: u8| u8::try_from(at % length).ok().map(|at| at + first);
        let byte = match code {
            // Upper case and lower case in turn.
            0x1D400..=0x1D6A3 => match (code - 0x1D400) % 52 {
                at @ 0..=25 => in_alphabet(at, 26, b'A'),
                at => in_alphabet(at - 26, 26, b'a'),
            },
            0x1D7CE..=0x1D7FF => in_alphabet(code - 0x1D7CE, 10, b'0'),
            0xFF10..=0xFF19 => in_alphabet(code - 0xFF10, 10, b'0'),
            0xFF21..=0xFF3A => in_alphabet(code - 0xFF21, 26, b'A'),
            0xFF41..=0xFF5A => in_alphabet(code - 0xFF41, 26, b'a'),
            0x210E => Some(b'h'),
            0x212F => Some(b'e'),
            0x210A => Some(b'g'),
            0x2134 => Some(b'o'),
            _ => None,
        };
        byte.map_or(letter, char::from)
    };
    name.chars().map(plain).collect()
}
