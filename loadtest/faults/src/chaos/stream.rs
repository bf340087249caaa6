//! Records of one source: scene after scene, a few batches at a time, each until it is acknowledged;
//! at the end of each phase the attackers that come back, and a mark.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::task::{JoinError, JoinSet};

use crate::chaos::caller::Caller;
use crate::chaos::input::{Batch, Input, SourceRef};
use loadtest::clock::turns;

/// Concurrent batches of a source: enough to overtake each other.
pub(crate) const UNDER_WAY: usize = 4;
/// Number of batches that may overtake one: a few scenes, minutes of event time.
const MOST_OVERTAKEN: u64 = 36;
/// Fewest scenes of a phase: one of each kind of attack.
const FEWEST_SCENES: u64 = 8;

/// End of a phase for a source.
#[derive(Clone, Debug)]
pub(crate) enum Ends {
    /// On request.
    WhenTold,
    /// After as many scenes as in the other deployment, and on request.
    AfterScenes(Vec<Range<u64>>),
}

/// A source that sends.
pub(crate) struct Stream {
    pub(crate) place: SourceRef,
    pub(crate) input: Input,
    pub(crate) path: String,
    pub(crate) couriers: VecDeque<Caller>,
    /// Time between two batches.
    pub(crate) pace: Duration,
    pub(crate) ends: Ends,
    /// Leaves a record of one scene out.
    pub(crate) spoil: bool,
}

/// A source that has finished a phase, with the scenes of the phase.
pub(crate) type Finished = (SourceRef, Range<u64>);

impl Stream {
    /// Sends phase after phase. `told` counts the phases that are to end.
    pub(crate) async fn run(
        mut self,
        phases: u64,
        mut told: watch::Receiver<u64>,
        finished: mpsc::Sender<Finished>,
    ) {
        let mut scenes = 0..0;
        for phase in 0..phases {
            let returning = self.input.returning(self.place, scenes.clone());
            scenes = self.scenes(phase, scenes.end, &mut told).await;
            if let Some(batch) = self.input.second_waves(self.place, phase, &returning) {
                self.deliver_alone(batch).await;
            }
            let (_, mark) = self.input.mark(self.place, phase);
            self.deliver_alone(mark).await;
            if finished.send((self.place, scenes.clone())).await.is_err() {
                return;
            }
        }
    }

    /// Sends the scenes of a phase; returns them.
    async fn scenes(&mut self, phase: u64, first: u64, told: &mut watch::Receiver<u64>) -> Range<u64> {
        let mut pace = turns(self.pace.max(Duration::from_millis(1)));
        let mut under_way = JoinSet::new();
        let mut unacknowledged = BTreeSet::new();
        let (mut scene, mut number) = (first, 0_u64);
        while self.goes_on(phase, first..scene, *told.borrow()) {
            for batch in self.scene(scene) {
                pace.tick().await;
                while self.must_wait(number, &unacknowledged)
                    && let Some(back) = under_way.join_next().await
                {
                    self.welcome(back, &mut unacknowledged);
                }
                if let Some(courier) = self.couriers.pop_front() {
                    unacknowledged.insert(number);
                    under_way.spawn(deliver(courier, self.path.clone(), batch, number));
                    number += 1;
                }
            }
            scene += 1;
        }
        while let Some(back) = under_way.join_next().await {
            self.welcome(back, &mut unacknowledged);
        }
        // If the number of scenes is known, the end of the phase still has to be awaited. An error
        // means that the sending side was dropped.
        let _ = told.wait_for(|phases| *phases > phase).await;
        first..scene
    }

    fn must_wait(&self, number: u64, unacknowledged: &BTreeSet<u64>) -> bool {
        let oldest = unacknowledged.first().copied().unwrap_or(number);
        self.couriers.is_empty() || number - oldest > MOST_OVERTAKEN
    }

    fn goes_on(&self, phase: u64, sent: Range<u64>, told: u64) -> bool {
        match &self.ends {
            Ends::WhenTold => told <= phase || sent.end - sent.start < FEWEST_SCENES,
            Ends::AfterScenes(phases) => {
                phases.get(phase as usize).is_some_and(|scenes| sent.end < scenes.end)
            }
        }
    }

    fn scene(&mut self, scene: u64) -> Vec<Batch> {
        let input = if std::mem::take(&mut self.spoil) { self.input.spoiled() } else { self.input };
        input.scene(self.place, scene)
    }

    fn welcome(&mut self, back: Result<(Caller, u64), JoinError>, unacknowledged: &mut BTreeSet<u64>) {
        if let Ok((courier, number)) = back {
            self.couriers.push_back(courier);
            unacknowledged.remove(&number);
        }
    }

    async fn deliver_alone(&mut self, batch: Batch) {
        if let Some(courier) = self.couriers.front_mut() {
            courier.deliver(&self.path, batch.content, batch.records).await;
        }
    }
}

/// Sends a batch until it is acknowledged.
async fn deliver(mut courier: Caller, path: String, batch: Batch, number: u64) -> (Caller, u64) {
    courier.deliver(&path, batch.content, batch.records).await;
    (courier, number)
}
