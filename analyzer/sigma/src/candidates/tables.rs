//! What is looked for in one field, by how it is looked for: whole values and numbers in hash tables,
//! beginnings and ends by a few of their bytes, anything inside by one automaton.

use std::collections::HashMap;

use aho_corasick::AhoCorasick;
use foldhash::fast::FixedState;

use super::marks::Marks;
use super::witness::{Literal, number_key};
use crate::event::Value;
use crate::matcher::text::Anchor;
use crate::number::Number;

/// Bytes by which ends and beginnings are found: enough to tell one program's name from another's.
const KEY_BYTES: usize = 8;

type Rules = Box<[u32]>;
/// Literals that have the same key, each with the rules that look for it.
type Literals = Vec<(Box<[u8]>, Rules)>;
type Table<K, V> = HashMap<K, V, FixedState>;

/// What rules look for in a field.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    present: Rules,
    not_ascii: Rules,
    whole: Table<Box<[u8]>, Rules>,
    numbers: Table<u64, Rules>,
    starts: Edges,
    ends: Edges,
    anywhere: Option<Automaton>,
}

/// Literals at one edge of a value: by how many bytes they are keyed, then by those.
#[derive(Clone, Debug, Default)]
struct Edges {
    by_length: Vec<(usize, Table<u64, Literals>)>,
}

#[derive(Clone, Debug)]
struct Automaton {
    search: AhoCorasick,
    rules: Vec<Rules>,
}

/// The same while it is gathered.
#[derive(Debug, Default)]
pub(super) struct TablesBuilder {
    rules: HashMap<Literal, Vec<u32>>,
}

impl TablesBuilder {
    /// A rule that has to find a literal.
    pub(super) fn add(&mut self, literal: Literal, rule: u32) {
        let rules = self.rules.entry(literal).or_default();
        if rules.last() != Some(&rule) {
            rules.push(rule);
        }
    }

    /// The tables; or all rules in them, where no automaton can be built of what they look for.
    pub(super) fn build(self) -> Result<Tables, Vec<u32>> {
        let mut tables = Tables::default();
        let mut sorted: Vec<(Literal, Vec<u32>)> = self.rules.into_iter().collect();
        sorted.sort_unstable_by(|(one, _), (other, _)| one.order().cmp(&other.order()));
        let (mut patterns, mut pattern_rules) = (Vec::new(), Vec::new());
        let mut all = Vec::new();
        for (literal, rules) in sorted {
            all.extend_from_slice(&rules);
            let rules: Rules = rules.into();
            match literal {
                Literal::Present => tables.present = rules,
                Literal::Number(key) => drop(tables.numbers.insert(key, rules)),
                Literal::Text(Anchor::NotAscii, _) => tables.not_ascii = rules,
                Literal::Text(Anchor::Whole, text) => {
                    drop(tables.whole.insert(text.into_bytes().into(), rules))
                }
                Literal::Text(Anchor::Start, text) => tables.starts.add(text.as_bytes(), first, rules),
                Literal::Text(Anchor::End, text) => tables.ends.add(text.as_bytes(), last, rules),
                Literal::Text(Anchor::Anywhere, text) => {
                    patterns.push(text);
                    pattern_rules.push(rules);
                }
            }
        }
        if !patterns.is_empty() {
            let search =
                AhoCorasick::builder().ascii_case_insensitive(true).build(&patterns).map_err(|_| all)?;
            tables.anywhere = Some(Automaton { search, rules: pattern_rules });
        }
        Ok(tables)
    }
}

impl Tables {
    /// Marks the rules of which a literal is found in one of the values.
    pub(super) fn mark(&self, values: &[&Value<'_>], marks: &mut Marks) {
        set(&self.present, marks);
        for value in values {
            if !self.numbers.is_empty()
                && let Some(number) = Number::of(value)
                && let Some(rules) = self.numbers.get(&number_key(number.to_double()))
            {
                set(rules, marks);
            }
            if let Some(text) = value.to_text() {
                self.mark_text(text.as_bytes(), marks);
            }
        }
    }

    fn mark_text(&self, text: &[u8], marks: &mut Marks) {
        if !self.not_ascii.is_empty() && !text.is_ascii() {
            set(&self.not_ascii, marks);
        }
        if !self.whole.is_empty() {
            let lowered = text.to_ascii_lowercase();
            if let Some(rules) = self.whole.get(lowered.as_slice()) {
                set(rules, marks);
            }
        }
        self.starts.mark(
            text,
            first,
            |literal| text.get(..literal.len()).is_some_and(|start| start.eq_ignore_ascii_case(literal)),
            marks,
        );
        self.ends.mark(
            text,
            last,
            |literal| {
                text.len()
                    .checked_sub(literal.len())
                    .and_then(|start| text.get(start..))
                    .is_some_and(|end| end.eq_ignore_ascii_case(literal))
            },
            marks,
        );
        if let Some(automaton) = &self.anywhere {
            for found in automaton.search.find_overlapping_iter(text) {
                if let Some(rules) = automaton.rules.get(found.pattern().as_usize()) {
                    set(rules, marks);
                }
            }
        }
    }
}

impl Edges {
    fn add(&mut self, literal: &[u8], key: fn(&[u8], usize) -> Option<u64>, rules: Rules) {
        let bytes = literal.len().min(KEY_BYTES);
        let Some(key) = key(literal, bytes) else { return };
        let index = match self.by_length.iter().position(|(length, _)| *length == bytes) {
            Some(index) => index,
            None => {
                self.by_length.push((bytes, Table::default()));
                self.by_length.len() - 1
            }
        };
        if let Some((_, table)) = self.by_length.get_mut(index) {
            table.entry(key).or_default().push((literal.into(), rules));
        }
    }

    fn mark(
        &self,
        text: &[u8],
        key: fn(&[u8], usize) -> Option<u64>,
        holds: impl Fn(&[u8]) -> bool,
        marks: &mut Marks,
    ) {
        for (bytes, table) in &self.by_length {
            let Some(literals) = key(text, *bytes).and_then(|key| table.get(&key)) else { continue };
            for (literal, rules) in literals {
                if holds(literal) {
                    set(rules, marks);
                }
            }
        }
    }
}

impl Literal {
    /// Tables are built in one order, whatever the order of a hash map.
    fn order(&self) -> (u8, u64, &str) {
        match self {
            Self::Present => (0, 0, ""),
            Self::Number(key) => (1, *key, ""),
            Self::Text(anchor, text) => (2, *anchor as u64, text),
        }
    }
}

fn set(rules: &[u32], marks: &mut Marks) {
    rules.iter().for_each(|rule| marks.set(*rule));
}

/// The first bytes as a number, in lower case.
fn first(text: &[u8], bytes: usize) -> Option<u64> {
    text.get(..bytes).map(folded)
}

/// The last bytes as a number, in lower case.
fn last(text: &[u8], bytes: usize) -> Option<u64> {
    text.get(text.len().checked_sub(bytes)?..).map(folded)
}

fn folded(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |key, byte| key << 8 | u64::from(byte.to_ascii_lowercase()))
}
