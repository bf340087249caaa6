//! The common form of all languages: functions of instructions without nesting, one register for each instruction.
//!
//! Control flow is dropped: the branches of a condition follow each other, and stores in them add to a variable rather
//! than replace it.

use std::rc::Rc;

/// An interned name.
pub(crate) type Sym = u32;
/// The result of an instruction: its index in its function.
pub(crate) type Reg = u32;
/// A function of the program.
pub(crate) type FnId = u32;
/// Begin and end in a pool of its function.
pub(crate) type Span = (u32, u32);

/// A literal or folded value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Const {
    /// Text or bytes. `HOLE` stands for each unknown part.
    Text(Rc<[u8]>),
    Number(f64),
    List(Rc<[Const]>),
}

/// Placeholder of an unknown part in a text: the object replacement character, which code does not contain.
pub(crate) const HOLE: &[u8] = "\u{FFFC}".as_bytes();

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoreMode {
    /// A new variable of this function.
    Declare,
    /// The variable of this or the nearest enclosing function.
    Assign,
    /// As `Assign`, in a branch: the former value stays possible.
    Add,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Xor,
    Other,
}

#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// A value that is not known.
    Unknown,
    Literal(Const),
    Load(Sym),
    Store {
        name: Sym,
        value: Reg,
        mode: StoreMode,
    },
    Attribute {
        of: Reg,
        name: Sym,
    },
    SetAttribute {
        of: Reg,
        name: Sym,
        value: Reg,
    },
    Index {
        of: Reg,
        key: Reg,
    },
    SetIndex {
        of: Reg,
        key: Reg,
        value: Reg,
    },
    /// Part of a sequence; `reversed` for a step of -1.
    Slice {
        of: Reg,
        from: Option<i32>,
        to: Option<i32>,
        reversed: bool,
    },
    Call {
        callee: Reg,
        arguments: Span,
        constructs: bool,
    },
    Concat(Span),
    Binary {
        operator: Operator,
        left: Reg,
        right: Reg,
    },
    List(Span),
    /// An object or dictionary: arguments with keywords, and spread ones without.
    Map(Span),
    /// One of several values.
    Join(Span),
    /// An element of a sequence.
    Element(Reg),
    Closure(FnId),
    /// Runs the body and gives the class.
    Class {
        body: FnId,
        bases: Span,
    },
    /// A module by its name as written.
    Import(Sym),
    /// All names of a module into this function.
    ImportAll(Reg),
    Return(Reg),
    /// The value of a promise; the error of a promise that fails is thrown here.
    Await(Reg),
}

#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    pub(crate) op: Op,
    /// Line, from 1.
    pub(crate) line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Argument {
    pub(crate) keyword: Option<Sym>,
    pub(crate) value: Reg,
    pub(crate) spread: bool,
}

/// The way in which users of the program reach a function besides calls in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Entry {
    #[default]
    None,
    /// Arguments come from a model or a remote client.
    Handler,
}

#[derive(Debug, Default)]
pub(crate) struct Function {
    pub(crate) unit: u32,
    pub(crate) name: Sym,
    /// Name to which the receiver of a method is bound.
    pub(crate) receiver: Option<Sym>,
    pub(crate) parameters: Vec<Sym>,
    /// The last parameter takes the remaining arguments.
    pub(crate) rest: bool,
    pub(crate) code: Vec<Instruction>,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) registers: Vec<Reg>,
    pub(crate) loops: bool,
    /// Ranges of the code whose errors are caught and suppressed.
    pub(crate) quiet: Vec<Span>,
    pub(crate) entry: Entry,
    /// Body of a class.
    pub(crate) is_class: bool,
    /// A method: a function directly in the body of a class.
    pub(crate) is_method: bool,
    /// Executes only when the file is run as a command (`if __name__ == "__main__"`).
    pub(crate) is_command: bool,
    /// Go `init`, and functions of the same kind: executes on import.
    pub(crate) runs_on_import: bool,
}

impl Function {
    /// True for an instruction whose errors are suppressed.
    pub(crate) fn is_quiet(&self, index: usize) -> bool {
        self.quiet.iter().any(|(from, to)| (*from as usize..*to as usize).contains(&index))
    }
}
