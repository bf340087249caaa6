//! Relations between parts: those that lead outside of the document.

use super::collect::Collector;
use super::{Parts, xml};
use crate::document::ActiveKind;

/// Notes every target outside.
pub(super) fn read(parts: &Parts, collector: &mut Collector) {
    for (_, content) in parts.iter().filter(|(path, _)| path.ends_with(".rels")) {
        let mut found = Vec::new();
        let is_whole = xml::walk(content, &mut |event| {
            let xml::Event::Open { name: "Relationship", attributes, .. } = event else { return };
            let is_external =
                attributes.get("TargetMode").is_some_and(|mode| mode.eq_ignore_ascii_case("external"));
            let kind = attributes.get("Type").unwrap_or_default();
            let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
            if is_external {
                found.push((of_type(&kind), attributes.get("Target").unwrap_or_default()));
            }
        });
        collector.damage_unless(is_whole);
        for (kind, target) in found {
            collector.active(kind, &target);
        }
    }
}

fn of_type(kind: &str) -> ActiveKind {
    match kind {
        "hyperlink" => ActiveKind::Link,
        "attachedTemplate" => ActiveKind::ExternalTemplate,
        _ => ActiveKind::ExternalContent,
    }
}

/// Notes a field instruction or formula that starts a program or loads something.
pub(super) fn instruction(text: &str, collector: &mut Collector) {
    let upper = text.trim().trim_start_matches(['=', '+', '-', '@']).to_ascii_uppercase();
    let word = upper.split_ascii_whitespace().next().unwrap_or_default();
    match word {
        "DDE" | "DDEAUTO" => collector.active(ActiveKind::Dde, text.trim()),
        "INCLUDETEXT" | "INCLUDEPICTURE" | "IMPORT" | "LINK" => {
            collector.active(ActiveKind::ExternalContent, text.trim());
        }
        _ => {}
    }
}
