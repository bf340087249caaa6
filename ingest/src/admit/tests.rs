//! Cost of a permit and cases of refusal, with a stopped clock.

use common::clock::ManualClock;
use common::timestamp::Timestamp;
use process::listen::READ_BUFFER_BYTES;
use uuid::Uuid;

use super::rooms::Room;
use super::*;
use crate::validate::GROWTH;

const NOISY: OrganizationId = OrganizationId(Uuid::from_bytes([1; 16]));
const QUIET: OrganizationId = OrganizationId(Uuid::from_bytes([2; 16]));

fn usage() -> Usage {
    Usage {
        unreleased_bytes: 0,
        capacity_bytes: 1 << 30,
        unreleased_batches: 0,
        capacity_batches: u64::MAX,
        queued_bytes: 0,
        queue_capacity_bytes: 1 << 30,
        writable: true,
        partitions_behind: 0,
        disk_low: false,
    }
}

fn admission(in_flight_bytes: usize) -> (Admission, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(Timestamp(0)));
    let config = AdmissionConfig { in_flight_bytes, ..AdmissionConfig::default() };
    (Admission::new(&config, clock.clone()), clock)
}

fn of(organization: OrganizationId, declared: Option<usize>) -> Demand {
    Demand { organization, declared, times: 1 }
}

fn free(admission: &Admission) -> usize {
    let state = admission.shared.lock();
    state.memory.capacity() - state.memory.held()
}

/// As many requests of a mebibyte as one organization gets admitted, with their bodies received.
fn crowd(admission: &Admission, organization: OrganizationId) -> Vec<Permit> {
    let enter = || admission.admit(usage(), of(organization, Some(1 << 20))).ok();
    std::iter::from_fn(enter)
        .map(|mut permit| {
            permit.arrive();
            permit
        })
        .collect()
}

#[test]
fn everything_held_is_paid_for_and_given_back() {
    let (admission, _) = admission(1000);
    let mut permit = admission.admit(usage(), of(QUIET, Some(100))).ok().unwrap();
    assert_eq!(free(&admission), 800);
    permit.hold_wire(90).unwrap();
    permit.hold_inflated(200).unwrap();
    assert_eq!(free(&admission), 600);
    permit.hold_transcoded(100).unwrap();
    assert_eq!(free(&admission), 600 - 100 * GROWTH);
    assert_eq!(permit.hold_inflated(501), Err(AdmitError::BytesInFlight));
    assert_eq!(free(&admission), 600 - 100 * GROWTH);
    permit.shrink_to(50);
    assert_eq!(free(&admission), 950);
    drop(permit);
    assert_eq!(free(&admission), 1000);
}

#[test]
fn a_body_of_unknown_length_pays_as_it_comes() {
    let (admission, _) = admission(4 * STEP_BYTES);
    let mut permit = admission.admit(usage(), of(QUIET, None)).ok().unwrap();
    permit.hold_wire(STEP_BYTES).unwrap();
    let left = 3 * STEP_BYTES - READ_BUFFER_BYTES.min(STEP_BYTES);
    assert_eq!(free(&admission), left);
    permit.hold_wire(STEP_BYTES + 1).unwrap();
    assert!(free(&admission) <= left - STEP_BYTES);
    assert_eq!(permit.hold_wire(5 * STEP_BYTES), Err(AdmitError::BytesInFlight));
}

#[test]
fn a_log_in_trouble_is_not_fed() {
    let (admission, _) = admission(1 << 30);
    let refused = |usage| admission.admit(usage, of(QUIET, Some(10))).err();
    assert_eq!(refused(usage()), None);
    assert_eq!(refused(Usage { writable: false, ..usage() }), Some(AdmitError::NotWritable));
    assert_eq!(refused(Usage { disk_low: true, ..usage() }), Some(AdmitError::DiskLow));
    // The remaining room is less than the batch: the log would refuse it, whatever the body.
    let nearly = |left: u64| Usage { unreleased_bytes: (1 << 30) - 20 - left, queued_bytes: 20, ..usage() };
    assert_eq!(refused(nearly(9)), Some(AdmitError::LogFull));
    assert_eq!(refused(nearly(10)), None);
    let many = Usage { unreleased_batches: 5, capacity_batches: 5, ..usage() };
    assert_eq!(refused(many), Some(AdmitError::LogFull));
    let small = Usage { queue_capacity_bytes: 9, ..usage() };
    assert_eq!(refused(Usage { queued_bytes: 1, ..small }), Some(AdmitError::LogQueueFull));
    assert_eq!(refused(small), None, "the log takes any batch when nothing waits");
}

#[test]
fn who_declares_much_and_sends_little_holds_little() {
    let (admission, _) = admission(64 << 20);
    let declared = 4 << 20;
    let slow: Vec<Permit> = std::iter::from_fn(|| {
        let mut permit = admission.admit(usage(), of(NOISY, Some(declared))).ok()?;
        permit.step_aside(1_000);
        Some(permit)
    })
    .take(50)
    .collect();
    assert_eq!(slow.len(), 50, "200 MiB that nobody has sent");
    let mut large = admission.admit(usage(), of(QUIET, Some(declared))).unwrap();
    assert_eq!(large.hold_inflated(16 << 20), Ok(()));
    drop(slow);
    let held = admission.shared.lock().memory.held();
    drop(large);
    assert!(held > 20 << 20 && admission.shared.lock().memory.held() == 0, "{held}");
}

#[test]
fn one_organization_leaves_room_for_the_next() {
    let (admission, _) = admission(256 << 20);
    let noisy = crowd(&admission, NOISY);
    assert_eq!(noisy.len(), 25, "four fifths of what may wait");
    let refused = admission.admit(usage(), of(NOISY, Some(1 << 20))).err();
    assert_eq!(refused, Some(AdmitError::QueueTooLong));
    assert_eq!(crowd(&admission, QUIET).len(), 5);
}

#[test]
fn where_large_ones_have_filled_the_share_of_an_organization_its_little_ones_find_room() {
    let (admission, clock) = admission(256 << 20);
    let mut large = crowd(&admission, NOISY);
    let one_more = || admission.admit(usage(), of(NOISY, Some(1 << 20))).err();
    assert_eq!(one_more(), Some(AdmitError::QueueTooLong));
    let little = || admission.admit(usage(), of(NOISY, Some(100 << 10))).ok();
    let room: Vec<Permit> = std::iter::from_fn(little).collect();
    assert_eq!(room.len(), 32 + 6, "four fifths of 4 MiB, and what the large ones left");
    assert_eq!(crowd(&admission, QUIET).len(), 5, "and so for who comes next");
    drop(room);
    // A standing queue: less may wait from now on, and the queue already holds more.
    for _ in 0..6 {
        clock.advance(Duration::from_millis(200));
        large.pop();
        let _ = one_more();
    }
    let state = admission.shared.lock();
    assert!(state.queue.capacity() < large.len() << 20, "{:?}", state.queue);
    drop(state);
    let room: Vec<Permit> = std::iter::from_fn(little).collect();
    assert!(room.len() >= 16, "{}", room.len());
}

#[test]
fn where_large_ones_have_taken_the_memory_of_an_organization_its_little_ones_find_some() {
    let (admission, _) = admission(256 << 20);
    let gzip_json = Demand { organization: NOISY, declared: Some(1 << 20), times: 6 };
    let mut large: Vec<Permit> = (0..4).map(|_| admission.admit(usage(), gzip_json).ok().unwrap()).collect();
    for permit in &mut large {
        permit.hold_inflated(16 << 20).unwrap();
    }
    let transcoded = large.iter_mut().filter_map(|permit| permit.hold_transcoded(16 << 20).ok()).count();
    assert_eq!(transcoded, 2, "228 of 256 MiB are held");
    let one_more = || admission.admit(usage(), gzip_json).ok()?.hold_inflated(16 << 20).ok();
    assert_eq!(one_more(), None);
    let little = |organization| {
        let mut permit = admission.admit(usage(), of(organization, Some(4 << 10))).ok()?;
        permit.hold_transcoded(4 << 10).ok()?;
        Some(permit)
    };
    let found: Vec<Permit> = std::iter::from_fn(|| little(NOISY)).take(400).collect();
    assert_eq!(found.len(), 400, "28 KiB each");
    assert!(little(QUIET).is_some());
    let state = admission.shared.lock();
    assert_eq!(state.memory.held_by_little(), 400 * (28 << 10));
    assert!(state.memory.held() <= 256 << 20);
    drop(state);
    drop((large, found));
    assert_eq!(free(&admission), 256 << 20);
}

#[test]
fn what_looks_little_and_is_not_takes_no_room_of_those_that_are() {
    let (admission, _) = admission(256 << 20);
    let liar = || {
        let mut permit = admission.admit(usage(), of(NOISY, Some(16 << 10))).ok()?;
        permit.arrive();
        permit.join_large(1 << 20).ok()?;
        Some(permit)
    };
    let liars: Vec<Permit> = std::iter::from_fn(liar).collect();
    assert_eq!(liars.len(), 25, "as many as of those that tell their size");
    let state = admission.shared.lock();
    assert_eq!((state.queue.ahead(Room::Little), state.queue.ahead(Room::Common)), (0, 25 << 20));
    assert_eq!(state.memory.held_by_little(), 0);
    drop(state);
    assert!(admission.admit(usage(), of(NOISY, Some(16 << 10))).is_ok());
    drop(liars);
    assert_eq!(admission.shared.lock().queue.ahead(Room::Common), 0);
}

#[test]
fn whoever_has_nothing_in_the_queue_is_let_in_however_short_it_is() {
    let (admission, clock) = admission(32 << 20);
    for _ in 0..20 {
        let standing = crowd(&admission, NOISY);
        clock.advance(Duration::from_secs(1));
        drop(standing);
    }
    assert_eq!(crowd(&admission, NOISY).len(), 1, "as it has none");
    assert!(admission.pressure() > 1.0);
    let _noisy = crowd(&admission, NOISY);
    let large = admission.admit(usage(), of(QUIET, Some(4 << 20)));
    assert!(large.is_ok());
}

#[test]
fn a_body_that_takes_its_time_is_not_waited_for() {
    let (admission, clock) = admission(256 << 20);
    let waiting = || admission.shared.lock().queue.ahead(Room::Common);
    let mut slow = admission.admit(usage(), of(QUIET, Some(1 << 20))).ok().unwrap();
    assert_eq!(waiting(), 1 << 20);
    slow.step_aside(0);
    slow.step_aside(0);
    assert_eq!(waiting(), 0);
    clock.advance(Duration::from_secs(30));
    slow.arrive();
    assert_eq!(waiting(), 1 << 20);
    drop(slow);
    assert_eq!(waiting(), 0);
    assert_eq!(admission.shared.lock().queue.capacity(), 32 << 20, "nobody waited for us");
}

#[test]
fn what_is_done_for_a_request_itself_is_no_waiting() {
    let (admission, clock) = admission(256 << 20);
    for _ in 0..10 {
        let mut permit = admission.admit(usage(), of(QUIET, Some(1 << 20))).ok().unwrap();
        permit.arrive();
        permit.begin_work();
        clock.advance(Duration::from_millis(900));
        permit.end_work();
        clock.advance(Duration::from_millis(9));
    }
    assert_eq!(admission.shared.lock().queue.capacity(), 32 << 20);
}
