//! Reading order of pieces of lines: recursive cuts along white space (XY cut). Columns of prose are read one after the
//! other; a table, whose columns have short texts, row by row.

/// Rectangle of a piece of a line in the frame in which its text is upright.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Block {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
    /// Number of glyphs.
    pub(crate) letters: usize,
}

/// Nested cuts at most: below it, rows from top to bottom. Bounds the work to this many sorts of all pieces.
const DEEPEST: usize = 24;
/// Pieces of a column at least, and letters of each on average, so that it is a column of prose.
const COLUMN_PIECES: usize = 3;
const COLUMN_LETTERS: usize = 15;

/// Indices in reading order.
pub(crate) fn reading_order(blocks: &[Block]) -> Vec<usize> {
    let mut ordered = Vec::with_capacity(blocks.len());
    let mut waiting = vec![((0..blocks.len()).collect::<Vec<_>>(), 0)];
    while let Some((mut part, depth)) = waiting.pop() {
        let cut = if depth < DEEPEST {
            columns(blocks, &mut part).or_else(|| halves(blocks, &mut part))
        } else {
            None
        };
        if let Some(at) = cut {
            let second = part.split_off(at);
            waiting.push((second, depth + 1));
            waiting.push((part, depth + 1));
            continue;
        }
        by_rows(blocks, &mut part);
        ordered.extend(part);
    }
    ordered
}

/// Sorts a part by the left edge, and cuts it at the widest gap between two columns of prose.
fn columns(blocks: &[Block], part: &mut [usize]) -> Option<usize> {
    if part.len() < 2 * COLUMN_PIECES {
        return None;
    }
    let block = |index: &usize| blocks.get(*index);
    sort_by(blocks, part, |block| block.left);
    let all: usize = part.iter().filter_map(block).map(|block| block.letters).sum();
    let (mut right, mut letters) = (f64::NEG_INFINITY, 0);
    let mut widest: Option<(f64, usize)> = None;
    for (at, block) in part.iter().filter_map(block).enumerate() {
        let gap = block.left - right;
        let is_prose =
            |pieces: usize, letters: usize| pieces >= COLUMN_PIECES && letters >= pieces * COLUMN_LETTERS;
        if is_prose(at, letters)
            && is_prose(part.len() - at, all - letters)
            && gap > widest.map_or(0.0, |(gap, _)| gap)
        {
            widest = Some((gap, at));
        }
        right = right.max(block.right);
        letters += block.letters;
    }
    widest.map(|(_, at)| at)
}

/// Sorts a part by the upper edge, and cuts it at the highest gap.
fn halves(blocks: &[Block], part: &mut [usize]) -> Option<usize> {
    sort_by(blocks, part, |block| block.top);
    let mut bottom = f64::INFINITY;
    let mut highest: Option<(f64, usize)> = None;
    for (at, block) in part.iter().filter_map(|index| blocks.get(*index)).enumerate() {
        let gap = block.top - bottom;
        if gap > highest.map_or(0.0, |(gap, _)| gap) {
            highest = Some((gap, at));
        }
        bottom = if at == 0 { block.bottom } else { bottom.max(block.bottom) };
    }
    highest.map(|(_, at)| at)
}

/// From top to bottom, within a row from left to right. Rows are those of equal middle, as pieces of one line have.
fn by_rows(blocks: &[Block], part: &mut [usize]) {
    let middle = |block: &Block| ((block.top + block.bottom) / 2.0 * 2.0).round();
    part.sort_by(|one, other| match (blocks.get(*one), blocks.get(*other)) {
        (Some(one), Some(other)) => {
            middle(one).total_cmp(&middle(other)).then(one.left.total_cmp(&other.left))
        }
        _ => one.cmp(other),
    });
}

/// Stable, so that equal input gives equal order.
fn sort_by(blocks: &[Block], part: &mut [usize], key: impl Fn(&Block) -> f64) {
    let key = |index: usize| blocks.get(index).map_or(0.0, &key);
    part.sort_by(|one, other| key(*one).total_cmp(&key(*other)).then(one.cmp(other)));
}
