//! Directories of the embedded log as earlier runs left them, kept in `images/`, and damage
//! to them: sectors lost, overwritten, out of date, files cut, lost or renamed.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::LazyLock;

use arbitrary::Arbitrary;
use bytes::Bytes;
use common::batch::{Batch, BatchHeaders};
use common::ids::{OrganizationId, SourceId};
use common::timestamp::Timestamp;
use durable_log::disk::Disk;
use durable_log::disk::simulated::SimulatedDisk;
use durable_log::embedded::Config;
use flate2::read::GzDecoder;

/// Bytes that are written at once.
const BLOCK: usize = 4096;

/// The settings all images were made with.
#[must_use]
pub fn config() -> Config {
    Config {
        partitions: 3,
        segment_bytes: 16 * 1024,
        capacity_bytes: Some(1024 * 1024),
        group_bytes: 8 * 1024,
        ..Config::default()
    }
}

/// The batch with this number, unlike any other.
#[must_use]
pub fn batch(number: u32, size: usize) -> Batch {
    let payload: Vec<u8> = number.to_le_bytes().into_iter().cycle().take(size).collect();
    let headers = BatchHeaders {
        organization: OrganizationId::from_bytes([1; 16]),
        source: SourceId::from_bytes([2; 16]),
        application_group: "shop".to_owned(),
        environment: "production".to_owned(),
        received_at: Timestamp(i64::from(number)),
        digest: [3; 32],
        idempotency: None,
        every_record_timed: false,
        record_count: number,
        tick: false,
        fingerprints: common::fingerprint::Fingerprints::default(),
    };
    Batch { headers, payload: Bytes::from(payload) }
}

/// The files of a directory by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Name and content.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// The images, in the order of their names.
pub static IMAGES: LazyLock<Vec<Image>> = LazyLock::new(|| {
    let packed: [&[u8]; 5] = [
        include_bytes!("../images/grouped.gz"),
        include_bytes!("../images/released.gz"),
        include_bytes!("../images/reopened.gz"),
        include_bytes!("../images/single.gz"),
        include_bytes!("../images/uncopied.gz"),
    ];
    packed.map(|packed| Image::unpack(packed).expect("the images are whole")).into()
});

impl Image {
    /// The files of a disk.
    ///
    /// # Errors
    /// Any error of the disk.
    pub fn of(disk: &dyn Disk) -> io::Result<Self> {
        let mut image = Self::default();
        for name in disk.list()? {
            let file = disk.open(&name)?;
            let mut content = vec![0; usize::try_from(file.length()?).unwrap_or(0)];
            let found = file.read_at(&mut content, 0)?;
            content.truncate(found);
            image.files.insert(name, content);
        }
        Ok(image)
    }

    /// A disk with these files on it, all of them synced.
    ///
    /// # Errors
    /// Any error of the disk.
    pub fn to_disk(&self) -> io::Result<SimulatedDisk> {
        let disk = SimulatedDisk::new(1);
        for (name, content) in &self.files {
            let file = disk.create(name)?;
            file.write_at(content, 0)?;
            file.sync_data()?;
        }
        disk.sync_directory()?;
        Ok(disk)
    }

    /// `name length u16 | name | content length u32 | content`, little-endian, for each file.
    #[must_use]
    pub fn pack(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for (name, content) in &self.files {
            out.extend_from_slice(&u16::try_from(name.len()).unwrap_or(u16::MAX).to_le_bytes());
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(&u32::try_from(content.len()).unwrap_or(u32::MAX).to_le_bytes());
            out.extend_from_slice(content);
        }
        out
    }

    fn unpack(packed: &[u8]) -> Option<Self> {
        let mut bytes = Vec::new();
        GzDecoder::new(packed).read_to_end(&mut bytes).ok()?;
        let mut image = Self::default();
        let mut rest = &bytes[..];
        while let Some((length, after)) = rest.split_first_chunk() {
            let (name, after) = after.split_at_checked(u16::from_le_bytes(*length).into())?;
            let (length, after) = after.split_first_chunk()?;
            let (content, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            image.files.insert(String::from_utf8(name.to_vec()).ok()?, content.to_vec());
            rest = after;
        }
        Some(image)
    }

    /// Lets something happen.
    pub fn suffer(&mut self, damage: &Damage) {
        match damage {
            Damage::Flip { at, mask } => {
                if let Some(byte) = self.byte(*at) {
                    *byte ^= mask;
                }
            }
            Damage::Lose { file, block } => {
                self.blocks_from(*file, *block).into_iter().flatten().take(BLOCK).for_each(|byte| *byte = 0);
            }
            Damage::Revert { file, block, from, from_block } => {
                let old: Vec<u8> = self.blocks_from(*from, *from_block).unwrap_or_default().to_vec();
                let place = self.blocks_from(*file, *block).into_iter().flatten();
                place.zip(&old).take(BLOCK).for_each(|(place, old)| *place = *old);
            }
            Damage::Cut { file, length } => {
                if let Some(content) = self.file(*file) {
                    content.truncate(usize::from(*length));
                }
            }
            Damage::Remove { file } => {
                self.name(*file).and_then(|name| self.files.remove(&name));
            }
            Damage::Overwrite { at, bytes } => {
                let (file, position) = *at;
                let rest = self.file(file).and_then(|content| content.get_mut(usize::from(position)..));
                rest.into_iter().flatten().zip(bytes).for_each(|(place, byte)| *place = *byte);
            }
            Damage::Append { file, bytes } => {
                if let Some(content) = self.file(*file) {
                    content.extend_from_slice(bytes);
                }
            }
            Damage::Rename { file, sequence, spare } => {
                let Some(content) = self.name(*file).and_then(|name| self.files.remove(&name)) else {
                    return;
                };
                let kind = if *spare { "spare" } else { "segment" };
                self.files.insert(format!("{kind}-{sequence:020}"), content);
            }
        }
    }

    /// Names of the segments that were begun, oldest first.
    pub fn headed_segments(&self) -> impl DoubleEndedIterator<Item = &String> {
        let begun = |(name, content): &(&String, &Vec<u8>)| {
            name.starts_with("segment-") && content.iter().take(8).any(|byte| *byte != 0)
        };
        self.files.iter().filter(begun).map(|(name, _)| name)
    }

    /// The name of the file that a number means.
    #[must_use]
    pub fn name(&self, number: u8) -> Option<String> {
        let index = usize::from(number).checked_rem(self.files.len())?;
        self.files.keys().nth(index).cloned()
    }

    fn file(&mut self, number: u8) -> Option<&mut Vec<u8>> {
        let index = usize::from(number).checked_rem(self.files.len())?;
        self.files.values_mut().nth(index)
    }

    fn byte(&mut self, (file, position): BytePosition) -> Option<&mut u8> {
        let content = self.file(file)?;
        let position = usize::from(position).checked_rem(content.len())?;
        content.get_mut(position)
    }

    fn blocks_from(&mut self, file: u8, block: u8) -> Option<&mut [u8]> {
        let content = self.file(file)?;
        let block = usize::from(block).checked_rem(content.len() / BLOCK)?;
        content.get_mut(block * BLOCK..)
    }
}

/// A file's number and a position in it.
pub type BytePosition = (u8, u16);

/// Something that happens to a directory.
#[derive(Arbitrary, Clone, Debug, PartialEq, Eq)]
pub enum Damage {
    /// Bits of a byte change.
    Flip {
        /// Where.
        at: BytePosition,
        /// Which bits.
        mask: u8,
    },
    /// A block is zeros.
    Lose {
        /// Which file.
        file: u8,
        /// Which block of it.
        block: u8,
    },
    /// A block is another one: an old one of its own, or one that went astray.
    Revert {
        /// Which file.
        file: u8,
        /// Which block of it.
        block: u8,
        /// The file the other block is of.
        from: u8,
        /// Which block of that.
        from_block: u8,
    },
    /// A file ends early.
    Cut {
        /// Which file.
        file: u8,
        /// Its bytes.
        length: u16,
    },
    /// A file is lost.
    Remove {
        /// Which file.
        file: u8,
    },
    /// Bytes are others: chosen ones.
    Overwrite {
        /// Start position.
        at: BytePosition,
        /// Their values.
        bytes: Vec<u8>,
    },
    /// Bytes stand behind a file's end.
    Append {
        /// Which file.
        file: u8,
        /// Their values.
        bytes: Vec<u8>,
    },
    /// A file has the name of another segment.
    Rename {
        /// Which file.
        file: u8,
        /// The number in its new name.
        sequence: u32,
        /// Whether the name is that of a spare file.
        spare: bool,
    },
}

impl Damage {
    /// Whether it can only take away: what was never written cannot come about, but by a chance of
    /// one in four billion.
    #[must_use]
    pub fn only_loses(&self) -> bool {
        matches!(self, Self::Flip { .. } | Self::Lose { .. } | Self::Revert { .. } | Self::Cut { .. })
    }

    /// The file that is damaged.
    #[must_use]
    pub fn file(&self) -> u8 {
        match self {
            Self::Flip { at: (file, _), .. } | Self::Overwrite { at: (file, _), .. } => *file,
            Self::Lose { file, .. }
            | Self::Revert { file, .. }
            | Self::Cut { file, .. }
            | Self::Remove { file }
            | Self::Append { file, .. }
            | Self::Rename { file, .. } => *file,
        }
    }
}
