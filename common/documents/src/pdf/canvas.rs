//! A coarse picture of a page: in each cell the colour that is on top, and when it was painted. It tells the background
//! of a glyph and whether it was painted over, in constant time each.

use hayro_interpret::kurbo::{BezPath, Point, Rect, Shape};

/// Cells of a side. On A4 a cell is 2.3 by 3.3 points, less than a letter of ordinary text.
const SIDE: usize = 256;
/// Cells that all shapes of a document may touch: about 0.2 s. Beyond it shapes are ignored, so that text counts as
/// visible.
pub(crate) const MOST_CELLS: usize = 100_000_000;
/// Elements of a path up to which its exact area is painted; beyond it, it is ignored.
const MOST_ELEMENTS: usize = 64;

/// A colour, or a content of many colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    /// Red, green, blue.
    Plain([u8; 3]),
    /// Image, gradient or pattern.
    Mixed,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    ink: Ink,
    painted: u32,
}

/// The picture.
pub(crate) struct Canvas {
    page: Rect,
    cells: Vec<Cell>,
    /// Number of the last shape or glyph run.
    time: u32,
    left: usize,
}

impl Canvas {
    /// A white page. `left` is the number of cells that may still be touched.
    pub(crate) fn new(page: Rect, left: usize) -> Self {
        let paper = Cell { ink: Ink::Plain([255; 3]), painted: 0 };
        Self { page, cells: vec![paper; SIDE * SIDE], time: 0, left }
    }

    /// Cells that may still be touched.
    pub(crate) const fn left(&self) -> usize {
        self.left
    }

    /// A number greater than that of everything painted before.
    pub(crate) const fn tick(&mut self) -> u32 {
        self.time = self.time.saturating_add(1);
        self.time
    }

    /// Ink at a point, and when it was painted.
    pub(crate) fn at(&self, point: Point) -> (Ink, u32) {
        let column = place(point.x - self.page.x0, self.page.width());
        let row = place(point.y - self.page.y0, self.page.height());
        self.cells.get(row * SIDE + column).map_or((Ink::Mixed, 0), |cell| (cell.ink, cell.painted))
    }

    /// Paints an opaque rectangle.
    pub(crate) fn paint_rect(&mut self, rect: Rect, ink: Ink) {
        self.paint(rect, ink, 1, |_| true);
    }

    /// Paints the area of a path inside of `clip`.
    pub(crate) fn paint_path(&mut self, path: &BezPath, clip: Rect, even_odd: bool, ink: Ink) {
        let elements = path.elements().len();
        if elements > MOST_ELEMENTS {
            return;
        }
        let inside = |point| {
            let winding = path.winding(point);
            if even_odd { winding % 2 != 0 } else { winding != 0 }
        };
        self.paint(path.bounding_box().intersect(clip), ink, elements, inside);
    }

    /// Paints the cells whose centre is in the rectangle and satisfies the condition, which costs `price` each.
    fn paint(&mut self, rect: Rect, ink: Ink, price: usize, is_inside: impl Fn(Point) -> bool) {
        let painted = self.tick();
        let rect = rect.intersect(self.page);
        if !rect.is_finite() || rect.width() <= 0.0 || rect.height() <= 0.0 {
            return;
        }
        let (wide, high) = (self.page.width() / SIDE as f64, self.page.height() / SIDE as f64);
        let columns = centres(rect.x0 - self.page.x0, rect.x1 - self.page.x0, wide);
        let rows = centres(rect.y0 - self.page.y0, rect.y1 - self.page.y0, high);
        let Some(left) = self.left.checked_sub(columns.len() * rows.len() * price) else {
            self.left = 0;
            return;
        };
        self.left = left;
        for row in rows {
            let y = self.page.y0 + (row as f64 + 0.5) * high;
            let cells = self.cells.get_mut(row * SIDE..(row + 1) * SIDE).unwrap_or_default();
            for (column, cell) in cells.iter_mut().enumerate().take(columns.end).skip(columns.start) {
                if is_inside(Point::new(self.page.x0 + (column as f64 + 0.5) * wide, y)) {
                    *cell = Cell { ink, painted };
                }
            }
        }
    }
}

fn place(offset: f64, extent: f64) -> usize {
    // Saturates at both ends; not a number is 0.
    ((offset / extent * SIDE as f64) as usize).min(SIDE - 1)
}

/// Cells whose centre is between two offsets.
fn centres(from: f64, to: f64, extent: f64) -> std::ops::Range<usize> {
    let first = ((from / extent - 0.5).ceil().max(0.0) as usize).min(SIDE);
    let end = ((to / extent + 0.5).floor().max(0.0) as usize).min(SIDE);
    first..end.max(first)
}
