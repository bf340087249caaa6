//! What is kept of events decides what is certain: its bounds, and rows that are older than it.

use super::*;

#[tokio::test(start_paused = true)]
async fn what_was_written_before_fields_were_kept_is_read_and_stays() {
    let world = World::new(&rules::all());
    world.take(&[sign("loud", ADDRESS, 1), sign("odd", OTHER, 1)]).await;
    let ledger = &world.ledger.memory;
    let id = LedgerId::Partition(PARTITION);
    let mut ops = Vec::new();
    for (_, kind, old) in ledger.dump() {
        let is_meant = [&b"work"[..], b"risk", b"habit"].iter().any(|prefix| old.key.starts_with(prefix));
        if kind != Kind::State || !is_meant {
            continue;
        }
        let mut body: serde_json::Value = row::decode(&old.body).unwrap();
        let before = body.clone();
        forget(&mut body, &["grounds", "ground", "first_ground", "first_grounds", "owner"]);
        assert_ne!(body, before);
        ops.push(Op::Put { kind, key: old.key, body: row::encode(&body).unwrap().into() });
    }
    assert_eq!(ops.len(), 4, "an incident, a risk, two rules that may become habits");
    let seq = ledger.seq(id).await.unwrap();
    ledger.commit(id, seq, ops).await.unwrap();
    let filter = filter("any", &format!("client.address: [{ADDRESS}, {OTHER}]"));
    put_in_force(&world, &(rules::all() + &filter)).await;
    assert_eq!((world.head().analysis.severity, world.head().analysis.revision), (Severity::High, 1));
    // What comes after it is kept as of any other: only the first sign stays without its fields.
    put_in_force(&world, &rules::all()).await;
    world.take(&[sign("strange", OTHER, 2)]).await;
    put_in_force(&world, &(rules::all() + &filter)).await;
    put_in_force(&world, &rules::all()).await;
    world.take(&[sign("queer", OTHER, 3)]).await;
    assert_eq!(world.heads().len(), 1, "two are left");
    world.take(&[sign("strange", OTHER, 4)]).await;
    assert_eq!(world.heads().len(), 2);
}

/// Removes entries of these names, however deep.
fn forget(value: &mut serde_json::Value, names: &[&str]) {
    match value {
        serde_json::Value::Object(entries) => {
            entries.retain(|name, _| !names.contains(&name.as_str()));
            entries.values_mut().for_each(|value| forget(value, names));
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| forget(item, names)),
        _ => {}
    }
}

#[tokio::test(start_paused = true)]
async fn wide_events_fit_and_what_is_not_kept_of_them_is_not_certain() {
    let wide = |second| {
        let line = (0..200).fold(Line::sign("loud", ADDRESS), |line, number| {
            line.with(&format!("field{number:03}"), "x".repeat(200))
        });
        Delivery::new(second, [line.at(second)])
    };
    for (selection, severity) in [
        (format!("client.address: {ADDRESS}"), Severity::Low),
        (format!("field199: {}", "x".repeat(200)), Severity::High),
        ("nothing: null".to_owned(), Severity::High),
    ] {
        let world = after(&rules::all(), &[wide(1), wide(2)], &filter("[loud]", &selection)).await;
        assert_eq!(world.head().analysis.severity, severity, "{selection}");
        assert!(world.ledger.book().iter().all(|commit| commit.bytes < 64 * 1024));
    }
}

#[tokio::test(start_paused = true)]
async fn a_window_of_too_many_different_events_is_bounded_and_its_finding_stays() {
    let body =
        "type: event_count, rules: [loud], group-by: [client.address], timespan: 1h, condition: {gte: 250}";
    let yaml = rules::sign(1, "loud", "level: low") + &correlation(1, "many", body, "");
    for (length, severity) in [(150, Severity::Medium), (5, Severity::Low)] {
        let line = |number: usize| {
            let line = Line::sign("loud", ADDRESS).with("own", format!("{number:x>length$}"));
            line.with("another", format!("{number:y>length$}")).at(1)
        };
        let world = World::new(&yaml);
        for part in (0..250).collect::<Vec<_>>().chunks(50) {
            let rows = world.bodies(Kind::State, b"window");
            assert!(rows.iter().all(|row| row.len() < 192 * 1024), "{:?}", rows.iter().map(Vec::len).max());
            world.take(&[Delivery::new(2, part.iter().map(|number| line(*number)))]).await;
        }
        put_in_force(&world, &(yaml.clone() + &filter("any", &format!("client.address: {ADDRESS}")))).await;
        let head = world.head();
        assert_eq!((head.analysis.severity, head.analysis.event_count), (severity, 250), "{length}");
    }
}
