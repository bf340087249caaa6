//! Memory of organizations' rules beside the built-in ones, counted by an allocator: bytes that are given back when they are
//! dropped. This is a program of its own because its allocator counts.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::alloc::System;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use analyzer::{Catalogue, OwnRules};
use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use sigma::{Author, Event, Layer, Limits, LogSource, Placeholders, RuleSet};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const RULE: &str = "title: A shell from nowhere
id: 0d3a7c9e-0000-4000-8000-000000000001
description: Somebody starts a shell on a host where nobody should.
logsource: {product: linux, service: sshd}
detection:
  selection:
    message|contains: [shell, /bin/sh]
    user.name: root
  condition: selection
level: high
";
const SUPPRESSION: &str = "title: Our scanner
id: 0d3a7c9e-0000-4000-8000-000000000002
logsource: {product: linux}
filter:
  rules: any
  selection:
    client.address: 192.0.2.7
  condition: selection
";
const KIB: i64 = 1 << 10;
const MIB: i64 = 1 << 20;

/// Tests run one after the other: the allocator counts for all.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes that are allocated and not given back.
fn live_bytes() -> i64 {
    let stats = ALLOCATOR.stats();
    i64::try_from(stats.bytes_allocated).unwrap() - i64::try_from(stats.bytes_deallocated).unwrap()
}

fn shared_rules() -> Arc<RuleSet> {
    Arc::new(analyzer::pack::built_in().unwrap())
}

fn beside(shared_rules: &Arc<RuleSet>, yaml: &str) -> Layer {
    let documents = sigma::parse("own.yml", yaml).into_iter().map(Result::unwrap);
    let documents = documents.map(|document| document.written_by(Author::Organization)).collect();
    let compiled = analyzer::pack::compile_beside(
        Arc::clone(shared_rules),
        documents,
        &Placeholders::default(),
        Limits::none(),
    );
    assert_eq!(compiled.1, []);
    compiled.0
}

/// Matches records with every piece of memory that may be kept for others.
fn use_once(layer: &Layer) {
    let mut found = Vec::new();
    for product in ["linux", "windows", "aws"] {
        let log_source = LogSource { product: Some(product.into()), ..LogSource::default() };
        let fields = vec![("message".into(), sigma::Value::String("a shell".repeat(100).into()))];
        layer.matcher().matches(&Event { log_source, fields }, &mut found);
    }
}

/// A rule with 64 expressions of small programs, of each of which a text of few letters meets hundreds of deterministic states;
/// `number` distinguishes it from others.
fn rule_of_many_states(number: usize) -> String {
    let expression = |of: usize| format!("    message|re: 'a[ab]{{7}}c{}'\n", 64 * number + of);
    let selections: String = (0..64).map(|of| format!("  selection_{of}:\n{}", expression(of))).collect();
    format!(
        "title: Many states {number}\nid: 0d3a7c9e-0000-4000-9000-{number:012}\nlogsource: {{product: linux}}\n\
         detection:\n{selections}  condition: 1 of selection_*\nlevel: high\n"
    )
}

#[test]
fn threads_remember_at_most_two_mib_of_the_expressions_of_an_organization() {
    let _alone = alone();
    let shared_rules = shared_rules();
    let documents: Vec<String> = (0..4).map(rule_of_many_states).collect();
    let layer = Arc::new(beside(&shared_rules, &documents.join("---\n")));
    // Every text of eight letters a and b behind an a.
    let letters = |number: u32| (0..8).map(move |bit| if number >> bit & 1 == 0 { 'a' } else { 'b' });
    let mut text: String = (0..256).flat_map(|number| ['a'].into_iter().chain(letters(number))).collect();
    // A rule is a candidate only where the text meets the requirements of its expression.
    text.extend((0..256).map(|number| format!(" c{number}")));
    let threads = 4;
    let search = || {
        let log_source = LogSource { product: Some("linux".into()), ..LogSource::default() };
        let fields = vec![("message".into(), sigma::Value::String(text.as_str().into()))];
        layer.matcher().matches(&Event { log_source, fields }, &mut Vec::new());
    };
    let before = live_bytes();
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(search))));
    let held = live_bytes() - before;
    println!("{threads} threads remember {held} bytes, at most {} each", layer.remembered_bytes());
    assert!(layer.remembered_bytes() <= 2 << 20);
    // Scratch memory of threads, which belongs to no expression, is some hundred kilobytes.
    assert!(held < threads * (2 * MIB + MIB / 2), "{held} bytes");
    // Threads that search one after the other share one memory.
    assert!(held > 32 * KIB, "the expressions were searched: {held} bytes");
}

/// So many organizations with documents of their own, and the bytes they hold.
fn catalogue(shared_rules: &Arc<RuleSet>, organizations: u16, yaml: &str) -> (Catalogue, i64) {
    let empty = Catalogue::new(Arc::clone(shared_rules), BTreeSet::new());
    use_once(&beside(shared_rules, yaml));
    let before = live_bytes();
    let own = (0..organizations).map(|number| {
        let mut id = [0; 16];
        id[..2].copy_from_slice(&number.to_be_bytes());
        let layer = beside(shared_rules, &yaml.replace("-0000-", &format!("-{number:04x}-")));
        use_once(&layer);
        (OrganizationId::from_bytes(id), Some(OwnRules { layer, at: Timestamp(0) }))
    });
    let catalogue = empty.with_own(own);
    let held = live_bytes() - before;
    (catalogue, held)
}

#[test]
fn an_organization_with_a_small_rule_or_a_suppression_costs_less_than_200_kib() {
    let _alone = alone();
    let shared_rules = shared_rules();
    for (what, yaml) in [("rule", RULE), ("suppression", SUPPRESSION)] {
        let (catalogue, held) = catalogue(&shared_rules, 1, yaml);
        println!("an organization with one {what}: {held} bytes");
        assert!(held < 200 * KIB, "one {what}: {held} bytes");
        drop(catalogue);
    }
    let (catalogue, held) = catalogue(&shared_rules, 1_000, RULE);
    println!("1,000 organizations: {held} bytes");
    assert_eq!(catalogue.organizations(), 1_000);
    assert!(held < 250 * MIB, "1,000 organizations: {held} bytes");
}
