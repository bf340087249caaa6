//! Meaning of the names of libraries and languages. One table for each language below.

mod go;
mod javascript;
mod python;
mod ruby;
mod shell;

use std::sync::LazyLock;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::source::Language;

/// Encodings that are undone for constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Codec {
    Base64,
    Base32,
    Base85,
    Hex,
    /// zlib, gzip or raw deflate, by its first bytes.
    Inflate,
    /// bz2, lzma: recognized, not undone.
    Compressed,
    /// Code objects.
    Marshal,
    Rot13,
    Percent,
    /// Named by the second argument.
    Named,
    /// Named by the receiver or the second argument; without one, the text itself.
    Buffer,
}

/// Meaning of a name. Argument numbers count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// A constant text.
    Text(&'static str),
    /// The environment as a mapping.
    Environ,
    /// Reads a variable of the environment by name.
    Getenv,
    /// Arguments of the command.
    Arguments,
    /// The request of a remote client.
    Request,
    /// Registers functions that are called with requests of clients or models.
    Handles,
    /// Registers functions that commands call.
    Commands,
    /// Sends its arguments, gives the reply.
    Network,
    /// A connection: sending is a method.
    Connection,
    /// Downloads the first argument into the file of the second.
    Download,
    /// Resolves a name.
    Dns,
    Decode(Codec),
    /// Encrypts its data.
    Encrypt,
    /// Executes the first argument as code of the same language.
    Execute,
    /// As `Execute`; compiles without running.
    Compile,
    /// Loads code from a file.
    LoadCode,
    /// Runs the first argument as a shell line.
    Shell,
    /// Runs a program with a list of arguments, or a shell line if it is one text.
    Process,
    /// Runs the program of the first argument with the others.
    Spawn,
    /// Opens the file of the first argument; the second is the mode.
    Open,
    /// Opens the file of the first argument for writing.
    Create,
    Read,
    /// Writes the second argument into the file of the first.
    Write,
    /// Copies or moves the file of the first argument to the second.
    Copy,
    Delete,
    /// Gives its path-like arguments, joined.
    JoinPath,
    /// Gives its first argument.
    Same,
    /// Gives a copy of a mapping or sequence.
    Whole,
    Home,
    Temporary,
    /// Host name, user name, addresses.
    Identity,
    /// Clipboard, keyboard, screen.
    Capture,
    /// What a user or model answers to a server, and the cookies of a browser that a program steers.
    Confide,
    Import,
    GetAttribute,
    /// The global names of the file.
    Globals,
    /// Characters by their numbers.
    Characters,
    /// The first argument, to be called with the second one for each element.
    Map,
    /// Calls the first argument, a function.
    Apply,
    /// Binds arguments to a function.
    Bind,
    /// Writes the registry of the system.
    Registry,
    /// Connects standard streams to the first argument.
    Redirect,
    Format,
    Reverse,
    /// Makes a promise: its function receives the way to resolve it.
    Promise,
    /// Ends the tracking: the result is no data of its arguments (hashes, lengths).
    Digest,
    /// Quotes for a shell.
    Quote,
    /// The second argument goes into the first.
    Pour,
    /// Entries of a folder.
    Folder,
    /// Replaces the clipboard.
    Clipboard,
    /// Puts the file of the first argument into an archive, its object.
    Archive,
    /// Gives an object that keeps data in memory.
    Buffer,
    /// Executes the first argument as code, if an option says so.
    Worker,
    /// Reads an object in a form that executes code.
    Unpickle,
    /// Makes a file; gives its descriptor and its path.
    TemporaryFile,
    /// Writes the second argument into the file or connection of the first.
    WriteTo,
    /// Writes data into the memory of a process, as programs do that execute it there.
    Memory,
    /// Makes an archive of the folder of the third argument.
    ArchiveFolder,
    /// Describes a package to its installer.
    Setup,
    /// The folder of the packages of others.
    SitePackages,
    /// Bytes of a text or of numbers.
    Bytes,
    /// The number of a character.
    CharacterNumber,
    /// The number that digits stand for.
    ParsedNumber,
}

type Table = HashMap<&'static str, Effect, FixedState>;

/// Effects with their names, separated by spaces.
type Rows = &'static [(Effect, &'static str)];

fn table(rows: &[Rows]) -> Table {
    let mut table = crate::names::map();
    for (effect, names) in rows.iter().copied().flatten() {
        for name in names.split_whitespace() {
            table.insert(name, *effect);
        }
    }
    table
}

static PYTHON: LazyLock<Table> = LazyLock::new(|| table(&[python::NAMES]));
static JAVASCRIPT: LazyLock<Table> = LazyLock::new(|| table(&[javascript::NAMES]));
static GO: LazyLock<Table> = LazyLock::new(|| table(&[go::NAMES]));
static RUBY: LazyLock<Table> = LazyLock::new(|| table(&[ruby::NAMES]));
static BASH: LazyLock<Table> = LazyLock::new(|| table(&[shell::NAMES]));
static PYTHON_METHODS: LazyLock<Table> = LazyLock::new(|| table(&[python::METHODS]));
static JAVASCRIPT_METHODS: LazyLock<Table> = LazyLock::new(|| table(&[javascript::METHODS]));
static GO_METHODS: LazyLock<Table> = LazyLock::new(|| table(&[go::METHODS]));
static RUBY_METHODS: LazyLock<Table> = LazyLock::new(|| table(&[ruby::METHODS]));

/// The effect of a full path.
pub(crate) fn effect(language: Language, path: &str) -> Option<Effect> {
    let table = match language {
        Language::Python => &PYTHON,
        Language::JavaScript | Language::TypeScript => &JAVASCRIPT,
        Language::Go => &GO,
        Language::Ruby => &RUBY,
        Language::Bash => &BASH,
    };
    table.get(path).copied()
}

/// The effect of a method, if nothing is known about its object.
pub(crate) fn method(language: Language, name: &str) -> Option<Effect> {
    let table = match language {
        Language::Python => &PYTHON_METHODS,
        Language::JavaScript | Language::TypeScript => &JAVASCRIPT_METHODS,
        Language::Go => &GO_METHODS,
        Language::Ruby => &RUBY_METHODS,
        Language::Bash => return None,
    };
    table.get(name).copied()
}

/// One spelling for modules that have several.
pub(crate) fn canonical(language: Language, path: &str) -> &str {
    match language {
        Language::JavaScript | Language::TypeScript => {
            let path = path.strip_prefix("node:").unwrap_or(path);
            match path {
                "fs/promises" | "fs.promises" | "fs-extra" | "graceful-fs" => "fs",
                "dns/promises" | "dns.promises" | "dns.promises.Resolver" => "dns",
                "path/posix" | "path.posix" | "path.win32" => "path",
                "Reflect.get" => "Reflect.get",
                _ => path.strip_suffix(".default").unwrap_or(path),
            }
        }
        Language::Ruby => path.strip_prefix("::").unwrap_or(path),
        _ => path,
    }
}

/// Objects whose members are the global names.
pub(crate) fn is_global_object(language: Language, path: &str) -> bool {
    match language {
        Language::Python => {
            matches!(
                path,
                "builtins" | "__builtins__" | "__builtin__" | "builtins.__dict__" | "__builtins__.__dict__"
            )
        }
        Language::JavaScript | Language::TypeScript => {
            matches!(path, "globalThis" | "window" | "global" | "self" | "top" | "GLOBAL" | "root")
        }
        Language::Ruby => matches!(path, "Kernel" | "Object"),
        Language::Go | Language::Bash => false,
    }
}
