//! Numbers of recognised records of a batch, by format, with texts of some unrecognised ones.

use std::sync::{Mutex, PoisonError};

use common::batch::BatchHeaders;
use sigma::event::Event;
use statistics::{MOST_EXAMPLES, SourceKey, Statistics};

use incidents::note::bounded;
use normalize::{Format, Normalized};

/// The label of records that were not recognised.
pub(crate) const UNRECOGNISED: &str = "unrecognised";
/// Longest text of an example, in bytes: the limit of the statistics.
const TEXT_BYTES: usize = 508;

/// Records by format.
#[derive(Debug, Default)]
pub(crate) struct Recognised {
    formats: Vec<(Option<Format>, u32)>,
    examples: Vec<String>,
}

impl Recognised {
    fn count(&mut self, normalized: &Normalized<'_>) {
        self.add(normalized.format, 1);
        if normalized.format.is_none() && self.examples.len() < MOST_EXAMPLES {
            self.examples.push(text(normalized));
        }
    }

    /// A log has few formats: looking through them costs less than a map.
    fn add(&mut self, format: Option<Format>, records: u32) {
        match self.formats.iter_mut().find(|(own, _)| *own == format) {
            Some((_, count)) => *count = count.saturating_add(records),
            None => self.formats.push((format, records)),
        }
    }

    fn join(&mut self, other: Self) {
        for (format, records) in other.formats {
            self.add(format, records);
        }
        let room = MOST_EXAMPLES.saturating_sub(self.examples.len());
        self.examples.extend(other.examples.into_iter().take(room));
    }

    /// Counts the records in metrics, and for their source.
    pub(crate) fn report(&self, statistics: &Statistics, headers: &BatchHeaders) {
        if self.formats.is_empty() {
            return;
        }
        let formats = || self.formats.iter().map(|(format, records)| (format.map(Format::name), *records));
        for (format, records) in formats() {
            let format = format.unwrap_or(UNRECOGNISED);
            metrics::counter!("palisade_analysis_formats_total", "format" => format)
                .increment(records.into());
        }
        let key = SourceKey { organization: headers.organization, source: headers.source };
        statistics.analysed(key, headers.received_at, formats(), self.examples.iter().cloned());
    }
}

/// The message; of a record without one, its fields.
fn text(normalized: &Normalized<'_>) -> String {
    if normalized.message.is_empty() {
        bounded(&fields(&normalized.event), TEXT_BYTES)
    } else {
        bounded(&normalized.message, TEXT_BYTES)
    }
}

fn fields(event: &Event<'_>) -> String {
    let mut text = String::new();
    for (name, value) in &event.fields {
        let Some(value) = value.to_text() else { continue };
        if !text.is_empty() {
            text.push(' ');
        }
        text.extend([name, "=", &value]);
        if text.len() > TEXT_BYTES {
            break;
        }
    }
    text
}

/// The counts of one thread, which join those of the batch when it is done with its part.
pub(super) struct Counting<'b> {
    own: Recognised,
    batch: &'b Mutex<Recognised>,
}

impl<'b> Counting<'b> {
    pub(super) fn new(batch: &'b Mutex<Recognised>) -> Self {
        Self { own: Recognised::default(), batch }
    }

    pub(super) fn count(&mut self, normalized: &Normalized<'_>) {
        self.own.count(normalized);
    }
}

impl Drop for Counting<'_> {
    fn drop(&mut self) {
        let own = std::mem::take(&mut self.own);
        self.batch.lock().unwrap_or_else(PoisonError::into_inner).join(own);
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use sigma::event::Value;

    use super::*;

    fn normalized(format: Option<Format>, message: &'static str) -> Normalized<'static> {
        let fields = vec![(Cow::Borrowed("level"), Value::String("info".into()))];
        Normalized {
            event: Event { fields, ..Event::default() },
            event_time: None,
            native_id: None,
            message: message.into(),
            partial: false,
            format,
        }
    }

    #[test]
    fn threads_count_together() {
        let batch = Mutex::new(Recognised::default());
        for _ in 0..3 {
            let mut counting = Counting::new(&batch);
            for message in ["a", "b", ""] {
                counting.count(&normalized(None, message));
            }
            counting.count(&normalized(Some(Format::SYSLOG), "c"));
        }
        let batch = batch.into_inner().unwrap();
        assert_eq!(batch.formats, [(None, 9), (Some(Format::SYSLOG), 3)]);
        assert_eq!(batch.examples, ["a", "b", "level=info", "a", "b"]);
    }
}
