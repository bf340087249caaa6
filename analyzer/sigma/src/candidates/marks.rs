//! A set of rules, or of other things that have numbers, which is filled and emptied for every event.

/// The marked numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    words: Vec<u64>,
    marked: Vec<u32>,
}

impl Marks {
    /// Makes room for so many; none is marked.
    pub(crate) fn start(&mut self, count: usize) {
        for number in self.marked.drain(..) {
            if let Some(word) = self.words.get_mut(number as usize / 64) {
                *word = 0;
            }
        }
        self.words.resize(count.div_ceil(64), 0);
    }

    /// Marks a number.
    pub(crate) fn set(&mut self, number: u32) {
        let Some(word) = self.words.get_mut(number as usize / 64) else { return };
        let bit = 1 << (number % 64);
        if *word & bit == 0 {
            *word |= bit;
            self.marked.push(number);
        }
    }

    /// Marks several.
    pub(crate) fn set_all(&mut self, numbers: &[u32]) {
        numbers.iter().for_each(|number| self.set(*number));
    }

    /// The marked numbers, ascending.
    pub(crate) fn ascending(&mut self) -> &[u32] {
        self.marked.sort_unstable();
        &self.marked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_told_once_in_order_and_then_gone() {
        let mut marks = Marks::default();
        marks.start(200);
        marks.set_all(&[199, 3, 64, 3, 63, 500]);
        assert_eq!(marks.ascending(), [3, 63, 64, 199]);
        marks.start(200);
        assert_eq!(marks.ascending(), [0; 0]);
        marks.set(63);
        assert_eq!(marks.ascending(), [63]);
    }
}
