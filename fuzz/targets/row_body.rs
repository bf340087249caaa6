//! Bodies of rows: a body read is written and read again as the same. The first byte chooses the
//! type of the row.

#![no_main]

use std::fmt::Debug;

use common::incident::{IncidentDetail, IncidentHead, Review, Revision};
use common::row::{self, Progress, SourceActivity};
use common::timestamp::Timestamp;
use libfuzzer_sys::fuzz_target;
use serde::Serialize;
use serde::de::DeserializeOwned;

fuzz_target!(|input: &[u8]| {
    let Some((choice, body)) = input.split_first() else { return };
    match choice % 7 {
        0 => round_trip::<IncidentHead>(body),
        1 => round_trip::<IncidentDetail>(body),
        2 => round_trip::<Revision>(body),
        3 => round_trip::<Review>(body),
        4 => round_trip::<Progress>(body),
        5 => round_trip::<SourceActivity>(body),
        _ => moment(body),
    }
});

fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(body: &[u8]) {
    let Ok(read) = row::decode::<T>(body) else { return };
    let written = row::encode(&read).expect("what was read can be written");
    assert_eq!(row::decode::<T>(&written).expect("what was written can be read"), read);
}

/// The most common content of rows: times, as printed here.
fn moment(text: &[u8]) {
    let Some(read) = std::str::from_utf8(text).ok().and_then(Timestamp::parse_rfc3339) else { return };
    let again = Timestamp::parse_rfc3339(&read.to_iso()).expect("what was printed can be read");
    assert_eq!(again.to_iso(), read.to_iso());
}
