//! A disk in memory that fails the way disks do: it loses unsynced data, tears writes in progress,
//! fails writes and syncs, fills up, and stops in the middle of an operation. All its decisions come
//! from a seed, so that a failure can be reproduced.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Disk, DiskFile};

mod file;
mod inode;
mod random;

use file::SimulatedFile;
use inode::Inode;
pub use random::Random;

/// The disk. Clones are the same disk.
#[derive(Clone)]
pub struct SimulatedDisk {
    machine: Arc<Mutex<Machine>>,
}

struct Machine {
    random: Random,
    /// Files by number; a removed one keeps its place, for handles that are still open.
    inodes: Vec<Inode>,
    names: Names,
    /// The names as they would be after a loss of power, and the changes to them since.
    synced_names: Names,
    unsynced_names: Vec<NameChange>,
    capacity: u64,
    /// Counted down by every operation; the machine stops in the one that finds 0.
    operations_left: Option<u64>,
    stopped: bool,
    fail_next_write: bool,
    fail_next_sync: bool,
    /// Number of starts of the machine: handles of an earlier life are dead.
    boot: u64,
}

type Names = BTreeMap<String, usize>;

enum NameChange {
    Set(String, usize),
    Rename(String, String),
    Remove(String),
}

impl NameChange {
    fn apply(&self, names: &mut Names) {
        match self {
            Self::Set(name, inode) => {
                names.insert(name.clone(), *inode);
            }
            Self::Rename(from, to) => {
                if let Some(inode) = names.remove(from) {
                    names.insert(to.clone(), inode);
                }
            }
            Self::Remove(name) => {
                names.remove(name);
            }
        }
    }
}

impl SimulatedDisk {
    /// An empty, unbounded disk without faults, until configured otherwise.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let machine = Machine {
            random: Random::new(seed),
            inodes: Vec::new(),
            names: Names::new(),
            synced_names: Names::new(),
            unsynced_names: Vec::new(),
            capacity: u64::MAX,
            operations_left: None,
            stopped: false,
            fail_next_write: false,
            fail_next_sync: false,
            boot: 0,
        };
        Self { machine: Arc::new(Mutex::new(machine)) }
    }

    /// Bounds the bytes of all files together.
    pub fn set_capacity(&self, bytes: u64) {
        self.lock().capacity = bytes;
    }

    /// Bytes of all files together.
    #[must_use]
    pub fn used_bytes(&self) -> u64 {
        self.lock().used_bytes()
    }

    /// Makes the next write write only a part of its data, and fail.
    pub fn fail_next_write(&self) {
        self.lock().fail_next_write = true;
    }

    /// Makes the next sync of a file lose a part of the data it covers, and fail. Until power is
    /// lost, reads still see all of it, as they do on a machine with a page cache.
    pub fn fail_next_sync(&self) {
        self.lock().fail_next_sync = true;
    }

    /// Stops the machine in the middle of the operation after this many: that one and all later
    /// ones fail, until the machine continues after [`lose_power`](Self::lose_power) or
    /// [`resume`](Self::resume).
    pub fn stop_after(&self, operations: u64) {
        self.lock().operations_left = Some(operations);
    }

    /// Power is lost and restored: unsynced data is there in part, open files are closed, and all
    /// faults are over.
    pub fn lose_power(&self) {
        let mut machine = self.lock();
        let machine = &mut *machine;
        for inode in &mut machine.inodes {
            inode.lose_power(&mut machine.random);
        }
        let kept = machine.random.below(machine.unsynced_names.len() as u64 + 1) as usize;
        for change in machine.unsynced_names.drain(..).take(kept) {
            change.apply(&mut machine.synced_names);
        }
        machine.names = machine.synced_names.clone();
        machine.start_again();
    }

    /// The process was killed and starts again, without a restart of the machine: everything
    /// written is there. Open files are closed, and all faults are over.
    pub fn resume(&self) {
        self.lock().start_again();
    }

    /// Flips one bit of a file, synced or not.
    ///
    /// # Errors
    /// When there is no such byte.
    pub fn flip_bit(&self, name: &str, position: u64) -> io::Result<()> {
        let mut machine = self.lock();
        let inode = machine.find(name)?;
        machine.inodes.get_mut(inode).and_then(|inode| inode.flip_bit(position)).ok_or_else(missing)
    }

    fn lock(&self) -> MutexGuard<'_, Machine> {
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn handle(&self, inode: usize, boot: u64) -> Arc<dyn DiskFile> {
        Arc::new(SimulatedFile::new(Arc::clone(&self.machine), inode, boot))
    }
}

impl Machine {
    fn start_again(&mut self) {
        self.operations_left = None;
        self.stopped = false;
        self.fail_next_write = false;
        self.fail_next_sync = false;
        self.boot += 1;
    }

    /// Counts an operation; an error when the machine is stopped, or stops now.
    fn operate(&mut self) -> io::Result<()> {
        match &mut self.operations_left {
            Some(0) => self.stopped = true,
            Some(left) => *left -= 1,
            None => {}
        }
        if self.stopped { Err(io::Error::other("the machine has stopped")) } else { Ok(()) }
    }

    /// Whether the machine stops in this operation.
    fn stops_here(&self) -> bool {
        self.operations_left == Some(0) && !self.stopped
    }

    fn find(&self, name: &str) -> io::Result<usize> {
        self.names.get(name).copied().ok_or_else(missing)
    }

    fn change_name(&mut self, change: NameChange) -> io::Result<()> {
        self.operate()?;
        change.apply(&mut self.names);
        self.unsynced_names.push(change);
        Ok(())
    }

    fn used_bytes(&self) -> u64 {
        self.names.values().filter_map(|inode| self.inodes.get(*inode)).map(Inode::length).sum()
    }
}

fn missing() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "there is no such file, or no such byte in it")
}

impl Disk for SimulatedDisk {
    fn create(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let mut machine = self.lock();
        let inode = machine.inodes.len();
        machine.change_name(NameChange::Set(name.to_owned(), inode))?;
        machine.inodes.push(Inode::default());
        Ok(self.handle(inode, machine.boot))
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let mut machine = self.lock();
        machine.operate()?;
        Ok(self.handle(machine.find(name)?, machine.boot))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut machine = self.lock();
        machine.find(from)?;
        machine.change_name(NameChange::Rename(from.to_owned(), to.to_owned()))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut machine = self.lock();
        machine.find(name)?;
        machine.change_name(NameChange::Remove(name.to_owned()))
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let mut machine = self.lock();
        machine.operate()?;
        Ok(machine.names.keys().cloned().collect())
    }

    fn sync_directory(&self) -> io::Result<()> {
        let mut machine = self.lock();
        machine.operate()?;
        machine.synced_names = machine.names.clone();
        machine.unsynced_names.clear();
        Ok(())
    }

    fn available_bytes(&self) -> io::Result<u64> {
        let mut machine = self.lock();
        machine.operate()?;
        Ok(machine.capacity.saturating_sub(machine.used_bytes()))
    }
}
