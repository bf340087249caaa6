//! Checks of mails. Where signatures cannot be checked, a result is never better than `caution`.

use super::*;

pub(crate) static DKIM: Spec =
    identity("email.dkim", "A valid signature of a domain (RFC 6376)").worth(20).required();
pub(crate) static DMARC: Spec =
    identity("email.dmarc", "The domain of From is authenticated (RFC 9989)").worth(20).required();
pub(crate) static SPF: Spec =
    identity("email.spf", "A permitted host delivered to a configured relay (RFC 7208)").worth(5);
pub(crate) static ARC: Spec =
    identity("email.arc", "A configured intermediary vouches for the mail (RFC 8617)").worth(10);
pub(crate) static FROM: Spec = identity("email.from", "From names exactly one mailbox").worth(-25);
pub(crate) static REPLY_TO: Spec = identity("email.reply_to", "Replies go to the domain of From").worth(-15);
pub(crate) static RETURN_PATH: Spec =
    identity("email.return_path", "Bounces go to the domain of From").worth(-5);
pub(crate) static DISPLAY_NAME: Spec =
    identity("email.display_name", "The display name shows another address or a brand")
        .threat(BrandImpersonation, High);
pub(crate) static LOOKALIKE: Spec =
    identity("email.lookalike", "The domain of From resembles that of a brand")
        .threat(BrandImpersonation, High);
pub(crate) static ALLOWED: Spec =
    identity("email.allowed", "A list of the operator allows the domain of From, which is authenticated")
        .worth(20);
pub(crate) static BLOCKED: Spec =
    identity("email.blocked", "A list of the operator blocks the domain of From").threat(Phishing, High);
pub(crate) static EXECUTABLE: Spec =
    behavior("email.attachment_executable", "A program is attached").threat(InstallAttack, High);
pub(crate) static ACTIVE: Spec =
    behavior("email.attachment_macro", "A document with macros, actions or scripts is attached")
        .threat(InstallAttack, Medium);
pub(crate) static HTML: Spec =
    behavior("email.attachment_html", "A web page is attached").threat(Phishing, Medium);
pub(crate) static FORM: Spec =
    behavior("email.credential_form", "A form asks for a password, a code or card data")
        .threat(Phishing, High);
pub(crate) static SCRIPT: Spec =
    behavior("email.packed_script", "A script unpacks code or a file from a string")
        .threat(Obfuscation, High);
pub(crate) static ARCHIVE: Spec =
    behavior("email.attachment_archive", "An archive is attached").threat(Obfuscation, Low);
pub(crate) static TYPE: Spec =
    behavior("email.attachment_type", "An attachment is of another kind than its name or type states")
        .threat(Obfuscation, Medium);
pub(crate) static IMAGE_ONLY: Spec = content("email.image_only", "Images stand in place of text").worth(-20);

/// All of them, in the order of results.
pub static ALL: [&Spec; 19] = [
    &DKIM,
    &DMARC,
    &SPF,
    &ARC,
    &FROM,
    &REPLY_TO,
    &RETURN_PATH,
    &DISPLAY_NAME,
    &LOOKALIKE,
    &ALLOWED,
    &BLOCKED,
    &EXECUTABLE,
    &ACTIVE,
    &HTML,
    &FORM,
    &SCRIPT,
    &ARCHIVE,
    &TYPE,
    &IMAGE_ONLY,
];
