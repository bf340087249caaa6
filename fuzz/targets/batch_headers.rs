//! Headers of a batch: a header read is written and read again as the same, and takes the bytes it
//! says it takes.

#![no_main]

use durable_log::headers;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok((read, taken)) = headers::decode(bytes) else { return };
    let mut written = Vec::new();
    headers::encode(&read, &mut written);
    assert_eq!(written.len(), taken);
    // The second byte has flags, of which only those that mean something are kept.
    assert_eq!((written[0], &written[2..]), (bytes[0], &bytes[2..taken]));
    assert_eq!(headers::decode(&written), Ok((read, taken)));
});
