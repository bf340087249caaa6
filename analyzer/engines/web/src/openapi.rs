//! Interface descriptions to endpoints: OpenAPI 2.0, 3.0 and 3.1, in JSON or YAML.

mod tree;

use std::collections::BTreeMap;

use serde_json::Value;
use url::Url;

use crate::endpoints::{
    LONGEST_NAME, LONGEST_TEMPLATE, MOST_PARAMETERS, Parameter, Place, Route, Source, cut,
};

/// Bytes of a description, as of every reply.
pub const MOST_BYTES: usize = 2 << 20;
/// Endpoints of a description, as many as an inventory has.
pub const MOST_ROUTES: usize = 2_000;
/// References in a row, for example of a parameter to a parameter.
const MOST_REFERENCES: usize = 4;
/// Schemas that `allOf` joins into one body.
const MOST_JOINED: usize = 16;

/// Methods of a path item.
const METHODS: [&str; 8] = ["delete", "get", "head", "options", "patch", "post", "put", "trace"];

/// The endpoints of a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Endpoints.
    pub routes: Vec<Route>,
    /// Whether a bound was reached.
    pub cut: bool,
}

/// Whether a body begins like a description: other JSON and YAML is not parsed.
#[must_use]
pub fn is_description(body: &[u8]) -> bool {
    let start = body.get(..4_096).unwrap_or(body);
    let names = |word: &[u8]| memchr::memmem::find(start, word).is_some();
    (names(b"openapi") || names(b"swagger")) && !start.trim_ascii_start().starts_with(b"<")
}

/// Reads the description at a URL. `None` if it is none.
#[must_use]
pub fn read(body: &[u8], url: &Url) -> Option<Description> {
    if body.len() > MOST_BYTES {
        return None;
    }
    let document = tree::read(body)?;
    document.get("openapi").or_else(|| document.get("swagger"))?;
    let reader = Reader { base: base(&document, url)?, document: &document };
    let mut description = Description { routes: Vec::new(), cut: false };
    for (path, item) in document.get("paths")?.as_object()? {
        let Some(item) = reader.resolve(item).as_object() else { continue };
        for (method, operation) in item.iter().filter(|(method, _)| METHODS.contains(&method.as_str())) {
            if description.routes.len() >= MOST_ROUTES {
                description.cut = true;
                return Some(description);
            }
            let route = reader.route(path, method, item.get("parameters"), operation);
            match route {
                Some(route) => description.routes.push(route),
                None => description.cut = true,
            }
        }
    }
    Some(description)
}

/// The URL in front of all paths: `servers` of 3.x, `host` and `basePath` of 2.0, or the origin of the description.
fn base(document: &Value, url: &Url) -> Option<Url> {
    let text = |name: &str| document.get(name).and_then(Value::as_str);
    if document.get("swagger").is_some() {
        let mut base = url.join("/").ok()?;
        let schemes = document.get("schemes").and_then(Value::as_array);
        let scheme = schemes
            .and_then(|schemes| schemes.iter().find_map(Value::as_str))
            .unwrap_or_else(|| url.scheme());
        if let Some(host) = text("host") {
            base = Url::parse(&format!("{scheme}://{host}/")).ok()?;
        }
        return base.join(text("basePath").unwrap_or("/")).ok();
    }
    let server = document.get("servers").and_then(|servers| servers.get(0));
    let Some(template) = server.and_then(|server| server.get("url")).and_then(Value::as_str) else {
        return url.join("/").ok();
    };
    let mut address = template.to_owned();
    let variables = server.and_then(|server| server.get("variables")).and_then(Value::as_object);
    for (name, variable) in variables.into_iter().flatten().take(MOST_PARAMETERS) {
        // A port may be a number.
        let value = match variable.get("default") {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        address = cut(&address.replace(&format!("{{{name}}}"), &value), 4 * LONGEST_TEMPLATE);
    }
    url.join(&address).ok().filter(|base| matches!(base.scheme(), "http" | "https"))
}

struct Reader<'a> {
    base: Url,
    document: &'a Value,
}

impl<'a> Reader<'a> {
    /// The target of a reference within the document, or the value itself. References to other files are not followed.
    fn resolve(&self, value: &'a Value) -> &'a Value {
        let mut value = value;
        for _ in 0..MOST_REFERENCES {
            let Some(target) = value.get("$ref").and_then(Value::as_str) else { return value };
            let target = target.strip_prefix('#').and_then(|pointer| self.document.pointer(pointer));
            let Some(target) = target else { return value };
            value = target;
        }
        value
    }

    fn route(
        &self,
        path: &str,
        method: &str,
        shared: Option<&'a Value>,
        operation: &'a Value,
    ) -> Option<Route> {
        let prefix = self.base.path().trim_end_matches('/');
        let slash = if path.starts_with('/') { "" } else { "/" };
        let template = format!("{prefix}{slash}{}", path.split(['?', '#']).next().unwrap_or_default());
        let mut parameters = BTreeMap::new();
        let lists = [shared, operation.get("parameters")];
        for parameter in lists.into_iter().flatten().filter_map(Value::as_array).flatten() {
            self.parameter(self.resolve(parameter), &mut parameters);
        }
        if let Some(body) = operation.get("requestBody") {
            let content = self.resolve(body).get("content").and_then(Value::as_object);
            for media in content.into_iter().flatten().map(|(_, media)| media).take(MOST_JOINED) {
                self.body(media.get("schema"), &mut parameters);
            }
        }
        let parameter = |((name, place), kind)| Parameter { name, place, kind };
        let route = Route {
            method: method.to_ascii_uppercase(),
            origin: self.base.origin().ascii_serialization(),
            template,
            parameters: parameters.into_iter().map(parameter).take(MOST_PARAMETERS).collect(),
            source: Source::Description,
        };
        route.is_within_bounds().then_some(route)
    }

    fn parameter(&self, parameter: &'a Value, into: &mut BTreeMap<(String, Place), String>) {
        let Some(name) = parameter.get("name").and_then(Value::as_str) else { return };
        let place = match parameter.get("in").and_then(Value::as_str) {
            Some("query") => Place::Query,
            Some("header") => Place::Header,
            Some("cookie") => Place::Cookie,
            Some("formData") => Place::Body,
            Some("body") => return self.body(parameter.get("schema"), into),
            // Those of the path are in the template.
            _ => return,
        };
        let schema = parameter.get("schema").map(|schema| self.resolve(schema));
        let kind = kind_of(parameter).or_else(|| schema.and_then(kind_of)).unwrap_or_default();
        insert(into, name, place, kind);
    }

    /// The properties of a body, also of schemas that it joins.
    fn body(&self, schema: Option<&'a Value>, into: &mut BTreeMap<(String, Place), String>) {
        let mut waiting: Vec<&Value> = schema.into_iter().collect();
        let mut read = 0;
        while let Some(schema) = waiting.pop().filter(|_| read < MOST_JOINED) {
            read += 1;
            let schema = self.resolve(schema);
            let joined = schema.get("allOf").and_then(Value::as_array);
            waiting.extend(joined.into_iter().flatten().take(MOST_JOINED));
            waiting.extend(schema.get("items"));
            let properties = schema.get("properties").and_then(Value::as_object);
            for (name, property) in properties.into_iter().flatten().take(MOST_PARAMETERS) {
                insert(into, name, Place::Body, kind_of(self.resolve(property)).unwrap_or_default());
            }
        }
    }
}

fn insert(into: &mut BTreeMap<(String, Place), String>, name: &str, place: Place, kind: &str) {
    if into.len() < MOST_PARAMETERS && !name.is_empty() {
        into.insert((cut(name, LONGEST_NAME), place), cut(kind, LONGEST_NAME));
    }
}

/// The type of a schema; 3.1 also has lists of types.
fn kind_of(schema: &Value) -> Option<&str> {
    let kind = schema.get("type")?;
    kind.as_str().or_else(|| kind.as_array()?.iter().find_map(Value::as_str))
}

#[cfg(test)]
mod tests;
