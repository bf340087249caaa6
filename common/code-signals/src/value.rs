//! Abstract values: constants, names, functions, objects, and the origins of their data.

use std::rc::Rc;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::bounds::MOST_ALTERNATIVES;
use crate::ir::{Const, FnId, HOLE, Sym};
use crate::names::PathId;

/// Kinds of origin, in the order of `Origins`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum Kind {
    /// From the network.
    Fetched,
    /// Decoded from a literal or a file.
    Decoded,
    /// Decoded from data of unknown origin.
    Recoded,
    /// Content of a file.
    File,
    /// Secrets of a known product.
    Credential,
    /// The whole environment.
    Environment,
    /// A secret of the environment.
    Variable,
    /// Identifiers of the machine or user.
    Identity,
    /// Arguments of a handler.
    Handler,
    /// Arguments of a command.
    Input,
    /// Clipboard, keyboard, screen.
    Captured,
    /// Credentials in the headers of requests of others.
    Header,
    /// Secrets that the caller or the user of a page entrusts to the code.
    Entrusted,
    /// Tokens of the caller.
    Token,
    /// Paths of files that a walk through a folder of the user finds, and their content.
    Walked,
    /// Encrypted by the code.
    Encrypted,
    /// A long list of numbers of characters, or the characters of a literal one by one.
    Numbers,
    /// Parameters of a method that only a library calls.
    Given,
}

pub(crate) const KINDS: usize = Kind::Given as usize + 1;

/// A set of origins; 0 is the empty set.
pub(crate) type TaintId = u32;
/// A place at which data of a kind begins; 0 is none.
pub(crate) type SourceId = u32;
/// An object; 0 is none.
pub(crate) type ObjectId = u32;

/// An origin of data.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) kind: Kind,
    pub(crate) file: u32,
    pub(crate) line: u32,
    /// The path, address or name.
    pub(crate) detail: Box<str>,
    /// Address, for `Fetched`.
    pub(crate) endpoint: Option<Rc<crate::endpoint::Endpoint>>,
    /// Domains of the service that a credential belongs to.
    pub(crate) own: &'static [&'static str],
}

/// Sets of origins: for each kind the first one, so that unions are independent of their order.
pub(crate) struct Taints {
    sets: Vec<[SourceId; KINDS]>,
    numbers: HashMap<[SourceId; KINDS], TaintId, FixedState>,
    unions: HashMap<(TaintId, TaintId), TaintId, FixedState>,
}

/// Sets after which no more are kept: hostile code could otherwise combine its origins without end.
const MOST_SETS: usize = 20_000;

impl Taints {
    pub(crate) fn new() -> Self {
        Self { sets: vec![[0; KINDS]], numbers: crate::names::map(), unions: crate::names::map() }
    }

    fn number(&mut self, set: [SourceId; KINDS], otherwise: TaintId) -> TaintId {
        if let Some(number) = self.numbers.get(&set) {
            return *number;
        }
        if self.sets.len() >= MOST_SETS {
            return otherwise;
        }
        let number = u32::try_from(self.sets.len()).unwrap_or(0);
        self.sets.push(set);
        self.numbers.insert(set, number);
        number
    }

    pub(crate) fn one(&mut self, kind: Kind, source: SourceId) -> TaintId {
        let mut set = [0; KINDS];
        set[kind as usize] = source;
        self.number(set, 0)
    }

    pub(crate) fn union(&mut self, one: TaintId, other: TaintId) -> TaintId {
        if one == other || other == 0 {
            return one;
        }
        if one == 0 {
            return other;
        }
        let pair = (one.min(other), one.max(other));
        if let Some(number) = self.unions.get(&pair) {
            return *number;
        }
        let mut set = self.set(one);
        for (mine, theirs) in set.iter_mut().zip(self.set(other)) {
            *mine = match (*mine, theirs) {
                (0, source) | (source, 0) => source,
                (mine, theirs) => mine.min(theirs),
            };
        }
        let number = self.number(set, pair.0);
        self.unions.insert(pair, number);
        number
    }

    pub(crate) fn without(&mut self, taint: TaintId, kind: Kind) -> TaintId {
        if self.source(taint, kind).is_none() {
            return taint;
        }
        let mut set = self.set(taint);
        set[kind as usize] = 0;
        if set == [0; KINDS] { 0 } else { self.number(set, 0) }
    }

    fn set(&self, taint: TaintId) -> [SourceId; KINDS] {
        self.sets.get(taint as usize).copied().unwrap_or([0; KINDS])
    }

    /// The origin of a kind.
    pub(crate) fn source(&self, taint: TaintId, kind: Kind) -> Option<SourceId> {
        if taint == 0 {
            return None;
        }
        self.sets.get(taint as usize).map(|set| set[kind as usize]).filter(|source| *source != 0)
    }
}

/// An abstract value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Value {
    pub(crate) constant: Option<Const>,
    /// Further possible constants.
    pub(crate) others: Option<Rc<Vec<Const>>>,
    pub(crate) path: PathId,
    /// Function and its environment; the function number is increased by one.
    pub(crate) function: FnId,
    pub(crate) scope: ObjectId,
    /// The object; of a function, its receiver.
    pub(crate) object: ObjectId,
    pub(crate) taint: TaintId,
    /// Identity of a value without constant, so that a file is recognized by its unknown name.
    pub(crate) identity: u64,
}

impl Value {
    pub(crate) fn text(text: &[u8]) -> Self {
        Self { constant: Some(Const::Text(text.into())), ..Self::default() }
    }

    pub(crate) fn constant(constant: Const) -> Self {
        Self { constant: Some(constant), ..Self::default() }
    }

    pub(crate) fn tainted(taint: TaintId) -> Self {
        Self { taint, ..Self::default() }
    }

    /// The text, which may have holes.
    pub(crate) fn as_text(&self) -> Option<&Rc<[u8]>> {
        match &self.constant {
            Some(Const::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The text if no part is unknown.
    pub(crate) fn as_whole_text(&self) -> Option<&Rc<[u8]>> {
        self.as_text().filter(|text| !has_hole(text))
    }

    pub(crate) fn as_number(&self) -> Option<f64> {
        match &self.constant {
            Some(Const::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// All possible texts.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &Rc<[u8]>> {
        let others = self.others.iter().flat_map(|others| others.iter());
        self.constant.iter().chain(others).filter_map(|constant| match constant {
            Const::Text(text) => Some(text),
            _ => None,
        })
    }

    pub(crate) fn has_function(&self) -> bool {
        self.function != 0
    }

    /// Adds the possibilities of another value; the parts that cannot have two are those of the first that has them.
    pub(crate) fn or(&mut self, other: &Self, taints: &mut Taints) {
        match (&self.constant, &other.constant) {
            (None, constant) => self.constant.clone_from(constant),
            (Some(mine), Some(theirs)) if mine != theirs => self.add_constant(theirs),
            _ => {}
        }
        for constant in other.others.iter().flat_map(|others| others.iter()) {
            self.add_constant(constant);
        }
        if self.path == 0 {
            self.path = other.path;
        }
        if self.function == 0 && other.function != 0 {
            (self.function, self.scope) = (other.function, other.scope);
        }
        if self.object == 0 {
            self.object = other.object;
        }
        if self.identity == 0 {
            self.identity = other.identity;
        }
        self.taint = taints.union(self.taint, other.taint);
    }

    fn add_constant(&mut self, constant: &Const) {
        let others = self.others.as_deref().map(Vec::as_slice).unwrap_or_default();
        // Empty texts are initial values.
        if matches!(&self.constant, Some(Const::Text(text)) if text.is_empty()) {
            self.constant = Some(constant.clone());
        } else if others.len() + 1 < MOST_ALTERNATIVES && !others.contains(constant) {
            Rc::make_mut(self.others.get_or_insert_default()).push(constant.clone());
        }
    }
}

pub(crate) fn has_hole(text: &[u8]) -> bool {
    memchr::memchr(HOLE[0], text).is_some() && memchr::memmem::find(text, HOLE).is_some()
}

/// A mutable object: a scope, a class, an instance, a mapping, a sequence or an open file.
#[derive(Debug, Default)]
pub(crate) struct Object {
    pub(crate) fields: HashMap<Sym, Value, FixedState>,
    /// The scope around a scope.
    pub(crate) parent: ObjectId,
    /// The class of an instance, the base of a class.
    pub(crate) class: ObjectId,
    pub(crate) is_class: bool,
    /// Variables of a function, a class or a file, rather than data.
    pub(crate) is_scope: bool,
    /// Elements by position.
    pub(crate) items: Vec<Value>,
    /// Origins of everything that was put in.
    pub(crate) taint: TaintId,
    /// Path of an open file. Few objects are one, so that it lies outside.
    pub(crate) file: Option<Box<Value>>,
}
