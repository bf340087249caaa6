//! The facts of a rule, which its results share (section 3.49).

use super::cwe;
use super::document::{Rule, Run};
use super::message::plain;
use super::severity::{self, StatedLevel};
use crate::text::{cut, line};
use crate::{Level, Limits};

/// Most bytes behind a short description with which a help text is its repetition: a line or two.
const MAX_REPEATED: usize = 100;

/// A rule with the facts that every result of it shares.
#[derive(Debug)]
pub(super) struct KnownRule {
    /// The rule as written.
    pub(super) rule: Rule,
    /// One line that names the weakness, without regard to the message.
    pub(super) title: Option<String>,
    /// Explanation of the weakness.
    pub(super) description: Option<String>,
    /// Help on the rule.
    pub(super) help: Option<String>,
    /// Level of its results by default.
    pub(super) level: Option<StatedLevel>,
    /// Severity by its CVSS score.
    pub(super) severity: Option<Level>,
    /// CWE numbers.
    pub(super) cwes: Vec<u32>,
    /// Address of its documentation.
    pub(super) reference: Option<String>,
}

impl KnownRule {
    /// The facts of a rule of a run.
    pub(super) fn of(rule: Rule, run: &Run<'_>) -> Self {
        let short = rule.short_description.as_ref().and_then(plain);
        let help = rule.help.as_ref().and_then(plain);
        let full = rule.full_description.as_ref().and_then(plain);
        let targets = rule.relationships.items.iter().filter_map(|one| one.target.as_ref());
        let mut cwes: Vec<u32> = targets.filter_map(|target| cwe::of_taxon(run, target)).collect();
        let properties = rule.properties.as_ref();
        cwes.extend(properties.into_iter().flat_map(cwe::of_properties));
        // Other schemes could run a script where the address is shown as a link.
        let is_page = |uri: &&String| uri.starts_with("https://") || uri.starts_with("http://");
        Self {
            title: short.map(|text| line(text, Limits::TITLE)).filter(|text| !has_placeholder(text)),
            description: full.or(short).map(|text| cut(text, Limits::DESCRIPTION)),
            help: help.filter(|help| is_help(help, short)).map(|text| cut(text, Limits::EVIDENCE_TEXT)),
            level: rule
                .default_configuration
                .as_ref()
                .and_then(|one| StatedLevel::parse(one.level.as_deref()?)),
            severity: properties.and_then(severity::of_properties),
            cwes,
            reference: rule.help_uri.as_ref().filter(is_page).map(|uri| cut(uri, Limits::NAME)),
            rule,
        }
    }
}

/// Whether a short description is a template with placeholders such as `{name}`, as those of Ruff, whose messages replace them.
fn has_placeholder(text: &str) -> bool {
    let named = |part: &str| part.split_once('}').is_some_and(|(name, _)| !name.is_empty() && is_name(name));
    text.split('{').skip(1).any(named)
}

fn is_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether a help text helps. Some tools repeat the short description there; gosec adds severity and confidence.
fn is_help(help: &str, short: Option<&str>) -> bool {
    let repeated = short.and_then(|short| help.strip_prefix(short.trim()));
    repeated.is_none_or(|rest| rest.len() > MAX_REPEATED)
}

#[cfg(test)]
mod tests {
    use super::{has_placeholder, is_help};

    #[test]
    fn a_template_is_no_title_and_a_repetition_no_help() {
        assert!(has_placeholder("Use of `{library}`: `{string}`"));
        assert!(!has_placeholder("Use of ${{ secrets.A }}, {}, {a b} and } {"));
        assert!(is_help("Parse it.", Some("Use of eval")) && is_help("Parse it.", None));
        assert!(!is_help("Use of eval\nSeverity: LOW\n", Some("Use of eval")));
        assert!(is_help(&format!("Use of eval\n{}", "Parse it. ".repeat(20)), Some("Use of eval")));
    }
}
