//! Interned names and dotted paths, so that the interpretation compares numbers.

use std::rc::Rc;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::api::Effect;
use crate::ir::Sym;
use crate::source::Language;

/// A map whose order of iteration is the same in each process.
pub(crate) fn map<K, V>() -> HashMap<K, V, FixedState> {
    HashMap::with_hasher(FixedState::with_seed(7))
}

/// Interned strings, shared by all files of a set.
pub(crate) struct Names {
    numbers: HashMap<Rc<str>, Sym, FixedState>,
    texts: Vec<Rc<str>>,
}

impl Names {
    pub(crate) fn new() -> Self {
        let mut names = Self { numbers: map(), texts: Vec::new() };
        names.of("");
        names
    }

    pub(crate) fn of(&mut self, text: &str) -> Sym {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let text: Rc<str> = text.into();
        self.texts.push(text.clone());
        self.numbers.insert(text, number);
        number
    }

    pub(crate) fn text(&self, name: Sym) -> &str {
        self.texts.get(name as usize).map_or("", |text| text)
    }

    /// The text, to keep it while the interpretation changes.
    pub(crate) fn shared(&self, name: Sym) -> Rc<str> {
        self.texts.get(name as usize).cloned().unwrap_or_default()
    }
}

/// A name of a library or of the language, as resolved through aliases; 0 is none.
pub(crate) type PathId = u32;

/// Parts of a path after which it is not extended: hostile code could otherwise build long ones.
const MOST_PARTS: u8 = 12;

struct PathEntry {
    text: Box<str>,
    language: Language,
    parts: u8,
    effect: Option<Effect>,
}

/// Paths with their effects, found once for each path.
pub(crate) struct Paths {
    entries: Vec<PathEntry>,
    roots: HashMap<(Language, Sym), PathId, FixedState>,
    children: HashMap<(PathId, Sym), PathId, FixedState>,
    calls: HashMap<PathId, PathId, FixedState>,
}

impl Paths {
    pub(crate) fn new() -> Self {
        let none = PathEntry { text: "".into(), language: Language::Python, parts: 0, effect: None };
        Self { entries: vec![none], roots: map(), children: map(), calls: map() }
    }

    fn add(&mut self, text: String, language: Language, parts: u8) -> PathId {
        let number = u32::try_from(self.entries.len()).unwrap_or(0);
        let effect = crate::api::effect(language, &text);
        self.entries.push(PathEntry { text: text.into(), language, parts, effect });
        number
    }

    pub(crate) fn root(&mut self, language: Language, name: Sym, names: &Names) -> PathId {
        if let Some(path) = self.roots.get(&(language, name)) {
            return *path;
        }
        let text = crate::api::canonical(language, names.text(name)).to_owned();
        let path = self.add(text, language, 1);
        self.roots.insert((language, name), path);
        path
    }

    /// The member of a path; members of global objects are the globals themselves.
    pub(crate) fn child(&mut self, of: PathId, name: Sym, names: &Names) -> PathId {
        if let Some(path) = self.children.get(&(of, name)) {
            return *path;
        }
        let Some(entry) = self.entries.get(of as usize) else { return 0 };
        if of == 0 || entry.parts >= MOST_PARTS {
            return 0;
        }
        let (language, parts) = (entry.language, entry.parts);
        let member = names.text(name);
        let text = if crate::api::is_global_object(language, &entry.text) {
            crate::api::canonical(language, member).to_owned()
        } else {
            let joined = format!("{}.{member}", entry.text);
            crate::api::canonical(language, &joined).to_owned()
        };
        let path = self.add(text, language, parts + 1);
        self.children.insert((of, name), path);
        path
    }

    /// The result of calling a path.
    pub(crate) fn called(&mut self, of: PathId) -> PathId {
        if let Some(path) = self.calls.get(&of) {
            return *path;
        }
        let Some(entry) = self.entries.get(of as usize) else { return 0 };
        if of == 0 || entry.parts >= MOST_PARTS || entry.text.ends_with("()") && entry.parts > 6 {
            return 0;
        }
        let (text, language, parts) = (format!("{}()", entry.text), entry.language, entry.parts);
        let path = self.add(text, language, parts + 1);
        self.calls.insert(of, path);
        path
    }

    pub(crate) fn text(&self, path: PathId) -> &str {
        self.entries.get(path as usize).map_or("", |entry| &entry.text)
    }

    pub(crate) fn effect(&self, path: PathId) -> Option<Effect> {
        self.entries.get(path as usize).and_then(|entry| entry.effect)
    }
}
