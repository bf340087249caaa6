//! Files of the set that load each other, and the scopes of their top levels.

use super::Machine;
use crate::bounds::MOST_LEVELS;
use crate::ir::Sym;
use crate::source::Language;
use crate::value::{ObjectId, Value};

/// Execution of a file.
#[derive(Clone, Copy, Default)]
pub(crate) struct Module {
    pub(crate) scope: ObjectId,
    started: bool,
}

impl Machine<'_> {
    /// Executes the top level of a file, once.
    pub(crate) fn run_module(&mut self, file: u32) {
        let Some(module) = self.modules.get_mut(file as usize) else { return };
        if module.started || self.levels >= MOST_LEVELS {
            return;
        }
        let Some(unit) = self.files.list.get(file as usize).and_then(|file| file.unit) else { return };
        module.started = true;
        let Some((base, language)) = self.units.get(unit as usize).map(|unit| (unit.base, unit.language))
        else {
            return;
        };
        let scope = self.module_scope(file, language);
        if let Some(module) = self.modules.get_mut(file as usize) {
            module.scope = scope;
        }
        let Some(function) = self.functions.get(base as usize).cloned() else { return };
        if let Some(executed) = self.executed.get_mut(base as usize) {
            *executed = true;
        }
        let (outer, depth) = (self.current_language, std::mem::replace(&mut self.depth, 0));
        let following = std::mem::replace(&mut self.following, false);
        self.run_in(function, scope);
        (self.current_language, self.depth, self.following) = (outer, depth, following);
    }

    /// Go packages share the names of their folder, Ruby files all names.
    fn module_scope(&mut self, file: u32, language: Language) -> ObjectId {
        let path = self.files.list.get(file as usize).map(|file| file.path).unwrap_or_default();
        let shared = match language {
            Language::Go => Some(format!("go:{}", path.rsplit_once('/').map_or("", |(folder, _)| folder))),
            Language::Ruby => Some("ruby:".to_owned()),
            _ => None,
        };
        let parent = match shared {
            Some(key) => match self.shared_scopes.get(&key) {
                Some(scope) => *scope,
                None => {
                    let scope = self.new_scope(0);
                    self.shared_scopes.insert(key, scope);
                    scope
                }
            },
            None => 0,
        };
        if parent != 0 {
            return parent;
        }
        let scope = self.new_scope(0);
        self.prepare_scope(scope, language);
        scope
    }

    /// `module` and `exports` of JavaScript.
    pub(super) fn prepare_scope(&mut self, scope: ObjectId, language: Language) {
        if !matches!(language, Language::JavaScript | Language::TypeScript) {
            return;
        }
        if self.object(scope).is_some_and(|object| object.parent != 0) {
            return;
        }
        let exports = Value { object: self.new_object(), ..Value::default() };
        let module = self.new_object();
        self.set_field(module, self.known.exports, exports.clone());
        let name = self.names.of("module");
        let path = self.paths.root(language, name, self.names);
        self.set_field(scope, self.known.module, Value { object: module, path, ..Value::default() });
        self.set_field(scope, self.known.exports, exports);
    }

    /// A module by its name: a file of the set, or a library.
    pub(crate) fn import(&mut self, name: Sym) -> Value {
        let text = self.names.text(name).to_owned();
        let files = self.files.resolve(self.current_language, &text, self.file);
        if files.is_empty() {
            if self.current_language == Language::Python && !self.written.is_empty() {
                // The module may be one that the code wrote before.
                let file = Value::text(format!("{text}.py").as_bytes());
                if self.written_content(&file).is_some() {
                    self.load_code(&file);
                }
            }
            let path = self.paths.root(self.current_language, name, self.names);
            return self.named_value(path, 0);
        }
        let (site, language) = ((self.file, self.line), self.current_language);
        let mut value = Value::default();
        for file in files {
            self.run_module(file);
            let scope = self.modules.get(file as usize).map_or(0, |module| module.scope);
            value = match language {
                Language::JavaScript | Language::TypeScript => self.exports_of(scope),
                _ => Value { object: scope, ..Value::default() },
            };
        }
        (self.file, self.line) = site;
        value
    }

    fn exports_of(&self, scope: ObjectId) -> Value {
        let field =
            |object: ObjectId, name| self.object(object).and_then(|object| object.fields.get(&name)).cloned();
        let module = field(scope, self.known.module).unwrap_or_default();
        // `module.exports = x` adds to the first object; functions and classes count more than an empty object.
        let exports = field(module.object, self.known.exports).unwrap_or_default();
        let first = field(scope, self.known.exports).unwrap_or_default();
        if exports.object == first.object && !exports.has_function() { first } else { exports }
    }

    pub(super) fn import_all(&mut self, scope: ObjectId, module: &Value) {
        let Some(object) = self.object(module.object) else { return };
        let mut fields: Vec<(Sym, Value)> =
            object.fields.iter().map(|(name, value)| (*name, value.clone())).collect();
        fields.sort_unstable_by_key(|field| field.0);
        fields.truncate(2_000);
        for (name, value) in fields {
            self.set_field(scope, name, value);
        }
    }
}
