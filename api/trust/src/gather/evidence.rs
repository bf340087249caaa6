//! Evidence of a reviewed pull request, bounded, so that a result with ten of them is a row and an event.

use code_host::PullRequest;

use crate::artifact::{Evidence, PullVerdict};
use crate::review::DiffChecks;

/// Longest title, in characters; the host has at most 256.
const MAX_TITLE: usize = 256;
/// Longest URL, in characters; those of the host have at most 200.
const MAX_URL: usize = 512;
/// Bytes of the names of a pull request's files, written as JSON: ten of them are below the 256 KiB of a payload.
const MAX_NAMES: usize = 16 * 1024;

/// The evidence; names without room are left out, and a clean verdict is inconclusive then.
pub(super) fn evidence(pull: &PullRequest, paths: Vec<String>, checks: DiffChecks) -> Evidence {
    let (mut files, mut room, all) = (Vec::new(), MAX_NAMES, paths.len());
    for path in paths {
        // Quotation marks and a comma; escapes have at most six bytes for one.
        let bytes = path.bytes().map(|byte| if is_plain(byte) { 1 } else { 6 }).sum::<usize>() + 3;
        let Some(left) = room.checked_sub(bytes) else { break };
        room = left;
        files.push(path);
    }
    let verdict = match checks.verdict() {
        PullVerdict::Clean if files.len() < all => PullVerdict::Inconclusive,
        verdict => verdict,
    };
    Evidence {
        repo: pull.repository.to_string(),
        number: pull.number,
        title: shown(&pull.title, MAX_TITLE),
        url: shown(&pull.url, MAX_URL),
        verdict,
        files_reviewed: files,
    }
}

/// Whether JSON writes a byte as it is.
fn is_plain(byte: u8) -> bool {
    !byte.is_ascii_control() && !matches!(byte, b'"' | b'\\')
}

/// A text of the host without control characters, cut at a length.
fn shown(text: &str, most: usize) -> String {
    text.chars().filter(|character| !character.is_control()).take(most).collect()
}

#[cfg(test)]
mod tests {
    use code_host::PullRequestState;
    use common::timestamp::Timestamp;

    use super::*;

    fn pull(title: &str) -> PullRequest {
        PullRequest {
            repository: "acme/site".parse().unwrap(),
            number: 3,
            title: title.to_owned(),
            body: String::new(),
            url: "https://host.example/acme/site/pull/3".to_owned(),
            state: PullRequestState::Open,
            author: None,
            author_association: "NONE".to_owned(),
            created_at: Timestamp(0),
            closed_at: None,
        }
    }

    const CLEAN: DiffChecks = DiffChecks {
        has_chain: false,
        has_hidden_characters: false,
        has_hook: false,
        has_binary: false,
        is_complete: true,
    };

    #[test]
    fn ten_pull_requests_of_the_longest_names_are_an_event() {
        let paths = vec!["\u{1}\"\\".repeat(1_300); 100];
        let one = evidence(&pull(&"\"é".repeat(1_000)), paths, CLEAN);
        assert_eq!(one.verdict, PullVerdict::Inconclusive);
        let all = serde_json::to_vec(&vec![one; 10]).unwrap();
        assert!(all.len() < 192 * 1024, "{}", all.len());
        let complete = evidence(&pull("Fix\nit"), vec!["src/main.rs".to_owned()], CLEAN);
        assert_eq!((complete.verdict, complete.title.as_str()), (PullVerdict::Clean, "Fixit"));
        assert_eq!(complete.files_reviewed, ["src/main.rs"]);
    }
}
