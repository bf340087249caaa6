//! Parts of a view that are judged by themselves.

use std::ops::Range;

use text::{View, chunks, windows};

/// Longest chunk, in characters of the view.
const CHUNK: usize = 8_000;

/// Words of a chunk above which parts of it are judged too: an attack in a long text is diluted by it.
const WHOLE: usize = 120;

/// Words of a window, and words from one window to the next.
const WINDOW: usize = 60;
const STRIDE: usize = 30;

/// A part of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its words.
    pub(crate) words: Range<usize>,
    /// Whether it is a window of a longer chunk, of which there are many, so that each needs more evidence.
    pub(crate) is_window: bool,
}

/// The chunks of a view, each followed by its windows.
pub(crate) fn parts(view: &View) -> impl Iterator<Item = (Range<usize>, Vec<Part>)> {
    chunks(&view.text, &view.words, CHUNK).into_iter().map(|chunk| {
        let mut parts = vec![Part { words: chunk.clone(), is_window: false }];
        if chunk.len() > WHOLE {
            parts.extend(windows(chunk.clone(), WINDOW, STRIDE).map(|words| Part { words, is_window: true }));
        }
        (chunk, parts)
    })
}
