//! Parameters: arguments by position, by name, and the remaining ones.

use super::Machine;
use super::calls::Given;
use crate::ir::Function;
use crate::value::{ObjectId, Value};

impl Machine<'_> {
    pub(crate) fn bind_parameters(&mut self, function: &Function, scope: ObjectId, arguments: &[Given]) {
        let mut position = 0;
        for given in arguments {
            match given.keyword {
                Some(name) if function.parameters.contains(&name) => {
                    self.set_field(scope, name, given.value.clone())
                }
                Some(name) if self.names.text(name) == "&" => {
                    let value = given.value.clone();
                    if let Some(last) = function.parameters.last() {
                        self.set_field(scope, *last, value);
                    }
                }
                // Python: further keywords are those of `**rest`.
                Some(name) if function.rest => {
                    let rest = self.rest_of(function, scope);
                    self.set_field(rest, name, given.value.clone());
                }
                Some(_) => {}
                None if given.spread => {
                    for index in position..function.parameters.len() {
                        let key = Value::constant(crate::ir::Const::Number((index - position) as f64));
                        let value = self.index(&given.value, &key);
                        self.bind_parameter(function, scope, index, &value);
                    }
                }
                None => {
                    self.bind_parameter(function, scope, position, &given.value);
                    position += 1;
                }
            }
        }
    }

    fn bind_parameter(&mut self, function: &Function, scope: ObjectId, index: usize, value: &Value) {
        let last = function.parameters.len().saturating_sub(1);
        if function.rest && index >= last {
            let list = self.rest_of(function, scope);
            self.push_item(list, value);
        } else if let Some(name) = function.parameters.get(index) {
            self.set_field(scope, *name, value.clone());
        }
    }

    /// The object of the last parameter, which takes the remaining arguments.
    fn rest_of(&mut self, function: &Function, scope: ObjectId) -> ObjectId {
        let Some(name) = function.parameters.last().copied() else { return 0 };
        let known = self.object(scope).and_then(|object| object.fields.get(&name));
        let known = known.map_or(0, |rest| rest.object);
        if known != 0 {
            return known;
        }
        let rest = self.new_object();
        self.set_field(scope, name, Value { object: rest, ..Value::default() });
        rest
    }

    pub(crate) fn push_item(&mut self, list: ObjectId, value: &Value) {
        let taint = self.taint_of(value);
        let all = self.object(list).map_or(0, |object| object.taint);
        let all = self.taints.union(all, taint);
        if let Some(object) = self.object_mut(list) {
            object.taint = all;
            if object.items.len() < 512 {
                object.items.push(value.clone());
            }
        }
    }
}
