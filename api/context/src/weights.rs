//! Every check with its weight: the one place where results are balanced. Raise [`SCORE_VERSION`] with any change here, so that
//! stored results count as stale.

mod repositories;

pub use repositories::{mcp, repository, skill};

use crate::artifact::{Origin, Severity, ThreatType};
use crate::check::{Spec, behavior, content, identity};
use Severity::{Critical, High, Low, Medium};
use ThreatType::{
    BrandImpersonation, CredentialHarvesting, InstallAttack, MaliciousRedirect, Obfuscation, Phishing,
    PromptInjection, SocialEngineering,
};

pub mod package;

/// Version of checks and weights.
pub const SCORE_VERSION: &str = "2026-11-28.3";

/// Highest score with a critical threat.
pub(crate) const CAP_CRITICAL: u8 = 15;
/// Highest score with two kinds of high threats.
pub(crate) const CAP_SEVERAL_HIGH: u8 = 19;
/// Highest score with one kind of high threat.
pub(crate) const CAP_HIGH: u8 = 39;
/// Highest score with a medium threat.
pub(crate) const CAP_MEDIUM: u8 = 69;

/// Percentages of identity, behavior and content in the score; none where the origin is not scored on it.
pub(crate) fn of(origin: Origin) -> [Option<u8>; 3] {
    match origin {
        Origin::WebPage => [Some(35), Some(25), Some(40)],
        Origin::Email => [Some(40), Some(15), Some(45)],
        Origin::Message => [None, Some(40), Some(60)],
        Origin::File => [Some(20), Some(30), Some(50)],
        Origin::Skill => [Some(30), Some(30), Some(40)],
        Origin::Mcp => [Some(20), Some(30), Some(50)],
        Origin::Package => [Some(25), Some(40), Some(35)],
    }
}

/// The checks of public content of an origin; none for content that is scanned where it was received.
pub(crate) fn checks(origin: Origin) -> Vec<&'static Spec> {
    let shared = || repository::ALL.into_iter().chain(text::OF_AGENTS);
    match origin {
        Origin::WebPage => web::ALL.into_iter().chain(text::ALL).chain(links::ALL).collect(),
        Origin::Package => package::ALL.into_iter().chain(text::OF_AGENTS).collect(),
        Origin::Skill => shared().chain(skill::ALL).collect(),
        Origin::Mcp => shared().chain(mcp::ALL).collect(),
        Origin::Email | Origin::Message | Origin::File => Vec::new(),
    }
}

/// Points of a threat whose check has none of its own.
pub(crate) const fn points_of(severity: Severity) -> i16 {
    match severity {
        Critical => 100,
        High => 60,
        Medium => 30,
        Low => 10,
    }
}

/// Checks of text.
pub mod text {
    use super::*;

    pub(crate) static READ: Spec = content("text.read", "All text is read").required();
    pub(crate) static INJECTION: Spec =
        content("text.injection", "Text gives orders to the agent that reads it")
            .threat(PromptInjection, High);
    pub(crate) static HIDDEN_INJECTION: Spec =
        content("text.hidden_injection", "Text that no reader sees gives orders to the agent")
            .threat(PromptInjection, Critical);
    pub(crate) static ENCODED_INJECTION: Spec =
        content("text.encoded_injection", "Encoded text gives orders to the agent")
            .threat(PromptInjection, High);
    pub(crate) static INVISIBLE: Spec = content(
        "text.invisible_characters",
        "Characters without width, of the block of tags, or that reverse text",
    )
    .threat(Obfuscation, Medium);
    pub(crate) static PRETEXT: Spec =
        content("text.pretext", "A pretext with pressure: account, delivery, prize, invoice, authority")
            .threat(Phishing, High);
    pub(crate) static CREDENTIALS: Spec =
        content("text.credential_request", "Requests for passwords, codes or card data")
            .threat(CredentialHarvesting, Medium);
    pub(crate) static PAYMENT: Spec =
        content("text.payment_request", "Requests for gift cards, transfers or payments to a new account")
            .threat(SocialEngineering, Medium);
    pub(crate) static URGENCY: Spec = content("text.urgency", "Deadlines with consequences").worth(-5);
    pub(crate) static RUN: Spec =
        behavior("text.run_request", "Requests to run commands, enable macros or install remote control")
            .threat(SocialEngineering, High);
    pub(crate) static SWITCH: Spec =
        behavior("text.channel_switch", "Requests to continue on another channel").worth(-10);

    /// Those of text that an agent reads beside code.
    pub(crate) static OF_AGENTS: [&Spec; 5] =
        [&READ, &INJECTION, &HIDDEN_INJECTION, &ENCODED_INJECTION, &INVISIBLE];

    /// All of them, in the order of results.
    pub static ALL: [&Spec; 11] = [
        &READ,
        &INJECTION,
        &HIDDEN_INJECTION,
        &ENCODED_INJECTION,
        &INVISIBLE,
        &PRETEXT,
        &CREDENTIALS,
        &PAYMENT,
        &URGENCY,
        &RUN,
        &SWITCH,
    ];
}

/// Checks of links. Links are read, not followed.
pub mod links {
    use super::*;

    pub(crate) static TARGET: Spec =
        behavior("links.text_mismatch", "The text of a link shows another domain than its target")
            .threat(MaliciousRedirect, Medium);
    pub(crate) static LOOKALIKE: Spec =
        behavior("links.lookalike", "A domain that resembles that of a brand")
            .threat(BrandImpersonation, High);
    pub(crate) static MIXED: Spec =
        behavior("links.mixed_script", "A host name that mixes scripts").threat(BrandImpersonation, High);
    pub(crate) static ADDRESS: Spec =
        behavior("links.ip_address", "A public IP address in place of a host name").threat(Phishing, Medium);
    pub(crate) static USERINFO: Spec =
        behavior("links.userinfo", "A user name before the host, which can look like the host")
            .threat(MaliciousRedirect, Medium);
    pub(crate) static SCHEME: Spec = behavior("links.scheme", "A target that is executed instead of opened")
        .threat(MaliciousRedirect, High);
    pub(crate) static SHORTENER: Spec =
        behavior("links.shortener", "A service that hides the target").worth(-10);
    pub(crate) static EXECUTABLE: Spec =
        behavior("links.executable", "The target is a program").threat(InstallAttack, Medium);
    pub(crate) static BLOCKED: Spec =
        behavior("links.blocked", "A list of the operator blocks the domain").threat(MaliciousRedirect, High);

    /// All of them, in the order of results.
    pub static ALL: [&Spec; 9] =
        [&TARGET, &LOOKALIKE, &MIXED, &ADDRESS, &USERINFO, &SCHEME, &SHORTENER, &EXECUTABLE, &BLOCKED];
}

pub mod email;

/// Checks of files behind a URL.
pub mod file {
    use super::*;

    pub(crate) static HOST: Spec = identity("file.tls", "The host has a valid certificate").worth(15);
    pub(crate) static LOOKALIKE: Spec =
        identity("file.lookalike", "The domain of the host resembles that of a brand")
            .threat(BrandImpersonation, High);
    pub(crate) static REDIRECTS: Spec =
        behavior("file.redirects", "The download leads to another domain").worth(-10);
    pub(crate) static TYPE: Spec =
        behavior("file.type", "The content is of another type than it is said to be")
            .threat(Obfuscation, Medium);
    pub(crate) static PROGRAM: Spec =
        behavior("file.program", "The file is a program").threat(InstallAttack, High);
    pub(crate) static ACTIVE: Spec =
        behavior("file.active", "The document contains macros, actions or scripts")
            .threat(InstallAttack, Medium);
    pub(crate) static FORM: Spec =
        behavior("file.credential_form", "A form asks for a password, a code or card data")
            .threat(Phishing, Medium);
    pub(crate) static SCRIPT: Spec =
        behavior("file.packed_script", "A script unpacks code or a file from a string")
            .threat(Obfuscation, High);
    pub(crate) static ARCHIVE: Spec =
        behavior("file.archive", "An archive hides files").threat(Obfuscation, Medium);

    /// All of them, in the order of results.
    pub static ALL: [&Spec; 9] =
        [&HOST, &LOOKALIKE, &REDIRECTS, &TYPE, &PROGRAM, &ACTIVE, &FORM, &SCRIPT, &ARCHIVE];
}

pub mod web;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_each_origin_are_a_whole() {
        for origin in Origin::ALL {
            let sum: u32 = of(origin).into_iter().flatten().map(u32::from).sum();
            assert_eq!(sum, 100, "{origin:?}");
        }
    }

    #[test]
    fn checks_have_different_names_a_purpose_and_an_effect() {
        let all = [&text::ALL[..], &links::ALL, &email::ALL, &file::ALL, &web::ALL, &package::ALL];
        let all = [&all.concat()[..], &repository::ALL, &skill::ALL, &mcp::ALL].concat();
        let ids: std::collections::BTreeSet<&str> = all.iter().map(|spec| spec.id).collect();
        assert_eq!(ids.len(), all.len());
        for spec in all {
            assert!(!spec.about.is_empty(), "{}", spec.id);
            assert!(spec.points != 0 || spec.threat.is_some() || spec.is_required, "{}", spec.id);
        }
    }
}
