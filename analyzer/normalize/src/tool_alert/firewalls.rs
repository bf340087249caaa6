//! Logs of web application firewalls: AWS WAF, Cloudflare's firewall events, audit logs of ModSecurity 2 and 3. Each
//! record is about one request, so it becomes an action on that request, as error lines do, and counts with them.

use std::borrow::Cow;

use sigma::event::Value;

use super::lookup::{equals, find, first_text};
use crate::address;
use crate::presence::{Presence, hash};
use crate::reading::{Outcome, Reading, source};
use crate::record::Entries;
use crate::word_list::words;

const AWS: u32 = hash(b"webaclId");
const CLOUDFLARE: u32 = hash(b"RayID");
const MODSECURITY: u32 = hash(b"transaction");
const F5: u32 = hash(b"request_status");
/// One of which each record of a firewall has.
pub(super) const GATES: [u32; 4] = [AWS, CLOUDFLARE, MODSECURITY, F5];

/// Words in rules of managed rule sets, and the class of attack that they look for.
const CLASSES: [(&str, &str); 20] = [
    ("sqli", "attack-sqli"),
    ("sql injection", "attack-sqli"),
    ("sql-injection", "attack-sqli"),
    ("sql_injection", "attack-sqli"),
    ("crosssitescripting", "attack-xss"),
    ("xss", "attack-xss"),
    ("cross site scripting", "attack-xss"),
    ("lfi", "attack-lfi"),
    ("traversal", "attack-lfi"),
    ("rfi_", "attack-rfi"),
    ("file inclusion", "attack-rfi"),
    ("ssrf", "attack-ssrf"),
    ("log4j", "attack-rce"),
    ("deserialization", "attack-rce"),
    ("command injection", "attack-rce"),
    ("command execution", "attack-rce"),
    ("server side code injection", "attack-rce"),
    ("remote code", "attack-rce"),
    ("_rce", "attack-rce"),
    ("rce -", "attack-rce"),
];

/// Action of a firewall.
struct Decision<'a> {
    tool: &'static str,
    action: &'static str,
    client: Option<Cow<'a, str>>,
    request: Option<Cow<'a, str>>,
    path: Option<Cow<'a, str>>,
    rule: Option<Cow<'a, str>>,
    class: Option<&'static str>,
}

/// Reads a record; returns whether it was a firewall's.
pub(super) fn read<'a>(fields: &Entries<'a>, presence: &Presence, reading: &mut Reading<'a>) -> bool {
    let decision = if presence.has_hash(AWS) {
        aws(fields)
    } else if presence.has_hash(CLOUDFLARE) {
        cloudflare(fields)
    } else if presence.has_hash(MODSECURITY) {
        modsecurity(fields)
    } else if presence.has_hash(F5) {
        f5(fields)
    } else {
        None
    };
    let Some(decision) = decision else { return false };
    decision.add_to(reading);
    true
}

impl<'a> Decision<'a> {
    fn add_to(self, reading: &mut Reading<'a>) {
        let known = std::mem::take(reading);
        let outcome = (self.action != "request_flagged").then_some(Outcome::Failure);
        if !self.action.is_empty() {
            reading.action(self.action, outcome);
        }
        reading.text("alert.tool", self.tool);
        if let Some(address) = self.client {
            reading.push("client.address", Value::String(address::plain(&address)));
        }
        for (name, text) in
            [("http.request.id", self.request), ("url.path", self.path), ("rule.name", self.rule)]
        {
            if let Some(text) = text {
                reading.push(name, Value::String(text));
            }
        }
        if let Some(class) = self.class {
            reading.text("rule.category", class);
        }
        reading.append(known);
        let product = Some(self.tool).filter(|tool| *tool == "cloudflare");
        reading.log_source = source(product, Some("webserver"), Some(self.tool));
    }
}

fn class(rule: &str) -> Option<&'static str> {
    let rule = rule.to_ascii_lowercase();
    CLASSES.iter().find(|(word, _)| rule.contains(word)).map(|(_, class)| *class)
}

fn aws<'a>(fields: &Entries<'a>) -> Option<Decision<'a>> {
    find(fields, "httpRequest.clientIp")?;
    let is = |path: &str, words: &[&str]| find(fields, path).is_some_and(|value| equals(value, words));
    let action = if !is("action", &["BLOCK", "CAPTCHA", "CHALLENGE"]) {
        ""
    } else if is("terminatingRuleType", &["RATE_BASED"]) {
        "request_rate_limited"
    } else {
        "request_blocked"
    };
    let own = first_text(fields, &["terminatingRuleId"]);
    // The rule of a managed group is more specific.
    let inner = first_text(fields, &["ruleGroupList.terminatingRule.ruleId"]);
    let class = inner.as_deref().and_then(class).or_else(|| class(own.as_deref()?));
    Some(Decision {
        tool: "aws_waf",
        action,
        client: first_text(fields, &["httpRequest.clientIp"]),
        request: first_text(fields, &["httpRequest.requestId"]),
        path: first_text(fields, &["httpRequest.uri"]),
        rule: inner.or(own),
        class,
    })
}

fn cloudflare<'a>(fields: &Entries<'a>) -> Option<Decision<'a>> {
    let decided = find(fields, "Action")?;
    find(fields, "RuleID")?;
    let action = if equals(
        decided,
        &["block", "challenge", "jschallenge", "managed_challenge", "drop", "connectionClose"],
    ) {
        let is_limit = find(fields, "Source").is_some_and(|value| equals(value, &["ratelimit"]));
        if is_limit { "request_rate_limited" } else { "request_blocked" }
    } else if equals(decided, &["log", "simulate"]) {
        "request_flagged"
    } else {
        ""
    };
    let rule = first_text(fields, &["Description", "RuleID"]);
    Some(Decision {
        tool: "cloudflare",
        action,
        client: first_text(fields, &["ClientIP"]),
        request: first_text(fields, &["RayID"]),
        path: first_text(fields, &["ClientRequestPath"]),
        class: rule.as_deref().and_then(class),
        rule,
    })
}

/// BIG-IP's Application Security Manager, logged as named values.
fn f5<'a>(fields: &Entries<'a>) -> Option<Decision<'a>> {
    let names = F5Names {
        client: "ip_client",
        status: "request_status",
        request: "support_id",
        path: "uri",
        attack: "attack_type",
        rule: &["sig_names", "violations"],
    };
    find(fields, "violations")?;
    f5_decision(fields, &names)
}

/// The same in CEF.
pub(super) fn f5_cef<'a>(fields: &Entries<'a>, reading: &mut Reading<'a>) {
    let names = F5Names {
        client: "src",
        status: "act",
        request: "externalId",
        path: "request",
        attack: "cs4",
        rule: &["cs6", "Name"],
    };
    if let Some(decision) = f5_decision(fields, &names) {
        decision.add_to(reading);
    }
}

/// Names of the fields in one of the formats.
struct F5Names {
    client: &'static str,
    status: &'static str,
    request: &'static str,
    path: &'static str,
    attack: &'static str,
    rule: &'static [&'static str],
}

fn f5_decision<'a>(fields: &Entries<'a>, names: &F5Names) -> Option<Decision<'a>> {
    let is = |words: &[&str]| find(fields, names.status).is_some_and(|value| equals(value, words));
    let action = if is(&["blocked"]) {
        "request_blocked"
    } else if is(&["alerted"]) {
        "request_flagged"
    } else {
        ""
    };
    let attack = first_text(fields, &[names.attack]);
    Some(Decision {
        tool: "f5_asm",
        action,
        client: first_text(fields, &[names.client]),
        request: first_text(fields, &[names.request]),
        path: first_text(fields, &[names.path]),
        class: attack.as_deref().and_then(class),
        rule: first_text(fields, names.rule).or(attack),
    })
}

/// `transaction.remote_address` in version 2, `transaction.client_ip` in version 3.
fn modsecurity<'a>(fields: &Entries<'a>) -> Option<Decision<'a>> {
    let first = |paths: &[&str]| first_text(fields, paths);
    let request = first(&["transaction.transaction_id", "transaction.unique_id"])?;
    let client = first(&["transaction.remote_address", "transaction.client_ip"])?;
    let is_blocked = find(fields, "audit_data.action.intercepted")
        .is_some_and(|value| equals(value, &["true"]))
        || find(fields, "transaction.response.http_code").is_some_and(|value| equals(value, &["403", "406"]));
    let messages = find(fields, "audit_data.messages").or_else(|| find(fields, "transaction.messages"));
    let action = match (is_blocked, messages) {
        (true, _) => "request_blocked",
        (false, Some(_)) => "request_flagged",
        (false, None) => "",
    };
    let line = first(&["request.request_line"]);
    let path = match &line {
        Some(Cow::Borrowed(line)) => path(line).map(Cow::Borrowed),
        Some(Cow::Owned(line)) => path(line).map(|path| Cow::Owned(path.to_owned())),
        None => first(&["transaction.request.uri"]),
    };
    let rule = first(&["transaction.messages.message"]);
    Some(Decision {
        tool: "modsecurity",
        action,
        client: Some(client),
        request: Some(request),
        path,
        rule,
        class: messages.and_then(tagged),
    })
}

/// `GET /path?query HTTP/1.1`.
fn path(line: &str) -> Option<&str> {
    line.split(' ').nth(1)?.split('?').next()
}

/// The class that a tag names, in messages as lines (version 2) or in lists of tags (version 3).
fn tagged(value: &Value<'_>) -> Option<&'static str> {
    const TAGS: [&str; 10] = words(
        "attack-sqli attack-xss attack-rce attack-lfi attack-rfi attack-injection-php attack-injection-java
         attack-ssrf attack-ssti attack-reputation-scanner",
    );
    match value {
        Value::String(text) => {
            let mut tags = text.match_indices("attack-").filter_map(|(at, _)| text.get(at..));
            tags.find_map(|text| TAGS.iter().find(|tag| text.starts_with(**tag)).copied())
        }
        Value::Array(values) => values.iter().take(64).find_map(tagged),
        Value::Map(entries) => entries
            .iter()
            .filter(|(name, _)| name == "details" || name == "tags")
            .find_map(|(_, value)| tagged(value)),
        _ => None,
    }
}
