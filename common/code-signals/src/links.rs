//! Files that name each other: imports and paths.

use crate::program::{Files, folder, normalize};
use crate::source::Language;

/// Longest path in a call of `require`.
const LONGEST: usize = 200;

/// Paths below the root that calls of `require` with a constant name, as written.
pub(crate) fn required(path: &str, content: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for at in memchr::memmem::find_iter(content, b"require(") {
        let rest = content.get(at + 8..).unwrap_or_default();
        let rest = rest.get(..rest.len().min(LONGEST)).unwrap_or(rest).trim_ascii_start();
        let Some((quote @ (b'\'' | b'"' | b'`'), rest)) = rest.split_first() else { continue };
        let Some(end) = memchr::memchr(*quote, rest) else { continue };
        let name = rest.get(..end).and_then(|name| str::from_utf8(name).ok()).unwrap_or_default();
        if name.starts_with('.') {
            found.push(normalize(&format!("{}/{name}", folder(path))));
        }
    }
    found
}

impl Files<'_> {
    /// A file by a path in code: as written, beside the file that names it, or below the root.
    pub(crate) fn by_path(&self, path: &str, from: u32) -> Option<u32> {
        let path = path.trim_start_matches('\u{FFFC}').trim_start_matches("./").trim_start_matches('/');
        if path.is_empty() {
            return None;
        }
        let base = self.list.get(from as usize).map(|file| folder(file.path)).unwrap_or_default();
        let beside = normalize(&format!("{base}/{path}"));
        let endings = ["", ".js", ".cjs", ".mjs", ".ts", ".sh", ".py", "/index.js"];
        [beside.as_str(), path].into_iter().find_map(|path| {
            endings.iter().find_map(|ending| self.by_path.get(format!("{path}{ending}").as_str()).copied())
        })
    }

    /// Files of an imported module.
    pub(crate) fn resolve(&self, language: Language, module: &str, from: u32) -> Vec<u32> {
        let path = self.list.get(from as usize).map(|file| file.path).unwrap_or_default();
        match language {
            Language::JavaScript | Language::TypeScript => self.script(module, path).into_iter().collect(),
            Language::Python => self.python(module, path).into_iter().collect(),
            Language::Go => {
                let parts: Vec<&str> = module.split('/').collect();
                let found = (0..parts.len())
                    .filter(|from| parts.len() - from >= 2 || parts.len() == 1)
                    .find_map(|from| {
                        let end = parts.get(from..)?.join("/");
                        self.by_folder.get(end.as_str())
                    });
                found
                    .filter(|_| parts.first().is_some_and(|first| first.contains('.')))
                    .cloned()
                    .unwrap_or_default()
            }
            Language::Ruby => {
                let name = module.trim_end_matches(".rb");
                let beside = normalize(&format!("{}/{name}.rb", folder(path)));
                let below = format!("lib/{name}.rb");
                [beside, below]
                    .iter()
                    .find_map(|path| self.by_path.get(path.as_str()).copied())
                    .into_iter()
                    .collect()
            }
            Language::Bash => self.by_path(module, from).into_iter().collect(),
        }
    }

    fn script(&self, module: &str, path: &str) -> Option<u32> {
        if !module.starts_with('.') {
            return None;
        }
        let base = normalize(&format!("{}/{module}", folder(path)));
        let bare = base.strip_suffix(".js").or_else(|| base.strip_suffix(".mjs")).unwrap_or(&base);
        let endings = [
            "",
            ".js",
            ".cjs",
            ".mjs",
            ".ts",
            ".tsx",
            ".jsx",
            ".json",
            "/index.js",
            "/index.mjs",
            "/index.ts",
            "/index.cjs",
        ];
        let exact = endings.iter().find_map(|ending| self.by_path.get(format!("{base}{ending}").as_str()));
        exact
            .or_else(|| {
                [".ts", ".tsx"].iter().find_map(|ending| self.by_path.get(format!("{bare}{ending}").as_str()))
            })
            .copied()
    }

    fn python(&self, module: &str, path: &str) -> Option<u32> {
        let dots = module.chars().take_while(|c| *c == '.').count();
        if dots == 0 {
            return self.by_module.get(module).copied();
        }
        let own = self.module_name(path);
        let mut parts: Vec<&str> = own.split('.').collect();
        let up = if path.ends_with("__init__.py") { dots - 1 } else { dots };
        parts.truncate(parts.len().saturating_sub(up));
        parts.extend(module.get(dots..).unwrap_or_default().split('.').filter(|part| !part.is_empty()));
        self.by_module.get(&parts.join(".")).copied()
    }
}
