//! The protocol survives its own bytes and refuses all others.

use proptest::prelude::*;

use super::*;

fn isolations() -> impl Strategy<Value = Isolation> {
    (prop::option::of(1..120_i32), any::<u8>())
        .prop_map(|(errno, landlock)| Isolation { namespaces_refused: errno.map(Errno::from_raw), landlock })
}

proptest! {
    #[test]
    fn greetings_are_read_as_written(isolation in isolations(), number in 1..=5_u8, errno in 1..120_i32) {
        let ready = Greeting::Ready(isolation);
        prop_assert_eq!(Greeting::decode(&ready.encode()), Ok(ready));
        let missing = Missing { feature: feature(number).unwrap(), reason: Errno::from_raw(errno) };
        let missing = Greeting::Missing(missing);
        prop_assert_eq!(Greeting::decode(&missing.encode()), Ok(missing));
        prop_assert!(missing.encode().len() <= GREETING_BYTES as usize);
    }

    #[test]
    fn outcomes_are_read_as_written(reply: Vec<u8>) {
        for outcome in [Outcome::Reply(reply), Outcome::OutOfSteps, Outcome::Panicked] {
            prop_assert_eq!(Outcome::decode(outcome.encode()), Ok(outcome));
        }
    }

    #[test]
    fn assignments_are_read_as_written(steps: u64, input: Vec<u8>) {
        let body = encode_assignment(steps, &input);
        prop_assert_eq!(body.len(), input.len() + OVERHEAD_BYTES as usize);
        prop_assert_eq!(decode_assignment(&body), Some((steps, input.as_slice())));
    }

    #[test]
    fn any_bytes_are_read_or_refused(body: Vec<u8>) {
        let _ = Greeting::decode(&body);
        let _ = decode_assignment(&body);
        if let Ok(outcome) = Outcome::decode(body.clone()) {
            prop_assert_eq!(outcome.encode(), body);
        }
    }
}

#[test]
fn a_frame_longer_than_permitted_is_refused_before_it_is_read() {
    let head = |bytes: &[u8]| frame(bytes).first_chunk().copied().unwrap();
    assert_eq!(body_length(head(&[0; 10]), 10), Ok(10));
    assert_eq!(body_length(head(&[0; 10]), 9), Err(MalformedReply::TooLong { bytes: 10, limit: 9 }));
    assert_eq!(body_length([0xff; 4], 9), Err(MalformedReply::TooLong { bytes: u32::MAX, limit: 9 }));
}
