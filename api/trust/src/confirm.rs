//! Confirmation of evidence before it leaves the service: a repository may have become private, or have been deleted, since it was
//! read. Events of the code host tell only about repositories of connected installations, and evidence is about any repository;
//! therefore the code host is asked when evidence is read.
//!
//! Bounds: at most ten repositories for a result, within [`PATIENCE`]; one that was confirmed within [`FRESH`] by this process is not
//! asked about. The requests are conditional: an unchanged repository takes nothing of the installation's rate limit.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use code_host::{Access, CodeHost, FullName, HostError, active_installation};
use common::clock::SharedClock;
use common::ids::{OrganizationId, RecordId};
use common::timestamp::Timestamp;
use directory::Directory;
use records::{Change, Record, RecordError, Records};

use crate::artifact::Evidence;

/// Time for which a confirmation is used again: bounds the requests about a repository, and the time for which evidence of one that has
/// become private is shown.
const FRESH: Duration = Duration::from_secs(60);
/// Time for the confirmations of one result, so that a reply does not wait for a code host that is slow.
const PATIENCE: Duration = Duration::from_secs(5);
/// Confirmations that are remembered, some 100 bytes each: those of a minute at 600 requests for ten repositories.
const REMEMBERED: usize = 6_000;

/// Confirms that repositories are public. Shared by all requests of a process.
pub(crate) struct Confirmer {
    host: Option<Arc<dyn CodeHost>>,
    clock: SharedClock,
    /// Time of the confirmation, by the name of the repository in lower case.
    known: Mutex<HashMap<String, Timestamp>>,
}

/// Evidence after its confirmation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Confirmed {
    /// Evidence of public repositories.
    pub(crate) evidence: Vec<Evidence>,
    /// Repositories that are private or do not exist any more.
    pub(crate) gone: BTreeSet<String>,
    /// Whether evidence was left out because the host did not answer.
    pub(crate) is_incomplete: bool,
}

/// The answer of the host about a repository.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Public,
    Gone,
    None,
}

impl Confirmer {
    /// Without a host for a deployment that is not connected to one.
    pub(crate) fn new(host: Option<Arc<dyn CodeHost>>, clock: SharedClock) -> Self {
        Self { host, clock, known: Mutex::default() }
    }

    /// Leaves evidence out that is not confirmed to be public, by the rights of an active installation of the organization.
    ///
    /// # Errors
    /// When the rows of the installations cannot be read.
    pub(crate) async fn confirm(
        &self,
        directory: &Directory,
        organization: OrganizationId,
        evidence: Vec<Evidence>,
    ) -> Result<Confirmed, directory::DirectoryError> {
        if evidence.is_empty() {
            return Ok(Confirmed::default());
        }
        let access = active_installation(directory, organization).await?.map(Access::public);
        let names: BTreeSet<String> = evidence.iter().map(|one| one.repo.clone()).collect();
        let mut answers: HashMap<String, Answer> = HashMap::new();
        // Those that were asked in time count.
        let _ = tokio::time::timeout(PATIENCE, async {
            for name in &names {
                let answer = self.ask(access, name).await;
                answers.insert(name.clone(), answer);
            }
        })
        .await;
        let answer = |one: &Evidence| answers.get(&one.repo).copied().unwrap_or(Answer::None);
        Ok(Confirmed {
            is_incomplete: evidence.iter().any(|one| answer(one) == Answer::None),
            gone: names.into_iter().filter(|name| answers.get(name) == Some(&Answer::Gone)).collect(),
            evidence: evidence.into_iter().filter(|one| answer(one) == Answer::Public).collect(),
        })
    }

    async fn ask(&self, access: Option<Access>, name: &str) -> Answer {
        let (now, key) = (self.clock.now(), name.to_lowercase());
        let is_fresh = |at: &Timestamp| now.since(*at) < FRESH;
        if self.known().get(&key).is_some_and(is_fresh) {
            return Answer::Public;
        }
        let (Some(host), Some(access)) = (&self.host, access) else { return Answer::None };
        let Ok(full_name) = name.parse::<FullName>() else { return Answer::None };
        let answer = match host.repository(access, &full_name).await {
            Ok(found) if found.private => Answer::Gone,
            Ok(_) => Answer::Public,
            Err(HostError::NotFound(_)) => Answer::Gone,
            Err(error) => {
                tracing::debug!(%error, "a repository of evidence was not confirmed");
                Answer::None
            }
        };
        let mut known = self.known();
        if answer != Answer::Public {
            known.remove(&key);
            return answer;
        }
        if known.len() >= REMEMBERED {
            known.retain(|_, at| is_fresh(at));
        }
        if known.len() < REMEMBERED {
            known.insert(key, now);
        }
        answer
    }

    /// The map is whole after every step, so that a panic of another holder does not matter.
    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<String, Timestamp>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<Vec<Evidence>> for Confirmed {
    /// Evidence that was confirmed by the scan that ends now.
    fn from(evidence: Vec<Evidence>) -> Self {
        Self { evidence, ..Self::default() }
    }
}

/// Removes the evidence of repositories that are private or deleted from the rows of a result, whose head `change` marks as changed.
///
/// # Errors
/// Those of [`Records::get`], and `Conflict` when other commits came first again and again.
pub(crate) async fn remove<R>(
    records: &Records,
    (organization, id): (OrganizationId, RecordId),
    gone: &BTreeSet<String>,
    change: impl Fn(&mut R),
) -> Result<(), RecordError>
where
    R: Record<Detail = Vec<Evidence>>,
{
    if gone.is_empty() {
        return Ok(());
    }
    let mut attempts = records.attempts(R::HOME, id.shard());
    while let Some(mut draft) = attempts.next().await? {
        let (head, detail) = (records.get::<R>(organization, id), records.detail::<R>(organization, id));
        let Some(mut head) = head.await? else { return Ok(()) };
        let mut evidence = detail.await?.unwrap_or_default();
        let before = evidence.len();
        evidence.retain(|one| !gone.contains(&one.repo));
        if evidence.len() == before {
            return Ok(());
        }
        change(&mut head);
        draft.add(Change::put(head).detail(evidence))?;
        if attempts.commit(draft).await? {
            return Ok(());
        }
    }
    Err(RecordError::Conflict)
}
