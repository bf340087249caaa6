//! The supply of empty segments: the next one is made ready ahead of need, released ones are taken back, and space
//! is reserved on the disk, so that a full disk is detected here and never in the middle of a commit.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use thiserror::Error;
use tracing::warn;

use super::locked;
use super::segment::{BLOCK, Segment, align, segment_name, spare_name};
use super::stock::Stock;
use crate::disk::aligned::AlignedBuffer;
use crate::disk::{Disk, DiskFile};

/// Empty files kept for later: enough that usual filling and releasing creates and removes no
/// files, few enough that an idle log stays small.
const MAX_SPARES: usize = 2;
/// Zeros written by one call when a new file is filled.
const FILL_BYTES: usize = 1024 * 1024;

/// Reason why there is no segment to continue in.
#[derive(Debug, Error)]
pub(super) enum SupplyError {
    /// The disk is nearly full. The log was not changed.
    #[error("{available} bytes are free on the disk, {needed} are needed")]
    NoSpace { available: u64, needed: u64 },
    /// The disk failed.
    #[error(transparent)]
    Disk(#[from] io::Error),
}

/// Makes segments ready and takes them back. The owner of the log's files takes from it; a thread
/// of its own works ahead.
pub(super) struct Supply {
    pub(super) disk: Arc<dyn Disk>,
    identity: u64,
    segment_bytes: u64,
    stock: Mutex<Stock>,
    chores: Mutex<Chores>,
    changed: Condvar,
}

/// Pending background work. Locked only for a moment.
#[derive(Default)]
struct Chores {
    prepare: bool,
    /// At most as many as the log has segments.
    freed: Vec<Arc<Segment>>,
    stop: bool,
}

impl Supply {
    /// A supply of segments numbered from `next_sequence`; `spares` are files of the right size.
    pub(super) fn new(
        disk: Arc<dyn Disk>,
        identity: u64,
        segment_bytes: u64,
        next_sequence: u64,
        spares: VecDeque<u64>,
    ) -> Self {
        Self {
            disk,
            identity,
            segment_bytes,
            stock: Mutex::new(Stock::new(spares, next_sequence)),
            chores: Mutex::new(Chores::default()),
            changed: Condvar::new(),
        }
    }

    /// An empty segment with room for a frame of `frame_bytes` after its header. Waits for the one
    /// being prepared; makes one where there is none.
    pub(super) fn take(&self, frame_bytes: u64) -> Result<Segment, SupplyError> {
        let mut stock = locked(&self.stock);
        self.recycle(&mut stock)?;
        self.prepare(&mut stock)?;
        let length = align(BLOCK + frame_bytes);
        if let Some(short) = stock.ready.take_if(|ready| ready.length < length) {
            let (segment, extended) = self.extend(short, length, self.segment_bytes);
            stock.ready = Some(segment);
            stock.note(extended)?;
        }
        stock.ready.take().ok_or(SupplyError::NoSpace { available: 0, needed: length })
    }

    /// Like [`take`](Self::take), but where the disk has no room for a whole segment, one that is
    /// just large enough, with no room left beside it: so that a log on a full disk can be opened and drained.
    pub(super) fn take_smallest(&self, frame_bytes: u64) -> Result<Segment, SupplyError> {
        match self.take(frame_bytes) {
            Err(SupplyError::NoSpace { .. }) => {}
            other => return other,
        }
        let mut stock = locked(&self.stock);
        let length = align(BLOCK + frame_bytes);
        if let Some(short) = stock.ready.take() {
            let (segment, extended) = self.extend(short, length, 0);
            stock.note(extended)?;
            return Ok(segment);
        }
        let sequence = stock.next_sequence;
        stock.next_sequence += 1;
        Ok(self.make(sequence, length)?)
    }

    /// Asks for the next segment to be prepared in the background.
    pub(super) fn prepare_soon(&self) {
        locked(&self.chores).prepare = true;
        self.changed.notify_one();
    }

    /// Takes back unneeded segments, oldest first. Their files are renamed or removed in the
    /// background.
    pub(super) fn give_back(&self, freed: Vec<Arc<Segment>>) {
        if freed.is_empty() {
            return;
        }
        locked(&self.chores).freed.extend(freed);
        self.changed.notify_one();
    }

    /// Waits for something to do, at most this long; false once there never will be anything again.
    pub(super) fn wait(&self, longest: Duration) -> bool {
        let idle = |chores: &mut Chores| !chores.prepare && chores.freed.is_empty() && !chores.stop;
        let waited = self.changed.wait_timeout_while(locked(&self.chores), longest, idle);
        let (chores, _) = waited.unwrap_or_else(PoisonError::into_inner);
        !chores.stop || !chores.freed.is_empty()
    }

    /// Does the pending work. A failure is kept for the next call that takes a segment, where it matters.
    pub(super) fn work(&self) {
        let mut stock = locked(&self.stock);
        let prepare = std::mem::take(&mut locked(&self.chores).prepare);
        if self.recycle(&mut stock).is_ok() && prepare {
            // A full disk is detected again, and reported, by the append that needs the space.
            let _ = self.prepare(&mut stock);
        }
    }

    /// Ends [`wait`](Self::wait).
    pub(super) fn stop(&self) {
        locked(&self.chores).stop = true;
        self.changed.notify_all();
    }

    /// Renames or removes the returned segments. The directory is synced after each, oldest first,
    /// so that no crash leaves a gap in the middle of the log.
    fn recycle(&self, stock: &mut Stock) -> Result<(), SupplyError> {
        // Taken in any case: after a failure no one retries them.
        let freed = std::mem::take(&mut locked(&self.chores).freed);
        stock.check()?;
        for segment in freed {
            let keep = segment.length == self.segment_bytes && stock.spares.len() < MAX_SPARES;
            let result = self.retire(&segment.name(), segment.sequence, keep);
            stock.note(result)?;
            if keep {
                stock.spares.push_back(segment.sequence);
            }
        }
        Ok(())
    }

    /// Removes the empty files kept for later; returns whether there were any. They hold nothing: one that cannot be
    /// removed stays for the next time.
    pub(super) fn give_up_spares(&self) -> bool {
        let mut stock = locked(&self.stock);
        let before = stock.spares.len();
        stock.spares.retain(|spare| {
            let removed = self.disk.remove(&spare_name(*spare));
            removed.is_err_and(|error| error.kind() != io::ErrorKind::NotFound)
        });
        stock.spares.len() < before
    }

    fn retire(&self, name: &str, sequence: u64, keep: bool) -> io::Result<()> {
        if keep {
            self.disk.rename(name, &spare_name(sequence))?;
        } else {
            self.disk.remove(name)?;
        }
        self.disk.sync_directory()
    }

    fn prepare(&self, stock: &mut Stock) -> Result<(), SupplyError> {
        if stock.ready.is_some() {
            return Ok(());
        }
        let sequence = stock.next_sequence;
        let made = match stock.spares.pop_front() {
            Some(spare) => self.reuse(spare, sequence),
            None => self.check_room(stock, self.segment_bytes).and_then(|()| self.fill(sequence)),
        };
        stock.ready = Some(stock.note(made)?);
        stock.next_sequence += 1;
        Ok(())
    }

    fn reuse(&self, spare: u64, sequence: u64) -> Result<Segment, SupplyError> {
        let name = segment_name(sequence);
        self.disk.rename(&spare_name(spare), &name)?;
        self.disk.sync_directory()?;
        let file = self.disk.open(&name)?;
        Ok(Segment::new(self.identity, sequence, file, self.segment_bytes))
    }

    /// Creates a file of the full size; one that does not fit on the disk is removed again.
    fn fill(&self, sequence: u64) -> Result<Segment, SupplyError> {
        match self.make(sequence, self.segment_bytes) {
            Ok(segment) => Ok(segment),
            Err(error) if error.kind() == io::ErrorKind::StorageFull => {
                self.disk.remove(&spare_name(sequence))?;
                Err(SupplyError::NoSpace { available: 0, needed: self.segment_bytes })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Creates a file and writes all of it, so that its blocks are allocated: later writes into it
    /// need no room, and their syncs no change of the file system's metadata.
    fn make(&self, sequence: u64, length: u64) -> io::Result<Segment> {
        let unfinished = spare_name(sequence);
        let file = self.disk.create(&unfinished)?;
        write_zeros(file.as_ref(), 0, length)?;
        file.sync_data()?;
        self.disk.rename(&unfinished, &segment_name(sequence))?;
        self.disk.sync_directory()?;
        Ok(Segment::new(self.identity, sequence, file, length))
    }

    /// Makes an empty segment longer, for a frame that is larger than a segment; leaves `reserve`
    /// bytes free on the disk.
    fn extend(&self, mut segment: Segment, length: u64, reserve: u64) -> (Segment, Result<(), SupplyError>) {
        let extended = self.fill_up(&segment, length, reserve);
        if extended.is_ok() {
            segment.length = length;
        }
        (segment, extended)
    }

    fn fill_up(&self, segment: &Segment, length: u64, reserve: u64) -> Result<(), SupplyError> {
        let needed = length - segment.length + reserve;
        let available = self.disk.available_bytes()?;
        if available < needed {
            return Err(SupplyError::NoSpace { available, needed });
        }
        match write_zeros(segment.file.as_ref(), segment.length, length) {
            Ok(()) => Ok(segment.file.sync_data()?),
            Err(error) if error.kind() == io::ErrorKind::StorageFull => {
                segment.file.truncate(segment.length)?;
                Err(SupplyError::NoSpace { available, needed })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// One segment's room is left free beside the new file: the ledger is on the same disk.
    fn check_room(&self, stock: &mut Stock, length: u64) -> Result<(), SupplyError> {
        let available = self.disk.available_bytes()?;
        let needed = length + self.segment_bytes;
        let full = available < needed;
        if full && !stock.was_full {
            warn!(available, needed, "the disk is nearly full: appends are rejected until space is freed");
        }
        stock.was_full = full;
        if full { Err(SupplyError::NoSpace { available, needed }) } else { Ok(()) }
    }
}

fn write_zeros(file: &dyn DiskFile, from: u64, to: u64) -> io::Result<()> {
    let mut zeros = AlignedBuffer::default();
    zeros.reset(FILL_BYTES);
    zeros.fill_up(FILL_BYTES);
    let mut position = from;
    while position < to {
        let count = (to - position).min(FILL_BYTES as u64);
        file.write_at(zeros.content().get(..count as usize).unwrap_or_default(), position)?;
        position += count;
    }
    Ok(())
}
