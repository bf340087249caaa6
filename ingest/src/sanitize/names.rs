//! What the names of attributes and fields ask for, remembered: a batch has a few dozen names and
//! repeats them in every record, while judging one costs as much as masking a short text.

use redact::Redactor;

use super::bare;
use super::walk::Treatment;

/// Names remembered at a time, a power of two: more than most batches have, little to set up.
const SLOTS: usize = 128;

/// The longest name that is remembered, in bytes, so that the memory is bounded too.
const LONGEST: usize = 64;

/// The names seen last. Each has one place, where a newer one replaces it.
#[derive(Default)]
pub(super) struct Names {
    /// Empty until the first name: most small batches never ask.
    slots: Vec<(Vec<u8>, Treatment)>,
}

impl Names {
    /// Judges `name`, or remembers how it was judged.
    pub(super) fn judge(&mut self, redactor: &Redactor, name: &[u8]) -> Treatment {
        // Nothing is remembered of the empty name, which stands for a slot that is free.
        if name.is_empty() || name.len() > LONGEST {
            return judge(redactor, name);
        }
        if self.slots.is_empty() {
            self.slots.resize(SLOTS, (Vec::new(), Treatment::Scan));
        }
        let Some((remembered, treatment)) = self.slots.get_mut(slot(name)) else {
            return judge(redactor, name);
        };
        if remembered != name {
            remembered.clear();
            remembered.extend_from_slice(name);
            *treatment = judge(redactor, name);
        }
        *treatment
    }
}

/// The place of a name: any mixing will do, since names are compared in full.
fn slot(name: &[u8]) -> usize {
    let (words, rest) = name.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let rest = rest.iter().map(|byte| u64::from(*byte));
    let mixed = words
        .chain(rest)
        .fold(0, |mixed: u64, word| (mixed.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    (mixed >> 32) as usize % SLOTS
}

fn judge(redactor: &Redactor, key: &[u8]) -> Treatment {
    let name = std::str::from_utf8(key).unwrap_or_default();
    if redactor.is_exempt_key(name) {
        Treatment::Leave
    } else if redactor.is_sensitive_key(name) {
        Treatment::Mask
    } else {
        bare::Name::of(key).map_or(Treatment::Scan, Treatment::Judge)
    }
}
