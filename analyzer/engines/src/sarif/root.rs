//! The root of the repository as the caller states it.

use thiserror::Error;

use super::address::{Address, absolute};
use super::{MAX_QUOTE, cut};

/// Most bytes of a root: Linux allows 4,096 for a path, of which most directories need a fraction.
const MAX_BYTES: usize = 1_000;

/// Directory of the repository on the machine of the tool. Paths of files below it are relative to it, so that identities do
/// not depend on the folder of a checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root(String);

/// The reason why a text is no root.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RootError {
    /// The text is longer than a path may be.
    #[error("expected at most {MAX_BYTES} bytes, found {found}")]
    TooLong {
        /// Bytes of the text.
        found: usize,
    },
    /// The text is neither an absolute path nor a `file` URI.
    #[error("expected an absolute path or a file URI, found {found:?}")]
    NotAbsolute {
        /// The text.
        found: String,
    },
}

impl Root {
    /// Most bytes of the text of a root.
    pub const MAX_BYTES: usize = MAX_BYTES;

    /// Reads an absolute path (`/src`, `C:\\src`) or a `file` URI (RFC 8089).
    ///
    /// # Errors
    /// When the text is longer than [`Self::MAX_BYTES`], relative, or has another scheme.
    pub fn parse(text: &str) -> Result<Self, RootError> {
        if text.len() > MAX_BYTES {
            return Err(RootError::TooLong { found: text.len() });
        }
        match Address::read(text) {
            Address::File(path) if !path.is_empty() => Ok(Self(absolute(&path))),
            _ => Err(RootError::NotAbsolute { found: cut(text, MAX_QUOTE) }),
        }
    }

    /// The normalized absolute path.
    pub(super) fn path(&self) -> &str {
        &self.0
    }
}

/// The path below a directory.
pub(super) fn strip<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    let below = path.strip_prefix(directory.trim_end_matches('/'))?.strip_prefix('/')?;
    (!below.is_empty()).then_some(below)
}

#[cfg(test)]
mod tests {
    use super::{Root, RootError, strip};

    fn path(text: &str) -> String {
        Root::parse(text).unwrap().path().to_owned()
    }

    #[test]
    fn a_root_is_an_absolute_path_or_a_file_uri() {
        for text in [
            "/home/ci/shop",
            "/home/ci/shop/",
            "/home/ci/./x/../shop",
            "file:///home/ci/shop/",
            "file:/home/ci/shop",
        ] {
            assert_eq!(path(text), "/home/ci/shop", "{text}");
        }
        assert_eq!(path("file:///home/a%20b"), "/home/a b");
        assert_eq!(path("/"), "/");
        for text in ["C:\\shop", "c:/shop/", "file:///c%3A/shop", "file:///C:/shop"] {
            assert_eq!(path(text), "C:/shop", "{text}");
        }
    }

    #[test]
    fn another_text_is_refused_with_its_value() {
        for text in ["", "src", "./src", "../shop", "https://shop.example/", "file://", "~/shop"] {
            let error = Root::parse(text).unwrap_err();
            assert_eq!(error, RootError::NotAbsolute { found: text.to_owned() });
        }
        let long = format!("/{}", "a".repeat(Root::MAX_BYTES));
        assert_eq!(Root::parse(&long).unwrap_err().to_string(), "expected at most 1000 bytes, found 1001");
    }

    #[test]
    fn only_whole_folders_are_removed() {
        assert_eq!(strip("/a/b/c.py", "/a/b"), Some("c.py"));
        assert_eq!(strip("/a/bc/d.py", "/a/b"), None);
        assert_eq!(strip("/a/b", "/a/b"), None);
        assert_eq!(strip("/a/b.py", "/"), Some("a/b.py"));
    }
}
