//! The result of a crawl and of the examination of names, as assets.

use std::collections::BTreeMap;

use common::ids::RecordId;
use common::timestamp::Timestamp;
use serde_json::{Map, Value, json};
use url::Url;
use web::certificate::Certificate;
use web::crawl::{FoundHost, FoundTechnology};
use web::endpoints::Endpoint;
use web::scope::{Scope, host_name};

use super::asset::{AssetType, Ids, endpoint_identity};
use crate::discovery::names::NameFacts;

/// Bytes of all attributes of an asset as JSON, so that 100 assets are within the mebibyte of a commit.
const MOST_ATTRIBUTE_BYTES: usize = 7 << 10;

/// An asset as a run finds it. Its scope status is decided when it is committed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) kind: AssetType,
    /// With type and application, its identity.
    pub(crate) identity: String,
    pub(crate) value: String,
    pub(crate) host: String,
    pub(crate) parent: Option<(AssetType, String)>,
    pub(crate) sources: Vec<String>,
    pub(crate) attributes: Map<String, Value>,
}

impl Found {
    pub(crate) fn id(&self, ids: &Ids) -> RecordId {
        ids.asset(self.kind, &self.identity)
    }
}

/// Everything that a run found, by id.
pub(crate) fn assets(
    inventory: &web::crawl::Inventory,
    facts: &BTreeMap<String, NameFacts>,
    (scope, ids): (&Scope, &Ids),
) -> BTreeMap<RecordId, Found> {
    let maker = Maker { scope, application: host_name(scope.application()).unwrap_or_default() };
    let hosts = inventory.hosts.iter().map(|host| maker.host(host, facts.get(&host.name)));
    let certificates = inventory.hosts.iter().filter_map(|host| maker.certificate(host));
    let technologies = inventory.technologies.iter().map(|one| maker.technology(one));
    let endpoints = inventory.endpoints.iter().filter_map(|one| maker.endpoint(one));
    let all = hosts.chain(certificates).chain(technologies).chain(endpoints);
    all.map(|mut found| {
        bound(&mut found.attributes);
        (found.id(ids), found)
    })
    .collect()
}

struct Maker<'s> {
    scope: &'s Scope,
    /// Name of the host of the application.
    application: String,
}

impl Maker<'_> {
    fn host_kind(&self, name: &str) -> AssetType {
        let below = |domain: &str| {
            name.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        let is_sibling = self.scope.registrable_domain().is_some_and(below);
        if is_sibling && name != self.application { AssetType::Subdomain } else { AssetType::Host }
    }

    fn host_parent(&self, name: &str) -> Option<(AssetType, String)> {
        Some((self.host_kind(name), name.to_owned()))
    }

    fn host(&self, host: &FoundHost, facts: Option<&NameFacts>) -> Found {
        let kind = self.host_kind(&host.name);
        let mut sources: Vec<String> = host.sources.iter().map(|source| source.as_str().to_owned()).collect();
        let mut attributes = Map::new();
        if let Some(facts) = facts {
            facts.describe(&mut attributes);
            sources.extend(facts.is_found_by_dns.then(|| "dns".to_owned()));
        }
        let application = (AssetType::Host, self.application.clone());
        Found {
            kind,
            identity: host.name.clone(),
            value: host.name.clone(),
            host: host.name.clone(),
            parent: (kind == AssetType::Subdomain).then_some(application),
            sources,
            attributes,
        }
    }

    fn certificate(&self, host: &FoundHost) -> Option<Found> {
        let Certificate { subject, issuer, names, not_before, not_after, serial } =
            host.certificate.clone()?;
        let moment = |seconds: i64| Timestamp(seconds.saturating_mul(1_000_000_000)).to_iso();
        let attributes = json!({
            "subject": subject, "issuer": issuer, "names": names, "serial": serial,
            "not_before": moment(not_before), "not_after": moment(not_after),
        });
        Some(Found {
            kind: AssetType::Certificate,
            identity: host.name.clone(),
            value: host.name.clone(),
            host: host.name.clone(),
            parent: self.host_parent(&host.name),
            sources: vec!["tls".to_owned()],
            attributes: object(attributes),
        })
    }

    fn technology(&self, one: &FoundTechnology) -> Found {
        let attributes = json!({
            "category": one.category.as_str(), "versions": one.versions, "evidence": one.evidence, "url": one.url,
        });
        Found {
            kind: AssetType::Technology,
            identity: format!("{}/{}", one.host, one.name),
            value: one.name.clone(),
            host: one.host.clone(),
            parent: self.host_parent(&one.host),
            sources: vec!["crawl".to_owned()],
            attributes: object(attributes),
        }
    }

    fn endpoint(&self, endpoint: &Endpoint) -> Option<Found> {
        let host = host_name(&Url::parse(&endpoint.origin).ok()?)?;
        let parameter = |one: &web::endpoints::Parameter| json!({"name": one.name, "in": one.place.as_str(), "type": one.kind});
        let attributes = json!({
            "method": endpoint.method, "origin": endpoint.origin, "template": endpoint.template,
            "existence": endpoint.existence.as_str(),
            "parameters": endpoint.parameters.iter().map(parameter).collect::<Vec<_>>(),
        });
        Some(Found {
            kind: AssetType::Endpoint,
            identity: endpoint_identity(&endpoint.method, &endpoint.origin, &endpoint.template),
            value: format!("{} {}{}", endpoint.method, endpoint.origin, endpoint.template),
            parent: self.host_parent(&host),
            host,
            sources: endpoint.sources.iter().map(|source| source.as_str().to_owned()).collect(),
            attributes: object(attributes),
        })
    }
}

fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(object) = value { object } else { Map::new() }
}

/// Shortens lists until the attributes are within their bound, and says so.
fn bound(attributes: &mut Map<String, Value>) {
    let bytes = |attributes: &Map<String, Value>| {
        serde_json::to_vec(attributes).map_or(usize::MAX, |json| json.len())
    };
    while bytes(attributes) > MOST_ATTRIBUTE_BYTES {
        let lists = attributes.values_mut().filter_map(Value::as_array_mut);
        let Some(longest) = lists.max_by_key(|list| list.len()).filter(|list| !list.is_empty()) else {
            // Texts alone: none of them is a part of the identity.
            attributes.retain(|_, value| !value.is_string());
            return;
        };
        longest.truncate(longest.len() / 2);
        attributes.insert("shortened".to_owned(), Value::Bool(true));
    }
}
