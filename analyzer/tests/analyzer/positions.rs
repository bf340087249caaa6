//! A batch may take several commits, none of which is larger than the ledger takes.

use ledger::{MAX_COMMIT_BYTES, MAX_COMMIT_ROWS};

use super::harness::ledger::Ended;
use super::harness::{Delivery, Fault, Line, World, rules};

/// So many records that match, from as many addresses.
fn many(count: usize) -> Delivery {
    let address = |number: usize| format!("10.{}.{}.{}", number / 62_500, number / 250 % 250, number % 250);
    let line = |number: usize| match number % 3 {
        0 => Line::failed("root", &address(number)),
        1 => Line::sign("odd", &address(number)),
        _ => Line::failed("root", "203.0.113.9"),
    };
    Delivery::new(0, (0..count).map(line))
}

#[tokio::test(start_paused = true)]
async fn a_large_batch_takes_several_commits_and_goes_on_where_it_was() {
    let undisturbed = World::new(&rules::all());
    undisturbed.take(&[many(3_000)]).await;
    let inside: Vec<u32> = undisturbed
        .ledger
        .book()
        .iter()
        .filter(|commit| commit.position.offset.0 == 1)
        .map(|commit| commit.position.record)
        .collect();
    assert!(inside.len() > 2, "{inside:?}");
    assert!(inside.windows(2).all(|pair| pair[0] < pair[1]), "{inside:?}");

    let fault = |(number, fault): (usize, &Fault)| (1 + 2 * number, *fault);
    let disturbed = undisturbed.anew();
    disturbed.ledger.plan_faults(Fault::ALL.iter().enumerate().map(fault));
    disturbed.take(&[many(3_000)]).await;
    assert_eq!(disturbed.rows(), undisturbed.rows());
    assert_eq!(disturbed.heads().iter().map(|head| head.analysis.event_count).max(), Some(1_000));
}

#[tokio::test(start_paused = true)]
async fn no_commit_is_too_large_whatever_is_sent() {
    let world =
        World::new(&(rules::all() + &rules::sign(5, "long", "level: high\nincident_entity: url.path")));
    let long = "\"\\".repeat(600);
    let line = |number: usize| {
        let line = match number % 4 {
            0 => Line::sign("long", &format!("10.0.{}.{}", number / 250, number % 250)),
            1 => Line::sign("odd", &format!("10.1.{}.{}", number / 250, number % 250)),
            2 => Line::sign(["odd", "strange", "queer"][number % 3], "203.0.113.9"),
            _ => Line::failed(&format!("{number}{}", "u".repeat(300)), &format!("10.2.0.{}", number % 9)),
        };
        let line = line.with("url.path", format!("/{}{long}", number % 40));
        ["user_agent.original", "url.query", "process.command_line", "host.name", "event.outcome"]
            .iter()
            .fold(line, |line, name| line.with(name, format!("{number}{long}")))
    };
    let deliveries: Vec<Delivery> =
        (0..4).map(|batch| Delivery::new(0, (batch * 300..(batch + 1) * 300).map(line))).collect();
    world.take(&deliveries).await;
    let book = world.ledger.book();
    assert!(book.iter().all(|commit| commit.outcome == Ended::Done), "{book:?}");
    let (rows, bytes) =
        (book.iter().map(|commit| commit.rows).max(), book.iter().map(|commit| commit.bytes).max());
    assert!(rows.unwrap() <= MAX_COMMIT_ROWS && bytes.unwrap() <= MAX_COMMIT_BYTES, "{rows:?} {bytes:?}");
    assert!(world.quarantined().is_empty());
    assert!(world.heads().len() > 10);
}

#[tokio::test(start_paused = true)]
async fn many_quiet_sources_do_not_fill_a_commit() {
    let world = World::new(&rules::all());
    for number in 0..2_400_u32 {
        // Sources differ by more than a byte here.
        let mut batch = Delivery::new(0, [Line::new("nothing")]).batch();
        batch.headers.source = common::ids::SourceId(uuid::Uuid::from_u128(u128::from(number)));
        let partition = super::harness::PARTITION;
        durable_log::DurableLog::append(world.log.as_ref(), partition, batch).await.unwrap();
    }
    world.analyze().await;
    assert!(world.ledger.book().iter().all(|commit| commit.outcome == Ended::Done));
    assert_eq!(world.bodies(ledger::Kind::State, b"activity").len(), 2_400);
}

#[tokio::test(start_paused = true)]
async fn a_commit_that_is_too_large_is_made_in_smaller_steps() {
    let world = World::new(&rules::critical());
    world.ledger.limit_rows(12);
    let lines = (0..20).map(|number| Line::sign("loud", &format!("203.0.113.{number}")));
    world.take(&[Delivery::new(0, lines)]).await;
    assert!(world.ledger.book().iter().any(|commit| commit.outcome == Ended::TooLarge));
    assert_eq!(world.heads().len(), 20);
    assert!(world.quarantined().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_record_that_fits_into_no_commit_is_set_aside_and_the_rest_goes_on() {
    let more = |family: &str| format!("level: high\nincident_family: {family}");
    let both = ["one", "two", "three"].map(|name| {
        let rule = rules::sign(5, "loud", &more(name));
        rule.replace(
            "000000000105",
            &format!("0000000002{:02}", name.len() * 7 + usize::from(name.as_bytes()[0]) % 7),
        )
        .replace("name: loud", &format!("name: {name}"))
        .replace("sign: loud", "sign: three")
    });
    let world = World::new(&(rules::all() + &both.concat()));
    world.ledger.limit_rows(12);
    let lines = ["loud", "three", "loud", "three", "loud"]
        .iter()
        .enumerate()
        .map(|(number, sign)| Line::sign(sign, &format!("203.0.113.{number}")));
    world.take(&[Delivery::new(0, lines)]).await;
    assert_eq!(world.heads().len(), 3, "{:#?}", world.heads());
    assert_eq!(world.quarantined().len(), 2);
    world.take(&[Delivery::new(1, [Line::sign("loud", "203.0.113.9")])]).await;
    assert_eq!(world.heads().len(), 4);
}
