//! What rules call a field and what normalized events call it, per kind of log source. Stored data is
//! never renamed: a rule is compiled against these names, and a field without an entry keeps its own.

use sigma::mapping::FieldMapping;
use sigma::rule::RuleLogSource;

/// The field names of normalized events.
#[derive(Clone, Copy, Debug, Default)]
pub struct CanonicalFields;

/// A rule's name for a field, and the names events have for it, the surest first.
type Table = [(&'static str, &'static [&'static str])];

impl FieldMapping for CanonicalFields {
    fn canonical(&self, log_source: &RuleLogSource, field: &str) -> Vec<String> {
        let tables: &[&Table] = match kind(log_source) {
            Kind::Web => &[WEB],
            Kind::Proxy => &[PROXY, WEB],
            Kind::Linux => &[LINUX],
            Kind::Google => &[GOOGLE],
            Kind::Other => &[],
        };
        let entry = tables.iter().flat_map(|table| table.iter()).find(|(name, _)| *name == field);
        let Some((_, canonical)) = entry else { return Vec::new() };
        // The rule's own name comes last, for senders who took the line apart themselves.
        canonical.iter().copied().chain([field]).map(str::to_owned).collect()
    }
}

/// Log sources whose rules share a vocabulary.
enum Kind {
    Web,
    Proxy,
    Linux,
    Google,
    /// Rules use the record's own names: Windows, CloudTrail, Azure, Okta, GitHub, Kubernetes.
    Other,
}

fn kind(log_source: &RuleLogSource) -> Kind {
    let product = log_source.product.as_deref().unwrap_or_default();
    match (log_source.category.as_deref(), product) {
        (Some("webserver"), _) | (None, "nginx" | "apache") => Kind::Web,
        (Some("proxy"), _) => Kind::Proxy,
        (_, "linux") | (Some("authentication"), "") => Kind::Linux,
        (_, "gcp") => Kind::Google,
        _ => Kind::Other,
    }
}

/// Rules look for path patterns in the query as often as in the stem, so the query stands for both.
const WEB: &Table = &[
    ("c-ip", &["client.address"]),
    ("c-port", &["client.port"]),
    ("cs-method", &["http.request.method"]),
    ("cs-uri", &["url.path_and_query"]),
    ("cs-uri-stem", &["url.path"]),
    ("cs-uri-query", &["url.path_and_query"]),
    ("cs-user-agent", &["user_agent.original"]),
    ("cs-referer", &["http.request.header.referer"]),
    ("cs-referrer", &["http.request.header.referer"]),
    ("cs-host", &["server.address"]),
    ("cs-username", &["user.name"]),
    ("cs-version", &["network.protocol.version"]),
    ("cs-bytes", &["http.request.body.size", "http.request.size"]),
    ("sc-bytes", &["http.response.body.size", "http.response.size"]),
    ("sc-status", &["http.response.status_code"]),
    ("src_ip", &["client.address"]),
    ("dst_ip", &["destination.address", "server.address"]),
];

const PROXY: &Table = &[
    ("c-uri", &["url.full", "url.original"]),
    ("c-uri-stem", &["url.path"]),
    ("c-uri-query", &["url.query"]),
    ("c-uri-extension", &["url.extension"]),
    ("c-useragent", &["user_agent.original"]),
    ("cs-referrer", &["http.request.header.referer"]),
    ("r-dns", &["server.address", "url.domain"]),
];

const LINUX: &Table = &[
    ("User", &["user.effective.name", "user.name"]),
    ("CommandLine", &["process.command_line"]),
    ("Image", &["process.executable.path"]),
    ("ProcessId", &["process.pid"]),
    ("ParentImage", &["process.parent.executable.path"]),
    ("ParentCommandLine", &["process.parent.command_line"]),
    ("ParentProcessId", &["process.parent.pid"]),
    ("CurrentDirectory", &["process.working_directory"]),
    ("TargetFilename", &["file.path"]),
    ("Hostname", &["host.name"]),
    ("hostname", &["host.name"]),
    ("SourceIp", &["source.address", "client.address"]),
    ("src_ip", &["source.address", "client.address"]),
    ("SourcePort", &["source.port", "client.port"]),
    ("src_port", &["source.port", "client.port"]),
    ("DestinationIp", &["destination.address"]),
    ("dst_ip", &["destination.address"]),
    ("DestinationPort", &["destination.port"]),
    ("dst_port", &["destination.port"]),
    ("DestinationHostname", &["destination.domain", "destination.address"]),
    ("QueryName", &["dns.question.name"]),
];

const GOOGLE: &Table = &[
    ("gcp.audit.method_name", &["protoPayload.methodName"]),
    ("gcp.audit.service_name", &["protoPayload.serviceName"]),
    ("gcp.audit.resource_name", &["protoPayload.resourceName"]),
    ("gcp.audit.authentication_info.principal_email", &["protoPayload.authenticationInfo.principalEmail"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn source(product: Option<&str>, category: Option<&str>) -> RuleLogSource {
        RuleLogSource {
            product: product.map(str::to_owned),
            category: category.map(str::to_owned),
            ..RuleLogSource::default()
        }
    }

    #[test]
    fn each_kind_of_source_has_its_own_names() {
        for (product, category, field, first) in [
            (None, Some("webserver"), "c-ip", Some("client.address")),
            (Some("nginx"), None, "cs-uri-query", Some("url.path_and_query")),
            (None, Some("proxy"), "c-uri", Some("url.full")),
            (None, Some("proxy"), "cs-method", Some("http.request.method")),
            (Some("linux"), Some("process_creation"), "Image", Some("process.executable.path")),
            (Some("gcp"), None, "gcp.audit.method_name", Some("protoPayload.methodName")),
            (Some("windows"), Some("process_creation"), "Image", None),
            (Some("aws"), None, "eventName", None),
            (None, Some("webserver"), "url.path", None),
        ] {
            let names = CanonicalFields.canonical(&source(product, category), field);
            assert_eq!(names.first().map(String::as_str), first, "{product:?} {category:?} {field}");
            assert!(names.is_empty() || names.last().is_some_and(|last| last == field));
        }
    }

    #[test]
    fn no_table_names_a_field_twice() {
        for table in [WEB, PROXY, LINUX, GOOGLE] {
            for (at, (name, canonical)) in table.iter().enumerate() {
                assert!(!canonical.is_empty());
                assert!(!table[..at].iter().any(|(earlier, _)| earlier == name), "{name}");
            }
        }
    }
}
