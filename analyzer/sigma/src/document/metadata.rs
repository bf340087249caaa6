//! The metadata of a document, and its log source. Attributes that only describe are checked for their type; those that decide
//! the treatment of a match are checked for their value.

use crate::refusal::{Cause, Fault};
use crate::rule::{Level, Related, RuleInfo, RuleLogSource, Status};
use crate::yaml::{Map, Node};

use super::required;

/// Ids and names are written into findings and keys.
const MAX_ID_BYTES: usize = 256;

/// Reads the attributes; `structure` are the keys that are read elsewhere, the others are custom.
pub(super) fn info(map: &Map, structure: &[&str]) -> Result<RuleInfo, Fault> {
    let mut info = RuleInfo { content_hash: Node::Map(map.clone()).digest(), ..RuleInfo::default() };
    info.title = required(map, "title")?.as_text().map_err(|fault| fault.within("title"))?.to_owned();
    for (key, node) in map.iter().filter(|(key, _)| key != "title" && !structure.contains(&key.as_str())) {
        attribute(&mut info, key, node).map_err(|fault| fault.within(key))?;
    }
    info.states_id = !info.id.is_empty();
    if info.id.is_empty() {
        info.id = id_of_content(&info.content_hash);
    }
    Ok(info)
}

fn attribute(info: &mut RuleInfo, key: &str, node: &Node) -> Result<(), Fault> {
    match key {
        "id" => info.id = identifier(node)?,
        "name" => info.name = Some(identifier(node)?),
        "level" => info.level = word(node, "a level from informational to critical", Level::parse)?,
        "status" => {
            info.status = word(node, "stable, test, experimental, deprecated or unsupported", Status::parse)?
        }
        "taxonomy" => taxonomy(node)?,
        "description" => info.description = text(node)?,
        "author" => info.author = text(node)?,
        "license" => info.license = text(node)?,
        "date" => info.date = text(node)?,
        "modified" => info.modified = text(node)?,
        "references" => info.references = node.as_texts()?,
        "tags" => info.tags = node.as_texts()?,
        "falsepositives" => info.false_positives = node.as_texts()?,
        "fields" => info.fields = node.as_texts()?,
        "scope" => info.scope = node.as_texts()?,
        "related" => info.related = related(node)?,
        _ => {
            info.custom.insert(key.to_owned(), node.to_json());
        }
    }
    Ok(())
}

fn identifier(node: &Node) -> Result<String, Fault> {
    let text = node.as_text()?.trim();
    if text.len() > MAX_ID_BYTES {
        return Err(Cause::TooLarge { what: "bytes", limit: MAX_ID_BYTES }.into());
    }
    Ok(text.to_owned())
}

fn text(node: &Node) -> Result<Option<String>, Fault> {
    match node {
        Node::Null => Ok(None),
        Node::Text(text) => Ok(Some(text.clone())),
        other => Err(Cause::invalid("text", other.describe()).into()),
    }
}

fn word<T>(node: &Node, expected: &'static str, parse: fn(&str) -> Option<T>) -> Result<Option<T>, Fault> {
    let text = node.as_text()?;
    parse(text).map(Some).ok_or_else(|| Cause::invalid(expected, format!("`{text}`")).into())
}

/// Field names of another taxonomy would never be found.
fn taxonomy(node: &Node) -> Result<(), Fault> {
    match node.as_text()? {
        "sigma" => Ok(()),
        other => Err(Cause::Unsupported(format!("taxonomy `{other}`").into()).into()),
    }
}

fn related(node: &Node) -> Result<Vec<Related>, Fault> {
    let items = match node {
        Node::Null => return Ok(Vec::new()),
        Node::List(items) => items,
        other => return Err(Cause::invalid("a list of related rules", other.describe()).into()),
    };
    items
        .iter()
        .map(|item| {
            let item = item.as_map()?;
            let part =
                |key| required(item, key)?.as_text().map(str::to_owned).map_err(|fault| fault.within(key));
            Ok(Related { id: part("id")?, kind: part("type")? })
        })
        .collect()
}

/// A UUID of version 8 (RFC 9562) made of the content's hash.
fn id_of_content(hash: &[u8; 32]) -> String {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ..] = *hash;
    let bytes = [a, b, c, d, e, f, g & 0x0f | 0x80, h, i & 0x3f | 0x80, j, k, l, m, n, o, p];
    let hex = format!("{:032x}", u128::from_be_bytes(bytes));
    let [first, second, third, fourth, fifth] =
        [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| &hex[range]);
    format!("{first}-{second}-{third}-{fourth}-{fifth}")
}

/// Reads the log source of a rule or filter.
pub(super) fn log_source(map: &Map) -> Result<RuleLogSource, Fault> {
    let node = required(map, "logsource")?;
    read_log_source(node).map_err(|fault| fault.within("logsource"))
}

fn read_log_source(node: &Node) -> Result<RuleLogSource, Fault> {
    let mut source = RuleLogSource::default();
    for (key, node) in node.as_map()? {
        let dimension = match key.as_str() {
            "product" => &mut source.product,
            "category" => &mut source.category,
            "service" => &mut source.service,
            "definition" => &mut source.definition,
            _ => {
                source.custom.insert(key.clone(), node.to_json());
                continue;
            }
        };
        *dimension = Some(node.as_text().map_err(|fault| fault.within(key))?.to_owned());
    }
    if source.product.is_none() && source.category.is_none() && source.service.is_none() {
        return Err(Cause::invalid("a product, a category or a service", "none of them").into());
    }
    Ok(source)
}
