//! Pages in HTML to passages, links, forms and scripts. Comments, alternative texts and descriptions count as hidden: programs that extract
//! text read them, and readers do not see them.

use std::collections::HashSet;

use documents::{Field, Html, Run, TextKind};
use url::Url;

use super::document::push;
use super::{Content, Feature, Found, pieces, script, unread};
use crate::artifact::Severity;
use crate::links::{Link, find};
use crate::text::Passage;

/// Values of `autocomplete` of fields for credentials and cards (HTML Living Standard, autofill).
const CREDENTIALS: [&str; 6] =
    ["current-password", "new-password", "one-time-code", "cc-number", "cc-csc", "cc-exp"];

/// Parts of a page that checks of pages use.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Targets of forms that ask for credentials; empty for the page itself, as those of fields outside of forms.
    pub(crate) credential_forms: Vec<String>,
    /// Target of a redirection by the page, as written.
    pub(crate) refresh: Option<String>,
    /// Title.
    pub(crate) title: String,
}

impl Page {
    /// Those parts of a page.
    pub(crate) fn of(page: &Html) -> Self {
        let forms = page.forms.iter().filter(|form| form.fields.iter().any(asks));
        let targets = forms.flat_map(|form| std::iter::once(&form.action).chain(&form.other_actions));
        let mut credential_forms: Vec<String> = targets.cloned().collect();
        if page.loose_fields.iter().any(asks) {
            credential_forms.push(String::new());
        }
        let refresh = page.refresh.as_ref().map(|refresh| refresh.target.clone());
        Self { credential_forms, refresh, title: page.title.clone().unwrap_or_default() }
    }
}

fn asks(field: &Field) -> bool {
    field.kind == "password"
        || field
            .autocomplete
            .split_whitespace()
            .any(|word| CREDENTIALS.contains(&word.to_lowercase().as_str()))
}

impl Content {
    /// Adds a page. Its links are relative to `base`, where it is known.
    pub(crate) fn add_page(&mut self, place: &str, page: &Html, base: Option<&Url>) {
        self.skipped.extend(page.document.unread.iter().map(|reason| unread(place, *reason)));
        self.images += page.images.len();
        let runs = &page.document.runs;
        self.passages
            .extend(visible_and_hidden(place, page.title.as_deref(), runs).into_iter().flat_map(pieces));
        let own = page.base.as_deref().and_then(|own| match base {
            Some(base) => base.join(own).ok(),
            None => Url::parse(own).ok(),
        });
        let base = own.as_ref().or(base);
        let resolved = |target: &str| {
            base.and_then(|base| base.join(target).ok()).map_or_else(|| target.to_owned(), Url::into)
        };
        for (link, number) in page.links.iter().zip(1..) {
            let place = format!("in link {number} of {place}");
            self.links.push(Link { shown: Some(link.text.clone()), target: resolved(&link.href), place });
        }
        let frames = page.frames.iter().map(|frame| &frame.source).filter(|source| !source.is_empty());
        let refresh = page.refresh.iter().map(|refresh| &refresh.target);
        let actions = page.forms.iter().map(|form| &form.action);
        for target in frames.chain(refresh).chain(actions).filter(|target| !target.is_empty()) {
            let place = format!("in a frame, form or redirection of {place}");
            self.links.push(Link { shown: None, target: resolved(target), place });
        }
        if !Page::of(page).credential_forms.is_empty() {
            let says = format!("a form asks for a password, a code or card data in {place}");
            self.found.push(Found { feature: Feature::Form, severity: Severity::High, says });
        }
        let code = page.scripts.iter().filter(|script| script.is_code);
        let texts = code.filter_map(|script| runs.get(script.run? as usize));
        if let Some((severity, says)) = texts.filter_map(|run| script::packed(&run.text)).max() {
            let says = format!("{says} in {place}");
            self.found.push(Found { feature: Feature::Packed, severity, says });
        }
    }
}

/// URLs in the text of a page of a mail that are no text of a link: programs make links of them.
pub(super) fn written_links(place: &str, page: &Html) -> Vec<Link> {
    let of_links: Vec<&str> = page.links.iter().map(|link| link.text.as_str()).collect();
    let linked = find(&Passage::visible(place, of_links.join("\n")));
    let linked: HashSet<String> = linked.into_iter().map(|link| link.target).collect();
    let mut content = Passage::visible(place, "");
    let texts = page.document.runs.iter().filter(|run| run.kind == TextKind::Content);
    texts.for_each(|run| push(&mut content, &run.text, false));
    let is_opened = |target: &str| {
        let head = target.get(..4).map(str::to_ascii_lowercase);
        head.is_some_and(|head| matches!(head.as_str(), "http" | "www."))
    };
    let mut written = find(&content);
    written.retain(|link| is_opened(&link.target) && !linked.contains(&link.target));
    written
}

/// The text in the order of the page, then texts that are no content.
fn visible_and_hidden(place: &str, title: Option<&str>, runs: &[Run]) -> Vec<Passage> {
    let mut content = Passage::visible(place, "");
    let mut beside = Passage::visible(format!("comments and attributes of {place}"), "");
    let mut data = Passage { is_aside: true, ..Passage::visible(format!("data of {place}"), "") };
    for run in runs {
        let is_title = || title.is_some_and(|title| title.trim() == run.text.trim());
        match run.kind {
            TextKind::Content => push(&mut content, &run.text, run.hiding.is_some()),
            TextKind::Metadata if is_title() => push(&mut content, &run.text, false),
            TextKind::Data => push(&mut data, &run.text, false),
            TextKind::Script => {}
            _ => push(&mut beside, &run.text, true),
        }
    }
    [content, beside, data].into_iter().filter(|passage| !passage.text.is_empty()).collect()
}
