//! Corpus to weights: logistic regression by stochastic gradients with a rate of its own for each weight (AdaGrad). The
//! result is the average of the later epochs, which depends less on the order of the rows than the last weights do.

use linear_model::{Feature, slot};

use crate::corpus::{Corpus, Row};
use crate::seeded::Seeded;

/// How the learner runs.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Slots of the table, a power of two.
    pub slots: usize,
    /// Labels: 1 for a model that answers yes or no, else one for each class.
    pub width: usize,
    /// Passes over the corpus.
    pub epochs: usize,
    /// First step of each weight.
    pub rate: f32,
    /// Sum of squared gradients that each weight starts with: the larger, the slower its first steps.
    pub start: f32,
    /// Decay of the weights that a row touches, at each step.
    pub decay: f32,
    /// Features from which on a row learns more slowly: all of its weights move together, and its score would jump.
    pub many: f32,
    /// Seed of the order of rows.
    pub seed: u64,
}

/// What the learner found.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// The weights of a slot lie side by side, one for each label.
    pub weights: Vec<f32>,
    /// Score of each label before any feature is added.
    pub biases: Vec<f32>,
}

/// Trains on all rows whose weight is above zero.
#[must_use]
pub fn train(corpus: &Corpus, settings: &Settings) -> Learned {
    let mut learner = Learner::new(settings);
    let mut order: Vec<usize> = (0..corpus.rows().len()).collect();
    let mut random = Seeded::new(settings.seed, "order of rows");
    let averaged_from = settings.epochs / 2;
    let mut sum = Learned { weights: vec![0.0; learner.weights.len()], biases: vec![0.0; settings.width] };
    for epoch in 0..settings.epochs {
        random.shuffle(&mut order);
        for row in order.iter().filter_map(|place| corpus.rows().get(*place)) {
            if row.weight > 0.0 {
                learner.step(corpus.features(row), row);
            }
        }
        if epoch >= averaged_from {
            add(&learner.weights, &mut sum.weights);
            add(&learner.biases, &mut sum.biases);
        }
    }
    let share = 1.0 / (settings.epochs - averaged_from).max(1) as f32;
    sum.weights.iter_mut().chain(&mut sum.biases).for_each(|weight| *weight *= share);
    sum
}

fn add(from: &[f32], to: &mut [f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += from;
    }
}

struct Learner<'a> {
    settings: &'a Settings,
    weights: Vec<f32>,
    squares: Vec<f32>,
    biases: Vec<f32>,
    bias_squares: Vec<f32>,
    /// Scores, then gradients, of the row at hand.
    scores: Vec<f32>,
}

impl<'a> Learner<'a> {
    fn new(settings: &'a Settings) -> Self {
        let size = settings.slots * settings.width;
        Self {
            settings,
            weights: vec![0.0; size],
            squares: vec![settings.start; size],
            biases: vec![0.0; settings.width],
            bias_squares: vec![settings.start; settings.width],
            scores: vec![0.0; settings.width],
        }
    }

    fn step(&mut self, features: &[u64], row: &Row) {
        self.score(features, row);
        gradients(&mut self.scores, row.class);
        let mut row = *row;
        row.weight *= pace(features.len(), self.settings.many);
        let Settings { slots, width, rate, decay, .. } = *self.settings;
        for (label, gradient) in self.scores.iter().enumerate() {
            let gradient = gradient * row.weight;
            let bias = self.biases.get_mut(label).zip(self.bias_squares.get_mut(label));
            if let Some((bias, square)) = bias {
                descend(bias, square, gradient, rate);
            }
        }
        for (number, feature) in features.iter().enumerate() {
            let value = row.value_of(number);
            let start = slot(Feature(*feature), slots) * width;
            let place = start..start + width;
            let (Some(weights), Some(squares)) =
                (self.weights.get_mut(place.clone()), self.squares.get_mut(place))
            else {
                continue;
            };
            for ((weight, square), gradient) in weights.iter_mut().zip(squares).zip(&self.scores) {
                let gradient = row.weight * (gradient * value + decay * *weight);
                descend(weight, square, gradient, rate);
            }
        }
    }

    fn score(&mut self, features: &[u64], row: &Row) {
        let Settings { slots, width, .. } = *self.settings;
        self.scores.copy_from_slice(&self.biases);
        for (number, feature) in features.iter().enumerate() {
            let value = row.value_of(number);
            let start = slot(Feature(*feature), slots) * width;
            let weights = self.weights.get(start..start + width).unwrap_or_default();
            for (score, weight) in self.scores.iter_mut().zip(weights) {
                *score += value * weight;
            }
        }
        if let Some(score) = self.scores.first_mut() {
            *score += row.offset;
        }
    }
}

/// Learning rate of a row relative to one of few features.
fn pace(features: usize, many: f32) -> f32 {
    (many / features.max(1) as f32).min(1.0)
}

/// Scores to the gradient of the loss: probability minus right answer.
fn gradients(scores: &mut [f32], class: usize) {
    if let [score] = scores {
        *score = 1.0 / (1.0 + exponential(-*score)) - class as f32;
        return;
    }
    let largest = scores.iter().copied().fold(f32::MIN, f32::max);
    let total: f32 = scores.iter().map(|score| exponential(score - largest)).sum();
    for (label, score) in scores.iter_mut().enumerate() {
        let right = if label == class { 1.0 } else { 0.0 };
        *score = exponential(*score - largest) / total - right;
    }
}

/// The exponential function. The one of the system's library may round differently on another processor, and models are
/// compared byte by byte.
fn exponential(x: f32) -> f32 {
    let x = f64::from(x.clamp(-80.0, 80.0));
    let halvings = (x * std::f64::consts::LOG2_E).round();
    let rest = x - halvings * std::f64::consts::LN_2;
    // Taylor's series: the rest is at most 0.35, so that nine terms are more exact than an `f32` is.
    let series = (1..9).rev().fold(1.0, |sum, term| 1.0 + sum * rest / f64::from(term));
    let power = f64::from_bits(((halvings as i64 + 1023) as u64) << 52);
    (series * power) as f32
}

fn descend(weight: &mut f32, square: &mut f32, gradient: f32, rate: f32) {
    *square += gradient * gradient;
    if *square > 0.0 {
        *weight -= rate * gradient / square.sqrt();
    }
}

#[cfg(test)]
mod tests {
    use super::{Settings, exponential, train};
    use crate::corpus::{Corpus, Row};
    use linear_model::{Feature, slot};

    fn settings(width: usize) -> Settings {
        Settings {
            slots: 1 << 10,
            width,
            epochs: 10,
            rate: 0.2,
            start: 0.0,
            decay: 1e-5,
            many: 64.0,
            seed: 1,
        }
    }

    #[test]
    fn the_exponential_function_is_as_exact_as_a_number_can_say() {
        for step in -3_000..3_000 {
            let x = step as f32 / 50.0;
            assert!((exponential(x) / x.exp() - 1.0).abs() < 1e-6, "of {x}");
        }
    }

    #[test]
    fn a_word_of_one_class_gets_its_weight() {
        let mut corpus = Corpus::default();
        for _ in 0..20 {
            corpus.push(Row::new(1, 1.0), ["ignore", "the"].map(Feature::of));
            corpus.push(Row::new(0, 1.0), ["bake", "the"].map(Feature::of));
        }
        let learned = train(&corpus, &settings(1));
        let weight = |word| learned.weights[slot(Feature::of(word), 1 << 10)];
        assert!(weight("ignore") > 1.0 && weight("bake") < -1.0 && weight("the").abs() < 0.5);
        assert_eq!(learned, train(&corpus, &settings(1)));
    }

    #[test]
    fn each_of_several_classes_gets_its_word() {
        let words = ["Anna", "Paris", "table"];
        let mut corpus = Corpus::default();
        for _ in 0..20 {
            for (class, word) in words.into_iter().enumerate() {
                corpus.push(Row::new(class, 1.0), [Feature::of(word)]);
            }
        }
        let learned = train(&corpus, &settings(3));
        for (class, word) in words.into_iter().enumerate() {
            let start = slot(Feature::of(word), 1 << 10) * 3;
            let scores = &learned.weights[start..start + 3];
            let best = scores.iter().enumerate().max_by(|one, two| one.1.total_cmp(two.1)).unwrap().0;
            assert_eq!(best, class, "{word}: {scores:?}");
        }
    }
}
