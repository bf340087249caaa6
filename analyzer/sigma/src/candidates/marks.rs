//! A set of rules, as bits.

/// Which rules are marked.
#[derive(Clone, Debug)]
pub(crate) struct Marks {
    words: Vec<u64>,
}

impl Marks {
    /// None of so many rules.
    pub(crate) fn new(rules: usize) -> Self {
        Self { words: vec![0; rules.div_ceil(64)] }
    }

    /// Marks a rule.
    pub(crate) fn set(&mut self, rule: u32) {
        if let Some(word) = self.words.get_mut(rule as usize / 64) {
            *word |= 1 << (rule % 64);
        }
    }

    /// The marked rules, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(index * 64 + bit as usize)
            })
        })
    }
}
