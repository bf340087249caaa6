//! Opening the files that a process left, however it ended. Finds the segments and their order,
//! refuses corrupt ones, and moves frames that may not be on the disk into a fresh segment before
//! they can be read.

mod fresh;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use tracing::info;

use super::error::OpenError;
use super::index::Index;
use super::scan::{self, Scan};
use super::segment::{self, BLOCK, Named, Segment, SegmentHeader, align, parse_name, spare_name};
use super::supply::Supply;
use super::writer::Writer;
use crate::disk::Disk;
use fresh::begin;

/// A log ready to continue.
pub(super) struct Recovered {
    pub(super) index: Index,
    pub(super) supply: Supply,
    pub(super) writer: Writer,
    /// Bytes that the log's files take.
    pub(super) occupied_bytes: u64,
}

/// Contents of the directory.
struct Files {
    /// Segments by number.
    segments: BTreeMap<u64, Segment>,
    /// Numbers of empty files, and whether they have the size of a segment.
    spares: VecDeque<(u64, bool)>,
    occupied_bytes: u64,
}

/// The segments that make up the log, and those without any finished frame.
struct Chain {
    links: Vec<Link>,
    unused: Vec<Segment>,
}

/// A segment of the log with its good frames.
struct Link {
    segment: Arc<Segment>,
    header: SegmentHeader,
    scan: Scan,
}

/// Opens the log of a manifest's `identity`. The order of its changes leaves the log whole wherever
/// it is interrupted.
pub(super) fn recover(
    disk: &Arc<dyn Disk>,
    identity: u64,
    partitions: u16,
    segment_bytes: u64,
) -> Result<Recovered, OpenError> {
    let files = find_files(disk.as_ref(), identity, segment_bytes)?;
    let used = files.segments.keys().chain(files.spares.iter().map(|(sequence, _)| sequence));
    let next_sequence = segment::next_sequence(used.copied())?;
    let chain = read_chain(files.segments, partitions)?;

    let mut spares = files.spares;
    for segment in &chain.unused {
        let whole = segment.length == segment_bytes;
        disk.rename(&segment.name(), &spare_name(segment.sequence))
            .map_err(|e| OpenError::disk("set an unused segment aside", e))?;
        spares.push_back((segment.sequence, whole));
    }
    let spares = drop_odd_spares(disk.as_ref(), spares)?;
    let supply = Supply::new(Arc::clone(disk), identity, segment_bytes, next_sequence, spares);
    go_on(chain.links, supply, partitions, files.occupied_bytes)
}

fn find_files(disk: &dyn Disk, identity: u64, segment_bytes: u64) -> Result<Files, OpenError> {
    let names = disk.list().map_err(|e| OpenError::disk("list the directory", e))?;
    let mut files = Files { segments: BTreeMap::new(), spares: VecDeque::new(), occupied_bytes: 0 };
    for name in names {
        let Some(named) = parse_name(&name) else { continue };
        let file = disk.open(&name).map_err(|e| OpenError::disk("open a segment", e))?;
        let length = file.length().map_err(|e| OpenError::disk("measure a segment", e))?;
        files.occupied_bytes += length;
        match named {
            Named::Segment(sequence) => {
                files.segments.insert(sequence, Segment::new(identity, sequence, file, length));
            }
            Named::Spare(sequence) => files.spares.push_back((sequence, length == segment_bytes)),
        }
    }
    Ok(files)
}

/// Removes files that cannot be reused: unfinished, or of another size than is configured now.
fn drop_odd_spares(disk: &dyn Disk, spares: VecDeque<(u64, bool)>) -> Result<VecDeque<u64>, OpenError> {
    let mut kept = VecDeque::new();
    for (sequence, whole) in spares {
        if whole {
            kept.push_back(sequence);
        } else {
            disk.remove(&spare_name(sequence)).map_err(|e| OpenError::disk("remove a spare file", e))?;
        }
    }
    disk.sync_directory().map_err(|e| OpenError::disk("sync the directory", e))?;
    Ok(kept)
}

/// Reads all segments and checks that they follow each other without a gap.
fn read_chain(segments: BTreeMap<u64, Segment>, partitions: u16) -> Result<Chain, OpenError> {
    let reading = |error| OpenError::disk("read a segment", error);
    let mut headed = Vec::new();
    let mut unused = Vec::new();
    for segment in segments.into_values() {
        match scan::header(&segment).map_err(reading)? {
            Some(header) if header.ends.len() == usize::from(partitions) => {
                headed.push((Arc::new(segment), header));
            }
            _ => unused.push(segment),
        }
    }
    if let Some((oldest, header)) = headed.first() {
        check_oldest(oldest, header, &unused)?;
    }
    let begins: Vec<_> = headed.iter().map(|(_, header)| header.first_offset).collect();
    let mut links: Vec<Link> = Vec::new();
    for (at, (segment, header)) in headed.into_iter().enumerate() {
        let stop_at = begins.get(at + 1).copied();
        let scan = scan::frames(&segment, header.first_offset, stop_at).map_err(reading)?;
        let link = Link { segment, header, scan };
        check_sealed(&link, stop_at)?;
        links.push(link);
    }
    check_tail(links.last(), &unused)?;
    Ok(Chain { links, unused })
}

/// A header is synced before the next segment gets one: an older segment without one had it and has
/// lost it, and with it the way to its batches. No other segment shows the absence of those in front
/// of the oldest header. Nothing can be missing where the log begins at the first offset.
fn check_oldest(oldest: &Segment, header: &SegmentHeader, unused: &[Segment]) -> Result<(), OpenError> {
    let next = header.first_offset;
    let Some(lost) = unused.iter().find(|segment| segment.sequence < oldest.sequence) else {
        return Ok(());
    };
    if next <= 1 {
        return Ok(());
    }
    let first = scan::first_frame(lost).map_err(|error| OpenError::disk("read a segment", error))?;
    Err(OpenError::Corrupt {
        segment: lost.name(),
        // Without a frame that states its first offset, the one that is missing in any case.
        offset: first.map_or(next - 1, |head| head.offset),
        cause: format!("its header is damaged or missing, and the log goes on at offset {next}"),
    })
}

/// A segment that has a successor extends to the start of that one, and was synced so far: whatever
/// is missing, be it a frame or a whole segment in between, is lost.
fn check_sealed(link: &Link, stop_at: Option<u64>) -> Result<(), OpenError> {
    match (&link.scan.defect, stop_at) {
        (Some(defect), Some(next)) => Err(OpenError::Corrupt {
            segment: link.segment.name(),
            offset: link.scan.next_offset,
            cause: format!("{defect}, and the next segment begins at offset {next}"),
        }),
        _ => Ok(()),
    }
}

/// The log ends at the first bad frame, as it does after a loss of power, unless something written
/// later shows that this frame had been synced. Where there is no header at all every frame shows
/// it: none is written before the first header is synced.
fn check_tail(last: Option<&Link>, unused: &[Segment]) -> Result<(), OpenError> {
    let reading = |error| OpenError::disk("read a segment", error);
    let offset = last.map_or(1, |link| link.scan.next_offset);
    let refuse = |segment: &Segment, proof: u64| OpenError::Corrupt {
        segment: segment.name(),
        offset,
        cause: format!("the batch is damaged or missing, and offset {proof} says that it had been synced"),
    };
    if let Some(link) = last {
        let behind = link.scan.position + 1;
        if let Some(proof) = scan::proof_of_sync(&link.segment, behind, offset).map_err(reading)? {
            return Err(refuse(&link.segment, proof));
        }
    }
    let unproven = if last.is_some() { offset } else { 0 };
    for segment in unused {
        if let Some(proof) = scan::proof_of_sync(segment, BLOCK, unproven).map_err(reading)? {
            return Err(refuse(segment, proof));
        }
    }
    Ok(())
}

/// Begins a fresh segment, with the frames after the last one known to be synced; then releases the
/// segments that it replaces.
fn go_on(
    links: Vec<Link>,
    supply: Supply,
    partitions: u16,
    occupied_bytes: u64,
) -> Result<Recovered, OpenError> {
    let ends =
        links.first().map_or_else(|| vec![0; usize::from(partitions)], |link| link.header.ends.clone());
    let mut index = Index::new(&ends);
    let last = links.len().saturating_sub(1);
    let mut next_offset = 1;
    let mut tail = None;
    let mut replaced = Vec::new();
    for (at, link) in links.into_iter().enumerate() {
        let Link { segment, header, scan } = link;
        let synced = if at == last { scan.synced_through } else { scan.next_offset.saturating_sub(1) };
        let (kept, moved): (Vec<_>, Vec<_>) =
            scan.frames.into_iter().partition(|found| found.place.offset <= synced);
        next_offset = scan.next_offset - moved.len() as u64;
        tail = (!moved.is_empty()).then(|| (Arc::clone(&segment), moved));
        if kept.is_empty() {
            replaced.push(segment);
            continue;
        }
        index.start_segment(Arc::clone(&segment), header.first_offset);
        for found in kept {
            index.insert(found.partition, found.place);
        }
    }
    let moved = tail.as_ref().map_or(0, |(_, moved)| moved.len());
    let fresh = begin(&supply, tail, next_offset, index.ends())?;
    info!(batches = index.batches() + moved as u64, moved, "the durable log is open");

    supply.give_back(replaced);
    shorten(&mut index)?;
    let first_offset = next_offset;
    index.start_segment(Arc::clone(&fresh.segment), first_offset);
    for found in &fresh.frames {
        index.insert(found.partition, found.place);
    }
    let next_offset = first_offset + fresh.frames.len() as u64;
    let writer = Writer::new(fresh.segment, fresh.position, next_offset, index.ends());
    Ok(Recovered { index, supply, writer, occupied_bytes })
}

/// Gives the unwritten rest of the last segment back to the disk: a log that is opened often does
/// not fill up with rests.
fn shorten(index: &mut Index) -> Result<(), OpenError> {
    let Some((segment, written)) = index.last_segment() else { return Ok(()) };
    let length = align(written);
    if length < segment.length {
        segment.file.truncate(length).map_err(|e| OpenError::disk("shorten a segment", e))?;
        index.shorten_last(length);
    }
    Ok(())
}
