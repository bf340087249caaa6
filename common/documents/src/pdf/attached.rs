//! Text outside of the pages' content: annotations, outline, metadata, attached files, forms.

use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{Array, Dict, Object, Stream, String as PdfString};

use super::actions::Actions;
use super::{Room, strings};
use crate::document::{ActiveKind, Document, Position, Run, TextKind};
use crate::error::DocumentError;

/// Nodes of name trees and outlines that are visited. Cycles end here too.
pub(super) const MOST_NODES: usize = 10_000;

/// Adds a text, if it is one.
pub(crate) fn add(
    document: &mut Document,
    room: &mut Room,
    kind: TextKind,
    page: Option<u32>,
    text: String,
) -> Result<(), DocumentError> {
    if text.chars().all(|character| character.is_whitespace() || character.is_control()) {
        return Ok(());
    }
    room.take(text.len())?;
    document.runs.push(Run { text, kind, position: Position::Attached { page }, hiding: None });
    Ok(())
}

/// Collects all of it.
pub(crate) fn collect(pdf: &Pdf, document: &mut Document, room: &mut Room) -> Result<(), DocumentError> {
    let mut found = Vec::new();
    let mut actions = Actions::default();
    for (index, page) in pdf.pages().iter().enumerate() {
        let page_number = u32::try_from(index).ok();
        let annotations = page.raw().get::<Array<'_>>(b"Annots");
        for annotation in annotations.iter().flat_map(|annotations| annotations.iter::<Dict<'_>>()) {
            of_annotation(&annotation, &mut |kind, text| found.push((kind, page_number, text)));
            actions.of_annotation(&annotation, page_number);
        }
        actions.of_opening(page.raw().get::<Dict<'_>>(b"AA"), page_number);
    }
    let mut keep = |kind, text| found.push((kind, None, text));
    of_information(pdf, &mut keep);
    if let Some(catalog) = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id()) {
        of_catalog(&catalog, &mut keep);
        actions.of_catalog(&catalog);
    }
    for (page, code) in std::mem::take(&mut actions.scripts) {
        found.push((TextKind::Script, page, code));
    }
    actions.active.extend(
        found
            .iter()
            .filter(|(kind, ..)| *kind == TextKind::Attachment)
            .map(|(_, _, name)| crate::document::Active::new(ActiveKind::EmbeddedFile, name.clone())),
    );
    document.active = actions.active;
    for (kind, page, text) in found {
        add(document, room, kind, page, text)?;
    }
    Ok(())
}

/// Receives each text that is found.
type Keep<'k> = &'k mut dyn FnMut(TextKind, String);

fn of_annotation(annotation: &Dict<'_>, keep: Keep<'_>) {
    for key in [&b"Contents"[..], b"RC", b"V", b"DV", b"TU", b"Subj", b"T"] {
        if let Some(text) = string(annotation, key) {
            keep(TextKind::Annotation, text);
        }
    }
    if let Some(file) = annotation.get::<Dict<'_>>(b"FS") {
        of_file(&file, keep);
    }
}

fn of_information(pdf: &Pdf, keep: Keep<'_>) {
    let information = pdf.metadata();
    let entries = [
        &information.title,
        &information.author,
        &information.subject,
        &information.keywords,
        &information.creator,
        &information.producer,
    ];
    for entry in entries.into_iter().flatten() {
        keep(TextKind::Metadata, strings::text(entry));
    }
}

fn of_catalog(catalog: &Dict<'_>, keep: Keep<'_>) {
    if let Some(metadata) =
        catalog.get::<Stream<'_>>(b"Metadata").and_then(|stream| stream.decoded_data().ok())
    {
        keep(TextKind::Metadata, character_data(&String::from_utf8_lossy(&metadata)));
    }
    if let Some(names) = catalog.get::<Dict<'_>>(b"Names") {
        for file in leaves(names.get(b"EmbeddedFiles")) {
            of_file(&file, keep);
        }
    }
    let files = catalog.get::<Array<'_>>(b"AF");
    for file in files.iter().flat_map(|files| files.iter::<Dict<'_>>()).take(MOST_NODES) {
        of_file(&file, keep);
    }
    if let Some(form) = catalog.get::<Dict<'_>>(b"AcroForm") {
        of_form(&form, keep);
    }
    of_outline(catalog.get::<Dict<'_>>(b"Outlines"), keep);
}

/// Values of a name tree.
pub(super) fn leaves<'a>(root: Option<Dict<'a>>) -> Vec<Dict<'a>> {
    let mut found = Vec::new();
    let mut waiting: Vec<Dict<'a>> = root.into_iter().collect();
    for _ in 0..MOST_NODES {
        let Some(node) = waiting.pop() else { break };
        if let Some(kids) = node.get::<Array<'a>>(b"Kids") {
            waiting.extend(kids.iter::<Dict<'a>>().take(MOST_NODES));
        }
        if let Some(names) = node.get::<Array<'a>>(b"Names") {
            found.extend(names.iter::<Object<'a>>().filter_map(Object::into_dict).take(MOST_NODES));
        }
        waiting.truncate(MOST_NODES);
    }
    found.truncate(MOST_NODES);
    found
}

fn of_file(file: &Dict<'_>, keep: Keep<'_>) {
    let name = string(file, b"UF").or_else(|| string(file, b"F")).unwrap_or_else(|| "unnamed".to_owned());
    keep(TextKind::Attachment, name);
    if let Some(text) = string(file, b"Desc") {
        keep(TextKind::Attachment, text);
    }
}

/// Values of fields that no page shows, and the form in XML.
fn of_form(form: &Dict<'_>, keep: Keep<'_>) {
    let fields = form.get::<Array<'_>>(b"Fields");
    let mut waiting: Vec<Dict<'_>> =
        fields.iter().flat_map(|fields| fields.iter::<Dict<'_>>()).take(MOST_NODES).collect();
    for _ in 0..MOST_NODES {
        let Some(field) = waiting.pop() else { break };
        // Fields that are annotations too are read with their page.
        if !field.contains_key(b"Rect") {
            for text in [&b"V"[..], b"DV", b"TU"].iter().filter_map(|key| string(&field, key)) {
                keep(TextKind::Annotation, text);
            }
        }
        let kids = field.get::<Array<'_>>(b"Kids");
        waiting.extend(kids.iter().flat_map(|kids| kids.iter::<Dict<'_>>()).take(MOST_NODES));
        waiting.truncate(MOST_NODES);
    }
    let streams = form.get::<Array<'_>>(b"XFA");
    let parts = streams.iter().flat_map(|parts| parts.iter::<Object<'_>>()).filter_map(Object::into_stream);
    for part in parts.take(MOST_NODES).chain(form.get::<Stream<'_>>(b"XFA")) {
        if let Ok(data) = part.decoded_data() {
            keep(TextKind::Data, character_data(&String::from_utf8_lossy(&data)));
        }
    }
}

fn of_outline(root: Option<Dict<'_>>, keep: Keep<'_>) {
    let mut waiting: Vec<Dict<'_>> = root.into_iter().collect();
    for _ in 0..MOST_NODES {
        let Some(item) = waiting.pop() else { break };
        if let Some(text) = string(&item, b"Title") {
            keep(TextKind::Outline, text);
        }
        // The children come before what follows.
        waiting.extend(item.get::<Dict<'_>>(b"Next"));
        waiting.extend(item.get::<Dict<'_>>(b"First"));
    }
}

pub(super) fn string(dict: &Dict<'_>, key: &[u8]) -> Option<String> {
    dict.get::<PdfString<'_>>(key).map(|string| strings::text(string.as_bytes()))
}

/// Text between the tags of XML, with one line for each run.
fn character_data(xml: &str) -> String {
    let runs = xml.split('<').filter_map(|piece| piece.split_once('>').map(|(_, text)| text.trim()));
    runs.filter(|run| !run.is_empty()).collect::<Vec<_>>().join("\n")
}
