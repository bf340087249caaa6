//! Memory and documents of requests under way, bounded over all requests and for each organization: many large PDFs at once must
//! not exhaust the process, and those of one organization must not keep others waiting.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use common::ids::OrganizationId;
use rest::error::ApiError;
use thiserror::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Memory of all requests under way.
const BYTES: usize = 512 * 1024 * 1024;
/// Memory of the requests of one organization: one of the largest body, two analyses of the largest text, or thousands of small
/// requests.
const BYTES_OF_ORGANIZATION: usize = BYTES / 4;
/// Documents of one organization that are read at once, half of those of all.
const DOCUMENTS_OF_ORGANIZATION: usize = 1;
/// Texts whose bodies have been read and that wait for the memory of their analysis. More of them than this would not get it
/// within [`PATIENCE`].
const WAITING: usize = 64 * 1024 * 1024;
/// Waiting texts of one organization: the largest ones of a request, and small ones beside them.
const WAITING_OF_ORGANIZATION: usize = WAITING / 4;
/// Memory of a body, for each of its bytes: the body, its texts, and the file decoded from it.
const BODY: usize = 3;
/// Memory of an analysis, for each byte of its texts: views, words and places. Measured: 70 MiB for 1 MiB of ordinary words.
const ANALYSIS: usize = 64;
/// Memory of a written page beside its text: its objects, and they once more in base64 and in JSON.
const WRITTEN_PAGE: usize = 2 * 1024;
/// Memory of a written file beside its pages: the part of the font, compressed and in base64, and the state of compression.
const WRITTEN_FILE: usize = 2 * 1024 * 1024;
/// Unit in which memory is counted, since a semaphore counts to 2^29 and a permit to 2^32.
const UNIT: usize = 1024;
/// Time limit of the wait; a client is better served by another process than by a longer wait.
const PATIENCE: Duration = Duration::from_secs(2);
/// Organizations above which shares without requests are removed.
const SWEEP: usize = 1024;

/// The bounds.
pub(crate) struct Room {
    memory: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    shares: Mutex<HashMap<OrganizationId, Weak<Share>>>,
}

/// Part of one organization.
struct Share {
    memory: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    documents: Arc<Semaphore>,
}

/// Text that is analysed, and written as PDF.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Analysed {
    pub(crate) bytes: usize,
    /// Memory of the request while it waits: its texts, their names, and the places of their hidden parts.
    pub(crate) kept: usize,
    /// 0 without a PDF.
    pub(crate) written_pages: usize,
}

impl Analysed {
    /// Memory of the analysis and of its result. The analysis has ended when its text is written, so that the text of pages and
    /// of JSON, less than 16 bytes for each byte, is part of its memory.
    fn memory(self) -> usize {
        let file = if self.written_pages == 0 { 0 } else { WRITTEN_FILE };
        let pages = self.written_pages.saturating_mul(WRITTEN_PAGE);
        self.bytes.saturating_mul(ANALYSIS).saturating_add(pages).saturating_add(file)
    }
}

/// Part of one request, until it is dropped.
pub(crate) struct Held {
    #[expect(dead_code, reason = "held until dropped")]
    share: Arc<Share>,
    permits: Vec<OwnedSemaphorePermit>,
}

/// Nothing became free in time.
#[derive(Debug, Error)]
#[error("expected room for a request within {PATIENCE:?}, found none")]
struct NoRoom;

impl Room {
    pub(crate) fn new() -> Self {
        Self {
            memory: Arc::new(Semaphore::new(BYTES / UNIT)),
            waiting: Arc::new(Semaphore::new(WAITING / UNIT)),
            shares: Mutex::default(),
        }
    }

    /// Holds memory for a body of this size.
    pub(crate) async fn body(&self, organization: OrganizationId, bytes: usize) -> Result<Held, ApiError> {
        self.hold(organization, bytes.saturating_mul(BODY)).await
    }

    /// Holds memory for the analysis of texts of this size together. Texts that need more than an organization may have run
    /// alone in its share.
    pub(crate) async fn analysis(
        &self,
        organization: OrganizationId,
        text: Analysed,
    ) -> Result<Held, ApiError> {
        let share = self.share(organization);
        let waiting = units(text.kept, WAITING_OF_ORGANIZATION);
        // Refused at once: a wait in order to wait has no bound.
        let _own = share.waiting.try_acquire_many(waiting).map_err(|_| ApiError::unavailable(NoRoom))?;
        let _of_all = self.waiting.try_acquire_many(waiting).map_err(|_| ApiError::unavailable(NoRoom))?;
        self.hold(organization, text.memory()).await
    }

    /// Waits for the turn of a document of the organization.
    pub(crate) async fn document(&self, organization: OrganizationId) -> Result<Held, ApiError> {
        let share = self.share(organization);
        let permits = vec![acquire(&share.documents, 1).await?];
        Ok(Held { share, permits })
    }

    async fn hold(&self, organization: OrganizationId, bytes: usize) -> Result<Held, ApiError> {
        let units = units(bytes, BYTES_OF_ORGANIZATION);
        let share = self.share(organization);
        // The own share first: a request that waits for it takes nothing from others.
        let own = acquire(&share.memory, units).await?;
        let of_all = acquire(&self.memory, units).await?;
        Ok(Held { share, permits: vec![own, of_all] })
    }

    fn share(&self, organization: OrganizationId) -> Arc<Share> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = shares.get(&organization).and_then(Weak::upgrade) {
            return share;
        }
        if shares.len() >= SWEEP {
            shares.retain(|_, share| share.strong_count() > 0);
        }
        let share = Arc::new(Share {
            memory: Arc::new(Semaphore::new(BYTES_OF_ORGANIZATION / UNIT)),
            waiting: Arc::new(Semaphore::new(WAITING_OF_ORGANIZATION / UNIT)),
            documents: Arc::new(Semaphore::new(DOCUMENTS_OF_ORGANIZATION)),
        });
        shares.insert(organization, Arc::downgrade(&share));
        share
    }
}

impl Held {
    /// Frees all but the memory of a result.
    pub(crate) fn keep(mut self, bytes: usize) -> Self {
        for permit in &mut self.permits {
            drop(permit.split(permit.num_permits().saturating_sub(bytes.div_ceil(UNIT))));
        }
        self
    }
}

/// Number of permits for `bytes`, at most all permits of a semaphore of `most` bytes.
fn units(bytes: usize, most: usize) -> u32 {
    u32::try_from(bytes.min(most).div_ceil(UNIT)).unwrap_or(u32::MAX)
}

async fn acquire(semaphore: &Arc<Semaphore>, permits: u32) -> Result<OwnedSemaphorePermit, ApiError> {
    match tokio::time::timeout(PATIENCE, Arc::clone(semaphore).acquire_many_owned(permits)).await {
        Ok(Ok(permit)) => Ok(permit),
        Ok(Err(_)) | Err(_) => Err(ApiError::unavailable(NoRoom)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: OrganizationId = OrganizationId(uuid::Uuid::from_u128(1));
    const OTHER: OrganizationId = OrganizationId(uuid::Uuid::from_u128(2));
    const LARGEST: usize = 36 * 1024 * 1024;

    #[tokio::test(start_paused = true)]
    async fn an_organization_exhausts_only_its_own_share() {
        let room = Room::new();
        let held = room.body(ONE, LARGEST).await.unwrap();
        assert!(matches!(room.body(ONE, LARGEST).await, Err(ApiError::Unavailable(_))));
        let _others = room.body(OTHER, LARGEST).await.unwrap();
        drop(held);
        let _again = room.body(ONE, LARGEST).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn all_organizations_together_are_bounded() {
        let room = Room::new();
        let mut held = Vec::new();
        for number in 0..4 {
            held.push(room.analysis(organization(number), text(usize::MAX)).await.unwrap());
        }
        let fifth = organization(5);
        assert!(matches!(room.body(fifth, 1).await, Err(ApiError::Unavailable(_))));
        held.pop();
        let _fits = room.body(fifth, 1).await.unwrap();
    }

    fn organization(number: u128) -> OrganizationId {
        OrganizationId(uuid::Uuid::from_u128(number))
    }

    fn text(bytes: usize) -> Analysed {
        Analysed { bytes, kept: bytes, written_pages: 0 }
    }

    #[tokio::test(start_paused = true)]
    async fn texts_that_wait_are_bounded_and_refused_at_once() {
        let room = Room::new();
        let _held = room.analysis(ONE, text(usize::MAX)).await.unwrap();
        let started = tokio::time::Instant::now();
        let waits = room.analysis(ONE, text(WAITING_OF_ORGANIZATION));
        let refused = async {
            assert!(room.analysis(ONE, text(1)).await.is_err(), "no room is left to wait in");
            assert_eq!(started.elapsed(), Duration::ZERO);
        };
        let (waited, ()) = tokio::join!(biased; waits, refused);
        assert!(waited.is_err(), "the memory did not become free");
        assert_eq!(started.elapsed(), PATIENCE);
    }

    #[tokio::test(start_paused = true)]
    async fn texts_of_all_organizations_that_wait_are_bounded_and_refused_at_once() {
        let room = Room::new();
        let mut held = Vec::new();
        for number in 0..4 {
            held.push(room.analysis(organization(number), text(usize::MAX)).await.unwrap());
        }
        let started = tokio::time::Instant::now();
        // Each within the bound of its organization, together the bound of all.
        let wait = |number| room.analysis(organization(number), text(WAITING_OF_ORGANIZATION));
        let refused = async {
            assert!(room.analysis(organization(8), text(1)).await.is_err(), "no room is left to wait in");
            assert_eq!(started.elapsed(), Duration::ZERO);
        };
        let (one, two, three, four, ()) = tokio::join!(biased; wait(4), wait(5), wait(6), wait(7), refused);
        assert!([one, two, three, four].iter().all(Result::is_err), "the memory did not become free");
        assert_eq!(started.elapsed(), PATIENCE, "the others waited");
        let waits_again = room.analysis(organization(8), text(1));
        let freed = async { drop(held) };
        let (waited, ()) = tokio::join!(biased; waits_again, freed);
        assert!(waited.is_ok(), "texts that no longer wait are not counted");
    }

    #[tokio::test(start_paused = true)]
    async fn everything_that_is_kept_of_a_waiting_text_is_counted() {
        let room = Room::new();
        let _held = room.analysis(ONE, text(usize::MAX)).await.unwrap();
        let small_with_many_places = Analysed { bytes: 1, kept: WAITING_OF_ORGANIZATION, written_pages: 0 };
        let started = tokio::time::Instant::now();
        let refused = async {
            assert!(room.analysis(ONE, text(1)).await.is_err());
            assert_eq!(started.elapsed(), Duration::ZERO);
        };
        let (waited, ()) = tokio::join!(biased; room.analysis(ONE, small_with_many_places), refused);
        assert!(waited.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_result_keeps_its_memory_until_it_is_sent() {
        let room = Room::new();
        let largest = Analysed { bytes: 1 << 20, kept: 1 << 20, written_pages: usize::MAX };
        let held = room.analysis(ONE, largest).await.unwrap();
        assert!(matches!(room.analysis(ONE, text(1)).await, Err(ApiError::Unavailable(_))));
        let kept = held.keep(BYTES_OF_ORGANIZATION / 2);
        assert!(matches!(room.analysis(ONE, text(BYTES)).await, Err(ApiError::Unavailable(_))));
        let half = text(BYTES_OF_ORGANIZATION / 2 / ANALYSIS);
        drop(room.analysis(ONE, half).await.unwrap());
        drop(kept);
        assert!(room.analysis(ONE, text(BYTES)).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn documents_of_an_organization_take_turns_and_idle_shares_are_removed() {
        let room = Room::new();
        let first = room.document(ONE).await.unwrap();
        assert!(matches!(room.document(ONE).await, Err(ApiError::Unavailable(_))));
        let _others = room.document(OTHER).await.unwrap();
        drop(first);
        for number in 0..3 * SWEEP as u128 {
            drop(room.document(OrganizationId(uuid::Uuid::from_u128(100 + number))).await.unwrap());
        }
        assert!(room.shares.lock().unwrap().len() <= SWEEP);
        assert!(room.document(ONE).await.is_ok());
    }
}
