//! Who is behind a repository: age of owner and repository, users who marked it, verified signatures, releases, and names that
//! resemble well-known ones.

use std::time::Duration;

use common::timestamp::Timestamp;
use lookalikes::Names;
use versions::Ecosystem;

use super::{Kind, Target};
use crate::check::{Check, Spec};
use crate::engine::Engine;
use crate::lists::{Listing, Named};
use crate::weights::repository as weights;

const DAY: Duration = Duration::from_secs(24 * 3600);
/// Days from which on an owner or a repository is established, and below which it is new.
const ESTABLISHED: u32 = 365;
const NEW: u32 = 30;
/// Users who marked a repository from which on it is well used.
const MANY_STARS: u64 = 100;
/// Share of the last commits, in percent, that must have verified signatures.
const SIGNED: usize = 50;
/// Well-known repositories of skills and servers, chosen by hand.
const KNOWN: &str = include_str!("../../data/repositories.txt");

/// Facts of the host about a public repository.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// When the owner's account was created.
    pub(crate) owner_created: Option<Timestamp>,
    /// When the repository was created.
    pub(crate) created: Option<Timestamp>,
    /// Users who have marked it.
    pub(crate) stars: u64,
    /// Whether it is a copy, and the name of the public repository that it is a copy of.
    pub(crate) fork: Option<Option<String>>,
    /// Commits that were looked at, and those of them with verified signatures.
    pub(crate) commits: Option<(usize, usize)>,
    /// Releases that were looked at, and those of them that cannot be changed any more.
    pub(crate) releases: Option<(usize, usize)>,
}

/// The checks, each once. Without facts none is possible, except that of the name.
pub(super) fn checks(
    target: Option<&Target>,
    facts: Option<&Facts>,
    kind: Kind,
    now: Timestamp,
) -> Vec<Check> {
    let mut checks = vec![name(target)];
    let mut all: Vec<&'static Spec> =
        vec![&weights::OWNER_AGE, &weights::AGE, &weights::STARS, &weights::FORK, &weights::SIGNED];
    if kind == Kind::Server {
        all.push(&weights::RELEASES);
    }
    let Some(facts) = facts else {
        checks.extend(all.into_iter().map(|spec| spec.not_possible("the code host was not asked")));
        return checks;
    };
    checks.push(age(&weights::OWNER_AGE, facts.owner_created, now, (weights::NEW_OWNER, "the account")));
    checks.push(age(&weights::AGE, facts.created, now, (weights::NEW_REPOSITORY, "the repository")));
    checks.push(if facts.stars >= MANY_STARS { weights::STARS.passed() } else { weights::STARS.neutral() });
    checks.push(match &facts.fork {
        None => weights::FORK.passed(),
        Some(Some(parent)) => weights::FORK.failed(format!("is a copy of {parent}")),
        Some(None) => weights::FORK.failed("is a copy of another repository"),
    });
    checks.push(match facts.commits {
        None | Some((0, _)) => weights::SIGNED.not_possible("no commits were listed"),
        Some((all, signed)) if signed * 100 >= all * SIGNED => weights::SIGNED.passed(),
        Some(_) => weights::SIGNED.neutral(),
    });
    if kind == Kind::Server {
        checks.push(match facts.releases {
            None => weights::RELEASES.not_possible("no releases were listed"),
            Some((all, immutable)) if all > 0 && immutable * 2 >= all => weights::RELEASES.passed(),
            Some(_) => weights::RELEASES.neutral(),
        });
    }
    checks
}

fn age(spec: &'static Spec, created: Option<Timestamp>, now: Timestamp, (lost, what): (i16, &str)) -> Check {
    let Some(created) = created else { return spec.not_possible("its age is not known") };
    let age = now.since(created);
    if age < DAY * NEW {
        return spec.lost(lost, format!("{what} is younger than {NEW} days"));
    }
    if age >= DAY * ESTABLISHED { spec.passed() } else { spec.neutral() }
}

/// Lists of the operator.
pub(super) fn listed(engine: &Engine, target: Option<&Target>) -> Check {
    let Some(Target::Hosted { repository, .. }) = target else { return weights::LISTED.neutral() };
    let find = |listing| engine.lists.find(Named::Repository, listing, repository.as_str());
    match (find(Listing::Block), find(Listing::Allow)) {
        (Some(entry), _) => weights::LISTED.failed(format!("the operator blocks it: {}", entry.evidence())),
        (None, Some(entry)) => {
            weights::LISTED.passed_by(format!("the operator allows it: {}", entry.evidence()))
        }
        (None, None) => weights::LISTED.neutral(),
    }
}

/// The known names: as `owner/repository`, compared like actions, which are repositories too.
fn known() -> Names {
    let mut names = Names::built_in();
    // The list is part of the build, and a test reads it.
    let _ = names
        .add(Ecosystem::GitHubAction, KNOWN.lines().map(|line| line.split('#').next().unwrap_or_default()));
    names
}

fn name(target: Option<&Target>) -> Check {
    static NAMES: std::sync::LazyLock<Names> = std::sync::LazyLock::new(known);
    let Some(Target::Hosted { repository, .. }) = target else { return weights::LOOKALIKE.neutral() };
    let name = repository.as_str();
    if let Some(found) = NAMES.lookalike(Ecosystem::GitHubAction, name) {
        return weights::LOOKALIKE.failed(format!("{name} resembles {}", found.known));
    }
    // The same or nearly the same repository of another owner.
    let is_known = NAMES.is_known(Ecosystem::GitHubAction, name);
    let nearly = KNOWN.split_whitespace().filter(|word| word.contains('/')).find(|known| {
        let (owner, repository_name) = known.split_once('/').unwrap_or_default();
        owner != repository.owner() && is_one_edit_away(repository_name, repository.name())
    });
    match nearly.filter(|_| !is_known) {
        Some(known) => weights::LOOKALIKE.failed(format!("{name} resembles {known}")),
        None => weights::LOOKALIKE.passed(),
    }
}

/// Whether two different names of at least eight letters differ by one letter that is left out, added, exchanged or swapped.
fn is_one_edit_away(known: &str, found: &str) -> bool {
    const LEAST: usize = 8;
    let (known, found) = (known.as_bytes(), found.as_bytes());
    if known == found || known.len() < LEAST || known.len().abs_diff(found.len()) > 1 {
        return false;
    }
    let front = known.iter().zip(found).take_while(|(a, b)| a == b).count();
    let (a, b) = (known.get(front..).unwrap_or_default(), found.get(front..).unwrap_or_default());
    let rest = |text: &'_ [u8], count: usize| text.get(count..).unwrap_or_default().to_vec();
    let swapped = a.len() >= 2
        && b.len() >= 2
        && a.first() == b.get(1)
        && a.get(1) == b.first()
        && rest(a, 2) == rest(b, 2);
    swapped || rest(a, 1) == rest(b, 1) || rest(a, 1) == b || a == rest(b, 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Outcome;

    fn fails(name: &str) -> bool {
        let target = Target::parse(Kind::Server, name, "github.com").unwrap();
        matches!(super::name(Some(&target)).outcome, Outcome::Failed { .. })
    }

    #[test]
    fn names_that_resemble_known_ones_fail_and_known_and_other_names_pass() {
        assert!(
            fails("modelcontextprotoco1/servers")
                && fails("gihtub/github-mcp-server")
                && fails("someone/github-mcp-servr")
        );
        assert!(
            !fails("modelcontextprotocol/servers")
                && !fails("github/github-mcp-server")
                && !fails("acme/weather-tools")
        );
        assert!(!fails("someone/servers"), "short names are common");
        assert!(KNOWN.split_whitespace().filter(|word| word.contains('/')).count() >= 60);
    }

    #[test]
    fn ages_earn_and_lose_points() {
        let now = Timestamp::parse_rfc3339("2026-11-27T00:00:00Z").unwrap();
        let facts =
            |owner: &str| Facts { owner_created: Timestamp::parse_rfc3339(owner), ..Facts::default() };
        let points = |owner: &str| checks(None, Some(&facts(owner)), Kind::Skill, now)[1].points();
        assert!(points("2020-01-01T00:00:00Z") > 0 && points("2026-11-20T00:00:00Z") < 0);
        assert_eq!(points("2026-06-01T00:00:00Z"), 0);
    }
}
