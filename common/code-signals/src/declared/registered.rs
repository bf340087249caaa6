//! The forms in which MCP servers declare tools, prompts, resources and instructions.
//!
//! | form | language |
//! |---|---|
//! | `@server.tool(…)` above a function with a docstring | Python |
//! | `Tool(name=…, description=…)`, `{"name": …, "description": …, "inputSchema": …}` | Python |
//! | a class with the fields `name` and `description` | Python, JavaScript, TypeScript |
//! | `server.tool(…)`, `registerTool(…)`, `addTool({…})`, `{name, description, inputSchema}` | JavaScript, TypeScript |
//! | `.describe(…)`, `Field(description=…)`, `description` of a schema, `instructions` | all |
//! | `mcp.NewTool(…)`, `mcp.Tool{…}`, `AddTool(…)` | Go |

use tree_sitter::Node;

use super::described;
use super::texts::{is_textual, last_name, push_children, slice, text_of};
use super::walk::lines;
use super::{CodeText, Declarations, Declared, DeclaredKind, Handler, Reader, TextKind};
use crate::source::Language;

/// Texts of one declaration.
const MOST_TEXTS: usize = 400;

/// Adds the declaration that begins at a node.
pub(super) fn read(reader: &Reader<'_>, node: Node<'_>, found: &mut Declarations) {
    match node.kind() {
        "decorated_definition" => decorated(reader, node, found),
        "call" | "call_expression" => call(reader, node, found),
        "object" | "dictionary" => described::object(reader, node, found),
        "composite_literal" => described::composite(reader, node, found),
        "class_definition" | "class_declaration" => described::class(reader, node, found),
        "pair" | "keyword_argument" | "keyed_element" | "assignment" => described::entry(reader, node, found),
        _ => {}
    }
}

pub(super) fn add(
    reader: &Reader<'_>,
    node: Node<'_>,
    found: &mut Declarations,
    (kind, name): (DeclaredKind, String),
    (texts, handlers): (Vec<CodeText>, Vec<Handler>),
) {
    if texts.is_empty() && handlers.is_empty() {
        return;
    }
    let site = found.site(reader.file, lines(node).0);
    found.declared.push(Declared { kind, name, site, texts, handlers });
}

pub(super) fn kind_of(name: &str) -> Option<DeclaredKind> {
    Some(match name {
        "tool" | "registerTool" | "addTool" | "add_tool" | "Tool" | "AddTool" | "NewTool" | "defineTool"
        | "createTool" => DeclaredKind::Tool,
        "prompt" | "registerPrompt" | "addPrompt" | "add_prompt" | "Prompt" | "AddPrompt" | "NewPrompt" => {
            DeclaredKind::Prompt
        }
        "resource" | "registerResource" | "addResource" | "Resource" | "AddResource" | "NewResource" => {
            DeclaredKind::Resource
        }
        _ => return None,
    })
}

/// The texts within a node, without names of keys and without code of functions.
pub(super) fn texts(reader: &Reader<'_>, node: Node<'_>, found: &Declarations) -> Vec<CodeText> {
    let mut texts = Vec::new();
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop().filter(|_| texts.len() < MOST_TEXTS && reader.step()) {
        if is_textual(node) {
            let text = text_of(node, reader.text, reader.constants);
            let site = found.site(reader.file, lines(node).0);
            texts.push(CodeText { kind: TextKind::Literal, site, text });
            continue;
        }
        match node.kind() {
            "arrow_function"
            | "function_expression"
            | "func_literal"
            | "lambda"
            | "block"
            | "statement_block"
            | "comment" => {}
            "pair" | "keyword_argument" => waiting.extend(node.child_by_field_name("value")),
            "identifier" | "attribute" | "member_expression" | "selector_expression" => {
                let text = text_of(node, reader.text, reader.constants);
                if text.len() > '…'.len_utf8() {
                    let site = found.site(reader.file, lines(node).0);
                    texts.push(CodeText { kind: TextKind::Literal, site, text });
                }
                push_children(node, &mut waiting);
            }
            _ => push_children(node, &mut waiting),
        }
    }
    texts.retain(|text| !text.text.trim().is_empty());
    texts
}

/// The handler that an argument is.
pub(super) fn handler(reader: &Reader<'_>, node: Node<'_>) -> Option<Handler> {
    let (first, last) = lines(node);
    match node.kind() {
        "arrow_function" | "function_expression" | "func_literal" | "lambda" | "method_definition" => {
            Some(Handler::Lines { file: reader.file, first, last })
        }
        "identifier" | "attribute" | "member_expression" | "selector_expression" => {
            Some(Handler::Named(last_name(node, reader.text).to_owned()))
        }
        _ => None,
    }
}

pub(super) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut children = Vec::new();
    push_children(node, &mut children);
    children.reverse();
    children.retain(|child| child.kind() != "comment");
    children
}

/// `@server.tool()` above a function.
fn decorated(reader: &Reader<'_>, node: Node<'_>, found: &mut Declarations) {
    let Some(definition) = node.child_by_field_name("definition") else { return };
    for decorator in children(node).into_iter().filter(|child| child.kind() == "decorator") {
        let Some(value) = decorator.named_child(0) else { continue };
        let called = if value.kind() == "call" {
            value.child_by_field_name("function").unwrap_or(value)
        } else {
            value
        };
        let Some(kind) = kind_of(last_name(called, reader.text)) else { continue };
        let mut name = definition
            .child_by_field_name("name")
            .map(|name| slice(name, reader.text).to_owned())
            .unwrap_or_default();
        let mut own = Vec::new();
        if let Some(arguments) = value.child_by_field_name("arguments").filter(|_| value.kind() == "call") {
            let named = field(reader, arguments, "name").or_else(|| {
                arguments.named_child(0).filter(|first| kind == DeclaredKind::Tool && is_textual(*first))
            });
            if let Some(named) = named {
                name = text_of(named, reader.text, reader.constants);
            }
            own.extend(texts(reader, arguments, found));
        }
        if let Some(parameters) = definition.child_by_field_name("parameters") {
            own.extend(texts(reader, parameters, found));
        }
        let body = definition.child_by_field_name("body");
        let first =
            body.and_then(|body| body.named_child(0)).filter(|first| first.kind() == "expression_statement");
        if let Some(text) = first.and_then(|first| first.named_child(0)).filter(|text| is_textual(*text)) {
            own.extend(texts(reader, text, found));
        }
        let (first, last) = lines(definition);
        let handlers = vec![Handler::Lines { file: reader.file, first, last }];
        add(reader, node, found, (kind, name), (own, handlers));
    }
}

/// The value of an entry of a call, dictionary or object.
pub(super) fn field<'t>(reader: &Reader<'_>, list: Node<'t>, name: &str) -> Option<Node<'t>> {
    children(list).into_iter().find_map(|child| {
        let key = ["key", "name"].iter().find_map(|field| child.child_by_field_name(field));
        let key = key.or_else(|| child.named_child(0).filter(|_| child.kind() == "keyed_element"))?;
        let key_text = slice(key, reader.text).trim_matches(['"', '\'']);
        let value = if child.kind() == "keyed_element" {
            child.named_child(1)
        } else {
            child.child_by_field_name("value")
        };
        let value = value.or_else(|| Some(child).filter(|child| child.kind() == "method_definition"));
        value.filter(|_| key_text == name)
    })
}

fn call(reader: &Reader<'_>, node: Node<'_>, found: &mut Declarations) {
    let Some(function) = node.child_by_field_name("function") else { return };
    let Some(list) = node.child_by_field_name("arguments") else { return };
    let called = last_name(function, reader.text);
    if called == "describe" && reader.language != Language::Python {
        let own = texts(reader, list, found);
        return add(reader, node, found, (DeclaredKind::Parameter, String::new()), (own, Vec::new()));
    }
    if matches!(called, "WithInstructions" | "WithServerInstructions") {
        let own = texts(reader, list, found);
        return add(reader, node, found, (DeclaredKind::Instructions, String::new()), (own, Vec::new()));
    }
    let Some(kind) = kind_of(called) else { return };
    let is_member = function.kind() != "identifier";
    let is_type =
        called.starts_with(char::is_uppercase) || called.ends_with("Tool") || called.ends_with("_tool");
    if !is_member && !is_type {
        return;
    }
    let arguments = children(list);
    let is_go_addition = called.starts_with("Add");
    let first = arguments
        .first()
        .filter(|first| is_textual(**first) || first.kind() == "identifier" && !is_go_addition);
    let object = arguments.first().filter(|first| first.kind() == "object");
    let in_object = object.and_then(|object| field(reader, *object, "name"));
    let named = field(reader, list, "name").or_else(|| first.copied()).or(in_object);
    let name = named.map(|named| text_of(named, reader.text, reader.constants)).unwrap_or_default();
    let own = texts(reader, list, found);
    let mut handlers: Vec<Handler> =
        arguments.iter().skip(1).rev().take(1).filter_map(|argument| handler(reader, *argument)).collect();
    for key in ["fn", "handler", "func", "execute"] {
        handlers.extend(field(reader, list, key).and_then(|value| handler(reader, value)));
    }
    let inner = if is_go_addition { inner_name(reader, &arguments).unwrap_or(name) } else { name };
    // Calls of other libraries that happen to have such a name have neither a name nor a text.
    if own.iter().any(|text| text.text.len() > 2) {
        add(reader, node, found, (kind, inner.replace('…', "")), (own, handlers));
    }
}

/// Go: the name within the tool that is added, or of the variable that holds it.
fn inner_name(reader: &Reader<'_>, arguments: &[Node<'_>]) -> Option<String> {
    arguments.iter().find_map(|argument| {
        let mut waiting = vec![*argument];
        for _ in 0..60 {
            let node = waiting.pop()?;
            if is_textual(node) {
                return Some(text_of(node, reader.text, reader.constants));
            }
            push_children(node, &mut waiting);
        }
        None
    })
}
