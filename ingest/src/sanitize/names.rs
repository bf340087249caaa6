//! What the names of attributes and fields ask for, remembered: a batch has a few dozen names and
//! repeats them in every record, while judging one costs as much as masking a short text.

use redact::{Match, Redactor};

use super::Treatment;

/// Names remembered at a time, a power of two: more than most batches have, little to set up.
const SLOTS: usize = 128;

/// The longest name that is remembered, in bytes, so that the memory is bounded too.
const LONGEST: usize = 64;

/// What is known about a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    /// What it asks for.
    pub(super) treatment: Treatment,
    /// Whether the name itself holds no secret.
    pub(super) clean: bool,
}

/// The names seen last. Each has one place, where a newer one replaces it.
pub(super) struct Names {
    slots: Vec<(Vec<u8>, Option<Verdict>)>,
}

impl Names {
    pub(super) fn new() -> Self {
        Self { slots: vec![(Vec::new(), None); SLOTS] }
    }

    /// Judges `name`, or remembers how it was judged.
    pub(super) fn judge(&mut self, redactor: &Redactor, name: &[u8], scratch: &mut Vec<Match>) -> Verdict {
        let Some((remembered, verdict)) = self.slots.get_mut(slot(name)).filter(|_| name.len() <= LONGEST)
        else {
            return judge(redactor, name, scratch);
        };
        match verdict {
            Some(verdict) if remembered == name => *verdict,
            _ => {
                remembered.clear();
                remembered.extend_from_slice(name);
                *verdict.insert(judge(redactor, name, scratch))
            }
        }
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

fn judge(redactor: &Redactor, name: &[u8], scratch: &mut Vec<Match>) -> Verdict {
    redactor.find(name, scratch);
    let clean = scratch.is_empty();
    let name = std::str::from_utf8(name).unwrap_or_default();
    let treatment = if redactor.is_exempt_key(name) {
        Treatment::Leave
    } else if redactor.is_sensitive_key(name) {
        Treatment::Mask
    } else {
        Treatment::Scan
    };
    Verdict { treatment, clean }
}
