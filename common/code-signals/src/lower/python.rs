//! Python, also with the statements of Python 2.

use tree_sitter::Node;

use super::{Lowering, children, field, parse_number, plain};
use crate::fold::escape::{Escapes, unescape};
use crate::ir::{Argument, Entry, HOLE, Op, Operator, Reg, Sym};

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
            with_items(l, node);
        }
        "global_statement" | "nonlocal_statement" | "pass_statement" | "comment" => {}
        "while_statement" => {
            repeats(l);
            parts(l, node);
        }
        _ => parts(l, node),
    }
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
    if text.contains("__name__") && text.contains("__main__") && node.parent().is_some_and(|p| p.kind() == "module") {
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

fn imports(l: &mut Lowering<'_>, node: Node<'_>) {
    for child in children(node) {
        let (module, alias) = match child.kind() {
            "aliased_import" => (field(child, "name"), field(child, "alias")),
            _ => (Some(child), None),
        };
        let Some(module) = module else { continue };
        let text = l.str(module);
        if let Some(alias) = alias {
            let value = import(l, text);
            let alias = l.sym(alias);
            l.store(alias, value, false);
        } else {
            // `import a.b` loads both, and binds `a`.
            if text.contains('.') {
                import(l, text);
            }
            let first = text.split('.').next().unwrap_or_default();
            let value = import(l, first);
            let name = l.names.of(first);
            l.store(name, value, false);
        }
    }
}

fn import(l: &mut Lowering<'_>, module: &str) -> Reg {
    let module = l.names.of(module);
    l.emit(Op::Import(module))
}

fn import_from(l: &mut Lowering<'_>, node: Node<'_>) {
    let Some(module_node) = field(node, "module_name") else { return };
    let module_text = l.str(module_node);
    let module = import(l, module_text);
    for child in children(node) {
        if child.id() == module_node.id() {
            continue;
        }
        let (name, alias) = match child.kind() {
            "wildcard_import" => {
                l.emit(Op::ImportAll(module));
                continue;
            }
            "aliased_import" => (field(child, "name"), field(child, "alias")),
            _ => (Some(child), Some(child)),
        };
        let (Some(name), Some(alias)) = (name, alias) else { continue };
        let member = l.sym(name);
        let value = l.emit(Op::Attribute { of: module, name: member });
        // `from . import x` names a module of the package.
        let value = if module_text.ends_with('.') {
            let text = format!("{module_text}{}", l.str(name));
            let submodule = import(l, &text);
            l.join(&[submodule, value])
        } else {
            value
        };
        let alias = l.sym(alias);
        l.store(alias, value, false);
    }
}

fn parameters(l: &mut Lowering<'_>, node: Option<Node<'_>>) -> (Vec<Sym>, bool) {
    let mut names = Vec::new();
    let mut rest = false;
    for child in node.map(children).unwrap_or_default() {
        let name = match child.kind() {
            "identifier" => Some(child),
            "typed_parameter" => child.named_child(0),
            "default_parameter" | "typed_default_parameter" => field(child, "name"),
            "list_splat_pattern" | "dictionary_splat_pattern" => {
                rest = true;
                child.named_child(0)
            }
            _ => None,
        };
        if let Some(name) = name {
            names.push(l.sym(name));
        }
    }
    (names, rest)
}

/// A function, stored under its name; gives the closure.
fn definition(l: &mut Lowering<'_>, node: Node<'_>, entry: Entry) -> Reg {
    let name = field(node, "name").map(|name| l.str(name)).unwrap_or_default();
    let (mut names, rest) = parameters(l, field(node, "parameters"));
    let in_class = l.function().is_some_and(|function| function.is_class);
    let defaults = defaults(l, field(node, "parameters"));
    let receiver = if in_class && !names.is_empty() { Some(names.remove(0)) } else { None };
    let function = l.nested(name, &names, |l, number| {
        if let Some(function) = l.functions.get_mut(number as usize) {
            function.receiver = receiver;
            function.is_method = in_class;
            function.rest = rest;
            function.entry = entry;
        }
        for (name, value) in defaults {
            let value = expression(l, value);
            l.emit(Op::Store { name, value, mode: crate::ir::StoreMode::Add });
        }
        if let Some(body) = field(node, "body") {
            block(l, body);
        }
    });
    let closure = l.emit(Op::Closure(function));
    let name = l.names.of(name);
    l.store(name, closure, true)
}

fn defaults<'t>(l: &mut Lowering<'_>, node: Option<Node<'t>>) -> Vec<(Sym, Node<'t>)> {
    let mut found = Vec::new();
    for child in node.map(children).unwrap_or_default() {
        if let (Some(name), Some(value)) = (field(child, "name"), field(child, "value")) {
            found.push((l.sym(name), value));
        }
    }
    found
}

fn class(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let name = field(node, "name").map(|name| l.str(name)).unwrap_or_default();
    let mut bases = Vec::new();
    for base in field(node, "superclasses").map(children).unwrap_or_default() {
        bases.push(expression(l, base));
    }
    let body = l.nested(name, &[], |l, number| {
        if let Some(function) = l.functions.get_mut(number as usize) {
            function.is_class = true;
        }
        if let Some(body) = field(node, "body") {
            block(l, body);
        }
    });
    let bases = l.registers(&bases);
    let class = l.emit(Op::Class { body, bases });
    let name = l.names.of(name);
    l.store(name, class, true)
}

/// Decorators that register a function as a handler of requests.
fn is_handler(decorator: &str) -> bool {
    let called = decorator.trim_start_matches('@').split('(').next().unwrap_or_default();
    let last = called.rsplit('.').next().unwrap_or_default().trim();
    called.contains('.')
        && matches!(last, "tool" | "call_tool" | "resource" | "route" | "get" | "post" | "put" | "patch" | "websocket")
}

fn decorated(l: &mut Lowering<'_>, node: Node<'_>) {
    let Some(target) = field(node, "definition") else { return };
    let mut decorators = Vec::new();
    let mut entry = Entry::None;
    for child in children(node) {
        if child.kind() == "decorator" {
            if is_handler(l.str(child)) {
                entry = Entry::Handler;
            }
            if let Some(value) = child.named_child(0) {
                decorators.push(expression(l, value));
            }
        }
    }
    let value =
        if target.kind() == "class_definition" { class(l, target) } else { definition(l, target, entry) };
    for decorator in decorators {
        // The decorated function is passed on; the name keeps the function itself.
        l.call(decorator, &[plain(value)]);
    }
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

/// `for left in right`, of loops and comprehensions.
fn each(l: &mut Lowering<'_>, node: Node<'_>) {
    let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else { return };
    let sequence = expression(l, right);
    let element = l.emit(Op::Element(sequence));
    assign(l, left, element);
}

fn assign(l: &mut Lowering<'_>, target: Node<'_>, value: Reg) {
    l.deeper(|l| {
        match target.kind() {
            "identifier" => {
                let name = l.sym(target);
                l.store(name, value, false);
            }
            "attribute" => {
                if let (Some(of), Some(name)) = (field(target, "object"), field(target, "attribute")) {
                    let of = expression(l, of);
                    let name = l.sym(name);
                    l.emit(Op::SetAttribute { of, name, value });
                }
            }
            "subscript" => {
                if let (Some(of), Some(key)) = (field(target, "value"), field(target, "subscript")) {
                    let of = expression(l, of);
                    let key = expression(l, key);
                    l.emit(Op::SetIndex { of, key, value });
                }
            }
            "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple" | "list" => {
                for (index, part) in children(target).into_iter().enumerate() {
                    let key = l.number(index as f64);
                    let element = l.emit(Op::Index { of: value, key });
                    assign(l, part, element);
                }
            }
            _ => {
                if let Some(inner) = target.named_child(0) {
                    assign(l, inner, value);
                }
            }
        }
        0
    });
}

fn expression(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    l.deeper(|l| {
        l.at(node);
        one_expression(l, node)
    })
}

fn of(l: &mut Lowering<'_>, node: Node<'_>, name: &str) -> Reg {
    match field(node, name) {
        Some(child) => expression(l, child),
        None => l.unknown(),
    }
}

fn one_expression(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    match node.kind() {
        "identifier" => {
            let name = l.sym(node);
            l.emit(Op::Load(name))
        }
        "string" => string(l, node),
        "concatenated_string" => {
            let parts: Vec<Reg> = children(node).into_iter().map(|child| expression(l, child)).collect();
            l.concat(&parts)
        }
        "integer" | "float" => {
            let number = parse_number(l.str(node));
            l.number(number)
        }
        "call" => call(l, node),
        "attribute" => {
            let value = of(l, node, "object");
            let Some(name) = field(node, "attribute") else { return value };
            let name = l.sym(name);
            l.emit(Op::Attribute { of: value, name })
        }
        "subscript" => subscript(l, node),
        "binary_operator" => binary(l, node),
        "assignment" => assignment(l, node),
        "augmented_assignment" => augmented(l, node),
        "named_expression" => {
            let value = of(l, node, "value");
            if let Some(name) = field(node, "name") {
                assign(l, name, value);
            }
            value
        }
        "as_pattern" => {
            let value = node.named_child(0).map_or(0, |child| expression(l, child));
            if let Some(alias) = field(node, "alias") {
                assign(l, alias, value);
            }
            value
        }
        "lambda" => lambda(l, node),
        "list" | "tuple" | "set" | "expression_list" => {
            let parts: Vec<Reg> = children(node).into_iter().map(|child| expression(l, child)).collect();
            let parts = l.registers(&parts);
            l.emit(Op::List(parts))
        }
        "dictionary" => dictionary(l, node),
        "list_comprehension" | "set_comprehension" | "generator_expression" | "dictionary_comprehension" => {
            comprehension(l, node)
        }
        "boolean_operator" | "conditional_expression" => {
            let parts: Vec<Reg> = children(node).into_iter().map(|child| expression(l, child)).collect();
            // The condition in the middle is no value.
            if node.kind() == "conditional_expression" && parts.len() == 3 {
                l.join(&[parts[0], parts[2]])
            } else {
                l.join(&parts)
            }
        }
        "parenthesized_expression" | "await" | "list_splat" | "dictionary_splat" | "yield" | "type" => {
            let value = node.named_child(0).map_or(0, |child| expression(l, child));
            if node.kind() == "yield" {
                l.emit(Op::Return(value));
            }
            value
        }
        "comparison_operator" | "not_operator" => {
            parts(l, node);
            l.unknown()
        }
        "function_definition" | "class_definition" | "decorated_definition" => {
            statement(l, node);
            l.unknown()
        }
        "ERROR" => {
            parts(l, node);
            l.unknown()
        }
        "ellipsis" | "none" | "true" | "false" | "comment" => l.unknown(),
        _ => {
            let mut value = None;
            for child in children(node) {
                value = Some(expression(l, child));
            }
            value.unwrap_or_else(|| l.unknown())
        }
    }
}

fn string(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let start = node.child(0).map(|start| l.str(start)).unwrap_or_default();
    let raw = start.contains(['r', 'R']);
    let mut parts = Vec::new();
    let mut text: Vec<u8> = Vec::new();
    for child in children(node) {
        match child.kind() {
            "string_content" if raw => text.extend_from_slice(l.slice(child)),
            "string_content" => {
                let escapes = if start.contains(['b', 'B']) { Escapes::Bytes } else { Escapes::Text };
                text.extend_from_slice(&unescape(l.slice(child), escapes));
            }
            "interpolation" => {
                if !text.is_empty() {
                    parts.push(l.literal(&text));
                    text.clear();
                }
                let value = field(child, "expression").or_else(|| child.named_child(0));
                parts.push(value.map_or(0, |value| expression(l, value)));
            }
            _ => {}
        }
    }
    if !text.is_empty() || parts.is_empty() {
        parts.push(l.literal(&text));
    } else if parts.len() == 1 {
        // An f-string of one value is text.
        parts.push(l.literal(b""));
    }
    l.concat(&parts)
}

fn call(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let callee = of(l, node, "function");
    let mut arguments = Vec::new();
    let Some(list) = field(node, "arguments") else { return l.call(callee, &[]) };
    if list.kind() == "generator_expression" {
        let value = expression(l, list);
        l.at(node);
        return l.call(callee, &[plain(value)]);
    }
    for child in children(list) {
        let argument = match child.kind() {
            "keyword_argument" => {
                let keyword = field(child, "name").map(|name| l.sym(name));
                Argument { keyword, value: of(l, child, "value"), spread: false }
            }
            "list_splat" | "dictionary_splat" => {
                Argument { keyword: None, value: expression(l, child), spread: true }
            }
            _ => plain(expression(l, child)),
        };
        arguments.push(argument);
    }
    l.at(node);
    l.call(callee, &arguments)
}

fn subscript(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let value = of(l, node, "value");
    let Some(key) = field(node, "subscript") else { return value };
    if key.kind() == "slice" {
        return slice(l, value, key);
    }
    let key = expression(l, key);
    l.emit(Op::Index { of: value, key })
}

fn slice(l: &mut Lowering<'_>, value: Reg, node: Node<'_>) -> Reg {
    let (mut bounds, mut position) = ([None; 3], 0);
    for index in 0..node.child_count() {
        let Some(child) = u32::try_from(index).ok().and_then(|index| node.child(index)) else { continue };
        if child.kind() == ":" {
            position += 1;
        } else if position < 3 {
            bounds[position] = l.str(child).parse::<i32>().ok();
        }
    }
    l.emit(Op::Slice { of: value, from: bounds[0], to: bounds[1], reversed: bounds[2] == Some(-1) })
}

/// Left-deep chains of operators are long in generated code, so they are read in a loop.
fn binary(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let mut pending = Vec::new();
    let mut left = node;
    while left.kind() == "binary_operator" {
        let operator = field(left, "operator").map(|operator| operator.kind()).unwrap_or_default();
        pending.push((operator, field(left, "right")));
        match field(left, "left") {
            Some(next) => left = next,
            None => break,
        }
    }
    let mut value = expression(l, left);
    for (operator, right) in pending.into_iter().rev() {
        let right = right.map_or(0, |right| expression(l, right));
        let operator = match operator {
            "+" => Operator::Add,
            "-" => Operator::Subtract,
            "*" => Operator::Multiply,
            "/" => Operator::Divide,
            "^" => Operator::Xor,
            "%" => {
                // Formatting: the places of the arguments are holes.
                let hole = l.literal(HOLE);
                let callee = l.load("%format");
                value = l.call(callee, &[plain(value), plain(right), plain(hole)]);
                continue;
            }
            _ => Operator::Other,
        };
        value = l.emit(Op::Binary { operator, left: value, right });
    }
    value
}

fn assignment(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let Some(right) = field(node, "right") else { return l.unknown() };
    let value = expression(l, right);
    l.at(node);
    if let Some(left) = field(node, "left") {
        assign(l, left, value);
    }
    value
}

fn augmented(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let left = of(l, node, "left");
    let right = of(l, node, "right");
    let value = l.emit(Op::Binary { operator: Operator::Add, left, right });
    if let Some(target) = field(node, "left") {
        assign(l, target, value);
    }
    value
}

fn lambda(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let (names, rest) = parameters(l, field(node, "parameters"));
    let function = l.nested("", &names, |l, number| {
        if let Some(function) = l.functions.get_mut(number as usize) {
            function.rest = rest;
        }
        let value = of(l, node, "body");
        l.emit(Op::Return(value));
    });
    l.emit(Op::Closure(function))
}

fn dictionary(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let mut pairs = Vec::new();
    let mut computed = Vec::new();
    for child in children(node) {
        if child.kind() != "pair" {
            pairs.push(Argument { keyword: None, value: expression(l, child), spread: true });
            continue;
        }
        let value = of(l, child, "value");
        match field(child, "key") {
            Some(key) if key.kind() == "string" => {
                let text = l.str(key).trim_matches(['"', '\'', 'b', 'u']);
                let keyword = Some(l.names.of(text));
                pairs.push(Argument { keyword, value, spread: false });
            }
            Some(key) => computed.push((expression(l, key), value)),
            None => {}
        }
    }
    let pairs = l.arguments(&pairs);
    let map = l.emit(Op::Map(pairs));
    for (key, value) in computed {
        l.emit(Op::SetIndex { of: map, key, value });
    }
    map
}

/// The value is a call of `%each` with the sequences and the element, so that lists of constants can be folded.
fn comprehension(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let mut sequence = None;
    for child in children(node) {
        if child.kind() == "for_in_clause" {
            each(l, child);
            if let Some(right) = field(child, "right") {
                sequence = sequence.or(Some(right));
            }
        } else if child.kind() == "if_clause" {
            parts(l, child);
        }
    }
    let Some(body) = field(node, "body") else { return l.unknown() };
    let variable = first_variable(l, node);
    let function = l.nested("", &variable, |l, _| {
        let value = if body.kind() == "pair" { of(l, body, "value") } else { expression(l, body) };
        l.emit(Op::Return(value));
    });
    let closure = l.emit(Op::Closure(function));
    let sequence = sequence.map_or(0, |sequence| expression(l, sequence));
    let callee = l.load("map");
    l.call(callee, &[plain(closure), plain(sequence)])
}

fn first_variable(l: &mut Lowering<'_>, node: Node<'_>) -> Vec<Sym> {
    let clause = children(node).into_iter().find(|child| child.kind() == "for_in_clause");
    let left = clause.and_then(|clause| field(clause, "left"));
    match left {
        Some(left) if left.kind() == "identifier" => vec![l.sym(left)],
        _ => Vec::new(),
    }
}
