//! `palisade rules eval`: matches of rules in the lines of a file. Lines are processed as by a log drain: read and
//! masked by ingestion, normalized and matched as the analyzer does it, one after the other, so that a file
//! of any size takes little memory.

use std::io::{self, BufRead, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use common::clock::{Clock, SystemClock};
use common::timestamp::Timestamp;
use ingest::Events;
use normalize::normalize;
use normalize::record::records;
use redact::{Policy, Redactor};
use serde::Serialize;
use sigma::{Level, RuleSet};

use super::NothingCompiled;
use super::lines::{BUFFER_BYTES, Lines, Stopped, ended};
use crate::Failure;
use crate::serve::rules::Compiled;

/// One line of the output.
#[derive(Serialize)]
struct Found<'r> {
    /// Number of the line, from 0; empty lines count.
    event: u64,
    rule_id: &'r str,
    title: &'r str,
    level: Option<&'static str>,
}

pub(super) fn run(compiled: &Compiled, file: &Path, redaction: &Policy) -> Result<(), Failure> {
    let mut told = io::stderr().lock();
    for refusal in &compiled.refusals {
        writeln!(told, "refused  {refusal}")?;
    }
    for correlation in compiled.rules.correlations() {
        let info = &correlation.info;
        writeln!(told, "not evaluated  correlation {} ({})", info.id, info.title)?;
    }
    if compiled.rules.rules().is_empty() {
        return Err(NothingCompiled.into());
    }
    let lines = Lines::open(file)?;
    let output = BufWriter::with_capacity(BUFFER_BYTES, io::stdout().lock());
    let evaluation = Evaluation {
        rules: &compiled.rules,
        events: Events::new(Arc::new(Redactor::new(redaction)?)),
        received_at: SystemClock::new().now(),
        output,
    };
    ended(evaluation.run(lines, &mut told), file)
}

struct Evaluation<'r, W: Write> {
    rules: &'r RuleSet,
    events: Events,
    /// Completes times without a year, nothing else.
    received_at: Timestamp,
    output: W,
}

impl<W: Write> Evaluation<'_, W> {
    fn run(mut self, mut lines: Lines<impl BufRead>, told: &mut impl Write) -> Result<(), Stopped> {
        while let Some((number, line)) = lines.next(self.events.record_bytes()).map_err(Stopped::Read)? {
            let matched = line.and_then(|line| self.matched(&line));
            match matched {
                Ok(rules) => self.write(number, &rules).map_err(Stopped::Write)?,
                Err(cause) => writeln!(told, "line {number}: {cause}").map_err(Stopped::Write)?,
            }
        }
        self.output.flush().map_err(Stopped::Write)
    }

    /// The rules that match the records of a line, in the order of the rule set, each once.
    fn matched(&self, line: &[u8]) -> Result<Vec<usize>, String> {
        if line.trim_ascii().is_empty() {
            return Ok(Vec::new());
        }
        let payload = self.events.read(line, self.received_at);
        let payload = payload.map_err(|rejection| rejection.to_string())?;
        let (mut all, mut found) = (Vec::new(), Vec::new());
        for record in records(&payload) {
            self.rules.matches(&normalize(&record, self.received_at).event, &mut found);
            all.append(&mut found);
        }
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    fn write(&mut self, event: u64, rules: &[usize]) -> io::Result<()> {
        for rule in rules {
            let info = &self.rules.rules()[*rule].info;
            let level = info.level.map(Level::as_str);
            let found = Found { event, rule_id: &info.id, title: &info.title, level };
            serde_json::to_writer(&mut self.output, &found)?;
            self.output.write_all(b"\n")?;
        }
        Ok(())
    }
}
