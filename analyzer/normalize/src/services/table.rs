//! The tables of wordings, prepared once: by program, and by a literal for lines of unknown programs.
//!
//! A table is text: `service NAME (PROGRAM …) TITLE` opens a service, with the title that users know; each line behind it is an
//! action and a wording of [`pattern`](super::pattern). A `~` before the action marks wordings that are one service's own, by
//! which a line is recognized whose program is unknown.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

use thiserror::Error;

use super::literals::{self, Literals};
use super::pattern::{Pattern, PatternError};
use crate::header;
use crate::presence;
use crate::reading::Outcome;

/// Every table of wordings.
const SOURCES: [(&str, &str); 8] = [
    ("mail", include_str!("mail.txt")),
    ("databases", include_str!("databases.txt")),
    ("files", include_str!("files.txt")),
    ("telephony", include_str!("telephony.txt")),
    ("remote", include_str!("remote.txt")),
    ("directories", include_str!("directories.txt")),
    ("network", include_str!("network.txt")),
    ("applications", include_str!("applications.txt")),
];

/// The tables in use.
pub(super) static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    // A test parses each table: an error here leaves out one wording, not the service.
    let wordings = SOURCES.iter().flat_map(|(_, source)| parse(source)).filter_map(Result::ok).collect();
    Tables::new(wordings)
});

/// The act that a line states (`event.action`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// A login was refused.
    LoginFailed,
    /// A login was accepted.
    LoginSucceeded,
    /// A password was refused, in a line of detail beside the one that states the failed login.
    CredentialRefused,
    /// A client left before it had logged in.
    LoginAbandoned,
    /// A rule refused a request: relaying, a zone transfer, a forbidden address.
    AccessDenied,
    /// A client spoke another protocol, or none.
    ProtocolError,
    /// A client asked for data that helps only an attack: the version of the server, its name.
    ServiceProbed,
    /// A right that only administrators need was refused.
    PrivilegeRefused,
    /// A client ran a command that changes how the service works.
    AdministrativeCommand,
    /// A client asked for a ticket whose encryption lets a password be guessed offline.
    WeakTicketRequested,
    /// A client got in without an account.
    AnonymousLogin,
    /// The service itself reports an attack.
    AttackReported,
    /// The service itself bans a client.
    AddressBanned,
}

impl Action {
    const NAMES: [(Self, &str); 13] = [
        (Self::LoginFailed, "login_failed"),
        (Self::LoginSucceeded, "login_succeeded"),
        (Self::CredentialRefused, "credential_refused"),
        (Self::LoginAbandoned, "login_abandoned"),
        (Self::AccessDenied, "access_denied"),
        (Self::ProtocolError, "protocol_error"),
        (Self::ServiceProbed, "service_probed"),
        (Self::PrivilegeRefused, "privilege_refused"),
        (Self::AdministrativeCommand, "administrative_command"),
        (Self::WeakTicketRequested, "weak_ticket_requested"),
        (Self::AnonymousLogin, "anonymous_login"),
        (Self::AttackReported, "attack_reported"),
        (Self::AddressBanned, "address_banned"),
    ];

    /// The action of a name.
    fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, own)| *own == name).map(|(action, _)| *action)
    }

    /// The value of `event.action`.
    pub(super) fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(action, _)| *action == self).map_or("", |(_, name)| name)
    }

    /// Outcome of the attempt, if the act states it.
    pub(super) fn outcome(self) -> Option<Outcome> {
        match self {
            Self::LoginSucceeded | Self::AnonymousLogin => Some(Outcome::Success),
            Self::AdministrativeCommand
            | Self::WeakTicketRequested
            | Self::AttackReported
            | Self::AddressBanned => None,
            _ => Some(Outcome::Failure),
        }
    }
}

/// A wording of a service.
#[derive(Debug)]
pub(super) struct Wording {
    /// The service's name, as rules and users know it.
    pub(super) service: &'static str,
    pub(super) action: Action,
    pub(super) pattern: Pattern,
    /// Whether no other service writes such lines.
    pub(super) is_unmistakable: bool,
    /// The names of the service's programs, without directories.
    programs: &'static str,
    /// The title of the service.
    title: &'static str,
}

impl Wording {
    /// Whether a line of an unknown program is certainly of this wording: where any text may stand first, only a header does,
    /// and nothing is believed to have succeeded.
    pub(super) fn is_certain(&self, line: &str) -> bool {
        let Some(literal) = self.pattern.literal_behind_text() else { return true };
        let is_success = self.action.outcome() == Some(Outcome::Success);
        let at = memchr::memmem::find(line.as_bytes(), literal.as_bytes());
        !is_success && at.and_then(|at| line.get(..at)).is_some_and(header::is_prefix)
    }
}

/// Reason why a table's line is invalid.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(super) enum TableError {
    /// A wording before any service.
    #[error("line {0}: expected `service NAME (PROGRAM …) TITLE` first")]
    NoService(usize),
    /// An action of no known name.
    #[error("line {0}: expected an action, found {1:?}")]
    Action(usize, String),
    /// A wording that cannot be used.
    #[error("line {0}: {1}")]
    Pattern(usize, PatternError),
    /// An unmistakable wording that cannot be searched for.
    #[error("line {0}: expected at least {least} bytes of text in a row behind `~`", least = literals::SHORTEST)]
    Literal(usize),
}

type ByProgram = HashMap<&'static str, Vec<usize>, BuildHasherDefault<NameHasher>>;

/// A hash of the ends of a name, for a table of names of ours: no client can choose names that collide.
#[derive(Default)]
struct NameHasher(u64);

impl Hasher for NameHasher {
    fn write(&mut self, name: &[u8]) {
        self.0 ^= u64::from(presence::hash(name)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    /// The terminator is ignored.
    fn write_u8(&mut self, _: u8) {}

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Wordings by program and by literal.
pub(super) struct Tables {
    /// The titles of services by their names.
    titles: BTreeMap<&'static str, &'static str>,
    wordings: Vec<Wording>,
    /// The wordings of each program.
    by_program: ByProgram,
    /// The longest literals of the unmistakable wordings, which are searched for in one pass over a line.
    literals: Literals,
    /// The wordings of each of these literals.
    by_literal: Vec<Vec<usize>>,
}

impl Tables {
    fn new(wordings: Vec<Wording>) -> Self {
        let titles = wordings.iter().map(|wording| (wording.service, wording.title)).collect();
        let mut by_program = ByProgram::default();
        let mut by_literal: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, wording) in wordings.iter().enumerate() {
            for program in wording.programs.split_whitespace() {
                by_program.entry(program).or_default().push(index);
            }
            if wording.is_unmistakable {
                by_literal.entry(wording.pattern.longest_literal()).or_default().push(index);
            }
        }
        let literals = Literals::of(by_literal.keys().copied());
        let by_literal = by_literal.into_values().collect();
        Self { titles, wordings, by_program, literals, by_literal }
    }

    /// The title of a service that has a table.
    pub(super) fn title(&self, service: &str) -> Option<&'static str> {
        self.titles.get(service).copied()
    }

    /// The titles of all services.
    pub(super) fn titles(&self) -> impl Iterator<Item = &'static str> {
        self.titles.values().copied()
    }

    /// The wordings of a program, in the order of its table.
    pub(super) fn of_program(&self, program: &str) -> impl Iterator<Item = &Wording> {
        self.by_program.get(program).into_iter().flatten().filter_map(|index| self.wordings.get(*index))
    }

    /// Whether a program has a table.
    pub(super) fn has_program(&self, program: &str) -> bool {
        self.by_program.contains_key(program)
    }

    /// The unmistakable wordings of which the longest literal stands in a line, in the order of the tables.
    pub(super) fn unnamed(&self, line: &str) -> impl Iterator<Item = &Wording> {
        let mut found = Vec::new();
        self.literals.find(line.as_bytes(), &mut found);
        let wordings = found.into_iter().filter_map(|literal| self.by_literal.get(literal)).flatten();
        let mut indexes: Vec<usize> = wordings.copied().collect();
        indexes.sort_unstable();
        indexes.dedup();
        indexes.into_iter().filter_map(|index| self.wordings.get(index))
    }
}

/// The heading of a service's wordings.
#[derive(Clone, Copy)]
struct Service {
    name: &'static str,
    programs: &'static str,
    title: &'static str,
}

/// A line as the heading of a service.
fn header(line: &'static str) -> Option<Service> {
    let (name, rest) = line.strip_prefix("service ")?.split_once(" (")?;
    let (programs, title) = rest.split_once(") ")?;
    Some(Service { name, programs, title })
}

/// The wordings of a table, and the lines that cannot be used.
fn parse(source: &'static str) -> Vec<Result<Wording, TableError>> {
    let mut wordings = Vec::new();
    let mut service = None;
    for (number, line) in source.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(heading) = header(line) {
            service = Some(heading);
            continue;
        }
        match service {
            None => wordings.push(Err(TableError::NoService(number + 1))),
            Some(service) => wordings.extend(parse_wording(number + 1, line, service)),
        }
    }
    wordings
}

/// The wordings of one line, one for each choice of its alternatives.
fn parse_wording(
    number: usize,
    line: &'static str,
    Service { name: service, programs, title }: Service,
) -> Vec<Result<Wording, TableError>> {
    let (action, notation) = line.split_once(' ').unwrap_or((line, ""));
    let is_unmistakable = action.starts_with('~');
    let name = action.trim_start_matches('~');
    let Some(action) = Action::named(name) else {
        return vec![Err(TableError::Action(number, name.to_owned()))];
    };
    match Pattern::parse(notation.trim()) {
        Err(error) => vec![Err(TableError::Pattern(number, error))],
        Ok(patterns) => {
            let wording = |pattern: Pattern| {
                if is_unmistakable && pattern.longest_literal().len() < literals::SHORTEST {
                    return Err(TableError::Literal(number));
                }
                Ok(Wording { service, action, pattern, is_unmistakable, programs, title })
            };
            patterns.into_iter().map(wording).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_every_table_is_a_wording() {
        for (name, source) in SOURCES {
            let errors: Vec<_> = parse(source).into_iter().filter_map(Result::err).collect();
            assert_eq!(errors, [], "{name}");
        }
    }

    #[test]
    fn every_literal_is_found_wherever_it_stands() {
        for (index, wording) in
            TABLES.wordings.iter().enumerate().filter(|(_, wording)| wording.is_unmistakable)
        {
            let literal = wording.pattern.longest_literal();
            for before in ["", "x", "12", "[a]"] {
                let line = format!("{before}{literal}");
                let found = TABLES.unnamed(&line).any(|other| std::ptr::eq(other, &TABLES.wordings[index]));
                assert!(found, "{line}");
            }
        }
    }
}
