//! The index file, written: `MAGIC | blocks | table | footer`.
//!
//! A block is records `key length u32 | key | value length u32 | value`, in ascending order of keys; a key is `ecosystem:name`, a
//! value the JSON of its entries. The table is JSON with the first key, offset, length and CRC-32C of each block. The footer is
//! `table offset u64 | table length u64 | CRC-32C of the table u32 | MAGIC`. Numbers are little-endian.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};
use versions::Ecosystem;

use crate::import::{Packages, Report};

/// Begins and ends a file; its last byte is the version of the format.
pub(crate) const MAGIC: [u8; 8] = *b"PALADV\0\x01";
/// Bytes of the footer.
pub(crate) const FOOTER: usize = 28;
/// Bytes after which a block ends: a look-up reads one, and the table has an entry for each.
const BLOCK: usize = 16 * 1_024;

/// The table of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Table {
    pub(crate) imported_at: Timestamp,
    /// Newest `modified` of an advisory.
    pub(crate) newest: Timestamp,
    pub(crate) advisories: usize,
    pub(crate) malicious: usize,
    pub(crate) packages: usize,
    pub(crate) corrupt_files: usize,
    pub(crate) blocks: Vec<Block>,
}

/// A block of records.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Block {
    pub(crate) first: String,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) crc: u32,
}

/// Key of a package.
pub(crate) fn key(ecosystem: Ecosystem, name: &str) -> String {
    format!("{ecosystem}:{name}")
}

/// Writes a file beside the index, and renames it to the index once it is on the disk.
pub(crate) fn replace(
    index: &Path,
    packages: &Packages,
    report: &Report,
    (imported_at, newest): (Timestamp, Timestamp),
) -> io::Result<()> {
    let folder =
        index.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    fs::create_dir_all(folder)?;
    let mut name = index.file_name().unwrap_or_default().to_owned();
    name.push(format!(".new-{}", std::process::id()));
    let beside = folder.join(name);
    let table = Table {
        imported_at,
        newest,
        advisories: report.advisories,
        malicious: report.malicious,
        packages: report.packages,
        corrupt_files: report.corrupt_files,
        blocks: Vec::new(),
    };
    let written = write(&beside, packages, table).and_then(|()| fs::rename(&beside, index));
    if written.is_err() {
        // The first error is the one to report; a file that is left over is replaced by the next import of this process.
        let _: io::Result<()> = fs::remove_file(&beside);
    }
    written?;
    File::open(folder)?.sync_all()
}

fn write(path: &Path, packages: &Packages, mut table: Table) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(&MAGIC)?;
    let mut offset = MAGIC.len() as u64;
    // The order of keys as texts, which differs from that of ecosystems.
    let mut sorted: Vec<_> =
        packages.iter().map(|((ecosystem, name), all)| (key(*ecosystem, name), all)).collect();
    sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut block = Vec::with_capacity(2 * BLOCK);
    let mut first: Option<String> = None;
    let last = sorted.len().saturating_sub(1);
    for (number, (key, all)) in sorted.into_iter().enumerate() {
        let entries: Vec<_> = all.iter().map(|(_, entry)| entry).collect();
        let value = serde_json::to_vec(&entries)?;
        for part in [key.as_bytes(), &value] {
            let length = u32::try_from(part.len()).map_err(io::Error::other)?;
            block.extend_from_slice(&length.to_le_bytes());
            block.extend_from_slice(part);
        }
        let first_key = first.get_or_insert(key);
        if block.len() >= BLOCK || number == last {
            let length = block.len() as u64;
            let first = std::mem::take(first_key);
            table.blocks.push(Block { first, offset, length, crc: crc32c::crc32c(&block) });
            file.write_all(&block)?;
            offset += length;
            block.clear();
        }
        if block.is_empty() {
            first = None;
        }
    }
    let body = serde_json::to_vec(&table)?;
    file.write_all(&body)?;
    file.write_all(&offset.to_le_bytes())?;
    file.write_all(&(body.len() as u64).to_le_bytes())?;
    file.write_all(&crc32c::crc32c(&body).to_le_bytes())?;
    file.write_all(&MAGIC)?;
    file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}
