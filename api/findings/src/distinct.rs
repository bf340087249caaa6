//! Joining the observations of a run that have the same identity.

use std::collections::HashMap;

use engine::Observation;

use crate::identity::Identity;
use crate::merge::Run;

/// The observations by identity, in the order of their first appearance, and for each observation the place of its identity.
pub(crate) fn distinct(
    run: &Run,
    observations: Vec<Observation>,
) -> (Vec<(Identity, Observation)>, Vec<usize>) {
    let mut distinct: Vec<(Identity, Observation)> = Vec::new();
    let (mut known, mut places) = (HashMap::<Identity, usize>::new(), Vec::new());
    for observation in observations {
        let identity = Identity::of(run.organization, &run.target, &observation);
        let place = *known.entry(identity).or_insert(distinct.len());
        places.push(place);
        match distinct.get_mut(place) {
            Some((_, first)) => first.join(observation),
            None => distinct.push((identity, observation)),
        }
    }
    (distinct, places)
}
