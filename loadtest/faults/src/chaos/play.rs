//! The load: every source sends phase after phase; when one ends its incidents are reviewed, while the
//! next continues. It is applied twice, under faults and without, with the same lines.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use crate::chaos::answers::{Answers, Side};
use crate::chaos::compare::Scenes;
use crate::chaos::deployment::Deployment;
use crate::chaos::input::{Input, SourceRef};
use crate::chaos::outcome::Reviewed;
use crate::chaos::review::Reviewer;
use crate::chaos::stream::{Ends, Finished, Stream, UNDER_WAY};
use crate::chaos::weather::Weather;
use loadtest::api::logs_path;
use loadtest::locked::Locked;
use loadtest::run::say;

/// Parameters of the load, and its deployment.
pub(crate) struct Play<'a> {
    pub(crate) deployment: &'a Deployment,
    pub(crate) input: Input,
    pub(crate) answers: &'a Answers,
    pub(crate) weather: &'a Weather,
    pub(crate) phases: u64,
    /// Most batches that are started per second, over all sources.
    pub(crate) rate: u32,
    /// The scenes to send; `None` when the faults determine their number.
    pub(crate) scenes: Option<&'a Scenes>,
    /// Another process lists a review within this, without disturbance.
    pub(crate) listed_within: Duration,
    /// Leaves a line out.
    pub(crate) spoil: bool,
}

impl Play<'_> {
    /// Runs to the end. `faults_over` counts the completed ones of `faults`: each phase lasts
    /// until its share of them is.
    pub(crate) async fn perform(
        &self,
        faults: u64,
        mut faults_over: watch::Receiver<u64>,
    ) -> (Scenes, Reviewed) {
        let places = self.deployment.places();
        let (tell, told) = watch::channel(0_u64);
        let (finished, mut finishing) = mpsc::channel(places.len().max(1));
        let mut streams = JoinSet::new();
        for place in &places {
            let stream = self.stream(*place, places.len());
            streams.spawn(stream.run(self.phases, told.clone(), finished.clone()));
        }
        drop(finished);

        let mut scenes = Scenes::new();
        let reviewed = Locked::<Reviewed>::default();
        let mut reviewing = JoinSet::new();
        for phase in 0..self.phases {
            let share = faults * (phase + 1) / self.phases;
            // An error means that there are no more faults to wait for.
            let _ = faults_over.wait_for(|over| *over >= share).await;
            while reviewing.join_next().await.is_some() {}
            tell.send_replace(phase + 1);
            let ended = self.ended(&places, &mut finishing).await;
            for (place, sent) in &ended {
                scenes.entry(*place).or_default().push(sent.clone());
            }
            say(&format!(
                "phase {} of {} sent: {} batches acknowledged so far",
                phase + 1,
                self.phases,
                self.answers.all_acknowledged().0
            ));
            let mut reviewer = Reviewer::new(self.deployment, self.input, self.answers, self.weather);
            (reviewer.listed_within, reviewer.reviewed) = (self.listed_within, reviewed.clone());
            let scenes_of = move |place: SourceRef| ended.get(&place).cloned().unwrap_or_default();
            reviewing.spawn(reviewer.phase(phase, scenes_of));
        }
        while reviewing.join_next().await.is_some() {}
        while streams.join_next().await.is_some() {}
        let reviewed = reviewed.lock().clone();
        (scenes, reviewed)
    }

    fn stream(&self, place: SourceRef, places: usize) -> Stream {
        let pace = Duration::from_secs(1).mul_f64(places as f64 / f64::from(self.rate.max(1)));
        let ends = self.scenes.map_or(Ends::WhenTold, |scenes| {
            Ends::AfterScenes(scenes.get(&place).cloned().unwrap_or_default())
        });
        let courier = |number: usize| {
            let chance = self.input.chance(place, number as u64, 5);
            self.deployment.caller(Side::Ingest, place.organization, self.answers, chance)
        };
        Stream {
            place,
            input: self.input,
            path: logs_path(self.deployment.source(place)),
            couriers: (0..UNDER_WAY).map(courier).collect(),
            pace,
            ends,
            spoil: self.spoil && place == (SourceRef { organization: 0, source: 0 }),
        }
    }

    /// The scenes of each source in a phase, once all have finished it.
    async fn ended(
        &self,
        places: &[SourceRef],
        finishing: &mut mpsc::Receiver<Finished>,
    ) -> BTreeMap<SourceRef, Range<u64>> {
        let mut ended = BTreeMap::new();
        while ended.len() < places.len() {
            let Some((place, scenes)) = finishing.recv().await else { return ended };
            ended.insert(place, scenes);
        }
        ended
    }
}
