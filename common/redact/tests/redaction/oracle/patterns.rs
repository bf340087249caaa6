//! The regular expressions.

use regex::bytes::Regex;

use super::{PLACEHOLDER, regex};

pub(super) struct Patterns {
    pub(super) boundary: Regex,
    pub(super) escape: Regex,
    pub(super) jwt: Regex,
    pub(super) private_key: Regex,
    pub(super) card: Vec<Regex>,
    pub(super) issuer: Regex,
    pub(super) iban: Regex,
    pub(super) ssn: Regex,
    pub(super) named_ssn: Regex,
    pub(super) discord: Regex,
    pub(super) telegram: Regex,
    pub(super) sendgrid: Regex,
    pub(super) aws: Regex,
    pub(super) url: Regex,
    pub(super) bearer: Regex,
    pub(super) name: Regex,
    pub(super) separator: Regex,
    pub(super) sensitive: Regex,
    pub(super) weak: Regex,
    pub(super) exempt: Regex,
    pub(super) part: Regex,
    pub(super) placeholder: Regex,
    pub(super) placeholder_begins: Regex,
    pub(super) next_pair: Regex,
    pub(super) scheme: Regex,
    pub(super) crumb: Regex,
    pub(super) attribute: Regex,
    pub(super) email: Regex,
    pub(super) international: Regex,
    pub(super) american: Regex,
}

/// The forms of vendors: the pattern, and how many of its first bytes are not part of the secret.
pub(super) fn token_patterns() -> Vec<(Regex, usize)> {
    let whole = [
        "pal_live_[A-Za-z0-9]{20,}",
        "gh[pousr]_[A-Za-z0-9]{36,}",
        "github_pat_[A-Za-z0-9_-]{36,}",
        "gl(?:pat|rt)-[A-Za-z0-9_.-]{20,}",
        "gl(?:dt|cbt|soat)-[A-Za-z0-9_-]{20,}",
        "glptt-[A-Za-z0-9_-]{40,}",
        "npm_[A-Za-z0-9]{36,}",
        "pypi-AgE[A-Za-z0-9_-]{40,}",
        "rubygems_[a-f0-9]{48}",
        "dckr_[op]at_[A-Za-z0-9_-]{20,}",
        "xox[baprseoc]-[A-Za-z0-9_-]{16,}",
        r"xoxe\.xox[A-Za-z0-9_.-]{16,}",
        "xoxd-[A-Za-z0-9_+/=%-]{16,}",
        "xapp-[A-Za-z0-9_-]{16,}",
        "key-[a-f0-9]{32}",
        "xkeysib-[A-Za-z0-9_-]{64,}",
        "[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
        "whsec_[A-Za-z0-9_+/=%-]{16,}",
        "shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}",
        "sq0csp-[A-Za-z0-9_-]{40,}",
        "sq0atp-[A-Za-z0-9_-]{20,}",
        "AIza[A-Za-z0-9_-]{35,}",
        r"ya29\.[A-Za-z0-9_.-]{20,}",
        "GOCSPX-[A-Za-z0-9_-]{20,}",
        "1//0[A-Za-z0-9_-]{40,}",
        "do[opr]_v1_[a-f0-9]{64}",
        r"hv[sbr]\.[A-Za-z0-9_-]{20,}",
        "dapi[a-f0-9]{32}",
        "glsa_[A-Za-z0-9_-]{32,}",
        "NRAK-[A-Za-z0-9]{27}",
        "sntrys_[A-Za-z0-9_+/=%-]{40,}",
        "ATATT3x[A-Za-z0-9_+/=%-]{100,}",
        "lin_api_[A-Za-z0-9]{40}",
        "hf_[A-Za-z0-9]{30,}",
        "gsk_[A-Za-z0-9]{40,}",
        "SK[a-f0-9]{32}",
    ];
    let kept = [
        ("hooks.slack.com/services/", "[A-Za-z0-9_/-]{20,}"),
        ("hooks.slack.com/workflows/", "[A-Za-z0-9_/-]{20,}"),
        ("hooks.slack.com/triggers/", "[A-Za-z0-9_/-]{20,}"),
        ("discord.com/api/webhooks/", "[A-Za-z0-9_/-]{40,}"),
        ("discordapp.com/api/webhooks/", "[A-Za-z0-9_/-]{40,}"),
        ("sig=", "[A-Za-z0-9_+/=%-]{40,}"),
    ];
    // Sixty-four bytes hold a digit: either within the run, or none counts.
    let digit = (0..64).map(|letters| {
        format!("[A-Za-z_-]{{{letters}}}[0-9][A-Za-z0-9_-]{{{},}}", 19_usize.saturating_sub(letters))
    });
    let digit = digit.collect::<Vec<_>>().join("|");
    let with_digit = format!("(?:sk-|tskey-)(?:{digit})");
    let whole = whole.iter().map(|pattern| (regex(pattern), 0)).chain([(regex(&with_digit), 0)]);
    let kept = kept.iter().map(|(prefix, body)| (regex(&(regex::escape(prefix) + body)), prefix.len()));
    whole.chain(kept).collect()
}

impl Patterns {
    pub(super) fn new() -> Self {
        let word = "[A-Za-z0-9_-]";
        let card = [
            r"\A[0-9]{13,19}",
            r"\A[0-9]{4}(?: [0-9]{4}){3}",
            r"\A[0-9]{4}(?:-[0-9]{4}){3}",
            r"\A[0-9]{4}(?: [0-9]{4}){3} [0-9]{3}",
            r"\A[0-9]{4}(?:-[0-9]{4}){3}-[0-9]{3}",
            r"\A[0-9]{4} [0-9]{6} [0-9]{5}",
            r"\A[0-9]{4}-[0-9]{6}-[0-9]{5}",
            r"\A[0-9]{4} [0-9]{6} [0-9]{4}",
            r"\A[0-9]{4}-[0-9]{6}-[0-9]{4}",
        ];
        let begins_placeholder = [r"\*\*\*|", PLACEHOLDER, r"|\$\{|\$\(|\{\{|%\{"].concat();
        let exempt = "access.key.id|principal.id|user.name|user|user.id|user.arn|arn|account.id|trace.id|span.id|\
            request.id|correlation.id|event.id|token.type|terminal.session.id|logon.id|logon.guid|process.guid|chpasswd";
        Self {
            boundary: regex(r"(?:[^A-Za-z0-9]|\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4})\z"),
            escape: regex(r"\A(?:\\[nrtbf]|%25[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4})"),
            jwt: regex(&format!(r"eyJ[h0r4ljq6p]{word}{{8,}}\.{word}{{12,}}(?:\.{word}+){{0,3}}")),
            private_key: regex(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"),
            card: card.iter().map(|pattern| regex(pattern)).collect(),
            issuer: regex(
                r"\A(?:4(?:.{12}|.{15}|.{18})|3[47].{13}|5[1-5].{14}|(?:222[1-9]|22[3-9].|2[3-6]..|27[01].|2720).{12}|(?:3[689]..|30[0-5].|3095).{10,15}|(?:352[89]|35[3-8].|6011|220[0-4]|6[25]..|64[4-9].).{12,15}|(?:5018|5020|5038|5893|6304|6759|676[123]).{9,15})\z",
            ),
            iban: regex("[A-Z]{2}[0-9]{2}[A-Z0-9 ]{0,40}"),
            ssn: regex("[0-9]{3}-[0-9]{2}-[0-9]{4}"),
            named_ssn: regex(
                r#"(?i:(ssn|social[ _-]security)(?:[ _-]?(?:number|num|no))?)[ :="'\\#.(]{1,6}([0-9]{9}|[0-9]{3} [0-9]{2} [0-9]{4})"#,
            ),
            discord: regex(&format!(r"[MNO]{word}{{23,27}}\.{word}{{6}}\.{word}{{27,}}")),
            telegram: regex(&format!("[0-9]{{8,10}}:AA{word}{{33,}}")),
            sendgrid: regex(&format!(r"SG\.{word}{{22}}\.{word}{{43,}}")),
            aws: regex(
                r#"((?:AKIA|ASIA)[A-Z0-9]{16}|(?i:secret[ _.-]?(?:access[ _.-]?)?key))(?:[A-Za-z\s:,;="'\\|_.>-]*[\s:,;="'\\|_.>-])?([A-Za-z0-9/+]{40})"#,
            ),
            url: regex(r#"[A-Za-z0-9]://[^\x00-\x20\x7f/?#"'`\\:@]*:([^\x00-\x20\x7f/?#"'`\\]+)@"#),
            bearer: regex("(?i:bearer )([A-Za-z0-9._~+/=-]+)"),
            name: regex("[A-Za-z0-9_.-]+"),
            separator: regex(
                r#"\A(?:\\{0,7}["'`])?(?:\]|%5[Dd])?[ \t]{0,16}(=>|:=|=|:)([ \t]{0,16})(?:\[[ \t]{0,16})?"#,
            ),
            sensitive: regex(
                r"(?:password|passwd|passphrase|passcode|apikey|authkey|secretkey|secretaccesskey|sharedaccesskey|accountkey|privatekey|encryptionkey|signingkey|clientsecret|accesstoken|refreshtoken|authtoken|sessiontoken|securitytoken|bearertoken|sessionid|sessionkey|sessid|secretkeybase)\z",
            ),
            weak: regex(r"\A(?:pwd|secret|token|idtoken|credentials?|amzsignature|googsignature)\z"),
            exempt: regex(&format!(r"(?:\A|\.)(?:{})\z", exempt.replace('.', r"\.?"))),
            part: regex(
                "(?i:pass|pwd|secret|token|credential|sess|private|api[_.-]?key|auth[_-]?key|account[_-]?key|shared_?access|encryption|signing|amz[_-]signature|goog[_-]signature)",
            ),
            placeholder_begins: regex(&[r"\A(?:", &begins_placeholder, ")"].concat()),
            placeholder: regex(
                &[r"\A(?:", &begins_placeholder, r"|<[A-Za-z0-9_. *-]*>\z|\$[A-Z][A-Z0-9_]*\z|%[A-Z][A-Z0-9_]*%\z|[\[(<{]?(?i:null|nil|none|undefined|true|false|redacted|filtered|masked|hidden|removed|omitted)[\])>}]?\z)"].concat(),
            ),
            next_pair: regex(r#"\A[A-Za-z0-9_.-]{1,32}=[^\x00-\x20\x7f"'`,;&)\]}=]"#),
            scheme: regex(
                r"\A(?:((?i:basic|bearer|token|apikey|api-key|key|negotiate|ntlm|kerberos|bot|dpop|ssws|sharedkey|sharedkeylite|genie-key|aws))|((?i:digest|hawk|oauth|mac|signature|scram-sha-1|scram-sha-256))|(?i:aws4-hmac-sha256))[ \t]{1,4}",
            ),
            crumb: regex(r"\A([A-Za-z0-9_.!$%*+~|-]{1,256})"),
            attribute: regex(r"\A(?i:path|domain|expires|max-age|samesite|version|priority|comment|port)\z"),
            email: regex(r"\A@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}\z"),
            international: regex(r"\+[0-9](?:[ .()-]{0,2}[0-9])*"),
            american: regex(
                r"(?:\([2-9][0-9]{2}\) ?[2-9][0-9]{2}-[0-9]{4}|[2-9][0-9]{2}[.-][2-9][0-9]{2}[.-][0-9]{4})",
            ),
        }
    }
}
