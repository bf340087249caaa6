//! The detection of a rule or filter: named selections of field tests, and the condition over them.

use ipnet::IpNet;
use regex::{Regex, RegexBuilder};

use super::condition::{self, Condition};
use super::modifiers::{Comparison, Flags, Kind, Modifiers, conflict};
use super::pattern::Pattern;
use crate::number::Number;
use crate::refusal::{Cause, Fault};
use crate::yaml::{Map, Node};

/// Memory of one compiled regular expression, bytes: `\w{1,64}`, in a public rule, needs more than
/// one MiB because letters are those of Unicode.
const MAX_REGEX_BYTES: usize = 4 << 20;
/// Regular expressions of one document, so that together they stay below 256 MiB.
const MAX_REGEXES: usize = 64;
/// Nesting within a regular expression.
const MAX_REGEX_NESTING: u32 = 100;
/// A text value or expression: matching takes at most its length times that of the event's value.
const MAX_PATTERN_BYTES: usize = 16 << 10;

/// What a rule looks for.
#[derive(Clone, Debug)]
pub struct Detection {
    /// The named selections, in the order they were written.
    pub selections: Vec<(String, Selection)>,
    /// How they are combined. Every selection it names exists.
    pub condition: Condition,
}

/// One selection or a part of it.
#[derive(Clone, Debug)]
pub enum Selection {
    /// A map: every test holds.
    All(Vec<FieldTest>),
    /// A list: at least one item holds.
    Any(Vec<Selection>),
}

/// One field and what its value must be.
#[derive(Clone, Debug)]
pub struct FieldTest {
    /// The field as the rule names it; none stands for every value of the event (keywords).
    pub field: Option<String>,
    /// Whether every one of `values` must hold (`all`), or one is enough.
    pub every: bool,
    /// Whether each of `values` is turned around (`neq`): the field is there and the test does not hold.
    pub negated: bool,
    /// What is tested, never empty.
    pub values: Vec<ValueTest>,
}

/// What a value must be. All but `Null` and `Exists` are false for a field that is not there.
#[derive(Clone, Debug)]
pub enum ValueTest {
    /// Text that matches as a whole; letters match in either case unless `cased`.
    Text {
        /// The text with its wildcards.
        pattern: Pattern,
        /// Whether letters match in their own case only.
        cased: bool,
    },
    /// A number, or text that writes the same number.
    Number(Number),
    /// A boolean, or the text `true` or `false`.
    Bool(bool),
    /// No value: absent, null, or an array of nothing else.
    Null,
    /// Any value (true) or none (false).
    Exists(bool),
    /// A regular expression that is found anywhere in the text.
    Regex(Regex),
    /// An address within a network.
    Network(IpNet),
    /// A number, or text that writes one, in this relation to the rule's.
    Compare(Comparison, Number),
}

/// Reads a `detection`.
pub(super) fn parse(node: &Node) -> Result<Detection, Fault> {
    let map = node.as_map()?;
    if map.iter().any(|(key, _)| key == "timeframe") {
        return Err(Fault::from(Cause::LegacyAggregation).within("timeframe"));
    }
    selections_and_condition(map, &["condition"])
}

/// Reads every entry as a selection but those of `reserved`, one of which is the condition.
pub(super) fn selections_and_condition(map: &Map, reserved: &[&str]) -> Result<Detection, Fault> {
    if map.iter().map(|(_, node)| regexes(node)).sum::<usize>() > MAX_REGEXES {
        return Err(Cause::TooLarge { what: "regular expressions", limit: MAX_REGEXES }.into());
    }
    let mut selections = Vec::new();
    for (name, node) in map.iter().filter(|(name, _)| !reserved.contains(&name.as_str())) {
        selections.push((name.clone(), selection(node).map_err(|fault| fault.within(name))?));
    }
    let names: Vec<&str> = selections.iter().map(|(name, _)| name.as_str()).collect();
    let condition = condition::parse(super::required(map, "condition")?, &names)
        .map_err(|fault| fault.within("condition"))?;
    Ok(Detection { selections, condition })
}

/// How many regular expressions there are below a node: counted before the first is compiled.
fn regexes(node: &Node) -> usize {
    match node {
        Node::List(items) => items.iter().map(regexes).sum(),
        Node::Map(entries) => entries.iter().map(|(key, node)| regexes_of(key, node)).sum(),
        _ => 0,
    }
}

fn regexes_of(key: &str, node: &Node) -> usize {
    match node {
        Node::List(items) if key.split('|').any(|name| name == "re") => items.len(),
        Node::List(_) | Node::Map(_) => regexes(node),
        _ => usize::from(key.split('|').any(|name| name == "re")),
    }
}

fn selection(node: &Node) -> Result<Selection, Fault> {
    match node {
        Node::Map(entries) => fields(entries),
        Node::List(items) => list(items),
        Node::Text(_) | Node::Int(_) | Node::Double(_) => {
            Ok(Selection::Any(vec![Selection::All(vec![keyword(node)?])]))
        }
        Node::Null | Node::Bool(_) => {
            Err(Cause::invalid("a map, a list or a keyword", node.describe()).into())
        }
    }
}

fn fields(entries: &Map) -> Result<Selection, Fault> {
    if entries.is_empty() {
        return Err(Cause::invalid("at least one field", "an empty map").into());
    }
    let test = |(key, node): &(String, Node)| field_test(key, node).map_err(|fault| fault.within(key));
    entries.iter().map(test).collect::<Result<_, _>>().map(Selection::All)
}

fn list(items: &[Node]) -> Result<Selection, Fault> {
    if items.is_empty() {
        return Err(Cause::invalid("at least one item", "an empty list").into());
    }
    let item = |(index, node): (usize, &Node)| {
        let read = match node {
            Node::Map(entries) => fields(entries),
            keyword_node => keyword(keyword_node).map(|test| Selection::All(vec![test])),
        };
        read.map_err(|fault| fault.within(format!("[{index}]")))
    };
    items.iter().enumerate().map(item).collect::<Result<_, _>>().map(Selection::Any)
}

fn keyword(node: &Node) -> Result<FieldTest, Fault> {
    let value = keyword_value(node, Modifiers::default())?;
    Ok(FieldTest { field: None, every: false, negated: false, values: vec![value] })
}

fn field_test(key: &str, node: &Node) -> Result<FieldTest, Fault> {
    let mut names = key.split('|');
    let field = names.next().map(str::trim).filter(|field| !field.is_empty()).map(str::to_owned);
    let modifiers = Modifiers::parse(names)?;
    let nodes = match node {
        Node::List(items) => items.as_slice(),
        single => std::slice::from_ref(single),
    };
    check_list(node, nodes, modifiers)?;
    let value = |node| match field {
        Some(_) => field_value(node, modifiers),
        None => keyword_value(node, modifiers),
    };
    let values = nodes.iter().map(value).collect::<Result<_, _>>()?;
    Ok(FieldTest { field, every: modifiers.every, negated: modifiers.negated, values })
}

/// What must be true of a list as a whole.
fn check_list(node: &Node, nodes: &[Node], modifiers: Modifiers) -> Result<(), Fault> {
    let is_list = matches!(node, Node::List(_));
    if nodes.is_empty() {
        return Err(Cause::invalid("at least one value", "an empty list").into());
    }
    if is_list && nodes.contains(&Node::Null) {
        return Err(Cause::invalid("values", "null within a list").into());
    }
    if modifiers.every && nodes.len() < 2 {
        return Err(conflict("modifier `all` needs a list of two or more values"));
    }
    if modifiers.negated && nodes.len() > 1 && !modifiers.every {
        return Err(conflict("`neq` with several values would hold for almost every event; add `all`"));
    }
    if is_list && modifiers.kind == Kind::Exists {
        return Err(Cause::invalid("true or false", "a list").into());
    }
    Ok(())
}

fn field_value(node: &Node, modifiers: Modifiers) -> Result<ValueTest, Fault> {
    match (modifiers.kind, node) {
        (_, Node::Map(_) | Node::List(_)) => Err(Cause::invalid("a value", node.describe()).into()),
        (Kind::Equal, Node::Text(text)) => text_test(text, modifiers),
        (Kind::Equal, _) if modifiers.cased => {
            Err(Cause::invalid("text for `cased`", node.describe()).into())
        }
        (Kind::Equal, Node::Int(value)) => Ok(ValueTest::Number(Number::Int(*value))),
        (Kind::Equal, Node::Double(value)) => Ok(ValueTest::Number(Number::Double(*value))),
        (Kind::Equal, Node::Bool(value)) => Ok(ValueTest::Bool(*value)),
        (Kind::Equal, Node::Null) => Ok(ValueTest::Null),
        (Kind::Contains | Kind::StartsWith | Kind::EndsWith, Node::Text(text)) => text_test(text, modifiers),
        (Kind::Regex(flags), Node::Text(text)) => regex(text, flags),
        (Kind::Network, Node::Text(text)) => network(text),
        (Kind::Exists, _) => node.as_bool().map(ValueTest::Exists),
        (Kind::Compare(comparison), Node::Int(value)) => {
            Ok(ValueTest::Compare(comparison, Number::Int(*value)))
        }
        (Kind::Compare(comparison), Node::Double(value)) => {
            Ok(ValueTest::Compare(comparison, Number::Double(*value)))
        }
        (Kind::Compare(_), _) => Err(Cause::invalid("a number", node.describe()).into()),
        (_, Node::Int(_) | Node::Double(_)) => {
            // `0x10` and `1_0` are numbers to YAML: the characters the author wrote are gone.
            Err(Cause::invalid("text (put the number in quotes)", node.describe()).into())
        }
        _ => Err(Cause::invalid("text", node.describe()).into()),
    }
}

fn text_test(text: &str, modifiers: Modifiers) -> Result<ValueTest, Fault> {
    check_length(text)?;
    let pattern = Pattern::parse(text);
    let pattern = match modifiers.kind {
        Kind::Contains => pattern.after_anything().before_anything(),
        Kind::StartsWith => pattern.before_anything(),
        Kind::EndsWith => pattern.after_anything(),
        _ => pattern,
    };
    Ok(ValueTest::Text { pattern, cased: modifiers.cased })
}

fn check_length(text: &str) -> Result<(), Fault> {
    if text.len() > MAX_PATTERN_BYTES {
        return Err(Cause::TooLarge { what: "bytes in a value", limit: MAX_PATTERN_BYTES }.into());
    }
    Ok(())
}

/// A keyword is looked for anywhere within a value.
fn keyword_value(node: &Node, modifiers: Modifiers) -> Result<ValueTest, Fault> {
    if modifiers.negated || !matches!(modifiers.kind, Kind::Equal | Kind::Contains | Kind::Regex(_)) {
        return Err(conflict("keywords take the modifiers `all`, `contains`, `cased` and `re` only"));
    }
    match (modifiers.kind, node) {
        (Kind::Regex(flags), Node::Text(text)) => regex(text, flags),
        (_, Node::Text(text)) if !text.is_empty() => {
            text_test(text, Modifiers { kind: Kind::Contains, ..modifiers })
        }
        (Kind::Equal | Kind::Contains, Node::Int(value)) => {
            let pattern = Pattern::literal(&value.to_string()).after_anything().before_anything();
            Ok(ValueTest::Text { pattern, cased: modifiers.cased })
        }
        (_, Node::Text(_)) => Err(Cause::invalid("a keyword", "empty text").into()),
        _ => Err(Cause::invalid("a keyword", node.describe()).into()),
    }
}

fn regex(text: &str, flags: Flags) -> Result<ValueTest, Fault> {
    check_length(text)?;
    RegexBuilder::new(text)
        .case_insensitive(flags.ignore_case)
        .multi_line(flags.multi_line)
        .dot_matches_new_line(flags.dot_all)
        .size_limit(MAX_REGEX_BYTES)
        .dfa_size_limit(MAX_REGEX_BYTES)
        .nest_limit(MAX_REGEX_NESTING)
        .build()
        .map(ValueTest::Regex)
        .map_err(|error| Cause::Regex(one_line(&error.to_string())).into())
}

/// The error draws an arrow under the expression; a refusal is one line.
fn one_line(error: &str) -> Box<str> {
    error.lines().last().unwrap_or(error).trim().trim_start_matches("error: ").into()
}

/// An address alone is a network of one.
fn network(text: &str) -> Result<ValueTest, Fault> {
    let refused = || Fault::from(Cause::Network(text.into()));
    let network = match text.parse::<IpNet>() {
        Ok(network) => network,
        Err(_) => IpNet::from(text.parse::<std::net::IpAddr>().map_err(|_| refused())?),
    };
    if network.trunc() != network {
        return Err(refused());
    }
    Ok(ValueTest::Network(network))
}
