//! A set of rules that is filled and emptied for every event.

/// Which rules are marked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    words: Vec<u64>,
    marked: Vec<u32>,
}

impl Marks {
    /// Makes room for so many rules; none is marked.
    pub(crate) fn start(&mut self, rules: usize) {
        for rule in self.marked.drain(..) {
            if let Some(word) = self.words.get_mut(rule as usize / 64) {
                *word = 0;
            }
        }
        self.words.resize(rules.div_ceil(64), 0);
    }

    /// Marks a rule.
    pub(crate) fn set(&mut self, rule: u32) {
        let Some(word) = self.words.get_mut(rule as usize / 64) else { return };
        let bit = 1 << (rule % 64);
        if *word & bit == 0 {
            *word |= bit;
            self.marked.push(rule);
        }
    }

    /// Marks several.
    pub(crate) fn set_all(&mut self, rules: &[u32]) {
        rules.iter().for_each(|rule| self.set(*rule));
    }

    /// The marked rules, ascending.
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
