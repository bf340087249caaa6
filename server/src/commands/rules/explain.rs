//! `palisade rules explain`: the result of each line of a file, with reasons. Lines are processed as by a log drain, masking
//! included; a line that is no JSON object is the message of a record.

use std::borrow::Cow;
use std::io::{self, BufRead, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use analyzer::explain::{Explainer, Explanation};
use common::clock::{Clock, SystemClock};
use common::timestamp::Timestamp;
use ingest::Events;
use normalize::record::records;
use redact::Redactor;
use serde::Serialize;

use super::lines::{BUFFER_BYTES, Lines, Stopped, ended};
use super::{NothingCompiled, alone, block};
use crate::Failure;
use crate::serve::rules::compile_with_documents;
use crate::settings::Settings;

/// One line of the output as JSON.
#[derive(Serialize)]
struct Explained<'e> {
    /// Number of the line, from 0; empty lines count.
    event: u64,
    #[serde(flatten)]
    explanation: &'e Explanation,
}

pub(super) fn run(
    directory: Option<&Path>,
    events: &Path,
    as_json: bool,
    settings: &Settings,
) -> Result<(), Failure> {
    let rules =
        directory.map_or_else(|| settings.rules.clone(), |directory| alone(directory, &settings.rules));
    let built_in = directory.is_none() && rules.built_in;
    let (compiled, documents) = compile_with_documents(built_in, &rules)?;
    let mut told = io::stderr().lock();
    for refusal in &compiled.refusals {
        writeln!(told, "refused  {refusal}")?;
    }
    if compiled.rules.rules().is_empty() {
        return Err(NothingCompiled.into());
    }
    // With the few rules of a directory in development, a rule of a single item is listed as well.
    let least_held = usize::from(directory.is_none());
    let compiled = Arc::new(compiled.rules);
    let explaining = Explaining {
        explainer: Explainer::new(compiled, &documents, &rules.placeholders(), least_held),
        events: Events::new(Arc::new(Redactor::new(&settings.redaction)?)),
        received_at: SystemClock::new().now(),
        as_json,
        output: BufWriter::with_capacity(BUFFER_BYTES, io::stdout().lock()),
    };
    drop(documents);
    ended(explaining.run(Lines::open(events)?, &mut told), events)
}

struct Explaining<W: Write> {
    explainer: Explainer,
    events: Events,
    /// Completes times without a year, nothing else.
    received_at: Timestamp,
    as_json: bool,
    output: W,
}

impl<W: Write> Explaining<W> {
    fn run(mut self, mut lines: Lines<impl BufRead>, told: &mut impl Write) -> Result<(), Stopped> {
        while let Some((number, line)) = lines.next(self.events.record_bytes()).map_err(Stopped::Read)? {
            match line.and_then(|line| self.explain(&line)) {
                Ok(explanations) => self.write(number, &explanations).map_err(Stopped::Write)?,
                Err(cause) => writeln!(told, "line {number}: {cause}").map_err(Stopped::Write)?,
            }
            // A person may be typing the lines.
            self.output.flush().map_err(Stopped::Write)?;
        }
        Ok(())
    }

    /// The results of the records of a line.
    fn explain(&self, line: &[u8]) -> Result<Vec<Explanation>, String> {
        if line.trim_ascii().is_empty() {
            return Ok(Vec::new());
        }
        let payload = self.events.read(&as_object(line)?, self.received_at);
        let payload = payload.map_err(|rejection| rejection.to_string())?;
        Ok(records(&payload).map(|record| self.explainer.explain(&record, self.received_at)).collect())
    }

    fn write(&mut self, event: u64, explanations: &[Explanation]) -> io::Result<()> {
        for explanation in explanations {
            if self.as_json {
                serde_json::to_writer(&mut self.output, &Explained { event, explanation })?;
                self.output.write_all(b"\n")?;
            } else {
                self.output.write_all(block::of(event, explanation).as_bytes())?;
            }
        }
        Ok(())
    }
}

/// The line as a JSON object: itself if it begins as one, else with the line as its message.
fn as_object(line: &[u8]) -> Result<Cow<'_, [u8]>, String> {
    let line = line.trim_ascii_end();
    if line.trim_ascii_start().starts_with(b"{") {
        return Ok(line.into());
    }
    let text = std::str::from_utf8(line).map_err(|_| "it is not UTF-8".to_owned())?;
    let object = serde_json::json!({ "message": text });
    Ok(object.to_string().into_bytes().into())
}
