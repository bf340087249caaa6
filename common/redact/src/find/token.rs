//! Credentials that vendors issue in forms of their own: a prefix and a body. AWS keys, whose secret half
//! has no prefix, are in [`super::aws`].

use super::text::Text;
use super::{Examined, Secret};
use crate::entity::EntityType;

/// One form: a prefix, and behind it a run of bytes of one class and a given length.
pub(super) struct Form {
    /// Case counts.
    pub(super) prefix: &'static str,
    body: Body,
    length: Length,
    /// Whether the prefix is a name that stays readable rather than part of the secret.
    keeps_prefix: bool,
}

#[derive(Clone, Copy)]
enum Body {
    /// Letters and digits.
    Alphanumeric,
    /// Letters, digits, `_` and `-`.
    Word,
    /// Letters, digits, `_` and `-`; one of the first 64 bytes is a digit.
    WordWithDigit,
    /// Letters, digits, `_`, `-` and `.`; a full stop at the end is not part of it.
    Dotted,
    /// The same; one of the first 64 bytes is a digit.
    DottedWithDigit,
    /// Small hexadecimal digits.
    Hex,
    /// Hexadecimal digits of either case.
    AnyHex,
    /// Letters, digits, `+`, `/`, `=`, `%`, `_` and `-`.
    Base64,
    /// The same; one of the first 64 bytes is a digit.
    Base64WithDigit,
    /// Letters, digits, `/`, `_` and `-`: the path of a webhook, whose slashes may be escaped.
    Path,
    /// As a path, with `@`.
    Webhook,
    /// The alphabet of BIP 173, in either case.
    Bech32,
}

#[derive(Clone, Copy)]
enum Length {
    AtLeast(usize),
    Exactly(usize),
}

use Body::{
    Alphanumeric, AnyHex, Base64, Base64WithDigit, Bech32, Dotted, DottedWithDigit, Hex, Path, Webhook, Word,
    WordWithDigit,
};
use Length::{AtLeast, Exactly};

/// Every form, in any order.
pub(super) const FORMS: [Form; 90] = [
    // Ours.
    secret("pal_live_", Alphanumeric, AtLeast(20)),
    // Code hosting and registries.
    secret("ghp_", Alphanumeric, AtLeast(36)),
    secret("gho_", Alphanumeric, AtLeast(36)),
    secret("ghu_", Alphanumeric, AtLeast(36)),
    secret("ghs_", Alphanumeric, AtLeast(36)),
    secret("ghr_", Alphanumeric, AtLeast(36)),
    secret("github_pat_", Word, AtLeast(36)),
    secret("glpat-", Dotted, AtLeast(20)),
    secret("gldt-", Word, AtLeast(20)),
    secret("glrt-", Dotted, AtLeast(20)),
    secret("glptt-", Word, AtLeast(40)),
    secret("glcbt-", Word, AtLeast(20)),
    secret("glsoat-", Word, AtLeast(20)),
    secret("npm_", Alphanumeric, AtLeast(36)),
    secret("pypi-AgE", Word, AtLeast(40)),
    secret("rubygems_", Hex, Exactly(48)),
    secret("dckr_pat_", Word, AtLeast(20)),
    secret("dckr_oat_", Word, AtLeast(20)),
    secret("ATBB", Alphanumeric, AtLeast(28)),
    secret("ATCTT3x", Base64, AtLeast(100)),
    // Chat and mail.
    secret("xoxb-", Word, AtLeast(16)),
    secret("xoxa-", Word, AtLeast(16)),
    secret("xoxp-", Word, AtLeast(16)),
    secret("xoxr-", Word, AtLeast(16)),
    secret("xoxs-", Word, AtLeast(16)),
    secret("xoxe-", Word, AtLeast(16)),
    secret("xoxe.xox", Dotted, AtLeast(16)),
    secret("xoxo-", Word, AtLeast(16)),
    secret("xoxc-", Word, AtLeast(16)),
    secret("xoxd-", Base64, AtLeast(16)),
    secret("xapp-", WordWithDigit, AtLeast(16)),
    behind("hooks.slack.com/services/", Path, AtLeast(20)),
    behind("hooks.slack.com/workflows/", Path, AtLeast(20)),
    behind("hooks.slack.com/triggers/", Path, AtLeast(20)),
    // As JSON may escape slashes.
    behind(r"hooks.slack.com\/services\/", Path, AtLeast(20)),
    behind(r"hooks.slack.com\/workflows\/", Path, AtLeast(20)),
    behind(r"hooks.slack.com\/triggers\/", Path, AtLeast(20)),
    behind(r".office.com\/webhookb2\/", Webhook, AtLeast(40)),
    behind(r".office.com\/webhook\/", Webhook, AtLeast(40)),
    behind("discord.com/api/webhooks/", Path, AtLeast(40)),
    behind("discordapp.com/api/webhooks/", Path, AtLeast(40)),
    behind(".office.com/webhookb2/", Webhook, AtLeast(40)),
    behind(".office.com/webhook/", Webhook, AtLeast(40)),
    secret("key-", Hex, Exactly(32)),
    secret("xkeysib-", Word, AtLeast(64)),
    // Payment and commerce.
    secret("sk_live_", Alphanumeric, AtLeast(16)),
    secret("sk_test_", Alphanumeric, AtLeast(16)),
    secret("rk_live_", Alphanumeric, AtLeast(16)),
    secret("rk_test_", Alphanumeric, AtLeast(16)),
    secret("whsec_", Base64, AtLeast(16)),
    secret("shpat_", AnyHex, Exactly(32)),
    secret("shpca_", AnyHex, Exactly(32)),
    secret("shppa_", AnyHex, Exactly(32)),
    secret("shpss_", AnyHex, Exactly(32)),
    secret("sq0csp-", Word, AtLeast(40)),
    secret("sq0atp-", Word, AtLeast(20)),
    // Clouds and infrastructure.
    secret("AIza", Word, AtLeast(35)),
    secret("ya29.", Dotted, AtLeast(20)),
    secret("GOCSPX-", Word, AtLeast(20)),
    secret("1//0", Word, AtLeast(40)),
    behind("sig=", Base64, AtLeast(40)),
    secret("dop_v1_", Hex, Exactly(64)),
    secret("doo_v1_", Hex, Exactly(64)),
    secret("dor_v1_", Hex, Exactly(64)),
    secret("hvs.", Word, AtLeast(20)),
    secret("hvb.", Word, AtLeast(20)),
    secret("hvr.", Word, AtLeast(20)),
    secret("dapi", Hex, Exactly(32)),
    secret("glsa_", Word, AtLeast(32)),
    secret("NRAK-", Alphanumeric, Exactly(27)),
    secret("sntrys_", Base64, AtLeast(40)),
    secret("ATATT3x", Base64, AtLeast(100)),
    secret("tskey-", WordWithDigit, AtLeast(20)),
    secret("lin_api_", Alphanumeric, Exactly(40)),
    secret("dp.pt.", Alphanumeric, AtLeast(40)),
    secret("dp.ct.", Alphanumeric, AtLeast(40)),
    secret("dp.sa.", Alphanumeric, AtLeast(40)),
    secret("dp.st.", DottedWithDigit, AtLeast(40)),
    secret("dp.scim.", Alphanumeric, AtLeast(40)),
    secret("dp.audit.", Alphanumeric, AtLeast(40)),
    secret("fo1_", WordWithDigit, AtLeast(40)),
    secret("fm1r_", Base64WithDigit, AtLeast(40)),
    secret("fm1a_", Base64WithDigit, AtLeast(40)),
    secret("fm2_", Base64WithDigit, AtLeast(40)),
    secret("HRKU-", WordWithDigit, AtLeast(36)),
    secret("AGE-SECRET-KEY-1", Bech32, Exactly(58)),
    secret("age-secret-key-1", Bech32, Exactly(58)),
    // Models.
    secret("sk-", WordWithDigit, AtLeast(20)),
    secret("hf_", Alphanumeric, AtLeast(30)),
    secret("gsk_", Alphanumeric, AtLeast(40)),
];

/// Start of a key of Twilio, in lower case: with the first digit of its body, because two letters are too short to be
/// searched for. The account id (`AC…`) is an identifier.
pub(super) const TWILIO: [&str; 16] = [
    "sk0", "sk1", "sk2", "sk3", "sk4", "sk5", "sk6", "sk7", "sk8", "sk9", "ska", "skb", "skc", "skd", "ske",
    "skf",
];

/// Keys of Twilio.
pub(super) const TWILIO_FORM: Form = secret("SK", Hex, Exactly(32));

const fn secret(prefix: &'static str, body: Body, length: Length) -> Form {
    Form { prefix, body, length, keeps_prefix: false }
}

const fn behind(prefix: &'static str, body: Body, length: Length) -> Form {
    Form { prefix, body, length, keeps_prefix: true }
}

/// Number of bytes of a body within which a digit stands, where it must have one.
const DIGIT_WITHIN: usize = 64;

/// Examines a form whose prefix may stand at `at`. The run of the body is taken whole: one byte too many
/// is no token of an exact length.
pub(super) fn examine(text: &Text<'_>, at: usize, form: &Form) -> Option<Examined> {
    if !text.has(at, form.prefix.as_bytes()) || !(form.keeps_prefix || text.begins_word(at)) {
        return None;
    }
    let body = at + form.prefix.len();
    if !form.body.has_digit(text, body) {
        return None;
    }
    let most = match form.length {
        AtLeast(_) => usize::MAX,
        Exactly(length) => length + 1,
    };
    let run_end = text.run_at_most(body, most, |byte| form.body.holds(byte));
    let end = match form.body {
        Dotted | DottedWithDigit => text.run_back(run_end, run_end - body, |byte| byte == b'.'),
        // An escape, or the one of a quote behind it.
        Path | Webhook => escape_before(text, body, run_end),
        _ => run_end,
    };
    let fits = match form.length {
        AtLeast(length) => end - body >= length,
        Exactly(length) => end - body == length,
    };
    let start = if form.keeps_prefix { body } else { at };
    let secret = Secret { start, end, entity: EntityType::ApiKey };
    (fits && text.ends_word(end)).then_some(Examined { secret: Some(secret), resume: end })
}

/// Before the first backslash that escapes no slash, or at `end`.
fn escape_before(text: &Text<'_>, start: usize, end: usize) -> usize {
    let body = text.slice(start, end);
    let escapes = memchr::memchr_iter(b'\\', body).find(|at| body.get(at + 1) != Some(&b'/'));
    escapes.map_or(end, |at| start + at)
}

impl Body {
    /// Whether a digit stands early in a body that must have one.
    fn has_digit(self, text: &Text<'_>, start: usize) -> bool {
        if !matches!(self, WordWithDigit | DottedWithDigit | Base64WithDigit) {
            return true;
        }
        let end = text.run_at_most(start, DIGIT_WITHIN, |byte| self.holds(byte) && !byte.is_ascii_digit());
        end < start + DIGIT_WITHIN && text.at(end).is_ascii_digit()
    }

    fn holds(self, byte: u8) -> bool {
        match self {
            Alphanumeric => byte.is_ascii_alphanumeric(),
            Word | WordWithDigit => is_word(byte),
            Dotted | DottedWithDigit => is_word(byte) || byte == b'.',
            Hex => byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'),
            AnyHex => byte.is_ascii_hexdigit(),
            Base64 | Base64WithDigit => is_word(byte) || matches!(byte, b'+' | b'/' | b'=' | b'%'),
            Path => is_word(byte) || matches!(byte, b'/' | b'\\'),
            Webhook => is_word(byte) || matches!(byte, b'/' | b'\\' | b'@'),
            Bech32 => {
                byte.is_ascii_alphanumeric() && !matches!(byte | 0x20, b'b' | b'i' | b'o') && byte != b'1'
            }
        }
    }
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// SendGrid: `SG.`, 22 bytes, `.`, 43 bytes or more.
pub(super) fn examine_sendgrid(text: &Text<'_>, at: usize) -> Option<Secret> {
    let middle = at + 25;
    let begins = text.has(at, b"SG.") && text.begins_word(at) && text.at(middle) == b'.';
    if !begins || text.run_at_most(at + 3, 22, is_word) != middle {
        return None;
    }
    let end = text.run(middle + 1, is_word);
    (end - middle > 43).then_some(Secret { start: at, end, entity: EntityType::ApiKey })
}

/// Discord bots: an id in base64 (24 to 28 bytes, the first one M, N or O), `.`, 6 bytes, `.`, 27 bytes or
/// more; `dot` is where the first full stop may be.
pub(super) fn examine_discord(text: &Text<'_>, dot: usize) -> Option<Secret> {
    if text.at(dot + 7) != b'.' || text.run_at_most(dot + 1, 7, is_word) != dot + 7 {
        return None;
    }
    let earliest = text.run_back(dot, 28, is_word);
    let latest = dot.checked_sub(24)?;
    let begins = |start: &usize| matches!(text.at(*start), b'M' | b'N' | b'O') && text.begins_word(*start);
    let start = (earliest..=latest).find(begins)?;
    let end = text.run(dot + 8, is_word);
    (end - dot >= 35).then_some(Secret { start, end, entity: EntityType::ApiKey })
}

/// Whether the bytes around a full stop are those that a token of a Discord bot has around its first one.
pub(super) fn may_be_discord(text: &Text<'_>, dot: usize) -> bool {
    text.at(dot) == b'.'
        && text.at(dot + 7) == b'.'
        && text.run_at_most(dot + 1, 7, is_word) == dot + 7
        && text.run_at_most(dot + 8, 27, is_word) == dot + 35
        && dot.checked_sub(24).is_some_and(|start| text.run_back(dot, 24, is_word) == start)
}

/// Whether behind the prefix at `at` stands as much as the shortest body has.
pub(super) fn may_begin(text: &Text<'_>, at: usize, form: &Form) -> bool {
    let (AtLeast(length) | Exactly(length)) = form.length;
    let body = at + form.prefix.len();
    text.has(at, form.prefix.as_bytes())
        && text.run_at_most(body, length, |byte| form.body.holds(byte)) == body + length
}

/// Telegram bots: an id of 8 to 10 digits, `:AA`, 33 bytes or more; `start` is where a run of digits
/// begins. In the paths of the interface, `bot` stands before.
pub(super) fn examine_telegram(text: &Text<'_>, start: usize, digits_end: usize) -> Option<Secret> {
    let begins = text.begins_word(start) || (start >= 3 && text.has(start - 3, b"bot"));
    if !begins || !(8..=10).contains(&(digits_end - start)) || !text.has(digits_end, b":AA") {
        return None;
    }
    let end = text.run(digits_end + 3, is_word);
    (end - digits_end >= 36).then_some(Secret { start, end, entity: EntityType::ApiKey })
}
