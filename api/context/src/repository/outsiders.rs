//! Accounts of others in a skill: grants of access to an account that its author has chosen, copies of mails to a fixed address,
//! images whose address carries content. Honest skills name the accounts of their user, by variables and placeholders.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::reading::Chain;
use super::setting::context;
use crate::artifact::{Severity, ThreatType};
use crate::text::code_blocks;

/// Bytes of a file that are looked at, and findings of a file.
const MOST_BYTES: usize = 512 * 1024;
const MOST_FOUND: usize = 8;
/// Bytes around a match that decide about it.
const AROUND: usize = 400;

/// Numbers of accounts that documentation uses.
const SAMPLE_ACCOUNTS: [&str; 8] = [
    "123456789012",
    "111122223333",
    "444455556666",
    "777788889999",
    "012345678901",
    "123412341234",
    "210987654321",
    "098765432109",
];
/// Parts of names that stand for a name which the user gives.
const STANDS_FOR: [&str; 19] = [
    "example.com",
    "example.org",
    "example.net",
    "your",
    "user",
    "company",
    "domain.",
    "acme",
    "someone",
    "john",
    "jane",
    "alice",
    "bob@",
    "octocat",
    "login",
    "name",
    "colleague",
    "contoso",
    "email@",
];
/// Words of mails that a thief wants to have a copy of.
const VALUABLE: [&str; 14] = [
    "verification code",
    "one-time",
    "otp",
    "login code",
    "security code",
    "reset your password",
    "password reset",
    "invoice",
    "bank",
    "payment",
    "payroll",
    "security alert",
    "filter",
    "rule",
];
/// Services that draw the image which an address describes.
const RENDERERS: [&str; 26] = [
    "shields.io",
    "badgen.net",
    "badge.fury.io",
    "quickchart.io",
    "kroki.io",
    "plantuml.com",
    "mermaid.ink",
    "codecov.io",
    "coveralls.io",
    "github.com",
    "githubusercontent.com",
    "gitlab.com",
    "googleapis.com",
    "google.com",
    "qrserver.com",
    "star-history.com",
    "codecogs.com",
    "gravatar.com",
    "ui-avatars.com",
    "placehold.co",
    "placeholder.com",
    "picsum.photos",
    "unsplash.com",
    "pollinations.ai",
    "dicebear.com",
    "vercel.app",
];

/// A pattern, what its match means, and which texts of the match and around it make it harmful.
struct Pattern {
    rule: &'static str,
    says: &'static str,
    threat: ThreatType,
    regex: Regex,
    is_harmful: fn(&str, &Captures<'_>) -> bool,
}

type Form = (&'static str, &'static str, ThreatType, &'static str, fn(&str, &Captures<'_>) -> bool);

const MAIL: &str = r"[\w.%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+";

/// The patterns. `@` stands for [`MAIL`].
static FORMS: [Form; 8] = [
    (
        "outside-recipient",
        "Mails are copied to a fixed address",
        ThreatType::Exfiltration,
        r#"(?i)\bbcc["'*`]*\]?\s*[:=]\s*["'`\[<]*(@)"#,
        is_fixed,
    ),
    (
        "outside-forwarding",
        "Mails are forwarded to a fixed address",
        ThreatType::Exfiltration,
        r"(?i)\b(?:auto-?)?(?:forward|redirect)\w*\b[^\n]{0,80}?(@)",
        |around, found| is_fixed(around, found) && has_any(around, &VALUABLE),
    ),
    (
        "outside-account",
        "An account of others in the cloud gets access",
        ThreatType::InstallAttack,
        r#"(?i)(?:\bprincipals?\b[^{}]{0,60}\{[^{}]{0,80}|--principal[= ]+)["']?(?:arn:aws:iam::)?(\d{12})\b"#,
        is_account,
    ),
    (
        "outside-member",
        "A fixed account gets a role",
        ThreatType::InstallAttack,
        r#"(?i)--(?:member|assignee|user|user-email|grantee)[= ]+["']?(?:user:|group:)?(@)"#,
        is_fixed,
    ),
    (
        "outside-administrator",
        "An account of others becomes administrator of the cluster",
        ThreatType::InstallAttack,
        r#"(?i)kind:\s*["']?(?:User|Group)["']?\s*\n(?:\s*apiGroup:[^\n]*\n)?\s*name:\s*["']?([\w.:@/-]+)"#,
        |around, found| around.contains("cluster-admin") && is_name(found) && !is_system(found),
    ),
    (
        "outside-collaborator",
        "A fixed account gets access to the repository",
        ThreatType::InstallAttack,
        r"(?i)/collaborators/([a-z0-9][a-z0-9-]{0,38})\b",
        |around, found| {
            (around.contains("PUT") || around.contains("put(")) && is_name(found) && !is_aside(around, found)
        },
    ),
    (
        "outside-key",
        "A key that comes with the skill gets access",
        ThreatType::InstallAttack,
        r"(?i)(?:deploy-key add|ssh-key add|ssh-copy-id[^\n]{0,40}? -i)\s+[^\n]{0,40}?((?:assets|references|resources|templates|scripts|keys)/[\w./-]+)",
        |_, _| true,
    ),
    (
        "content-in-image",
        "The address of an image carries content, which every viewer of the image sends to its host",
        ThreatType::Exfiltration,
        r#"(?i)(?:!\[[^\]\n]{0,120}\]\(|<img[^>\n]{0,120}?src=["'])https?://([a-z0-9.-]+)(?::\d+)?(/[^\s)"'>]{0,300})"#,
        |_, found| carries_content(found),
    ),
];

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let compiled = FORMS.iter().filter_map(|(rule, says, threat, form, is_harmful)| {
        let regex = Regex::new(&form.replace("(@)", &format!("({MAIL})"))).ok()?;
        Some(Pattern { rule, says, threat: *threat, regex, is_harmful: *is_harmful })
    });
    compiled.collect()
});

/// The findings of a file of a skill.
pub(super) fn chains(path: &str, text: &str) -> Vec<Chain> {
    let text = text.get(..text.floor_char_boundary(MOST_BYTES)).unwrap_or(text);
    let mut blocks: Option<Vec<Range<usize>>> = None;
    let mut found: Vec<Chain> = Vec::new();
    for pattern in PATTERNS.iter() {
        for captures in pattern.regex.captures_iter(text) {
            let (Some(whole), Some(object)) = (captures.get(0), captures.get(1)) else { continue };
            let start = text.floor_char_boundary(whole.start().saturating_sub(AROUND));
            let end = text.ceil_char_boundary(whole.end().saturating_add(AROUND).min(text.len()));
            let around = text.get(start..end).unwrap_or_default();
            if found.len() >= MOST_FOUND || !(pattern.is_harmful)(around, &captures) {
                continue;
            }
            let blocks = blocks.get_or_insert_with(|| code_blocks(text));
            let levels = context(text, blocks, &whole.range()).map_or(0, |(levels, _)| levels);
            let before = text.get(..whole.start()).unwrap_or_default();
            let line = u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX);
            if found.iter().any(|known| known.rule == pattern.rule) {
                continue;
            }
            found.push(Chain {
                rule: pattern.rule.to_owned(),
                severity: Severity::High.lowered(levels),
                threat: pattern.threat,
                path: path.to_owned(),
                line,
                says: format!("{} ({})", pattern.says, object.as_str()),
                tools: Vec::new(),
            });
        }
    }
    found
}

fn has_any(text: &str, parts: &[&str]) -> bool {
    let lower = text.to_lowercase();
    parts.iter().any(|part| lower.contains(part))
}

fn object<'t>(found: &Captures<'t>) -> &'t str {
    found.get(1).map_or("", |object| object.as_str())
}

/// Whether an address is one of the author: no placeholder and no address of documentation.
fn is_fixed(_: &str, found: &Captures<'_>) -> bool {
    !has_any(object(found), &STANDS_FOR)
}

/// Whether a name is one of the author: names in capital letters are placeholders.
fn is_name(found: &Captures<'_>) -> bool {
    let name = object(found);
    name.chars().any(char::is_lowercase) && !has_any(name, &STANDS_FOR)
}

/// Names of the cluster itself.
fn is_system(found: &Captures<'_>) -> bool {
    let name = object(found);
    name.starts_with("system:") && !name.ends_with("authenticated") && name != "system:anonymous"
}

/// A path of the interface in documentation goes on behind the name.
fn is_aside(around: &str, found: &Captures<'_>) -> bool {
    around.contains(&format!("{}/permission", object(found)))
}

/// Whether a number is that of an account, not one that documentation uses.
fn is_account(_: &str, found: &Captures<'_>) -> bool {
    let number = object(found);
    let is_repeated = number.bytes().collect::<std::collections::BTreeSet<_>>().len() <= 2;
    !is_repeated && !SAMPLE_ACCOUNTS.contains(&number)
}

/// Whether the address of an image has a place for content, at a host that draws no images from addresses.
fn carries_content(found: &Captures<'_>) -> bool {
    let host = object(found).to_lowercase();
    let known = |domain: &&str| host == *domain || host.ends_with(&format!(".{domain}"));
    if RENDERERS.iter().any(known) || host.ends_with("example.com") {
        return false;
    }
    let path = found.get(2).map_or("", |path| path.as_str());
    let query = path.split_once('?').map_or("", |(_, query)| query);
    ["{", "<", "%7b", "$", "[", "%s"].iter().any(|mark| query.to_lowercase().contains(mark))
}

#[cfg(test)]
mod tests;
