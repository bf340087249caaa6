//! Follows the inputs of detection, and puts them in force: the shared rules, replaced by the operator, and the documents of
//! organizations, found by polling once a second. Partitions adopt them themselves.

mod from_directory;
mod retries;
mod unusable;
mod waiting;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use common::clock::SharedClock;
use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use directory::{Directory, DirectoryError, OwnDetection};
use sigma::Refusal;
use tokio::sync::{mpsc, watch};

use self::from_directory::FromDirectory;
use self::retries::Retries;
use self::unusable::Unusable;
use self::waiting::{PendingCompilation, Waiting};
use crate::catalogue::{Catalogue, OwnRules};
use crate::documents::Documents;
use crate::failing::Cause;
use crate::residence::MOST_LOADED_BYTES;

/// Interval between polls for changes: one small read, and a rule is in force within seconds.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Rules shared by all organizations.
#[derive(Clone, Debug)]
pub struct SharedRules {
    /// The rules, and the options of compiling organizations' own documents beside them.
    pub documents: Arc<Documents>,
    /// Environments in which severities are one step milder.
    pub milder_environments: BTreeSet<String>,
}

/// Keeps the catalogue of a process up to date.
pub struct Follower {
    shared_rules: SharedRules,
    directory: Arc<Directory>,
    clock: SharedClock,
    held: BTreeMap<OrganizationId, KnownVersion>,
    retries: Retries,
    waiting: Waiting,
    /// Whether the rules of all organizations were compiled together with the shared rules.
    is_complete: bool,
    unusable: Unusable,
    next: Catalogue,
    /// Whether rules can be loaded again that could not in the catalogue in force, which may have the same version.
    renewed: bool,
    in_force: watch::Sender<Arc<Catalogue>>,
}

/// The version of an organization's own detection that was read.
#[derive(Clone, Copy, Debug, Default)]
struct KnownVersion {
    version: u64,
    /// When the next of its suppressions ends.
    next_expiry: Option<Timestamp>,
}

impl Follower {
    /// Reads and compiles everything once. Damaged rules of an organization delay no other: they are recorded, and read again.
    ///
    /// # Errors
    /// The error of the directory when the store does not answer: starting without an organization's rules would miss attacks
    /// without notice.
    pub async fn begin(
        shared_rules: SharedRules,
        directory: Arc<Directory>,
        clock: SharedClock,
    ) -> Result<Self, DirectoryError> {
        let loader = Arc::new(FromDirectory::new(&shared_rules, &directory));
        let next = catalogue_of(&shared_rules).unloading(loader, MOST_LOADED_BYTES);
        let in_force = watch::Sender::new(Arc::new(next.clone()));
        next.failing().measure();
        let (held, retries, unusable) = (BTreeMap::new(), Retries::default(), Unusable::new());
        let mut follower = Self {
            shared_rules,
            directory,
            clock,
            held,
            retries,
            waiting: Waiting::default(),
            is_complete: false,
            unusable,
            next,
            renewed: false,
            in_force,
        };
        follower.look().await?;
        Ok(follower)
    }

    /// The catalogue in force, whenever it changes.
    #[must_use]
    pub fn in_force(&self) -> watch::Receiver<Arc<Catalogue>> {
        self.in_force.subscribe()
    }

    /// Follows changes until `stop`: those in the directory, and other shared rules. While the directory cannot be read, the
    /// rules in force stay.
    pub async fn run(mut self, mut replaced: mpsc::Receiver<SharedRules>, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        let mut readable = true;
        loop {
            let pause = if self.waiting.is_empty() { LOOK_EVERY } else { Duration::ZERO };
            tokio::select! {
                () = &mut stop => return,
                Some(shared_rules) = replaced.recv() => self.replace(shared_rules),
                () = tokio::time::sleep(pause) => {}
            }
            let looked = tokio::select! {
                () = &mut stop => return,
                looked = self.look() => looked,
            };
            match looked {
                Ok(()) => readable = true,
                Err(error) if readable => {
                    readable = false;
                    tracing::warn!(%error, "rule changes cannot be read; the rules in force are kept");
                }
                Err(_) => {}
            }
        }
    }

    /// Other shared rules: in force once those of organizations are compiled again. If the shared rules are the same, nothing
    /// is.
    fn replace(&mut self, shared_rules: SharedRules) {
        let later = catalogue_of(&shared_rules);
        if later.shared_rules().version() == self.next.shared_rules().version() {
            self.next = self.next.clone().with_milder(shared_rules.milder_environments);
            return;
        }
        let loader = Arc::new(FromDirectory::new(&shared_rules, &self.directory));
        self.next = self.next.succeeded_by(later, loader);
        // They are read at the next look, and unknown if they cannot be.
        for organization in self.next.failing().causes().into_keys() {
            self.next = self.next.clone().with_unknown(organization);
        }
        self.shared_rules = shared_rules;
        self.held.clear();
        self.retries = Retries::default();
        self.waiting = Waiting::default();
        self.is_complete = false;
    }

    /// Looks for changes once, and puts them in force together. Where many have changed, the rest is found by the next look,
    /// but for the first one and the shared ones: half of that is never in force.
    async fn look(&mut self) -> Result<(), DirectoryError> {
        if self.waiting.is_empty() {
            self.next.turn();
        }
        let announced = self.directory.own_detection_versions().await?;
        let (mut all, mut unread) = (Vec::new(), None);
        for (organization, version) in announced {
            // A fault in one organization's rows keeps no other's rules from coming into force.
            match self.changed(organization, version).await {
                Ok(work) => all.extend(work),
                Err(error) => unread = self.not_read(organization, version, error).or(unread),
            }
        }
        let chosen = if self.is_complete { self.waiting.choose(all) } else { all };
        let mut changes = Vec::new();
        for PendingCompilation { organization, version, .. } in chosen {
            match self.directory.own_detection(organization).await {
                Ok(own) => changes.extend(self.compile(own, version).await),
                Err(error) => unread = self.not_read(organization, version, error).or(unread),
            }
        }
        if !changes.is_empty() {
            self.next = self.next.clone().with_own(changes);
        }
        self.is_complete = true;
        self.publish();
        self.unusable.note(&self.directory).await;
        unread.map_or(Ok(()), Err)
    }

    /// The documents of an organization to compile, if its rules have changed since, a suppression of it has ended, or they
    /// could not be loaded and are to be read again.
    async fn changed(
        &self,
        organization: OrganizationId,
        announced: u64,
    ) -> Result<Option<PendingCompilation>, DirectoryError> {
        if !self.retries.is_due(organization, announced, self.clock.monotonic()) {
            return Ok(None);
        }
        let held = self.held.get(&organization).copied().unwrap_or_default();
        let is_expired = held.next_expiry.is_some_and(|at| at <= self.clock.now());
        let is_again = is_expired || self.next.failing().cause(organization).is_some();
        if held.version >= announced && !is_again {
            return Ok(None);
        }
        let (version, yaml_bytes) = self.directory.own_detection_size(organization).await?;
        let work = PendingCompilation { organization, version: announced, yaml_bytes };
        Ok((is_again || version > held.version).then_some(work))
    }

    /// Records that an organization's rules were not read: the compiled rules stay, or the shared rules are applied where there
    /// were none. Returns the error unless it is in the organization's rows alone.
    fn not_read(
        &mut self,
        organization: OrganizationId,
        version: u64,
        error: DirectoryError,
    ) -> Option<DirectoryError> {
        tracing::debug!(%organization, %error, "rules of an organization were not read");
        let Some(cause) = Cause::of_organization(&error) else {
            self.next = self.next.clone().with_unknown(organization);
            return Some(error);
        };
        self.retries.failed(organization, version, self.clock.monotonic());
        self.fail(organization, cause);
        None
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

    /// An organization's documents, compiled; `None` when the compiler broke and the earlier rules stay.
    async fn compile(
        &mut self,
        own: OwnDetection,
        announced: u64,
    ) -> Option<(OrganizationId, Option<OwnRules>)> {
        let (organization, now) = (own.organization, self.clock.now());
        let ends = own.suppressions.iter().filter_map(|suppression| suppression.expires_at);
        let held = KnownVersion { version: own.version, next_expiry: ends.filter(|end| *end > now).min() };
        self.held.insert(organization, held);
        if !has_anything_in_force(&own, now) {
            self.compiled(organization, &[]);
            return Some((organization, None));
        }
        let documents = Arc::clone(&self.shared_rules.documents);
        // Processor time: not on the threads that answer requests.
        let compiled = tokio::task::spawn_blocking(move || documents.compile(&own, now)).await;
        let (layer, refusals) = match compiled {
            Ok(compiled) => compiled,
            Err(error) => {
                tracing::debug!(%organization, %error, "compiling rules of an organization panicked");
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

fn catalogue_of(shared_rules: &SharedRules) -> Catalogue {
    Catalogue::new(
        Arc::clone(shared_rules.documents.shared_rules()),
        shared_rules.milder_environments.clone(),
    )
}

fn has_anything_in_force(own: &OwnDetection, now: Timestamp) -> bool {
    own.rules.iter().any(|rule| rule.enabled)
        || own.suppressions.iter().any(|suppression| suppression.is_in_force(now))
}

#[cfg(test)]
mod tests;
