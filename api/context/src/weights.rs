//! Every check with its weight: the one place where results are balanced. Raise [`SCORE_VERSION`] with any change here, so that
//! stored results count as stale.

use crate::artifact::{Origin, Severity, ThreatType};
use crate::check::{Spec, behavior, content, identity};
use Severity::{Critical, High, Low, Medium};
use ThreatType::{
    BrandImpersonation, CredentialHarvesting, InstallAttack, MaliciousRedirect, Obfuscation, Phishing,
    PromptInjection, SocialEngineering,
};

/// Version of checks and weights.
pub const SCORE_VERSION: &str = "2026-11-27";

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

    /// All of them, in the order of results.
    pub static ALL: [&Spec; 8] =
        [&TARGET, &LOOKALIKE, &MIXED, &ADDRESS, &USERINFO, &SCHEME, &SHORTENER, &EXECUTABLE];
}

/// Checks of mails. Where signatures cannot be checked, a result is never better than `caution`.
pub mod email {
    use super::*;

    pub(crate) static DKIM: Spec =
        identity("email.dkim", "A valid signature of a domain (RFC 6376)").worth(20).required();
    pub(crate) static DMARC: Spec =
        identity("email.dmarc", "The domain of From is authenticated (RFC 7489)").worth(20).required();
    pub(crate) static SPF: Spec =
        identity("email.spf", "A permitted host delivered to a configured relay (RFC 7208)").worth(5);
    pub(crate) static ARC: Spec =
        identity("email.arc", "A configured intermediary vouches for the mail (RFC 8617)").worth(10);
    pub(crate) static FROM: Spec = identity("email.from", "From names exactly one mailbox").worth(-25);
    pub(crate) static REPLY_TO: Spec =
        identity("email.reply_to", "Replies go to the domain of From").worth(-15);
    pub(crate) static RETURN_PATH: Spec =
        identity("email.return_path", "Bounces go to the domain of From").worth(-5);
    pub(crate) static DISPLAY_NAME: Spec =
        identity("email.display_name", "The display name shows another address or a brand")
            .threat(BrandImpersonation, High);
    pub(crate) static LOOKALIKE: Spec =
        identity("email.lookalike", "The domain of From resembles that of a brand")
            .threat(BrandImpersonation, High);
    pub(crate) static EXECUTABLE: Spec =
        behavior("email.attachment_executable", "A program is attached").threat(InstallAttack, High);
    pub(crate) static MACRO: Spec =
        behavior("email.attachment_macro", "A document with macros is attached").threat(Phishing, Medium);
    pub(crate) static HTML: Spec =
        behavior("email.attachment_html", "A web page is attached").threat(Phishing, Medium);
    pub(crate) static ARCHIVE: Spec =
        behavior("email.attachment_archive", "An archive is attached").threat(Obfuscation, Low);
    pub(crate) static IMAGE_ONLY: Spec =
        content("email.image_only", "Images stand in place of text").worth(-20);

    /// All of them, in the order of results.
    pub static ALL: [&Spec; 14] = [
        &DKIM,
        &DMARC,
        &SPF,
        &ARC,
        &FROM,
        &REPLY_TO,
        &RETURN_PATH,
        &DISPLAY_NAME,
        &LOOKALIKE,
        &EXECUTABLE,
        &MACRO,
        &HTML,
        &ARCHIVE,
        &IMAGE_ONLY,
    ];
}

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
        behavior("file.active", "The document contains scripts").threat(InstallAttack, Medium);

    /// All of them, in the order of results.
    pub static ALL: [&Spec; 6] = [&HOST, &LOOKALIKE, &REDIRECTS, &TYPE, &PROGRAM, &ACTIVE];
}

/// Checks of web pages.
pub mod web {
    use super::*;

    /// Points that a domain loses in its first days and weeks.
    pub(crate) const DAYS_OLD: i16 = 30;
    pub(crate) const WEEKS_OLD: i16 = 15;

    pub(crate) static DNS: Spec = identity("web.dns", "The host has an address").worth(5).required();
    pub(crate) static TLS: Spec = identity("web.tls", "The host has a valid certificate")
        .threat(ThreatType::TlsConnectionFailed, High)
        .worth(10)
        .required();
    pub(crate) static AGE: Spec = identity("web.domain_age", "The domain is older than two years").worth(25);
    pub(crate) static MX: Spec = identity("web.mx", "The domain receives mail").worth(3);
    pub(crate) static CAA: Spec =
        identity("web.caa", "The domain restricts its certificate authorities").worth(3);
    pub(crate) static HSTS: Spec = identity("web.hsts", "The site requires TLS (RFC 6797)").worth(4);
    pub(crate) static LOOKALIKE: Spec =
        identity("web.lookalike", "The domain resembles that of a brand").threat(BrandImpersonation, High);
    pub(crate) static MIXED: Spec =
        identity("web.mixed_script", "The host name mixes scripts").threat(BrandImpersonation, High);
    pub(crate) static PAGE: Spec = content("web.page", "The page is read").required();
    pub(crate) static REDIRECTS: Spec =
        behavior("web.redirects", "Redirects lead to another domain, to http or to an IP address")
            .threat(MaliciousRedirect, Medium);
    pub(crate) static FORM: Spec =
        behavior("web.credential_form", "A form with a password is sent to another domain")
            .threat(Phishing, High);
    pub(crate) static CLOAKING: Spec =
        behavior("web.cloaking", "Another program gets another page").threat(ThreatType::Cloaking, Medium);
    pub(crate) static DOWNLOAD: Spec = behavior("web.download", "The page is a download").worth(-10);

    /// All of them, in the order of results.
    pub static ALL: [&Spec; 13] = [
        &DNS, &TLS, &AGE, &MX, &CAA, &HSTS, &LOOKALIKE, &MIXED, &PAGE, &REDIRECTS, &FORM, &CLOAKING,
        &DOWNLOAD,
    ];
}

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
        let all = [&text::ALL[..], &links::ALL, &email::ALL, &file::ALL, &web::ALL].concat();
        let ids: std::collections::BTreeSet<&str> = all.iter().map(|spec| spec.id).collect();
        assert_eq!(ids.len(), all.len());
        for spec in all {
            assert!(!spec.about.is_empty(), "{}", spec.id);
            assert!(spec.points != 0 || spec.threat.is_some() || spec.is_required, "{}", spec.id);
        }
    }
}
