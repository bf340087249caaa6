//! Scripts that run on installation, and the files that they are or run.

use serde_json::Value;

use super::collect::File;
use super::rank::is_in_tests;

/// Scripts of npm that run on installation.
pub(super) const ON_INSTALL: [&str; 3] = ["preinstall", "install", "postinstall"];
/// Files that run on installation, wherever they are.
const BUILD_FILES: [&str; 3] = ["extconf.rb", "mkrf_conf.rb", "rubygems_plugin.rb"];

/// Scripts by name: those of the manifest of npm, and files that run by their own name.
pub(super) fn hooks(files: &[File]) -> Vec<String> {
    let mut hooks = Vec::new();
    for file in files {
        let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        match name {
            "package.json" if folder.is_empty() => {
                hooks.extend(scripts(&file.content).into_iter().map(|(name, _)| name.to_owned()));
            }
            "setup.py" | "binding.gyp" if folder.is_empty() => hooks.push(name.to_owned()),
            _ if BUILD_FILES.contains(&name) || name.ends_with(".pth") && !is_in_tests(&file.path) => {
                hooks.push(file.path.clone());
            }
            _ => {}
        }
    }
    hooks
}

/// Files of code that run on installation: build files, and those that install scripts name.
pub(super) fn installed(files: &[File]) -> Vec<String> {
    let is_build = |hook: &&String| files.iter().any(|file| file.path == **hook) && *hook != "binding.gyp";
    let mut installed: Vec<String> = hooks(files).iter().filter(is_build).cloned().collect();
    let manifest = files.iter().find(|file| file.path == "package.json");
    for (_, command) in manifest.map(|manifest| scripts(&manifest.content)).unwrap_or_default() {
        for word in command.split([' ', '"', '\'', ';', '&', '|']) {
            let word = word.trim_start_matches("./");
            let names = |file: &&File| file.path == word || file.path == format!("{word}.js");
            installed.extend(files.iter().find(names).map(|file| file.path.clone()));
        }
    }
    installed
}

/// Install scripts of a manifest of npm: names and commands.
fn scripts(manifest: &[u8]) -> Vec<(&'static str, String)> {
    let text = manifest.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(manifest);
    let manifest = serde_json::from_slice::<Value>(text).unwrap_or_default();
    let command = |name: &'static str| {
        let command = manifest.get("scripts")?.get(name)?.as_str()?;
        Some((name, command.to_owned()))
    };
    ON_INSTALL.into_iter().filter_map(command).collect()
}

#[cfg(test)]
mod tests {
    use super::super::collect::Collected;
    use super::*;

    fn of(files: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
        let files = Collected::from_files(files).files;
        (hooks(&files), installed(&files))
    }

    #[test]
    fn scripts_and_the_files_that_they_run_are_found_and_other_scripts_are_not() {
        let manifest =
            r#"{"scripts": {"postinstall": "node ./scripts/setup && node patch", "test": "node test.js"}}"#;
        let files =
            [("package.json", manifest), ("scripts/setup.js", "x"), ("patch.js", "x"), ("test.js", "x")];
        let (hooks, installed) = of(&files);
        assert_eq!(
            (hooks, installed),
            (vec!["postinstall".to_owned()], vec!["scripts/setup.js".to_owned(), "patch.js".to_owned()])
        );
        let (hooks, installed) =
            of(&[("setup.py", "x"), ("widgets.pth", "import x"), ("widgets/setup.py", "x")]);
        assert_eq!(hooks, ["setup.py", "widgets.pth"]);
        assert_eq!(installed, hooks);
        assert_eq!(of(&[("package.json", "not json"), ("index.js", "x")]), (Vec::new(), Vec::new()));
    }
}
