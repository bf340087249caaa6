//! Wordings of lines: literal text with holes for the client's address, the user and text of no interest.
//! The notation is in [`super::notation`].
//!
//! Clients choose user names and other text, and may put a copy of the wording with another address into them. So every way
//! to read a line is looked for, within a bound: where two differ in the address or the user, that field is not taken.

use thiserror::Error;

use super::super::address;
use super::budget::Budget;
use super::notation::{alternatives, joined};

/// The longest line that is read, in bytes: wordings are short, and user names end somewhere.
const LONGEST_LINE: usize = 2048;

/// A wording.
#[derive(Debug)]
pub(super) struct Pattern {
    parts: Box<[Part]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Literal(Box<str>),
    Hole(Hole),
}

/// The kind of text that a hole holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hole {
    Client,
    ClientAndPort,
    ClientDotPort,
    Port,
    Number,
    Word,
    User,
    Object,
    Text,
}

/// Reason why a wording is invalid.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(super) enum PatternError {
    /// A hole of no known name.
    #[error(
        "expected client, client:port, client.port, port, number, word, user, object or text in braces, found {0:?}"
    )]
    Hole(String),
    /// A brace or angle bracket that is not closed, or closes nothing.
    #[error("expected a closing {0:?}")]
    Unclosed(char),
    /// Adjacent holes: the end of the first is unknown.
    #[error("expected text between two holes, or {{text}} behind a hole other than user and text")]
    Adjacent,
    /// Nothing fixed by which lines are recognized.
    #[error("expected at least {SHORTEST_LITERAL} bytes of text in a row")]
    NoLiteral,
}

/// The least that the longest literal of a wording has: less would be found in many lines.
const SHORTEST_LITERAL: usize = 5;

/// Fields of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found<'t> {
    pub(super) address: Option<&'t str>,
    pub(super) port: Option<&'t str>,
    pub(super) user: Option<&'t str>,
    pub(super) object: Option<&'t str>,
}

impl Pattern {
    /// Reads a wording from the notation of this module; one for each choice of its alternatives.
    pub(super) fn parse(notation: &str) -> Result<Vec<Self>, PatternError> {
        alternatives(notation)?.iter().map(|parts| Self::new(parts)).collect()
    }

    fn new(parts: &[Part]) -> Result<Self, PatternError> {
        let parts = joined(parts);
        if parts.windows(2).any(|pair| match pair {
            [Part::Hole(hole), Part::Hole(next)] => !hole.has_end() || *next != Hole::Text,
            _ => false,
        }) {
            return Err(PatternError::Adjacent);
        }
        let pattern = Self { parts };
        if pattern.longest_literal().len() < SHORTEST_LITERAL {
            return Err(PatternError::NoLiteral);
        }
        Ok(pattern)
    }

    /// The literal that rules out most lines.
    pub(super) fn longest_literal(&self) -> &str {
        self.literals().max_by_key(|literal| literal.len()).unwrap_or_default()
    }

    /// The literal at the start; empty where a hole stands there.
    pub(super) fn first_literal(&self) -> &str {
        match self.parts.first() {
            Some(Part::Literal(literal)) => literal,
            _ => "",
        }
    }

    /// The literal behind any text at the start; `None` if something else stands there.
    pub(super) fn literal_behind_text(&self) -> Option<&str> {
        match &*self.parts {
            [Part::Hole(Hole::Text), Part::Literal(literal), ..] => Some(literal),
            _ => None,
        }
    }

    /// Whether it has a hole for the client's address.
    pub(super) fn has_client(&self) -> bool {
        self.parts
            .iter()
            .any(|part| matches!(part, Part::Hole(Hole::Client | Hole::ClientAndPort | Hole::ClientDotPort)))
    }

    /// Whether it has a hole for the user.
    pub(super) fn has_user(&self) -> bool {
        self.parts.contains(&Part::Hole(Hole::User))
    }

    fn literals(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Literal(literal) => Some(&**literal),
            Part::Hole(_) => None,
        })
    }

    /// Reads a line; `None` if it is of another wording, or the line's tries are spent.
    pub(super) fn read<'t>(&self, line: &'t str, budget: &Budget) -> Option<Found<'t>> {
        if line.len() > LONGEST_LINE || !line.starts_with(self.first_literal()) {
            return None;
        }
        let mut reader = Reader { found: None, budget };
        let is_complete = reader.read(&self.parts, line, Found::default());
        let found = reader.found?;
        // Given up: another reading may exist.
        Some(if is_complete { found } else { Found::default() })
    }
}

/// Looks for every way to read a line.
struct Reader<'t, 'b> {
    /// The fields in which all ways so far agree.
    found: Option<Found<'t>>,
    budget: &'b Budget,
}

impl<'t> Reader<'t, '_> {
    /// Reads `rest` by `parts`, given the fields before it. Returns whether every way was tried.
    fn read(&mut self, parts: &[Part], rest: &'t str, fields: Found<'t>) -> bool {
        match parts {
            [] if rest.is_empty() => {
                self.agree(fields);
                true
            }
            [] => true,
            [Part::Literal(literal), behind @ ..] => match rest.strip_prefix(&**literal) {
                Some(rest) => self.read(behind, rest, fields),
                None => true,
            },
            [Part::Hole(hole)] => {
                if let Some(fields) = fill(*hole, rest, fields) {
                    self.agree(fields);
                }
                true
            }
            [Part::Hole(hole), behind @ ..] => self.read_hole(*hole, behind, rest, fields),
        }
    }

    /// Reads `rest` where a hole stands before `parts`, of which the first is a literal.
    fn read_hole(&mut self, hole: Hole, parts: &[Part], rest: &'t str, fields: Found<'t>) -> bool {
        let longest = hole.longest(rest);
        let Some(Part::Literal(literal)) = parts.first() else {
            let (held, _) = rest.split_at(longest);
            let held = held.trim_end_matches([',', ';', ':', ')', ']', '.']);
            let Some(fields) = fill(hole, held, fields) else { return true };
            return self.read(parts, &rest[held.len()..], fields);
        };
        for (at, _) in rest.match_indices(&**literal) {
            if at > longest {
                break;
            }
            if !self.budget.take() {
                return false;
            }
            let (held, behind) = rest.split_at(at);
            let Some(fields) = fill(hole, held, fields) else { continue };
            if !self.read(parts, behind, fields) {
                return false;
            }
        }
        true
    }

    fn agree(&mut self, fields: Found<'t>) {
        let Some(found) = &mut self.found else {
            self.found = Some(fields);
            return;
        };
        if found.address != fields.address {
            (found.address, found.port) = (None, None);
        }
        if found.port != fields.port {
            found.port = None;
        }
        found.user = found.user.filter(|user| fields.user == Some(*user));
        found.object = found.object.filter(|object| fields.object == Some(*object));
    }
}

impl Hole {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "client" => Self::Client,
            "client:port" => Self::ClientAndPort,
            "client.port" => Self::ClientDotPort,
            "port" => Self::Port,
            "number" => Self::Number,
            "word" => Self::Word,
            "user" => Self::User,
            "object" => Self::Object,
            "text" => Self::Text,
            _ => return None,
        })
    }

    /// Whether the form of its text determines its end.
    fn has_end(self) -> bool {
        !matches!(self, Self::User | Self::Object | Self::Text)
    }

    /// Most bytes of `rest` that the hole holds.
    fn longest(self, rest: &str) -> usize {
        let is_held = |byte: u8| match self {
            Self::User | Self::Object | Self::Text => true,
            Self::Port | Self::Number => byte.is_ascii_digit(),
            Self::Client | Self::ClientAndPort | Self::ClientDotPort | Self::Word => {
                !byte.is_ascii_whitespace()
            }
        };
        rest.bytes().position(|byte| !is_held(byte)).unwrap_or(rest.len())
    }
}

/// The fields with those of a hole's text; `None` if it cannot be in such a hole.
fn fill<'t>(hole: Hole, text: &'t str, fields: Found<'t>) -> Option<Found<'t>> {
    let is_digits = || !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match hole {
        Hole::Text => Some(fields),
        Hole::Object => Some(Found { object: Some(text).filter(|object| !object.is_empty()), ..fields }),
        Hole::User => Some(Found { user: Some(text).filter(|user| !user.is_empty()), ..fields }),
        Hole::Word => (!text.is_empty() && hole.longest(text) == text.len()).then_some(fields),
        Hole::Number => is_digits().then_some(fields),
        Hole::Port => text.parse::<u16>().is_ok().then_some(Found { port: Some(text), ..fields }),
        Hole::Client => Some(Found { address: Some(address(text)?), ..fields }),
        Hole::ClientDotPort => {
            let (before, port) = text.rsplit_once('.')?;
            let fields = Found { address: Some(address(before)?), port: Some(port), ..fields };
            port.parse::<u16>().is_ok().then_some(fields)
        }
        Hole::ClientAndPort => {
            let (before, port) = text.rsplit_once([':', '#'])?;
            let fields = Found { address: Some(address(before)?), port: Some(port), ..fields };
            port.parse::<u16>().is_ok().then_some(fields)
        }
    }
}

/// The address in a text that is one, perhaps in brackets, without the interface.
fn address(text: &str) -> Option<&str> {
    address::written(text).filter(|found| found.port.is_none()).map(|found| found.address)
}
