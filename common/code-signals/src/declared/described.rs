//! Declarations by their parts: objects, structs and classes with a name and a description, and entries that describe.

use tree_sitter::Node;

use super::registered::{add, children, field, handler, kind_of, texts};
use super::texts::{is_textual, last_name, slice, text_of};
use super::walk::lines;
use super::{Declarations, DeclaredKind, Handler, Reader};

/// Keys beside name and description that make an object a tool.
const SCHEMAS: [&str; 12] = [
    "inputSchema",
    "input_schema",
    "parameters",
    "args_schema",
    "argsSchema",
    "schema",
    "handler",
    "execute",
    "run",
    "func",
    "arguments",
    "annotations",
];

/// `{name: …, description: …, inputSchema: …}`.
pub(super) fn object(reader: &Reader<'_>, node: Node<'_>, found: &mut Declarations) {
    let (Some(name), Some(_)) = (field(reader, node, "name"), field(reader, node, "description")) else {
        return;
    };
    if !SCHEMAS.iter().any(|key| field(reader, node, key).is_some()) {
        return;
    }
    let name = text_of(name, reader.text, reader.constants).replace('…', "");
    let own = texts(reader, node, found);
    let keys = ["handler", "execute", "run", "func", "call", "callback"];
    let handlers = keys.iter().filter_map(|key| handler(reader, field(reader, node, key)?)).collect();
    add(reader, node, found, (DeclaredKind::Tool, name), (own, handlers));
}

/// Go: `mcp.Tool{Name: …, Description: …}`. The call that adds it names its handler.
pub(super) fn composite(reader: &Reader<'_>, node: Node<'_>, found: &mut Declarations) {
    let (Some(kind), Some(body)) = (node.child_by_field_name("type"), node.child_by_field_name("body"))
    else {
        return;
    };
    let kind = last_name(kind, reader.text).rsplit('.').next().unwrap_or_default();
    let Some(kind) = kind_of(kind) else { return };
    let name = field(reader, body, "Name")
        .map(|name| text_of(name, reader.text, reader.constants))
        .unwrap_or_default();
    let own = texts(reader, body, found);
    add(reader, node, found, (kind, name), (own, Vec::new()));
}

/// A class with the fields `name` and `description`.
pub(super) fn class(reader: &Reader<'_>, node: Node<'_>, found: &mut Declarations) {
    let Some(body) = node.child_by_field_name("body") else { return };
    let (mut name, mut own) = (None, Vec::new());
    for member in children(body) {
        let member = if member.kind() == "expression_statement" {
            member.named_child(0).unwrap_or(member)
        } else {
            member
        };
        let key = ["left", "property", "name"].iter().find_map(|field| member.child_by_field_name(field));
        let value = ["right", "value"].iter().find_map(|field| member.child_by_field_name(field));
        let (Some(key), Some(value)) = (key, value) else { continue };
        match slice(key, reader.text) {
            "name" if is_textual(value) => name = Some(text_of(value, reader.text, reader.constants)),
            "description" => own.extend(texts(reader, value, found)),
            _ => {}
        }
    }
    let Some(name) = name.filter(|_| !own.is_empty()) else { return };
    let (first, last) = lines(node);
    let handlers = vec![Handler::Lines { file: reader.file, first, last }];
    add(reader, node, found, (DeclaredKind::Tool, name), (own, handlers));
}

/// `description` and `instructions` as an entry of any call, object or assignment.
pub(super) fn entry(reader: &Reader<'_>, node: Node<'_>, found: &mut Declarations) {
    let key = ["key", "name", "left"].iter().find_map(|field| node.child_by_field_name(field));
    let is_element = node.kind() == "keyed_element";
    let value = ["value", "right"].iter().find_map(|field| node.child_by_field_name(field));
    let key = key.or_else(|| node.named_child(0).filter(|_| is_element));
    let value = value.or_else(|| node.named_child(1).filter(|_| is_element));
    let (Some(key), Some(value)) = (key, value) else { return };
    let kind = match last_name(key, reader.text).trim_matches(['"', '\'']) {
        "description" if node.kind() != "assignment" => DeclaredKind::Parameter,
        "instructions" | "Instructions" => DeclaredKind::Instructions,
        _ => return,
    };
    let own = texts(reader, value, found);
    add(reader, node, found, (kind, String::new()), (own, Vec::new()));
}
