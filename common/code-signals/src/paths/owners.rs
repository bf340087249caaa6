//! Whose files a path names: those of the user, of the system, or of another package.

/// True for a path whose deletion destroys everything of a user or machine.
pub(crate) fn is_everything(path: &[u8]) -> bool {
    let path = path.strip_suffix(b"*").unwrap_or(path);
    let path = if path.len() > 1 { path.strip_suffix(b"/").unwrap_or(path) } else { path };
    matches!(
        path,
        b"/" | b"~"
            | b"$HOME"
            | b"C:\\"
            | b"C:"
            | b"c:\\"
            | b"/home"
            | b"/usr"
            | b"/etc"
            | b"/root"
            | b"~/Documents"
            | b"~/Desktop"
            | b"/Users"
            | b"C:\\Users"
            | b"C:\\Windows"
    )
}

/// True for a path outside of the project: absolute or below the home folder, and not temporary.
pub(crate) fn is_outside(path: &[u8]) -> bool {
    (path.starts_with(b"/") || path.starts_with(b"~") || path.get(1..3) == Some(b":\\"))
        && !path.starts_with(b"/tmp")
        && !path.starts_with(b"/dev/")
}

/// Folders of the system, of caches and of builds: programs change files there without harm to a user.
const OF_SYSTEM: [&str; 30] = [
    "tmp",
    "var",
    "proc",
    "sys",
    "dev",
    "usr",
    "etc",
    "opt",
    "lib",
    "lib64",
    "bin",
    "sbin",
    "run",
    "nix",
    "boot",
    "system",
    "library",
    "applications",
    "private",
    "app",
    "workspace",
    "workspaces",
    "github",
    "build",
    "builds",
    "code",
    "src",
    "dist",
    "node_modules",
    "snap",
];

/// The folder from which npm was started, which variables of an installation name.
pub(crate) const PROJECT: &str = "$INIT_CWD";

/// True for a path that is fixed in the code and lies in a folder of the user, such as documents and shared disks. Hidden folders
/// at home are settings and caches of programs.
pub(crate) fn is_fixed_of_user(path: &[u8]) -> bool {
    let path = String::from_utf8_lossy(path).replace('\\', "/").to_lowercase();
    let first = |below: &str| {
        let first = below.trim_start_matches('/').split('/').next().unwrap_or_default().to_owned();
        (!first.contains('\u{FFFC}') && !first.contains('%') && !first.contains('$')).then_some(first)
    };
    if let Some(below) = path.strip_prefix("~/") {
        return first(below).is_some_and(|first| {
            !first.is_empty() && !first.starts_with('.') && !matches!(first.as_str(), "appdata" | "library")
        });
    }
    if path.get(1..3) == Some(":/") {
        let first = first(path.get(3..).unwrap_or_default());
        return first.is_some_and(|first| !first.starts_with("program") && !first.starts_with("windows"));
    }
    let Some(below) = path.strip_prefix('/').filter(|below| !below.starts_with('/')) else { return false };
    path.starts_with("/var/www")
        || first(below).is_some_and(|first| {
            let is_name = first.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_. ".contains(&byte));
            !first.is_empty() && is_name && !first.starts_with('.') && !OF_SYSTEM.contains(&first.as_str())
        })
}

/// True for a folder whose files are those of the user or of a project that uses the package.
pub(crate) fn is_of_user(folder: &[u8]) -> bool {
    is_everything(folder)
        || is_fixed_of_user(folder)
        || folder.starts_with(PROJECT.as_bytes())
        || folder.starts_with(b"../")
        || folder == b".."
}

/// True for a path from the folder of a file (`./`) that leaves the package and the folder of packages around it.
pub(crate) fn escapes(path: &[u8], file: &str) -> bool {
    let Some(path) = path.strip_prefix(b"./") else { return false };
    let mut up = 0;
    for part in path.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => up += 1,
            _ => break,
        }
    }
    up > file.matches('/').count() + 1
}

/// The other package whose installed files a path names: the name behind `node_modules` or the folder of packages of Python.
pub(crate) fn other_package(path: &[u8]) -> Option<String> {
    if path.len() > 512 {
        return None;
    }
    let path = String::from_utf8_lossy(path).replace('\\', "/");
    let below = ["node_modules/", "site-packages/", "dist-packages/"]
        .iter()
        .filter_map(|folder| path.rfind(folder).and_then(|at| path.get(at + folder.len()..)))
        .next()?;
    let mut parts = below.split('/');
    let first = parts.next()?;
    let name = if first.starts_with('@') { format!("{first}/{}", parts.next()?) } else { first.to_owned() };
    // A file follows; hidden folders are caches.
    let file = parts.next()?;
    let is_name = !name.starts_with('.') && !name.contains(['\u{FFFC}', '*']) && !name.is_empty();
    (is_name && !file.is_empty()).then_some(name)
}
