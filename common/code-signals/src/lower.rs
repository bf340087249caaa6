//! Syntax trees to instructions: the parts that all languages share. One file for each language below.

mod bash;
mod errors;
mod go;
mod javascript;
mod python;
mod ruby;

use tree_sitter::{Node, Tree};

use crate::bounds::{MOST_DEPTH, MOST_INSTRUCTIONS};
use crate::ir::{Argument, Const, FnId, Function, Instruction, Op, Reg, Span, StoreMode, Sym};
use crate::names::Names;
pub(crate) use crate::parse::field;
use crate::source::Language;

/// The functions of a unit, numbered from its first one, which is its top level.
pub(crate) struct Lowered {
    pub(crate) functions: Vec<Function>,
    /// Set when a bound of depth or size was reached.
    pub(crate) cut: bool,
}

/// Reads a tree into functions.
pub(crate) fn lower(tree: &Tree, text: &[u8], unit: u32, language: Language, names: &mut Names) -> Lowered {
    let mut lowering = Lowering {
        text,
        unit,
        language,
        names,
        functions: Vec::new(),
        current: 0,
        line: 1,
        depth: 0,
        branches: 0,
        emitted: 0,
        cut: false,
        bare_methods: Vec::new(),
    };
    let root = tree.root_node();
    lowering.open_function("", &[]);
    match language {
        Language::Python => python::module(&mut lowering, root),
        Language::JavaScript | Language::TypeScript => javascript::program(&mut lowering, root),
        Language::Go => go::file(&mut lowering, root),
        Language::Ruby => ruby::program(&mut lowering, root),
        Language::Bash => bash::program(&mut lowering, root),
    }
    Lowered { functions: lowering.functions, cut: lowering.cut }
}

pub(crate) struct Lowering<'a> {
    pub(crate) text: &'a [u8],
    unit: u32,
    language: Language,
    pub(crate) names: &'a mut Names,
    pub(crate) functions: Vec<Function>,
    pub(crate) current: FnId,
    line: u32,
    depth: u32,
    /// Number of enclosing branches in the current function.
    pub(crate) branches: u32,
    emitted: usize,
    cut: bool,
    /// Methods of Ruby that a bare name calls.
    pub(crate) bare_methods: Vec<Sym>,
}

impl<'a> Lowering<'a> {
    pub(crate) fn slice(&self, node: Node<'_>) -> &'a [u8] {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    pub(crate) fn str(&self, node: Node<'_>) -> &'a str {
        std::str::from_utf8(self.slice(node)).unwrap_or_default()
    }

    pub(crate) fn sym(&mut self, node: Node<'_>) -> Sym {
        let text = self.str(node);
        if self.language == Language::Python && !text.is_ascii() {
            let plain = python::plain_letters(text);
            return self.names.of(&plain);
        }
        self.names.of(text)
    }

    pub(crate) fn at(&mut self, node: Node<'_>) {
        self.line = u32::try_from(node.start_position().row).unwrap_or(u32::MAX - 1).saturating_add(1);
    }

    pub(crate) fn function(&mut self) -> Option<&mut Function> {
        self.functions.get_mut(self.current as usize)
    }

    pub(crate) fn emit(&mut self, op: Op) -> Reg {
        self.emitted += 1;
        if self.emitted > MOST_INSTRUCTIONS {
            self.cut = true;
            return 0;
        }
        let line = self.line;
        let Some(function) = self.functions.get_mut(self.current as usize) else { return 0 };
        let register = u32::try_from(function.code.len()).unwrap_or(0);
        function.code.push(Instruction { op, line });
        register
    }

    pub(crate) fn unknown(&mut self) -> Reg {
        self.emit(Op::Unknown)
    }

    pub(crate) fn literal(&mut self, text: &[u8]) -> Reg {
        self.emit(Op::Literal(Const::Text(text.into())))
    }

    pub(crate) fn number(&mut self, number: f64) -> Reg {
        self.emit(Op::Literal(Const::Number(number)))
    }

    pub(crate) fn load(&mut self, name: &str) -> Reg {
        let name = self.names.of(name);
        self.emit(Op::Load(name))
    }

    pub(crate) fn attribute(&mut self, of: Reg, name: &str) -> Reg {
        let name = self.names.of(name);
        self.emit(Op::Attribute { of, name })
    }

    pub(crate) fn store(&mut self, name: Sym, value: Reg, declares: bool) -> Reg {
        let mode = match (declares, self.branches) {
            (true, _) => StoreMode::Declare,
            (false, 0) => StoreMode::Assign,
            (false, _) => StoreMode::Add,
        };
        self.emit(Op::Store { name, value, mode });
        value
    }

    pub(crate) fn registers(&mut self, registers: &[Reg]) -> Span {
        let Some(function) = self.function() else { return (0, 0) };
        let from = function.registers.len();
        function.registers.extend_from_slice(registers);
        span(from, function.registers.len())
    }

    pub(crate) fn arguments(&mut self, arguments: &[Argument]) -> Span {
        let Some(function) = self.function() else { return (0, 0) };
        let from = function.arguments.len();
        function.arguments.extend_from_slice(arguments);
        span(from, function.arguments.len())
    }

    pub(crate) fn call(&mut self, callee: Reg, arguments: &[Argument]) -> Reg {
        let arguments = self.arguments(arguments);
        self.emit(Op::Call { callee, arguments, constructs: false })
    }

    pub(crate) fn concat(&mut self, parts: &[Reg]) -> Reg {
        if let [only] = parts {
            return *only;
        }
        let parts = self.registers(parts);
        self.emit(Op::Concat(parts))
    }

    pub(crate) fn join(&mut self, parts: &[Reg]) -> Reg {
        match parts {
            [] => self.unknown(),
            [only] => *only,
            parts => {
                let parts = self.registers(parts);
                self.emit(Op::Join(parts))
            }
        }
    }

    /// Runs `read` one level deeper; at the bound the node is an unknown value.
    pub(crate) fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Reg) -> Reg {
        if self.depth >= MOST_DEPTH || self.emitted > MOST_INSTRUCTIONS {
            self.cut = true;
            return self.unknown();
        }
        self.depth += 1;
        let register = read(self);
        self.depth -= 1;
        register
    }

    /// Runs `read` within a branch.
    pub(crate) fn branch(&mut self, read: impl FnOnce(&mut Self)) {
        self.branches += 1;
        read(self);
        self.branches -= 1;
    }

    /// Runs `read`, whose errors are suppressed if `is_quiet`.
    pub(crate) fn quietly(&mut self, is_quiet: bool, read: impl FnOnce(&mut Self)) {
        let from = self.function().map_or(0, |function| function.code.len());
        read(self);
        if let Some(function) = self.function().filter(|_| is_quiet) {
            let to = function.code.len();
            function.quiet.push(span(from, to));
        }
    }

    /// Adds a function and makes it the current one.
    pub(crate) fn open_function(&mut self, name: &str, parameters: &[Sym]) -> FnId {
        let number = u32::try_from(self.functions.len()).unwrap_or(u32::MAX);
        let name = self.names.of(name);
        self.functions.push(Function {
            unit: self.unit,
            name,
            parameters: parameters.to_vec(),
            ..Function::default()
        });
        self.current = number;
        number
    }

    /// Reads the body of a function, then returns to the function around it.
    pub(crate) fn nested(
        &mut self,
        name: &str,
        parameters: &[Sym],
        read: impl FnOnce(&mut Self, FnId),
    ) -> FnId {
        let (around, branches, line) = (self.current, self.branches, self.line);
        self.branches = 0;
        let number = self.open_function(name, parameters);
        read(self, number);
        self.current = around;
        self.branches = branches;
        self.line = line;
        number
    }
}

fn span(from: usize, to: usize) -> Span {
    (u32::try_from(from).unwrap_or(0), u32::try_from(to).unwrap_or(0))
}

/// An argument without keyword.
pub(crate) const fn plain(value: Reg) -> Argument {
    Argument { keyword: None, value, spread: false }
}

/// Named children, without comments.
pub(crate) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let is_code = |child: &Node<'t>| !child.is_extra() || child.is_error();
    // Most nodes are leaves or have one child, for which no cursor is made.
    let count = node.named_child_count();
    if count <= 1 {
        return (count == 1).then(|| node.named_child(0)).flatten().filter(is_code).into_iter().collect();
    }
    let mut children = Vec::with_capacity(count);
    let mut cursor = node.walk();
    let mut left = count;
    let mut has_more = cursor.goto_first_child();
    while has_more {
        let child = cursor.node();
        if child.is_named() {
            left -= 1;
            children.extend(Some(child).filter(is_code));
        }
        has_more = left > 0 && cursor.goto_next_sibling();
    }
    children
}

/// The first operand of a left-deep chain of binary operators, then each operator with its right operand, in the order of evaluation.
/// Chains are long in generated code, so they are read in a loop.
pub(crate) fn operator_chain<'t>(node: Node<'t>) -> (Node<'t>, Vec<(&'t str, Option<Node<'t>>)>) {
    let mut rest = Vec::new();
    let mut first = node;
    while first.kind() == node.kind() {
        let operator = field(first, "operator").map(|operator| operator.kind()).unwrap_or_default();
        rest.push((operator, field(first, "right")));
        match field(first, "left") {
            Some(next) => first = next,
            None => break,
        }
    }
    rest.reverse();
    (first, rest)
}

/// Reads a number of any of the languages: prefixes, separators, suffixes.
pub(crate) fn parse_number(text: &str) -> f64 {
    let text: String = text.chars().filter(|c| *c != '_').collect::<String>().to_ascii_lowercase();
    let text = text.trim_end_matches(['n', 'l', 'j']);
    let radix = |digits: &str, radix| u64::from_str_radix(digits, radix).map_or(0.0, |number| number as f64);
    match text.get(..2) {
        Some("0x") => radix(&text[2..], 16),
        Some("0o") => radix(&text[2..], 8),
        Some("0b") => radix(&text[2..], 2),
        _ => text.parse().unwrap_or(0.0),
    }
}
