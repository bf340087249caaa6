//! Endpoints of an application, merged from every source: method, route template, parameters.

use std::collections::{BTreeMap, BTreeSet};

use common::words;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::template::{placeholders, template, without_names};

/// Endpoints of an inventory. Applications have some hundred; the rest is counted.
pub const MOST_ENDPOINTS: usize = 2_000;
/// Parameters of an endpoint.
pub const MOST_PARAMETERS: usize = 50;
/// Bytes of the name of a parameter, and of its type.
pub const LONGEST_NAME: usize = 100;
/// Bytes of a template: those of longer paths are not shown.
pub const LONGEST_TEMPLATE: usize = 512;

words! {
    /// Where an endpoint was found.
    Source {
        /// An interface description (OpenAPI).
        Description = "openapi",
        /// A form of a page.
        Form = "form",
        /// Text of a script.
        Script = "script",
        /// A link of a page.
        Link = "crawl",
        /// A sitemap.
        Sitemap = "sitemap",
        /// A robots file.
        Robots = "robots",
    }
}

words! {
    /// Where a parameter is sent.
    Place {
        /// A segment of the path.
        Path = "path",
        /// The query.
        Query = "query",
        /// A header.
        Header = "header",
        /// A cookie.
        Cookie = "cookie",
        /// The body of the request.
        Body = "body",
    }
}

words! {
    /// Whether an endpoint exists, as far as it was requested.
    Existence {
        /// The server answered it.
        Present = "present",
        /// It was not requested, or the reply does not tell.
        Unknown = "unknown",
        /// The server knows no such page.
        Absent = "absent",
    }
}

/// A parameter of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its place.
    pub place: Place,
    /// Its type as stated: of a form field (`password`), or of a schema (`integer`); empty when none is stated.
    pub kind: String,
}

/// One endpoint as one source states it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Route {
    /// Method in capitals.
    pub method: String,
    /// Origin and path: `https://a.test/users/{id}`.
    pub origin: String,
    /// Path with placeholders.
    pub template: String,
    /// Parameters, without those of the path.
    pub parameters: Vec<Parameter>,
    /// The source.
    pub source: Source,
}

impl Route {
    /// The route of a GET of a URL.
    #[must_use]
    pub fn of_url(url: &Url, source: Source) -> Self {
        let names: BTreeSet<String> =
            url.query_pairs().take(MOST_PARAMETERS).map(|(name, _)| cut(&name, LONGEST_NAME)).collect();
        let parameter = |name| Parameter { name, place: Place::Query, kind: String::new() };
        Self {
            method: "GET".to_owned(),
            origin: url.origin().ascii_serialization(),
            template: template(url.path()),
            parameters: names.into_iter().map(parameter).collect(),
            source,
        }
    }

    /// Whether it keeps the bounds of its parts.
    #[must_use]
    pub fn is_within_bounds(&self) -> bool {
        self.template.len() <= LONGEST_TEMPLATE
            && self.method.len() <= 16
            && self.origin.len() <= LONGEST_TEMPLATE
            && self.parameters.len() <= MOST_PARAMETERS
            && self
                .parameters
                .iter()
                .all(|one| one.name.len() <= LONGEST_NAME && one.kind.len() <= LONGEST_NAME)
    }
}

/// A merged endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// Method in capitals.
    pub method: String,
    /// Scheme, host and port.
    pub origin: String,
    /// Path with placeholders, with the names of the most precise source.
    pub template: String,
    /// Parameters by name and place.
    pub parameters: Vec<Parameter>,
    /// Sources, the most precise first.
    pub sources: Vec<Source>,
    /// Whether it exists.
    pub existence: Existence,
}

impl Endpoint {
    /// Whether it is nothing but a broken link.
    #[must_use]
    pub fn is_broken_link(&self) -> bool {
        self.existence == Existence::Absent
            && self.sources.iter().all(|source| matches!(source, Source::Link | Source::Sitemap))
    }
}

/// Endpoints by identity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoints {
    merged: BTreeMap<(String, String, String), Merged>,
    left_out: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Merged {
    template: String,
    named_by: Source,
    parameters: BTreeMap<(String, Place), String>,
    sources: BTreeSet<Source>,
    existence: Existence,
}

impl Endpoints {
    /// Adds a route as one source states it. Routes beyond [`MOST_ENDPOINTS`] are counted.
    pub fn add(&mut self, route: Route) {
        if !route.is_within_bounds() {
            self.left_out += 1;
            return;
        }
        let key = (route.origin, without_names(&route.template), route.method);
        if !self.merged.contains_key(&key) && self.merged.len() >= MOST_ENDPOINTS {
            self.left_out += 1;
            return;
        }
        let merged = self.merged.entry(key).or_insert_with(|| Merged {
            template: route.template.clone(),
            named_by: route.source,
            parameters: BTreeMap::new(),
            sources: BTreeSet::new(),
            existence: Existence::Unknown,
        });
        // Equally precise sources may differ in names: the smaller text, so that their order does not matter.
        if (route.source, &route.template) < (merged.named_by, &merged.template) {
            merged.template = route.template;
            merged.named_by = route.source;
        }
        merged.sources.insert(route.source);
        for parameter in route.parameters {
            let key = (parameter.name, parameter.place);
            let known = merged.parameters.len();
            if let Some(kind) = merged.parameters.get_mut(&key) {
                if *kind < parameter.kind {
                    *kind = parameter.kind;
                }
            } else if known < MOST_PARAMETERS {
                merged.parameters.insert(key, parameter.kind);
            }
        }
    }

    /// Records whether the server knows the page of a URL. One page that exists shows that its route does.
    pub fn observe(&mut self, url: &Url, exists: bool) {
        let route = Route::of_url(url, Source::Link);
        let key = (route.origin, without_names(&route.template), route.method);
        let Some(merged) = self.merged.get_mut(&key) else { return };
        match (exists, merged.existence) {
            (true, _) => merged.existence = Existence::Present,
            (false, Existence::Unknown) => merged.existence = Existence::Absent,
            (false, _) => {}
        }
    }

    /// Number of endpoints.
    #[must_use]
    pub fn len(&self) -> usize {
        self.merged.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.merged.is_empty()
    }

    /// Routes that were not kept. One that is found again counts again.
    #[must_use]
    pub const fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Endpoints in the order of origin, template and method.
    pub fn iter(&self) -> impl Iterator<Item = Endpoint> {
        self.merged.iter().map(|((origin, _, method), merged)| Endpoint {
            method: method.clone(),
            origin: origin.clone(),
            template: merged.template.clone(),
            parameters: parameters(merged),
            sources: merged.sources.iter().copied().collect(),
            existence: merged.existence,
        })
    }

    /// Restores endpoints that [`Endpoints::iter`] gave, with the number of those that were left out.
    #[must_use]
    pub fn restore(endpoints: Vec<Endpoint>, left_out: u64) -> Self {
        let mut restored = Self { merged: BTreeMap::new(), left_out };
        for endpoint in endpoints {
            let Some(named_by) = endpoint.sources.iter().min().copied() else { continue };
            let key = (endpoint.origin, without_names(&endpoint.template), endpoint.method);
            let of_path = |parameter: &Parameter| parameter.place == Place::Path;
            let others = endpoint.parameters.into_iter().filter(|parameter| !of_path(parameter));
            let merged = Merged {
                template: endpoint.template,
                named_by,
                parameters: others.map(|one| ((one.name, one.place), one.kind)).collect(),
                sources: endpoint.sources.into_iter().collect(),
                existence: endpoint.existence,
            };
            restored.merged.insert(key, merged);
        }
        restored
    }
}

/// Those of the path in their order, then the others.
fn parameters(merged: &Merged) -> Vec<Parameter> {
    let in_path = placeholders(&merged.template).map(|name| (name.to_owned(), Place::Path, String::new()));
    let others = merged.parameters.iter().map(|((name, place), kind)| (name.clone(), *place, kind.clone()));
    in_path.chain(others).map(|(name, place, kind)| Parameter { name, place, kind }).collect()
}

/// A text of at most this many bytes, cut between characters.
#[must_use]
pub(crate) fn cut(text: &str, most: usize) -> String {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(method: &str, template: &str, source: Source) -> Route {
        Route {
            method: method.into(),
            origin: "https://a.test".into(),
            template: template.into(),
            parameters: Vec::new(),
            source,
        }
    }

    #[test]
    fn sources_of_one_endpoint_are_merged_whatever_their_order() {
        let url = Url::parse("https://a.test/users/7?full=1#x").unwrap();
        let mut described = route("GET", "/users/{userId}", Source::Description);
        described.parameters.push(Parameter {
            name: "full".into(),
            place: Place::Query,
            kind: "boolean".into(),
        });
        let routes =
            [Route::of_url(&url, Source::Link), described, route("GET", "/users/{name}", Source::Script)];
        let mut merged = Endpoints::default();
        routes.iter().cloned().for_each(|route| merged.add(route));
        let mut reversed = Endpoints::default();
        routes.into_iter().rev().for_each(|route| reversed.add(route));
        assert_eq!(merged, reversed);
        let endpoints: Vec<Endpoint> = merged.iter().collect();
        assert_eq!(endpoints.len(), 1);
        assert_eq!(endpoints[0].template, "/users/{userId}");
        assert_eq!(endpoints[0].sources, [Source::Description, Source::Script, Source::Link]);
        let parameters: Vec<_> = endpoints[0]
            .parameters
            .iter()
            .map(|one| (one.name.as_str(), one.place, one.kind.as_str()))
            .collect();
        assert_eq!(parameters, [("userId", Place::Path, ""), ("full", Place::Query, "boolean")]);
        assert_eq!(Endpoints::restore(endpoints, 0), merged);
    }

    #[test]
    fn broken_links_are_those_that_only_links_name() {
        let url = Url::parse("https://a.test/gone").unwrap();
        let mut merged = Endpoints::default();
        merged.add(Route::of_url(&url, Source::Link));
        merged.observe(&url, false);
        assert!(merged.iter().all(|endpoint| endpoint.is_broken_link()));
        merged.observe(&url, true);
        merged.observe(&url, false);
        assert!(merged.iter().all(|endpoint| endpoint.existence == Existence::Present));
        merged.add(route("GET", "/described", Source::Description));
        merged.observe(&Url::parse("https://a.test/described").unwrap(), false);
        assert!(merged.iter().all(|endpoint| !endpoint.is_broken_link()));
    }

    #[test]
    fn methods_and_origins_are_part_of_the_identity() {
        let mut merged = Endpoints::default();
        merged.add(route("GET", "/a", Source::Link));
        merged.add(route("POST", "/a", Source::Form));
        merged.add(Route { origin: "https://b.test".into(), ..route("GET", "/a", Source::Link) });
        assert_eq!(merged.len(), 3);
    }

    #[test]
    fn bounds_hold_and_the_rest_is_counted() {
        let mut merged = Endpoints::default();
        for number in 0..MOST_ENDPOINTS + 7 {
            merged.add(route("GET", &format!("/{number}"), Source::Link));
        }
        merged.add(route("GET", &"/a".repeat(LONGEST_TEMPLATE), Source::Link));
        assert_eq!((merged.len(), merged.left_out()), (MOST_ENDPOINTS, 8));
    }
}
