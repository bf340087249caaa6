//! Scans of skills and MCP servers in a process with a connection to the code host. Both always run the deep tier.

use std::time::Duration;

use common::ids::OrganizationId;
use common::timestamp::Timestamp;

use super::{Facts, HostFailure, Reading, Target, assess, identity};
use crate::engine::Engine;
use crate::scanner::Scanner;
use crate::score::Assessment;

/// Time of the identity tier (design: pipeline).
const PATIENCE: Duration = Duration::from_secs(2);
/// Reason for content of registries that do not name a repository.
const ELSEWHERE: &str = "the registry is not known, so that no repository can be read";
const NO_HOST: &str = "this deployment is not connected to a code host";
const BUSY: &str = "the analysis was not possible at the time";

/// The identity tier, which is answered while the content is scanned: for content that cannot be read the whole result.
pub(crate) async fn preliminary(
    scanner: &Scanner,
    organization: OrganizationId,
    target: &Target,
    now: Timestamp,
) -> Assessment {
    let public = match target {
        Target::Elsewhere(_) => Err(HostFailure::of_content(ELSEWHERE)),
        Target::Hosted { repository, .. } => match &scanner.repositories {
            Some(host) => {
                let asked = tokio::time::timeout(PATIENCE, host.public(organization, repository));
                let Ok(public) = asked.await else {
                    let checks = identity::checks(Some(target), None, target.kind(), now);
                    return Assessment { checks, is_pending: true, ..Assessment::default() };
                };
                public
            }
            None => Err(HostFailure::of_content(NO_HOST)),
        },
    };
    match public {
        Err(failure) => unread(&scanner.engine, target, &failure),
        Ok(public) => {
            let checks = identity::checks(Some(target), Some(&public.facts), target.kind(), now);
            Assessment { checks, is_pending: true, ..Assessment::default() }
        }
    }
}

/// The whole scan.
pub(crate) async fn whole(
    scanner: &Scanner,
    organization: OrganizationId,
    target: &Target,
    now: Timestamp,
) -> Assessment {
    let (facts, reading) = match read(scanner, organization, target).await {
        Ok(read) => read,
        Err(failure) => return unread(&scanner.engine, target, &failure),
    };
    let of_target = target.clone();
    let judged = scanner.analyse(move |engine| {
        assess(engine, (of_target.kind(), Some(&of_target)), Some(&facts), Ok(&reading), now)
    });
    match judged.await {
        Ok(assessment) => assessment,
        Err(_) => unscannable(&scanner.engine, target, BUSY),
    }
}

/// The result for content that cannot be read.
fn unscannable(engine: &Engine, target: &Target, reason: &str) -> Assessment {
    // Without facts no check depends on the time.
    assess(engine, (target.kind(), Some(target)), None, Err(reason), Timestamp(0))
}

/// The same with a failure of the code host.
pub(crate) fn unread(engine: &Engine, target: &Target, failure: &HostFailure) -> Assessment {
    let assessment = unscannable(engine, target, &failure.reason);
    Assessment { is_of_connection: failure.is_of_connection(), ..assessment }
}

async fn read(
    scanner: &Scanner,
    organization: OrganizationId,
    target: &Target,
) -> Result<(Facts, Reading), HostFailure> {
    let Target::Hosted { repository, .. } = target else { return Err(HostFailure::of_content(ELSEWHERE)) };
    let host = scanner.repositories.as_ref().ok_or_else(|| HostFailure::of_content(NO_HOST))?;
    let mut public = host.public(organization, repository).await?;
    let reading = host.snapshot(scanner, target, &mut public).await?;
    Ok((public.facts, reading))
}
