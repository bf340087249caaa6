//! Consequences of each kind of response, and times of new attempts.

use std::time::Duration;

use common::clock::Clock;
use deliver::DeliveryStatus::{Failed, Pending, Succeeded};

use crate::house::{House, quick};

#[tokio::test]
async fn every_way_of_answering_has_its_outcome() {
    let house = House::new().await;
    house.names.known.lock().unwrap().insert("moved.example".to_owned(), "127.0.0.1".parse().unwrap());
    let port = house.receiver.address.port();
    // Bound for as long as the test lasts, but no one listens there.
    let taken = tokio::net::TcpSocket::new_v4().unwrap();
    taken.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let refused = taken.local_addr().unwrap();
    let table = [
        (house.receiver.url("/status/200"), Succeeded, Some(200), ""),
        (house.receiver.url("/status/204"), Succeeded, Some(204), ""),
        (house.receiver.url("/long"), Succeeded, Some(200), ""),
        (house.receiver.url("/redirect"), Failed, Some(302), "the receiver answered 302"),
        (house.receiver.url("/status/304"), Failed, Some(304), "the receiver answered 304"),
        (house.receiver.url("/status/400"), Failed, Some(400), "the receiver answered 400"),
        (house.receiver.url("/status/401"), Failed, Some(401), "the receiver answered 401"),
        (house.receiver.url("/status/404"), Failed, Some(404), "the receiver answered 404"),
        (house.receiver.url("/status/408"), Pending, Some(408), ""),
        (house.receiver.url("/status/410"), Failed, Some(410), "the receiver answered 410"),
        (house.receiver.url("/status/422"), Failed, Some(422), "the receiver answered 422"),
        (house.receiver.url("/status/429"), Pending, Some(429), ""),
        (house.receiver.url("/status/500"), Pending, Some(500), ""),
        (house.receiver.url("/status/503"), Pending, Some(503), ""),
        (house.receiver.url("/status/599"), Pending, Some(599), ""),
        (house.receiver.url("/breaks/200"), Succeeded, Some(200), ""),
        (house.receiver.url("/breaks/400"), Failed, Some(400), "the receiver answered 400"),
        (house.receiver.url("/breaks/503"), Pending, Some(503), ""),
        (house.receiver.url("/stalls/202"), Succeeded, Some(202), ""),
        (house.receiver.url("/close"), Pending, None, "the receiver broke off"),
        (house.receiver.url("/hang"), Pending, None, "no reply within 1 s"),
        (format!("http://{refused}/"), Pending, None, "no connection to 127.0.0.1"),
        (
            format!("http://moved.example:{port}/status/200"),
            Failed,
            None,
            "moved.example does not resolve to a public address",
        ),
    ];
    let mut targets = Vec::new();
    for (url, ..) in &table {
        targets.push(house.target_at(url.clone()).await.0);
    }
    house.names.known.lock().unwrap().insert("moved.example".to_owned(), "10.0.0.1".parse().unwrap());
    let event = house.publish().await;
    let running = house.run(quick());
    for (target, (url, status, code, text)) in targets.iter().zip(&table) {
        let logged = house.attempted(target.id, 1).await.delivery;
        assert_eq!((logged.event, logged.status), (event.id, *status), "{url}");
        let attempt = &logged.attempts[0];
        assert_eq!((attempt.status_code, attempt.at), (*code, house.clock.now()), "{url}");
        let why = format!("{:?} {:?}", logged.reason, attempt.error);
        assert!(why.contains(text), "{url}: {why}");
        let slot = (*status == Pending).then(|| house.clock.now().plus(Duration::from_secs(5)));
        assert_eq!(logged.next_attempt_at, slot, "{url}");
        assert_eq!(attempt.error.is_some(), code.is_none(), "{url}");
    }
    running.stop().await;
    assert_eq!(
        house.receiver.received("/status/200").len(),
        1,
        "no redirect was followed, nothing sent twice"
    );
    let long = house.deliveries(targets[2].id).await.remove(0).delivery.attempts.remove(0).reply.unwrap();
    assert!(long.starts_with("\\u{1b}[31mred ") && long.len() <= 1_024, "{long}");
}

#[tokio::test]
async fn a_target_that_never_answers_is_tried_eight_times_in_28_hours() {
    let house = House::new().await;
    let (target, _) = house.target("/status/503").await;
    house.publish().await;
    let running = house.run(quick());
    let began = house.clock.now();
    for (attempts, slot) in [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000].into_iter().enumerate() {
        let logged = house.attempted(target.id, attempts + 1).await.delivery;
        let due = house.clock.now().plus(Duration::from_secs(slot));
        assert_eq!((logged.status, logged.next_attempt_at), (Pending, Some(due)), "after {attempts}");
        house.clock.advance(Duration::from_secs(slot));
    }
    let logged = house.attempted(target.id, 8).await.delivery;
    assert_eq!((logged.status, logged.reason.as_deref()), (Failed, Some("all attempts failed")));
    assert_eq!(house.clock.now().since(began), Duration::from_secs(99_305));
    running.stop().await;
    let sent = house.receiver.received("/status/503");
    assert_eq!(sent.len(), 8);
    assert!(sent.iter().all(|one| one.body == sent[0].body && one.event_id() == sent[0].event_id()));
    let moments: std::collections::BTreeSet<_> =
        sent.iter().map(|one| one.header("x-service-timestamp")).collect();
    assert_eq!(moments.len(), 8, "each attempt is signed at its own time");
}

#[tokio::test]
async fn what_fails_for_a_while_arrives() {
    let house = House::new().await;
    let (target, _) = house.target("/flaky/2").await;
    house.publish().await;
    let running = house.run(quick());
    for (attempts, seconds) in [(1, 5), (2, 300)] {
        house.attempted(target.id, attempts).await;
        house.clock.advance(Duration::from_secs(seconds));
    }
    let logged = house.standing(target.id, Succeeded).await.delivery;
    let codes: Vec<_> = logged.attempts.iter().map(|attempt| attempt.status_code).collect();
    assert_eq!(codes, [Some(503), Some(503), Some(200)]);
    assert_eq!(logged.attempts[0].reply.as_deref(), Some("not yet"));
    running.stop().await;
}
