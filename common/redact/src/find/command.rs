//! Secrets among the arguments of programs that take them there: `curl -u user:…`, `mysql -p…`, `sshpass -p …`.
//! Options whose name says it (`--password …`) are found by [`super::pair`], whatever the program.

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
/// What may follow `ldap` in the name of a client.
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

/// Whether a command may begin at `at`, as far as the bytes of its name tell.
pub(super) fn may_begin(text: &Text<'_>, at: usize, program: Program) -> bool {
    name_end(text, at, program).is_some()
}

/// A name begins behind the separator of a path or of words, not within another name.
fn begins(text: &Text<'_>, at: usize) -> bool {
    text.begins_word(at) && !matches!(text.before(at), b'-' | b'_' | b'.' | b'@')
}

/// Where the name ends, if it is one of the program's clients and arguments may follow.
fn name_end(text: &Text<'_>, at: usize, program: Program) -> Option<usize> {
    let stem = at + program.stem(text, at);
    let run = text
        .run_at_most(stem, LONGEST_ENDING, |byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'));
    let ending = text.slice(stem, run);
    let is_client = match program {
        Program::Curl | Program::Sshpass | Program::Ldappasswd => ending.is_empty(),
        Program::Mysql => !starts_with(ending, b"d") || starts_with(ending, b"dump"),
        Program::Ldap => LDAP_ENDINGS.iter().any(|own| ending.eq_ignore_ascii_case(own)),
    };
    let end = behind_extension(text, run);
    (is_client && may_follow(text, end)).then_some(end)
}

fn starts_with(word: &[u8], beginning: &[u8]) -> bool {
    word.get(..beginning.len()).is_some_and(|own| own.eq_ignore_ascii_case(beginning))
}

/// How an argument leads to a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reads {
    Nothing,
    /// It holds the secret behind so many bytes.
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
            Self::Mysql => attached_to(argument, b"-p", Reads::Nothing),
            Self::Sshpass => match argument {
                b"-f" | b"-d" | b"-P" => Reads::Skip,
                _ => attached_to(argument, b"-p", Reads::Next),
            },
            Self::Ldap => attached_to(argument, b"-w", Reads::Next),
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
        let counts = !hidden.is_empty() && !hides_nothing(hidden) && !is_port;
        counts.then_some(Secret { start, end: value.end, entity: EntityType::Password })
    }
}

/// Whether an argument stands for something that is filled in elsewhere: a variable, a template, a mask.
pub(super) fn hides_nothing(value: &[u8]) -> bool {
    value::is_placeholder(value) || value.starts_with(b"$") || value::holds_mask(value)
}

/// `3306:3306`, `127.0.0.1:3306:3306/tcp`: the option of a container that has the same letter.
fn is_port_mapping(written: &[u8]) -> bool {
    let ports = written.strip_suffix(b"/tcp").unwrap_or(written);
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
