//! What the names of functions say, found once for each name: unknown functions are called at every few instructions.

use super::Machine;
use super::calls::Called;
use crate::ir::Sym;
use crate::names::PathId;
use crate::secrets;

/// Parts of the names of functions whose result holds their arguments.
const CONVERSIONS: [&str; 36] = [
    "encode", "decode", "string", "dump", "serial", "hex", "base", "bytes", "from", "join", "concat",
    "format", "escape", "encrypt", "pack", "compress", "gzip", "deflate", "quote", "str", "copy", "assign",
    "slice", "split", "sub", "clone", "buffer", "headers", "formdata", "params", "blob", "push", "append",
    "b58", "b64", "btoa",
];

/// Methods that put data into their object.
const PUTS: [&str; 8] = ["set", "add", "put", "update", "write", "unshift", "insert", "extend"];

/// What a name says, as bits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Words(u16);

impl Words {
    /// The name was looked at.
    const KNOWN: u16 = 1;
    /// The result is another form of the arguments, or the object holds them.
    pub(super) const CONVERTS: u16 = 1 << 1;
    pub(super) const GIVES_SECRET: u16 = 1 << 2;
    /// Cryptography, whose arguments are keys.
    pub(super) const CIPHER: u16 = 1 << 3;
    pub(super) const FORM: u16 = 1 << 4;
    pub(super) const VALUE: u16 = 1 << 5;
    /// Gives the element of a key.
    pub(super) const GETS: u16 = 1 << 6;
    /// Begins with a capital letter, as classes do.
    pub(super) const CAPITAL: u16 = 1 << 7;
    pub(super) const TOOL: u16 = 1 << 8;
    pub(super) const DESCRIPTION: u16 = 1 << 9;

    pub(super) const fn has(self, words: u16) -> bool {
        self.0 & words != 0
    }

    fn of(name: &str) -> Self {
        let lower = name.to_ascii_lowercase();
        let is_converting = CONVERSIONS.iter().any(|part| lower.contains(part)) && !lower.contains("key");
        let words = [
            (Self::KNOWN, true),
            (Self::CONVERTS, PUTS.contains(&lower.as_str()) || is_converting),
            (Self::GIVES_SECRET, secrets::gives_secret(name)),
            (Self::CIPHER, ["hmac", "cipher", "sign", "fernet"].iter().any(|part| lower.contains(part))),
            (Self::FORM, name == "FormData"),
            (Self::VALUE, name == "val"),
            (Self::GETS, matches!(name, "get" | "fetch" | "dig" | "pop" | "getItem")),
            (Self::CAPITAL, name.starts_with(char::is_uppercase)),
            (Self::TOOL, name == "Tool"),
            (Self::DESCRIPTION, name == "WithDescription"),
        ];
        Self(words.iter().filter(|(_, is_said)| *is_said).fold(0, |all, (word, _)| all | word))
    }
}

/// Words of names that were looked at, by the numbers of the names and paths.
#[derive(Debug, Default)]
pub(super) struct WordsOfNames {
    names: Vec<Words>,
    paths: Vec<Words>,
}

/// The last name of a path.
pub(super) fn last_part(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or_default()
}

fn known_or(known: &mut Vec<Words>, number: u32, name: impl FnOnce() -> Words) -> Words {
    let index = number as usize;
    if known.len() <= index {
        known.resize(index + 1, Words::default());
    }
    let Some(words) = known.get_mut(index) else { return Words::default() };
    if !words.has(Words::KNOWN) {
        *words = name();
    }
    *words
}

impl Machine<'_> {
    /// What the name of a called function or method says.
    pub(super) fn words_of_called(&mut self, called: &Called) -> Words {
        match called.method {
            Some(method) => self.words_of_name(method),
            None => self.words_of_path(called.callee.path),
        }
    }

    fn words_of_name(&mut self, name: Sym) -> Words {
        let names = &self.names;
        known_or(&mut self.entrusted.words.names, name, || Words::of(names.text(name)))
    }

    /// What the last name of a path says.
    pub(super) fn words_of_path(&mut self, path: PathId) -> Words {
        let paths = &self.paths;
        known_or(&mut self.entrusted.words.paths, path, || Words::of(last_part(paths.text(path))))
    }
}

/// A set of small numbers.
#[derive(Debug, Default)]
pub(crate) struct Numbers(Vec<u64>);

impl Numbers {
    pub(crate) fn insert(&mut self, number: u32) {
        let index = number as usize / 64;
        if self.0.len() <= index {
            self.0.resize(index + 1, 0);
        }
        if let Some(bits) = self.0.get_mut(index) {
            *bits |= 1 << (number % 64);
        }
    }

    pub(crate) fn contains(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|bits| bits & (1 << (number % 64)) != 0)
    }
}
