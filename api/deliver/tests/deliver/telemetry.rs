//! Telemetry endpoints: what a collector is sent, what its answers lead to, how much goes into one request, and that none
//! delays another.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use common::clock::Clock;
use common::event::EventKind;
use common::ids::IncidentId;
use deliver::DeliveryStatus::{Failed, Pending, Succeeded};
use deliver::{AddressChange, Config, DeliveryId, DeliveryLogError};
use directory::ReceiverKind::Telemetry;
use directory::TelemetryProtocol::{self, Json, Protobuf};
use serde_json::json;

use crate::collector::{attribute, field, ids, records, request, text};
use crate::house::{House, PARTITION, quick};

#[tokio::test]
async fn an_event_is_a_record_in_both_encodings() {
    for (protocol, media_type) in [(Protobuf, "application/x-protobuf"), (Json, "application/json")] {
        let house = House::new().await;
        house.collector("/status/200", protocol).await;
        let incident = IncidentId::new(PARTITION, &[7; 32]);
        let object =
            json!({"object": "incident", "severity": "high", "event_count": 12, "risk": 0.5, "none": null});
        let event = house.publish_object(Some(incident), object).await;
        let running = house.run(quick());
        let received = house.receiver.wait_for("/status/200", 1).await.remove(0);
        running.stop().await;
        assert_eq!(received.header("content-type"), media_type);
        assert_eq!(received.header("authorization"), "Bearer of-the-collector");
        assert!(received.header("user-agent").starts_with("Palisade/"));
        assert!(!received.headers.contains_key("x-service-signature"), "that is for webhooks");
        let logs = request(&received).resource_logs.remove(0);
        let about: Vec<_> = logs.resource.unwrap().attributes.into_iter().map(|one| one.key).collect();
        assert_eq!(about, ["service.name", "service.version"]);
        let record = records(&received).remove(0);
        let nanoseconds = u64::try_from(event.created_at.as_millis()).unwrap() * 1_000_000;
        assert_eq!((record.time_unix_nano, record.observed_time_unix_nano), (nanoseconds, nanoseconds));
        assert_eq!((record.severity_number, record.severity_text.as_str()), (17, "high"));
        assert_eq!(record.event_name, "infrastructure.incident.escalated");
        let expected = [
            ("log.record.uid", event.id.to_string()),
            ("palisade.organization.id", house.organization.to_string()),
            ("palisade.incident.id", incident.to_string()),
            ("palisade.source.group", "infrastructure".to_owned()),
            ("palisade.severity", "high".to_owned()),
        ];
        for (key, value) in expected {
            assert_eq!(attribute(&record, key), Some(value), "{key}");
        }
        assert_eq!(text(field(&record, "object").unwrap()), "incident");
        assert_eq!(field(&record, "none").unwrap().value, None);
    }
}

#[tokio::test]
async fn every_way_of_answering_has_its_outcome() {
    let house = House::new().await;
    house.names.known.lock().unwrap().insert("moved.example".to_owned(), "127.0.0.1".parse().unwrap());
    let port = house.receiver.address.port();
    let at = |path: &str| house.receiver.url(path);
    let table = [
        (at("/status/200"), Succeeded, Some(200), None),
        (at("/status/202"), Succeeded, Some(202), None),
        (at("/long"), Succeeded, Some(200), None),
        (at("/rejects/0"), Succeeded, Some(200), Some("too old")),
        (at("/rejects/1"), Failed, Some(200), Some("the collector rejected 1 of 1 records: too old")),
        (at("/redirect"), Failed, Some(302), Some("the collector answered 302")),
        (at("/refuses/400"), Failed, Some(400), Some("the collector answered 400: no such tenant")),
        (at("/status/401"), Failed, Some(401), Some("the collector answered 401")),
        (at("/status/408"), Failed, Some(408), Some("the collector answered 408")),
        (at("/status/410"), Failed, Some(410), Some("the collector answered 410")),
        (at("/status/413"), Failed, Some(413), Some("the collector answered 413")),
        (at("/status/429"), Pending, Some(429), Some("the collector answered 429")),
        (at("/status/500"), Failed, Some(500), Some("the collector answered 500")),
        (at("/status/501"), Failed, Some(501), Some("the collector answered 501")),
        (at("/status/502"), Pending, Some(502), Some("the collector answered 502")),
        (at("/refuses/503"), Pending, Some(503), Some("the collector answered 503: no such tenant")),
        (at("/status/504"), Pending, Some(504), Some("the collector answered 504")),
        (at("/close"), Pending, None, Some("the receiver broke off")),
        (at("/hang"), Pending, None, Some("no reply within 1 s")),
        (
            format!("http://moved.example:{port}/v1/logs"),
            Failed,
            None,
            Some("does not resolve to a public address"),
        ),
    ];
    let mut endpoints = Vec::new();
    for (place, (url, ..)) in table.iter().enumerate() {
        let protocol = TelemetryProtocol::ALL[place % 2];
        endpoints.push(house.collector_at(url.clone(), protocol).await);
    }
    house.names.known.lock().unwrap().insert("moved.example".to_owned(), "10.0.0.1".parse().unwrap());
    let event = house.publish().await;
    let running = house.run(quick());
    for (endpoint, (url, status, code, error)) in endpoints.iter().zip(&table) {
        let attempted = async || {
            let found = house.log.latest_of_telemetry(house.organization, endpoint.id).await.unwrap();
            found.filter(|delivery| !delivery.attempts.is_empty())
        };
        let delivery = house.when(attempted).await;
        assert_eq!((delivery.event, delivery.status), (event.id, *status), "{url}");
        let attempt = &delivery.attempts[0];
        assert_eq!((attempt.status_code, attempt.at), (*code, house.clock.now()), "{url}");
        let said = attempt.error.as_deref();
        assert!(said.is_some() == error.is_some(), "{url}: {said:?}");
        assert!(said.unwrap_or_default().contains(error.unwrap_or_default()), "{url}: {said:?}");
        let slot = (*status == Pending).then(|| house.clock.now().plus(Duration::from_secs(5)));
        assert_eq!((delivery.next_attempt_at, &attempt.reply), (slot, &None), "{url}");
    }
    running.stop().await;
    assert_eq!(house.receiver.received("/status/200").len(), 1, "no redirect was followed");
    let gone = house.directory.receivers(Telemetry).get(house.organization, endpoints[9].id).await.unwrap();
    assert!(gone.unwrap().enabled, "410 means nothing to OTLP");
}

#[tokio::test]
async fn records_that_a_collector_rejects_are_not_sent_again() {
    let house = House::new().await;
    let endpoint = house.collector("/rejects/2", Protobuf).await;
    for _ in 0..5 {
        house.publish().await;
    }
    let running = house.run(quick());
    let exports = house.exported(&endpoint, 5).await;
    house.clock.advance(Duration::from_secs(600));
    let marker = house.publish().await;
    // What was due by then has gone before it, or with it.
    house.exported(&endpoint, 6).await;
    running.stop().await;
    let said = "the collector rejected 2 of 5 records: too old";
    assert!(exports.iter().all(|one| one.status == Succeeded));
    assert!(exports.iter().all(|one| one.attempts[0].error.as_deref() == Some(said)), "{exports:?}");
    let received = house.receiver.received("/rejects/2");
    assert_eq!(received.len(), 2);
    assert_eq!(ids(&received[1]), [marker.id.to_string()]);
}

#[tokio::test]
async fn a_refusal_of_many_records_is_final_for_none_but_the_bad_one() {
    for (path, most, status, protocol) in
        [("/few/1/400", 1, 400, Protobuf), ("/few/3/413", 3, 413, Json), ("/few/100/400", 100, 400, Json)]
    {
        let house = House::new().await;
        let endpoint = house.collector(path, protocol).await;
        let mut good = BTreeSet::new();
        for number in 0..20 {
            let object = json!({"object": "incident", "number": number});
            good.insert(house.publish_object(None, object).await.id.to_string());
        }
        let bad = house.publish_object(None, json!({"object": "incident", "bad": true})).await.id;
        let running = house.run(quick());
        let exports = house.exported(&endpoint, 21).await;
        running.stop().await;
        let (failed, succeeded): (Vec<_>, Vec<_>) = exports.into_iter().partition(|one| one.status == Failed);
        assert!(succeeded.iter().all(|one| one.status == Succeeded && one.attempts[0].error.is_none()));
        assert_eq!((succeeded.len(), failed.len(), failed[0].event), (20, 1, bad), "{path}");
        let reason = format!("the collector answered {status}");
        assert_eq!(failed[0].reason.as_deref(), Some(reason.as_str()));
        let received: Vec<Vec<String>> = house.receiver.received(path).iter().map(ids).collect();
        for id in good.iter().chain([&bad.to_string()]) {
            let told = received.iter().filter(|ids| ids.contains(id)).count();
            assert!(told <= 6, "{path}: among 21, 11, 6, 3 and 2, and alone, not {told} times");
        }
        let is_taken = |ids: &&Vec<String>| ids.len() <= most && !ids.contains(&bad.to_string());
        let taken: Vec<String> = received.iter().filter(is_taken).flatten().cloned().collect();
        assert_eq!(
            (taken.len(), taken.into_iter().collect::<BTreeSet<_>>()),
            (20, good),
            "{path}: each once"
        );
    }
}

#[tokio::test]
async fn what_is_there_goes_together_up_to_a_hundred_records() {
    let house = House::new().await;
    let endpoint = house.collector("/status/200", Protobuf).await;
    let mut expected = BTreeSet::new();
    for _ in 0..250 {
        expected.insert(house.publish().await.id.to_string());
    }
    let running = house.run(quick());
    house.exported(&endpoint, 250).await;
    running.stop().await;
    let received = house.receiver.received("/status/200");
    let sizes: Vec<usize> = received.iter().map(|one| ids(one).len()).collect();
    assert!(sizes.iter().all(|size| *size <= 100) && sizes[0] == 100, "{sizes:?}");
    assert!(sizes.len() < 20, "{sizes:?}");
    let sent: Vec<String> = received.iter().flat_map(ids).collect();
    assert_eq!((sent.len(), sent.into_iter().collect::<BTreeSet<_>>()), (250, expected), "each once");
}

#[tokio::test]
async fn a_request_holds_no_more_than_its_bytes_and_one_event_whatever_it_has() {
    let house = House::new().await;
    let endpoint = house.collector("/status/200", Json).await;
    for bytes in [100_000, 100_000, 100_000, 250_000, 10] {
        let object = json!({"object": "incident", "text": "a".repeat(bytes)});
        house.publish_object(None, object).await;
    }
    let running = house.run(quick());
    house.exported(&endpoint, 5).await;
    running.stop().await;
    let received = house.receiver.received("/status/200");
    assert!(received.iter().all(|one| one.body.len() < 300_000));
    assert!(received.len() >= 3, "{}", received.len());
    assert_eq!(received.iter().flat_map(ids).collect::<BTreeSet<_>>().len(), 5);
}

#[tokio::test]
async fn what_did_not_fit_beside_others_waits_for_no_answer() {
    let house = House::new().await;
    // The first request is answered when the second is there.
    let endpoint = house.collector("/gathers/2", Protobuf).await;
    for _ in 0..3 {
        house.publish_object(None, json!({"object": "incident", "text": "a".repeat(200_000)})).await;
    }
    let running = house.run(quick());
    let exports = house.exported(&endpoint, 3).await;
    running.stop().await;
    assert!(exports.iter().all(|one| one.status == Succeeded), "{exports:?}");
}

#[tokio::test]
async fn what_did_not_fit_beside_others_keeps_its_place_and_is_not_read_in_vain() {
    let house = House::new().await;
    let endpoint = house.collector("/status/503", Json).await;
    let mut expected = Vec::new();
    for number in 0..40 {
        let object = json!({"object": "incident", "number": number, "text": "a".repeat(100_000)});
        expected.push(house.publish_object(None, object).await.id.to_string());
    }
    let one_at_a_time = || Config { target_concurrency: 1, ..quick() };
    let running = house.run(one_at_a_time());
    let wait = async || {
        let all = house.exports(&endpoint).await;
        (all.len() == 40 && all.iter().all(|one| !one.attempts.is_empty())).then_some(())
    };
    house.when(wait).await;
    // The next worker reads them from the ledger.
    running.stop().await;
    let url = Some(house.receiver.url("/status/200"));
    let address = AddressChange { url, ..AddressChange::default() };
    house.receivers.change(Telemetry, house.organization, endpoint.id, address, |_| Ok(())).await.unwrap();
    house.clock.advance(Duration::from_secs(5));
    let before = house.ledger.payloads_read.load(Ordering::SeqCst);
    let running = house.run(one_at_a_time());
    house.exported(&endpoint, 40).await;
    running.stop().await;
    for path in ["/status/503", "/status/200"] {
        let sent: Vec<String> = house.receiver.received(path).iter().flat_map(ids).collect();
        assert_eq!(sent, expected, "{path}");
    }
    let read = house.ledger.payloads_read.load(Ordering::SeqCst) - before;
    assert!((40..=60).contains(&read), "two for each request, and one that did not fit: {read}");
}

#[tokio::test]
async fn what_failed_together_is_tried_again_together_and_is_the_same() {
    let house = House::new().await;
    let endpoint = house.collector("/flaky/2", Protobuf).await;
    for _ in 0..3 {
        house.publish().await;
    }
    let running = house.run(quick());
    for (requests, seconds) in [(1, 5), (2, 300)] {
        house.receiver.wait_for("/flaky/2", requests).await;
        house
            .when(async || {
                let all = house.exports(&endpoint).await;
                let due = house.clock.now().plus(Duration::from_secs(seconds));
                (all.len() == 3 && all.iter().all(|one| one.next_attempt_at == Some(due))).then_some(())
            })
            .await;
        house.clock.advance(Duration::from_secs(seconds));
    }
    let exports = house.exported(&endpoint, 3).await;
    running.stop().await;
    assert!(exports.iter().all(|one| one.status == Succeeded && one.attempts.len() == 1), "{exports:?}");
    let received = house.receiver.received("/flaky/2");
    assert_eq!(received.len(), 3);
    assert!(received.iter().all(|one| one.body == received[0].body), "the same bytes at every attempt");
}

#[tokio::test]
async fn a_collector_that_hangs_delays_nobody() {
    let house = House::new().await;
    house.collector("/hang", Protobuf).await;
    let well = house.collector("/status/202", Json).await;
    house.target("/status/200").await;
    let running = house.run(Config { concurrency: 8, target_concurrency: 2, ..quick() });
    for _ in 0..50 {
        house.publish().await;
    }
    house.receiver.wait_for("/status/200", 50).await;
    house.exported(&well, 50).await;
    running.kill().await;
    assert!(house.receiver.received("/hang").len() < 25);
}

#[tokio::test]
async fn what_waits_for_a_dead_collector_is_bounded() {
    let house = House::new().await;
    let endpoint = house.collector("/status/503", Protobuf).await;
    for _ in 0..20 {
        house.publish().await;
    }
    let running = house.run(Config { target_backlog: 5, ..quick() });
    let exports = house
        .when(async || {
            let all = house.exports(&endpoint).await;
            (all.len() == 20).then_some(all)
        })
        .await;
    running.stop().await;
    let (refused, waiting): (Vec<_>, Vec<_>) = exports.into_iter().partition(|one| one.status == Failed);
    assert_eq!((refused.len(), waiting.len()), (15, 5));
    let reason = Some("too many deliveries are pending for this target");
    assert!(refused.iter().all(|one| one.reason.as_deref() == reason && one.attempts.is_empty()));
}

#[tokio::test]
async fn five_days_without_an_answer_disable_an_endpoint_and_cancel_what_waits() {
    let house = House::new().await;
    let endpoint = house.collector("/status/503", Protobuf).await;
    house.publish().await;
    let running = house.run(Config { retry_seconds: vec![13 * 3_600; 20], ..quick() });
    for attempts in 1..=10 {
        house.receiver.wait_for("/status/503", attempts).await;
        let due = house.clock.now().plus(Duration::from_secs(13 * 3_600));
        let waits = async || {
            let latest = house.exports(&endpoint).await.into_iter().next();
            latest.filter(|one| one.next_attempt_at == Some(due))
        };
        house.when(waits).await;
        house.clock.advance(Duration::from_secs(13 * 3_600));
    }
    let disabled = house
        .when(async || {
            let found =
                house.directory.receivers(Telemetry).get(house.organization, endpoint.id).await.unwrap();
            found.filter(|endpoint| !endpoint.enabled)
        })
        .await;
    assert_eq!(disabled.disabled_reason.as_deref(), Some("it has not answered for 120 hours"));
    house.clock.advance(Duration::from_secs(2));
    let change = |endpoint: &mut directory::Receiver| {
        endpoint.enabled = true;
        Ok(())
    };
    let address = AddressChange::default();
    let enabled =
        house.receivers.change(Telemetry, house.organization, endpoint.id, address, change).await.unwrap();
    assert_eq!((enabled.enabled, enabled.disabled_reason), (true, None));
    house.clock.advance(Duration::from_secs(13 * 3_600));
    let cancelled = house.exported(&endpoint, 1).await.remove(0);
    assert_eq!(cancelled.reason.as_deref(), Some("the target was disabled"));
    running.stop().await;
}

#[tokio::test]
async fn endpoints_are_told_of_what_they_subscribe_to_and_incidents_show_webhooks_only() {
    let house = House::new().await;
    let endpoint = house.collector("/status/200", Protobuf).await;
    let other = house.collector("/status/202", Protobuf).await;
    let change = |endpoint: &mut directory::Receiver| {
        endpoint.events = [EventKind::FindingCreated].into();
        Ok(())
    };
    house
        .receivers
        .change(Telemetry, house.organization, other.id, AddressChange::default(), change)
        .await
        .unwrap();
    let incident = IncidentId::new(PARTITION, &[7; 32]);
    house.publish_about(Some(incident)).await;
    let running = house.run(quick());
    house.exported(&endpoint, 1).await;
    running.stop().await;
    assert!(house.receiver.received("/status/202").is_empty());
    assert_eq!(house.log.of_incident(house.organization, incident).await.unwrap(), []);
    let rows = house.ledger.memory.dump();
    let number = rows.iter().find_map(|(_, kind, row)| {
        (*kind == ledger::Kind::History && row.key.len() == 8).then(|| row.key.clone())
    });
    let number = u64::from_be_bytes(number.unwrap()[..].try_into().unwrap());
    let id: DeliveryId = format!("dlv_0000{number:016x}{}", endpoint.id.0.simple()).parse().unwrap();
    // The id of its delivery if it were a webhook target.
    let redelivered = house.log.redeliver(house.organization, id).await;
    assert!(matches!(redelivered, Err(DeliveryLogError::NotFound)), "{redelivered:?}");
}

#[tokio::test]
async fn a_test_is_one_record_and_says_how_it_went() {
    let house = House::new().await;
    let table = [
        ("/status/200", true, Some(200), None),
        ("/rejects/1", false, Some(200), Some("the collector rejected 1 of 1 records: too old")),
        ("/refuses/401", false, Some(401), Some("the collector answered 401: no such tenant")),
        ("/close", false, None, Some("the receiver broke off")),
    ];
    for (place, (path, accepted, code, error)) in table.into_iter().enumerate() {
        let endpoint = house.collector(path, TelemetryProtocol::ALL[place % 2]).await;
        let change = |endpoint: &mut directory::Receiver| {
            endpoint.enabled = false;
            Ok(())
        };
        house
            .receivers
            .change(Telemetry, house.organization, endpoint.id, AddressChange::default(), change)
            .await
            .unwrap();
        let tested = house.receivers.send_test(Telemetry, house.organization, endpoint.id).await.unwrap();
        assert_eq!((tested.acknowledged, tested.attempt.status_code), (accepted, code), "{path}");
        let said = tested.attempt.error.unwrap_or_default();
        assert!(said.starts_with(error.unwrap_or_default()), "{path}: {said}");
        let record = records(&house.receiver.received(path)[0]).remove(0);
        assert_eq!((record.event_name.as_str(), record.severity_number), ("telemetry.test", 9));
        assert_eq!(text(field(&record, "object").unwrap()), "telemetry_test");
    }
}

#[tokio::test]
async fn whoever_was_there_before_an_event_is_told_of_it() {
    let house = House::new().await;
    let first = house.collector("/status/200", Protobuf).await;
    let running = house.run(quick());
    house.publish().await;
    house.exported(&first, 1).await;
    // No moment passes, so what was read of the organization's targets is as fresh as can be.
    let second = house.collector("/status/202", Protobuf).await;
    let (webhook, _) = house.target("/status/204").await;
    house.publish().await;
    house.exported(&second, 1).await;
    house.standing(webhook.id, Succeeded).await;
    running.stop().await;
}
