//! Follows what decides about findings, and puts it in force: the rules everybody has, replaced when the operator
//! says so, and what organizations added, found by asking once a second. How partitions adopt it is theirs.

mod retries;
mod unusable;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use common::clock::SharedClock;
use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use directory::{Directory, DirectoryError, OwnDetection};
use sigma::{Layer, Refusal};
use tokio::sync::{mpsc, watch};

use self::retries::Retries;
use self::unusable::Unusable;
use crate::catalogue::{Catalogue, OwnRules};
use crate::documents::Documents;
use crate::failing::Cause;
use crate::residence::{LoadError, Loader, MOST_LOADED_BYTES};

/// How often changes are looked for: one small read, and a rule is in force within seconds.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The rules everybody has.
#[derive(Clone, Debug)]
pub struct Everybodys {
    /// The rules, and what organizations' own documents are compiled with beside them.
    pub documents: Arc<Documents>,
    /// Environments in which severities are one step milder.
    pub milder_environments: BTreeSet<String>,
}

/// Keeps the catalogue of a process up to date.
pub struct Follower {
    everybodys: Everybodys,
    directory: Arc<Directory>,
    clock: SharedClock,
    held: BTreeMap<OrganizationId, Held>,
    retries: Retries,
    unusable: Unusable,
    next: Catalogue,
    /// Whether rules can be loaded again that could not in the catalogue in force, which may have the same version.
    renewed: bool,
    in_force: watch::Sender<Arc<Catalogue>>,
}

/// What is known of an organization's own detection.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    version: u64,
    /// When the next of its suppressions ends.
    next_expiry: Option<Timestamp>,
}

impl Follower {
    /// Reads and compiles everything once. Rules of an organization that are damaged keep nobody waiting: they are noted,
    /// and read again.
    ///
    /// # Errors
    /// What the directory says when the store does not answer: starting without an organization's rules would miss
    /// attacks without a word.
    pub async fn begin(
        everybodys: Everybodys,
        directory: Arc<Directory>,
        clock: SharedClock,
    ) -> Result<Self, DirectoryError> {
        let loader = Arc::new(FromDirectory::new(&everybodys, &directory));
        let next = catalogue_of(&everybodys).unloading(loader, MOST_LOADED_BYTES);
        let in_force = watch::Sender::new(Arc::new(next.clone()));
        next.failing().measure();
        let (held, retries, unusable) = (BTreeMap::new(), Retries::default(), Unusable::new());
        let renewed = false;
        let mut follower =
            Self { everybodys, directory, clock, held, retries, unusable, next, renewed, in_force };
        follower.look().await?;
        Ok(follower)
    }

    /// The catalogue in force, whenever it changes.
    #[must_use]
    pub fn in_force(&self) -> watch::Receiver<Arc<Catalogue>> {
        self.in_force.subscribe()
    }

    /// Follows changes until `stop`: those in the directory, and other rules for everybody. While the directory
    /// cannot be read, what was in force stays.
    pub async fn run(mut self, mut replaced: mpsc::Receiver<Everybodys>, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        let mut readable = true;
        loop {
            tokio::select! {
                () = &mut stop => return,
                Some(everybodys) = replaced.recv() => self.replace(everybodys),
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            let looked = tokio::select! {
                () = &mut stop => return,
                looked = self.look() => looked,
            };
            match looked {
                Ok(()) => readable = true,
                Err(error) if readable => {
                    readable = false;
                    tracing::warn!(%error, "changes of rules cannot be read; what was in force stays");
                }
                Err(_) => {}
            }
        }
    }

    /// Other rules for everybody: in force once those of organizations are compiled anew. Where everybody's are the
    /// same, nothing is.
    fn replace(&mut self, everybodys: Everybodys) {
        let later = catalogue_of(&everybodys);
        if later.everybodys().version() == self.next.everybodys().version() {
            self.next = self.next.clone().with_milder(everybodys.milder_environments);
            return;
        }
        let loader = Arc::new(FromDirectory::new(&everybodys, &self.directory));
        self.next = self.next.succeeded_by(later, loader);
        // They are read at the next look, and unknown if they cannot be.
        for organization in self.next.failing().causes().into_keys() {
            self.next = self.next.clone().with_unknown(organization);
        }
        self.everybodys = everybodys;
        self.held.clear();
        self.retries = Retries::default();
    }

    /// Looks for changes once, and puts what it finds in force together.
    async fn look(&mut self) -> Result<(), DirectoryError> {
        self.next.turn();
        let announced = self.directory.own_detection_versions().await?;
        let (mut changes, mut unread) = (Vec::new(), Ok(()));
        for (organization, version) in announced {
            // What is wrong with one organization's rows keeps no other's rules from coming into force.
            match self.read(organization, version).await {
                Ok(Some(own)) => changes.extend(self.compile(own, version).await),
                Ok(None) => {}
                Err(error) => unread = unread.and(self.not_read(organization, version, error)),
            }
        }
        if !changes.is_empty() {
            self.next = self.next.clone().with_own(changes);
        }
        self.publish();
        self.unusable.note(&self.directory).await;
        unread
    }

    /// What an organization added, if it has changed since it was read, a suppression of it has ended, or it could not be
    /// loaded and is to be read again.
    async fn read(
        &self,
        organization: OrganizationId,
        version: u64,
    ) -> Result<Option<OwnDetection>, DirectoryError> {
        if !self.retries.is_due(organization, version, self.clock.monotonic()) {
            return Ok(None);
        }
        if self.next.failing().cause(organization).is_some() {
            return self.directory.own_detection(organization).await.map(Some);
        }
        let held = self.held.get(&organization).copied().unwrap_or_default();
        let expired = held.next_expiry.is_some_and(|at| at <= self.clock.now());
        if held.version >= version && !expired {
            return Ok(None);
        }
        let known = if expired { 0 } else { held.version };
        self.directory.own_detection_after(organization, known).await
    }

    /// Notes that an organization's rules were not read. What lies in its rows alone is no error: the rules that were
    /// compiled stay, or everybody's are applied where none were.
    fn not_read(
        &mut self,
        organization: OrganizationId,
        version: u64,
        error: DirectoryError,
    ) -> Result<(), DirectoryError> {
        tracing::debug!(%organization, %error, "rules of an organization were not read");
        let Some(cause) = Cause::of_organization(&error) else {
            self.next = self.next.clone().with_unknown(organization);
            return Err(error);
        };
        self.retries.failed(organization, version, self.clock.monotonic());
        self.fail(organization, cause);
        Ok(())
    }

    /// An organization's rules cannot be loaded.
    fn fail(&mut self, organization: OrganizationId, cause: Cause) {
        self.next.failing().begin(organization, cause);
        self.next = self.next.clone().with_unknown(organization);
        self.unusable.unreadable(organization, cause);
    }

    fn publish(&mut self) {
        let version = self.next.version();
        let is_other = self.in_force.borrow().version() != version;
        if is_other {
            tracing::info!(version, organizations = self.next.organizations(), "rules in force");
        }
        let renewed = std::mem::take(&mut self.renewed);
        if is_other || renewed {
            self.in_force.send_replace(Arc::new(self.next.clone()));
        }
    }

    /// What an organization added, compiled; `None` when the compiler broke and the earlier rules stay.
    async fn compile(
        &mut self,
        own: OwnDetection,
        announced: u64,
    ) -> Option<(OrganizationId, Option<OwnRules>)> {
        let (organization, now) = (own.organization, self.clock.now());
        let ends = own.suppressions.iter().filter_map(|suppression| suppression.expires_at);
        let held = Held { version: own.version, next_expiry: ends.filter(|end| *end > now).min() };
        self.held.insert(organization, held);
        if !has_anything_in_force(&own, now) {
            self.compiled(organization, &[]);
            return Some((organization, None));
        }
        let documents = Arc::clone(&self.everybodys.documents);
        // Processor time: not on the threads that answer requests.
        let compiled = tokio::task::spawn_blocking(move || documents.compile(&own, now)).await;
        let (layer, refusals) = match compiled {
            Ok(compiled) => compiled,
            Err(error) => {
                tracing::debug!(%organization, %error, "rules broke the compiler");
                self.retries.failed(organization, announced, self.clock.monotonic());
                self.fail(organization, Cause::Broken);
                return None;
            }
        };
        self.compiled(organization, &refusals);
        Some((organization, Some(OwnRules { layer, at: now })))
    }

    /// An organization's rules are compiled, but for those that were refused.
    fn compiled(&mut self, organization: OrganizationId, refusals: &[Refusal]) {
        self.retries.end(organization);
        self.renewed |= self.next.failing().end(organization);
        self.unusable.found(organization, refusals);
    }
}

/// Compiles rules of organizations again from what the directory has.
struct FromDirectory {
    documents: Arc<Documents>,
    directory: Arc<Directory>,
}

impl FromDirectory {
    fn new(everybodys: &Everybodys, directory: &Arc<Directory>) -> Self {
        Self { documents: Arc::clone(&everybodys.documents), directory: Arc::clone(directory) }
    }
}

impl std::fmt::Debug for FromDirectory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FromDirectory").finish_non_exhaustive()
    }
}

#[async_trait]
impl Loader for FromDirectory {
    async fn load(&self, organization: OrganizationId, at: Timestamp) -> Result<Layer, LoadError> {
        let own = self.directory.own_detection(organization).await;
        let own = own.map_err(|source| LoadError::Unread { organization, source })?;
        let documents = Arc::clone(&self.documents);
        let compiled = tokio::task::spawn_blocking(move || documents.compile(&own, at).0).await;
        compiled.map_err(|_| LoadError::Broken(organization))
    }
}

fn catalogue_of(everybodys: &Everybodys) -> Catalogue {
    Catalogue::new(Arc::clone(everybodys.documents.everybodys()), everybodys.milder_environments.clone())
}

fn has_anything_in_force(own: &OwnDetection, now: Timestamp) -> bool {
    own.rules.iter().any(|rule| rule.enabled)
        || own.suppressions.iter().any(|suppression| suppression.is_in_force(now))
}

#[cfg(test)]
mod tests;
