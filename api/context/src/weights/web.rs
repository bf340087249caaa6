//! Checks of web pages.

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
pub(crate) static ALLOWED: Spec =
    identity("web.allowed", "A list of the operator allows the domain").worth(20);
pub(crate) static BLOCKED: Spec =
    identity("web.blocked", "A list of the operator blocks the domain").threat(MaliciousRedirect, High);
pub(crate) static PAGE: Spec = content("web.page", "The page is read").required();
pub(crate) static REDIRECTS: Spec =
    behavior("web.redirects", "Redirects lead to another domain, to http or to an IP address")
        .threat(MaliciousRedirect, Medium);
pub(crate) static FORM: Spec = behavior(
    "web.credential_form",
    "Credentials are sent to another domain, or asked for in the name of a brand",
)
.threat(Phishing, High);
pub(crate) static CLOAKING: Spec =
    behavior("web.cloaking", "Another program gets another page").threat(ThreatType::Cloaking, Medium);
pub(crate) static DOWNLOAD: Spec = behavior("web.download", "The page is a download").worth(-10);
pub(crate) static SCRIPT: Spec =
    content("web.packed_script", "A script unpacks code or a file from a string").threat(Obfuscation, Medium);
pub(crate) static LINKED: Spec =
    content("web.linked_pages", "Pages of the same domain give orders to the agent")
        .threat(PromptInjection, Medium);

/// All of them, in the order of results.
pub static ALL: [&Spec; 17] = [
    &DNS, &TLS, &AGE, &MX, &CAA, &HSTS, &LOOKALIKE, &MIXED, &ALLOWED, &BLOCKED, &PAGE, &REDIRECTS, &FORM,
    &CLOAKING, &DOWNLOAD, &SCRIPT, &LINKED,
];
