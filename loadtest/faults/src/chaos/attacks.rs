//! The attacks of the input: for each kind its lines, the entity of its incident, and the number of records
//! that incident must count. All results follow from the set of lines, in any order.

use crate::chaos::input::SourceRef;
use loadtest::access_log::{access_line, injection_line, sweep_line};
use loadtest::forms::Line;

/// A kind of attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One address fails to log in over SSH.
    Guessing,
    /// One address asks a web server for paths that do not exist.
    Sweep,
    /// One user is refused by sudo.
    Refused,
    /// One address sends SQL to a web server.
    Injection,
    /// One address fails to log in over SSH as many users.
    Spray,
    /// One address looks for files with secrets.
    Probe,
    /// One address fails to log in over SSH, until it succeeds.
    Guessed,
    /// One user fails to become root with su.
    Su,
}

/// An attack: its source, its kind, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attack {
    pub(crate) kind: Kind,
    pub(crate) place: SourceRef,
    /// Distinguishes the attacks on one source, 0..2000.
    pub(crate) number: u64,
    /// Lines of its first wave.
    pub(crate) size: u64,
}

/// Lines of the second wave of an attacker that comes back.
pub(crate) const SECOND_WAVE: u64 = 2;
/// Attacks that have addresses of their own on one source.
pub(crate) const MOST_NUMBERS: u64 = 2_000;
/// Values of each byte of an address: all have three digits, so that no address is part of another.
const BYTE_VALUES: u64 = 150;
const USERS: [&str; 6] = ["root", "admin", "oracle", "postgres", "backup", "git"];
const FILES: [&str; 8] =
    [".env", ".git/config", ".git/HEAD", "backup.zip", ".htpasswd", ".npmrc", "phpinfo.php", "dump.sql"];

impl Kind {
    /// Every kind.
    pub(crate) const ALL: [Self; 8] = [
        Self::Guessing,
        Self::Sweep,
        Self::Refused,
        Self::Injection,
        Self::Spray,
        Self::Probe,
        Self::Guessed,
        Self::Su,
    ];

    /// Fewest and most lines of its first wave: enough for an incident, few enough that nothing is cut.
    pub(crate) fn sizes(self) -> std::ops::RangeInclusive<u64> {
        match self {
            Self::Guessing => 8..=60,
            Self::Sweep => 24..=40,
            Self::Refused | Self::Su => 4..=8,
            Self::Injection => 2..=8,
            Self::Spray => 12..=30,
            Self::Probe => 4..=6,
            Self::Guessed => 7..=20,
        }
    }

    /// The incident it makes is of this family.
    pub(crate) fn family(self) -> &'static str {
        match self {
            Self::Guessing | Self::Spray | Self::Guessed => "authentication_attack",
            Self::Sweep | Self::Probe => "web_scan",
            Self::Refused | Self::Su => "privilege_abuse",
            Self::Injection => "web_attack",
        }
    }
}

impl Attack {
    /// Entity of its incident, as in the API: kind and value.
    pub(crate) fn entity(&self) -> (&'static str, String) {
        match self.kind {
            Kind::Refused | Kind::Su => ("user.name", self.user()),
            _ => ("client.address", self.address()),
        }
    }

    /// Whether an entity can belong to an attack on this organization: distinguishes tenants.
    pub(crate) fn is_of(organization: usize, entity: &str) -> bool {
        entity.starts_with(&format!("10.{}.", 100 + organization))
            || entity.starts_with(&format!("o{organization}s"))
    }

    /// The lines of the first wave, without times.
    pub(crate) fn first_wave(&self) -> Vec<Line> {
        let mut lines: Vec<Line> = (0..self.size).map(|index| self.line(index)).collect();
        if self.kind == Kind::Guessed {
            let (user, address) = (self.user(), self.address());
            lines.push(
                self.of_host("sshd", format!("Accepted password for {user} from {address} port 39999 ssh2")),
            );
        }
        lines
    }

    /// The lines of the second wave, without times.
    pub(crate) fn second_wave(&self) -> Vec<Line> {
        (self.size..self.size + SECOND_WAVE).map(|index| self.line(index)).collect()
    }

    /// Records its incident counts after the first wave.
    pub(crate) fn records(&self) -> u64 {
        self.size + u64::from(self.kind == Kind::Guessed)
    }

    fn line(&self, index: u64) -> Line {
        let address = self.address();
        let pick =
            |words: &[&'static str]| words.get(index as usize % words.len()).copied().unwrap_or_default();
        match self.kind {
            Kind::Guessing => self.of_host(
                "sshd",
                format!("Failed password for {} from {address} port {} ssh2", pick(&USERS[..2]), 40_000 + index),
            ),
            // The user of the failures is the one who logs in.
            Kind::Guessed => self.of_host(
                "sshd",
                format!("Failed password for {} from {address} port {} ssh2", self.user(), 40_000 + index),
            ),
            Kind::Spray => self.of_host(
                "sshd",
                format!(
                    "Failed password for invalid user {}{} from {address} port {} ssh2",
                    pick(&USERS),
                    index % 12,
                    40_000 + index
                ),
            ),
            Kind::Refused => self.of_host(
                "sudo",
                format!(
                    "  {} : user NOT in sudoers ; TTY=pts/3 ; PWD=/tmp ; USER=root ; COMMAND=/usr/bin/id {index}",
                    self.user()
                ),
            ),
            Kind::Su => self.of_host("su", format!("FAILED SU (to root) {} on pts/{index}", self.user())),
            Kind::Sweep => self.of_web(sweep_line(&address, index)),
            Kind::Injection => self.of_web(injection_line(&address, index)),
            // Besides the known files it tries them in other folders.
            Kind::Probe => {
                let folder = index as usize / FILES.len();
                let request = format!("GET /f{folder}/{}", pick(&FILES));
                self.of_web(access_line(&address, &request, 404, "gobuster/3.6"))
            }
        }
    }

    fn of_host(&self, program: &'static str, message: String) -> Line {
        Line { time_ms: 0, host: self.place.host("bastion"), program, message }
    }

    fn of_web(&self, message: String) -> Line {
        Line { time_ms: 0, host: self.place.host("web"), program: "nginx", message }
    }

    /// An address of its own.
    fn address(&self) -> String {
        let number = self.place.source as u64 * MOST_NUMBERS + self.number;
        let byte = |place: u32| 100 + number / BYTE_VALUES.pow(place) % BYTE_VALUES;
        format!("10.{}.{}.{}", 100 + self.place.organization, byte(1), byte(0))
    }

    /// A user of its own.
    fn user(&self) -> String {
        format!("o{}s{}u{:04}", self.place.organization, self.place.source, self.number)
    }
}
