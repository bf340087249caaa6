//! Withdrawals in a go.mod: the comment `Deprecated:` of the module, and `retract` directives.

use versions::{Ecosystem, Version};

/// Retractions that are read; more are ignored, since no module has a tenth of them.
const MAX_RETRACTIONS: usize = 1_000;

/// Withdrawals of a go.mod.
#[derive(Debug, Default)]
pub(super) struct Withdrawals {
    /// Reason of the deprecation of the module.
    pub(super) deprecated: Option<String>,
    pub(super) retractions: Vec<Retraction>,
}

/// A retracted version, or an interval that includes both ends.
#[derive(Debug)]
pub(super) struct Retraction {
    low: Version,
    high: Version,
    pub(super) reason: Option<String>,
}

impl Retraction {
    pub(super) fn contains(&self, version: &Version) -> bool {
        version.compare(&self.low).is_some_and(std::cmp::Ordering::is_ge)
            && version.compare(&self.high).is_some_and(std::cmp::Ordering::is_le)
    }
}

impl Withdrawals {
    /// Reads a file. Lines that are not understood are ignored, as older versions of go do.
    pub(super) fn read(text: &str) -> Self {
        let mut found = Self::default();
        let mut comment: Vec<&str> = Vec::new();
        let mut in_block = false;
        for line in text.lines() {
            let (code, remark) =
                line.split_once("//").map_or((line, None), |(code, text)| (code, Some(text)));
            let (code, remark) = (code.trim(), remark.map(str::trim));
            if code.is_empty() {
                match remark {
                    Some(remark) => comment.push(remark),
                    // An empty line ends the comment of a directive.
                    None => comment.clear(),
                }
                continue;
            }
            comment.extend(remark);
            match (in_block, code) {
                (true, ")") => in_block = false,
                (true, versions) => found.retract(versions, &comment),
                (false, code) => in_block = found.directive(code, &comment),
            }
            comment.clear();
        }
        found
    }

    /// Reads a line outside blocks; true where it begins a block of retractions.
    fn directive(&mut self, code: &str, comment: &[&str]) -> bool {
        if code.starts_with("module ") || code.starts_with("module\t") {
            let begin = comment.iter().position(|line| line.starts_with("Deprecated:"));
            let text = begin.map(|at| comment[at..].join(" "));
            self.deprecated = text.map(|text| text["Deprecated:".len()..].trim().to_owned());
        }
        let Some(rest) = code.strip_prefix("retract") else { return false };
        match rest.trim() {
            "(" => return true,
            versions => self.retract(versions, comment),
        }
        false
    }

    fn retract(&mut self, text: &str, comment: &[&str]) {
        let ends = match text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(inner) => inner.split_once(','),
            None => Some((text, text)),
        };
        let read = |text: &str| Version::parse(Ecosystem::Go, text.trim().trim_matches('"')).ok();
        let Some((Some(low), Some(high))) = ends.map(|(low, high)| (read(low), read(high))) else { return };
        if self.retractions.len() < MAX_RETRACTIONS {
            let reason = (!comment.is_empty()).then(|| comment.join(" "));
            self.retractions.push(Retraction { low, high, reason });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deprecation_and_retractions_are_read_with_their_reasons() {
        let text = "// An unrelated comment.\n\n// Deprecated: use example.com/new\n// instead.\nmodule example.com/old\n\n\
                    go 1.20\n\nretract v1.0.0 // Leaks keys.\n\n// Published by accident.\nretract (\n\tv1.2.0\n\
                    \t// Wrong.\n\t[v1.3.0, v1.4.9]\n\tnonsense\n)\nrequire example.com/a v1.0.0\n";
        let found = Withdrawals::read(text);
        assert_eq!(found.deprecated.as_deref(), Some("use example.com/new instead."));
        let reason = |text: &str| {
            let version = Version::parse(Ecosystem::Go, text).unwrap();
            let retraction = found.retractions.iter().find(|retraction| retraction.contains(&version))?;
            Some(retraction.reason.clone().unwrap_or_default())
        };
        assert_eq!(reason("v1.0.0").as_deref(), Some("Leaks keys."));
        assert_eq!(reason("v1.2.0").as_deref(), Some(""));
        assert_eq!(reason("v1.3.5").as_deref(), Some("Wrong."));
        assert_eq!(reason("v1.5.0"), None);
        assert_eq!(Withdrawals::read("module example.com/fine\n").deprecated, None);
    }
}
