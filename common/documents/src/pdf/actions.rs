//! Actions (ISO 32000-2, 12.6): what a viewer does when a document, page, link or field is used.

use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Stream, String as PdfString};

use super::attached::{MOST_NODES, leaves, string};
use super::strings;
use crate::document::{Active, ActiveKind};

/// Actions that were found. Each counts once for each place.
#[derive(Default)]
pub(super) struct Actions {
    pub(super) active: Vec<Active>,
    /// Code with the index of its page.
    pub(super) scripts: Vec<(Option<u32>, String)>,
}

impl Actions {
    pub(super) fn of_catalog(&mut self, catalog: &Dict<'_>) {
        self.of_opening(catalog.get::<Dict<'_>>(b"AA"), None);
        if let Some(action) =
            catalog.get::<Dict<'_>>(b"OpenAction").filter(|action| action.contains_key(b"S"))
        {
            self.note_opening(&action);
            self.of_action(Some(action), None);
        }
        if let Some(names) = catalog.get::<Dict<'_>>(b"Names") {
            for action in leaves(names.get(b"JavaScript")) {
                self.of_action(Some(action), None);
            }
        }
        let fields = catalog.get::<Dict<'_>>(b"AcroForm").and_then(|form| form.get::<Array<'_>>(b"Fields"));
        for field in fields.iter().flat_map(|fields| fields.iter::<Dict<'_>>()).take(MOST_NODES) {
            self.of_events(field.get::<Dict<'_>>(b"AA"), None);
        }
    }

    pub(super) fn of_annotation(&mut self, annotation: &Dict<'_>, page: Option<u32>) {
        self.of_action(annotation.get::<Dict<'_>>(b"A"), page);
        self.of_events(annotation.get::<Dict<'_>>(b"AA"), page);
    }

    /// Actions of a document or page by event, those of its opening among them.
    pub(super) fn of_opening(&mut self, events: Option<Dict<'_>>, page: Option<u32>) {
        if let Some(action) = events.as_ref().and_then(|events| events.get::<Dict<'_>>(b"O")) {
            self.note_opening(&action);
        }
        self.of_events(events, page);
    }

    fn note_opening(&mut self, action: &Dict<'_>) {
        let kind =
            action.get::<Name<'_>>(b"S").map(|kind| String::from_utf8_lossy(kind.as_ref()).into_owned());
        // A jump within the document is how many writers set the first view.
        if let Some(kind) = kind.filter(|kind| kind != "GoTo" && kind != "Named") {
            self.add(ActiveKind::OpenAction, kind);
        }
    }

    fn of_events(&mut self, events: Option<Dict<'_>>, page: Option<u32>) {
        const EVENTS: [&[u8]; 20] = [
            b"E", b"X", b"D", b"U", b"Fo", b"Bl", b"PO", b"PC", b"PV", b"PI", b"O", b"C", b"K", b"F", b"V",
            b"WC", b"WS", b"DS", b"WP", b"DP",
        ];
        let Some(events) = events else { return };
        for event in EVENTS {
            self.of_action(events.get::<Dict<'_>>(event), page);
        }
    }

    /// An action and those that follow it.
    fn of_action(&mut self, action: Option<Dict<'_>>, page: Option<u32>) {
        let mut waiting: Vec<Dict<'_>> = action.into_iter().collect();
        for _ in 0..MOST_NODES {
            let Some(action) = waiting.pop() else { return };
            self.one(&action, page);
            waiting.extend(action.get::<Dict<'_>>(b"Next"));
            let list = action.get::<Array<'_>>(b"Next");
            waiting.extend(list.iter().flat_map(|list| list.iter::<Dict<'_>>()).take(MOST_NODES));
            waiting.truncate(MOST_NODES);
            if self.active.len() >= MOST_NODES {
                return;
            }
        }
    }

    fn one(&mut self, action: &Dict<'_>, page: Option<u32>) {
        let Some(kind) = action.get::<Name<'_>>(b"S") else { return };
        // A rendition may have a script too.
        if kind.as_ref() == b"JavaScript" || action.contains_key(b"JS") {
            let code = string(action, b"JS").or_else(|| {
                let stream = action.get::<Stream<'_>>(b"JS")?;
                Some(strings::text(&stream.decoded_data().ok()?))
            });
            let code = code.unwrap_or_else(|| "unreadable".to_owned());
            self.add(ActiveKind::JavaScript, code.chars().take(200).collect());
            self.scripts.push((page, code));
        }
        match kind.as_ref() {
            b"Launch" => self.add(ActiveKind::Launch, command(action)),
            b"URI" => self.add(ActiveKind::Link, string(action, b"URI").unwrap_or_default()),
            b"GoToR" | b"GoToE" | b"Thread" => self.add(ActiveKind::Link, file(action, b"F")),
            b"SubmitForm" => self.add(ActiveKind::SubmitForm, file(action, b"F")),
            b"ImportData" => self.add(ActiveKind::ExternalContent, file(action, b"F")),
            _ => {}
        }
    }

    fn add(&mut self, kind: ActiveKind, detail: String) {
        let active = Active::new(kind, detail);
        if self.active.len() < MOST_NODES && self.active.last() != Some(&active) {
            self.active.push(active);
        }
    }
}

/// Program and arguments of a start.
fn command(action: &Dict<'_>) -> String {
    let windows = action.get::<Dict<'_>>(b"Win");
    let program =
        windows.as_ref().and_then(|windows| string(windows, b"F")).unwrap_or_else(|| file(action, b"F"));
    let arguments = windows.as_ref().and_then(|windows| string(windows, b"P")).unwrap_or_default();
    format!("{program} {arguments}").trim().to_owned()
}

/// Name or address of a file specification, which is a string or a dictionary.
fn file(action: &Dict<'_>, key: &[u8]) -> String {
    if let Some(name) = action.get::<PdfString<'_>>(key) {
        return strings::text(name.as_bytes());
    }
    let file = action.get::<Dict<'_>>(key);
    let name = file.and_then(|file| string(&file, b"UF").or_else(|| string(&file, b"F")));
    name.unwrap_or_default()
}
