//! Package registries on loopback, in the layouts that the ordinary clients read and that the server reads too.

use std::io::{Cursor, Write};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::site::{File, Site};
use crate::server::Server;

/// One site for all ecosystems.
pub(super) struct Registries {
    /// Runs the site.
    _runtime: tokio::runtime::Runtime,
    site: Site,
}

/// Writes the index that RubyGems reads, for the gems of the folder (RubyGems guides, "RubyGems.org API" and `Gem::Indexer`).
const GEM_INDEX: &str = r##"
require "fileutils"
require "rubygems/package"
specs = Dir["*.gem"].sort.map { |file| Gem::Package.new(file).spec }
list = specs.map { |spec| [spec.name, spec.version, spec.original_platform] }
{ "specs" => list, "latest_specs" => list.last(1), "prerelease_specs" => [] }.each do |name, entries|
  File.binwrite("#{name}.4.8.gz", Gem::Util.gzip(Marshal.dump(entries)))
end
FileUtils.mkdir_p("quick/Marshal.4.8")
specs.each { |spec| File.binwrite("quick/Marshal.4.8/#{spec.full_name}.gemspec.rz", Gem.deflate(Marshal.dump(spec))) }
"##;
const GEM_SPECIFICATION: &str = r##"
Gem::Specification.new do |spec|
  spec.name = "acme-widgets"
  spec.version = "VERSION"
  spec.summary = "Formats numbers."
  spec.authors = ["Ada"]
  spec.license = "MIT"
  spec.homepage = "https://github.com/acme/widgets"
  spec.files = Dir["lib/**/*", "README.md", "ext/**/*"]
  spec.extensions = Dir["ext/**/extconf.rb"]
end
"##;

/// A file of a package: path and text.
pub(super) type Text = (&'static str, &'static str);
/// A release: version, time of its publication, files.
pub(super) type Release<'r> = (&'static str, &'static str, &'r [Text]);

/// SHA-256 in hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The output of a command that must succeed.
pub(super) fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn write(folder: &Path, files: &[Text]) {
    for (path, text) in files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// A ZIP archive whose paths begin so.
fn zipped(prefix: &str, files: &[Text]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (path, text) in files {
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(format!("{prefix}{path}"), options).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// A wheel of pure Python.
pub(super) fn wheel(name: &str, version: &str, files: &[Text]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let info = format!("{}-{version}.dist-info", name.replace('-', "_"));
    let metadata = format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nFormats numbers.\n");
    let about = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n";
    let own = [("METADATA", metadata.as_str()), ("WHEEL", about), ("RECORD", "")];
    let own = own.map(|(path, text)| (format!("{info}/{path}"), text));
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), *text));
    for (path, text) in files.chain(own) {
        archive.start_file(path, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

impl Registries {
    pub(super) fn start() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let site = runtime.block_on(Site::start());
        Self { _runtime: runtime, site }
    }

    pub(super) fn url(&self) -> &str {
        &self.site.url
    }

    /// Leads a server to them, from its next start on.
    pub(super) fn configure(&self, server: &mut Server) {
        server.set("PALISADE__OUTBOUND__ALLOW_NETWORKS", r#"["127.0.0.0/8"]"#);
        for ecosystem in ["NPM", "PYPI", "GO", "RUBYGEMS"] {
            server.set(&format!("PALISADE__REGISTRIES__{ecosystem}__URL"), self.url());
        }
    }

    pub(super) fn put(&self, path: &str, body: impl Into<Vec<u8>>) {
        self.site.put(path, File::of(body));
    }

    /// Requests of a path get no answer.
    pub(super) fn hold(&self, path: &str) {
        self.site.put(path, File::held());
    }

    /// Requests of a path so far.
    pub(super) fn asked(&self, path: &str) -> usize {
        let asked = self.site.asked();
        asked.iter().filter(|request| request.rsplit_once(' ').unwrap().0 == path).count()
    }

    /// Publishes wheels, one of each release, and returns the path of the last one and its bytes.
    pub(super) fn publish_wheels(&self, name: &str, releases: &[Release]) -> (String, Vec<u8>) {
        let mut published = (String::new(), Vec::new());
        let files: Vec<Value> = releases
            .iter()
            .map(|(version, time, files)| {
                let archive = wheel(name, version, files);
                let file = format!("{}-{version}-py3-none-any.whl", name.replace('-', "_"));
                let path = format!("/files/{file}");
                self.put(&path, archive.clone());
                let sum = sha256(&archive);
                published = (path.clone(), archive);
                json!({"filename": file, "url": format!("../..{path}"), "hashes": {"sha256": sum}, "upload-time": time})
            })
            .collect();
        let versions: Vec<&str> = releases.iter().map(|(version, ..)| *version).collect();
        let index =
            json!({"meta": {"api-version": "1.4"}, "name": name, "versions": versions, "files": files});
        let headers = "content-type: application/vnd.pypi.simple.v1+json\r\n".to_owned();
        self.site.put(&format!("/simple/{name}/"), File { headers, ..File::of(index.to_string()) });
        published
    }

    /// Publishes releases that npm packs.
    pub(super) fn publish_npm(&self, name: &str, releases: &[Release]) {
        let (mut versions, mut times) = (json!({}), json!({}));
        for (version, time, files) in releases {
            let folder = tempfile::tempdir().unwrap();
            write(folder.path(), files);
            let report =
                output(Command::new("npm").args(["pack", "--json", "--offline"]).current_dir(folder.path()));
            let report: Value = serde_json::from_str(&report).unwrap();
            // Lists of reports, or an object by name, depending on the version of npm.
            let report = report.get(0).or_else(|| report.as_object()?.values().next()).unwrap();
            let archive = folder.path().join(report["filename"].as_str().unwrap());
            let path = format!("/{name}/-/{name}-{version}.tgz");
            self.put(&path, std::fs::read(archive).unwrap());
            let mut entry: Value =
                serde_json::from_slice(&std::fs::read(folder.path().join("package.json")).unwrap()).unwrap();
            entry["dist"] =
                json!({"tarball": format!("{}{path}", self.url()), "integrity": report["integrity"]});
            entry["_npmUser"] = json!({"name": "ada"});
            versions[*version] = entry;
            times[*version] = json!(time);
        }
        let latest = releases.last().unwrap().0;
        let document = json!({"name": name, "dist-tags": {"latest": latest}, "maintainers": [{"name": "ada"}],
            "time": times, "versions": versions});
        self.put(&format!("/{name}"), document.to_string());
    }

    /// Publishes releases of acme-widgets that RubyGems builds and indexes.
    pub(super) fn publish_gems(&self, releases: &[Release]) {
        let index = tempfile::tempdir().unwrap();
        let mut listed = Vec::new();
        for (version, time, files) in releases {
            let folder = tempfile::tempdir().unwrap();
            write(folder.path(), files);
            let specification = GEM_SPECIFICATION.replace("VERSION", version);
            std::fs::write(folder.path().join("acme-widgets.gemspec"), specification).unwrap();
            output(Command::new("gem").args(["build", "acme-widgets.gemspec"]).current_dir(folder.path()));
            let file = format!("acme-widgets-{version}.gem");
            let archive = std::fs::read(folder.path().join(&file)).unwrap();
            std::fs::write(index.path().join(&file), &archive).unwrap();
            listed.push(
                json!({"number": version, "platform": "ruby", "created_at": time, "sha": sha256(&archive),
                "metadata": {}}),
            );
            self.put(&format!("/gems/{file}"), archive);
        }
        output(Command::new("ruby").args(["-e", GEM_INDEX]).current_dir(index.path()));
        let mut written = vec!["specs.4.8.gz".to_owned(), "latest_specs.4.8.gz".to_owned()];
        written.push("prerelease_specs.4.8.gz".to_owned());
        let quick = |version: &str| format!("quick/Marshal.4.8/acme-widgets-{version}.gemspec.rz");
        written.extend(releases.iter().map(|(version, ..)| quick(version)));
        for path in written {
            self.put(&format!("/{path}"), std::fs::read(index.path().join(&path)).unwrap());
        }
        self.put("/api/v1/versions/acme-widgets.json", json!(listed).to_string());
        let about = json!({"name": "acme-widgets", "info": "Formats numbers.", "source_code_uri": "https://github.com/acme/widgets"});
        self.put("/api/v1/gems/acme-widgets.json", about.to_string());
        self.put("/api/v1/gems/acme-widgets/owners.json", json!([{"handle": "ada"}]).to_string());
    }

    /// Publishes versions of a module; their go.mod is one of the files.
    pub(super) fn publish_module(&self, module: &str, releases: &[Release]) {
        let mut list = String::new();
        for (version, time, files) in releases {
            list += &format!("{version}\n");
            let (_, file) = files.iter().find(|(path, _)| *path == "go.mod").unwrap();
            let info = json!({"Version": version, "Time": time}).to_string();
            self.put(&format!("/{module}/@v/{version}.info"), info.clone());
            self.put(&format!("/{module}/@latest"), info);
            self.put(&format!("/{module}/@v/{version}.mod"), *file);
            self.put(&format!("/{module}/@v/{version}.zip"), zipped(&format!("{module}@{version}/"), files));
        }
        self.put(&format!("/{module}/@v/list"), list);
    }
}
