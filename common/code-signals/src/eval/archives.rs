//! Archives that a program writes, into a file or into memory, from files that it reads; and encrypted data.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::Machine;
use super::calls::Called;
use crate::ir::HOLE;
use crate::names::PathId;
use crate::value::{Kind, ObjectId, Value};

impl Machine<'_> {
    fn is_archive(&self, called: &Called) -> bool {
        let name = self.path_text(called.callee.path);
        name.starts_with("tarfile.") || name.starts_with("zipfile.")
    }

    /// The object in memory that an archive is written into or read from; 0 for a file.
    pub(super) fn memory_of(&self, called: &Called) -> ObjectId {
        if !self.is_archive(called) {
            return 0;
        }
        let is_object = |name| self.names.text(name) == "fileobj";
        let named = called.arguments.iter().find(|given| given.keyword.is_some_and(is_object));
        let store = named.map(|given| &given.value).or_else(|| called.at(0));
        store.filter(|store| store.as_text().is_none()).map_or(0, |store| store.object)
    }

    /// The name of an opened archive, by which its methods are found.
    pub(super) fn archive_path(&mut self, called: &Called) -> PathId {
        if self.is_archive(called) { self.paths.called(called.callee.path) } else { 0 }
    }

    /// Encrypted data of any origin.
    pub(super) fn encrypt(&mut self, called: &Called) -> Value {
        let encrypted = self.unknown_call(called);
        let taint = self.origin(Kind::Encrypted, "encryption".into());
        Value { taint: self.taints.union(encrypted.taint, taint), ..encrypted }
    }

    /// A file goes into an archive.
    pub(super) fn put_into_archive(&mut self, called: &Called) -> Value {
        let source = called.at(0).cloned().unwrap_or_default();
        let content = self.read_file(&source);
        let receiver = called.receiver.clone().unwrap_or_default();
        self.add_taint(receiver.object, content.taint);
        if let Some(path) = self.object(receiver.object).and_then(|object| object.file.clone()) {
            self.write_file(&path, &Value::tainted(content.taint));
        }
        Value::default()
    }

    /// `make_archive(name, format, folder)`.
    pub(super) fn archive_folder(&mut self, called: &Called) -> Value {
        let folder = called
            .arguments
            .iter()
            .find(|one| one.keyword.is_some_and(|name| self.names.text(name) == "root_dir"))
            .map(|one| one.value.clone())
            .or_else(|| called.at(2).cloned())
            .unwrap_or_default();
        let inner = self.join_path(&[folder.clone(), Value::text(HOLE)]);
        let written =
            folder_key(&inner).and_then(|key| self.written.get(&key)).map_or(0, |value| value.taint);
        let content = self.read_file(&folder);
        let taint = self.taints.union(content.taint, written);
        let archive = Value { identity: self.fresh_identity(2), taint, ..Value::default() };
        self.written.insert(archive.identity, Value::tainted(taint));
        archive
    }
}

/// The key of the folder of a path among the written files.
pub(super) fn folder_key(path: &Value) -> Option<u64> {
    let text = path.as_text()?;
    let end = text.iter().rposition(|byte| *byte == b'/')?;
    Some(FixedState::with_seed(31).hash_one(text.get(..end)?))
}
