//! Texts or tokens as hashed features, side by side in one array: the form in which the learner reads them.

use linear_model::Feature;

/// Rows of features with the right answer of each.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    features: Vec<u64>,
    rows: Vec<Row>,
}

/// One text or token.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    start: usize,
    end: usize,
    /// The right answer: 0 or 1 for a model of one label, else the number of the label.
    pub class: usize,
    /// How much the row counts. Only ratios matter.
    pub weight: f32,
    /// Value of each of its features, for example one by the square root of their number.
    pub value: f32,
    /// Number of its first features that have a value of their own, for example facts before words.
    pub lead: usize,
    /// Value of each of those.
    pub lead_value: f32,
    /// Score that the row has apart from its features, for the first label.
    pub offset: f32,
}

impl Row {
    /// A row that is not yet part of a corpus.
    #[must_use]
    pub fn new(class: usize, weight: f32) -> Self {
        Self { start: 0, end: 0, class, weight, value: 1.0, lead: 0, lead_value: 1.0, offset: 0.0 }
    }

    /// Value of the feature with this number among those of the row.
    pub(crate) fn value_of(&self, number: usize) -> f32 {
        if number < self.lead { self.lead_value } else { self.value }
    }
}

impl Corpus {
    /// Adds a row with its features.
    pub fn push(&mut self, row: Row, features: impl IntoIterator<Item = Feature>) {
        let start = self.features.len();
        self.features.extend(features.into_iter().map(|feature| feature.0));
        self.rows.push(Row { start, end: self.features.len(), ..row });
    }

    /// The rows, in the order in which they were added.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The rows, to change weights.
    pub fn rows_mut(&mut self) -> &mut [Row] {
        &mut self.rows
    }

    /// The features of a row.
    #[must_use]
    pub fn features(&self, row: &Row) -> &[u64] {
        self.features.get(row.start..row.end).unwrap_or_default()
    }
}
