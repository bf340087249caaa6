//! Gzip in the usual and in unusual forms; the pace.

use std::convert::Infallible;
use std::io::Write;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use common::clock::ManualClock;
use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use durable_log::Usage;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body::{Body, Frame};
use proptest::prelude::*;
use tokio::time::Sleep;
use uuid::Uuid;

use super::*;
use crate::admit::{Admission, AdmissionConfig, Demand};

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

fn admission(in_flight_bytes: usize) -> Admission {
    let config = AdmissionConfig { in_flight_bytes, ..AdmissionConfig::default() };
    Admission::new(&config, Arc::new(ManualClock::new(Timestamp(0))))
}

fn admit(admission: &Admission, declared: usize) -> Result<Permit, AdmitError> {
    let usage = Usage {
        unreleased_bytes: 0,
        capacity_bytes: u64::MAX,
        unreleased_batches: 0,
        capacity_batches: u64::MAX,
        queued_bytes: 0,
        queue_capacity_bytes: u64::MAX,
        writable: true,
        partitions_behind: 0,
        disk_low: false,
    };
    let organization = OrganizationId(Uuid::nil());
    admission.admit(usage, Demand { organization, declared: Some(declared), times: 1 })
}

fn permit(in_flight_bytes: usize) -> Permit {
    admit(&admission(in_flight_bytes), 1).ok().unwrap()
}

fn inflate_within(wire: &[u8], inflated_bytes: usize) -> Result<BytesMut, ReceiveError> {
    let mut permit = permit(1 << 30);
    let limits = Limits { inflated_bytes, ..Limits::default() };
    inflate(wire, &limits, |bytes| permit.hold_inflated(bytes)).map_err(ReceiveError::from)
}

#[test]
fn the_limit_is_inclusive_whatever_the_ratio() {
    let plain = vec![0; 1_000_000];
    assert_eq!(inflate_within(&gzip(&plain), 1_000_000).unwrap(), plain);
    let error = inflate_within(&gzip(&plain), 999_999).unwrap_err();
    assert!(matches!(error, ReceiveError::InflatedTooLarge { allowed: 999_999 }));
    assert_eq!(inflate_within(&gzip(b"abc"), 3).unwrap(), "abc");
    assert!(matches!(inflate_within(&gzip(b"abc"), 2), Err(ReceiveError::InflatedTooLarge { .. })));
}

#[test]
fn growth_is_paid_for() {
    let wire = gzip(&vec![0; 1_000_000]);
    let mut permit = permit(200_000);
    let outcome = inflate(&wire, &Limits::default(), |bytes| permit.hold_inflated(bytes));
    assert!(matches!(outcome, Err(InflateError::NoRoom(AdmitError::BytesInFlight))));
}

#[test]
fn broken_gzip_is_refused() {
    let whole = gzip(b"some log lines");
    let mut wrong_sum = whole.clone();
    let at = wrong_sum.len() - 8;
    wrong_sum[at] ^= 1;
    let trailing = [whole.as_slice(), b"garbage"].concat();
    let zeros = [whole.as_slice(), &[0; 16]].concat();
    let half_member = [whole.as_slice(), &whole[..whole.len() - 1]].concat();
    for wire in [&b""[..], b"{}", &wrong_sum, &trailing, &zeros, &half_member] {
        assert!(matches!(inflate_within(wire, 1000), Err(ReceiveError::Gzip(_))), "{wire:?}");
    }
    for length in 0..whole.len() {
        assert!(matches!(inflate_within(&whole[..length], 1000), Err(ReceiveError::Gzip(_))), "{length}");
    }
}

proptest! {
    #[test]
    fn members_add_up(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 1..6)) {
        let wire: Vec<u8> = parts.iter().flat_map(|part| gzip(part)).collect();
        prop_assert_eq!(inflate_within(&wire, 2000).unwrap(), parts.concat());
    }

    #[test]
    fn any_bytes_are_inflated_or_refused(wire in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(inflated) = inflate_within(&wire, 5000) {
            prop_assert!(inflated.len() <= 5000);
        }
    }
}

#[test]
fn time_is_earned_by_bytes_up_to_the_whole() {
    let pace = PaceConfig::default();
    assert_eq!(pace.allowed(0), Duration::from_secs(10));
    assert_eq!(pace.allowed(81_920), Duration::from_secs(20));
    assert_eq!(pace.allowed(usize::MAX), Duration::from_secs(60));
}

/// A body of which 32 KiB arrive at this interval.
struct Trickle {
    pieces: usize,
    every: Duration,
    next: Pin<Box<Sleep>>,
}

impl Body for Trickle {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.pieces == 0 {
            return Poll::Ready(None);
        }
        ready!(self.next.as_mut().poll(context));
        let next = Instant::now() + self.every;
        self.next.as_mut().reset(next);
        self.pieces -= 1;
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[0; 32 * 1024])))))
    }
}

#[tokio::test(start_paused = true)]
async fn only_who_sends_slowly_gives_up_its_place() {
    let (limits, pace) = (Limits::default(), PaceConfig::default());
    for (milliseconds, keeps) in [(20, true), (50, false)] {
        let admission = admission(64 << 20);
        let mut permit = admit(&admission, 6 << 20).ok().unwrap();
        let every = Duration::from_millis(milliseconds);
        let mut body = Trickle { pieces: 32, every, next: Box::pin(tokio::time::sleep(every)) };
        let mut body = Pieces(Pin::new(&mut body));
        let reading = receive(&mut body, &limits, &pace, &mut permit);
        assert!(tokio::time::timeout(Duration::from_millis(600), reading).await.is_err());
        // There is room for one of them in the queue.
        assert_eq!(admit(&admission, 6 << 20).is_err(), keeps, "every {milliseconds} ms");
    }
}
