//! Files: reading secrets, writing payloads, startup files and configuration of agents, deleting everything.

use super::Machine;
use super::archives::folder_key;
use super::calls::Called;
use crate::ir::{Const, HOLE};
use crate::paths::{self, PathClass};
use crate::report::CapabilityKind;
use crate::value::{Kind, Value};

impl Machine<'_> {
    pub(crate) fn capability(&mut self, kind: CapabilityKind, detail: &str) {
        self.findings.capability(kind, self.file, self.line, self.time, detail);
    }

    /// Parts of a path with separators; `~` and absolute parts begin anew.
    pub(super) fn join_path(&mut self, parts: &[Value]) -> Value {
        let taint = self.taint_of_all(parts);
        let mut out: Vec<u8> = Vec::new();
        let mut identity = 0u64;
        for part in parts {
            identity = identity.rotate_left(5) ^ part.identity;
            let text = part.as_text().map_or(HOLE, |text| text.as_ref());
            if text.starts_with(b"~") || text.starts_with(b"/") && out.is_empty() {
                out.clear();
            } else if !out.is_empty() && out.last() != Some(&b'/') && !text.starts_with(b"/") {
                out.push(b'/');
            }
            out.extend_from_slice(text);
        }
        let constant = self.folded(Some(Const::Text(out.into())));
        Value { constant, taint, identity, ..Value::default() }
    }

    /// A file handle. Opening for writing without data counts as writing unknown data.
    pub(super) fn open(&mut self, called: &Called, creates: bool) -> Value {
        let path = called.at(0).cloned().unwrap_or_default();
        // `os.fdopen(descriptor)`: the file of the descriptor.
        let own = self.object(path.object).and_then(|object| object.file.as_deref().cloned());
        let path = own.unwrap_or(path);
        let memory = self.memory_of(called);
        let object = if memory == 0 { self.new_object() } else { memory };
        let mode = called.arguments.iter().filter(|given| given.keyword.is_none()).nth(1);
        let keyword = called
            .arguments
            .iter()
            .find(|given| given.keyword.is_some_and(|name| self.names.text(name) == "mode"));
        let mode = mode.or(keyword).map(|given| self.text_of(&given.value)).unwrap_or_default();
        let writes = creates || mode.contains(['w', 'a', 'x', '+']);
        let path = if path.as_text().is_none() && path.identity == 0 {
            Value { identity: self.fresh_identity(1), ..path }
        } else {
            path
        };
        let mut taint = 0;
        if !writes {
            let content = self.read_file(&path);
            taint = content.taint;
        } else if let Some(class) = self.class_of_path(&path) {
            self.writes_class(class, &path, &Value::default());
        }
        if let Some(handle) = self.object_mut(object).filter(|_| memory == 0) {
            handle.file = Some(Box::new(path));
        }
        let handle = Value { object, taint, path: self.archive_path(called), ..Value::default() };
        self.call_backs(&called.arguments, &handle);
        handle
    }

    /// `mkstemp`: a descriptor and the path of a new file.
    pub(super) fn temporary_file(&mut self, called: &Called) -> Value {
        let suffix = called
            .arguments
            .iter()
            .find(|one| one.keyword.is_some_and(|name| self.names.text(name) == "suffix"));
        let suffix = suffix.map(|one| &one.value).or_else(|| called.at(0));
        let mut name = Value::text(b"/tmp/");
        let mut parts = vec![name.clone(), Value::text(HOLE)];
        parts.extend(suffix.filter(|suffix| suffix.as_text().is_some()).cloned());
        name = self.concat(&parts);
        let descriptor = self.new_object();
        if let Some(handle) = self.object_mut(descriptor) {
            handle.file = Some(Box::new(name.clone()));
        }
        let pair = self.new_object();
        self.push_item(pair, &Value { object: descriptor, ..Value::default() });
        self.push_item(pair, &name);
        Value { object: pair, ..Value::default() }
    }

    fn class_of_path(&self, path: &Value) -> Option<PathClass> {
        path.texts().find_map(|text| paths::classify(text))
    }

    /// The content of a file: what was written to it before, or its class.
    pub(crate) fn read_file(&mut self, path: &Value) -> Value {
        let identity = self.identity(path);
        let mut content = match self.written.get(&identity) {
            Some(written) if identity != 0 => written.clone(),
            _ => Value::default(),
        };
        if content.constant.is_none() {
            content.constant = self.content_in_set(path);
        }
        if path.texts().any(|text| text.as_ref() == b"/proc/self/environ") {
            let taint = self.environment_read();
            content.taint = self.taints.union(content.taint, taint);
        }
        let kind = match self.class_of_path(path) {
            Some(PathClass::Credential(name, own)) => {
                let shown = format!("{name} ({})", self.text_of(path));
                self.capability(CapabilityKind::CredentialRead, &shown);
                if path.texts().any(|text| text.starts_with(b"/proc/") && text.ends_with(b"/mem")) {
                    let shown = self.text_of(path);
                    self.chain_process_memory(&shown);
                }
                let taint = self.origin_with(Kind::Credential, name.to_owned(), None, own);
                content.taint = self.taints.union(content.taint, taint);
                return content;
            }
            Some(PathClass::Private(name)) => {
                let shown = self.text_of(path);
                self.capability(CapabilityKind::Fingerprint, &shown);
                (Kind::Identity, name.to_owned())
            }
            _ if path.texts().any(|text| text.starts_with(b"~/\xEF\xBF\xBC")) => {
                (Kind::Identity, super::FILES_OF_USER.to_owned())
            }
            _ => (Kind::File, self.text_of(path)),
        };
        let taint = self.origin(kind.0, kind.1);
        content.taint = self.taints.union(content.taint, taint);
        let path_taint = self.taint_of(path);
        // A path taken from a list of secrets carries their class, and one found by a walk its folder.
        if [Kind::Credential, Kind::Walked].iter().any(|kind| self.taints.source(path_taint, *kind).is_some())
        {
            content.taint = self.taints.union(content.taint, path_taint);
        }
        if content.identity == 0 {
            content.identity = self.fresh_identity(identity);
        }
        content
    }

    pub(crate) fn write_file(&mut self, path: &Value, data: &Value) {
        if let Some(program) = self.text_of(path).strip_prefix(super::processes::STDIN_OF) {
            let program = program.to_owned();
            self.command(&program, &[], Some(data), 0);
            return;
        }
        let identity = self.identity(path);
        if identity != 0 {
            let mut content = self.written.get(&identity).cloned().unwrap_or_default();
            let taint = self.taint_of(data);
            content.or(&Value { object: 0, path: 0, function: 0, ..data.clone() }, &mut self.taints);
            content.taint = self.taints.union(content.taint, taint);
            if self.taints.source(taint, Kind::Credential).is_some()
                && let Some(folder) = folder_key(path)
            {
                // Archives of the folder hold the secret.
                self.written.insert(folder, Value::tainted(taint));
            }
            self.written.insert(identity, content);
        }
        self.read_written_code(path, data);
        self.changes_files_of_others(path, data);
        if data.texts().any(|text| crate::chains::sends_secrets(text)) {
            let shown = self.text_of(path);
            self.chain_workflow(&shown);
        }
        match self.class_of_path(path) {
            Some(class) => self.writes_class(class, path, data),
            None => {
                if path.texts().any(|text| paths::is_outside(text)) {
                    let shown = self.text_of(path);
                    self.capability(CapabilityKind::FileWrite, &shown);
                }
            }
        }
    }

    /// Code that is written to a file will be executed by somebody, so it is read.
    fn read_written_code(&mut self, path: &Value, data: &Value) {
        let Some(text) = data.as_text().filter(|text| text.len() >= 40) else { return };
        let name = self.text_of(path);
        let has =
            |forms: &[&str]| forms.iter().any(|form| memchr::memmem::find(text, form.as_bytes()).is_some());
        let named = crate::source::language(&name, &[]);
        let language = match named {
            None if !name.trim_start_matches('\u{FFFC}').is_empty() => None,
            None if has(&["import ", "exec("]) => Some(crate::source::Language::Python),
            None if has(&["require("]) => Some(crate::source::Language::JavaScript),
            named => named,
        };
        if let Some(language) = language {
            let taint = self.taint_of(data);
            self.inner_code(data, language, 0, taint);
        }
    }

    /// The text of a file of the set.
    fn content_in_set(&self, path: &Value) -> Option<Const> {
        let text = path.as_whole_text().or_else(|| path.as_text().filter(|text| text.starts_with(HOLE)))?;
        let text = String::from_utf8_lossy(text);
        let name = text.rsplit('/').next().unwrap_or_default();
        let file = self.files.by_path(&text, self.file).filter(|_| name.contains('.'))?;
        let content = self.files.list.get(file as usize)?.content;
        (content.len() <= 1 << 18).then(|| Const::Text(content.into()))
    }

    fn writes_class(&mut self, class: PathClass, path: &Value, data: &Value) {
        let shown = self.text_of(path);
        match class {
            PathClass::Startup(name) => {
                self.capability(CapabilityKind::Persistence, &shown);
                self.chain_persistence(name, &shown, data);
                self.run_startup_lines(name, data);
            }
            PathClass::Agent(name) => {
                self.capability(CapabilityKind::AgentConfiguration, &shown);
                self.chain_agent(name, &shown, data);
            }
            PathClass::Credential(..) | PathClass::Private(_) => {
                self.capability(CapabilityKind::FileWrite, &shown)
            }
        }
    }

    /// The registry of Windows: run keys.
    pub(super) fn registry(&mut self, called: &Called) -> Value {
        let key = called
            .values()
            .filter_map(Value::as_text)
            .any(|text| text.to_ascii_lowercase().windows(18).any(|part| part == b"currentversion\\run"));
        let opened = called.at(0).is_some_and(|value| value.taint != 0 || value.path != 0);
        if key || opened {
            self.capability(CapabilityKind::Persistence, "registry");
            if key {
                self.chain_persistence("registry run key", "CurrentVersion\\Run", &Value::default());
            }
        }
        Value::default()
    }

    pub(super) fn environment_read(&mut self) -> u32 {
        self.capability(CapabilityKind::EnvironmentRead, "the whole environment");
        self.origin(Kind::Environment, "the whole environment".into())
    }

    /// Clipboard, keyboard and screen; listeners give their events to the functions.
    pub(super) fn capture(&mut self, called: &Called) -> Value {
        let name = self.path_text(called.callee.path).to_owned();
        self.capability(CapabilityKind::Capture, &name);
        let value = Value::tainted(self.origin(Kind::Captured, name));
        self.call_backs(&called.arguments, &value);
        value
    }
}
