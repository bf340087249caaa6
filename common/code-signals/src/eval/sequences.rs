//! Sequences that are reversed, added, or given by the numbers of their characters.

use super::Machine;
use super::calls::Called;
use super::operations::MOST_ITEMS;
use crate::fold;
use crate::ir::Const;
use crate::value::{Kind, Value};

/// Characters of a text that is reversed or given by numbers from which it counts as concealed.
const CONCEALED: usize = 12;

impl Machine<'_> {
    /// A sequence from its end. Long constant ones are written so to conceal them.
    pub(super) fn reversed(&mut self, of: &Value) -> Value {
        let constant = of.constant.as_ref().and_then(fold::reverse);
        let length = match &constant {
            Some(Const::Text(text)) => text.len(),
            Some(Const::List(list)) => {
                list.iter().take_while(|part| matches!(part, Const::Text(text) if text.len() == 1)).count()
            }
            _ => 0,
        };
        let mut taint = self.taint_of(of);
        if length >= CONCEALED {
            let origin = self.origin(Kind::Decoded, "a reversed text".into());
            taint = self.taints.union(taint, origin);
        }
        Value { constant: self.folded(constant), taint, object: of.object, ..Value::default() }
    }

    pub(super) fn characters(&mut self, called: &Called) -> Value {
        let numbers: Option<Vec<Const>> = match called.at(0).and_then(|value| value.constant.clone()) {
            Some(Const::List(list)) => Some(list.to_vec()),
            _ => called.values().map(|value| value.constant.clone()).collect(),
        };
        let constant = numbers.and_then(|numbers| fold::characters(&numbers));
        let mut taint = self.taint_of_all(called.values());
        if matches!(&constant, Some(Const::Text(text)) if text.len() >= CONCEALED) {
            let origin = self.origin(Kind::Decoded, "numbers of characters".into());
            taint = self.taints.union(taint, origin);
        }
        Value { constant: self.folded(constant), taint, ..Value::default() }
    }

    /// A constant list and another sequence, whose elements stay apart.
    pub(super) fn sum_of_lists(&mut self, left: &Value, right: &Value) -> Option<Value> {
        let is_list = |value: &Value| matches!(value.constant, Some(Const::List(_)));
        if !is_list(left) && !is_list(right) {
            return None;
        }
        let taint = self.taint_of_all([left, right]);
        let object = self.new_object();
        for value in [left, right] {
            match &value.constant {
                Some(Const::List(list)) => {
                    for part in list.iter().take(MOST_ITEMS) {
                        self.push_item(object, &Value::constant(part.clone()));
                    }
                }
                _ => {
                    let element = self.element(value);
                    self.push_item(object, &element);
                }
            }
        }
        self.add_taint(object, taint);
        Some(Value { object, taint, ..Value::default() })
    }

    /// A list of pairs with unknown keys and the values of a mapping.
    pub(super) fn pairs(&mut self, mapping: &Value) -> Value {
        let value = self.element(mapping);
        let pair = self.new_object();
        self.push_item(pair, &Value::default());
        self.push_item(pair, &value);
        let list = self.new_object();
        self.push_item(list, &Value { object: pair, ..Value::default() });
        Value { object: list, taint: self.taint_of(mapping), ..Value::default() }
    }
}
