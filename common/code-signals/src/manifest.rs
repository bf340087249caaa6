//! Manifests: commands that run on installation or on opening a folder, files that build a package, its own addresses.

mod dependencies;

pub(crate) use dependencies::foreign;

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::endpoint;
use crate::findings::FoundChain;
use crate::program::{folder, normalize};
use crate::report::Time;
use crate::source::{SourceFile, Subject};

/// A command line of a manifest.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) time: Time,
    pub(crate) file: u32,
    pub(crate) line: u32,
    pub(crate) command: String,
}

#[derive(Debug, Default)]
pub(crate) struct Manifest {
    /// Commands that run by themselves.
    pub(crate) automatic: Vec<Script>,
    /// All scripts of the package by name.
    pub(crate) scripts: BTreeMap<String, String>,
    /// Files that run on installation.
    pub(crate) build_files: Vec<String>,
    /// Files that are commands.
    pub(crate) commands: Vec<String>,
    /// Files that an import of the package loads; without any, all of them.
    pub(crate) entries: Vec<String>,
    pub(crate) own_hosts: Vec<String>,
    /// Names of the package and of the packages that are installed for it.
    pub(crate) own_packages: Vec<String>,
    /// Functions of a plugin of pytest are called by every run of tests.
    pub(crate) is_pytest_plugin: bool,
    /// Dependencies by address.
    pub(crate) dependencies: Vec<FoundChain>,
    is_package: bool,
}

/// Scripts of npm that run on installation of a package from a registry.
const ON_INSTALL: [&str; 3] = ["preinstall", "install", "postinstall"];
/// Scripts that run besides on installation of a folder or repository.
const ON_PREPARE: [&str; 4] = ["prepare", "prepublish", "preprepare", "postprepare"];

impl Manifest {
    pub(crate) fn read(files: &[SourceFile<'_>], subject: Subject) -> Self {
        let mut manifest = Self { is_package: subject == Subject::Package, ..Self::default() };
        for (number, file) in files.iter().enumerate().take(crate::bounds::MOST_FILES) {
            let number = u32::try_from(number).unwrap_or(0);
            let name = file.path.rsplit('/').next().unwrap_or_default();
            let nested = file.path.contains("node_modules/");
            if matches!(name, "pyproject.toml" | "setup.py" | "setup.cfg" | "entry_points.txt") {
                manifest.is_pytest_plugin |= memchr::memmem::find(file.content, b"pytest11").is_some();
            }
            match name {
                "package.json"
                    if !nested && crate::source::context(file.path) == crate::source::Context::Code =>
                {
                    manifest.package_json(file, number, subject);
                }
                "pyproject.toml" => manifest.pyproject(file),
                "setup.py" | "extconf.rb" | "rubygems_plugin.rb" => manifest.build(file, subject),
                "binding.gyp" => manifest.gyp(file, number),
                "tasks.json" if file.path.ends_with(".vscode/tasks.json") || subject == Subject::Skill => {
                    manifest.tasks(file, number)
                }
                "settings.json" | "settings.local.json" | "hooks.json" => {
                    manifest.hooks(file, number, subject)
                }
                "devcontainer.json" => manifest.container(file, number),
                _ if name.ends_with(".gemspec") => {
                    manifest.hosts(&String::from_utf8_lossy(file.content));
                    manifest.build(file, subject);
                }
                "PKG-INFO" | "METADATA" | "go.mod" => {
                    let start = file.content.get(..file.content.len().min(8_192)).unwrap_or_default();
                    let text = String::from_utf8_lossy(start);
                    manifest.hosts(&text);
                    manifest.required(file, number, &text);
                }
                _ => {}
            }
        }
        manifest
    }

    /// True if a file of a repository is code that others import.
    pub(crate) fn has_entry(&self, _path: &str) -> bool {
        self.is_package
    }

    fn build(&mut self, file: &SourceFile<'_>, subject: Subject) {
        if subject != Subject::Skill && crate::source::context(file.path) == crate::source::Context::Code {
            self.build_files.push(file.path.to_owned());
        }
    }

    fn hosts(&mut self, text: &str) {
        for line in text.lines().take(400) {
            let lower = line.to_lowercase();
            let names = ["home", "url", "repository", "source", "module", "uri"];
            if let Some(found) =
                endpoint::find(line).filter(|_| names.iter().any(|name| lower.contains(name)))
            {
                self.own_host(found.host);
            }
        }
    }

    /// Addresses of a code host are its own releases; they serve everybody, but the path is that of the repository.
    fn own_host(&mut self, host: String) {
        if self.own_hosts.len() >= 32 {
            return;
        }
        if endpoint::is_below(&host, "github.com") {
            self.own_hosts.push("objects.githubusercontent.com".to_owned());
        }
        if !self.own_hosts.contains(&host) {
            self.own_hosts.push(host);
        }
    }

    fn package_json(&mut self, file: &SourceFile<'_>, number: u32, subject: Subject) {
        let Ok(json) = serde_json::from_slice::<Json>(strip_mark(file.content)) else { return };
        for key in ["homepage", "repository", "bugs"] {
            let value = json.get(key);
            let url =
                value.and_then(|value| value.get("url")).or(value).and_then(Json::as_str).unwrap_or_default();
            let url = url.trim_start_matches("git+");
            if let Some(found) = endpoint::find(url) {
                self.own_host(found.host);
            } else if url.contains('/') && !url.is_empty() {
                self.own_host("github.com".to_owned());
            }
        }
        let base = folder(file.path);
        let mut waiting: Vec<&Json> =
            ["main", "module", "browser", "exports"].iter().filter_map(|key| json.get(key)).collect();
        let mut seen = 0;
        while let Some(next) = waiting.pop().filter(|_| seen < 2_000) {
            seen += 1;
            match next {
                Json::String(path) => self.entries.push(normalize(&format!("{base}/{path}"))),
                Json::Object(map) => waiting.extend(map.values()),
                Json::Array(list) => waiting.extend(list),
                _ => {}
            }
        }
        self.entries.push(normalize(&format!("{base}/index")));
        match json.get("bin") {
            Some(Json::String(path)) => self.commands.push(normalize(&format!("{base}/{path}"))),
            Some(Json::Object(map)) => {
                self.commands.extend(
                    map.values().filter_map(Json::as_str).map(|path| normalize(&format!("{base}/{path}"))),
                );
            }
            _ => {}
        }
        self.own_packages.extend(json.get("name").and_then(Json::as_str).map(str::to_owned));
        for key in ["dependencies", "optionalDependencies"] {
            let names = json.get(key).and_then(Json::as_object).into_iter().flatten().map(|(name, _)| name);
            self.own_packages.extend(names.take(400).cloned());
            for (name, address) in json.get(key).and_then(Json::as_object).into_iter().flatten() {
                if let Some(address) = address.as_str() {
                    self.dependency(file, number, name, address);
                }
            }
        }
        for (name, command) in json.get("scripts").and_then(Json::as_object).into_iter().flatten() {
            let Some(command) = command.as_str() else { continue };
            self.scripts.entry(name.clone()).or_insert_with(|| command.to_owned());
            let runs = ON_INSTALL.contains(&name.as_str())
                || subject == Subject::Repository && ON_PREPARE.contains(&name.as_str());
            if runs && subject != Subject::Skill {
                self.automatic(file, number, Time::Install, command);
            }
        }
    }

    fn automatic(&mut self, file: &SourceFile<'_>, number: u32, time: Time, command: &str) {
        if self.automatic.len() < 64 {
            let escaped = serde_json::to_string(command).unwrap_or_default();
            let form = escaped.trim_matches('"').as_bytes();
            let at = memchr::memmem::find(file.content, form).unwrap_or(0);
            let line = memchr::memchr_iter(b'\n', file.content.get(..at).unwrap_or_default()).count() + 1;
            let line = u32::try_from(line).unwrap_or(1);
            self.automatic.push(Script { time, file: number, line, command: command.to_owned() });
        }
    }

    /// A build backend that is part of the package.
    fn pyproject(&mut self, file: &SourceFile<'_>) {
        let text = String::from_utf8_lossy(file.content);
        self.hosts(&text);
        let Ok(table) = text.parse::<toml::Table>() else { return };
        let Some(build) = table.get("build-system") else { return };
        let (Some(backend), Some(paths)) = (
            build.get("build-backend").and_then(toml::Value::as_str),
            build.get("backend-path").and_then(toml::Value::as_array),
        ) else {
            return;
        };
        let module = backend.split(':').next().unwrap_or_default().replace('.', "/");
        for path in paths.iter().filter_map(toml::Value::as_str).take(8) {
            let base = format!("{}/{path}/{module}", folder(file.path));
            self.build_files.push(normalize(&format!("{base}.py")));
            self.build_files.push(normalize(&format!("{base}/__init__.py")));
        }
    }

    /// Commands in `<!(...)`, which the build of native modules runs.
    fn gyp(&mut self, file: &SourceFile<'_>, number: u32) {
        let text = String::from_utf8_lossy(file.content);
        for part in text.split("<!").skip(1).take(32) {
            let part = part.strip_prefix('@').unwrap_or(part);
            if let Some(command) = part
                .strip_prefix('(')
                .and_then(|rest| rest.split(")\"").next().or_else(|| rest.split(")'").next()))
            {
                self.automatic(file, number, Time::Install, command.trim_end_matches(')'));
            }
        }
    }

    /// Tasks of the editor that run when the folder is opened.
    fn tasks(&mut self, file: &SourceFile<'_>, number: u32) {
        let Ok(json) = serde_json::from_slice::<Json>(file.content) else { return };
        for task in json.get("tasks").and_then(Json::as_array).into_iter().flatten() {
            let opens = task.pointer("/runOptions/runOn").and_then(Json::as_str) == Some("folderOpen");
            if let Some(command) = task.get("command").and_then(Json::as_str).filter(|_| opens) {
                let arguments: Vec<&str> = task
                    .get("args")
                    .and_then(Json::as_array)
                    .into_iter()
                    .flatten()
                    .filter_map(Json::as_str)
                    .collect();
                self.automatic(file, number, Time::Import, &format!("{command} {}", arguments.join(" ")));
            }
        }
    }

    /// Hooks of agents: commands that run during their sessions.
    fn hooks(&mut self, file: &SourceFile<'_>, number: u32, subject: Subject) {
        let is_for_agents = [".claude", ".cursor", "hooks"].iter().any(|part| file.path.contains(part));
        // A skill has the settings that it hands out in a folder of any name.
        if !is_for_agents && subject != Subject::Skill {
            return;
        }
        let Ok(json) = serde_json::from_slice::<Json>(file.content) else { return };
        let mut waiting: Vec<&Json> = json.get("hooks").into_iter().collect();
        let mut seen = 0;
        while let Some(next) = waiting.pop() {
            seen += 1;
            if seen > 1_000 {
                break;
            }
            match next {
                Json::Array(list) => waiting.extend(list),
                Json::Object(map) => {
                    if let Some(command) = map.get("command").and_then(Json::as_str) {
                        self.automatic(file, number, Time::Import, command);
                    }
                    waiting.extend(map.values());
                }
                _ => {}
            }
        }
    }

    fn container(&mut self, file: &SourceFile<'_>, number: u32) {
        let Ok(json) = serde_json::from_slice::<Json>(file.content) else { return };
        for name in ["initializeCommand", "onCreateCommand", "postCreateCommand", "postStartCommand"] {
            if let Some(command) = json.get(name).and_then(Json::as_str) {
                self.automatic(file, number, Time::Install, command);
            }
        }
    }
}

/// Content without a byte order mark.
fn strip_mark(content: &[u8]) -> &[u8] {
    content.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(content)
}
