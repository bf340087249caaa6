//! What an ordinary record costs detection with the built-in rules, from its bytes to the rules that match, in
//! processor time of this thread: messages of applications, access lines, and three of the former for one of the
//! latter. Rounds take turns over the kinds; medians are told.
//!
//! Arguments are a kind's name, and a number of rounds (many, for a profiler).
//!
//! Beside the times stands a digest of everything that was read and found, to compare two states of the code by.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up has nothing to measure")]
#![expect(clippy::print_stdout, reason = "it is what the benchmark is for")]

use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use std::time::Duration;

use analyzer::normalize::{Room, normalize};
use analyzer::pack;
use analyzer::record::{Record, records};
use benches::ordinary::{self, Wording};
use benches::selection::Selection;
use benches::thread_cpu::{median_nanoseconds, timed};
use common::timestamp::Timestamp;
use rand::SeedableRng;
use rand::rngs::StdRng;
use sigma::{Match, RuleSet};

/// The product's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const BATCHES: usize = 12;
/// Records in one batch.
const BATCH: usize = 1_000;
/// Records in a row that the analyzer matches with one matcher.
const CHUNK: usize = 128;
const ROUNDS: usize = 25;
/// When the batches claim to have been accepted.
const RECEIVED: Timestamp = Timestamp(1_793_534_400_000_000_000);

const KINDS: [(&str, Wording); 3] =
    [("application", ordinary::application), ("access", ordinary::access), ("mixed", ordinary::mixed)];

/// Batches of a kind, and how long they took.
struct Load {
    name: &'static str,
    batches: Vec<Vec<u8>>,
    walking: Vec<Duration>,
    normalizing: Vec<Duration>,
    whole: Vec<Duration>,
}

fn main() {
    let Some(selection) = Selection::of_arguments(ROUNDS) else { return };
    let rules = pack::built_in().unwrap();
    let kinds = KINDS.iter().filter(|(name, _)| selection.has(name));
    let mut loads: Vec<Load> = kinds.map(|(name, wording)| load(name, *wording)).collect();
    for _ in 0..selection.rounds {
        for load in &mut loads {
            load.walking
                .push(timed(|| load.batches.iter().flat_map(|batch| records(batch)).for_each(drop)).1);
            load.normalizing.push(timed(|| normalize_all(&load.batches)).1);
            load.whole.push(timed(|| match_all(&rules, &load.batches, |_, _| {})).1);
        }
    }
    let nanoseconds = |rounds: &[Duration]| median_nanoseconds(rounds, BATCHES * BATCH);
    for load in loads {
        println!(
            "{:<12} {:>6.0} ns a record: {:>4.0} to find it, {:>5.0} to normalize it, {:>5.0} to match it; digest {:016x}",
            load.name,
            nanoseconds(&load.whole),
            nanoseconds(&load.walking),
            nanoseconds(&load.normalizing) - nanoseconds(&load.walking),
            nanoseconds(&load.whole) - nanoseconds(&load.normalizing),
            digest(&rules, &load.batches)
        );
    }
}

fn load(name: &'static str, wording: Wording) -> Load {
    let mut chance = StdRng::seed_from_u64(20_261_121);
    let batches = (0..BATCHES).map(|_| ordinary::batch(&mut chance, BATCH, wording)).collect();
    Load { name, batches, walking: Vec::new(), normalizing: Vec::new(), whole: Vec::new() }
}

/// As detection does: each record has the room of the one before.
fn normalize_all(batches: &[Vec<u8>]) {
    for batch in batches {
        let mut room = Room::default();
        for record in records(batch) {
            let normalized = black_box(room.normalize(&record, RECEIVED));
            room.take_back(normalized);
        }
    }
}

fn match_all(rules: &RuleSet, batches: &[Vec<u8>], mut each: impl FnMut(&Record<'_>, &[Match])) {
    let mut found = Vec::new();
    for batch in batches {
        let records: Vec<Record<'_>> = records(batch).collect();
        for records in records.chunks(CHUNK) {
            let (mut matcher, mut room) = (rules.matcher(), Room::default());
            for record in records {
                let normalized = room.normalize(record, RECEIVED);
                matcher.matches_and_filters(&normalized.event, &mut found);
                each(record, &found);
                room.take_back(normalized);
            }
        }
    }
}

fn digest(rules: &RuleSet, batches: &[Vec<u8>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    match_all(rules, batches, |record, found| {
        format!("{:?} {found:?}", normalize(record, RECEIVED)).hash(&mut hasher);
    });
    hasher.finish()
}
