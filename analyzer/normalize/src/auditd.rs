//! Records of the Linux audit daemon: `type=SYSCALL msg=audit(1783501811.000:12): name=value …`, one line
//! each. The names keep their own spelling, as rules use it; hexadecimal text is decoded.

mod fields;
mod json;
mod kinds;

use std::borrow::Cow;

use common::timestamp::Timestamp;
use sigma::event::Value;

use self::kinds::Kind;
use super::address;
use super::reading::Structure;
use super::reading::{Outcome, Reading, source};
use crate::record::Entries;

pub(super) use self::json::read as read_object;

/// Whether a line opens like an audit record, with or without the node it comes from, or like the
/// kernel's own words where no daemon takes them.
pub(super) fn is_audit(line: &str) -> bool {
    let opening = line.get(..line.len().min(320)).unwrap_or(line);
    (opening.starts_with("type=") && opening.contains(" msg=audit("))
        || (opening.starts_with("node=") && opening.contains(" msg=audit("))
        || (opening.starts_with("audit: type=") && opening.contains(" audit("))
}

/// Reads a line; `None` for lines of other shapes.
pub(super) fn read(line: &str) -> Option<Structure<'_>> {
    let line = line.strip_prefix("audit: ").unwrap_or(line);
    let (node, line) = match line.strip_prefix("node=") {
        Some(rest) => rest.split_once(' ')?,
        None => ("", line),
    };
    let (name, rest) = line.strip_prefix("type=")?.split_once(' ')?;
    let rest = rest.strip_prefix("msg=").unwrap_or(rest);
    let (stamp, rest) = rest.strip_prefix("audit(")?.split_once(')')?;
    let (moment, serial) = stamp.rsplit_once(':')?;
    let name = kinds::name(name);

    let mut entries: Entries<'_> = Vec::with_capacity(32);
    entries.push((Cow::Borrowed("type"), Value::String(name.into())));
    entries.push((Cow::Borrowed("audit.serial"), Value::String(serial.into())));
    if let Some((result, permissions)) = fields::access(rest) {
        entries.push((Cow::Borrowed("seresult"), Value::String(result.into())));
        entries.push((Cow::Borrowed("seperms"), Value::String(permissions.into())));
    }
    fields::read(rest.strip_prefix(':').unwrap_or(rest), name == "EXECVE", &mut entries);

    let record = Record { kind: kinds::of(name), entries: &entries };
    let mut reading = record.reading(name);
    reading.text("host.name", node);
    Some(Structure { entries, reading, time: time(moment) })
}

/// Seconds, with three digits behind the point.
fn time(text: &str) -> Option<Timestamp> {
    let (seconds, millis) = text.split_once('.')?;
    let millis = seconds.parse::<i64>().ok()?.checked_mul(1000)?.checked_add(millis.parse().ok()?)?;
    millis.checked_mul(1_000_000).map(Timestamp)
}

/// A record whose fields have been taken apart.
struct Record<'e, 't> {
    kind: Kind,
    entries: &'e Entries<'t>,
}

impl<'t> Record<'_, 't> {
    /// A field with a value: the daemon writes `?`, `(null)` and `unset` for nothing.
    fn get(&self, name: &str) -> Option<Cow<'t, str>> {
        let (_, value) = self.entries.iter().find(|(own, _)| own == name)?;
        match value {
            Value::String(text) if !matches!(text.as_ref(), "" | "?" | "(null)" | "(none)" | "unset") => {
                Some(text.clone())
            }
            _ => None,
        }
    }

    fn is(&self, name: &str, expected: &[&str]) -> bool {
        self.get(name).is_some_and(|value| expected.contains(&value.as_ref()))
    }

    fn reading(&self, name: &str) -> Reading<'t> {
        let mut reading = Reading {
            fields: Vec::with_capacity(12),
            log_source: source(Some("linux"), Some(self.category(name)), Some("auditd")),
        };
        if let Some(action) = self.kind.action() {
            reading.action(action, self.outcome());
        }
        self.process(name, &mut reading);
        self.people(&mut reading);
        match name {
            "PATH" => self.copy("name", "file.path", &mut reading),
            "CWD" => self.copy("cwd", "process.working_directory", &mut reading),
            "SOCKADDR" => self.peer(&mut reading),
            "AVC" | "APPARMOR_DENIED" | "APPARMOR_ALLOWED" | "APPARMOR_AUDIT" => {
                self.copy("path", "file.path", &mut reading);
                self.copy("name", "file.path", &mut reading);
            }
            _ => {}
        }
        reading
    }

    /// Other records have a category of their own, so that rules for the known ones are not for them.
    fn category(&self, name: &str) -> &'static str {
        match (name, self.kind) {
            ("EXECVE", _) => "process_creation",
            ("SYSCALL", _) if self.starts_program() => "process_creation",
            ("SOCKADDR", _) => "network_connection",
            ("PATH", _) if self.is("nametype", &["CREATE"]) => "file_event",
            ("PATH", _) if self.is("nametype", &["DELETE"]) => "file_delete",
            (_, Kind::Authentication(_)) => "authentication",
            _ => "audit",
        }
    }

    /// `execve` and `execveat`, by name where the record is enriched, else by number and architecture.
    fn starts_program(&self) -> bool {
        if self.get("SYSCALL").is_some() {
            return self.is("SYSCALL", &["execve", "execveat"]);
        }
        let calls: &[&str] = match self.get("arch").as_deref() {
            Some("c000003e") => &["59", "322"],
            Some("40000003") => &["11", "358"],
            Some("c00000b7") => &["221", "281"],
            _ => &[],
        };
        self.is("syscall", calls)
    }

    /// `res=` of programs' reports, `success=` of system calls, words of security modules.
    fn outcome(&self) -> Option<Outcome> {
        if let Kind::Refusal(_) = self.kind {
            let denied = self.is("seresult", &["denied"])
                || self.is("apparmor", &["DENIED"])
                || self.get("sig").is_some_and(|signal| signal != "0");
            // A permissive policy reports the denial and allows the access.
            let enforced = denied && !self.is("permissive", &["1"]);
            return Some(if enforced { Outcome::Failure } else { Outcome::Success });
        }
        let result = self.get("res").or_else(|| self.get("result")).or_else(|| self.get("success"))?;
        match result.as_ref() {
            "success" | "Success" | "yes" | "1" => Some(Outcome::Success),
            "failed" | "Failed" | "failure" | "no" | "0" => Some(Outcome::Failure),
            _ => None,
        }
    }

    fn process(&self, name: &str, reading: &mut Reading<'t>) {
        for (own, canonical) in [("pid", "process.pid"), ("ppid", "process.parent.pid")] {
            reading.number(canonical, &self.get(own).unwrap_or_default());
        }
        self.copy("comm", "process.name", reading);
        self.copy("exe", "process.executable.path", reading);
        self.copy("tty", "process.tty", reading);
        match name {
            "EXECVE" => {
                if let Some(program) = self.get("a0").filter(|program| program.starts_with('/')) {
                    reading.push("process.executable.path", Value::String(program));
                }
                if let Some(line) = fields::command_line(self.entries) {
                    reading.push("process.command_line", Value::String(line));
                }
            }
            "USER_CMD" => self.copy("cmd", "process.command_line", reading),
            _ => {}
        }
    }

    /// The user of a report is who it is about; of a system call, who logged in, whatever has been
    /// switched to since.
    fn people(&self, reading: &mut Reading<'t>) {
        let person = ["acct", "AUID", "UID"].iter().find_map(|name| self.get(name));
        if let Some(person) = person {
            reading.push("user.name", Value::String(person));
        }
        self.copy("EUID", "user.effective.name", reading);
        self.copy("auid", "user.audit.id", reading);
        self.copy("uid", "user.id", reading);
        let address = self.get("addr").filter(|address| address::is_address(address));
        if let Some(address) = address {
            reading.push("client.address", Value::String(address));
        }
    }

    fn peer(&self, reading: &mut Reading<'t>) {
        let Some((address, port)) = self.get("saddr").and_then(|text| fields::socket_address(&text)) else {
            return;
        };
        reading.push("network.peer.address", Value::String(Cow::Owned(address.to_string())));
        reading.push("network.peer.port", Value::Int(i64::from(port)));
    }

    fn copy(&self, own: &str, canonical: &'static str, reading: &mut Reading<'t>) {
        if let Some(text) = self.get(own) {
            reading.push(canonical, Value::String(text));
        }
    }
}

#[cfg(test)]
mod tests;
