//! What is found and what is left alone.
#![expect(clippy::unwrap_used, reason = "tests")]

use super::{Catalogue, EntitySet, replace};

mod found;

fn redacted(text: &str) -> String {
    let wanted = EntitySet::default();
    replace(text, &Catalogue::new().unwrap().find(text, &wanted), &wanted)
}
