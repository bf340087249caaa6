//! Folding of constants: the text that an expression builds, if all of it is in the code.

pub(crate) mod decode;
pub(crate) mod escape;

use std::rc::Rc;

use crate::bounds::MOST_CONSTANT;
use crate::ir::{Const, HOLE};
use crate::value::Value;

/// Writes the text of a value, or a hole.
pub(crate) fn push(value: &Value, out: &mut Vec<u8>) {
    match &value.constant {
        Some(Const::Text(text)) => out.extend_from_slice(text),
        Some(Const::Number(number)) => out.extend_from_slice(number_text(*number).as_bytes()),
        _ => out.extend_from_slice(HOLE),
    }
}

fn number_text(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 { format!("{number:.0}") } else { format!("{number}") }
}

/// Texts one after another; `None` beyond the bound of a constant.
pub(crate) fn concat<'v>(values: impl Iterator<Item = &'v Value>) -> Option<Const> {
    let mut out = Vec::new();
    for value in values {
        push(value, &mut out);
        if out.len() > MOST_CONSTANT {
            return None;
        }
    }
    Some(Const::Text(out.into()))
}

/// The elements of a constant: of a list its elements, of a text its characters.
pub(crate) fn elements(constant: &Const) -> Option<Vec<Const>> {
    match constant {
        Const::List(list) => Some(list.to_vec()),
        Const::Text(text) if text.len() <= 65_536 => {
            Some(text.iter().map(|byte| Const::Text([*byte].as_slice().into())).collect())
        }
        _ => None,
    }
}

/// Characters from which a literal without spaces counts as encoded data.
const ENCODED: usize = 200;

/// True for long literals of base64 or hexadecimal digits.
pub(crate) fn looks_encoded(text: &[u8]) -> bool {
    let digit =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_' | b'\n');
    text.len() >= ENCODED
        && text.iter().take(64).all(digit)
        && text.iter().all(digit)
        && text.iter().any(u8::is_ascii_digit)
}

/// Elements with a separator between them.
pub(crate) fn join(list: &[Const], separator: &[u8]) -> Option<Const> {
    let mut out: Vec<u8> = Vec::new();
    for (index, part) in list.iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(separator);
        }
        push(&Value::constant(part.clone()), &mut out);
        if out.len() > MOST_CONSTANT {
            return None;
        }
    }
    Some(Const::Text(out.into()))
}

/// Parts between white space.
pub(crate) fn split_words(text: &[u8]) -> Vec<Const> {
    let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.take(65_536).map(|word| Const::Text(word.into())).collect()
}

/// Parts between separators; an empty separator gives the characters.
pub(crate) fn split(text: &[u8], separator: &[u8]) -> Option<Const> {
    if separator.is_empty() {
        return elements(&Const::Text(text.into())).map(|list| Const::List(list.into()));
    }
    let mut parts = Vec::new();
    let mut from = 0;
    for at in memchr::memmem::find_iter(text, separator) {
        parts.push(Const::Text(text.get(from..at)?.into()));
        from = at + separator.len();
        if parts.len() > 65_536 {
            return None;
        }
    }
    parts.push(Const::Text(text.get(from..)?.into()));
    Some(Const::List(parts.into()))
}

pub(crate) fn reverse(constant: &Const) -> Option<Const> {
    match constant {
        Const::Text(text) => Some(Const::Text(text.iter().rev().copied().collect())),
        Const::List(list) => Some(Const::List(list.iter().rev().cloned().collect())),
        Const::Number(_) => None,
    }
}

pub(crate) fn replace(text: &[u8], from: &[u8], to: &[u8]) -> Option<Const> {
    if from.is_empty() {
        return None;
    }
    let mut out = Vec::with_capacity(text.len());
    let mut last = 0;
    for at in memchr::memmem::find_iter(text, from) {
        out.extend_from_slice(text.get(last..at)?);
        out.extend_from_slice(to);
        last = at + from.len();
        if out.len() > MOST_CONSTANT {
            return None;
        }
    }
    out.extend_from_slice(text.get(last..)?);
    Some(Const::Text(out.into()))
}

/// Characters of numbers, as one text.
pub(crate) fn characters(numbers: &[Const]) -> Option<Const> {
    let mut out = Vec::with_capacity(numbers.len());
    for number in numbers {
        let Const::Number(number) = number else { return None };
        if !(0.0..1_114_112.0).contains(number) {
            return None;
        }
        escape::write(*number as u32, escape::Escapes::Text, &mut out);
    }
    Some(Const::Text(out.into()))
}

/// Bytes of numbers, as one text.
pub(crate) fn raw_bytes(numbers: &[Const]) -> Option<Const> {
    let byte = |number: &Const| match number {
        Const::Number(number) if number.fract() == 0.0 && (0.0..256.0).contains(number) => {
            Some(*number as u8)
        }
        _ => None,
    };
    Some(Const::Text(numbers.iter().map(byte).collect::<Option<Vec<u8>>>()?.into()))
}

/// Part of a text or list; negative positions count from the end.
pub(crate) fn slice(constant: &Const, from: Option<i64>, to: Option<i64>) -> Option<Const> {
    let length = match constant {
        Const::Text(text) => text.len(),
        Const::List(list) => list.len(),
        Const::Number(_) => return None,
    };
    let place = |position: i64| {
        let from_end = i64::try_from(length).unwrap_or(i64::MAX).saturating_add(position);
        usize::try_from(if position < 0 { from_end.max(0) } else { position }).unwrap_or(0).min(length)
    };
    let from = place(from.unwrap_or(0));
    let to = to.map_or(length, place).max(from);
    match constant {
        Const::Text(text) => Some(Const::Text(text.get(from..to)?.into())),
        Const::List(list) => Some(Const::List(list.get(from..to)?.into())),
        Const::Number(_) => None,
    }
}

/// Arithmetic, and texts repeated by numbers.
pub(crate) fn arithmetic(operator: crate::ir::Operator, left: &Const, right: &Const) -> Option<Const> {
    use crate::ir::Operator;
    match (left, right) {
        (Const::Number(left), Const::Number(right)) => Some(Const::Number(match operator {
            Operator::Add => left + right,
            Operator::Subtract => left - right,
            Operator::Multiply => left * right,
            Operator::Divide => left / right,
            Operator::Xor => f64::from((*left as u32) ^ (*right as u32)),
            Operator::Other => return None,
        })),
        (Const::Text(text), Const::Number(times)) if operator == Operator::Multiply => {
            let times = *times as usize;
            (text.len().saturating_mul(times) <= 65_536).then(|| Const::Text(text.repeat(times).into()))
        }
        (Const::List(left), Const::List(right)) if operator == Operator::Add => (left.len() + right.len()
            <= 65_536)
            .then(|| Const::List(left.iter().chain(right.iter()).cloned().collect::<Rc<[_]>>())),
        _ => None,
    }
}
