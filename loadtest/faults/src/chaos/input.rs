//! The input of a run: for each source an endless sequence of scenes, each an attack among ordinary lines, split
//! into batches. All of it follows from the seed and the start time of the run, so that two deployments can
//! be sent the same, byte for byte.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::chaos::attacks::{Attack, Kind, MOST_NUMBERS};
use loadtest::access_log::access_line;
use loadtest::client::Content;
use loadtest::clock::WallClock;
use loadtest::forms::{Form, Line};

/// Batches of a scene. Its lines are distributed to them at random, so that their order of arrival differs
/// from that of their times.
pub(crate) const SCENE_BATCHES: u64 = 12;
/// Ordinary lines in a scene.
const ORDINARY: u64 = 180;
/// Event time between the beginnings of two scenes. Batches in flight come from neighbouring scenes: far
/// within the ten minutes that a group's events may be late.
const SCENE_MS: u64 = 15_000;
/// Time from the first scene to the start of the run: room for 2,880 scenes, all
/// of them in the past.
const BEGAN_BEFORE_MS: u64 = 12 * 60 * 60 * 1_000;
/// Scenes with an attack. A source opens 200 separate incidents of a family in an hour; further findings
/// join one, for which the order of arrival matters; three of eight kinds share a family.
const MOST_ATTACKS: u64 = 400;
/// One attacker in this many comes back in the next phase.
const RETURNING: u64 = 3;
/// A second wave comes so long after the beginning of the attack's scene.
const SECOND_WAVE_AFTER_MS: u64 = 90_000;
/// Lines of the attack that marks the end of a phase.
const MARK_SIZE: u64 = 10;

/// A source, by the number of its organization and its own in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SourceRef {
    pub(crate) organization: usize,
    pub(crate) source: usize,
}

impl SourceRef {
    /// The name of one of its hosts, which distinguishes tenants.
    pub(crate) fn host(self, kind: &str) -> String {
        format!("o{}s{}-{kind}", self.organization, self.source)
    }
}

impl std::fmt::Display for SourceRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "o{}s{}", self.organization, self.source)
    }
}

/// A body to be sent, and its name.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    pub(crate) content: Content,
    pub(crate) records: u64,
}

/// The input of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input {
    pub(crate) seed: u64,
    /// When the run began, milliseconds since 1970.
    pub(crate) began_ms: u64,
    /// Whether the first line of each attack is left out: for showing that its absence is detected.
    pub(crate) spoiled: bool,
}

impl Input {
    /// The input of a run that begins now.
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, began_ms: WallClock::start().now_ms(), spoiled: false }
    }

    /// The attack of a scene, if it has one.
    pub(crate) fn attack(&self, place: SourceRef, scene: u64) -> Option<Attack> {
        let kind = *Kind::ALL.get(scene as usize % Kind::ALL.len())?;
        let size = self.chance(place, scene, 1).random_range(kind.sizes());
        (scene < MOST_ATTACKS).then_some(Attack { kind, place, number: scene, size })
    }

    /// The batches of a scene.
    pub(crate) fn scene(&self, place: SourceRef, scene: u64) -> Vec<Batch> {
        let mut chance = self.chance(place, scene, 2);
        let mut batches = vec![Vec::new(); SCENE_BATCHES as usize];
        for line in self.lines(place, scene, &mut chance) {
            let place = chance.random_range(0..batches.len());
            if let Some(batch) = batches.get_mut(place) {
                batch.push(line);
            }
        }
        let named = |(number, lines): (usize, Vec<Line>)| {
            batch(&mut chance, format!("{place}-scene-{scene}-batch-{number}"), &lines)
        };
        batches.into_iter().enumerate().map(named).collect()
    }

    /// Some scenes in one batch.
    pub(crate) fn whole_scenes(&self, place: SourceRef, scenes: std::ops::Range<u64>) -> Batch {
        let mut chance = self.chance(place, scenes.start, 10);
        let name = format!("{place}-scenes-{}-{}", scenes.start, scenes.end);
        let lines: Vec<Line> = scenes.flat_map(|scene| self.lines(place, scene, &mut chance)).collect();
        batch(&mut chance, name, &lines)
    }

    /// The lines of a scene, by time.
    fn lines(&self, place: SourceRef, scene: u64, chance: &mut StdRng) -> Vec<Line> {
        let mut lines: Vec<Line> = (0..ORDINARY).map(|index| ordinary(place, scene, index)).collect();
        // Among the ordinary lines, but in their own order.
        let mut at = 0;
        let left_out = usize::from(self.spoiled);
        for line in self.attack(place, scene).iter().flat_map(Attack::first_wave).skip(left_out) {
            at = chance.random_range(at..=lines.len().min(at + 8));
            lines.insert(at, line);
            at += 1;
        }
        let began_ms = self.scene_ms(scene);
        let step = SCENE_MS / (lines.len() as u64).max(1);
        for (index, line) in lines.iter_mut().enumerate() {
            line.time_ms = began_ms + index as u64 * step;
        }
        lines
    }

    /// The same input without the first line of each attack.
    pub(crate) fn spoiled(self) -> Self {
        Self { spoiled: true, ..self }
    }

    /// The attackers of some scenes that come back in the next phase.
    pub(crate) fn returning(&self, place: SourceRef, scenes: std::ops::Range<u64>) -> Vec<Attack> {
        scenes.filter(|scene| scene % RETURNING == 0).filter_map(|scene| self.attack(place, scene)).collect()
    }

    /// The second waves of attackers that come back in a phase; `None` when there are none.
    pub(crate) fn second_waves(&self, place: SourceRef, phase: u64, returning: &[Attack]) -> Option<Batch> {
        let mut lines = Vec::new();
        for attack in returning {
            let began_ms = self.scene_ms(attack.number) + SECOND_WAVE_AFTER_MS;
            for (index, mut line) in attack.second_wave().into_iter().enumerate() {
                line.time_ms = began_ms + index as u64 * 1_000;
                lines.push(line);
            }
        }
        let mut chance = self.chance(place, phase, 3);
        (!lines.is_empty()).then(|| batch(&mut chance, format!("{place}-second-waves-{phase}"), &lines))
    }

    /// The mark of the end of a phase: once its incident exists, everything before it is analysed.
    pub(crate) fn mark(&self, place: SourceRef, phase: u64) -> (Attack, Batch) {
        let number = MOST_NUMBERS - 1 - phase;
        let attack = Attack { kind: Kind::Guessing, place, number, size: MARK_SIZE };
        let mut lines = attack.first_wave();
        for (index, line) in lines.iter_mut().enumerate() {
            line.time_ms = self.began_ms - BEGAN_BEFORE_MS + phase * 60_000 + index as u64 * 1_000;
        }
        let mut chance = self.chance(place, phase, 4);
        (attack, batch(&mut chance, format!("{place}-mark-{phase}"), &lines))
    }

    /// Random generator of a purpose, always the same.
    pub(crate) fn chance(&self, place: SourceRef, number: u64, purpose: u64) -> StdRng {
        let mut seed = [0; 32];
        let parts = [self.seed, (place.organization as u64) << 32 | place.source as u64, number, purpose];
        for (bytes, part) in seed.chunks_exact_mut(8).zip(parts) {
            bytes.copy_from_slice(&part.to_le_bytes());
        }
        StdRng::from_seed(seed)
    }

    fn scene_ms(&self, scene: u64) -> u64 {
        self.began_ms - BEGAN_BEFORE_MS + scene * SCENE_MS
    }
}

fn batch(chance: &mut StdRng, idempotency_key: String, lines: &[Line]) -> Batch {
    let form = Form::ALL.get(chance.random_range(0..Form::ALL.len())).copied().unwrap_or(Form::Ndjson);
    // NDJSON without a record is refused, rightly; an empty array is not.
    let form = if lines.is_empty() { Form::JsonArray } else { form };
    let gzip = chance.random();
    let (media_type, body) = (form.media_type(), form.body(lines, gzip));
    let content = Content { media_type, gzip, idempotency_key: Some(idempotency_key), body };
    Batch { content, records: lines.len() as u64 }
}

/// Ordinary lines: logins with keys, a mistyped password, customers of a shop.
fn ordinary(place: SourceRef, scene: u64, index: u64) -> Line {
    let number = scene * ORDINARY + index;
    let bastion =
        |message: String| Line { time_ms: 0, host: place.host("bastion"), program: "sshd", message };
    match index % 6 {
        0 => bastion(format!(
            "Accepted publickey for deploy from 198.51.100.{} port {} ssh2: ED25519 SHA256:loadtest",
            number % 20,
            40_000 + number % 20_000
        )),
        // A different user each time: one account with failures from many addresses would be under attack.
        1 if index == 1 => bastion(format!(
            "Failed password for carol{scene} from 198.51.100.{} port 40111 ssh2",
            30 + scene % 200
        )),
        1 => {
            bastion("pam_unix(sshd:session): session opened for user deploy(uid=1000) by (uid=0)".to_owned())
        }
        kind => {
            let page = ["/", "/cart", "/style.css", "/search?q=lamp"][kind as usize - 2];
            let address = format!("192.0.2.{}", number % 200);
            let message =
                access_line(&address, &format!("GET {page}"), 200, "Mozilla/5.0 (X11; Linux x86_64)");
            Line { time_ms: 0, host: place.host("web"), program: "nginx", message }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const PLACE: SourceRef = SourceRef { organization: 1, source: 2 };

    fn input(seed: u64) -> Input {
        Input { seed, began_ms: 1_783_501_200_000, spoiled: false }
    }

    #[test]
    fn the_same_seed_makes_the_same_bodies_and_another_makes_others() {
        let bodies = |input: Input| {
            (0..4)
                .flat_map(|scene| input.scene(PLACE, scene))
                .map(|batch| batch.content.body)
                .collect::<Vec<_>>()
        };
        assert_eq!(bodies(input(7)), bodies(input(7)));
        assert_ne!(bodies(input(7)), bodies(input(8)));
    }

    #[test]
    fn every_line_of_a_scene_is_in_one_batch() {
        for scene in 0..8 {
            let records: u64 = input(7).scene(PLACE, scene).iter().map(|batch| batch.records).sum();
            let attack = input(7).attack(PLACE, scene).unwrap();
            assert_eq!(records, ORDINARY + attack.records());
        }
    }

    #[test]
    fn attackers_are_told_apart_across_sources_and_phases() {
        let mut seen = BTreeSet::new();
        for place in
            (0..8).flat_map(|organization| (0..10).map(move |source| SourceRef { organization, source }))
        {
            let attacks = (0..MOST_ATTACKS).filter_map(|scene| input(7).attack(place, scene));
            for attack in attacks.chain((0..20).map(|phase| input(7).mark(place, phase).0)) {
                let (_, entity) = attack.entity();
                assert!(Attack::is_of(place.organization, &entity), "{entity}");
                assert!(!Attack::is_of(place.organization + 1, &entity), "{entity}");
                assert!(seen.insert(entity.clone()), "{entity} twice");
            }
        }
    }
}
