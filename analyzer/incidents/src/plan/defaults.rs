//! Entity and family of a rule that does not state them: by the log it reads. Rules of public collections state neither, and
//! follow the built-in ones here, so that the findings of both about an entity are one incident.

use sigma::RuleLogSource;

/// Family of the risk of one entity, where the log does not decide another.
const RISK_FAMILY: &str = "entity_risk";

/// Defaults of a rule by its log source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Defaults {
    /// The fields that name the entity; of several sets the first of which a record has anything.
    pub(super) entity: &'static [&'static [&'static str]],
    /// The family of findings; `None` where the rule's technique determines it better.
    pub(super) family: Option<&'static str>,
    /// The family of risk.
    pub(super) risk_family: &'static str,
}

const ADDRESS: &[&[&str]] = &[&["client.address"], &["source.address"], &["host.name"]];
const USER: &[&[&str]] = &[&["user.name"], &["client.address"]];
const PRINCIPAL: &[&[&str]] = &[&["user.name", "cloud.account.id"], &["client.address"]];
const ACTOR: &[&[&str]] = &[&["actor"], &["user.name"], &["client.address"]];
const HOST: &[&[&str]] = &[&["host.name"], &["user.name"], &["client.address"], &["service.name"]];

/// By product and service, which are more specific than the category; then by category.
pub(super) fn of(source: &RuleLogSource) -> Defaults {
    let service = source.service.as_deref().unwrap_or_default();
    let known = source.product.as_deref().and_then(|product| of_product(product, service));
    let known = known.or_else(|| of_service(service));
    known.or_else(|| of_category(source.category.as_deref()?)).unwrap_or(Defaults {
        entity: HOST,
        family: None,
        risk_family: RISK_FAMILY,
    })
}

fn of_product(product: &str, service: &str) -> Option<Defaults> {
    Some(match (product, service) {
        ("aws" | "gcp", _) | ("azure", "activitylogs" | "") => one(PRINCIPAL, "cloud_intrusion"),
        ("azure", "signinlogs" | "riskdetection") => one(USER, "account_takeover"),
        ("azure" | "okta" | "onelogin" | "m365" | "google_workspace" | "duo", _) => {
            one(USER, "identity_control")
        }
        ("github" | "gitlab" | "bitbucket", _) => one(ACTOR, "source_code"),
        ("kubernetes", _) => one(USER, "kubernetes_intrusion"),
        ("apache" | "cloudflare" | "haproxy" | "nginx" | "vercel", _) => WEB,
        ("cisco" | "fortigate" | "huawei" | "juniper" | "paloalto" | "zeek", _) => {
            one(ADDRESS, "network_intrusion")
        }
        ("linux" | "macos", "auth" | "sshd") => one(ADDRESS, "authentication_attack"),
        ("linux" | "macos" | "windows", _) => one(HOST, "host_intrusion"),
        _ => return None,
    })
}

fn of_service(service: &str) -> Option<Defaults> {
    Some(match service {
        "auth" | "sshd" => one(ADDRESS, "authentication_attack"),
        "cloudtrail" | "gcp.audit" | "activitylogs" => one(PRINCIPAL, "cloud_intrusion"),
        "auditlogs" | "pim" => one(USER, "identity_control"),
        "signinlogs" | "riskdetection" => one(USER, "account_takeover"),
        _ => return None,
    })
}

fn of_category(category: &str) -> Option<Defaults> {
    Some(match category {
        "webserver" => WEB,
        "authentication" => one(ADDRESS, "authentication_attack"),
        "proxy" | "firewall" | "dns" => one(ADDRESS, "network_intrusion"),
        "application" | "database" => Defaults { entity: ADDRESS, family: None, risk_family: RISK_FAMILY },
        "antivirus" => one(HOST, "host_intrusion"),
        category if category.starts_with("process_") || category.starts_with("file_") => {
            one(HOST, "host_intrusion")
        }
        _ => return None,
    })
}

/// A match in a request is an attack; risk is a search for a weakness.
const WEB: Defaults = Defaults { entity: ADDRESS, family: Some("web_attack"), risk_family: "web_scan" };

fn one(entity: &'static [&'static [&'static str]], family: &'static str) -> Defaults {
    Defaults { entity, family: Some(family), risk_family: family }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source([product, category, service]: [&str; 3]) -> RuleLogSource {
        let stated = |word: &str| (!word.is_empty()).then(|| word.to_owned());
        RuleLogSource {
            product: stated(product),
            category: stated(category),
            service: stated(service),
            ..RuleLogSource::default()
        }
    }

    #[test]
    fn what_a_log_is_about_follows_from_its_source() {
        for (stated, entity, family, risk_family) in [
            (["", "webserver", ""], "client.address", Some("web_attack"), "web_scan"),
            (["nginx", "", ""], "client.address", Some("web_attack"), "web_scan"),
            (["okta", "", "okta"], "user.name", Some("identity_control"), "identity_control"),
            (["azure", "", "signinlogs"], "user.name", Some("account_takeover"), "account_takeover"),
            (["azure", "", "activitylogs"], "user.name", Some("cloud_intrusion"), "cloud_intrusion"),
            (["aws", "", "cloudtrail"], "user.name", Some("cloud_intrusion"), "cloud_intrusion"),
            (["github", "", "audit"], "actor", Some("source_code"), "source_code"),
            (["linux", "", "sshd"], "client.address", Some("authentication_attack"), "authentication_attack"),
            (["windows", "process_creation", ""], "host.name", Some("host_intrusion"), "host_intrusion"),
            (["", "process_creation", ""], "host.name", Some("host_intrusion"), "host_intrusion"),
            (["", "proxy", ""], "client.address", Some("network_intrusion"), "network_intrusion"),
            (["jvm", "application", ""], "client.address", None, "entity_risk"),
            (["myapp", "", ""], "host.name", None, "entity_risk"),
        ] {
            let found = of(&source(stated));
            assert_eq!((found.entity[0][0], found.family), (entity, family), "{stated:?}");
            assert_eq!(found.risk_family, risk_family, "{stated:?}");
        }
    }
}
