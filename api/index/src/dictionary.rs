//! Texts and ids as small numbers, so that a column compares numbers.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// Numbers values in the order they are first seen. Grows with the distinct values that an organization's resources have had, and
/// shrinks only with its whole index, which is dropped when most values are stale (see [`Listed::values_count`](crate::Listed)).
#[derive(Debug)]
pub struct Dictionary<T> {
    codes: HashMap<T, u32>,
    values: Vec<T>,
}

impl<T> Default for Dictionary<T> {
    fn default() -> Self {
        Self { codes: HashMap::new(), values: Vec::new() }
    }
}

impl<T: Hash + Eq + Clone> Dictionary<T> {
    /// The number of a value, new or known, and the value as first seen.
    pub fn intern<Q>(&mut self, value: &Q) -> (u32, T)
    where
        T: Borrow<Q>,
        Q: Hash + Eq + ToOwned + ?Sized,
        Q::Owned: Into<T>,
    {
        if let Some((known, code)) = self.codes.get_key_value(value) {
            return (*code, known.clone());
        }
        // 4 billion distinct values do not fit any budget; were it so, the last number is shared.
        let code = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        let value: T = value.to_owned().into();
        self.codes.insert(value.clone(), code);
        self.values.push(value.clone());
        (code, value)
    }

    /// Number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The number of a value, if it was ever seen.
    pub fn code<Q>(&self, value: &Q) -> Option<u32>
    where
        T: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.codes.get(value).copied()
    }

    /// The value of a number.
    pub fn value(&self, code: usize) -> Option<&T> {
        self.values.get(code)
    }

    /// Which values satisfy a condition, by number.
    pub fn select(&self, condition: impl Fn(&T) -> bool) -> Vec<bool> {
        self.values.iter().map(condition).collect()
    }
}
