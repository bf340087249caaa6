//! Places of a view to places of the text that it was made from.

use std::ops::Range;

/// Segments of a view and their places in the source, in bytes. Within a segment of equal lengths, bytes correspond one
/// to one; any other segment corresponds as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// Start of each segment in the view and in the source, ascending; the last is the end of both.
    points: Vec<(u32, u32)>,
    view: u32,
    source: u32,
    /// Whether the open segment is one to one.
    even: bool,
}

impl Default for Map {
    fn default() -> Self {
        Self { points: vec![(0, 0)], view: 0, source: 0, even: true }
    }
}

impl Map {
    /// A view of `view` bytes that was decoded from this part of the source.
    #[must_use]
    pub fn block(source: &Range<usize>, view: usize) -> Self {
        let (start, end) = (small(source.start), small(source.end));
        Self { points: vec![(0, start)], view: small(view), source: end, even: false }
    }

    /// Appends bytes that are the same length in both.
    pub(crate) fn even(&mut self, bytes: usize) {
        if !self.even {
            self.points.push((self.view, self.source));
            self.even = true;
        }
        self.view = self.view.saturating_add(small(bytes));
        self.source = self.source.saturating_add(small(bytes));
    }

    /// Appends a part that differs.
    pub(crate) fn uneven(&mut self, view: usize, source: usize) {
        if view == source {
            return self.even(view);
        }
        if self.points.last() != Some(&(self.view, self.source)) {
            self.points.push((self.view, self.source));
        }
        self.even = false;
        self.view = self.view.saturating_add(small(view));
        self.source = self.source.saturating_add(small(source));
    }

    /// The same view over the source of its source.
    pub(crate) fn over(mut self, below: &Self) -> Self {
        let mut points: Vec<(u32, u32)> =
            Vec::with_capacity(self.points.len().saturating_add(below.points.len()));
        let mut lower = below.points.iter().copied().peekable();
        let ends = self.points.iter().skip(1).copied().chain([(self.view, self.source)]);
        for ((start, middle), (end, middle_end)) in self.points.iter().copied().zip(ends) {
            points.push((start, small(below.place(middle, false))));
            // Points below a segment that is one to one are points of the whole.
            while let Some((inner, source)) = lower.next_if(|(inner, _)| *inner < middle_end) {
                let even = end.saturating_sub(start) == middle_end.saturating_sub(middle);
                if even && inner > middle {
                    points.push((start.saturating_add(inner - middle), source));
                }
            }
        }
        self.source = below.source;
        self.points = points;
        self
    }

    /// The part of the source that a part of the view was made from.
    #[must_use]
    pub fn source(&self, view: &Range<usize>) -> Range<usize> {
        let start = self.place(small(view.start), false);
        start..self.place(small(view.end), true).max(start)
    }

    fn place(&self, view: u32, is_end: bool) -> usize {
        // The end of a range belongs to the segment of its last byte.
        let before = self.points.partition_point(|(start, _)| *start < view || (!is_end && *start == view));
        let (start, source) =
            before.checked_sub(1).and_then(|last| self.points.get(last)).copied().unwrap_or((0, 0));
        let (end, source_end) = self.points.get(before).copied().unwrap_or((self.view, self.source));
        let inside = view.saturating_sub(start);
        let place = match end.saturating_sub(start) == source_end.saturating_sub(source) {
            true => source.saturating_add(inside).min(source_end),
            false if is_end => source_end,
            false => source,
        };
        place as usize
    }
}

/// Texts are at most a few MiB, so that places fit into 32 bits.
fn small(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
