//! Writes checked-in files that cannot be written by hand: the images of the embedded log, and the
//! binary seeds. Run it in `fuzz/`, after a change of format, with
//! `cargo run --example write_seeds`.

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use bytes::BytesMut;
use common::clock::ManualClock;
use common::partition::{Offset, Partition};
use common::timestamp::Timestamp;
use durable_log::disk::simulated::SimulatedDisk;
use durable_log::disk::{Disk, DiskFile};
use durable_log::embedded::{EmbeddedLog, open_on};
use durable_log::{DurableLog, payload_room};
use flate2::Compression;
use flate2::write::GzEncoder;
use ingest::limits::Limits;
use ingest::validate::{Format, validate};
use palisade_fuzz::log_image::{Image, batch, config};
use tokio::task::JoinSet;

/// In the payload of the batch whose write is held up. Batches repeat the four bytes of their
/// number.
const HELD: u32 = u32::from_le_bytes(*b"HELD");

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    runtime.block_on(write_images())?;
    write_payloads()?;
    let mut headers = Vec::new();
    durable_log::headers::encode(&batch(7, 0).headers, &mut headers);
    fs::create_dir_all("seeds/batch_headers")?;
    fs::write("seeds/batch_headers/plain", headers)?;
    Ok(())
}

async fn write_images() -> Outcome<()> {
    fs::create_dir_all("images")?;
    let disk = HoldingDisk::new();
    let log = open(&disk)?;
    for number in 1..12 {
        append(&log, number, 900 * number as usize % 5000).await?;
    }
    drop(log);
    write_image("single", &disk)?;

    let disk = HoldingDisk::new();
    let log = Arc::new(open(&disk)?);
    for (first, count) in [(1, 4), (5, 1), (6, 6), (12, 3)] {
        append_together(&log, &disk, first..first + count).await?;
    }
    drop(log);
    write_image("grouped", &disk)?;

    let log = open(&disk)?;
    append(&log, 20, 100).await?;
    append(&log, 21, 3000).await?;
    drop(log);
    drop(open(&disk)?);
    write_image("reopened", &disk)?;

    let log = open(&disk)?;
    for number in 30..40 {
        append(&log, number, 4500).await?;
    }
    for partition in (0..log.partitions()).map(Partition) {
        log.release(partition, Offset(18));
    }
    for number in 40..43 {
        append(&log, number, 4500).await?;
    }
    drop(log);
    write_image("released", &disk)?;

    let disk = HoldingDisk::new();
    let log = open(&disk)?;
    for (number, size) in [(1, 700), (2, 20_000), (3, 4_096 * 5), (4, 300), (5, 17_001)] {
        let mut long = batch(number, size);
        let mut payload = payload_room(size);
        payload.extend_from_slice(&long.payload);
        long.payload = payload.freeze();
        log.append(Partition((number % 3) as u16), long).await?;
    }
    drop(log);
    write_image("uncopied", &disk)
}

fn open(disk: &HoldingDisk) -> Outcome<EmbeddedLog> {
    let clock = Arc::new(ManualClock::new(Timestamp(1_783_501_811_000_000_000)));
    Ok(open_on(Arc::new(disk.clone()), &config(), clock)?)
}

async fn append(log: &EmbeddedLog, number: u32, size: usize) -> Outcome<()> {
    log.append(Partition((number % 3) as u16), batch(number, size)).await?;
    Ok(())
}

/// One batch whose write is held up until all others wait behind it, so that those become one group.
async fn append_together(
    log: &Arc<EmbeddedLog>,
    disk: &HoldingDisk,
    numbers: std::ops::Range<u32>,
) -> Outcome<()> {
    let mut tasks = JoinSet::new();
    disk.holds.set(State::Holding);
    for number in std::iter::once(HELD).chain(numbers) {
        let log = Arc::clone(log);
        tasks.spawn(async move { log.append(Partition((number % 3) as u16), batch(number, 600)).await });
        tokio::task::yield_now().await;
        if number == HELD {
            disk.holds.wait_for(State::Held);
        }
    }
    disk.holds.set(State::Open);
    while let Some(appended) = tasks.join_next().await {
        appended??;
    }
    Ok(())
}

fn write_image(name: &str, disk: &HoldingDisk) -> Outcome<()> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&Image::of(disk)?.pack())?;
    Ok(fs::write(format!("images/{name}.gz"), encoder.finish()?)?)
}

/// The text seeds of OTLP JSON and drains, as the protobuf they become.
fn write_payloads() -> Outcome<()> {
    for directory in ["seeds/otlp_proto", "seeds/normalize_payload"] {
        fs::create_dir_all(directory)?;
    }
    let sources = [("otlp_json", Format::Json, 0), ("drain", Format::Ndjson, 1)];
    for (directory, format, prefix) in sources {
        for entry in fs::read_dir(Path::new("seeds").join(directory))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let content = fs::read(entry.path())?;
            let body = BytesMut::from(content.get(prefix..).unwrap_or_default());
            let Ok(batch) = validate(format, body, &Limits::default()) else { continue };
            fs::write(format!("seeds/otlp_proto/{name}"), &batch.payload)?;
            fs::write(format!("seeds/normalize_payload/{name}"), [&[0], &batch.payload[..]].concat())?;
        }
    }
    Ok(())
}

/// Whether the write of the batch [`HELD`] is held up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Holding,
    Held,
}

struct Holds {
    state: Mutex<State>,
    changed: Condvar,
}

impl Holds {
    fn set(&self, state: State) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
        self.changed.notify_all();
    }

    fn wait_for(&self, wanted: State) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.changed.wait_while(state, |state| *state != wanted));
    }

    fn pass(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if *state == State::Holding {
            *state = State::Held;
            self.changed.notify_all();
            drop(self.changed.wait_while(state, |state| *state != State::Open));
        }
    }
}

/// A disk that can hold up a write.
#[derive(Clone)]
struct HoldingDisk {
    disk: SimulatedDisk,
    holds: Arc<Holds>,
}

impl HoldingDisk {
    fn new() -> Self {
        let holds = Holds { state: Mutex::new(State::Open), changed: Condvar::new() };
        Self { disk: SimulatedDisk::new(1), holds: Arc::new(holds) }
    }

    fn file(&self, file: Arc<dyn DiskFile>) -> Arc<dyn DiskFile> {
        Arc::new(HoldingFile { file, holds: Arc::clone(&self.holds) })
    }
}

impl Disk for HoldingDisk {
    fn create(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        self.disk.create(name).map(|file| self.file(file))
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        self.disk.open(name).map(|file| self.file(file))
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
        self.disk.sync_directory()
    }

    fn available_bytes(&self) -> io::Result<u64> {
        self.disk.available_bytes()
    }
}

struct HoldingFile {
    file: Arc<dyn DiskFile>,
    holds: Arc<Holds>,
}

impl DiskFile for HoldingFile {
    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }

    fn write_parts_at(&self, parts: &[&[u8]], position: u64) -> io::Result<()> {
        let is_held = |bytes: &[u8]| bytes.windows(8).any(|window| window == b"HELDHELD");
        if parts.iter().any(|part| is_held(part)) {
            self.holds.pass();
        }
        self.file.write_parts_at(parts, position)
    }

    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        self.file.read_at(buffer, position)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.file.truncate(length)
    }
}
