//! Finding and masking in any bytes: matches are sorted, apart and within the text, and those of the
//! slow oracle of the engine's own tests; masking keeps the length and UTF-8 and touches nothing else,
//! and masked text is not found again. The first byte chooses the policy.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use redact::{Candidates, EntityType, Match, Policy, Redactor};

use redaction::oracle::Oracle;

#[path = "../../common/redact/tests/redaction"]
mod redaction {
    pub(crate) mod oracle;
}

/// The oracle tries every rule at every place: a longer text would take too long.
const LONGEST_FOR_ORACLE: usize = 160;

thread_local! {
    static ORACLE: Oracle = Oracle::new();
}

static REDACTORS: LazyLock<Vec<Redactor>> = LazyLock::new(|| {
    let all = Policy { entities: EntityType::ALL.into_iter().collect(), ..Policy::default() };
    let named = Policy {
        sensitive_keys: vec!["badge".to_owned(), "door-code".to_owned()],
        exempt_keys: vec!["token".to_owned(), "x.password".to_owned()],
        ..all.clone()
    };
    let single = EntityType::ALL.map(|entity| Policy { entities: [entity].into(), ..Policy::default() });
    let policies = [all, named, Policy::default()].into_iter().chain(single);
    policies.map(|policy| Redactor::new(&policy).expect("the policy is within its bounds")).collect()
});

fuzz_target!(|input: &[u8]| {
    let Some((choice, text)) = input.split_first() else { return };
    let policy = usize::from(*choice) % REDACTORS.len();
    let redactor = &REDACTORS[policy];
    let mut matches = Vec::new();
    redactor.find(text, &mut matches);
    for found in &matches {
        assert!(found.start < found.end && found.end <= text.len(), "{found:?} is no span of the text");
    }
    assert!(matches.is_sorted_by(|one, next| one.end <= next.start), "{matches:?} are not in order");

    // The first policy is the one that the oracle follows.
    if policy == 0 && text.len() <= LONGEST_FOR_ORACLE && ORACLE.with(|oracle| oracle.knows(text)) {
        let found: Vec<_> = matches.iter().map(|found| (found.start, found.end, found.entity)).collect();
        let expected = ORACLE.with(|oracle| oracle.find(text));
        assert_eq!(found, expected, "in {:?}", String::from_utf8_lossy(text));
    }
    check_scan(redactor, text);

    let mut masked = text.to_vec();
    redactor.mask(&mut masked, &matches);
    assert_eq!(masked.len(), text.len());
    let mut kept = 0;
    for found in &matches {
        assert_eq!(masked[kept..found.start], text[kept..found.start], "more than the matches was masked");
        kept = found.end;
    }
    assert_eq!(masked[kept..], text[kept..], "more than the matches was masked");
    let mut again = Vec::new();
    redactor.find(&masked, &mut again);
    // A mask may replace the separator of two values, so that a second look reads on; text that was
    // masked is never found again.
    let overlaps = |one: &Match| matches.iter().any(|two| one.start < two.end && two.start < one.end);
    assert!(!again.iter().any(overlaps), "{again:?} were found in {:?}", String::from_utf8_lossy(&masked));

    let mut whole = text.to_vec();
    redactor.mask_value(&mut whole);
    let once = whole.clone();
    redactor.mask_value(&mut whole);
    assert_eq!(whole, once, "a masked value was masked again");

    let Ok(text) = std::str::from_utf8(text) else { return };
    assert!(std::str::from_utf8(&masked).is_ok(), "masking broke UTF-8");
    assert!(std::str::from_utf8(&once).is_ok(), "masking a value broke UTF-8");
    let replaced = redactor.redact(text);
    let twice = redactor.redact(&replaced);
    let placeholders = |text: &str| text.matches("_REDACTED>").count();
    assert!(placeholders(&twice) >= placeholders(&replaced), "{replaced:?} became {twice:?}");
    assert!(!(redactor.is_sensitive_key(text) && redactor.is_exempt_key(text)), "{text:?} is both");
});

/// The scan of a payload names every text of it in which something is found: here the middle third.
fn check_scan(redactor: &Redactor, payload: &[u8]) {
    let place = payload.len() / 3..payload.len() - payload.len() / 3;
    let mut matches = Vec::new();
    redactor.find(&payload[place.clone()], &mut matches);
    let mut candidates = Candidates::default();
    redactor.candidates(payload, &mut candidates);
    assert!(matches.is_empty() || candidates.may_match(&place), "{matches:?} lie where none were expected");
}
