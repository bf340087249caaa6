//! The search through everything that a server has written.

use std::collections::HashMap;
use std::path::PathBuf;

use super::draw::Filled;

/// This number of consecutive bytes of a secret is a leak.
const LEAK: usize = 6;
/// Consecutive hexadecimal digits that are a leak: a random id or hash contains six of a secret by chance now and then.
const HEX_LEAK: usize = 12;

/// Files with their contents. Neither the embedded log nor the embedded ledger compresses.
pub(super) struct Files(Vec<(PathBuf, String)>);

impl Files {
    /// Reads them. Bytes that are not UTF-8 are replaced, those of lines are left. Zeros at the end are skipped:
    /// a segment of the log has its maximum length.
    pub(super) fn read(paths: Vec<PathBuf>) -> Self {
        let read = |path: PathBuf| {
            let bytes = std::fs::read(&path).unwrap();
            let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
            (path, text)
        };
        Self(paths.into_iter().map(read).collect())
    }

    /// Whether one of them contains a text.
    pub(super) fn hold(&self, text: &str) -> bool {
        self.0.iter().any(|(_, file)| file.contains(text))
    }

    /// The lines of which one of them contains a part of a secret, with that part and the file.
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
        // Most bytes begin no part, and are skipped without a look-up in the map.
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

/// The part that proves that the secret is in a file: a longer one if hashes and ids may contain it by chance.
fn telling_part(secret: &str, at: usize) -> &str {
    let part = &secret[at..at + LEAK];
    if !part.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return part;
    }
    let start = at.min(secret.len().saturating_sub(HEX_LEAK));
    &secret[start..secret.len().min(start + HEX_LEAK)]
}
