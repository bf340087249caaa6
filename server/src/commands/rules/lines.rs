//! The lines that commands about rules read, one after the other, so that a file of any size takes little memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use thiserror::Error;

use crate::Failure;

/// Bytes read and written at a time.
pub(super) const BUFFER_BYTES: usize = 1024 * 1024;

/// The events cannot be read.
#[derive(Debug, Error)]
#[error("events at {path} cannot be read")]
struct Unreadable {
    path: String,
    source: io::Error,
}

impl Unreadable {
    fn new(path: &Path, source: io::Error) -> Self {
        Self { path: path.display().to_string(), source }
    }
}

/// Reason why a command does not complete.
pub(super) enum Stopped {
    Read(io::Error),
    Write(io::Error),
}

/// The end of a command over the lines of a file.
pub(super) fn ended(result: Result<(), Stopped>, events: &Path) -> Result<(), Failure> {
    match result {
        // The reader has closed the pipe, as in `palisade rules eval … | head`.
        Err(Stopped::Write(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(Stopped::Write(error)) => Err(error.into()),
        Err(Stopped::Read(source)) => Err(Unreadable::new(events, source).into()),
        Ok(()) => Ok(()),
    }
}

/// A line, or the reason why it is not read.
pub(super) type Line = Result<Vec<u8>, String>;

/// The lines of an input, each of a bounded length.
pub(super) struct Lines<R> {
    input: R,
    number: u64,
}

impl Lines<BufReader<Box<dyn Read>>> {
    /// The lines of a file; `-` stands for standard input.
    pub(super) fn open(events: &Path) -> Result<Self, Failure> {
        let input: Box<dyn Read> = if events == Path::new("-") {
            Box::new(io::stdin().lock())
        } else {
            Box::new(File::open(events).map_err(|source| Unreadable::new(events, source))?)
        };
        Ok(Self { input: BufReader::with_capacity(BUFFER_BYTES, input), number: 0 })
    }
}

impl<R: BufRead> Lines<R> {
    /// The next line and its number. One that is longer than `most` bytes is skipped.
    pub(super) fn next(&mut self, most: usize) -> io::Result<Option<(u64, Line)>> {
        let mut line = Vec::new();
        let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
        let read = (&mut self.input).take(limit).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
        }
        let number = self.number;
        self.number += 1;
        if line.len() <= most || line.ends_with(b"\n") {
            return Ok(Some((number, Ok(line))));
        }
        self.input.skip_until(b'\n')?;
        Ok(Some((number, Err(format!("it is longer than {most} bytes, which is the limit")))))
    }
}
