//! Exit codes of the supervisor: how its worker ended. Pure.

use nix::sys::signal::Signal;

/// How a worker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It sent its outcome and exited.
    Finished,
    /// It, or the supervisor, could not apply a restriction, and told so.
    Refused,
    /// It used all of its processor time.
    OutOfCpu,
    /// A signal that it did not send itself on purpose: SIGKILL.
    Killed,
    /// A signal.
    Signal(i32),
    /// Anything else.
    Other,
}

/// Of both processes, when a restriction is missing.
pub(crate) const REFUSED: u8 = 10;
const OUT_OF_CPU: u8 = 11;
const OTHER: u8 = 12;
/// As shells report signals.
const SIGNAL: u8 = 128;

impl Ending {
    /// Ending of a worker with this exit code or signal, which used `cpu_seconds` of `cpu_limit`. As process 1 of a
    /// namespace it ignores SIGXCPU, so that the hard limit's SIGKILL ends it: the time it used tells the reason.
    pub(crate) const fn of_worker(
        code: Option<i32>,
        signal: Option<i32>,
        cpu_seconds: u64,
        cpu_limit: u64,
    ) -> Self {
        match (code, signal) {
            (Some(0), _) => Self::Finished,
            (Some(code), _) if code == REFUSED as i32 => Self::Refused,
            (None, Some(_)) if cpu_seconds >= cpu_limit => Self::OutOfCpu,
            (None, Some(signal)) if signal == Signal::SIGKILL as i32 => Self::Killed,
            (None, Some(signal)) => Self::Signal(signal),
            _ => Self::Other,
        }
    }

    /// Exit code of a supervisor whose worker ended so.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Finished => 0,
            Self::Refused => REFUSED,
            Self::OutOfCpu => OUT_OF_CPU,
            Self::Killed => SIGNAL + Signal::SIGKILL as u8,
            Self::Signal(signal) => {
                u8::try_from(signal).map_or(OTHER, |signal| SIGNAL.saturating_add(signal))
            }
            Self::Other => OTHER,
        }
    }

    /// Ending of the worker of a supervisor that ended with this code or signal.
    pub(crate) fn of_supervisor(code: Option<i32>, signal: Option<i32>) -> Self {
        if signal.is_some() {
            // Nothing that it does raises a signal.
            return Self::Killed;
        }
        match code.and_then(|code| u8::try_from(code).ok()) {
            Some(0) => Self::Finished,
            Some(REFUSED) => Self::Refused,
            Some(OUT_OF_CPU) => Self::OutOfCpu,
            Some(code) if code == SIGNAL + Signal::SIGKILL as u8 => Self::Killed,
            Some(code) if code > SIGNAL => Self::Signal(i32::from(code - SIGNAL)),
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_reads_from_the_exit_code_how_the_worker_ended() {
        let endings = [
            (Ending::of_worker(Some(0), None, 99, 10), Ending::Finished),
            (Ending::of_worker(Some(10), None, 0, 10), Ending::Refused),
            (Ending::of_worker(Some(3), None, 0, 10), Ending::Other),
            (Ending::of_worker(None, Some(9), 9, 10), Ending::Killed),
            (Ending::of_worker(None, Some(9), 10, 10), Ending::OutOfCpu),
            (Ending::of_worker(None, Some(24), 10, 10), Ending::OutOfCpu),
            (Ending::of_worker(None, Some(11), 0, 10), Ending::Signal(11)),
            (Ending::of_worker(None, Some(6), 0, 10), Ending::Signal(6)),
        ];
        for (ending, expected) in endings {
            assert_eq!(ending, expected);
            assert_eq!(Ending::of_supervisor(Some(i32::from(ending.code())), None), expected);
        }
        assert_eq!(Ending::of_supervisor(None, Some(9)), Ending::Killed);
    }
}
