//! Values that are found, and texts that are left alone.

use super::{Catalogue, Entity, EntitySet, replace};

mod americas;
mod asia;
mod cases;
mod draw;
mod eastern;
mod found;
mod generated;
mod papers;
mod sentences;
mod vectors;
mod western;
mod wordings;

fn redacted(text: &str) -> String {
    let wanted = EntitySet::default();
    replace(text, &Catalogue::new().unwrap().find(text, &wanted), &wanted)
}

/// Reproducible randomness: SplitMix64.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((u128::from(bits ^ (bits >> 31)) * end as u128) >> 64) as usize
    }
}
