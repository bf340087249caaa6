//! The files of a set as code: their languages, times of execution, and how they find each other.

use std::collections::BTreeMap;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::bounds::{MOST_FILE_BYTES, MOST_FILES, MOST_SET_BYTES};
use crate::endpoint::is_below;
use crate::findings::Findings;
use crate::ir::FnId;
use crate::manifest::Manifest;
use crate::report::{Time, UnreadReason};
use crate::source::{self, Context, Language, SourceFile, Subject};
use crate::value::TaintId;

/// Code that was read: a file, or a text within one.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) file: u32,
    pub(crate) language: Language,
    /// Number of the first function.
    pub(crate) base: FnId,
    /// Line of everything in it, for texts within a file.
    pub(crate) line: Option<u32>,
    /// Origins of its unknown parts.
    pub(crate) hole: TaintId,
}

/// A file.
pub(crate) struct File<'a> {
    pub(crate) path: &'a str,
    pub(crate) content: &'a [u8],
    pub(crate) language: Option<Language>,
    pub(crate) context: Context,
    /// Time of its top level.
    pub(crate) time: Time,
    /// A build script of a package, such as `setup.py`.
    pub(crate) is_build: bool,
    /// Loaded by an import of the package.
    pub(crate) is_entry: bool,
    /// Of a name that says no language, and loaded as JavaScript: Node executes any file so.
    pub(crate) is_guess: bool,
    pub(crate) unit: Option<u32>,
}

/// The set.
pub(crate) struct Files<'a> {
    pub(crate) subject: Subject,
    pub(crate) list: Vec<File<'a>>,
    /// Scripts of the manifest by name.
    pub(crate) scripts: BTreeMap<String, String>,
    own_hosts: Vec<String>,
    own_packages: Vec<String>,
    pub(crate) is_pytest_plugin: bool,
    pub(crate) by_path: HashMap<&'a str, u32, FixedState>,
    /// Dotted names of Python modules.
    pub(crate) by_module: HashMap<String, u32, FixedState>,
    /// Folders with Go files.
    pub(crate) by_folder: HashMap<&'a str, Vec<u32>, FixedState>,
}

impl<'a> Files<'a> {
    pub(crate) fn new(files: &'a [SourceFile<'a>], subject: Subject, manifest: &Manifest) -> Self {
        let mut set = Self {
            subject,
            list: Vec::new(),
            scripts: manifest.scripts.clone(),
            own_hosts: manifest.own_hosts.clone(),
            own_packages: manifest.own_packages.clone(),
            is_pytest_plugin: manifest.is_pytest_plugin,
            by_path: crate::names::map(),
            by_module: crate::names::map(),
            by_folder: crate::names::map(),
        };
        for file in files.iter().take(MOST_FILES) {
            let number = u32::try_from(set.list.len()).unwrap_or(0);
            let language = source::language(file.path, file.content);
            let context = match source::context(file.path) {
                // An agent runs any file of a skill.
                Context::Test if subject == Subject::Skill => Context::Code,
                context => context,
            };
            let is_build = manifest.build_files.iter().any(|path| path == file.path);
            let time = match language {
                // Scripts of a shell are run, never imported.
                Some(Language::Bash) => Time::Call,
                _ => time_of(file, subject, context, is_build, manifest),
            };
            set.by_path.insert(file.path, number);
            if language == Some(Language::Go) {
                set.by_folder.entry(folder(file.path)).or_default().push(number);
            }
            set.list.push(File {
                path: file.path,
                content: file.content,
                language,
                context,
                time,
                is_build,
                is_entry: is_entry(file.path, language, manifest),
                is_guess: false,
                unit: None,
            });
        }
        set.guess(manifest);
        for number in 0..set.list.len() {
            let Some(module) = set
                .list
                .get(number)
                .filter(|file| file.language == Some(Language::Python))
                .map(|file| set.module_name(file.path))
            else {
                continue;
            };
            set.by_module.entry(module).or_insert_with(|| u32::try_from(number).unwrap_or(0));
        }
        set
    }

    /// Reads files as JavaScript that the manifest or a script loads by their whole names, which say no language.
    fn guess(&mut self, manifest: &Manifest) {
        let mut loaded: Vec<String> = manifest.entries.iter().chain(&manifest.commands).cloned().collect();
        for file in &self.list {
            if matches!(file.language, Some(Language::JavaScript | Language::TypeScript)) {
                loaded.extend(crate::links::required(file.path, file.content));
            }
        }
        for path in loaded {
            let number = self.by_path.get(path.as_str()).copied();
            let Some(file) = number.and_then(|number| self.list.get_mut(number as usize)) else { continue };
            let is_data = [".json", ".node", ".wasm"].iter().any(|end| file.path.ends_with(end));
            if file.language.is_none() && !is_data {
                (file.language, file.is_guess) = (Some(Language::JavaScript), true);
            }
        }
    }

    /// Dotted name: the folders above it that are packages.
    pub(crate) fn module_name(&self, path: &str) -> String {
        let stem = path.strip_suffix(".py").unwrap_or(path);
        let mut parts: Vec<&str> = stem.split('/').collect();
        let mut first = parts.len().saturating_sub(1);
        while first > 0 {
            let init = format!("{}/__init__.py", parts.get(..first).unwrap_or_default().join("/"));
            if !self.by_path.contains_key(init.as_str()) {
                break;
            }
            first -= 1;
        }
        if parts.last() == Some(&"__init__") && parts.len() > first + 1 {
            parts.pop();
        }
        parts.get(first..).unwrap_or_default().join(".")
    }

    pub(crate) fn is_typed(&self, file: u32) -> bool {
        self.list.get(file as usize).is_some_and(|file| file.path.ends_with("x"))
    }

    pub(crate) fn is_own_host(&self, host: &str) -> bool {
        self.own_hosts.iter().any(|own| is_below(host, own))
    }

    /// True for a host with the same registered name as one of the own addresses: that of the service of a client.
    pub(crate) fn is_own_service(&self, host: &str) -> bool {
        let name = |host: &str| host.rsplit('.').nth(1).map(str::to_owned);
        name(host)
            .is_some_and(|service| self.own_hosts.iter().any(|own| name(own).as_deref() == Some(&*service)))
    }

    /// Whether an installed package is this one, or one that it depends on and may repair.
    pub(crate) fn is_own_package(&self, name: &str) -> bool {
        let is_module =
            |path: &&str| path.split('/').any(|part| part == name || part.strip_suffix(".py") == Some(name));
        self.own_packages.iter().any(|own| own == name) || self.by_path.keys().any(is_module)
    }

    pub(crate) fn code_files(&self) -> usize {
        self.list.iter().filter(|file| file.unit.is_some()).count()
    }

    pub(crate) fn code_bytes(&self) -> usize {
        self.list
            .iter()
            .filter(|file| file.unit.is_some())
            .map(|file| file.content.len().min(MOST_FILE_BYTES))
            .sum()
    }

    /// Numbers of files to read as code within the bounds of the set; the others are reported.
    pub(crate) fn readable(&self, findings: &mut Findings) -> Vec<u32> {
        let mut order: Vec<u32> =
            (0..self.list.len()).filter_map(|number| u32::try_from(number).ok()).collect();
        // Tests come last, build files first.
        order.sort_by_key(|number| {
            self.list.get(*number as usize).map_or(3, |file| match (file.time, file.context) {
                (Time::Install, _) => 0,
                (_, Context::Code) => 1,
                _ => 2,
            })
        });
        let mut left = MOST_SET_BYTES;
        let mut readable = Vec::new();
        for number in order {
            let Some(file) = self.list.get(number as usize).filter(|file| file.language.is_some()) else {
                continue;
            };
            // Type stubs have no code.
            if file.context == Context::Stub && file.path.contains(".d.") {
                continue;
            }
            let length = file.content.len().min(MOST_FILE_BYTES);
            if length > left {
                findings.unread(number, UnreadReason::SetTooLong);
                continue;
            }
            left -= length;
            readable.push(number);
        }
        readable
    }
}

fn time_of(
    file: &SourceFile<'_>,
    subject: Subject,
    context: Context,
    is_build: bool,
    manifest: &Manifest,
) -> Time {
    if is_build {
        return Time::Install;
    }
    if context != Context::Code || subject == Subject::Skill {
        return Time::Call;
    }
    let is_command =
        source::is_command(file.content) || manifest.commands.iter().any(|path| path == file.path);
    if is_command || subject == Subject::Repository && !manifest.has_entry(file.path) {
        Time::Call
    } else {
        Time::Import
    }
}

/// A script that the manifest names, with or without its extension; in other languages every file.
fn is_entry(path: &str, language: Option<Language>, manifest: &Manifest) -> bool {
    let is_script = matches!(language, Some(Language::JavaScript | Language::TypeScript));
    let bare = path.rsplit_once('.').map_or(path, |(bare, _)| bare);
    !is_script
        || manifest.entries.is_empty()
        || manifest
            .entries
            .iter()
            .any(|entry| entry == path || entry == bare || bare.strip_suffix("/index") == Some(entry))
}

/// Folder of a path, without the last `/`.
pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Resolves `.` and `..`.
pub(crate) fn normalize(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
