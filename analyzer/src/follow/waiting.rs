//! Organizations whose changed rules wait to be compiled: those with little first, so that large ones delay others for no
//! longer than one of them takes.

use std::collections::BTreeMap;

use common::ids::OrganizationId;

/// Bytes of YAML that are compiled between two looks for changes, unless one organization alone has more: some tenths of a
/// second. So a change waits for the running compilation, which is one organization's at most where that is more, and for so
/// much of others that have less.
const BETWEEN_LOOKS: usize = 1 << 20;

/// Number of looks for which each organization has waited.
#[derive(Debug, Default)]
pub(super) struct Waiting(BTreeMap<OrganizationId, u32>);

/// An organization whose rules are to be compiled.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingCompilation {
    pub(super) organization: OrganizationId,
    /// The version that was announced.
    pub(super) version: u64,
    pub(super) yaml_bytes: usize,
}

impl Waiting {
    /// Whether no organization waits.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The organizations to compile now, in this order, of all that wait. The rest waits for another look. Each look for which
    /// an organization has waited halves its counted size, so that its turn comes whatever others change.
    pub(super) fn choose(&mut self, mut all: Vec<PendingCompilation>) -> Vec<PendingCompilation> {
        all.sort_by_key(|work| {
            let looks = self.0.get(&work.organization).copied().unwrap_or_default();
            work.yaml_bytes.checked_shr(looks).unwrap_or_default()
        });
        let mut bytes = 0_usize;
        let mut fits = |work: &PendingCompilation| {
            bytes = bytes.saturating_add(work.yaml_bytes);
            bytes <= BETWEEN_LOOKS
        };
        let now = all.iter().take_while(|work| fits(work)).count().max(1).min(all.len());
        let later = all.split_off(now);
        let looks = |of: &OrganizationId| 1 + self.0.get(of).copied().unwrap_or_default();
        self.0 = later.iter().map(|work| (work.organization, looks(&work.organization))).collect();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(number: u8, yaml_bytes: usize) -> PendingCompilation {
        PendingCompilation { organization: OrganizationId::from_bytes([number; 16]), version: 1, yaml_bytes }
    }

    fn numbers(chosen: &[PendingCompilation]) -> Vec<u8> {
        chosen.iter().map(|work| work.organization.as_bytes()[0]).collect()
    }

    #[test]
    fn the_small_come_first_and_the_large_one_at_a_time() {
        let mut waiting = Waiting::default();
        assert!(waiting.choose(Vec::new()).is_empty() && waiting.is_empty());
        let [large, larger, small] = [work(1, 4 << 20), work(2, 8 << 20), work(3, 1_000)];
        assert_eq!(numbers(&waiting.choose(vec![large, larger, small])), [3]);
        assert_eq!(numbers(&waiting.choose(vec![large, larger])), [1]);
        assert!(!waiting.is_empty());
        assert_eq!(numbers(&waiting.choose(vec![larger])), [2]);
        assert!(waiting.is_empty());
    }

    #[test]
    fn a_large_one_comes_however_often_others_change() {
        let mut waiting = Waiting::default();
        let others = || (2..12).map(|number| work(number, 200_000));
        let comes = |waiting: &mut Waiting| {
            numbers(&waiting.choose(others().chain([work(1, 8 << 20)]).collect())).contains(&1)
        };
        let looks = (1..100).find(|_| comes(&mut waiting)).unwrap();
        assert!((2..10).contains(&looks), "{looks}");
    }
}
