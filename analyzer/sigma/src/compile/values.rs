//! Values of a rule, their modifiers applied: one value becomes one test. Texts with several meanings (placeholders, offsets in
//! Base64) become alternatives, never expressions.

use std::collections::HashMap;
use std::sync::Arc;

use ipnet::IpNet;

use super::budget::Budget;
use super::encodings;
use super::placeholders::Placeholders;
use crate::document::{Author, Flags, Modifiers, Relation, Scalar};
use crate::expression::{Regex, Required, expression_of, required};
use crate::matcher::Test;
use crate::matcher::text::TextMatcher;
use crate::number::Number;
use crate::pattern::{DASHES, Part, Pattern, Template};
use crate::refusal::{Cause, Fault};

/// Regular expressions of one document, so that together they stay below 256 MiB, or 16 MiB of an organization's.
pub(super) const MAX_REGEXES: usize = 64;
/// Most alternative texts of one value: a value with three dashes at three offsets has 375.
const MAX_ALTERNATIVES: usize = 10_000;
/// Bytes of these texts: each may be as long as the value.
const MAX_ALTERNATIVE_BYTES: usize = 8 << 20;
/// Tests of one document, alternatives counted: some hundreds in public rules, 4,000 in the largest.
const MAX_TESTS: usize = 200_000;

/// An expression and its required literals.
type Searched = (Regex, Arc<[Required]>);

/// Makes tests of the values of one document, within bounds.
pub(super) struct Values<'p, 'b, 'l> {
    placeholders: &'p Placeholders,
    /// Author of the document.
    author: Author,
    budget: &'b mut Budget<'l>,
    /// Expressions that are compiled already: a filter is compiled for many log sources.
    regexes: HashMap<(String, Flags), Searched>,
    left: usize,
}

impl<'p, 'b, 'l> Values<'p, 'b, 'l> {
    pub(super) fn new(placeholders: &'p Placeholders, author: Author, budget: &'b mut Budget<'l>) -> Self {
        Self { placeholders, author, budget, regexes: HashMap::new(), left: MAX_TESTS }
    }

    /// Author of the document.
    pub(super) fn author(&self) -> Author {
        self.author
    }

    /// The limits of the document.
    pub(super) fn budget(&mut self) -> &mut Budget<'l> {
        self.budget
    }

    /// The test of one value of a field.
    pub(super) fn test(&mut self, value: &Scalar, modifiers: &Modifiers) -> Result<Test, Fault> {
        self.spend(1)?;
        match (modifiers.kind, value) {
            (Relation::Regex(flags), Scalar::Text(text)) => self.regex(text, flags),
            (Relation::Network, Scalar::Text(text)) if modifiers.expand => self.networks(text),
            (Relation::Network, Scalar::Text(text)) => network(text).map(Test::Network),
            (Relation::Exists, Scalar::Bool(wanted)) => Ok(Test::Exists(*wanted)),
            (Relation::Compare(comparison), Scalar::Number(number)) => Ok(Test::Compare(comparison, *number)),
            (Relation::TimePart(part, comparison), Scalar::Number(number)) => {
                Ok(Test::TimePart(part, comparison, *number))
            }
            (_, Scalar::Text(text)) => self.text(text, modifiers),
            (Relation::Equal, Scalar::Number(number)) => Ok(Test::Number(*number)),
            (Relation::Equal, Scalar::Bool(value)) => Ok(Test::Bool(*value)),
            (Relation::Equal, Scalar::Null) => Ok(Test::Null),
            (_, other) => {
                Err(Cause::invalid("a value its modifiers can be applied to", describe(other)).into())
            }
        }
    }

    /// The test of a keyword: it is searched for anywhere within a value.
    pub(super) fn keyword(&mut self, value: &Scalar, modifiers: &Modifiers) -> Result<Test, Fault> {
        let text = match value {
            Scalar::Number(Number::Int(number)) => &Scalar::Text(number.to_string()),
            other => other,
        };
        if matches!(modifiers.kind, Relation::Regex(_)) {
            return self.test(text, modifiers);
        }
        self.test(text, &Modifiers { kind: Relation::Contains, ..modifiers.clone() })
    }

    fn text(&mut self, text: &str, modifiers: &Modifiers) -> Result<Test, Fault> {
        let mut patterns = match modifiers.expand {
            true => self.expanded(&Template::parse(text))?,
            false => vec![Pattern::parse(text)],
        };
        if modifiers.windash {
            patterns.iter_mut().for_each(any_dash);
        }
        if !modifiers.encodings.is_empty() {
            let mut encoded = Vec::new();
            for pattern in &patterns {
                for plain in each_dash(pattern)? {
                    encoded.extend(encodings::encode(&plain, &modifiers.encodings)?);
                    enough(encoded.len(), &plain)?;
                }
            }
            patterns = encoded;
        }
        self.spend(patterns.len())?;
        let parts = patterns.iter().map(|pattern| pattern.parts.len()).sum();
        self.budget.text(patterns.iter().map(length).sum(), parts)?;
        let placed = patterns.into_iter().map(|pattern| match modifiers.kind {
            Relation::Contains => pattern.after_anything().before_anything(),
            Relation::StartsWith => pattern.before_anything(),
            Relation::EndsWith => pattern.after_anything(),
            _ => pattern,
        });
        let mut tests: Vec<Test> =
            placed.map(|pattern| Test::Text(TextMatcher::new(&pattern, modifiers.cased))).collect();
        match (tests.len(), tests.pop()) {
            (1, Some(only)) => Ok(only),
            (_, last) => {
                tests.extend(last);
                Ok(Test::Any(tests))
            }
        }
    }

    /// The networks of a placeholder; it must be the whole value.
    fn networks(&mut self, text: &str) -> Result<Test, Fault> {
        let template = Template::parse(text);
        let name = match template.placeholders.as_slice() {
            [(before, name)] if length(before) == 0 && length(&template.rest) == 0 => name,
            _ => return Err(Cause::Network(text.into()).into()),
        };
        let values = self.placeholders.values(name);
        let values = values.ok_or_else(|| Cause::UndefinedPlaceholder(name.as_str().into()))?;
        if values.len() > MAX_ALTERNATIVES {
            return Err(Cause::TooLarge { what: "texts a value stands for", limit: MAX_ALTERNATIVES }.into());
        }
        let tests: Vec<Test> =
            values.iter().map(|value| network(value).map(Test::Network)).collect::<Result<_, _>>()?;
        self.spend(tests.len())?;
        Ok(Test::Any(tests))
    }

    /// Every text of a template: each combination of its placeholders' values.
    fn expanded(&self, template: &Template) -> Result<Vec<Pattern>, Fault> {
        let mut patterns = vec![Pattern::default()];
        for (before, name) in &template.placeholders {
            let values = self.placeholders.values(name);
            let values = values.ok_or_else(|| Cause::UndefinedPlaceholder(name.as_str().into()))?;
            let values: Vec<Pattern> = values.iter().map(|value| Pattern::parse(value)).collect();
            let longest = |patterns: &[Pattern]| patterns.iter().max_by_key(|one| length(one)).cloned();
            let longest = joined(&[
                &longest(&patterns).unwrap_or_default(),
                before,
                &longest(&values).unwrap_or_default(),
            ]);
            enough(patterns.len().saturating_mul(values.len()), &longest)?;
            let with_value = |pattern: &Pattern| {
                let longer = |value: &Pattern| joined(&[pattern, before, value]);
                values.iter().map(longer).collect::<Vec<_>>()
            };
            patterns = patterns.iter().flat_map(with_value).collect();
        }
        patterns.iter_mut().for_each(|pattern| pattern.append(&template.rest));
        Ok(patterns)
    }

    fn regex(&mut self, text: &str, flags: Flags) -> Result<Test, Fault> {
        let key = (text.to_owned(), flags);
        let (regex, required) = match self.regexes.get(&key) {
            Some(known) => known.clone(),
            None => {
                let regex = expression_of(text, flags, self.author)?;
                self.budget.expression(regex.program_bytes())?;
                let remembers = self.budget.remember(regex.remembered_bytes());
                let regex = if remembers { regex } else { regex.without_states() };
                let made = (regex, required(text, flags).into());
                self.regexes.insert(key, made.clone());
                made
            }
        };
        Ok(Test::Regex(regex, required))
    }

    fn spend(&mut self, tests: usize) -> Result<(), Fault> {
        let cause = Cause::TooLarge { what: "texts its values stand for", limit: MAX_TESTS };
        self.left = self.left.checked_sub(tests).ok_or(cause)?;
        self.budget.tests(tests)
    }
}

fn describe(value: &Scalar) -> &'static str {
    match value {
        Scalar::Text(_) => "text",
        Scalar::Number(_) => "a number",
        Scalar::Bool(_) => "a boolean",
        Scalar::Null => "nothing",
    }
}

/// Refuses a number of alternatives, each about as long as this one, that exceeds the bound.
fn enough(alternatives: usize, each: &Pattern) -> Result<(), Fault> {
    if alternatives > MAX_ALTERNATIVES {
        return Err(Cause::TooLarge { what: "texts a value stands for", limit: MAX_ALTERNATIVES }.into());
    }
    if alternatives.saturating_mul(length(each)) > MAX_ALTERNATIVE_BYTES {
        let cause =
            Cause::TooLarge { what: "bytes of texts a value stands for", limit: MAX_ALTERNATIVE_BYTES };
        return Err(cause.into());
    }
    Ok(())
}

/// Bytes of a pattern's literals.
fn length(pattern: &Pattern) -> usize {
    let bytes = |part: &Part| if let Part::Literal(text) = part { text.len() } else { 0 };
    pattern.parts.iter().map(bytes).sum()
}

fn joined(patterns: &[&Pattern]) -> Pattern {
    let mut whole = Pattern::default();
    patterns.iter().for_each(|pattern| whole.append(pattern));
    whole
}

/// Lets every dash that begins a word, and ends none, match any dash: the first of `-a-b`, the second of `--a`. A wildcard is
/// no part of a word.
fn any_dash(pattern: &mut Pattern) {
    let mut changed = Pattern::default();
    for part in &pattern.parts {
        let Part::Literal(text) = part else {
            changed.push(part.clone());
            continue;
        };
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut before = None;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let begins_word = characters.peek().copied().is_some_and(is_word) && !before.is_some_and(is_word);
            let is_dash = begins_word && DASHES.contains(&character);
            changed.push(if is_dash { Part::Dash } else { Part::Literal(character.into()) });
            before = Some(character);
        }
    }
    *pattern = changed;
}

/// The pattern with each dash in place of those that match any: encodings need the exact characters.
fn each_dash(pattern: &Pattern) -> Result<Vec<Pattern>, Fault> {
    let mut patterns = vec![Pattern::default()];
    for part in &pattern.parts {
        if part != &Part::Dash {
            patterns.iter_mut().for_each(|pattern| pattern.push(part.clone()));
            continue;
        }
        enough(patterns.len() * DASHES.len(), pattern)?;
        let with_dash = |pattern: &Pattern| {
            DASHES.map(|dash| joined(&[pattern, &Pattern::literal(dash.encode_utf8(&mut [0; 4]))]))
        };
        patterns = patterns.iter().flat_map(with_dash).collect();
    }
    Ok(patterns)
}

/// An address alone is a network of one.
fn network(text: &str) -> Result<IpNet, Fault> {
    let refused = || Fault::from(Cause::Network(text.into()));
    let network = match text.parse::<IpNet>() {
        Ok(network) => network,
        Err(_) => IpNet::from(text.parse::<std::net::IpAddr>().map_err(|_| refused())?),
    };
    if network.trunc() != network {
        return Err(refused());
    }
    Ok(network)
}
