//! Streams and handles of files: reading, writing, and one that feeds another.

use super::Machine;
use super::calls::Called;
use crate::api::Effect;
use crate::source::Language;
use crate::value::Value;

impl Machine<'_> {
    /// Data of one value goes into another: pipes of streams.
    pub(super) fn feed(&mut self, from: &Value, into: &Value) {
        let handle = self.object(into.object).and_then(|object| object.file.clone());
        let content = if self.object(from.object).is_some_and(|object| object.file.is_some()) {
            self.read_handle(from)
        } else {
            from.clone()
        };
        if let Some(path) = handle {
            self.write_file(&path, &content);
        }
        let taint = self.taint_of(&content);
        self.add_taint(into.object, taint);
    }

    /// Reads an object that is no open file: its data.
    pub(super) fn read_handle(&mut self, receiver: &Value) -> Value {
        if let Some(path) = self.object(receiver.object).and_then(|object| object.file.clone()) {
            return self.read_file(&path);
        }
        if receiver.path == 0
            && receiver.as_text().is_some()
            && self.current_language == Language::Python
            && receiver.object == 0
        {
            // `Path(...).read_text()`, or a stream over a constant.
            let looks_like_path =
                receiver.as_text().is_some_and(|text| text.len() < 512 && !text.contains(&b'\n'));
            if looks_like_path {
                return self.read_file(receiver);
            }
        }
        if receiver.identity != 0 && receiver.object == 0 && self.written.contains_key(&receiver.identity) {
            return self.read_file(receiver);
        }
        Value {
            path: self.paths.called(receiver.path),
            taint: self.taint_of(receiver),
            constant: receiver.constant.clone(),
            ..Value::default()
        }
    }

    pub(super) fn write_handle(&mut self, receiver: &Value, called: &Called) -> Value {
        let data = called.at(0).cloned().unwrap_or_default();
        self.write_data(receiver, &data, called)
    }

    /// Data goes into a file or connection.
    pub(super) fn write_data(&mut self, receiver: &Value, data: &Value, called: &Called) -> Value {
        if let Some(path) = self.object(receiver.object).and_then(|object| object.file.clone()) {
            self.write_file(&path, data);
            return Value::default();
        }
        if receiver.as_text().is_some() && self.current_language == Language::Python {
            self.write_file(receiver, data);
            return Value::default();
        }
        let method = called.method.map_or("", |method| self.names.text(method));
        if matches!(method, "write_text" | "write_bytes") && receiver.object == 0 {
            self.write_file(receiver, data);
            return Value::default();
        }
        let taint = self.taint_of(data);
        self.add_taint(receiver.object, taint);
        if self.paths.effect(receiver.path) == Some(Effect::Connection) || self.is_connection(receiver) {
            return self.network(called);
        }
        Value::default()
    }
}
