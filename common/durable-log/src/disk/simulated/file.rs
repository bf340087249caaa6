//! A file of the simulated disk, as it was opened in one life of the machine.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use super::inode::Inode;
use super::{Machine, missing};
use crate::disk::DiskFile;

pub(super) struct SimulatedFile {
    machine: Arc<Mutex<Machine>>,
    inode: usize,
    boot: u64,
}

impl SimulatedFile {
    pub(super) fn new(machine: Arc<Mutex<Machine>>, inode: usize, boot: u64) -> Self {
        Self { machine, inode, boot }
    }

    /// Runs one operation on the file.
    fn with<T>(&self, operation: impl FnOnce(&mut Machine, &mut Inode) -> io::Result<T>) -> io::Result<T> {
        let mut machine = self.machine.lock().unwrap_or_else(PoisonError::into_inner);
        if machine.boot != self.boot {
            return Err(io::Error::other("the file was opened before the machine started"));
        }
        let mut inode = machine.inodes.get_mut(self.inode).map(std::mem::take).ok_or_else(missing)?;
        let result = operation(&mut machine, &mut inode);
        if let Some(place) = machine.inodes.get_mut(self.inode) {
            *place = inode;
        }
        result
    }
}

impl DiskFile for SimulatedFile {
    fn length(&self) -> io::Result<u64> {
        self.with(|machine, inode| {
            machine.operate()?;
            Ok(inode.length())
        })
    }

    fn write_parts_at(&self, parts: &[&[u8]], position: u64) -> io::Result<()> {
        let bytes = parts.concat();
        self.with(|machine, inode| {
            // The file itself is taken out during the work, so it is counted here.
            let others = machine.used_bytes();
            let room = usize::try_from(machine.capacity.saturating_sub(others).saturating_sub(position));
            let room = room.unwrap_or(usize::MAX).max(inode.length().saturating_sub(position) as usize);
            let part = machine.random.below(bytes.len() as u64 + 1) as usize;
            if machine.stops_here() || machine.fail_next_write {
                inode.write(&bytes[..part.min(room)], position);
            }
            machine.operate()?;
            if std::mem::take(&mut machine.fail_next_write) {
                return Err(io::Error::other("the write failed"));
            }
            inode.write(&bytes[..bytes.len().min(room)], position);
            if bytes.len() > room { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        })
    }

    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        self.with(|machine, inode| {
            machine.operate()?;
            Ok(inode.read(buffer, position))
        })
    }

    fn sync_data(&self) -> io::Result<()> {
        self.with(|machine, inode| {
            if machine.stops_here() && machine.random.chance(2) {
                inode.sync();
            }
            machine.operate()?;
            if std::mem::take(&mut machine.fail_next_sync) {
                inode.fail_sync(&mut machine.random);
                return Err(io::Error::other("the sync failed"));
            }
            inode.sync();
            Ok(())
        })
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.with(|machine, inode| {
            machine.operate()?;
            inode.truncate(length);
            Ok(())
        })
    }
}
