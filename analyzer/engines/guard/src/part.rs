//! Parts of a view that are judged by themselves.

use std::ops::Range;

use text::{View, chunks, sentences};

/// Longest chunk, in characters of the view.
const CHUNK: usize = 8_000;

/// Words of a piece: neighbouring shorter sentences form one piece, a longer sentence is cut.
const SHORTEST_PIECE: usize = 4;
const LONGEST_PIECE: usize = 8;

/// Words of the longest run of pieces.
pub const LONGEST_RUN: usize = 60;

/// Words of a run of pieces, at most. An attack of a few words is found in a short run, one of several sentences in a
/// long one.
const RUNS: [usize; 4] = [10, 20, 36, LONGEST_RUN];

/// Words of a chunk up to which it is a short text.
const SHORT: usize = 40;

/// A part of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its words.
    pub words: Range<usize>,
    /// Whether it is a run of sentences, and not a chunk.
    pub is_run: bool,
    /// Whether it is judged only with clear facts: the runs of a short text say less than the text.
    pub needs_facts: bool,
}

/// The chunks of a view with the runs of sentences that begin in them. An attack in a longer text is diluted by it, so
/// that every run is judged by itself; runs begin and end with sentences, also behind the end of the chunk, so that
/// text before and after an attack leaves its run unchanged. The range of words covers all parts.
pub fn parts(view: &View) -> impl Iterator<Item = (Range<usize>, Vec<Part>)> {
    let pieces = pieces(view);
    chunks(&view.text, &view.words, CHUNK).into_iter().map(move |chunk| {
        let mut parts = vec![Part { words: chunk.clone(), is_run: false, needs_facts: false }];
        let first = pieces.partition_point(|piece| piece.start < chunk.start);
        let end = pieces.partition_point(|piece| piece.start < chunk.end);
        for place in first..end {
            runs(pieces.get(place..).unwrap_or_default(), &chunk, &mut parts);
        }
        let covered = parts.iter().map(|part| part.words.end).fold(chunk.end, usize::max);
        (chunk.start..covered, parts)
    })
}

/// A view as pieces: sentences of a bounded length.
fn pieces(view: &View) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let (mut first, mut end) = (0, 0);
    for sentence in sentences(&view.text) {
        let rest = view.words.get(end..).unwrap_or_default();
        end += rest.partition_point(|word| (word.start as usize) < sentence.end);
        while end - first > LONGEST_PIECE {
            pieces.push(first..first + LONGEST_PIECE);
            first += LONGEST_PIECE;
        }
        if end - first >= SHORTEST_PIECE {
            pieces.push(first..end);
            first = end;
        }
    }
    if first < view.words.len() {
        pieces.push(first..view.words.len());
    }
    pieces
}

/// The runs that begin with the first of some pieces, each longer than the one before.
fn runs(pieces: &[Range<usize>], chunk: &Range<usize>, parts: &mut Vec<Part>) {
    let Some(start) = pieces.first().map(|piece| piece.start) else { return };
    let mut before = start;
    for limit in RUNS {
        let reached = pieces.iter().take_while(|piece| piece.end - start <= limit).last();
        let end = reached.or_else(|| pieces.first()).map_or(start, |piece| piece.end);
        if end > before && (start..end) != *chunk {
            parts.push(Part { words: start..end, is_run: true, needs_facts: chunk.len() <= SHORT });
        }
        before = end;
    }
}
