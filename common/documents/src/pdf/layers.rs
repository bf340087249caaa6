//! Layers that are switched off. The interpreter skips their content, so the document is read again with the switch
//! removed.

use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name};

/// The key of the catalog that describes layers, and one of the same length that means nothing.
const LAYERS: &[u8] = b"/OCProperties";
const NOTHING: &[u8] = b"/OCProperty-s";

/// The layers of a document.
pub(crate) enum Layers {
    /// All that there are, if any, are shown.
    Shown,
    /// Some are hidden: the document with all of them shown.
    Hidden(Pdf),
    /// Some are hidden, and cannot be shown, because their list is in a compressed object.
    Unreadable,
}

/// Looks for hidden layers.
pub(crate) fn layers(pdf: &Pdf, content: &[u8]) -> Layers {
    if !has_hidden(pdf) {
        return Layers::Shown;
    }
    match all_switched_on(content) {
        Some(whole) if !has_hidden(&whole) => Layers::Hidden(whole),
        _ => Layers::Unreadable,
    }
}

fn all_switched_on(content: &[u8]) -> Option<Pdf> {
    let mut changed = content.to_vec();
    let mut from = 0;
    while let Some(at) =
        changed.get(from..).and_then(|rest| rest.windows(LAYERS.len()).position(|key| key == LAYERS))
    {
        let key = changed.get_mut(from + at..from + at + LAYERS.len())?;
        key.copy_from_slice(NOTHING);
        from += at + LAYERS.len();
    }
    Pdf::new(changed).ok()
}

fn has_hidden(pdf: &Pdf) -> bool {
    let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
    let layers = catalog.and_then(|catalog| catalog.get::<Dict<'_>>(b"OCProperties"));
    let Some(initially) = layers.and_then(|layers| layers.get::<Dict<'_>>(b"D")) else { return false };
    let base = initially.get::<Name<'_>>(b"BaseState");
    base.is_some_and(|base| base.as_ref() == b"OFF")
        || initially.get::<Array<'_>>(b"OFF").is_some_and(|off| off.raw_iter().next().is_some())
}
