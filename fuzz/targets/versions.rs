//! Versions, ranges and targets of all ecosystems: any text is an error or a value within its bounds. Two versions have one order
//! from both sides, canonical texts read as themselves, and equal versions are in the same ranges. The first byte selects the
//! ecosystem; the lines after it are two versions, a range and a name.

#![no_main]

use std::cmp::Ordering;

use libfuzzer_sys::fuzz_target;
use versions::{Ecosystem, Range, Target, Version, normalized_name};

fuzz_target!(|input: &[u8]| {
    let Some((choice, rest)) = input.split_first() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let ecosystem = Ecosystem::ALL[usize::from(*choice) % Ecosystem::ALL.len()];
    let mut lines = text.split('\n');
    let mut line = || lines.next().unwrap_or_default();
    let (a, b, range, name) = (line(), line(), line(), line());
    check_target(ecosystem, name, a);
    let range = Range::parse(ecosystem, range);
    let (Ok(a), Ok(b)) = (Version::parse(ecosystem, a), Version::parse(ecosystem, b)) else { return };
    check_versions(&a, &b);
    if let Ok(range) = range {
        let again = Range::parse(ecosystem, range.as_str()).expect("a range is read again");
        assert_eq!(again.matches(&a), range.matches(&a), "reading {range:?} again changes it");
        let is_local = a.as_str().contains('+') || b.as_str().contains('+');
        let is_text = range.as_str().contains("===");
        if a.compare(&b) == Some(Ordering::Equal) && !is_local && !is_text {
            assert_eq!(range.matches(&a), range.matches(&b), "{range:?} tells {a} from {b}");
        }
    }
});

fn check_versions(a: &Version, b: &Version) {
    let order = a.compare(b).expect("one ecosystem");
    assert_eq!(b.compare(a), Some(order.reverse()), "{a} and {b}");
    let again = Version::parse(a.ecosystem(), a.as_str()).expect("a canonical version is read again");
    assert_eq!(again.as_str(), a.as_str());
    assert_eq!(again.compare(a), Some(Ordering::Equal));
    assert_eq!(again.is_prerelease(), a.is_prerelease());
    let _ = (a.release(), a.pseudo());
}

fn check_target(ecosystem: Ecosystem, name: &str, version: &str) {
    if let Ok(name) = normalized_name(ecosystem, name) {
        assert_eq!(normalized_name(ecosystem, &name).as_deref(), Ok(name.as_str()));
    }
    if let Ok(target) = Target::new(ecosystem, name, Some(version)) {
        assert_eq!(target.to_string().parse(), Ok(target));
    }
}
