//! Secrets among the arguments of programs that take them there: `curl -u user:…`, `mysql -p…`, `sshpass -p …`.
//! Options named so (`--password …`) are found by [`super::pair`], whatever the program.

mod position;

use position::Position;

use super::argument::{behind_extension, may_follow, next};
use super::text::Text;
use super::value::{self, Value};
use super::{Examined, Secret};
use crate::entity::EntityType;

/// A program, by the beginning of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Program {
    Curl,
    /// The clients of MySQL and MariaDB.
    Mysql,
    Sshpass,
    /// The clients of OpenLDAP.
    Ldap,
    /// The one that takes the old and the new password, too.
    Ldappasswd,
}

/// The programs and the literals that announce them.
pub(super) const PROGRAMS: [(&str, Program); 6] = [
    ("curl", Program::Curl),
    ("mysql", Program::Mysql),
    ("mariadb", Program::Mysql),
    ("sshpass", Program::Sshpass),
    ("ldap", Program::Ldap),
    ("ldappasswd", Program::Ldappasswd),
];

/// Arguments that are read of a command, so that the work is bounded.
const MOST_ARGUMENTS: usize = 64;
/// The longest ending of a program's name, as in `ldapwhoami` and `mysql_upgrade`.
const LONGEST_ENDING: usize = 12;
/// Tests of `find` that begin as the option of an account does.
const TESTS_OF_FIND: [&[u8]; 3] = [b"-user", b"-uid", b"-used"];
/// Suffixes of `mysql` and `mariadb` in the name of a client, behind `-` or `_`.
const MYSQL_ENDINGS: [&[u8]; 12] = [
    b"", b"dump", b"admin", b"import", b"show", b"check", b"slap", b"pump", b"binlog", b"upgrade", b"backup",
    b"sh",
];
/// Suffixes of `ldap` in the name of a client.
const LDAP_ENDINGS: [&[u8]; 8] =
    [b"search", b"modify", b"add", b"delete", b"whoami", b"compare", b"modrdn", b"exop"];

/// Examines the command whose program's name may begin at `at`; hands out each secret argument.
pub(super) fn examine(
    text: &Text<'_>,
    at: usize,
    program: Program,
    mut found: impl FnMut(Secret),
) -> Option<Examined> {
    if !begins(text, at) {
        return None;
    }
    let mut end = name_end(text, at, program)?;
    match Position::of(text, at, end) {
        Position::Operand => return None,
        Position::Word if program == Program::Mysql => {
            let (names_account, resume) = names_account(text, end);
            if !names_account {
                return Some(Examined { secret: None, resume });
            }
        }
        Position::Command | Position::Word => {}
    }
    for _ in 0..MOST_ARGUMENTS {
        let Some(argument) = next(text, end) else { break };
        end = argument.end;
        let written = text.slice(argument.start, argument.end);
        if program == Program::Sshpass && !written.starts_with(b"-") {
            break;
        }
        let read =
            if is_glued(text, argument) { program.reads_glued(written) } else { program.reads(written) };
        match read {
            Reads::Nothing => {}
            Reads::Attached(length) => {
                let value = attached(text, argument, length);
                end = end.max(value.end);
                program.secret(text, value).into_iter().for_each(&mut found);
            }
            Reads::Next => {
                let Some(value) = next(text, end) else { break };
                if program == Program::Curl || !text.slice(value.start, value.end).starts_with(b"-") {
                    end = value.end;
                    program.secret(text, value).into_iter().for_each(&mut found);
                }
            }
            Reads::Skip => end = next(text, end).map_or(end, |skipped| skipped.end),
        }
    }
    Some(Examined { secret: None, resume: end })
}

/// Whether one of the arguments behind `end` names the account of a client of MySQL, and where they end: `-p` is the
/// option of a port in other commands, which have no `-u`.
fn names_account(text: &Text<'_>, mut end: usize) -> (bool, usize) {
    for _ in 0..MOST_ARGUMENTS {
        let Some(argument) = next(text, end) else { break };
        end = argument.end;
        let written = text.slice(argument.start, argument.end);
        let is_account = written.starts_with(b"-u") && !TESTS_OF_FIND.contains(&written);
        if is_account || written.starts_with(b"--user") {
            return (true, end);
        }
    }
    (false, end)
}

/// Whether a command may begin at `at`, as far as the bytes of its name tell.
pub(super) fn may_begin(text: &Text<'_>, at: usize, program: Program) -> bool {
    name_end(text, at, program).is_some()
}

/// A name begins behind the separator of a path or of words, not within another name.
fn begins(text: &Text<'_>, at: usize) -> bool {
    text.begins_word(at) && !matches!(text.before(at), b'-' | b'_' | b'.' | b'@')
}

/// End of the name, if it is one of the program's clients and arguments may follow.
fn name_end(text: &Text<'_>, at: usize, program: Program) -> Option<usize> {
    let stem = at + program.stem(text, at);
    let run = text
        .run_at_most(stem, LONGEST_ENDING, |byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'));
    let ending = text.slice(stem, run);
    let is_client = match program {
        Program::Curl | Program::Sshpass | Program::Ldappasswd => ending.is_empty(),
        Program::Mysql => {
            let ending = ending.strip_prefix(b"-").or_else(|| ending.strip_prefix(b"_")).unwrap_or(ending);
            MYSQL_ENDINGS.iter().any(|own| ending.eq_ignore_ascii_case(own))
        }
        Program::Ldap => LDAP_ENDINGS.iter().any(|own| ending.eq_ignore_ascii_case(own)),
    };
    let end = behind_extension(text, run);
    (is_client && may_follow(text, end)).then_some(end)
}

/// Role of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reads {
    Nothing,
    /// It holds the secret behind this number of bytes.
    Attached(usize),
    /// The next argument is secret.
    Next,
    /// The next argument belongs to it and is none.
    Skip,
}

impl Program {
    /// The length of the literal at `at`.
    fn stem(self, text: &Text<'_>, at: usize) -> usize {
        match self {
            Self::Curl | Self::Ldap => 4,
            Self::Mysql if text.has_ignoring_case(at, b"mysql") => 5,
            Self::Mysql | Self::Sshpass => 7,
            Self::Ldappasswd => 10,
        }
    }

    /// As [`Self::reads`], for an option with a value in quotes of its own right behind it.
    fn reads_glued(self, option: &[u8]) -> Reads {
        match (self, option) {
            (Self::Curl, b"-u" | b"-U" | b"--user=" | b"--proxy-user=")
            | (Self::Mysql | Self::Sshpass, b"-p")
            | (Self::Ldap, b"-w")
            | (Self::Ldappasswd, b"-w" | b"-s" | b"-a") => Reads::Attached(option.len()),
            _ => Reads::Nothing,
        }
    }

    fn reads(self, argument: &[u8]) -> Reads {
        match self {
            Self::Curl => reads_curl(argument),
            // The command of `mysqladmin` that sets a new one.
            Self::Mysql if argument == b"password" => Reads::Next,
            Self::Mysql => attached_to(argument, b"-p", Reads::Nothing),
            Self::Sshpass => match argument {
                b"-f" | b"-d" | b"-P" => Reads::Skip,
                _ => attached_to(argument, b"-p", Reads::Next),
            },
            Self::Ldap => match argument {
                [b'-', b'x', b'w'] => Reads::Next,
                _ => attached_to(argument, b"-w", Reads::Next),
            },
            Self::Ldappasswd => match argument {
                [b'-', b'w' | b's' | b'a', ..] => {
                    attached_to(argument, argument.get(..2).unwrap_or_default(), Reads::Next)
                }
                _ => Reads::Nothing,
            },
        }
    }

    /// The secret part of a value, if it hides anything.
    fn secret(self, text: &Text<'_>, value: Value) -> Option<Secret> {
        let written = text.slice(value.start, value.end);
        let start = match self {
            Self::Curl => value.start + written.iter().position(|byte| *byte == b':')? + 1,
            _ => value.start,
        };
        let hidden = text.slice(start, value.end);
        let is_port = self == Self::Mysql && is_port_mapping(hidden);
        let is_literal = value.quoted && text.before(value.start) == b'\'';
        let counts = !hidden.is_empty() && !is_filled_in(hidden, is_literal) && !is_port;
        counts.then_some(Secret { start, end: value.end, entity: EntityType::Password })
    }
}

/// Whether an argument stands for something that is filled in elsewhere: a variable, a template, a mask. In single quotes
/// a dollar sign stands for itself.
pub(super) fn hides_nothing(text: &Text<'_>, value: Value) -> bool {
    let is_literal = value.quoted && text.before(value.start) == b'\'';
    is_filled_in(text.slice(value.start, value.end), is_literal)
}

/// The same of a part of a value.
pub(super) fn is_filled_in(written: &[u8], is_literal: bool) -> bool {
    let is_variable = !is_literal && written.starts_with(b"$");
    is_variable || value::is_placeholder(written) || value::holds_mask(written)
}

/// `3306:3306`, `127.0.0.1:3306:3306/tcp`: the option of a container that has the same letter.
fn is_port_mapping(written: &[u8]) -> bool {
    let protocols = [&b"/tcp"[..], b"/udp", b"/sctp"];
    let ports = protocols.iter().find_map(|protocol| written.strip_suffix(*protocol)).unwrap_or(written);
    ports.contains(&b':') && ports.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.'))
}

/// An option alone, which reads as `alone` says, or with its value behind it.
fn attached_to(argument: &[u8], option: &[u8], alone: Reads) -> Reads {
    match argument.strip_prefix(option) {
        Some([]) => alone,
        Some(_) => Reads::Attached(option.len()),
        None => Reads::Nothing,
    }
}

/// `-u …`, `-u…`, `-sku …`, `--user …`, `--user=…` and the same of the proxy.
fn reads_curl(argument: &[u8]) -> Reads {
    for long in [&b"--user"[..], b"--proxy-user"] {
        match argument.strip_prefix(long) {
            Some([]) => return Reads::Next,
            Some([b'=', ..]) => return Reads::Attached(long.len() + 1),
            _ => {}
        }
    }
    match argument {
        [b'-', b'u' | b'U'] => Reads::Next,
        [b'-', b'u' | b'U', ..] => Reads::Attached(2),
        [b'-', flags @ .., b'u'] if flags.len() < 6 && flags.iter().all(u8::is_ascii_alphabetic) => {
            Reads::Next
        }
        _ => Reads::Nothing,
    }
}

/// Whether a value in quotes stands right behind an argument without, as in `-p'…'`: the quote opens something.
fn is_glued(text: &Text<'_>, argument: Value) -> bool {
    let quote = if argument.quoted { None } else { value::quote(text, argument.end) };
    quote.is_some_and(|(start, ..)| {
        value::is_unquoted(text.at(start)) && !matches!(text.at(start), b'|' | b'<' | b'>')
    })
}

/// The value behind the first bytes of an argument, which may be in quotes of its own: `-p'…'`.
fn attached(text: &Text<'_>, argument: Value, length: usize) -> Value {
    let start = argument.start + length;
    if argument.quoted { Value { start, ..argument } } else { value::value(text, start) }
}
