//! Meaning of a drain body, by way of trees: the slow reading that the one-pass transcoder is
//! compared with.

use opentelemetry_proto::tonic::common::v1::AnyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;

use crate::json_tree::{AnyObject, Tree};

/// Result of `serde_json` for a body.
#[derive(Debug)]
pub struct Judged {
    /// Whether it follows the grammar.
    pub is_well_formed: bool,
    /// Its records; `None` if it is not well formed, or holds values no tree can: numbers out of
    /// range, halves of surrogate pairs, more nesting than `serde_json` follows.
    pub records: Option<Vec<Tree>>,
}

/// Judges a JSON array of objects.
#[must_use]
pub fn array(body: &[u8]) -> Judged {
    let Ok(text) = std::str::from_utf8(body) else { return Judged { is_well_formed: false, records: None } };
    let is_well_formed = serde_json::from_str::<Vec<AnyObject>>(&without_surrogates(text)).is_ok();
    Judged { is_well_formed, records: serde_json::from_str(text).ok().filter(|_| is_well_formed) }
}

/// Judges objects, one per line; lines of nothing but whitespace count for nothing.
#[must_use]
pub fn lines(body: &[u8]) -> Judged {
    let Ok(text) = std::str::from_utf8(body) else { return Judged { is_well_formed: false, records: None } };
    let blank = |line: &&str| !line.trim_matches([' ', '\t', '\r']).is_empty();
    let lines: Vec<_> = text.split('\n').filter(blank).collect();
    let is_object = |line: &&str| serde_json::from_str::<AnyObject>(&without_surrogates(line)).is_ok();
    let is_well_formed = !lines.is_empty() && lines.iter().all(is_object);
    let records: Result<_, _> = lines.iter().map(|line| serde_json::from_str(line)).collect();
    Judged { is_well_formed, records: records.ok().filter(|_| is_well_formed) }
}

/// The text with another character for each half of a surrogate pair: `serde_json` refuses lone ones in
/// names, even where it ignores them, and the grammar does not.
fn without_surrogates(text: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        replaced.push_str(before);
        replaced.push('\\');
        let code = escape.strip_prefix('u').and_then(|digits| digits.get(..4));
        let code = code.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let code = code.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        rest = if matches!(code, Some(0xd800..0xe000)) {
            replaced.push_str("u0041");
            &escape[5..]
        } else {
            let length = escape.chars().next().map_or(0, char::len_utf8);
            replaced.push_str(&escape[..length]);
            &escape[length..]
        };
    }
    replaced + rest
}

/// Whether `value` is the right form of `tree`.
#[must_use]
pub fn agrees(tree: &Tree, value: Option<&AnyValue>) -> bool {
    let Some(AnyValue { value }) = value else { return false };
    match (tree, value) {
        (Tree::Null, None) => true,
        (Tree::Bool(tree), Some(Value::BoolValue(value))) => tree == value,
        (Tree::Int(tree), Some(Value::IntValue(value))) => tree == value,
        // serde_json has no whole number that is a negative zero.
        (Tree::Double(tree), Some(Value::IntValue(0))) => tree.to_bits() == (-0.0_f64).to_bits(),
        (Tree::Large(tree), Some(Value::StringValue(value))) => *value == tree.to_string(),
        (Tree::Double(tree), Some(Value::DoubleValue(value))) => tree.to_bits() == value.to_bits(),
        // Whole numbers beyond 64 bits are kept as their text.
        (Tree::Double(tree), Some(Value::StringValue(value))) => {
            let digits = value.strip_prefix('-').unwrap_or(value);
            digits.bytes().all(|byte| byte.is_ascii_digit()) && value.parse() == Ok(*tree)
        }
        (Tree::Text(tree), Some(Value::StringValue(value))) => tree == value,
        (Tree::Array(tree), Some(Value::ArrayValue(value))) => {
            let values = &value.values;
            tree.len() == values.len()
                && tree.iter().zip(values).all(|(tree, value)| agrees(tree, Some(value)))
        }
        (Tree::Object(tree), Some(Value::KvlistValue(value))) => {
            let pairs = &value.values;
            tree.len() == pairs.len()
                && tree
                    .iter()
                    .zip(pairs)
                    .all(|((name, tree), pair)| *name == pair.key && agrees(tree, pair.value.as_ref()))
        }
        _ => false,
    }
}
