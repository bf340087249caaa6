//! Searching single texts of the payload.

use std::ops::Range;

use redact::EntityType;

use super::Walk;
use crate::sanitize::key_lines::{self, OpenKey, Opening};
use crate::sanitize::{Scratch, bare};

impl Walk<'_> {
    /// Masks secrets in a text that is a value, which may be a line of a private key.
    pub(super) fn value(&mut self, payload: &mut [u8], place: Range<usize>) {
        if let Some(open) = &mut self.open_key {
            let read = open.read(payload, &self.under, &place);
            if open.is_closed() {
                self.open_key = None;
            }
            match read {
                key_lines::Text::Foreign => {}
                key_lines::Text::Line(line) => return self.mask_line(payload, &place, line),
                key_lines::Text::Last(line) => self.mask_line(payload, &place, line),
            }
        }
        let text = place.clone();
        if let Some(opening) = self.scan_for(payload, place, None) {
            self.open_key = Some(OpenKey::new(self.under.clone(), opening, &text));
        }
    }

    /// Masks a line of a private key, which is at `line` in the text at `text`.
    fn mask_line(&mut self, payload: &mut [u8], text: &Range<usize>, line: Range<usize>) {
        self.mask_as(payload, text.start + line.start..text.start + line.end, EntityType::PrivateKey);
    }

    /// Masks secrets in a text.
    pub(super) fn scan(&mut self, payload: &mut [u8], place: Range<usize>) {
        self.scan_for(payload, place, None);
    }

    /// Masks secrets in a text, of these types only, if any are given. Where the text ends within a private key,
    /// returns its start.
    pub(super) fn scan_for(
        &mut self,
        payload: &mut [u8],
        place: Range<usize>,
        entities: Option<&[EntityType]>,
    ) -> Option<Opening> {
        if !self.candidates.may_match(&place) {
            return None;
        }
        let start = place.start;
        let text = payload.get(place)?;
        let matches = &mut self.scratch.matches;
        match entities {
            None => self.redactor.find(text, matches),
            Some(entities) => self.redactor.find_only(text, entities, matches),
        }
        let opens = key_lines::opens(text, matches);
        self.mask_found(payload, start);
        opens
    }

    /// Masks secrets in a text for the key above it.
    pub(super) fn judge(&mut self, payload: &mut [u8], place: Range<usize>, name: bare::Name) {
        let start = place.start;
        let Some(text) = payload.get(place) else { return };
        let Scratch { matches, named, .. } = &mut *self.scratch;
        bare::find(self.redactor, name, text, named, matches);
        self.mask_found(payload, start);
    }
}
