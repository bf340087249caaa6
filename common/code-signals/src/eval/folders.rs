//! Folders and the files that a walk finds in them: listing, changing and deleting files of the user and of other packages.

use super::Machine;
use super::calls::Called;
use crate::ir::HOLE;
use crate::paths;
use crate::report::CapabilityKind;
use crate::source::Language;
use crate::value::{Kind, Value};

/// Functions that delete folders with everything in them; those of Node do so with the option `recursive`.
const DELETE_FOLDERS: [&str; 10] = [
    "shutil.rmtree",
    "rimraf",
    "rimraf.sync",
    "del",
    "fs.remove",
    "fs.removeSync",
    "FileUtils.rm_rf",
    "FileUtils.rm_r",
    "FileUtils.remove_dir",
    "os.RemoveAll",
];

impl Machine<'_> {
    /// The file of another name in the folder of a path, or with another ending.
    pub(super) fn renamed(&mut self, path: &Value, method: &str, name: Value) -> Option<Value> {
        let origin = self.taint_of(path);
        let text = path.as_text()?.clone();
        let folder = text.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
        let stem = text.iter().rposition(|byte| *byte == b'.').filter(|at| *at > folder);
        let kept = if method == "with_name" { folder } else { stem.unwrap_or(text.len()) };
        let renamed = self.concat(&[Value::text(text.get(..kept)?), name]);
        Some(Value { taint: self.taints.union(renamed.taint, origin), ..renamed })
    }

    /// Entries of a folder: its path with an unknown name.
    pub(super) fn list_folder(&mut self, called: &Called) -> Value {
        let folder = called.at(0).cloned().unwrap_or_default();
        let entry = self.entry_of(&folder, &Value::text(HOLE));
        self.call_backs(&called.arguments, &entry);
        entry
    }

    /// An entry of a folder by its name or pattern. Files of the user that a walk finds keep this origin.
    pub(super) fn entry_of(&mut self, folder: &Value, name: &Value) -> Value {
        let mut entry = self.join_path(&[folder.clone(), name.clone()]);
        let file = self.files.list.get(self.file as usize).map_or("", |file| file.path);
        let of_user =
            folder.texts().find(|text| paths::is_of_user(text) || paths::escapes(text, file)).cloned();
        if let Some(text) = of_user {
            let shown = String::from_utf8_lossy(&text).into_owned();
            let taint = self.origin(Kind::Walked, shown);
            entry.taint = self.taints.union(entry.taint, taint);
        }
        entry
    }

    /// Changes of files that a walk found, and of files of other packages.
    pub(super) fn changes_files_of_others(&mut self, path: &Value, data: &Value) {
        let taint = self.taint_of(path);
        self.chain_walked_written(taint, data);
        let other = path.texts().find_map(|text| paths::other_package(text));
        if let Some(name) = other.filter(|name| !self.files.is_own_package(name)) {
            self.chain_other_package(&name, data);
        }
    }

    pub(super) fn delete_call(&mut self, called: &Called) -> Value {
        let path = called.at(0).cloned().unwrap_or_default();
        let name = self.path_text(called.callee.path);
        let is_option = |value: &Value| {
            self.object(value.object)
                .is_some_and(|object| object.fields.keys().any(|key| self.names.text(*key) == "recursive"))
        };
        let deletes_folders = DELETE_FOLDERS.contains(&name) || called.values().any(is_option);
        self.call_backs(&called.arguments, &Value::default());
        self.delete(&path, deletes_folders)
    }

    /// Deletes a file, or a folder with everything in it.
    pub(super) fn delete(&mut self, path: &Value, deletes_folders: bool) -> Value {
        let everything = path.texts().find(|text| paths::is_everything(text)).cloned();
        let fixed = path.texts().find(|text| deletes_folders && paths::is_fixed_of_user(text)).cloned();
        let taint = self.taint_of(path);
        if let Some(text) = everything {
            let shown = String::from_utf8_lossy(&text).into_owned();
            self.capability(CapabilityKind::Destruction, &shown);
            self.chain_destruction(&shown);
        } else if let Some(text) = fixed {
            let shown = String::from_utf8_lossy(&text).into_owned();
            self.capability(CapabilityKind::Destruction, &shown);
            self.chain_deleted_of_user(None, &shown);
        } else if let Some(source) = self.taints.source(taint, Kind::Walked) {
            let shown = self.text_of(path);
            self.capability(CapabilityKind::Destruction, &shown);
            self.chain_deleted_of_user(Some(source), &shown);
        }
        Value::default()
    }

    /// Lines that a startup file executes are commands of the code that writes them.
    pub(super) fn run_startup_lines(&mut self, name: &str, data: &Value) {
        let Some(text) = data.as_text().filter(|text| text.len() <= 1 << 16) else { return };
        let text = String::from_utf8_lossy(text).into_owned();
        let lines: Vec<&str> = match name {
            "shell profile" => vec![text.as_str()],
            "cron" => text.lines().take(64).filter_map(command_of_cron).collect(),
            "system service" => text
                .lines()
                .take(256)
                .filter_map(|line| line.trim().strip_prefix("ExecStart"))
                .filter_map(|line| line.split_once('=').map(|(_, command)| command))
                .collect(),
            _ => Vec::new(),
        };
        for line in lines {
            let code = Value::text(line.as_bytes());
            self.inner_code(&code, Language::Bash, 0, 0);
        }
    }
}

/// The command of a line of cron, behind its five times or `@reboot`.
fn command_of_cron(line: &str) -> Option<&str> {
    let line = line.trim();
    let times = if line.starts_with('@') { 1 } else { 5 };
    let mut rest = line;
    for _ in 0..times {
        rest = rest.split_once(char::is_whitespace)?.1.trim_start();
    }
    (!line.starts_with('#') && !rest.is_empty()).then_some(rest)
}
