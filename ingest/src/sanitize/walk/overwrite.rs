//! Overwriting values in the payload, so that nothing changes its length.

use std::ops::Range;

use redact::{EntityType, Match};

use super::Walk;
use crate::sanitize::arguments::Secret;
use crate::validate::schema::{FIXED64, Key};

impl Walk<'_> {
    /// Masks secrets among the elements of an array.
    pub(super) fn arguments(&mut self, payload: &mut [u8], array: Range<usize>) {
        if !self.candidates.may_match(&array) {
            return;
        }
        let mut arguments = std::mem::take(&mut self.scratch.arguments);
        let mut next = Some(array.start);
        while let Some(start) = next {
            let Some((place, behind)) = arguments.write(payload, start..array.end) else { break };
            next = behind;
            if self.candidates.may_match(&place) {
                arguments.find(self.redactor, |secret| match secret {
                    Secret::Text(place, entity) => self.mask_as(payload, place, entity),
                    Secret::Number(place, key) => self.zero(payload, place, key),
                });
            }
        }
        self.scratch.arguments = arguments;
    }

    /// Masks the findings in the text that begins at `start`.
    pub(super) fn mask_found(&mut self, payload: &mut [u8], start: usize) {
        let matches = &self.scratch.matches;
        if matches.is_empty() {
            return;
        }
        let Some(text) = payload.get_mut(start..) else { return };
        for found in matches {
            let value = text.get(found.start..found.end).unwrap_or_default();
            self.values.keep(self.values.fingerprint(start + found.start, value, found.entity));
        }
        self.redactor.mask(text, matches);
        let masked = matches.len();
        self.count(masked);
    }

    pub(super) fn mask(&mut self, payload: &mut [u8], place: Range<usize>) {
        let start = place.start;
        let Some(text) = payload.get_mut(place).filter(|text| !text.is_empty()) else { return };
        let fingerprint = self.values.fingerprint(start, text, EntityType::Secret);
        if self.redactor.mask_value(text) {
            self.values.keep(fingerprint);
        }
        self.count(1);
    }

    pub(super) fn mask_as(&mut self, payload: &mut [u8], place: Range<usize>, entity: EntityType) {
        let start = place.start;
        let Some(text) = payload.get_mut(place).filter(|text| !text.is_empty()) else { return };
        self.values.keep(self.values.fingerprint(start, text, entity));
        let whole = Match { start: 0, end: text.len(), entity };
        self.redactor.mask(text, &[whole]);
        self.count(1);
    }

    pub(super) fn zero(&mut self, payload: &mut [u8], place: Range<usize>, key: Key) {
        let Some(number) = payload.get_mut(place) else { return };
        number.fill(0);
        if key & 7 != FIXED64
            && let Some((_last, others)) = number.split_last_mut()
        {
            // The continuation bit of a varint.
            others.fill(0x80);
        }
        self.count(1);
    }

    pub(super) fn count(&mut self, masked: usize) {
        let masked = u32::try_from(masked).unwrap_or(u32::MAX);
        self.report.masked = self.report.masked.saturating_add(masked);
    }
}
