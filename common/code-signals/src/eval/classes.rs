//! Classes, instances and prototypes.

use super::calls::{Called, Given};
use super::{Frame, Machine};
use crate::ir::FnId;
use crate::source::Language;
use crate::value::{ObjectId, Value};

impl Machine<'_> {
    /// The method that an instance of Python executes when it is called itself.
    pub(super) fn callable(&mut self, instance: &Value) -> Option<Value> {
        if instance.object == 0 || self.current_language != Language::Python {
            return None;
        }
        let name = self.names.of("__call__");
        let (method, is_instance) = self.member(instance.object, name)?;
        (method.has_function() && is_instance).then(|| Value { object: instance.object, ..method.clone() })
    }

    pub(super) fn class(&mut self, frame: &Frame, body: FnId, bases: (u32, u32)) -> Value {
        let bases = self.span(frame, bases);
        let base = self.units.get(frame.function.unit as usize).map_or(0, |unit| unit.base);
        let id = base + body;
        let Some(function) = self.functions.get(id as usize).cloned() else { return Value::default() };
        if let Some(executed) = self.executed.get_mut(id as usize) {
            *executed = true;
        }
        let scope = self.new_scope(frame.scope);
        if let Some(class) = self.object_mut(scope) {
            class.is_class = true;
            class.class = bases.iter().map(|base| base.object).find(|object| *object != 0).unwrap_or(0);
        }
        self.run_in(function, scope);
        let path = bases.iter().map(|base| base.path).find(|path| *path != 0).unwrap_or(0);
        Value { object: scope, path, ..Value::default() }
    }

    /// The class that a call constructs.
    pub(super) fn class_of_call(&self, called: &Called) -> Option<ObjectId> {
        let is_class = |value: &Value| self.object(value.object).is_some_and(|object| object.is_class);
        if is_class(&called.callee) {
            return Some(called.callee.object);
        }
        // `Class.new` of Ruby.
        let receiver = called.receiver.as_ref()?;
        (called.constructs && is_class(receiver)).then_some(receiver.object)
    }

    pub(crate) fn instance_of(&mut self, class: ObjectId) -> ObjectId {
        // Functions of a file or of another function have no receiver.
        if self.object(class).is_none_or(|object| object.is_scope && !object.is_class) {
            return 0;
        }
        if let Some(instance) = self.instances.get(&class) {
            return *instance;
        }
        let instance = self.new_object();
        if let Some(object) = self.object_mut(instance) {
            object.class = class;
        }
        self.instances.insert(class, instance);
        instance
    }

    pub(super) fn construct(&mut self, class: ObjectId, called: &Called) -> Value {
        let object = self.new_object();
        if let Some(instance) = self.object_mut(object) {
            instance.class = class;
        }
        // Methods that are not called by name see the members of the first instance.
        self.instances.entry(class).or_insert(object);
        let path = self.paths.called(called.callee.path);
        for name in ["__init__", "constructor", "initialize"] {
            let name = self.names.of(name);
            let Some((method, _)) = self.member(object, name) else { continue };
            let method = Value { object, ..method.clone() };
            if method.has_function() {
                self.apply(&method, &called.arguments);
                break;
            }
        }
        for given in called.arguments.iter().filter(|given| given.spread) {
            // Fields of a composite literal.
            let taint = self.taint_of(&given.value);
            let all = self.object(object).map_or(0, |object| object.taint);
            let all = self.taints.union(all, taint);
            if let Some(object) = self.object_mut(object) {
                object.taint = all;
            }
        }
        Value { object, path, ..Value::default() }
    }

    pub(super) fn construct_from_function(&mut self, callee: &Value, arguments: &[Given]) -> Value {
        let object = self.new_object();
        let class = self.statics_of(callee);
        if let Some(instance) = self.object_mut(object) {
            instance.class = class;
        }
        let method = Value { object, ..callee.clone() };
        self.apply(&method, arguments);
        Value { object, ..Value::default() }
    }

    /// The object of the members of a function; a prototype is the same object.
    pub(crate) fn statics_of(&mut self, function: &Value) -> ObjectId {
        let key = (function.function, function.scope);
        if let Some(object) = self.statics.get(&key) {
            return *object;
        }
        let object = self.new_object();
        self.statics.insert(key, object);
        object
    }
}
