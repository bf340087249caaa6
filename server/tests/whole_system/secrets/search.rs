//! The search through everything that a server has written.

use std::collections::HashMap;
use std::path::PathBuf;

use super::draw::Filled;

/// So many bytes of a secret in a row are a leak.
const LEAK: usize = 6;
/// Hexadecimal digits in a row that are a leak: a random id or hash holds six of a secret by chance now and then.
const HEX_LEAK: usize = 12;

/// Files and what is in them. Neither the embedded log nor the embedded ledger compresses.
pub(super) struct Files(Vec<(PathBuf, String)>);

impl Files {
    /// Reads them. Bytes that are no UTF-8 are replaced, those of lines are left. Zeros at the end are passed over:
    /// a segment of the log is as long as it may become.
    pub(super) fn read(paths: Vec<PathBuf>) -> Self {
        let read = |path: PathBuf| {
            let bytes = std::fs::read(&path).unwrap();
            let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
            (path, text)
        };
        Self(paths.into_iter().map(read).collect())
    }

    /// Whether a text is in one of them.
    pub(super) fn hold(&self, text: &str) -> bool {
        self.0.iter().any(|(_, file)| file.contains(text))
    }

    /// The lines of which a part of a secret is in one of them, with that part and the file.
    pub(super) fn leaks(&self, lines: &[Filled]) -> Vec<String> {
        let mut parts: HashMap<&[u8], (usize, &str)> = HashMap::new();
        for (index, line) in lines.iter().enumerate() {
            for secret in &line.secrets {
                assert!(secret.is_ascii() && secret.len() >= LEAK, "{secret:?} cannot be searched for");
                for at in 0..=secret.len() - LEAK {
                    parts.insert(&secret.as_bytes()[at..at + LEAK], (index, telling_part(secret, at)));
                }
            }
        }
        // Most bytes begin no part, and are passed over without a look into the map.
        let mut begins = vec![false; 1 << 16];
        let pair = |bytes: &[u8]| usize::from(bytes[0]) << 8 | usize::from(bytes[1]);
        parts.keys().for_each(|part| begins[pair(part)] = true);
        let mut leaks = vec![None; lines.len()];
        for (path, file) in &self.0 {
            for bytes in file.as_bytes().windows(LEAK).filter(|bytes| begins[pair(bytes)]) {
                let Some((index, part)) = parts.get(bytes) else { continue };
                if leaks[*index].is_none() && file.contains(part) {
                    let line = lines[*index].describe();
                    leaks[*index] = Some(format!("{part:?} is in {}: {line}", path.display()));
                }
            }
        }
        leaks.into_iter().flatten().collect()
    }
}

/// The part at a place that tells that the secret is in a file: a longer one where hashes and ids may hold it by chance.
fn telling_part(secret: &str, at: usize) -> &str {
    let part = &secret[at..at + LEAK];
    if !part.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return part;
    }
    let start = at.min(secret.len().saturating_sub(HEX_LEAK));
    &secret[start..secret.len().min(start + HEX_LEAK)]
}
