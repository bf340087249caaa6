//! Observations of one identity become one.

use std::collections::HashMap;

use super::{MAX_TEXT, Rejection, ResultOutcome, ToolObservation};
use crate::{Location, Observation};

/// The observations so far, by check and identity.
#[derive(Debug, Default)]
pub(super) struct Merged {
    pub(super) observations: Vec<ToolObservation>,
    places: HashMap<(String, Vec<String>), usize>,
    /// Bytes of text in the observations.
    text: usize,
}

impl Merged {
    /// Adds an observation, or its locations to the one with its identity.
    pub(super) fn add(&mut self, new: ToolObservation) -> Result<ResultOutcome, Rejection> {
        let bytes = text(&new.observation);
        if self.text.saturating_add(bytes) > MAX_TEXT {
            return Err(Rejection::new(
                "results with at most 80 MiB of text in all, counting shared texts in each",
                format!("{} bytes more in this one", bytes),
            ));
        }
        self.text += bytes;
        let key = (new.observation.check.clone(), new.observation.identity.clone());
        let place = *self.places.entry(key).or_insert(self.observations.len());
        match self.observations.get_mut(place) {
            Some(kept) => kept.observation.join(new.observation),
            None => self.observations.push(new),
        }
        Ok(ResultOutcome::Observation(place))
    }
}

fn text(observation: &Observation) -> usize {
    let location = |one: &Location| one.path.len() + one.snippet.len() + one.message.len();
    let locations = observation.locations.iter().chain(&observation.trace).map(location);
    let evidence = observation.evidence.iter().map(|piece| piece.label.len() + piece.text.len());
    let texts = [&observation.check, &observation.title, &observation.description, &observation.remedy];
    let lists = observation.identity.iter().chain(&observation.references);
    locations.chain(evidence).sum::<usize>() + texts.into_iter().chain(lists).map(String::len).sum::<usize>()
}
