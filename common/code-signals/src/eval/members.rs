//! Members of objects and names: reading and writing attributes and elements.

use super::{Frame, Machine};
use crate::api::Effect;
use crate::ir::{Const, Op, Reg, StoreMode, Sym};
use crate::paths;
use crate::report::CapabilityKind;
use crate::source::Language;
use crate::value::{Kind, Value};

/// Objects around a part that hold its data.
const MOST_HOLDERS: usize = 4;

impl Machine<'_> {
    pub(super) fn attribute(&mut self, of: &Value, name: Sym) -> Value {
        if of.object != 0 && !of.has_function() {
            if let Some((value, is_instance)) = self.member(of.object, name) {
                let mut value = value.clone();
                if value.has_function() && is_instance {
                    value.object = of.object;
                }
                return value;
            }
            // The default export of a module without one is the module.
            if name == self.known.default && self.object(of.object).is_some() {
                return of.clone();
            }
        }
        let is_script = matches!(self.current_language, Language::JavaScript | Language::TypeScript);
        if is_script && of.as_text().is_some() && matches!(self.names.text(name), "href" | "pathname") {
            return of.clone();
        }
        // `module.__dict__["name"]` is the member of the module.
        if of.path != 0 && self.current_language == Language::Python && self.names.text(name) == "__dict__" {
            return of.clone();
        }
        if of.has_function() && name == self.known.prototype {
            return Value { object: self.statics_of(of), ..Value::default() };
        }
        if name == self.known.constructor && is_script {
            let function = of.has_function()
                || self.path_text(of.path) == "%constructor"
                || self.paths.effect(of.path).is_some();
            let root = self.names.of(if function { "Function" } else { "%constructor" });
            return Value {
                path: self.paths.root(self.current_language, root, self.names),
                ..Value::default()
            };
        }
        if self.paths.effect(of.path) == Some(Effect::Environ) {
            let text = self.names.text(name).to_owned();
            if crate::api::method(self.current_language, &text).is_none()
                && !matches!(text.as_str(), "get" | "fetch" | "items" | "copy" | "each")
            {
                return self.variable(&text);
            }
        }
        let mut taint = self.taint_of(of);
        if let Some(header) = self.credential_header(name) {
            taint = self.taints.union(taint, header);
        }
        let path = self.paths.child(of.path, name, self.names);
        let mut value = self.named_value(path, taint);
        if path == 0 && of.identity != 0 {
            value.identity = self.fresh_identity(of.identity);
        }
        value
    }

    /// The origin of a header of requests that holds credentials.
    fn credential_header(&mut self, name: Sym) -> Option<u32> {
        let text = self.names.text(name);
        let is_header =
            ["authorization", "cookie", "x-api-key"].iter().any(|one| text.eq_ignore_ascii_case(one));
        let detail = is_header.then(|| text.to_owned())?;
        Some(self.origin(Kind::Header, format!("the header {detail}")))
    }

    /// A variable of the environment by a computed name: each of its names, or all of them.
    pub(super) fn variable_named(&mut self, name: &Value) -> Value {
        let taint = self.taint_of(name);
        if self.taints.source(taint, Kind::Environment).is_some() {
            return Value::tainted(self.environment_read());
        }
        let names: Vec<String> =
            name.texts().map(|text| String::from_utf8_lossy(text).into_owned()).collect();
        let secret = names.iter().find(|name| paths::is_secret_variable(name));
        let name = secret.or_else(|| names.first()).cloned().unwrap_or_default();
        self.variable(&name)
    }

    /// A variable of the environment.
    pub(super) fn variable(&mut self, name: &str) -> Value {
        match name {
            "HOME" | "USERPROFILE" => return Value::text(b"~"),
            "APPDATA" | "LOCALAPPDATA" | "ProgramData" | "PROGRAMDATA" => {
                return Value::text(b"~/AppData");
            }
            "INIT_CWD" | "npm_config_local_prefix" | "PROJECT_CWD" => {
                return Value::text(paths::PROJECT.as_bytes());
            }
            "XDG_CONFIG_HOME" => return Value::text(b"~/.config"),
            "TMPDIR" | "TEMP" | "TMP" => return Value::text(b"/tmp"),
            "USER" | "USERNAME" | "LOGNAME" | "HOSTNAME" | "COMPUTERNAME" => {
                return Value::tainted(self.identity_read(name.to_owned()));
            }
            _ => {}
        }
        let mut value = Value { identity: self.fresh_identity(name.len() as u64), ..Value::default() };
        if paths::is_secret_variable(name) {
            value.taint = self.origin(Kind::Variable, format!("the variable {name}"));
        }
        value
    }

    pub(super) fn identity_read(&mut self, detail: String) -> u32 {
        self.capability(CapabilityKind::Fingerprint, &detail);
        self.origin(Kind::Identity, detail)
    }

    pub(super) fn set_attribute(&mut self, frame: &mut Frame, of: Reg, name: Sym, value: &Value) {
        let target = self.object_of(frame, of);
        self.chain_replaced_recipient(name, value);
        self.add_field(target, name, value);
        if value.has_function() {
            self.owners.entry(value.function - 1).or_insert(target);
        }
        // Callbacks that are assigned, such as `onmessage`.
        if value.has_function() && self.names.text(name).starts_with("on") {
            let holder = frame.registers.get(of as usize).cloned().unwrap_or_default();
            let taint = self.taint_of(&holder);
            if taint != 0 {
                self.call_back(value, &Value::tainted(taint));
            }
        }
    }

    /// Data of a part is data of the objects that hold the part.
    fn add_to_holders(&mut self, frame: &Frame, part: Reg, value: &Value) {
        let taint = self.taint_of(value);
        let mut part = part;
        for _ in 0..MOST_HOLDERS {
            let instruction = frame.function.code.get(part as usize);
            let Some(Op::Attribute { of, .. } | Op::Index { of, .. }) = instruction.map(|one| &one.op) else {
                return;
            };
            let holder = frame.registers.get(*of as usize).map_or(0, |holder| holder.object);
            self.add_taint(holder, taint);
            part = *of;
        }
    }

    /// `request.headers.set(name, value)`: the data goes into the variable that holds the part.
    pub(super) fn put_into_holder(&mut self, frame: &mut Frame, callee: Reg, called: &super::calls::Called) {
        let name = called.method.map_or("", |method| self.names.text(method));
        if !matches!(name, "set" | "Set" | "append" | "Add" | "add" | "put" | "setHeader") {
            return;
        }
        let taint = self.taint_of_all(called.values());
        let operation = |register: Reg| frame.function.code.get(register as usize).map(|one| one.op.clone());
        let Some(Op::Attribute { of: part, .. }) = operation(callee).filter(|_| taint != 0) else { return };
        let Some(Op::Attribute { of: holder, .. }) = operation(part) else { return };
        if matches!(operation(holder), Some(Op::Load(_))) {
            let object = self.object_of(frame, holder);
            self.add_taint(object, taint);
        }
    }

    /// The object in a register; a variable without one gets one.
    pub(super) fn object_of(&mut self, frame: &mut Frame, register: Reg) -> u32 {
        let Some(value) = frame.registers.get(register as usize).cloned() else { return 0 };
        if value.has_function() {
            return self.statics_of(&value);
        }
        if value.object != 0 {
            return value.object;
        }
        let object = self.new_object();
        let fresh = Value { object, ..value };
        if let Some(Op::Load(name)) =
            frame.function.code.get(register as usize).map(|instruction| &instruction.op)
        {
            let scope = frame.scope;
            self.store(scope, *name, fresh.clone(), StoreMode::Assign);
        }
        if let Some(slot) = frame.registers.get_mut(register as usize) {
            *slot = fresh;
        }
        object
    }

    pub(super) fn index(&mut self, of: &Value, key: &Value) -> Value {
        if self.paths.effect(of.path) == Some(Effect::Environ) {
            return self.variable_named(key);
        }
        if let Some(number) = key.as_number() {
            if let Some(Const::List(list)) = &of.constant {
                let mut value = list.get(number as usize).cloned().map(Value::constant).unwrap_or_default();
                value.taint = of.taint;
                return value;
            }
            if let (Some(text), true) = (of.as_whole_text(), number >= 0.0) {
                let byte = text.get(number as usize).copied();
                return Value {
                    taint: of.taint,
                    ..byte.map(|byte| Value::text(&[byte])).unwrap_or_default()
                };
            }
            // An entry of a folder stands for its parts.
            if of.as_text().is_some_and(|text| crate::value::has_hole(text)) {
                return of.clone();
            }
            if let Some(item) = self.object(of.object).and_then(|object| object.items.get(number as usize)) {
                return item.clone();
            }
            return Value {
                taint: self.taint_of(of),
                identity: self.fresh_identity(of.identity),
                ..Value::default()
            };
        }
        if key.as_whole_text().is_some_and(|text| text.starts_with(b"HTTP_")) {
            // Headers of a request, as CGI and Rack name them.
            let name = format!("the header {}", self.text_of(key));
            return Value::tainted(self.origin(Kind::Handler, name));
        }
        if let Some(text) = key.as_whole_text().filter(|text| text.len() < 200) {
            let name = self.names.of(&String::from_utf8_lossy(text));
            let value = self.attribute(of, name);
            return self.member_secret(name, value);
        }
        let element = self.element(of);
        Value { path: 0, ..element }
    }

    pub(super) fn set_index(&mut self, frame: &mut Frame, of: Reg, key: &Value, value: &Value) {
        let target = self.object_of(frame, of);
        self.add_to_holders(frame, of, value);
        if let Some(text) = key.as_whole_text().filter(|text| text.len() < 200) {
            let name = self.names.of(&String::from_utf8_lossy(text));
            self.chain_recipient(name, value);
            return self.add_field(target, name, value);
        }
        // What is put into the object afterwards is found again by any key.
        if value.object != 0
            && !value.has_function()
            && self.object(target).is_some_and(|to| to.items.is_empty())
        {
            return self.push_item(target, value);
        }
        let taint = self.taint_of(value);
        self.add_taint_of_part(target, taint);
    }

    fn add_taint_of_part(&mut self, target: u32, taint: u32) {
        let all = self.object(target).map_or(0, |object| object.taint);
        let all = self.taints.union(all, taint);
        if let Some(object) = self.object_mut(target) {
            object.taint = all;
        }
    }
}
