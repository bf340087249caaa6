//! Facts about a contributor, of which the score is a pure function. All of them are public: repositories that were not confirmed as
//! public are not among them.

use code_host::PullRequestState;
use common::timestamp::Timestamp;

use crate::review::DiffChecks;

/// Facts about a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// When they were read.
    pub(crate) now: Timestamp,
    /// When the account was created.
    pub(crate) created_at: Timestamp,
    /// Users who follow it.
    pub(crate) followers: u64,
    /// Signing keys that are neither revoked nor expired.
    pub(crate) signing_keys: usize,
    /// Public memberships of organizations.
    pub(crate) organizations: usize,
    /// Creation of its own public repositories.
    pub(crate) repositories: Vec<Timestamp>,
    /// Public events.
    pub(crate) activity: Vec<Activity>,
    /// Pull requests, newest first.
    pub(crate) pulls: Vec<Pull>,
    /// Whether the host ended the search for pull requests early: any may be missing, so that their number, their proportions and
    /// their absence prove nothing.
    pub(crate) is_partial: bool,
    /// Time since which every pull request is known, unless the search is partial.
    pub(crate) known_since: Timestamp,
    /// Checks of the newest pull requests that were reviewed.
    pub(crate) reviews: Vec<Reviewed>,
}

/// A public event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Activity {
    /// When it happened.
    pub(crate) at: Timestamp,
    /// Whether it is a review of a pull request.
    pub(crate) is_review: bool,
}

/// A pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pull {
    /// The repository, in lower case.
    pub(crate) repository: String,
    /// Its state.
    pub(crate) state: PullRequestState,
    /// When it was opened.
    pub(crate) created_at: Timestamp,
    /// Relation to the repository.
    pub(crate) relation: Relation,
}

/// Relation of a contributor to a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// Of the login itself, or of one of its organizations; for an app, every repository, because its owner installed the app.
    Own,
    /// The repository knows the contributor: a member, collaborator or earlier contributor.
    Known,
    /// None: the pull request is unsolicited.
    Stranger,
}

/// A reviewed pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reviewed {
    /// Relation to the repository.
    pub(crate) relation: Relation,
    /// Whether it has a text.
    pub(crate) has_body: bool,
    /// Whether title or text name an issue.
    pub(crate) names_issue: bool,
    /// Checks of its diff.
    pub(crate) checks: DiffChecks,
}

impl Pull {
    /// Whether it is for a repository of others.
    pub(crate) fn is_outside(&self) -> bool {
        self.relation != Relation::Own
    }
}

/// Whether a text is more than the HTML comments of a template, which the host does not show.
pub(crate) fn has_text(body: &str) -> bool {
    !without_comments(body).trim().is_empty()
}

/// Whether a text names an issue: `#12`, `GH-12`, or the URL of one.
pub(crate) fn names_issue(text: &str) -> bool {
    let text = without_comments(text);
    ["#", "GH-", "/issues/"].into_iter().any(|mark| {
        text.match_indices(mark).any(|(at, _)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let is_whole =
                mark == "/issues/" || !before.is_some_and(|one| one.is_alphanumeric() || one == '&');
            let digit = text.get(at + mark.len()..).and_then(|behind| behind.chars().next());
            // An issue of another repository is written owner/name#12.
            let is_foreign = mark == "#" && before.is_some_and(char::is_alphanumeric);
            (is_whole || is_foreign) && digit.is_some_and(|digit| matches!(digit, '1'..='9'))
        })
    })
}

/// The text without HTML comments.
fn without_comments(mut text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    while let Some((before, comment)) = text.split_once("<!--") {
        shown.push_str(before);
        text = comment.split_once("-->").map_or("", |(_, behind)| behind);
    }
    shown.push_str(text);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_of_comments_and_spaces_is_empty() {
        for body in ["", " \n\t", "<!-- Describe the change -->", "<!-- a --> \n <!-- b", "<!---->"] {
            assert!(!has_text(body), "{body}");
        }
        for body in ["Fixes a race.", "<!-- a -->text<!-- b -->", "--> text"] {
            assert!(has_text(body), "{body}");
        }
    }

    #[test]
    fn an_issue_is_named_by_number_or_url() {
        for text in [
            "Fixes #12",
            "#1",
            "(#345)",
            "GH-7: typo",
            "see https://github.com/acme/site/issues/9",
            "acme/site#4",
        ] {
            assert!(names_issue(text), "{text}");
        }
        for text in
            ["", "#", "# Heading", "Fixes #(issue)", "<!-- #12 -->", "&#39;", "issue 12", "PGH-1", "#0"]
        {
            assert!(!names_issue(text), "{text}");
        }
    }
}
