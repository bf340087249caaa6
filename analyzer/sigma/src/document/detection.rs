//! The detection of a rule or filter as it is written: named selections of fields, modifiers and values, and the condition over
//! them. The compiler decides the meaning of values with modifiers.

use super::condition::{self, Condition};
use super::modifiers::{Modifiers, Relation, conflict};
use crate::number::Number;
use crate::refusal::{Cause, Fault};
use crate::yaml::{Map, Node};

/// A text value or expression: matching takes at most its length times that of the event's value.
const MAX_TEXT_BYTES: usize = 16 << 10;

/// Condition of a rule on an event.
#[derive(Clone, Debug)]
pub struct Detection {
    /// The named selections, in the order they were written.
    pub selections: Vec<(String, Selection)>,
    /// Combination of the selections. Every selection it names exists.
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

/// One field and the condition on its value.
#[derive(Clone, Debug)]
pub struct FieldTest {
    /// The field and its modifiers as the rule writes them; empty for a keyword in a list.
    pub key: String,
    /// The field as the rule names it; none means every value of the event (keywords).
    pub field: Option<String>,
    /// Modifiers of the values.
    pub modifiers: Modifiers,
    /// The values, never empty, each of a type its modifiers can be applied to.
    pub values: Vec<Scalar>,
}

/// A value as it is written.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// Text, wildcards and escapes included.
    Text(String),
    /// A number.
    Number(Number),
    /// True or false.
    Bool(bool),
    /// Null.
    Null,
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
    let mut selections = Vec::new();
    for (name, node) in map.iter().filter(|(name, _)| !reserved.contains(&name.as_str())) {
        selections.push((name.clone(), selection(node).map_err(|fault| fault.within(name))?));
    }
    let names: Vec<&str> = selections.iter().map(|(name, _)| name.as_str()).collect();
    let condition = condition::parse(super::required(map, "condition")?, &names)
        .map_err(|fault| fault.within("condition"))?;
    Ok(Detection { selections, condition })
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
    let modifiers = Modifiers::default();
    let values = vec![keyword_value(node, &modifiers)?];
    Ok(FieldTest { key: String::new(), field: None, modifiers, values })
}

fn field_test(key: &str, node: &Node) -> Result<FieldTest, Fault> {
    let mut names = key.split('|');
    let field = names.next().map(str::trim).filter(|field| !field.is_empty()).map(str::to_owned);
    let modifiers = Modifiers::parse(names)?;
    let nodes = match node {
        Node::List(items) => items.as_slice(),
        single => std::slice::from_ref(single),
    };
    check_list(node, nodes, &modifiers)?;
    let value = |node| match field {
        Some(_) => field_value(node, &modifiers),
        None => keyword_value(node, &modifiers),
    };
    let values = nodes.iter().map(value).collect::<Result<_, _>>()?;
    Ok(FieldTest { key: key.to_owned(), field, modifiers, values })
}

/// Checks the conditions on a list as a whole.
fn check_list(node: &Node, nodes: &[Node], modifiers: &Modifiers) -> Result<(), Fault> {
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
    if is_list && modifiers.kind == Relation::Exists {
        return Err(Cause::invalid("true or false", "a list").into());
    }
    Ok(())
}

fn field_value(node: &Node, modifiers: &Modifiers) -> Result<Scalar, Fault> {
    match (modifiers.kind, node) {
        (_, Node::Map(_) | Node::List(_)) => Err(Cause::invalid("a value", node.describe()).into()),
        (Relation::Exists, _) => node.as_bool().map(Scalar::Bool),
        (Relation::TimePart(part, _), Node::Int(value)) => {
            let (least, greatest) = part.range();
            if (least..=greatest).contains(value) {
                return Ok(Scalar::Number(Number::Int(*value)));
            }
            Err(Cause::invalid("a number within the range of this part of a date", value.to_string()).into())
        }
        (Relation::TimePart(..), _) => Err(Cause::invalid("a whole number", node.describe()).into()),
        (Relation::Compare(_), Node::Int(_) | Node::Double(_)) => Ok(scalar(node)),
        (Relation::Compare(_), _) => Err(Cause::invalid("a number", node.describe()).into()),
        (Relation::FieldReference(_), Node::Text(name))
            if name.trim().is_empty() || name.contains(['*', '?']) =>
        {
            Err(Cause::invalid("the name of a field", format!("`{name}`")).into())
        }
        (_, Node::Text(text)) => bounded(text),
        (Relation::Equal, _) if modifiers.cased => {
            Err(Cause::invalid("text for `cased`", node.describe()).into())
        }
        (Relation::Equal, _) if !modifiers.changes_text() => Ok(scalar(node)),
        (_, Node::Int(_) | Node::Double(_)) => {
            // `0x10` and `1_0` are numbers to YAML: the characters of the author are lost.
            Err(Cause::invalid("text (put the number in quotes)", node.describe()).into())
        }
        _ => Err(Cause::invalid("text", node.describe()).into()),
    }
}

/// The value of a node that is neither a list nor a map.
fn scalar(node: &Node) -> Scalar {
    match node {
        Node::Int(value) => Scalar::Number(Number::Int(*value)),
        Node::Double(value) => Scalar::Number(Number::Double(*value)),
        Node::Bool(value) => Scalar::Bool(*value),
        Node::Text(text) => Scalar::Text(text.clone()),
        Node::Null | Node::List(_) | Node::Map(_) => Scalar::Null,
    }
}

fn bounded(text: &str) -> Result<Scalar, Fault> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(Cause::TooLarge { what: "bytes in a value", limit: MAX_TEXT_BYTES }.into());
    }
    Ok(Scalar::Text(text.to_owned()))
}

/// A keyword is searched for anywhere within a value.
fn keyword_value(node: &Node, modifiers: &Modifiers) -> Result<Scalar, Fault> {
    if modifiers.negated
        || !matches!(modifiers.kind, Relation::Equal | Relation::Contains | Relation::Regex(_))
    {
        return Err(conflict(
            "keywords support only `all`, `contains`, `cased`, `re` and modifiers that transform text",
        ));
    }
    match (modifiers.kind, node) {
        (_, Node::Text(text)) if text.is_empty() => Err(Cause::invalid("a keyword", "empty text").into()),
        (_, Node::Text(text)) => bounded(text),
        (Relation::Equal | Relation::Contains, Node::Int(_)) if !modifiers.changes_text() => Ok(scalar(node)),
        _ => Err(Cause::invalid("a keyword", node.describe()).into()),
    }
}
