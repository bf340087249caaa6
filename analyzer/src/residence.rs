//! Compiled rules of organizations in memory. They are compiled again when records of the organization need them, and unloaded
//! when none has for some minutes, or when others need the room. Findings never depend on it: the same rules are loaded again,
//! or an error is returned.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use async_trait::async_trait;
use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use sigma::Layer;
use thiserror::Error;

use crate::failing::{Cause, Failing};

/// Bytes of compiled rules in memory, of all organizations together, by estimate: of 32 organizations that have all they
/// may, or of thousands with a few rules each. More are loaded only while they are used.
pub(crate) const MOST_LOADED_BYTES: usize = 512 << 20;
/// Turns of the clock without use after which rules are unloaded: minutes, where it turns every second.
const IDLE_TURNS: u64 = 600;

/// Reads and compiles rules of an organization that were unloaded.
#[async_trait]
pub trait Loader: Send + Sync + std::fmt::Debug {
    /// The documents that the organization has now, of suppressions those that were in force at a moment, beside the shared
    /// rules of the calling catalogue.
    ///
    /// # Errors
    /// [`LoadError::Unread`] and [`LoadError::Broken`].
    async fn load(&self, organization: OrganizationId, at: Timestamp) -> Result<Layer, LoadError>;
}

/// Reason why rules were not loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The organization has changed them since: a later catalogue has the new ones.
    #[error("the rules of organization {0} have changed since they were unloaded")]
    Changed(OrganizationId),
    /// They cannot be read.
    #[error("the rules of organization {organization} cannot be read")]
    Unread {
        /// The organization.
        organization: OrganizationId,
        /// The error of the directory.
        source: directory::DirectoryError,
    },
    /// The compiler panicked, which is an error in this program.
    #[error("compiling the rules of organization {0} panicked")]
    Broken(OrganizationId),
    /// They could not be loaded a moment ago; they are read again elsewhere.
    #[error("the rules of organization {0} are being reloaded")]
    Failing(OrganizationId),
}

impl LoadError {
    /// The organization of the rules.
    #[must_use]
    pub fn organization(&self) -> OrganizationId {
        match self {
            Self::Changed(organization) | Self::Broken(organization) | Self::Failing(organization) => {
                *organization
            }
            Self::Unread { organization, .. } => *organization,
        }
    }

    /// The cause; `None` where it was recorded before.
    pub(crate) fn cause(&self) -> Option<Cause> {
        match self {
            Self::Changed(_) => Some(Cause::Changing),
            Self::Unread { source, .. } => Some(Cause::of_organization(source).unwrap_or(Cause::Unreachable)),
            Self::Broken(_) => Some(Cause::Broken),
            Self::Failing(_) => None,
        }
    }
}

/// All compiled rules of organizations in a process.
#[derive(Debug)]
pub(crate) struct Residence {
    most_bytes: usize,
    turns: AtomicU64,
    loaded: Mutex<Vec<Weak<Resident>>>,
    /// Organizations whose rules cannot be loaded.
    failing: Failing,
}

/// The compiled rules of an organization, or the place where they were.
#[derive(Debug)]
pub(crate) struct Resident {
    bytes: usize,
    used_at: AtomicU64,
    layer: Mutex<Option<Arc<Layer>>>,
    /// Held while they are loaded, so that they are once, however many wait.
    loading: tokio::sync::Mutex<()>,
}

impl Residence {
    /// With room for `most_bytes` bytes.
    pub(crate) fn new(most_bytes: usize) -> Arc<Self> {
        let (loaded, failing) = (Mutex::default(), Failing::default());
        Arc::new(Self { most_bytes, turns: AtomicU64::new(0), loaded, failing })
    }

    /// Organizations whose rules cannot be loaded.
    pub(crate) fn failing(&self) -> &Failing {
        &self.failing
    }

    /// Takes in rules that were just compiled.
    pub(crate) fn take_in(&self, layer: Layer) -> Arc<Resident> {
        let resident = Resident::for_ever(layer);
        resident.used_at.store(self.turns.load(Ordering::Relaxed), Ordering::Relaxed);
        lock(&self.loaded).push(Arc::downgrade(&resident));
        self.make_room();
        resident
    }

    /// The rules, loaded if necessary. They stay while they are held.
    pub(crate) async fn get(
        &self,
        resident: &Arc<Resident>,
        load: impl Future<Output = Result<Layer, LoadError>>,
    ) -> Result<Arc<Layer>, LoadError> {
        resident.used_at.store(self.turns.load(Ordering::Relaxed), Ordering::Relaxed);
        if let Some(layer) = resident.loaded() {
            return Ok(layer);
        }
        let _loading = resident.loading.lock().await;
        if let Some(layer) = resident.loaded() {
            return Ok(layer);
        }
        let layer = Arc::new(load.await?);
        metrics::counter!("palisade_own_rules_loads_total").increment(1);
        *lock(&resident.layer) = Some(Arc::clone(&layer));
        lock(&self.loaded).push(Arc::downgrade(resident));
        self.make_room();
        Ok(layer)
    }

    /// The clock turns: rules that were not used for long are unloaded, and those beyond the room.
    pub(crate) fn turn(&self) {
        let now = self.turns.fetch_add(1, Ordering::Relaxed) + 1;
        for resident in self.residents() {
            if resident.used_at.load(Ordering::Relaxed) + IDLE_TURNS < now {
                resident.unload();
            }
        }
        self.make_room();
    }

    /// Unloads the least recently used, until the rest has room; but nothing that is in use.
    fn make_room(&self) {
        let mut residents = self.residents();
        let mut bytes: usize = residents.iter().map(|resident| resident.bytes).sum();
        if bytes > self.most_bytes {
            residents.sort_by_key(|resident| resident.used_at.load(Ordering::Relaxed));
        }
        for resident in residents {
            if bytes <= self.most_bytes {
                break;
            }
            bytes -= if resident.unload() { resident.bytes } else { 0 };
        }
        #[expect(clippy::cast_precision_loss, reason = "a figure to look at")]
        metrics::gauge!("palisade_own_rules_loaded_bytes").set(bytes as f64);
    }

    /// Those that are loaded.
    fn residents(&self) -> Vec<Arc<Resident>> {
        let mut loaded = lock(&self.loaded);
        let residents: Vec<Arc<Resident>> = loaded
            .iter()
            .filter_map(Weak::upgrade)
            .filter(|resident| lock(&resident.layer).is_some())
            .collect();
        *loaded = residents.iter().map(Arc::downgrade).collect();
        residents
    }
}

impl Resident {
    /// Rules that are never unloaded.
    pub(crate) fn for_ever(layer: Layer) -> Arc<Self> {
        Arc::new(Self {
            bytes: held_bytes(&layer),
            used_at: AtomicU64::new(0),
            layer: Mutex::new(Some(Arc::new(layer))),
            loading: tokio::sync::Mutex::default(),
        })
    }

    /// The rules, if they are loaded.
    pub(crate) fn loaded(&self) -> Option<Arc<Layer>> {
        lock(&self.layer).clone()
    }

    /// Unloads them unless they are held; returns whether it did.
    fn unload(&self) -> bool {
        lock(&self.layer).take_if(|layer| Arc::strong_count(layer) == 1).is_some()
    }
}

/// Bytes of compiled rules with the caches of threads for them, one for each processor.
fn held_bytes(layer: &Layer) -> usize {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    layer.compiled_bytes() + threads * layer.remembered_bytes()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
