//! The condition language: `or`, `and`, `not`, `1 of pattern`, parentheses, in rising precedence.
//! Several conditions are alternatives.

use crate::refusal::{Cause, Fault};
use crate::yaml::Node;

/// Nesting of parentheses and negations.
const MAX_DEPTH: usize = 64;
/// Words and parentheses in all conditions of a document.
const MAX_TOKENS: usize = 10_000;

/// Combination of selections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Every one holds.
    And(Vec<Condition>),
    /// At least one holds.
    Or(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
    /// The selection of this name holds.
    Selection(String),
    /// As many of these selections hold.
    Of(Quantifier, Subject),
}

/// Number of several selections that must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// `1 of` or `any of`.
    Any,
    /// `all of`.
    All,
}

/// The selections that are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Every selection whose name does not begin with an underscore.
    Them,
    /// Every selection whose name matches; `*` matches any run of characters.
    Named(String),
}

impl Subject {
    /// Whether the selection of this name is meant.
    #[must_use]
    pub fn includes(&self, name: &str) -> bool {
        match self {
            Self::Them => !name.starts_with('_'),
            Self::Named(pattern) => matches_name(pattern, name),
        }
    }
}

impl Condition {
    /// The selections it names, those of patterns left out.
    pub(crate) fn selections(&self) -> Vec<&str> {
        match self {
            Self::And(parts) | Self::Or(parts) => parts.iter().flat_map(Self::selections).collect(),
            Self::Not(part) => part.selections(),
            Self::Selection(name) => vec![name],
            Self::Of(..) => Vec::new(),
        }
    }
}

fn matches_name(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = pieces.next_back() else { return rest.is_empty() };
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

/// Reads one condition or a list of them; every name must be among `selections`.
pub(super) fn parse(node: &Node, selections: &[&str]) -> Result<Condition, Fault> {
    let texts = match node {
        Node::Text(_) => vec![node.as_text()?],
        Node::List(items) if !items.is_empty() => {
            items.iter().map(Node::as_text).collect::<Result<_, _>>()?
        }
        other => return Err(Cause::invalid("a condition or a list of conditions", other.describe()).into()),
    };
    let mut alternatives = Vec::new();
    let mut left = MAX_TOKENS;
    for text in texts {
        let tokens = tokens(text)?;
        left = left
            .checked_sub(tokens.len())
            .ok_or(Cause::TooLarge { what: "words in a condition", limit: MAX_TOKENS })?;
        let mut parser = Parser { tokens: &tokens, selections, depth: 0 };
        alternatives.push(parser.alternatives()?);
        if let Some(token) = parser.tokens.first() {
            return Err(syntax(format!("unexpected `{token}`")));
        }
    }
    Ok(joined(alternatives, Condition::Or))
}

/// The names in a condition, in their order, each once.
pub(super) fn names(text: &str) -> Result<Vec<String>, Fault> {
    let mut names: Vec<String> = Vec::new();
    for token in tokens(text)? {
        let is_word = ["(", ")", "and", "or", "not"].iter().any(|word| token.eq_ignore_ascii_case(word));
        if !is_word && !names.iter().any(|name| name == token) {
            names.push(token.to_owned());
        }
    }
    Ok(names)
}

fn syntax(words: String) -> Fault {
    Cause::Condition(words.into()).into()
}

fn tokens(text: &str) -> Result<Vec<&str>, Fault> {
    if text.contains('|') {
        return Err(Cause::LegacyAggregation.into());
    }
    let mut tokens = Vec::new();
    for word in text.split_whitespace() {
        let mut rest = word;
        while let Some(at) = rest.find(['(', ')']) {
            tokens.extend((at > 0).then(|| &rest[..at]));
            tokens.push(&rest[at..=at]);
            rest = &rest[at + 1..];
        }
        tokens.extend((!rest.is_empty()).then_some(rest));
    }
    Ok(tokens)
}

fn joined(mut conditions: Vec<Condition>, join: fn(Vec<Condition>) -> Condition) -> Condition {
    match (conditions.len(), conditions.pop()) {
        (1, Some(only)) => only,
        (_, Some(last)) => {
            conditions.push(last);
            join(conditions)
        }
        (_, None) => join(conditions),
    }
}

struct Parser<'t> {
    tokens: &'t [&'t str],
    selections: &'t [&'t str],
    depth: usize,
}

impl<'t> Parser<'t> {
    fn next(&mut self) -> Option<&'t str> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.tokens.first().is_some_and(|token| token.eq_ignore_ascii_case(word));
        if found {
            self.tokens = &self.tokens[1..];
        }
        found
    }

    fn alternatives(&mut self) -> Result<Condition, Fault> {
        let mut conditions = vec![self.conjunction()?];
        while self.take("or") {
            conditions.push(self.conjunction()?);
        }
        Ok(joined(conditions, Condition::Or))
    }

    fn conjunction(&mut self) -> Result<Condition, Fault> {
        let mut conditions = vec![self.negation()?];
        while self.take("and") {
            conditions.push(self.negation()?);
        }
        Ok(joined(conditions, Condition::And))
    }

    fn negation(&mut self) -> Result<Condition, Fault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Cause::TooLarge { what: "levels of nesting in a condition", limit: MAX_DEPTH }.into());
        }
        let condition = match self.take("not") {
            true => Condition::Not(Box::new(self.negation()?)),
            false => self.primary()?,
        };
        self.depth -= 1;
        Ok(condition)
    }

    fn primary(&mut self) -> Result<Condition, Fault> {
        let Some(token) = self.next() else {
            return Err(syntax("ends where a selection was expected".to_owned()));
        };
        if token == "(" {
            let inner = self.alternatives()?;
            let closed = self.take(")");
            return closed.then_some(inner).ok_or_else(|| syntax("a parenthesis is not closed".to_owned()));
        }
        if self.take("of") {
            return self.of(token);
        }
        let reserved = [")", "and", "or", "not", "of", "them"];
        if reserved.iter().any(|word| token.eq_ignore_ascii_case(word)) {
            return Err(syntax(format!("expected a selection, found `{token}`")));
        }
        if !self.selections.contains(&token) {
            return Err(Cause::UnknownSelection(token.into()).into());
        }
        Ok(Condition::Selection(token.to_owned()))
    }

    fn of(&mut self, quantifier: &str) -> Result<Condition, Fault> {
        let quantifier = match quantifier.to_ascii_lowercase().as_str() {
            "1" | "any" => Quantifier::Any,
            "all" => Quantifier::All,
            other => {
                return Err(syntax(format!("expected `1 of`, `any of` or `all of`, found `{other} of`")));
            }
        };
        let Some(token) = self.next().filter(|token| !matches!(*token, "(" | ")")) else {
            return Err(syntax("`of` needs `them` or a pattern".to_owned()));
        };
        let subject = match token.eq_ignore_ascii_case("them") {
            true => Subject::Them,
            false => Subject::Named(token.to_owned()),
        };
        if !self.selections.iter().any(|name| subject.includes(name)) {
            return Err(Cause::UnknownSelection(token.into()).into());
        }
        Ok(Condition::Of(quantifier, subject))
    }
}
