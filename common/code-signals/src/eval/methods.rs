//! Methods of texts, sequences and promises, in all languages.

use super::Machine;
use super::calls::Called;
use crate::api::Codec;
use crate::fold;
use crate::ir::{Const, HOLE};
use crate::source::Language;
use crate::value::Value;

/// Characters of a part of a literal that stand for one byte of data, in any of the usual encodings.
const MOST_PART: usize = 8;

impl Machine<'_> {
    pub(super) fn text_method(&mut self, name: &str, receiver: &Value, called: &Called) -> Option<Value> {
        let first = called.at(0).cloned().unwrap_or_default();
        let all = self.taint_of_all(called.values().chain([receiver]));
        if matches!(name, "sub" | "replace" | "replaceAll" | "gsub" | "ReplaceAllString")
            && let Some(second) = called.at(1).cloned()
        {
            // Python: the receiver is the pattern, the first argument the replacement.
            self.chain_substitution(receiver, &first);
            let calls = second.has_function() && self.matches_wallets(&first);
            let second = if calls { self.call_back(&second, receiver) } else { second };
            self.chain_substitution(&first, &second);
        }
        if let Some(constant) = self.folded_method(name, receiver, called) {
            let constant = self.folded(constant);
            let is_part = matches!(&constant, Some(Const::Text(text)) if text.len() <= MOST_PART)
                && matches!(name, "substr" | "substring" | "slice");
            let letters = if is_part { self.letters_origin(receiver) } else { 0 };
            return Some(Value {
                constant,
                taint: self.taints.union(all, letters),
                identity: self.fresh_identity(receiver.identity),
                ..Value::default()
            });
        }
        match name {
            "concat" if receiver.as_text().is_some() => Some(self.concat(&[receiver.clone(), first])),
            "items" | "entries" | "each_pair"
                if receiver.object != 0 && called.at(0).is_none_or(|first| !first.has_function()) =>
            {
                Some(self.pairs(receiver))
            }
            "then" | "finally" => self.then(receiver, called),
            "forEach" | "each" | "each_with_index" | "filter" | "find" | "some" | "every" | "reduce" => {
                let element = self.element(receiver);
                let element = Value { taint: self.taints.union(element.taint, all), ..element };
                let returned = self.call_backs(&called.arguments, &element);
                let taint = self.taints.union(all, returned.taint);
                Some(Value {
                    taint,
                    object: receiver.object,
                    constant: receiver.constant.clone(),
                    ..Value::default()
                })
            }
            "first" | "last" | "pop" | "shift"
                if called.arguments.is_empty() && matches!(receiver.constant, Some(Const::List(_))) =>
            {
                Some(self.element(receiver))
            }
            "push" | "append" | "extend" | "unshift" | "add" | "insert" | "concat" => {
                let values: Vec<Value> = called.values().cloned().collect();
                for value in values {
                    self.push_item(receiver.object, &value);
                }
                (receiver.object != 0).then(|| Value {
                    object: receiver.object,
                    taint: all,
                    ..Value::default()
                })
            }
            "get" | "fetch" | "dig" if receiver.object != 0 && first.as_whole_text().is_some() => {
                Some(self.index(receiver, &first))
            }
            "with_name" | "with_suffix" if self.current_language == Language::Python => {
                self.renamed(receiver, name, first)
            }
            "pipe" | "pipeTo" => {
                self.feed(receiver, &first);
                Some(Value { taint: all, ..first })
            }
            _ => None,
        }
    }

    /// Methods of texts and lists of constants: the folded constant, if it is known. `None` for other methods.
    fn folded_method(&self, name: &str, receiver: &Value, called: &Called) -> Option<Option<Const>> {
        let first = called.at(0).cloned().unwrap_or_default();
        Some(match name {
            "join" => {
                let (list, separator) = if self.current_language == Language::Python {
                    (&first, receiver)
                } else {
                    (receiver, &first)
                };
                let empty = (self.current_language != Language::Python).then(|| [].as_slice().into());
                let separator = separator.as_whole_text().cloned().or(empty);
                let parts = self.parts_of(list);
                parts.zip(separator).and_then(|(parts, separator)| fold::join(&parts, &separator))
            }
            "split" if called.at(0).is_none() && self.current_language != Language::JavaScript => {
                receiver.as_whole_text().map(|text| Const::List(fold::split_words(text).into()))
            }
            "split" => {
                let separator = first.as_whole_text().cloned();
                receiver
                    .as_whole_text()
                    .zip(separator)
                    .and_then(|(text, separator)| fold::split(text, &separator))
            }
            "replace" | "replaceAll" | "gsub" | "sub" => {
                let to = called.at(1).and_then(Value::as_whole_text).cloned();
                let from = first.as_whole_text().cloned();
                let folded = receiver
                    .as_whole_text()
                    .zip(from)
                    .zip(to)
                    .and_then(|((text, from), to)| fold::replace(text, &from, &to));
                folded.or_else(|| receiver.as_text().map(|text| Const::Text(text.clone())))
            }
            "slice" | "substring" | "substr" => receiver.constant.as_ref().and_then(|constant| {
                let number =
                    |value: Option<&Value>| value.and_then(Value::as_number).map(|number| number as i64);
                let (from, to) = (number(called.at(0)), number(called.at(1)));
                let to = if name == "substr" { to.map(|length| from.unwrap_or(0) + length) } else { to };
                fold::slice(constant, from, to)
            }),
            "chars" | "each_char" | "bytes" => {
                receiver.constant.as_ref().and_then(fold::elements).map(|list| Const::List(list.into()))
            }
            "rjust" | "padStart" | "zfill" => {
                let zero = [b'0'].as_slice().into();
                let fill = called.at(1).and_then(Value::as_whole_text).cloned().unwrap_or(zero);
                let width = first.as_number().unwrap_or_default() as usize;
                receiver
                    .as_whole_text()
                    .filter(|text| width <= 256 && fill.len() == 1 && text.len() <= 256)
                    .map(|text| {
                        let mut padded = fill.repeat(width.saturating_sub(text.len()));
                        padded.extend_from_slice(text);
                        Const::Text(padded.into())
                    })
            }
            "repeat" => receiver
                .constant
                .as_ref()
                .zip(first.constant.as_ref())
                .and_then(|(text, times)| fold::arithmetic(crate::ir::Operator::Multiply, text, times)),
            _ => return None,
        })
    }

    /// The constants of a sequence, with holes for unknown ones.
    fn parts_of(&self, list: &Value) -> Option<Vec<Const>> {
        if let Some(constant) = &list.constant {
            return fold::elements(constant);
        }
        let object = self.object(list.object).filter(|object| !object.items.is_empty())?;
        Some(
            object
                .items
                .iter()
                .map(|item| item.constant.clone().unwrap_or_else(|| Const::Text(HOLE.into())))
                .collect(),
        )
    }

    /// `promise.then(f)`: the value of the promise is the argument of the function, whose result is the result.
    fn then(&mut self, receiver: &Value, called: &Called) -> Option<Value> {
        let function = called.at(0).cloned()?;
        if !function.has_function() {
            // A name with a meaning, as in `.then(eval)`.
            if function.path != 0 {
                let direct = Called {
                    callee: function,
                    receiver: None,
                    method: None,
                    arguments: vec![super::calls::Given::plain(receiver.clone())],
                    constructs: false,
                };
                return Some(self.called(&direct));
            }
            return Some(receiver.clone());
        }
        let given = Value { taint: self.taint_of(receiver), ..receiver.clone() };
        let mut result = self.call_back(&function, &given);
        result.taint = self.taints.union(result.taint, given.taint);
        Some(result)
    }

    pub(super) fn decode_method(&mut self, codec: Codec, receiver: &Value, called: &Called) -> Option<Value> {
        let name = called.at(0).cloned();
        match (self.current_language, codec) {
            (Language::Ruby, Codec::Rot13) => {
                let from = name.as_ref().and_then(Value::as_whole_text)?;
                let is_rot13 = from.as_ref() == b"A-Za-z" || from.as_ref() == b"a-zA-Z";
                is_rot13.then(|| self.decode(Codec::Rot13, receiver, None, called))
            }
            (Language::JavaScript | Language::TypeScript, Codec::Buffer) => {
                // Text of bytes: in an encoding, it cannot be read any more.
                let encodes = name
                    .as_ref()
                    .and_then(Value::as_whole_text)
                    .and_then(|name| fold::decode::by_name(name))
                    .is_some();
                let mut value = Value { path: 0, ..receiver.clone() };
                if encodes {
                    value.constant = None;
                }
                value.taint = self.taint_of(receiver);
                Some(value)
            }
            // `cipher.decrypt(data)`.
            (_, Codec::Compressed) if called.at(0).is_some() => {
                let data = called.at(0).cloned().unwrap_or_default();
                Some(self.decode(Codec::Compressed, &data, None, called))
            }
            _ => {
                let data = match receiver.constant.as_ref() {
                    // `["6869"].pack("H*")` has one element.
                    Some(Const::List(list)) if list.len() == 1 => {
                        Value { constant: list.first().cloned(), ..receiver.clone() }
                    }
                    _ => receiver.clone(),
                };
                let mut decoded = self.decode(Codec::Named, &data, name.as_ref(), called);
                if called.method.is_some_and(|method| self.names.text(method) == "unpack") {
                    decoded.constant = decoded.constant.map(|text| Const::List([text].into()));
                }
                Some(decoded)
            }
        }
    }
}

/// Replaces the places of a form (`%s`, `{}`, `{0}`, `{name}`) by values in order.
pub(super) fn fill(form: &[u8], values: &[Value]) -> Vec<u8> {
    let mut out = Vec::with_capacity(form.len());
    let mut values = values.iter();
    let mut rest = form;
    while let Some((byte, after)) = rest.split_first() {
        let length = match (byte, after.first()) {
            (b'%', Some(b's' | b'd' | b'v' | b'r' | b'q')) => 2,
            (b'{', _) => rest.iter().take(40).position(|byte| *byte == b'}').map_or(0, |end| end + 1),
            _ => 0,
        };
        if length == 0 {
            out.push(*byte);
            rest = after;
            continue;
        }
        match values.next() {
            Some(value) => fold::push(value, &mut out),
            None => out.extend_from_slice(HOLE),
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    out
}
