//! Diffs of source files: any text is read without failure, within its own size, and gives the same report twice.
//!
//! The first byte selects the name of the file.

#![no_main]

use code_signals::{AddedLines, MOST_CHAINS, analyze_added};
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 8] = ["a.py", "index.js", "view.tsx", "main.go", "a.rb", "install.sh", "package.json", "README.md"];

fuzz_target!(|input: &[u8]| {
    let [name, patch @ ..] = input else { return };
    let patch = String::from_utf8_lossy(patch);
    let added = AddedLines::parse(NAMES[usize::from(name % 8)], &patch);
    assert!(added.texts().map(<[u8]>::len).sum::<usize>() <= patch.len());
    let _ = added.has_hidden_characters();
    let report = analyze_added(std::slice::from_ref(&added));
    assert!(report.chains.len() <= MOST_CHAINS);
    assert!(report.chains.iter().all(|chain| chain.sink.line >= 1 && chain.source.line >= 1));
    assert_eq!(report, analyze_added(&[added]));
});
