//! Measurements of a process and of a directory by the operating system: processor time, memory, open files,
//! disk. Linux only (proc(5)); an unreadable value is absent, never zero.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Bytes of a MiB.
pub const MEBIBYTE: f64 = 1024.0 * 1024.0;
/// Ticks per second of processor times in Linux, the same on every architecture it runs on today.
const TICKS_A_SECOND: f64 = 100.0;
/// Unit of `st_blocks` (stat(2)).
const BLOCK_BYTES: u64 = 512;

/// One measurement of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// User and system time so far, seconds.
    pub processor_seconds: f64,
    /// Memory in use now.
    pub resident_bytes: u64,
    /// Peak memory usage.
    pub most_resident_bytes: u64,
    /// Open file descriptors, including sockets.
    pub open_files: u64,
}

impl Usage {
    /// Measures a process; `None` if it has exited or belongs to another user.
    pub fn of(process: &str) -> Option<Self> {
        let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        Some(Self {
            processor_seconds: processor_time(process)?,
            resident_bytes: kibibytes(&status, "VmRSS:")? * 1024,
            most_resident_bytes: kibibytes(&status, "VmHWM:")? * 1024,
            open_files: fs::read_dir(format!("/proc/{process}/fd")).ok()?.count() as u64,
        })
    }
}

/// User and system time of a process, seconds (`/proc/PID/stat`).
pub fn processor_time(process: &str) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    Some(ticks(&stat)? / TICKS_A_SECOND)
}

/// Fields 14 and 15, counted after the name, which may contain any character.
fn ticks(stat: &str) -> Option<f64> {
    let (_, behind_name) = stat.rsplit_once(')')?;
    let mut fields = behind_name.split_whitespace().skip(11);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

fn kibibytes(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// Disk usage of the files below a directory, bytes; files that vanish meanwhile count as zero.
pub fn disk_bytes(directory: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(directory) else { return 0 };
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => disk_bytes(&entry.path()),
        Ok(metadata) => metadata.blocks() * BLOCK_BYTES,
        Err(_) => 0,
    };
    entries.flatten().map(size).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_that_of_user_and_system() {
        let stat = "7 (a) b) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0";
        assert_eq!(ticks(stat), Some(200.0));
        assert_eq!(ticks(""), None);
    }

    #[test]
    fn this_process_is_seen() {
        let seen = Usage::of("self").unwrap();
        assert!(seen.resident_bytes > 100_000 && seen.most_resident_bytes >= seen.resident_bytes);
        assert!(seen.open_files > 2, "{seen:?}");
        assert_eq!(Usage::of("0"), None);
        assert_eq!(kibibytes("Name:\tx\nVmRSS:\t   12 kB\n", "VmRSS:"), Some(12));
    }

    #[test]
    fn a_directory_takes_what_its_files_take() {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("below")).unwrap();
        fs::write(directory.path().join("below").join("file"), vec![7; 100_000]).unwrap();
        assert!(disk_bytes(directory.path()) >= 100_000);
        assert_eq!(disk_bytes(&directory.path().join("nowhere")), 0);
    }
}
