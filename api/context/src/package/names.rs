//! The name of a package: lists of the operator, private names, names that resemble well-known ones.

use common::timestamp::Timestamp;
use registries::{Access, Package};
use versions::Ecosystem;

use super::Target;
use crate::artifact::{Severity, ThreatType};
use crate::check::{Check, Threat};
use crate::engine::Engine;
use crate::lists::{Listing, Named};
use crate::scanner::Scanner;
use crate::weights::package as weights;

/// Releases and age of a name that has its own users, although it resembles another one.
const OWN_RELEASES: usize = 10;
const OWN_DAYS: u64 = 730;
const DAY: u64 = 24 * 3600;

/// The checks of lists, each once.
pub(super) fn listed(engine: &Engine, target: &Target) -> Vec<Check> {
    let kind = Named::Package(target.ecosystem());
    let private = match engine.lists.find(kind, Listing::Private, target.name()) {
        Some(entry) => {
            weights::CONFUSION.failed(format!("the public package has a private name: {}", entry.evidence()))
        }
        None => weights::CONFUSION.passed(),
    };
    let specs = (&weights::ALLOWED, &weights::BLOCKED);
    let [allowed, blocked] = engine.lists.checks((kind, Some(target.name())), specs, true);
    vec![private, allowed, blocked]
}

/// Whether the name resembles a well-known one. The metadata of both decides whether they have one owner.
pub(super) async fn typosquat(
    scanner: &Scanner,
    access: &Access,
    (target, package): (&Target, Option<&Package>),
    now: Timestamp,
) -> Check {
    let (ecosystem, name) = (target.ecosystem(), target.name());
    let Some(found) = scanner.engine.names.lookalike(ecosystem, name) else {
        return weights::TYPOSQUAT.passed();
    };
    let Some(package) = package else { return failed(&found.known, Severity::High) };
    // Owners are a part of these names, and were compared with them.
    let has_accounts = !matches!(ecosystem, Ecosystem::Go | Ecosystem::GitHubAction);
    if has_accounts
        && let Ok(known) = scanner.registries.package(access, ecosystem, &found.known).await
        && has_one_owner(package, &known)
    {
        return weights::TYPOSQUAT.passed();
    }
    let age = package.created_at().map_or(0, |created| now.since(created).as_secs() / DAY);
    let is_established = age >= OWN_DAYS && package.releases.len() >= OWN_RELEASES;
    failed(&found.known, if is_established { Severity::Medium } else { Severity::High })
}

/// The same without a registry.
pub(super) fn typosquat_offline(engine: &Engine, target: &Target) -> Check {
    match engine.names.lookalike(target.ecosystem(), target.name()) {
        Some(found) => failed(&found.known, Severity::High),
        None => weights::TYPOSQUAT.passed(),
    }
}

fn failed(known: &str, severity: Severity) -> Check {
    let detail = format!("the name is one edit from {known}");
    let threat = Threat { kind: ThreatType::Typosquatting, severity, detail: detail.clone(), excerpt: None };
    weights::TYPOSQUAT.failed_with(vec![threat], detail)
}

/// Whether two packages share a maintainer. A repository is a claim that anyone can make.
fn has_one_owner(package: &Package, known: &Package) -> bool {
    package.maintainers.iter().any(|account| known.maintainers.contains(account))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Outcome;
    use crate::engine::tests::loaded;
    use crate::lists::Lists;

    #[test]
    fn names_of_lists_and_neighbours_of_known_names_are_found_with_evidence() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
        write("npm-private.txt", "@acme/*\n");
        write("npm-block.txt", "bad-thing # incident 7\n");
        write("npm-allow.txt", "good-thing\n");
        write("npm-known.txt", "acme-billing-client\n");
        let engine = loaded().with_lists(Lists::load(directory.path()).unwrap()).unwrap();
        let failed = |target: &str| {
            let target = Target::parse(target).unwrap();
            let mut checks = listed(&engine, &target);
            checks.push(typosquat_offline(&engine, &target));
            let failed = checks.into_iter().filter(|check| matches!(check.outcome, Outcome::Failed { .. }));
            failed
                .map(|check| check.record())
                .map(|check| (check.id.into_owned(), check.reason.unwrap()))
                .collect::<Vec<_>>()
        };
        let one = |target: &str, id: &str, says: &str| {
            let found = failed(target);
            assert!(
                matches!(found.as_slice(), [(found, reason)] if found == id && reason.contains(says)),
                "{target}: {found:?}"
            );
        };
        one("npm:@acme/login@1.0.0", "package.private_name", "npm-private.txt line 1");
        one("npm:bad-thing@1.0.0", "package.blocked", "npm-block.txt line 1 (incident 7)");
        one("npm:acme-biling-client@1.0.0", "package.typosquat", "acme-billing-client");
        one("npm:expresss@1.0.0", "package.typosquat", "express");
        for honest in ["npm:express@4.0.0", "npm:good-thing@1.0.0", "npm:some-words-nobody-uses@1.0.0"] {
            assert!(failed(honest).is_empty(), "{honest}");
        }
        let earns = |target: &str| {
            listed(&engine, &Target::parse(target).unwrap()).iter().map(Check::points).sum::<i16>()
        };
        assert!(earns("npm:good-thing@1.0.0") > 0 && earns("npm:express@4.0.0") == 0);
        let shown = |target: &str, spec| {
            let checks = listed(&engine, &Target::parse(target).unwrap());
            checks.into_iter().find(|check| check.spec == spec).unwrap()
        };
        let allowed = shown("npm:good-thing@1.0.0", &weights::ALLOWED).record();
        assert!(allowed.reason.is_some_and(|reason| reason.contains("npm-allow.txt line 1")));
        let blocked = shown("npm:bad-thing@1.0.0", &weights::BLOCKED);
        assert_eq!(blocked.threats().first().map(|threat| threat.severity), Some(Severity::High));
    }
}
