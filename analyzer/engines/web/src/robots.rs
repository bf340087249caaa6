//! Robots files (RFC 9309): rules for crawlers, which are kept, and sitemaps.

use serde::{Deserialize, Serialize};

/// Bytes that are read: RFC 9309 requires at least 500 KiB.
const MOST_BYTES: usize = 512 << 10;
/// Rules that are kept: the time of one decision, and a part of the checkpoint.
pub(crate) const MOST_RULES: usize = 200;
/// Bytes of a rule. Paths of a longer rule would not be fetched either.
const LONGEST_RULE: usize = 512;
/// Bytes of a rule with every byte encoded.
pub(crate) const LONGEST_ENCODED_RULE: usize = 3 * LONGEST_RULE;
/// Sitemaps that are kept, as many as files are read at all.
pub(crate) const MOST_SITEMAPS: usize = 50;

/// Name by which a robots file addresses this crawler.
const AGENT: &str = "palisade";

/// The rules for this crawler.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Robots {
    /// Rules of the group for this crawler.
    pub rules: Vec<Rule>,
    /// URLs of sitemaps, as written.
    pub sitemaps: Vec<String>,
    /// Whether rules or sitemaps were left out.
    pub cut: bool,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// Whether it allows the paths that it matches.
    pub allow: bool,
    /// Path with query; `*` is any text, `$` at the end is the end.
    pub path: String,
}

impl Robots {
    /// Reads a robots file.
    #[must_use]
    pub fn read(body: &[u8]) -> Self {
        let mut robots = Self { cut: body.len() > MOST_BYTES, ..Self::default() };
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        let text = String::from_utf8_lossy(body.get(..MOST_BYTES).unwrap_or(body)).into_owned();
        let mut named = Group::default();
        let mut general = Group::default();
        // Whether the last line was a user agent, so that another one continues the head of the group.
        let mut in_head = false;
        for line in text.split(['\n', '\r']) {
            let line = line.split('#').next().unwrap_or_default();
            let Some((field, value)) = line.split_once(':') else { continue };
            let (field, value) = (field.trim().to_ascii_lowercase(), value.trim());
            match field.as_str() {
                "user-agent" => {
                    if !in_head {
                        named.applies = false;
                        general.applies = false;
                    }
                    in_head = true;
                    named.head(is_agent(value));
                    general.head(value == "*");
                }
                "allow" | "disallow" => {
                    in_head = false;
                    named.push(field == "allow", value, &mut robots.cut);
                    general.push(field == "allow", value, &mut robots.cut);
                }
                "sitemap" => robots.push_sitemap(value),
                _ => {}
            }
        }
        robots.rules = if named.exists { named.rules } else { general.rules };
        robots
    }

    fn push_sitemap(&mut self, url: &str) {
        if self.sitemaps.len() < MOST_SITEMAPS && url.len() <= crate::frontier::LONGEST_URL {
            self.sitemaps.push(url.to_owned());
        } else {
            self.cut = true;
        }
    }

    /// Whether a path with its query may be fetched: the longest rule decides, and of two equally long ones the one that allows.
    #[must_use]
    pub fn allows(&self, path: &str) -> bool {
        let path = encoded(path);
        let matching = self.rules.iter().filter(|rule| matches(&rule.path, &path));
        matching.max_by_key(|rule| (rule.path.len(), rule.allow)).is_none_or(|rule| rule.allow)
    }

    /// The rules that disallow a path without wildcards: such a path is an endpoint.
    pub fn disallowed_paths(&self) -> impl Iterator<Item = &str> {
        let plain =
            |rule: &&Rule| !rule.allow && !rule.path.contains(['*', '$']) && rule.path.starts_with('/');
        self.rules.iter().filter(plain).map(|rule| rule.path.as_str())
    }
}

/// Rules of all groups for one agent.
#[derive(Default)]
struct Group {
    rules: Vec<Rule>,
    /// Whether the current group is for the agent.
    applies: bool,
    /// Whether any group was.
    exists: bool,
}

impl Group {
    fn head(&mut self, applies: bool) {
        self.applies |= applies;
        self.exists |= applies;
    }

    fn push(&mut self, allow: bool, path: &str, cut: &mut bool) {
        if !self.applies || path.is_empty() {
            return;
        }
        if self.rules.len() >= MOST_RULES || path.len() > LONGEST_RULE {
            *cut = true;
            return;
        }
        self.rules.push(Rule { allow, path: encoded(path) });
    }
}

/// The form in which paths and rules are compared (RFC 9309 section 2.2.2): characters other than ASCII are encoded, unreserved ones
/// are not (RFC 3986 section 2.3), and digits of encoded ones are capitals.
fn encoded(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        let digit = |place: usize| behind.get(place).and_then(|digit| char::from(*digit).to_digit(16));
        let mut byte = *first;
        if let (b'%', Some(high), Some(low)) = (byte, digit(0), digit(1)) {
            byte = u8::try_from(high * 16 + low).unwrap_or_default();
            rest = behind.get(2..).unwrap_or_default();
            if !byte.is_ascii_alphanumeric() && !matches!(byte, b'-' | b'.' | b'_' | b'~') {
                text.push_str(&format!("%{byte:02X}"));
                continue;
            }
        }
        if byte.is_ascii() { text.push(char::from(byte)) } else { text.push_str(&format!("%{byte:02X}")) }
    }
    text
}

/// The product token, without a version behind it.
fn is_agent(value: &str) -> bool {
    let token = value.split(|c: char| !(c.is_ascii_alphabetic() || c == '-' || c == '_')).next();
    token.is_some_and(|token| token.eq_ignore_ascii_case(AGENT))
}

/// Whether a pattern matches the start of a path. Each part between wildcards is searched behind the one before, so that the time
/// is linear in the path for each part.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, to_end) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| path.strip_prefix(first)) else { return false };
    let mut last = None;
    for part in parts {
        let behind = match last.replace(part) {
            Some(part) => rest.split_once(part).map(|(_, behind)| behind),
            None => Some(rest),
        };
        let Some(behind) = behind else { return false };
        rest = behind;
    }
    match last {
        None => !to_end || rest.is_empty(),
        Some(last) if to_end => rest.ends_with(last),
        Some(last) => rest.contains(last),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_rule_decides() {
        let robots =
            Robots::read(b"User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.pdf$\nDisallow:\n");
        for (path, allowed) in [
            ("/", true),
            ("/a", false),
            ("/a/b/c", true),
            ("/x.pdf", false),
            ("/x.pdf?y", true),
            ("/A", true),
        ] {
            assert_eq!(robots.allows(path), allowed, "{path}");
        }
    }

    #[test]
    fn the_group_of_this_crawler_replaces_the_general_one() {
        let text = b"user-agent: other\nuser-agent: Palisade/1.0\ndisallow: /x # reason\n\nUser-Agent: *\nDisallow: /";
        let robots = Robots::read(text);
        assert!(robots.allows("/"));
        assert!(!robots.allows("/x"));
        assert_eq!(robots.disallowed_paths().collect::<Vec<_>>(), ["/x"]);
    }

    #[test]
    fn rules_are_compared_in_encoded_form() {
        let robots = Robots::read("User-agent: *\nDisallow: /é".as_bytes());
        assert!(!robots.allows("/%C3%A9t"));
        let robots = Robots::read(b"User-agent: *\nDisallow: /%c3%a9\nDisallow: /%7Eold\nDisallow: /a%2fb");
        for path in ["/%C3%A9", "/\u{e9}", "/~old/x", "/%7eold", "/a%2Fb"] {
            assert!(!robots.allows(path), "{path}");
        }
        assert!(robots.allows("/a/b") && robots.allows("/%"));
    }

    #[test]
    fn sitemaps_belong_to_no_group() {
        let robots =
            Robots::read("\u{feff}Sitemap: https://a.test/s.xml\r\nUser-agent: x\r\nSitemap:/t".as_bytes());
        assert_eq!(robots.sitemaps, ["https://a.test/s.xml", "/t"]);
        assert!(robots.allows("/anything"));
    }

    #[test]
    fn bounds_are_reported() {
        let mut text = String::from("User-agent: *\n");
        for number in 0..MOST_RULES + 1 {
            text.push_str(&format!("Disallow: /{number}/\n"));
        }
        let robots = Robots::read(text.as_bytes());
        assert_eq!((robots.rules.len(), robots.cut), (MOST_RULES, true));
    }
}
