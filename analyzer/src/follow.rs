//! Follows what decides about findings, and puts it in force: the rules everybody has, replaced when the operator
//! says so, and what organizations added, found by asking once a second. How partitions adopt it is theirs.

mod unusable;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use common::clock::SharedClock;
use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use directory::{Directory, DirectoryError, OwnDetection};
use sigma::Layer;
use tokio::sync::{mpsc, watch};

use self::unusable::Unusable;
use crate::catalogue::{Catalogue, OwnRules};
use crate::documents::Documents;
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
    unusable: Unusable,
    next: Catalogue,
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
    /// Reads and compiles everything once.
    ///
    /// # Errors
    /// What the directory says when it cannot be read: starting without an organization's rules would miss
    /// attacks without a word.
    pub async fn begin(
        everybodys: Everybodys,
        directory: Arc<Directory>,
        clock: SharedClock,
    ) -> Result<Self, DirectoryError> {
        let loader = Arc::new(FromDirectory::new(&everybodys, &directory));
        let next = catalogue_of(&everybodys).unloading(loader, MOST_LOADED_BYTES);
        let in_force = watch::Sender::new(Arc::new(next.clone()));
        let (held, unusable) = (BTreeMap::new(), Unusable::new());
        let mut follower = Self { everybodys, directory, clock, held, unusable, next, in_force };
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
        self.everybodys = everybodys;
        self.held.clear();
    }

    /// Looks for changes once, and puts what it finds in force together.
    async fn look(&mut self) -> Result<(), DirectoryError> {
        self.next.turn();
        let announced = self.directory.own_detection_versions().await?;
        let now = self.clock.now();
        let (mut changes, mut unread) = (Vec::new(), None);
        for (organization, version) in announced {
            let held = self.held.get(&organization).copied().unwrap_or_default();
            let expired = held.next_expiry.is_some_and(|at| at <= now);
            if held.version >= version && !expired {
                continue;
            }
            let known = if expired { 0 } else { held.version };
            // What is wrong with one organization's rows keeps no other's rules from coming into force.
            match self.directory.own_detection_after(organization, known).await {
                Ok(Some(own)) => changes.extend(self.compile(own, now).await),
                Ok(None) => {}
                Err(error) => unread = Some((organization, error)),
            }
        }
        if !changes.is_empty() {
            self.next = self.next.clone().with_own(changes);
        }
        let version = self.next.version();
        if self.in_force.borrow().version() != version {
            tracing::info!(version, organizations = self.next.organizations(), "rules in force");
            self.in_force.send_replace(Arc::new(self.next.clone()));
        }
        self.unusable.note(&self.directory).await;
        let Some((organization, error)) = unread else { return Ok(()) };
        tracing::error!(%organization, %error, "rules of an organization cannot be read");
        Err(error)
    }

    /// What an organization added, compiled; `None` when the compiler broke and the earlier rules stay.
    async fn compile(
        &mut self,
        own: OwnDetection,
        now: Timestamp,
    ) -> Option<(OrganizationId, Option<OwnRules>)> {
        let organization = own.organization;
        let ends = own.suppressions.iter().filter_map(|suppression| suppression.expires_at);
        let held = Held { version: own.version, next_expiry: ends.filter(|end| *end > now).min() };
        self.held.insert(organization, held);
        if !has_anything_in_force(&own, now) {
            self.unusable.found(organization, &[]);
            return Some((organization, None));
        }
        let documents = Arc::clone(&self.everybodys.documents);
        // Processor time: not on the threads that answer requests.
        let compiled = tokio::task::spawn_blocking(move || documents.compile(&own, now)).await;
        let (layer, refusals) = match compiled {
            Ok(compiled) => compiled,
            Err(error) => {
                tracing::error!(%organization, %error, "rules broke the compiler; the earlier ones stay");
                return None;
            }
        };
        self.unusable.found(organization, &refusals);
        Some((organization, Some(OwnRules { layer, at: now })))
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
