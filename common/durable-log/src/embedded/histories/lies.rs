//! Disks that report data as safe when it is not. A disk that loses a sync has the same effect as a
//! log that omits it, so these represent a log with that mistake.

use std::io;
use std::sync::Arc;

use crate::disk::simulated::SimulatedDisk;
use crate::disk::{Disk, DiskFile};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lie {
    None,
    /// As if batches were acknowledged as soon as they are written.
    DataIsNotSynced,
    /// As if a failed sync were ignored, or tried again.
    FailedSyncSucceeds,
    /// As if the names of files were left to chance.
    DirectoryIsNotSynced,
}

impl Lie {
    /// The disk as a log sees it.
    pub(super) fn told_about(self, disk: &SimulatedDisk) -> Arc<dyn Disk> {
        Arc::new(LyingDisk { disk: disk.clone(), lie: self })
    }
}

struct LyingDisk {
    disk: SimulatedDisk,
    lie: Lie,
}

struct LyingFile {
    file: Arc<dyn DiskFile>,
    lie: Lie,
}

impl LyingDisk {
    fn wrap(&self, file: Arc<dyn DiskFile>) -> Arc<dyn DiskFile> {
        Arc::new(LyingFile { file, lie: self.lie })
    }
}

impl Disk for LyingDisk {
    fn create(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        Ok(self.wrap(self.disk.create(name)?))
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        Ok(self.wrap(self.disk.open(name)?))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.disk.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.disk.remove(name)
    }

    fn list(&self) -> io::Result<Vec<String>> {
        self.disk.list()
    }

    fn sync_directory(&self) -> io::Result<()> {
        if self.lie == Lie::DirectoryIsNotSynced { Ok(()) } else { self.disk.sync_directory() }
    }

    fn available_bytes(&self) -> io::Result<u64> {
        self.disk.available_bytes()
    }
}

impl DiskFile for LyingFile {
    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }

    fn write_parts_at(&self, parts: &[&[u8]], position: u64) -> io::Result<()> {
        self.file.write_parts_at(parts, position)
    }

    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        self.file.read_at(buffer, position)
    }

    fn sync_data(&self) -> io::Result<()> {
        match self.lie {
            Lie::DataIsNotSynced => Ok(()),
            Lie::FailedSyncSucceeds => self.file.sync_data().or(Ok(())),
            Lie::None | Lie::DirectoryIsNotSynced => self.file.sync_data(),
        }
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.file.truncate(length)
    }
}
