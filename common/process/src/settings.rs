//! Settings: a TOML file, the environment and the command line, laid over each other in this order
//! and read into the caller's own types. Each component defines its own settings.

pub mod address;
mod bounds;
mod name;
pub mod seconds;
mod secret;

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::net::Ipv6Addr;
use std::path::{Path, PathBuf};

use config::{Config, ConfigError, File, FileFormat, Map, Value, ValueKind};
use serde::de::DeserializeOwned;
use thiserror::Error;

pub use bounds::{OutOfBounds, within};
pub use name::{named, variable};
pub use secret::Secret;

/// Every environment variable that is a setting begins like this: `PALISADE__SECTION__KEY`.
pub const ENVIRONMENT_PREFIX: &str = "PALISADE__";

/// Most bytes a secret's file may have: a key or a token, not a mistaken path.
const MAX_SECRET_BYTES: u64 = 64 * 1024;

/// Sources of settings; later ones win.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// A TOML file; it must exist when named.
    pub file: Option<PathBuf>,
    /// The environment, as passed to the process. Only names that begin with [`ENVIRONMENT_PREFIX`] are read. A value
    /// that begins with `[` is a TOML array, unless the brackets hold an IPv6 address; any other is a text, from
    /// which numbers and booleans are read where they are expected.
    pub environment: Vec<(String, String)>,
    /// Settings given on the command line.
    pub overrides: Vec<Override>,
    /// Dotted keys of the secrets. Each may instead be given as `<key>_file`, in the file or the
    /// environment: the path of a file that holds it. A line break at the file's end is not part of
    /// the secret.
    pub secrets: &'static [&'static str],
}

/// A setting given on the command line.
#[derive(Clone, Debug)]
pub struct Override {
    /// The flag, as it is written: `--listen`. Errors name it.
    pub flag: &'static str,
    /// The dotted key of the setting.
    pub key: &'static str,
    /// Its value, written as in the environment.
    pub value: String,
}

/// Reason why settings could not be read. Values are never part of the message where they may be secret.
#[derive(Debug, Error)]
pub enum SettingsError {
    /// The file is missing or not TOML, or a section is unknown.
    #[error("the settings cannot be read")]
    Invalid(#[from] ConfigError),
    /// A value of the wrong type or form, or an unknown key in a section.
    #[error("{setting}: {cause}")]
    Value {
        /// The flag, or the dotted key and its environment variable.
        setting: String,
        /// Expected values.
        cause: String,
    },
    /// The text of a value that begins with `[` is not a TOML array.
    #[error("setting {key}: expected a TOML array after `[`")]
    NotAnArray {
        /// The dotted key.
        key: String,
        /// Error of the TOML reader.
        source: ConfigError,
    },
    /// A name that leads nowhere.
    #[error("environment variable {name}: expected {ENVIRONMENT_PREFIX}SECTION__KEY")]
    Name {
        /// The environment variable.
        name: String,
    },
    /// A secret was given both directly and as a file.
    #[error("secret {key}: given both as {key} and as {key}_file, expected one of them")]
    Twice {
        /// The dotted key.
        key: &'static str,
    },
    /// A secret's file could not be read.
    #[error("secret {key}: its file {} could not be read", path.display())]
    SecretFile {
        /// The dotted key.
        key: &'static str,
        /// The file.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
}

/// Reads settings. `T` and the types in it carry `#[serde(default, deny_unknown_fields)]`: the
/// first fills in missing keys, the second rejects a misspelt key by its name.
///
/// # Errors
/// [`SettingsError`], which names the key or the file at fault.
pub fn load<T: DeserializeOwned>(sources: &Sources) -> Result<T, SettingsError> {
    let mut given = BTreeMap::new();
    for (name, value) in &sources.environment {
        if let Some(path) = name.strip_prefix(ENVIRONMENT_PREFIX) {
            given.insert(dotted(name, path)?, value.clone());
        }
    }
    given.extend(sources.overrides.iter().map(|given| (given.key.to_owned(), given.value.clone())));

    let mut builder = Config::builder();
    if let Some(file) = &sources.file {
        builder = builder.add_source(File::from(file.as_path()).format(FileFormat::Toml));
    }
    for (key, value) in given {
        let value = parse(&key, value)?;
        builder = builder.set_override(key, value)?;
    }
    let mut tree = builder.build()?.cache;
    for key in sources.secrets {
        read_secret(&mut tree, key)?;
    }
    T::deserialize(tree).map_err(|error| explain(error, &sources.overrides))
}

/// Names the setting at fault as it was written.
fn explain(error: ConfigError, overrides: &[Override]) -> SettingsError {
    let (key, cause) = match error {
        ConfigError::At { error, key: Some(key), .. } => (key, error.to_string()),
        ConfigError::Type { unexpected, expected, key: Some(key), .. } => {
            (key, format!("expected {expected}, found {unexpected}"))
        }
        other => return SettingsError::Invalid(other),
    };
    // Of a list the key names the entry as well.
    let key = key.split('[').next().unwrap_or_default();
    let flag = overrides.iter().find(|given| given.key == key).map(|given| given.flag.to_owned());
    SettingsError::Value { setting: flag.unwrap_or_else(|| format!("setting {}", named(key))), cause }
}

/// `SECTION__KEY` as `section.key`.
fn dotted(name: &str, path: &str) -> Result<String, SettingsError> {
    let parts: Vec<_> = path.split("__").map(str::to_lowercase).collect();
    let named = |part: &String| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    if !parts.iter().all(named) {
        return Err(SettingsError::Name { name: name.to_owned() });
    }
    Ok(parts.join("."))
}

fn parse(key: &str, value: String) -> Result<Value, SettingsError> {
    if !value.starts_with('[') || begins_with_ipv6(&value) {
        return Ok(value.into());
    }
    let read = Config::builder()
        .add_source(File::from_str(&format!("value = {value}"), FileFormat::Toml))
        .build()
        .and_then(|array| array.get("value"));
    read.map_err(|source| SettingsError::NotAnArray { key: key.to_owned(), source })
}

/// Whether an IPv6 address in brackets begins a value, as in `[::1]:8080`: no TOML array has this form.
fn begins_with_ipv6(value: &str) -> bool {
    let inside = value.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let address = inside.and_then(|(inside, _)| inside.split('%').next());
    address.is_some_and(|address| address.parse::<Ipv6Addr>().is_ok())
}

/// Replaces `<key>_file`, if given, by the content of the file.
fn read_secret(tree: &mut Value, key: &'static str) -> Result<(), SettingsError> {
    let Some((section, last)) = enter(tree, key) else { return Ok(()) };
    let Some(path) = section.remove(&format!("{last}_file")) else { return Ok(()) };
    if section.contains_key(last) {
        return Err(SettingsError::Twice { key });
    }
    let path = PathBuf::from(path.into_string()?);
    let text = read_text(&path).map_err(|source| SettingsError::SecretFile { key, path, source })?;
    section.insert(last.to_owned(), text.into());
    Ok(())
}

fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let read = std::fs::File::open(path)?.take(MAX_SECRET_BYTES + 1).read_to_string(&mut text)?;
    if read as u64 > MAX_SECRET_BYTES {
        let why = format!("expected at most {MAX_SECRET_BYTES} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    let end = text.trim_end_matches(['\r', '\n']).len();
    text.truncate(end);
    Ok(text)
}

/// The section of a dotted key, if there is one, and the key's last part.
fn enter<'a, 'k>(tree: &'a mut Value, key: &'k str) -> Option<(&'a mut Map<String, Value>, &'k str)> {
    let mut parts = key.split('.');
    let last = parts.next_back()?;
    let mut value = tree;
    for part in parts {
        let ValueKind::Table(table) = &mut value.kind else { return None };
        value = table.get_mut(part)?;
    }
    match &mut value.kind {
        ValueKind::Table(table) => Some((table, last)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
