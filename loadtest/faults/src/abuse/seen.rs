//! Observations of attackers, and the concurrent attackers that make them.

use std::collections::BTreeMap;

use tokio::task::JoinSet;

/// Observations with their counts: statuses of answers, or the way a connection ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) outcomes: BTreeMap<String, u64>,
    /// Log records that the server acknowledged: some requests are allowed.
    pub(crate) records: u64,
    /// Number of refused requests that were repeated.
    pub(crate) returns: u64,
}

impl Seen {
    /// One observation, once.
    pub(crate) fn of(what: impl Into<String>) -> Self {
        let mut seen = Self::default();
        seen.add(what);
        seen
    }

    /// One more.
    pub(crate) fn add(&mut self, what: impl Into<String>) {
        self.add_times(what, 1);
    }

    /// Adds a number of observations.
    pub(crate) fn add_times(&mut self, what: impl Into<String>, times: u64) {
        *self.outcomes.entry(what.into()).or_default() += times;
    }

    /// All observations of another.
    pub(crate) fn add_all(&mut self, other: Self) {
        other.outcomes.into_iter().for_each(|(what, times)| self.add_times(what, times));
        self.records += other.records;
        self.returns += other.returns;
    }
}

/// Repeats an action, some at a time; counts the observations of each.
pub(crate) async fn crowd<F>(times: usize, at_a_time: usize, mut attack: impl FnMut(usize) -> F) -> Seen
where
    F: Future<Output = String> + Send + 'static,
{
    let mut seen = Seen::default();
    let mut attackers = JoinSet::new();
    for number in 0..times {
        if attackers.len() >= at_a_time
            && let Some(outcome) = attackers.join_next().await
        {
            seen.add(outcome.unwrap_or_else(|error| error.to_string()));
        }
        attackers.spawn(attack(number));
    }
    while let Some(outcome) = attackers.join_next().await {
        seen.add(outcome.unwrap_or_else(|error| error.to_string()));
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_crowd_is_counted_by_what_it_saw() {
        let seen = crowd(7, 3, |number| async move { format!("{}", number % 2) }).await;
        assert_eq!(seen.outcomes, BTreeMap::from([("0".to_owned(), 4), ("1".to_owned(), 3)]));
    }
}
