//! Names of a field in rules and in normalized events, per kind of log source. Stored data is
//! never renamed: a rule is compiled against these names, and a field without an entry keeps its own.

mod clouds;
mod hosts;
mod network;
mod web;

use sigma::mapping::FieldMapping;
use sigma::rule::RuleLogSource;

/// The field names of normalized events.
#[derive(Clone, Copy, Debug, Default)]
pub struct CanonicalFields;

/// A rule's name for a field, and the names events have for it, the surest first.
type Table = [(&'static str, &'static [&'static str])];

impl FieldMapping for CanonicalFields {
    fn canonical(&self, log_source: &RuleLogSource, field: &str) -> Vec<String> {
        let mut entries = tables(log_source).iter().flat_map(|table| table.iter());
        let Some((_, canonical)) = entries.find(|(name, _)| *name == field) else { return Vec::new() };
        // The rule's own name comes last, unless the table has a place for it, for senders who took
        // the record apart themselves.
        let own = (!canonical.contains(&field)).then_some(field);
        canonical.iter().copied().chain(own).map(str::to_owned).collect()
    }
}

/// The tables for a log source; the first that has a field counts. None where rules use the record's own
/// names: CloudTrail, GitHub, Kubernetes, and auditd.
fn tables(log_source: &RuleLogSource) -> &'static [&'static Table] {
    let product = log_source.product.as_deref().unwrap_or_default();
    let service = log_source.service.as_deref().unwrap_or_default();
    match (log_source.category.as_deref(), product) {
        (Some("webserver"), _) | (None, "nginx" | "apache" | "haproxy") => &[web::WEB],
        (Some("proxy"), _) => &[web::PROXY, web::WEB],
        (Some("firewall"), _) => &[network::FIREWALL],
        (Some("dns"), _) => &[network::DNS],
        (Some("antivirus"), _) => &[hosts::ANTIVIRUS, hosts::WINDOWS],
        (_, "linux") if service == "auditd" => &[],
        (_, "linux" | "macos") | (Some("authentication"), "") => &[hosts::UNIX],
        // Rules for any system are written in the names of Windows.
        (_, "windows") | (Some(_), "") => &[hosts::WINDOWS],
        (_, "gcp") => &[clouds::GOOGLE],
        (_, "okta") => &[clouds::OKTA],
        (_, "azure") => &[clouds::AZURE],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(
        product: Option<&str>,
        category: Option<&str>,
        service: Option<&str>,
        field: &str,
    ) -> Vec<String> {
        let source = RuleLogSource {
            product: product.map(str::to_owned),
            category: category.map(str::to_owned),
            service: service.map(str::to_owned),
            ..RuleLogSource::default()
        };
        CanonicalFields.canonical(&source, field)
    }

    #[test]
    fn each_kind_of_source_has_its_own_names() {
        for (product, category, field, first) in [
            (None, Some("webserver"), "c-ip", Some("client.address")),
            (Some("nginx"), None, "cs-uri-query", Some("url.path_and_query")),
            (None, Some("proxy"), "c-uri", Some("url.full")),
            (None, Some("proxy"), "cs-method", Some("http.request.method_original")),
            (None, Some("firewall"), "dst_port", Some("destination.port")),
            (None, Some("dns"), "query", Some("dns.question.name")),
            (Some("linux"), Some("process_creation"), "Image", Some("process.executable.path")),
            (Some("macos"), Some("process_creation"), "CommandLine", Some("process.command_line")),
            (Some("windows"), Some("process_creation"), "Image", Some("Image")),
            (None, Some("process_creation"), "Image", Some("Image")),
            (None, Some("antivirus"), "Signature", Some("Signature")),
            (Some("gcp"), None, "gcp.audit.method_name", Some("protoPayload.methodName")),
            (Some("okta"), None, "eventtype", Some("eventType")),
            (Some("azure"), None, "ResultType", Some("ResultType")),
            (Some("windows"), None, "ScriptBlockText", None),
            (Some("aws"), None, "eventName", None),
            (None, Some("webserver"), "url.path", None),
            (None, None, "Image", None),
        ] {
            let names = names(product, category, None, field);
            assert_eq!(names.first().map(String::as_str), first, "{product:?} {category:?} {field}");
            assert!(names.is_empty() || names.iter().filter(|name| *name == field).count() == 1);
        }
        assert!(names(Some("linux"), None, Some("auditd"), "hostname").is_empty());
    }

    #[test]
    fn no_table_names_a_field_twice() {
        for table in [
            web::WEB,
            web::PROXY,
            hosts::UNIX,
            hosts::WINDOWS,
            hosts::ANTIVIRUS,
            network::FIREWALL,
            network::DNS,
            clouds::GOOGLE,
            clouds::OKTA,
            clouds::AZURE,
        ] {
            for (at, (name, canonical)) in table.iter().enumerate() {
                assert!(!canonical.is_empty());
                assert!(!table[..at].iter().any(|(earlier, _)| earlier == name), "{name}");
            }
        }
    }
}
