#![no_main]
//! Archives and Office documents: entries within the bounds whose paths stay in the folder, and the same each time.

use documents::{Archive, Bounds, Listing, Skipped, parse_document};
use libfuzzer_sys::fuzz_target;

const BOUNDS: Bounds =
    Bounds { packed: 1 << 20, unpacked: 8 << 20, entries: 500, ratio: 200, entry: 1 << 20 };

fuzz_target!(|content: &[u8]| {
    let listing = Listing::read(content, BOUNDS);
    assert_eq!(Listing::read(content, BOUNDS), listing);
    let _ = parse_document(content);
    let Ok(mut archive) = Archive::open(content, BOUNDS) else { return };
    let mut unpacked = 0;
    for entry in archive.entries().unwrap().flatten() {
        unpacked += entry.content.as_ref().map_or(0, Vec::len);
        let leaves = entry.path.starts_with('/') || entry.path.split('/').any(|part| part == "..");
        assert!(!leaves || entry.content == Err(Skipped::Path), "{entry:?}");
    }
    assert!(unpacked as u64 <= BOUNDS.unpacked);
});
