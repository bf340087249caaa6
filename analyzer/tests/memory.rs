//! Memory that an attacker costs, under the built-in rules: bytes that are given back when the analyzer ends. This is a program
//! of its own because its allocator counts.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod analyzer {
    #![expect(dead_code, unused_imports, reason = "this program needs a part of it")]
    pub(crate) mod harness;
}

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

use self::analyzer::harness::{Delivery, Line, Running, World, in_paused_time};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Attackers, fewer than those that become one incident together.
const ATTACKERS: u64 = 100;
/// Between two visits of one attacker, seconds.
const PAUSE: u64 = 1_140;
/// Failed logins of one visit, by so many names.
const FAILED: u64 = 12;
const NAMES: u64 = 6;

/// Bytes that are allocated and not given back.
fn live_bytes() -> i64 {
    let stats = ALLOCATOR.stats();
    i64::try_from(stats.bytes_allocated).unwrap() - i64::try_from(stats.bytes_deallocated).unwrap()
}

/// One attacker's failed logins, all at once.
fn visit(number: u64, attacker: u64) -> Delivery {
    let second = number * PAUSE + attacker * PAUSE / ATTACKERS;
    let line = |index: u64| {
        let name = format!("qz{attacker:06}-{}", index % NAMES);
        let address =
            format!("10.{}.{}.{}", 100 + attacker / 10_000, 100 + attacker / 100, 100 + attacker % 100);
        let port = 40_000 + index;
        Line::new(format!(
            "Jul  8 09:00:00 bastion-1 sshd[4711]: Failed password for {name} from {address} port {port} ssh2"
        ))
        .with("host.name", "bastion-1")
        .uid(format!("{number:04x}{attacker:08x}{index:04x}"))
        .at(second)
    };
    Delivery::new(second, (0..FAILED).map(line))
}

/// Bytes that an analyzer gives back when it ends which has analysed so many visits of so many attackers, and then those of one
/// that has read back the state of the other.
async fn held(attackers: u64, visits: u64) -> [i64; 2] {
    let world = World::of_rules(::analyzer::pack::built_in().unwrap());
    let running = world.start();
    for number in 0..visits {
        for attacker in 0..attackers {
            world.send(&visit(number, attacker)).await;
            world.caught_up().await;
        }
    }
    let folded = given_back(running).await;
    assert_eq!(world.heads().len() as u64, attackers);
    let running = world.start();
    world.send(&visit(visits, attackers)).await;
    world.caught_up().await;
    [folded, given_back(running).await]
}

async fn given_back(running: Running) -> i64 {
    let before = live_bytes();
    running.stop().await;
    before - live_bytes()
}

#[test]
fn an_attacker_costs_little_while_it_is_known_and_when_it_is_read_back() {
    in_paused_time(async {
        let nobody = held(1, 1).await;
        for (visits, most) in [(1, 50_000), (4, 100_000)] {
            let bytes = held(ATTACKERS, visits).await;
            let [folded, read_back] =
                [0, 1].map(|way| (bytes[way] - nobody[way]) / i64::try_from(ATTACKERS).unwrap());
            println!("{visits} visits: {folded} bytes an attacker, {read_back} of windows read back");
            assert!(folded <= most && read_back <= most, "after {visits} visits: {folded}, {read_back}");
        }
    });
}
