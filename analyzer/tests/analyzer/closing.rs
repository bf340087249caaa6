//! Windows that are decided when they have ended: their findings, position in the log, and bounds.

use super::harness::ledger::Ended;
use super::harness::{Delivery, Fault, Line, World, compiled, rules};
use ledger::{Kind, MAX_COMMIT_BYTES, MAX_COMMIT_ROWS};

const ADDRESS: &str = "203.0.113.9";
/// Long after everything.
pub(super) const END: u64 = 100_000;

/// Signs that do nothing alone.
pub(super) fn signs() -> String {
    [(1, "one"), (2, "two"), (3, "three")]
        .map(|(number, name)| rules::sign(number, name, "level: informational"))
        .concat()
}

/// A correlation of medium level.
pub(super) fn correlation(number: u32, name: &str, body: &str, more: &str) -> String {
    format!(
        "\n---\ntitle: {name}\nid: 00000000-0000-4000-8000-0000000009{number:02}\nname: {name}\n\
         correlation: {{{body}}}\nlevel: medium\n{more}\n"
    )
}

fn world(body: &str) -> World {
    World::new(&(signs() + &correlation(1, "tested", body, "")))
}

/// Such signs at such seconds, of one address, with so many bytes.
fn lines(signs: &[(&str, u64, &str)]) -> Vec<Line> {
    let line = |(sign, second, bytes): &(&str, u64, &str)| {
        let line = Line::sign(sign, ADDRESS).at(*second);
        if bytes.is_empty() { line } else { line.with("bytes", *bytes) }
    };
    signs.iter().map(line).collect()
}

/// Members of the incident of the lines, at once and after the windows have ended.
async fn members(body: &str, signs: &[(&str, u64, &str)]) -> (u64, u64) {
    let world = world(body);
    let count = || world.heads().iter().map(|head| head.analysis.event_count).sum();
    world.take(&[Delivery::new(5, lines(signs))]).await;
    let at_once = count();
    world.take(&[Delivery::tick(END)]).await;
    (at_once, count())
}

/// Every condition of a correlation, met and nearly met by these: the condition, and its number of members at once and at the
/// end.
const SIGNS: [(&str, u64, &str); 5] =
    [("one", 0, "10"), ("two", 1, "20"), ("one", 2, "30"), ("one", 3, "x"), ("two", 4, "")];

#[tokio::test(start_paused = true)]
async fn every_type_finds_what_it_asks_for_and_nothing_else() {
    let table: [(&str, (u64, u64)); 38] = [
        ("type: event_count, rules: [one], condition: {gte: 3}", (3, 3)),
        ("type: event_count, rules: [one], condition: {gt: 3}", (0, 0)),
        ("type: event_count, rules: [one], condition: {lt: 4}", (0, 3)),
        ("type: event_count, rules: [one], condition: {lt: 3}", (0, 0)),
        ("type: event_count, rules: [one], condition: {eq: 3}", (0, 3)),
        ("type: event_count, rules: [one], condition: {neq: 3}", (0, 0)),
        ("type: event_count, rules: [one, two], condition: {gte: 4, lte: 5}", (0, 5)),
        ("type: event_count, rules: [one, two], condition: {gte: 6, lte: 7}", (0, 0)),
        ("type: value_count, rules: [one, two], condition: {field: bytes, gte: 4}", (4, 4)),
        ("type: value_count, rules: [one, two], condition: {field: bytes, gte: 5}", (0, 0)),
        ("type: value_count, rules: [one, two], condition: {field: bytes, lte: 4}", (0, 4)),
        ("type: value_count, rules: [one, two], condition: {field: bytes, lte: 3}", (0, 0)),
        ("type: value_sum, rules: [one, two], condition: {field: bytes, gte: 60}", (3, 3)),
        ("type: value_sum, rules: [one, two], condition: {field: bytes, gt: 60}", (0, 0)),
        ("type: value_sum, rules: [one, two], condition: {field: bytes, lte: 60}", (0, 3)),
        ("type: value_sum, rules: [one, two], condition: {field: bytes, lt: 60}", (0, 0)),
        ("type: value_avg, rules: [one, two], condition: {field: bytes, gte: 20}", (0, 3)),
        ("type: value_avg, rules: [one, two], condition: {field: bytes, gt: 20}", (0, 0)),
        (
            "type: value_percentile, rules: [one, two], condition: {field: bytes, percentile: 66, lte: 20}",
            (0, 3),
        ),
        (
            "type: value_percentile, rules: [one, two], condition: {field: bytes, percentile: 67, lte: 20}",
            (0, 0),
        ),
        ("type: value_median, rules: [one, two], condition: {field: bytes, eq: 20}", (0, 3)),
        ("type: value_median, rules: [one, two], condition: {field: bytes, gt: 20}", (0, 0)),
        ("type: temporal, rules: [one, two]", (5, 5)),
        ("type: temporal, rules: [one, two, three]", (0, 0)),
        ("type: temporal, rules: [one, two, three], condition: {gte: 2}", (5, 5)),
        ("type: temporal, rules: [one, two, three], condition: {eq: 2}", (0, 5)),
        ("type: temporal, rules: [one, two, three], condition: {eq: 3}", (0, 0)),
        ("type: temporal, condition: one and (two or three)", (5, 5)),
        ("type: temporal, condition: two and three", (0, 0)),
        ("type: temporal, condition: one and not three", (0, 3)),
        ("type: temporal, condition: one and not two", (0, 0)),
        ("type: temporal_ordered, rules: [one, two]", (5, 5)),
        ("type: temporal_ordered, rules: [one, three]", (0, 0)),
        ("type: temporal_ordered, rules: [one, three, two], condition: {gte: 2}", (5, 5)),
        ("type: temporal_ordered, rules: [two, three], condition: {gte: 2}", (0, 0)),
        ("type: temporal_ordered, rules: [one, two, three], condition: {eq: 2}", (0, 5)),
        ("type: temporal_ordered, rules: [one, two, three], condition: {lt: 2}", (0, 0)),
        ("type: event_count, rules: [three], condition: {lt: 9}", (0, 0)),
    ];
    for (body, expected) in table {
        let body = format!("{body}, group-by: [client.address], timespan: 1m");
        assert_eq!(members(&body, &SIGNS).await, expected, "{body}");
    }
}

const FEW: &str =
    "type: event_count, rules: [one], group-by: [client.address], timespan: 1m, condition: {lt: 3}";

#[tokio::test(start_paused = true)]
async fn a_window_is_closed_where_the_logs_time_passes_its_end_and_belongs_to_its_own_source() {
    let world = world(FEW);
    world.take(&[Delivery::new(1, lines(&[("one", 0, ""), ("one", 1, "")])).of_source(4)]).await;
    // A record that was received a second late delays the end by a second.
    for seconds in [60, 61] {
        world.take(&[Delivery::new(seconds, [Line::new("something else")])]).await;
        assert!(world.heads().is_empty(), "at {seconds} s");
    }
    world.take(&[Delivery::new(62, [Line::new("something else")])]).await;
    let head = world.head();
    assert_eq!(head.source, common::ids::SourceId::from_bytes([4; 16]));
    assert_eq!((head.application_group.as_str(), head.environment.as_str()), ("shop", "production"));
    assert_eq!((head.entity.value.as_str(), head.analysis.event_count), (ADDRESS, 2));
    assert_eq!(head.created_at, super::harness::at(62));
    assert_eq!(world.detail(&head).evidence.len(), 2, "its records are shown");
    assert_eq!(world.revisions(&head)[0].position.offset.0, 4, "decided by the fourth message");
}

#[tokio::test(start_paused = true)]
async fn what_comes_after_its_window_was_closed_is_late_and_the_next_begins_behind_it() {
    let world = world(FEW);
    let first = lines(&[("one", 0, "")]);
    world.take(&[Delivery::new(0, first.clone()), Delivery::tick(100)]).await;
    assert_eq!(world.head().analysis.event_count, 1);
    // Of the window that was decided, though it would have had too many with these.
    let late = lines(&[("one", 10, ""), ("one", 20, ""), ("one", 60, "")]);
    world.take(&[Delivery::new(101, late), Delivery::tick(300)]).await;
    assert_eq!(world.head().analysis.event_count, 1);
    world.take(&[Delivery::new(301, lines(&[("one", 61, "")])), Delivery::tick(1_000)]).await;
    assert_eq!(world.head().analysis.event_count, 2);
}

#[tokio::test(start_paused = true)]
async fn a_host_that_was_away_is_heard_out_before_its_windows_are_closed() {
    let world = world(FEW);
    let other = Delivery::new(5_000, [Line::new("something else")]);
    let halves = [&[("one", 0, ""), ("one", 5, "")], &[("one", 30, ""), ("one", 500, "")]];
    let [first, second] = halves.map(|half| Delivery::new(5_010, lines(half)));
    world.take(&[other, first, Delivery::tick(5_050), second, Delivery::tick(END)]).await;
    // Three within the first minute are no few; the one after it is.
    assert_eq!(world.head().analysis.event_count, 1);
}

#[tokio::test(start_paused = true)]
async fn a_record_without_the_counted_value_is_not_counted() {
    let count = "type: value_count, rules: [one], group-by: [client.address], timespan: 1m";
    let with_and_without = [("one", 0, "1"), ("one", 1, ""), ("one", 2, "")];
    let (two, one) = (
        format!("{count}, condition: {{field: bytes, gte: 2}}"),
        format!("{count}, condition: {{field: bytes, lte: 1}}"),
    );
    assert_eq!(members(&two, &with_and_without).await, (0, 0));
    assert_eq!(members(&one, &with_and_without).await, (0, 1));
    let average = "type: value_avg, rules: [one], group-by: [client.address], timespan: 1m, condition: {field: bytes, lt: 9}";
    assert_eq!(members(average, &[("one", 0, ""), ("one", 1, "many")]).await, (0, 0));
}

/// So many addresses with one sign each.
fn scattered(count: usize) -> Delivery {
    let address = |number: usize| format!("10.0.{}.{}", number / 250, number % 250);
    Delivery::new(0, (0..count).map(|number| Line::sign("one", &address(number)).at(1)))
}

#[tokio::test(start_paused = true)]
async fn thousands_of_windows_that_end_at_once_take_several_commits_and_go_on_where_they_were() {
    let undisturbed = world(FEW);
    undisturbed.take(&[scattered(2_000), Delivery::tick(100)]).await;
    let book = undisturbed.ledger.book();
    assert!(book.iter().all(|commit| commit.outcome == Ended::Done));
    assert!(book.iter().all(|commit| commit.rows <= MAX_COMMIT_ROWS && commit.bytes <= MAX_COMMIT_BYTES));
    let closing = book.iter().filter(|commit| commit.position.offset.0 == 2).count();
    assert!(closing > 3, "{closing} commits among the windows");
    let counts: Vec<u64> = undisturbed.heads().iter().map(|head| head.analysis.event_count).collect();
    assert_eq!((counts.iter().sum::<u64>(), counts.len()), (2_000, 201), "a storm is still one incident");

    let disturbed = undisturbed.anew();
    disturbed.take(&[scattered(2_000)]).await;
    let committed = disturbed.ledger.book().len();
    let fault = |(number, fault): (usize, &Fault)| (committed + 1 + 2 * number, *fault);
    disturbed.ledger.plan_faults(Fault::ALL.iter().enumerate().map(fault));
    disturbed.take(&[Delivery::tick(100)]).await;
    assert!(disturbed.rows() == undisturbed.rows());
}

#[tokio::test(start_paused = true)]
async fn windows_that_do_not_fit_together_are_closed_one_by_one_and_one_that_fits_nowhere_is_set_aside() {
    // The activity of the loud address is three findings at once.
    let also = |number, name: &str| {
        let body = "type: event_count, rules: [tested], group-by: [client.address], timespan: 1h, condition: {gte: 2}";
        correlation(number, name, body, "generate: true")
    };
    let rules = signs() + &correlation(1, "tested", FEW, "") + &also(2, "again") + &also(3, "more");
    let world = World::new(&rules);
    world.ledger.limit_rows(12);
    let loud = lines(&[("one", 0, ""), ("one", 100, ""), ("one", 200, "")]);
    let others = (1..6).map(|number| Line::sign("one", &format!("10.0.0.{number}")).at(201));
    world.take(&[Delivery::new(0, loud.into_iter().chain(others)), Delivery::tick(END)]).await;
    assert!(world.ledger.book().iter().any(|commit| commit.outcome == Ended::TooLarge));
    let heads = world.heads();
    assert!(heads.iter().filter(|head| head.entity.value != ADDRESS).count() == 5, "{heads:#?}");
    // The first of its windows is one finding.
    let loud: Vec<u64> = heads
        .iter()
        .filter(|head| head.entity.value == ADDRESS)
        .map(|head| head.analysis.event_count)
        .collect();
    assert_eq!(loud, [1], "{heads:#?}");
    // The next has room: thousands of rows would have to be forgotten to fill it.
    world.ledger.limit_rows(MAX_COMMIT_ROWS);
    world.take(&[Delivery::new(END + 1, lines(&[("one", END, "")])), Delivery::tick(2 * END)]).await;
    assert!(world.ledger.book().last().is_some_and(|commit| commit.outcome == Ended::Done));
    assert!(world.quarantined().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_closed_window_is_forgotten_in_the_end() {
    let world = world(FEW);
    world.take(&[scattered(300), Delivery::tick(100)]).await;
    assert_eq!(world.bodies(Kind::State, b"window").len(), 300, "somebody may send late");
    for second in 900..903 {
        world.take(&[Delivery::tick(second)]).await;
    }
    assert_eq!(world.bodies(Kind::State, b"window").len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_window_of_a_correlation_that_is_withdrawn_is_never_closed_and_any_other_is() {
    let also =
        "type: event_count, rules: [one], group-by: [client.address], timespan: 1m, condition: {lte: 2}";
    let (tested, also) = (correlation(1, "tested", FEW, ""), correlation(2, "also", also, ""));
    let world = World::new(&(signs() + &tested + &also));
    let running = world.start();
    world.send(&Delivery::new(0, lines(&[("one", 0, "")]))).await;
    world.caught_up().await;
    let rules = std::sync::Arc::new(compiled(&(signs() + &also)));
    world.adopt(::analyzer::Catalogue::new(rules, std::collections::BTreeSet::new())).await;
    world.send(&Delivery::tick(100)).await;
    world.caught_up().await;
    running.stop().await;
    assert_eq!(world.head().analysis.title, "also from 203.0.113.9");
}
