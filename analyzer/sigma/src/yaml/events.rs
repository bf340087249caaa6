//! One document as a flat list of parser events with their lines: scalars resolved, aliases not yet expanded.
//! The parser is an event stream in safe Rust. Reading events directly, and not through serde, keeps the line of
//! every value and lets each expansion of an alias count against the bounds of the document.

use std::collections::HashMap;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScanError, Span};

use super::Node;
use super::scalar::{refuse_tag, resolve};
use crate::refusal::{Cause, Fault};

/// Rules nest five or six levels; correlations and custom attributes a little more.
pub(super) const MAX_DEPTH: usize = 32;

/// An event that builds a tree.
#[derive(Debug)]
pub(super) enum Piece {
    /// A resolved scalar.
    Scalar(Node),
    ListStart,
    MapStart,
    /// End of the innermost list or map.
    End,
    /// The value that was given this anchor number by the parser.
    Alias(usize),
}

/// The events of one document. Memory is linear in its text.
#[derive(Debug, Default)]
pub(super) struct Events {
    pieces: Vec<(Piece, u32)>,
    anchors: HashMap<usize, Range<usize>>,
    /// Start and anchor of each collection that is open.
    open: Vec<(usize, usize)>,
    has_document: bool,
}

impl Events {
    /// Runs the parser over one document.
    pub(super) fn parse(text: &str) -> Result<Self, Fault> {
        let mut events = Self::default();
        for event in Parser::new_from_str(text) {
            let (event, span) = event.map_err(|error| unreadable(&error))?;
            let line = line_of(&span);
            events.take(event, line).map_err(|cause| Fault::from(cause).on_line(line))?;
        }
        Ok(events)
    }

    /// The event at an index, and its line from 1.
    pub(super) fn get(&self, index: usize) -> Option<&(Piece, u32)> {
        self.pieces.get(index)
    }

    /// Number of events.
    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// The events of an anchored value, unless the alias is inside of it.
    pub(super) fn anchored(&self, anchor: usize) -> Option<Range<usize>> {
        self.anchors.get(&anchor).cloned()
    }

    fn take(&mut self, event: Event<'_>, line: u32) -> Result<(), Cause> {
        let index = self.pieces.len();
        let piece = match event {
            Event::DocumentStart(_) if self.has_document => {
                return Err(Cause::Yaml(
                    "a second document must begin with `---` on a line of its own".into(),
                ));
            }
            Event::DocumentStart(_) => {
                self.has_document = true;
                return Ok(());
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => return Ok(()),
            Event::Alias(anchor) => Piece::Alias(anchor),
            Event::Scalar(text, style, anchor, tag) => {
                self.anchor(anchor, index..index + 1);
                Piece::Scalar(resolve(&text, style, tag.as_deref())?)
            }
            Event::SequenceStart(anchor, tag) => {
                refuse_tag(tag.as_deref(), "seq")?;
                self.open(index, anchor)?;
                Piece::ListStart
            }
            Event::MappingStart(anchor, tag) => {
                refuse_tag(tag.as_deref(), "map")?;
                self.open(index, anchor)?;
                Piece::MapStart
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some((start, anchor)) = self.open.pop() {
                    self.anchor(anchor, start..index + 1);
                }
                Piece::End
            }
        };
        self.pieces.push((piece, line));
        Ok(())
    }

    fn open(&mut self, index: usize, anchor: usize) -> Result<(), Cause> {
        if self.open.len() >= MAX_DEPTH {
            return Err(Cause::TooLarge { what: "levels of nesting", limit: MAX_DEPTH });
        }
        self.open.push((index, anchor));
        Ok(())
    }

    /// The parser numbers anchors from 1; 0 is a value without one.
    fn anchor(&mut self, anchor: usize, pieces: Range<usize>) {
        if anchor > 0 {
            self.anchors.insert(anchor, pieces);
        }
    }
}

fn unreadable(error: &ScanError) -> Fault {
    let line = u32::try_from(error.marker().line()).unwrap_or(u32::MAX);
    Fault::from(Cause::Yaml(error.info().into())).on_line(line)
}

fn line_of(span: &Span) -> u32 {
    u32::try_from(span.start.line()).unwrap_or(u32::MAX)
}
