//! Advisories that report a release as malicious.

use std::sync::Arc;

use advisories::{IndexError, Lookup};

use super::Target;
use crate::check::Check;
use crate::scanner::Scanner;
use crate::weights::package::ADVISORY;

/// Looks the release up in the index of the operator, on a thread: the index is a file.
pub(super) async fn check(scanner: &Scanner, target: &Target) -> Check {
    let (source, target) = (Arc::clone(&scanner.advisories), target.clone());
    let looked_up = scanner
        .analyse(move |_| source.current()?.lookup(target.ecosystem(), target.name(), target.version()));
    match looked_up.await {
        Ok(Ok(found)) => outcome(&found),
        Ok(Err(IndexError::Absent { .. })) => ADVISORY.not_possible("the operator has loaded no advisories"),
        Ok(Err(error)) => {
            tracing::warn!(error = %error, "advisories cannot be read");
            ADVISORY.not_possible("the advisories cannot be read")
        }
        Err(error) => ADVISORY.not_possible(error.to_string()),
    }
}

/// A moving tag of which a part is malicious counts as malicious.
fn outcome(found: &Lookup) -> Check {
    match found.advisories.iter().chain(&found.undecided).find(|advisory| advisory.is_malicious) {
        Some(advisory) => ADVISORY.failed(format!("{}: {}", advisory.id, advisory.summary)),
        None => ADVISORY.passed(),
    }
}

#[cfg(test)]
mod tests {
    use advisories::Advisory;

    use super::*;
    use crate::check::Outcome;

    #[test]
    fn only_an_advisory_of_a_malicious_release_is_a_threat() {
        let advisory = |id: &str, is_malicious| Advisory {
            id: id.to_owned(),
            aliases: Vec::new(),
            is_malicious,
            severity: None,
            summary: "a summary".to_owned(),
            fixed: Vec::new(),
        };
        let of = |advisories| outcome(&Lookup { advisories, undecided: Vec::new() }).outcome;
        assert!(matches!(of(vec![advisory("GHSA-1", false)]), Outcome::Passed { points: 0, .. }));
        assert!(matches!(
            of(vec![advisory("GHSA-1", false), advisory("MAL-1", true)]),
            Outcome::Failed { .. }
        ));
    }
}
