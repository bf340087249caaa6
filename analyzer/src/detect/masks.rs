//! Masked values, distinguished by the fingerprints that ingestion has put beside the payload. Only counts of distinct values
//! use them: group values are shown to people, and so are the fields that outer correlations read.

use std::collections::BTreeMap;
use std::ops::Range;

use common::batch::Batch;
use common::fingerprint::{Fingerprint, Fingerprints};
use sigma::{Correlation, Event};

use incidents::identity;
use normalize::record::Record;

/// Beginning of a mask: the end of its placeholder, or asterisks alone.
const PLACEHOLDER_END: &[u8] = b"_REDACTED>";
/// Masks that count in a text composed of several parts: ingestion distinguishes as many values of a record.
const MOST_OF_TEXT: usize = 64;
/// The longest placeholder, `<CREDIT_CARD_REDACTED>` and some.
const LONGEST_PLACEHOLDER: usize = 40;

/// The masks of one batch.
#[derive(Clone, Copy)]
pub(super) struct Masks<'b> {
    payload: &'b [u8],
    fingerprints: &'b Fingerprints,
}

impl<'b> Masks<'b> {
    pub(super) fn of(batch: &'b Batch) -> Self {
        Self { payload: &batch.payload, fingerprints: &batch.headers.fingerprints }
    }

    /// The hash of a counted value, which is `hash` by its visible text: another one where something masked in it is
    /// another.
    pub(super) fn tell_apart(
        &self,
        hash: u64,
        (correlation, reference): (&Correlation, usize),
        event: &Event<'_>,
        record: &Record<'_>,
    ) -> u64 {
        if self.fingerprints.is_empty() || correlation.condition.measures_numbers() {
            return hash;
        }
        let of_record = self.range_of(record.encoded()).map(|range| self.fingerprints.within(range));
        let Some(of_record) = of_record.filter(|own| !own.is_empty()) else { return hash };
        let values = correlation.counted_values(reference, event);
        let masked = values.iter().flat_map(|value| self.of_text(value, of_record));
        masked.fold(hash, identity::with_fingerprint)
    }

    /// Fingerprints of the masked parts of a text. A text that was read in place identifies the place of its masks. In one that
    /// was put together a mask is found by its form, and left out where masks of the record with this form differ.
    fn of_text(&self, text: &str, of_record: &[Fingerprint]) -> Vec<u64> {
        if let Some(Range { start, end }) = self.range_of(text.as_bytes()) {
            return self.fingerprints.within(start..end).iter().map(|own| own.value).collect();
        }
        let known = self.by_looks(of_record);
        let found = masks_in(text.as_bytes()).filter_map(|mask| known.get(mask).copied().flatten());
        found.take(MOST_OF_TEXT).collect()
    }

    /// The fingerprint of the masks that look so; `None` where they differ.
    fn by_looks(&self, of_record: &[Fingerprint]) -> BTreeMap<&'b [u8], Option<u64>> {
        let mut known: BTreeMap<&[u8], Option<u64>> = BTreeMap::new();
        for own in of_record {
            let Some(mask) = self.payload.get(own.offset as usize..).and_then(mask_at) else { continue };
            let value = known.entry(mask).or_insert(Some(own.value));
            *value = value.filter(|value| *value == own.value);
        }
        known
    }

    /// Range of bytes in the payload, if they are in it.
    fn range_of(&self, bytes: &[u8]) -> Option<Range<usize>> {
        let start = bytes.as_ptr().addr().checked_sub(self.payload.as_ptr().addr())?;
        let end = start.checked_add(bytes.len())?;
        (end <= self.payload.len()).then_some(start..end)
    }
}

/// The mask at the start of some bytes: a placeholder and asterisks, or asterisks alone.
fn mask_at(bytes: &[u8]) -> Option<&[u8]> {
    let head = bytes.get(..bytes.len().min(LONGEST_PLACEHOLDER))?;
    let placeholder = match head {
        [b'<', ..] => memchr::memmem::find(head, PLACEHOLDER_END)? + PLACEHOLDER_END.len(),
        _ => 0,
    };
    let stars = bytes.get(placeholder..)?.iter().take_while(|byte| **byte == b'*').count();
    let is_name = |byte: &u8| byte.is_ascii_uppercase() || *byte == b'_';
    let is_placeholder =
        head.get(1..placeholder.saturating_sub(1)).is_some_and(|name| name.iter().all(is_name));
    let is_mask = if placeholder == 0 { stars > 0 } else { is_placeholder };
    is_mask.then(|| bytes.get(..placeholder + stars)).flatten()
}

/// The masks in a text.
fn masks_in(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            at += memchr::memchr2(b'<', b'*', text.get(at..)?)?;
            let mask = text.get(at..).and_then(mask_at);
            at += mask.map_or(1, <[u8]>::len);
            if mask.is_some() {
                return mask;
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_found_by_their_looks() {
        let text = b"a <JWT_REDACTED>** b *** <b> <x_REDACTED> <API_KEY_REDACTED>, 2 * 3";
        let found: Vec<_> = masks_in(text).map(String::from_utf8_lossy).collect();
        assert_eq!(found, ["<JWT_REDACTED>**", "***", "<API_KEY_REDACTED>", "*"]);
    }

    #[test]
    fn a_text_put_together_has_the_fingerprints_of_masks_that_look_so_and_agree() {
        let payload =
            b"<SECRET_REDACTED>* <SECRET_REDACTED>* <JWT_REDACTED>* <JWT_REDACTED>* **** ".as_slice();
        let made = |values: [u64; 5]| {
            let places = [0, 19, 38, 54, 70].into_iter().zip(values);
            Fingerprints::new(places.map(|(offset, value)| Fingerprint { offset, value }).collect())
        };
        let fingerprints = made([1, 2, 3, 3, 4]);
        let masks = Masks { payload, fingerprints: &fingerprints };
        let all = fingerprints.within(0..100);
        let of = |text: &str| masks.of_text(text, all);
        assert_eq!(of("key <JWT_REDACTED>* and ****"), [3, 4]);
        assert_eq!(of("key <SECRET_REDACTED>*"), Vec::<u64>::new(), "which of the two is not known");
        assert_eq!(of("key <JWT_REDACTED>"), Vec::<u64>::new(), "of another length");
        let crowded = "* <x ".repeat(100_000);
        assert_eq!(of(&format!("{crowded}<JWT_REDACTED>*")), [3], "behind any number of other asterisks");
        assert_eq!(of(&"**** ".repeat(100_000)).len(), MOST_OF_TEXT);
        let in_place = |range| masks.of_text(std::str::from_utf8(&payload[range]).unwrap(), all);
        assert_eq!(in_place(0..18), [1]);
        assert_eq!(in_place(19..37), [2]);
        assert_eq!(in_place(0..60), [1, 2, 3, 3]);
    }
}
