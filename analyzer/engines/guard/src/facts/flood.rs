//! Flooding: a short unit repeated until a model forgets what stood before.

use text::View;

use super::Fact;
use crate::Violation;

/// Longest unit, in bytes.
const MAX_UNIT: usize = 24;

/// Bytes of repetition from which on a text is flooded.
const MIN_FLOOD: usize = 120;

/// The fact, for the input itself: each unit length is one pass.
pub(super) fn fact(view: &View, input: &str) -> Option<Fact> {
    if view.is_decoded || input.len() < MIN_FLOOD {
        return None;
    }
    let bytes = input.as_bytes();
    (1..=MAX_UNIT).find_map(|unit| flood(bytes, unit)).map(|()| Fact {
        name: "flooding",
        says: "repeats a short text many times",
        words: 0..view.words.len(),
        strength: 1.5,
        violation: Violation::PromptInjection,
    })
}

/// Bytes from one probe to the next: a flood has at least one probe in it whose bytes all repeat.
const PROBE: usize = 8;
const STEP: usize = MIN_FLOOD - 2 * PROBE;

/// Whether the bytes repeat themselves at this distance for long enough: probes at a distance find the places that are
/// worth a pass.
fn flood(bytes: &[u8], unit: usize) -> Option<()> {
    (0..bytes.len()).step_by(STEP).find_map(|place| {
        let probe = bytes.get(place..place.checked_add(PROBE)?)?;
        if bytes.get(place + unit..place + unit + PROBE)? != probe {
            return None;
        }
        let end = (place + MIN_FLOOD + unit).min(bytes.len());
        flooded(bytes.get(place.saturating_sub(MIN_FLOOD)..end)?, unit)
    })
}

/// Whether the bytes repeat themselves at this distance for long enough. Rules and dots are no flood: a letter must be
/// among the repeated bytes.
fn flooded(bytes: &[u8], unit: usize) -> Option<()> {
    let mut run = 0;
    let mut start = 0;
    let later = bytes.get(unit..)?;
    for (place, (one, two)) in bytes.iter().zip(later).enumerate() {
        if one != two {
            run = 0;
            continue;
        }
        if run == 0 {
            start = place;
        }
        run += 1;
        if run == MIN_FLOOD {
            let unit = bytes.get(start..start + unit).unwrap_or_default();
            // Non-ASCII bytes are letters of other scripts, or drawings; a single letter of a code is padding.
            if unit.iter().any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii()) {
                return Some(());
            }
        }
    }
    None
}
