//! Limits on concurrent look-ups of names: few for each organization, so that names whose name servers
//! are silent hold up no other, and a number for the whole process.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use common::ids::OrganizationId;
use metrics::{counter, describe_counter, describe_gauge, gauge};
use thiserror::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Look-ups of one organization in progress.
pub const MAX_LOOKUPS: usize = 4;
/// Most of them that may be those of background work, so that one is left for a person who repairs a target.
const MAX_BACKGROUND_LOOKUPS: usize = MAX_LOOKUPS - 1;
/// Look-ups in progress in the process by their rank, the number of others that their organization has in progress. An
/// organization's first look-up never waits for the second to fourth of others, so that it takes 64 organizations with
/// silent name servers to delay another. Each look-up has up to sixteen sockets open (two kinds of addresses, two name
/// servers, four datagrams): 2,048 in the worst case.
const PROCESS_LOOKUPS: [usize; MAX_LOOKUPS] = [64, 32, 16, 16];
/// Look-ups in progress altogether.
const MAX_PROCESS_LOOKUPS: usize =
    PROCESS_LOOKUPS[0] + PROCESS_LOOKUPS[1] + PROCESS_LOOKUPS[2] + PROCESS_LOOKUPS[3];
/// Background work of one organization that waits for a look-up. Each of them holds room for a request that others
/// could use, so those beyond return their room and come again.
const MAX_WAITING: usize = 16;
/// Time that background work waits for a look-up of its organization before it returns its room: several look-ups of
/// name servers that answer.
const BACKGROUND_PATIENCE: Duration = Duration::from_millis(500);
/// Time that a look-up waits for room in the process. Organizations take turns, since each has few in the queue.
const PROCESS_PATIENCE: Duration = Duration::from_secs(1);

const IN_PROGRESS: &str = "palisade_outbound_lookups_in_progress";
const REFUSED: &str = "palisade_outbound_lookups_refused_total";

/// Origin of a request that leaves the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Requester {
    organization: OrganizationId,
    urgency: Urgency,
}

/// Behaviour at the limit of an organization's look-ups in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Urgency {
    /// A person waits for the answer, and is refused at once.
    Interactive,
    /// Waits for a while.
    Background,
}

impl Requester {
    /// A request to the API: refused at once where a look-up would have to wait for others of its organization.
    #[must_use]
    pub fn interactive(organization: OrganizationId) -> Self {
        Self { organization, urgency: Urgency::Interactive }
    }

    /// The organization.
    #[must_use]
    pub fn organization(self) -> OrganizationId {
        self.organization
    }

    /// Background work: waits for other look-ups of its organization.
    #[must_use]
    pub fn background(organization: OrganizationId) -> Self {
        Self { organization, urgency: Urgency::Background }
    }
}

/// Reason why a name is not looked up now. No question was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LookupRefusal {
    /// The organization has as many look-ups in progress as it may.
    #[error(
        "expected at most {MAX_LOOKUPS} host names of an organization to be resolved at once, found more"
    )]
    Organization,
    /// The process has.
    #[error("expected at most {MAX_PROCESS_LOOKUPS} host names to be resolved at once, found more")]
    Process,
}

/// See the module.
pub(crate) struct Lookups {
    /// Room in the process for each rank.
    process: [Arc<Semaphore>; MAX_LOOKUPS],
    /// Those with a look-up in progress or waiting; bounded by the requests that can be under way.
    organizations: Mutex<HashMap<OrganizationId, ActiveShare>>,
}

/// The share of an organization, and how many look-ups in progress or waiting keep it.
struct ActiveShare {
    share: Arc<Share>,
    users: usize,
}

/// Share of one organization.
struct Share {
    all: Arc<Semaphore>,
    background: Arc<Semaphore>,
    waiting: AtomicUsize,
    /// The ranks of its look-ups that are in progress or wait for room in the process.
    ranks: Mutex<[bool; MAX_LOOKUPS]>,
}

/// A look-up in progress, until dropped.
pub(crate) struct Lookup {
    // Returned in this order: room in the process is what others wait for.
    _process: OwnedSemaphorePermit,
    _rank: Rank,
    _all: OwnedSemaphorePermit,
    _background: Option<OwnedSemaphorePermit>,
    _counted: Counted,
    _entry: Entry,
}

/// The lowest rank that no other look-up of the organization has, until dropped.
struct Rank {
    share: Arc<Share>,
    rank: usize,
}

/// Keeps an organization's share; the last one removes it.
struct Entry {
    lookups: Arc<Lookups>,
    organization: OrganizationId,
    share: Arc<Share>,
}

/// Adds one to a gauge for as long as it lives.
struct Counted;

impl Lookups {
    pub(crate) fn new() -> Arc<Self> {
        describe_gauge!(IN_PROGRESS, "Host names that are being resolved, at most 128.");
        describe_counter!(
            REFUSED,
            "Host name lookups rejected or postponed because too many were in progress."
        );
        gauge!(IN_PROGRESS).set(0.0);
        for refusal in [LookupRefusal::Organization, LookupRefusal::Process] {
            counter!(REFUSED, "limit" => refusal.limit()).increment(0);
        }
        let process = PROCESS_LOOKUPS.map(|room| Arc::new(Semaphore::new(room)));
        Arc::new(Self { process, organizations: Mutex::default() })
    }

    /// Waits for a look-up's turn, as long as the requester may.
    pub(crate) async fn begin(self: &Arc<Self>, requester: Requester) -> Result<Lookup, LookupRefusal> {
        let begun = self.try_begin(requester).await;
        begun.inspect_err(|refusal| counter!(REFUSED, "limit" => refusal.limit()).increment(1))
    }

    async fn try_begin(self: &Arc<Self>, requester: Requester) -> Result<Lookup, LookupRefusal> {
        let entry = self.entry(requester.organization);
        let full = LookupRefusal::Organization;
        let (background, all) = match requester.urgency {
            Urgency::Interactive => {
                (None, Arc::clone(&entry.share.all).try_acquire_owned().map_err(|_| full)?)
            }
            Urgency::Background => {
                let turn = entry.share.background_turn();
                let (background, all) = turn.await.ok_or(full)?;
                (Some(background), all)
            }
        };
        let rank = Rank::lowest(&entry.share).ok_or(full)?;
        let room = Arc::clone(&self.process[rank.rank]).acquire_owned();
        let process = tokio::time::timeout(PROCESS_PATIENCE, room).await;
        let Ok(Ok(process)) = process else { return Err(LookupRefusal::Process) };
        Ok(Lookup {
            _process: process,
            _rank: rank,
            _all: all,
            _background: background,
            _counted: Counted::new(),
            _entry: entry,
        })
    }

    fn entry(self: &Arc<Self>, organization: OrganizationId) -> Entry {
        let mut organizations = self.locked();
        let new = || ActiveShare { share: Arc::new(Share::new()), users: 0 };
        let kept = organizations.entry(organization).or_insert_with(new);
        kept.users += 1;
        Entry { lookups: Arc::clone(self), organization, share: Arc::clone(&kept.share) }
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<OrganizationId, ActiveShare>> {
        // A panic can leave nothing half-done in it.
        self.organizations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    fn new() -> Self {
        Self {
            all: Arc::new(Semaphore::new(MAX_LOOKUPS)),
            background: Arc::new(Semaphore::new(MAX_BACKGROUND_LOOKUPS)),
            waiting: AtomicUsize::new(0),
            ranks: Mutex::default(),
        }
    }

    fn ranks(&self) -> MutexGuard<'_, [bool; MAX_LOOKUPS]> {
        // A panic can leave nothing half-done in it.
        self.ranks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn of background work, in the order of arrival; `None` where too many wait, or for too long.
    async fn background_turn(&self) -> Option<(OwnedSemaphorePermit, OwnedSemaphorePermit)> {
        if let Ok(background) = Arc::clone(&self.background).try_acquire_owned()
            && let Ok(all) = Arc::clone(&self.all).try_acquire_owned()
        {
            return Some((background, all));
        }
        let _waiting = Waiting::new(&self.waiting)?;
        let turn = async {
            let background = Arc::clone(&self.background).acquire_owned().await.ok()?;
            let all = Arc::clone(&self.all).acquire_owned().await.ok()?;
            Some((background, all))
        };
        tokio::time::timeout(BACKGROUND_PATIENCE, turn).await.ok().flatten()
    }
}

impl Rank {
    /// `None` where all ranks are taken, which a permit of the organization rules out.
    fn lowest(share: &Arc<Share>) -> Option<Self> {
        let mut ranks = share.ranks();
        let rank = ranks.iter().position(|taken| !taken)?;
        ranks[rank] = true;
        drop(ranks);
        Some(Self { share: Arc::clone(share), rank })
    }
}

impl Drop for Rank {
    fn drop(&mut self) {
        self.share.ranks()[self.rank] = false;
    }
}

/// One of those who wait, for as long as it lives.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(waiting: &'a AtomicUsize) -> Option<Self> {
        let one_more = |waiting: usize| (waiting < MAX_WAITING).then_some(waiting + 1);
        waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).ok().map(|_| Self(waiting))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut organizations = self.lookups.locked();
        let Some(kept) = organizations.get_mut(&self.organization) else { return };
        kept.users -= 1;
        if kept.users == 0 {
            organizations.remove(&self.organization);
        }
    }
}

impl Counted {
    fn new() -> Self {
        gauge!(IN_PROGRESS).increment(1.0);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        gauge!(IN_PROGRESS).decrement(1.0);
    }
}

impl LookupRefusal {
    fn limit(self) -> &'static str {
        match self {
            Self::Organization => "organization",
            Self::Process => "process",
        }
    }
}

#[cfg(test)]
mod tests;
