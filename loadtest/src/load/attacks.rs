//! The attacks of a load, and the records of each. An attacker is of one kind, comes from one address, and has
//! one incident, which counts exactly its records.

use clap::ValueEnum;

use crate::access_log::{injection_line, sweep_line};
use crate::load::lines::{ACCOUNT, ADDRESS, Record};

/// Failed logins of a guessing attacker in one request: five make an incident.
const GUESSES: usize = 12;
/// Accounts that it tries.
const ACCOUNTS: usize = 6;
/// Paths that a sweep asks for in one request: four more than make an incident.
const PATHS: usize = 24;
/// Queries with SQL in them in one request: one makes an incident, but from more than ten addresses of a source the
/// rule is widespread, which makes an incident of its own; three are an incident about the address still.
const QUERIES: usize = 3;

/// A kind of attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Kind {
    /// An address fails to log in over SSH.
    Guessing,
    /// An address asks a web server for paths that do not exist.
    Sweep,
    /// An address sends SQL to a web server, which stumbles over it.
    Injection,
}

impl Kind {
    /// Its records in one request, with placeholders for the values of each request.
    pub fn records(self) -> Vec<Record> {
        match self {
            Self::Guessing => (0..GUESSES).map(guess).collect(),
            Self::Sweep => {
                (0..PATHS).map(|index| Record::plain("web-1", sweep_line(ADDRESS, index))).collect()
            }
            Self::Injection => {
                (0..QUERIES).map(|index| Record::plain("web-1", injection_line(ADDRESS, index))).collect()
            }
        }
    }
}

fn guess(index: usize) -> Record {
    let (account, port) = (index % ACCOUNTS, 40_000 + index);
    let host = "bastion-1";
    let message = format!(
        "Jul  8 09:00:00 {host} sshd[4711]: Failed password for {ACCOUNT}-{account} from {ADDRESS} port {port} ssh2"
    );
    Record::plain(host, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_tells_of_its_attacker() {
        for kind in Kind::value_variants() {
            let records = kind.records();
            assert!((1..=24).contains(&records.len()), "{kind:?}: what --batch says");
            assert!(records.iter().all(|record| record.message.contains(ADDRESS)), "{kind:?}");
        }
    }
}
