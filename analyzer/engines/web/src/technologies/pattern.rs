//! Patterns of the catalogue: literal text without regard to case, with a version at most once. `^` at the start and `$` at the
//! end tie it to the value, `*` alone is any value. Such patterns are searched in linear time, and all at once.

use aho_corasick::AhoCorasick;

/// Placeholder of a version.
const VERSION: &str = "{version}";
/// Bytes of a version. Longer ones are hashes.
pub(crate) const LONGEST_VERSION: usize = 32;
/// Bytes of an evidence in the markup, from the start of the match.
const LONGEST_TEXT: usize = 120;

/// A pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    at_start: bool,
    before: String,
    version: bool,
    after: String,
    at_end: bool,
}

impl Pattern {
    /// Reads a pattern. `None` if it has two versions, or nothing to search for.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text == "*" {
            let empty = String::new();
            return Some(Self {
                at_start: true,
                before: empty.clone(),
                version: false,
                after: empty,
                at_end: false,
            });
        }
        let (at_start, rest) = text.strip_prefix('^').map_or((false, text), |rest| (true, rest));
        let (at_end, rest) = rest.strip_suffix('$').map_or((false, rest), |rest| (true, rest));
        let (before, after) = rest.split_once(VERSION).unwrap_or((rest, ""));
        let version = before.len() < rest.len();
        let searched = at_start || !before.is_empty();
        let pattern = Self {
            at_start,
            before: before.to_ascii_lowercase(),
            version,
            after: after.to_ascii_lowercase(),
            at_end,
        };
        (searched && !after.contains(VERSION) && !rest.is_empty()).then_some(pattern)
    }

    pub(super) const fn is_anchored(&self) -> bool {
        self.at_start || self.at_end
    }

    /// Whether a value matches, and the version that it states.
    pub(super) fn find<'a>(&self, value: &'a str) -> Option<Option<&'a str>> {
        let bytes = value.as_bytes();
        if self.at_start {
            let start = bytes.get(..self.before.len())?;
            return start
                .eq_ignore_ascii_case(self.before.as_bytes())
                .then(|| self.rest(value, self.before.len()))?;
        }
        // Values are short: a header, the content of an element.
        let places = bytes.windows(self.before.len()).enumerate();
        let mut ends = places
            .filter(|(_, window)| window.eq_ignore_ascii_case(self.before.as_bytes()))
            .map(|(place, window)| place + window.len());
        ends.find_map(|end| self.rest(value, end))
    }

    /// Compares everything behind the first literal, which ends at a place.
    fn rest<'a>(&self, value: &'a str, place: usize) -> Option<Option<&'a str>> {
        let bytes = value.as_bytes();
        let end = if self.version { place + version_length(bytes.get(place..)?)? } else { place };
        let behind = bytes.get(end..)?;
        let after = behind.get(..self.after.len())?;
        let ends = !self.at_end || behind.len() == self.after.len();
        let matches = after.eq_ignore_ascii_case(self.after.as_bytes()) && ends;
        matches.then(|| if self.version { value.get(place..end) } else { None })
    }
}

/// Length of a version at the start of a text: numbers with points, and a suffix as of `1.0.2k` or `5.0.0-rc.1`.
fn version_length(text: &[u8]) -> Option<usize> {
    let text = text.get(..LONGEST_VERSION).unwrap_or(text);
    let digits = |from: usize| {
        text.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut end = digits(0);
    if end == 0 {
        return None;
    }
    while text.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    let suffix = text.get(end..).unwrap_or_default();
    for name in ["-alpha", "-beta", "-rc", "alpha", "beta", "rc"] {
        if suffix.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes())) {
            end += name.len();
            let point = usize::from(text.get(end) == Some(&b'.') && digits(end + 1) > 0);
            return Some(end + point + digits(end + point));
        }
    }
    let letter = suffix.first().is_some_and(u8::is_ascii_lowercase);
    let alone = !suffix.get(1).is_some_and(u8::is_ascii_alphanumeric);
    Some(end + usize::from(letter && alone))
}

/// Patterns that are searched together in one text.
#[derive(Debug, Default)]
pub(super) struct Searched {
    literals: Option<AhoCorasick>,
    /// Product and pattern of each literal.
    patterns: Vec<(usize, Pattern)>,
}

impl Searched {
    pub(super) fn push(&mut self, product: usize, pattern: Pattern) {
        self.patterns.push((product, pattern));
    }

    /// Prepares the search. `None` if there are more states than the automaton can have.
    pub(super) fn prepare(&mut self) -> Option<()> {
        let literals = self.patterns.iter().map(|(_, pattern)| pattern.before.as_bytes());
        self.literals = Some(AhoCorasick::builder().ascii_case_insensitive(true).build(literals).ok()?);
        Some(())
    }

    /// Calls back for every product that matches, with version and text.
    pub(super) fn find(&self, text: &[u8], mut found: impl FnMut(usize, Option<&str>, &[u8])) {
        // Each literal counts a few times: later occurrences are those of a hostile page, or repeat the evidence.
        let mut left = vec![3_u8; self.patterns.len()];
        for hit in self.literals.iter().flat_map(|literals| literals.find_overlapping_iter(text)) {
            let number = hit.pattern().as_usize();
            let (Some((product, pattern)), Some(left)) = (self.patterns.get(number), left.get_mut(number))
            else {
                continue;
            };
            if *left == 0 {
                continue;
            }
            *left -= 1;
            let window = text.get(hit.start()..).unwrap_or_default();
            let window = window.get(..LONGEST_TEXT).unwrap_or(window);
            let valid = match std::str::from_utf8(window) {
                Ok(valid) => valid,
                Err(error) => std::str::from_utf8(window.get(..error.valid_up_to()).unwrap_or_default())
                    .unwrap_or_default(),
            };
            let Some(version) = pattern.rest(valid, hit.end() - hit.start()) else { continue };
            found(*product, version, valid.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(pattern: &str, value: &str) -> Option<Option<String>> {
        Pattern::parse(pattern).unwrap().find(value).map(|version| version.map(str::to_owned))
    }

    fn version(text: &str) -> Option<Option<String>> {
        Some(Some(text.to_owned()))
    }

    #[test]
    fn anchors_case_and_versions() {
        assert_eq!(find("^nginx/{version}", "NGINX/1.25.3 (x)"), version("1.25.3"));
        assert_eq!(find("^nginx$", "nginx"), Some(None));
        assert_eq!(find("^nginx$", "nginx/1"), None);
        assert_eq!(find("php/{version}", "a PHP/x PHP/8.1"), version("8.1"));
        assert_eq!(find("/jquery-{version}.min.js", "/jquery-3.6.0.min.js?x"), version("3.6.0"));
        assert_eq!(find("*", ""), Some(None));
        assert_eq!(find("^{version}", "10.1"), version("10.1"));
        assert_eq!(find("é", "É"), None);
    }

    #[test]
    fn versions_end_where_they_end() {
        for (text, expected) in [
            ("1.0.2k-fips", "1.0.2k"),
            ("4.1.0-rc.0/x", "4.1.0-rc.0"),
            ("5.0.0-beta2", "5.0.0-beta2"),
            ("0.94.14rc21", "0.94.14rc21"),
            ("1.2.min.js", "1.2"),
            ("7", "7"),
            ("3.0.0.", "3.0.0"),
        ] {
            assert_eq!(find("^{version}", text), version(expected), "{text}");
        }
        assert_eq!(find("^{version}", "v1"), None);
    }

    #[test]
    fn patterns_without_text_are_refused() {
        for text in ["", "^", "$", "{version}", "{version}x", "a{version}{version}"] {
            assert_eq!(Pattern::parse(text), None, "{text}");
        }
    }
}
