//! Postal codes on their own, beside a label or, where the form is that of Britain or Canada, without.

use super::entity::Entity;
use super::form::{end_of, stands_alone};
use super::format::label::POSTCODE;
use super::overlap::{Candidate, Rank};
use super::page::Page;

/// Forms that need a label.
const LABELLED: [&str; 9] =
    ["ddddd-dddd", "ddddd-ddd", "dddd-ddd", "ddd-dddd", "dd-ddd", "ddd~dd", "dddd~aa", "dddddd", "dddd"];
/// Forms that other texts do not have: British (BS 7666) and Canadian codes.
const PLAIN: [&str; 7] = ["ad_daa", "add_daa", "aad_daa", "aadd_daa", "ada_daa", "aada_daa", "ada_dad"];

pub(crate) fn find(page: &Page<'_>, found: &mut Vec<Candidate>) {
    for (index, word) in page.words.iter().enumerate() {
        if !word.has_digit || word.end - word.start > 6 {
            continue;
        }
        let named = page.context(index).distance(POSTCODE, "").filter(|distance| *distance <= 3);
        let ends = |forms: &[&str]| {
            let ends = forms.iter().filter_map(|form| end_of(form, page.bytes(), word.start));
            ends.filter(|end| stands_alone(page.bytes(), word.start, *end)).max()
        };
        let plain = ends(&PLAIN)
            .filter(|end| page.part(word.start, *end).bytes().all(|byte| !byte.is_ascii_lowercase()));
        let labelled = named.and_then(|_| ends(&LABELLED).or_else(|| ends(&["ddddd"])));
        if let Some(end) = plain.or(labelled) {
            let (rank, distance) = named.map_or((Rank::Weak, 0), |distance| (Rank::Named, distance));
            let entity = Entity::Postcode;
            found.push(Candidate { start: word.start, end, entity, reason: "postal code", rank, distance });
        }
    }
}
