//! Text to lines of the width of a page.

use super::WriteError;
use super::file::{File, LINE_WIDTH};
use super::letters::{Sign, signs};
use super::typeface::{Letter, Typeface};

/// Spaces in a row within a line. The reader of this crate, like other programs, takes a gap of 1.5 times the font's size for one
/// between columns, which it reads one after the other; four spaces have 1.3.
const MOST_SPACES: usize = 4;
/// Spaces at the start of a line: less than the width of a column.
const MOST_INDENT: usize = 12;
/// Letters of a line: more than twice those of the narrowest letter that has a width. Combining marks have none.
const MOST_LETTERS: usize = 512;

/// Places a text on the current page, and on further ones.
pub(super) fn place(text: &str, typeface: &Typeface, file: &mut File<'_>) -> Result<(), WriteError> {
    let mut line = Line::default();
    for sign in signs(text) {
        match sign {
            Sign::Spaces(count) => line.spaces += count,
            Sign::Letter(letter) => {
                let letter = typeface.letter(letter).ok_or(WriteError::UnsupportedScript)?;
                line.add_spaces(typeface.space());
                while !line.fits(letter) {
                    line.wrap(file)?;
                }
                line.add(letter);
            }
            Sign::LineBreak => line.end(file)?,
            Sign::PageBreak => {
                line.end(file)?;
                file.begin_page()?;
            }
        }
    }
    if line.letters.is_empty() { Ok(()) } else { line.end(file) }
}

/// A line that grows.
#[derive(Default)]
struct Line {
    letters: Vec<Letter>,
    /// Units of the font.
    width: u32,
    /// Spaces since the last letter.
    spaces: usize,
    /// Place of the last space at which the line may be broken.
    cut: Option<Cut>,
    /// Whether it continues a line that was wrapped.
    continues: bool,
}

/// Spaces between two words.
#[derive(Clone, Copy)]
struct Cut {
    /// Letters before them.
    end: usize,
    /// Letters up to the next word, and their width.
    next: usize,
    width: u32,
}

impl Line {
    fn fits(&self, letter: Letter) -> bool {
        let is_narrow = self.width + u32::from(letter.width) <= LINE_WIDTH;
        self.letters.is_empty() || (is_narrow && self.letters.len() < MOST_LETTERS)
    }

    fn add(&mut self, letter: Letter) {
        self.letters.push(letter);
        self.width += u32::from(letter.width);
    }

    /// The spaces before the next letter.
    fn add_spaces(&mut self, space: Letter) {
        let spaces = std::mem::take(&mut self.spaces);
        if spaces == 0 || (self.letters.is_empty() && self.continues) {
            return;
        }
        let end = self.letters.len();
        let most = if end == 0 { MOST_INDENT } else { MOST_SPACES };
        for _ in 0..spaces.min(most) {
            self.add(space);
        }
        if end > 0 {
            self.cut = Some(Cut { end, next: self.letters.len(), width: self.width });
        }
    }

    /// Places the words that are complete, or the letters if the line has one word only. Each letter moves once at most, since
    /// the rest has no place for a break.
    fn wrap(&mut self, file: &mut File<'_>) -> Result<(), WriteError> {
        self.continues = true;
        let Some(Cut { end, next, width }) = self.cut.take() else {
            file.place(&self.letters)?;
            self.letters.clear();
            self.width = 0;
            return Ok(());
        };
        file.place(self.letters.get(..end).unwrap_or_default())?;
        self.letters.drain(..next);
        self.width -= width;
        Ok(())
    }

    fn end(&mut self, file: &mut File<'_>) -> Result<(), WriteError> {
        file.place(&self.letters)?;
        self.letters.clear();
        *self = Self { letters: std::mem::take(&mut self.letters), ..Self::default() };
        Ok(())
    }
}
