//! The detect stage: ordinary batches from their bytes to the built-in rules that match, which is hardly ever one:
//! messages of applications, access lines, and three of the former for one of the latter. Its cost beside another
//! implementation, with thousands of rules, is `beside_rsigma`'s.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up has nothing to measure")]

use analyzer::pack;
use benches::ordinary::{self, Wording};
use benches::stage;
use common::timestamp::Timestamp;
use normalize::Room;
use normalize::record::{Record, records};
use rand::SeedableRng;
use rand::rngs::StdRng;
use sigma::RuleSet;

/// The product's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Records in a row that the analyzer matches with one matcher.
const CHUNK: usize = 128;
/// When the batches claim to have been accepted.
const RECEIVED: Timestamp = Timestamp(1_793_534_400_000_000_000);

const KINDS: [(&str, Wording); 3] =
    [("application", ordinary::application), ("access", ordinary::access), ("mixed", ordinary::mixed)];

fn main() {
    let rules = pack::built_in().unwrap();
    stage::measure(
        "detect",
        &KINDS,
        |wording, size, seed| ordinary::batch(&mut StdRng::seed_from_u64(seed), size, wording),
        <[u8]>::to_vec,
        |_, batch| matches(&rules, &batch),
    );
}

/// Number of matching rules, as detection finds it: each record has the room of the last one.
fn matches(rules: &RuleSet, batch: &[u8]) -> usize {
    let (mut found, mut count) = (Vec::new(), 0);
    let records: Vec<Record<'_>> = records(batch).collect();
    for records in records.chunks(CHUNK) {
        let (mut matcher, mut room) = (rules.matcher(), Room::default());
        for record in records {
            let normalized = room.normalize(record, RECEIVED);
            matcher.matches_and_filters(&normalized.event, &mut found);
            count += found.len();
            room.take_back(normalized);
        }
    }
    count
}
