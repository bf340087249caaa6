//! The manifest: the constant properties of a log. A text of four lines, so that a person who finds
//! the directory can read it.

use std::io;

use super::error::OpenError;
use crate::FORMATS;
use crate::disk::Disk;

const NAME: &str = "manifest";
/// The manifest before it is complete; renamed only when it is on the disk.
const UNFINISHED_NAME: &str = "manifest.new";
const TITLE: &str = "palisade durable log";
/// Longer than any manifest of any version.
const MAX_BYTES: usize = 4096;

/// Properties of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Manifest {
    /// Number of partitions.
    pub(super) partitions: u16,
    /// Different in every log: a checksum made for another log, or by anyone who cannot know it,
    /// does not match in this one.
    pub(super) identity: u64,
}

impl Manifest {
    /// Reads the manifest; `None` when the log is new.
    pub(super) fn read(disk: &dyn Disk) -> Result<Option<Self>, OpenError> {
        let file = match disk.open(NAME) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(OpenError::disk("open the manifest", error)),
        };
        let mut bytes = vec![0; MAX_BYTES];
        let length = file.read_at(&mut bytes, 0).map_err(|e| OpenError::disk("read the manifest", e))?;
        let text = String::from_utf8_lossy(bytes.get(..length).unwrap_or_default());
        Self::parse(&text).map(Some)
    }

    /// Creates the manifest of a new log, and makes it durable.
    pub(super) fn create(disk: &dyn Disk, partitions: u16, identity: u64) -> Result<Self, OpenError> {
        let manifest = Self { partitions, identity };
        manifest.write(disk).map_err(|e| OpenError::disk("write the manifest", e))?;
        Ok(manifest)
    }

    fn write(&self, disk: &dyn Disk) -> io::Result<()> {
        let file = disk.create(UNFINISHED_NAME)?;
        file.write_at(self.text().as_bytes(), 0)?;
        file.sync_data()?;
        disk.rename(UNFINISHED_NAME, NAME)?;
        disk.sync_directory()
    }

    fn text(&self) -> String {
        let Self { partitions, identity } = self;
        format!("{TITLE}\nformat {}\npartitions {partitions}\nidentity {identity}\n", FORMATS.newest)
    }

    fn parse(text: &str) -> Result<Self, OpenError> {
        let mut lines = text.lines();
        if lines.next() != Some(TITLE) {
            return Err(OpenError::Manifest { cause: format!("its first line is not {TITLE:?}") });
        }
        let format: u32 = field(lines.next(), "format")?;
        FORMATS.check(format)?;
        let partitions = field(lines.next(), "partitions")?;
        let identity = field(lines.next(), "identity")?;
        Ok(Self { partitions, identity })
    }
}

fn field<T: std::str::FromStr>(line: Option<&str>, name: &str) -> Result<T, OpenError> {
    line.and_then(|line| line.strip_prefix(name))
        .and_then(|value| value.trim().parse().ok())
        .ok_or_else(|| OpenError::Manifest { cause: format!("the number of {name} is missing") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::simulated::SimulatedDisk;

    #[test]
    fn what_is_written_is_read_also_after_a_loss_of_power() {
        let disk = SimulatedDisk::new(1);
        assert_eq!(Manifest::read(&disk).unwrap(), None);
        let written = Manifest::create(&disk, 8, u64::MAX).unwrap();
        disk.lose_power();
        assert_eq!(Manifest::read(&disk).unwrap(), Some(written));
    }

    #[test]
    fn another_format_is_named() {
        for (format, words) in
            [(FORMATS.newest + 1, "reads up to"), (FORMATS.oldest - 1, "before the first release")]
        {
            let error =
                Manifest::parse(&format!("palisade durable log\nformat {format}\nwhatever")).unwrap_err();
            assert!(
                error.to_string().starts_with(&format!("the log has format version {format}, ")),
                "{error}"
            );
            assert!(error.to_string().contains(words), "{error}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in
            ["", "palisade durable log\n", "palisade durable log\nformat 3\npartitions x\nidentity 1\n"]
        {
            assert!(matches!(Manifest::parse(text), Err(OpenError::Manifest { .. })), "{text:?} was taken");
        }
    }
}
