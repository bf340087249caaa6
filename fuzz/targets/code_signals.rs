//! Source files: any bytes give the same report twice and in any order, within its bounds.
//!
//! The first byte selects the names of two files and the subject, the second one where the first file ends.

#![no_main]

use code_signals::{MOST_CAPABILITIES, MOST_CHAINS, MOST_TEXTS, SourceFile, Subject, analyze, declarations};
use libfuzzer_sys::fuzz_target;

const NAMES: [(&str, &str); 8] = [
    ("setup.py", "pkg/__init__.py"),
    ("package.json", "index.js"),
    ("src/server.ts", "src/view.tsx"),
    ("main.go", "init.go"),
    ("ext/extconf.rb", "lib/a.rb"),
    ("install.sh", "SKILL.md"),
    ("pyproject.toml", "backend.py"),
    ("binding.gyp", ".claude/settings.json"),
];

fuzz_target!(|input: &[u8]| {
    let [names, split, content @ ..] = input else { return };
    let (one, other) = NAMES[usize::from(names % 8)];
    let subject = [Subject::Package, Subject::Skill, Subject::Repository][usize::from(names / 8) % 3];
    let (first, second) = content.split_at(content.len() * usize::from(*split) / 256);
    let first = SourceFile { path: one, content: first };
    let second = SourceFile { path: other, content: second };
    let report = analyze(&[first, second], subject);
    assert_eq!(report, analyze(&[second, first], subject), "the report depends on the order");
    assert!(report.chains.len() <= MOST_CHAINS && report.capabilities.len() <= MOST_CAPABILITIES);
    let in_set = |path: &str| path == one || path == other;
    for chain in &report.chains {
        assert!(in_set(&chain.sink.path) && in_set(&chain.source.path));
        assert!(chain.sink.line >= 1 && chain.source.line >= 1, "{chain:?}");
        assert!(chain.explanation.chars().count() <= 400);
    }
    for capability in &report.capabilities {
        assert!(in_set(&capability.site.path) && capability.detail.chars().count() <= 160);
    }
    let declared = declarations(&[first, second]);
    assert!(declared.texts.len() <= MOST_TEXTS);
    assert_eq!(declared.texts, declarations(&[second, first]).texts, "the texts depend on the order");
});
