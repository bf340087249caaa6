//! One file of the simulated disk: the content that a reader sees, the safe content, and the changes between.

use super::random::Random;

/// A block is written whole, torn in the middle, or not at all.
const BLOCK_BYTES: usize = 4096;

#[derive(Default)]
pub(super) struct Inode {
    seen: Vec<u8>,
    safe: Vec<u8>,
    unsynced: Vec<Change>,
}

enum Change {
    Write { position: usize, bytes: Vec<u8> },
    Truncate(usize),
}

impl Inode {
    pub(super) fn length(&self) -> u64 {
        self.seen.len() as u64
    }

    pub(super) fn write(&mut self, bytes: &[u8], position: u64) {
        let position = usize::try_from(position).unwrap_or(usize::MAX);
        overwrite(&mut self.seen, position, bytes);
        self.unsynced.push(Change::Write { position, bytes: bytes.to_owned() });
    }

    pub(super) fn read(&self, buffer: &mut [u8], position: u64) -> usize {
        let from = usize::try_from(position).unwrap_or(usize::MAX).min(self.seen.len());
        let found = &self.seen[from..];
        let count = found.len().min(buffer.len());
        buffer[..count].copy_from_slice(&found[..count]);
        count
    }

    pub(super) fn truncate(&mut self, length: u64) {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        self.seen.truncate(length);
        self.unsynced.push(Change::Truncate(length));
    }

    pub(super) fn sync(&mut self) {
        for change in self.unsynced.drain(..) {
            match change {
                Change::Write { position, bytes } => overwrite(&mut self.safe, position, &bytes),
                Change::Truncate(length) => self.safe.truncate(length),
            }
        }
    }

    /// Some of it becomes safe, the rest never will, and no reader can tell the difference.
    pub(super) fn fail_sync(&mut self, random: &mut Random) {
        for change in self.unsynced.drain(..) {
            persist_in_part(&change, &mut self.safe, random);
        }
    }

    pub(super) fn lose_power(&mut self, random: &mut Random) {
        self.fail_sync(random);
        self.seen.clone_from(&self.safe);
    }

    pub(super) fn flip_bit(&mut self, position: u64) -> Option<()> {
        let position = usize::try_from(position).ok()?;
        *self.seen.get_mut(position)? ^= 1;
        if let Some(byte) = self.safe.get_mut(position) {
            *byte ^= 1;
        }
        Some(())
    }
}

fn persist_in_part(change: &Change, safe: &mut Vec<u8>, random: &mut Random) {
    let Change::Write { position, bytes } = change else {
        if let (Change::Truncate(length), true) = (change, random.chance(2)) {
            safe.truncate(*length);
        }
        return;
    };
    // Usually the whole write shares one fate; sometimes each block has its own.
    let together = random.chance(2).then(|| random.below(2));
    for (index, block) in bytes.chunks(BLOCK_BYTES).enumerate() {
        let at = position + index * BLOCK_BYTES;
        match together.unwrap_or_else(|| random.below(3)) {
            0 => {}
            1 => overwrite(safe, at, block),
            _ => {
                let torn = random.below(block.len() as u64 + 1) as usize;
                overwrite(safe, at, &block[..torn]);
            }
        }
    }
}

fn overwrite(target: &mut Vec<u8>, position: usize, bytes: &[u8]) {
    if target.len() < position {
        target.resize(position, 0);
    }
    let (over, beyond) = bytes.split_at(bytes.len().min(target.len() - position));
    target[position..position + over.len()].copy_from_slice(over);
    target.extend_from_slice(beyond);
}
