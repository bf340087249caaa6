//! Cost of a process, as the operating system counts it.

use std::fs;
use std::io;
use std::time::Duration;

/// Clock ticks in a second, as `/proc` counts them on every Linux architecture.
const TICKS_PER_SECOND: u64 = 100;

/// CPU time that a process has spent so far, in user and system, over all its threads (proc(5), fields
/// 14 and 15 of `stat`).
///
/// # Errors
/// When there is no such process, or the file does not read as documented.
pub fn cpu_time(process: u32) -> io::Result<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    ticks(&stat)
        .map(|ticks| Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND))
        .ok_or_else(|| io::Error::other(format!("/proc/{process}/stat reads {stat:?}")))
}

fn ticks(stat: &str) -> Option<u64> {
    // The name in parentheses may hold anything, blanks and parentheses too.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_and_system_time_are_found_behind_any_name() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 4194304 100 0 0 0 25 17 0 0 20 0 9 0 100 0 0";
        assert_eq!(ticks(stat), Some(42));
        assert_eq!(ticks("7 (a) S 1"), None);
    }
}
