//! Logs of services that are records of their own instead of lines: PostgreSQL's `jsonlog`, Samba's audit in JSON and InfluxDB's
//! pairs. Their text is read by the wordings of the tables; the fields beside it name the client and the user.

use std::borrow::Cow;

use sigma::event::{Event, Value};

use super::super::address;
use super::super::presence::{Presence, hash};
use super::super::reading::{Outcome, Reading, source};
use super::CATEGORY;
use crate::word_list::words;

/// Statuses by which Samba refuses a login for a reason that lies with the client.
const SAMBA_REFUSALS: [&str; 10] = words(
    "NT_STATUS_WRONG_PASSWORD NT_STATUS_NO_SUCH_USER NT_STATUS_LOGON_FAILURE NT_STATUS_ACCOUNT_LOCKED_OUT
     NT_STATUS_ACCOUNT_DISABLED NT_STATUS_ACCOUNT_EXPIRED NT_STATUS_PASSWORD_EXPIRED NT_STATUS_ACCESS_DENIED
     NT_STATUS_INVALID_LOGON_HOURS NT_STATUS_ACCOUNT_RESTRICTION",
);

/// Fields of a record, by name.
pub(super) type Entries<'e, 'a> = &'e [(Cow<'a, str>, Value<'a>)];

/// Adds the content of a service's record; nothing to other records.
pub(in super::super) fn read<'a>(event: &Event<'a>, presence: &Presence, reading: &mut Reading<'a>) {
    // A name that each record of a service has: Samba, PostgreSQL, InfluxDB, and GitLab's two logs.
    const MARKS: [u32; 5] = [
        hash(b"Authentication"),
        hash(b"error_severity"),
        hash(b"log_id"),
        hash(b"controller"),
        hash(b"env"),
    ];
    if !MARKS.iter().any(|mark| presence.has_hash(*mark)) {
        return;
    }
    let fields = event.fields.as_slice();
    let found =
        if let Some(audit) = map(fields, "Authentication").filter(|_| is(fields, "type", "Authentication")) {
            samba(audit)
        } else if text(fields, "error_severity").is_some() && text(fields, "session_id").is_some() {
            postgresql(fields)
        } else if is(fields, "msg", "Unauthorized") && is(fields, "error", "authorization not found") {
            Some(influxdb())
        } else {
            super::gitlab::read(fields)
        };
    if let Some(found) = found {
        // Events of the line itself have no client.
        reading.fields.retain(|(name, _)| !found.has(name));
        reading.log_source = found.log_source.clone();
        reading.append(found);
    }
}

/// PostgreSQL 15 and later, `log_destination = jsonlog`: the message is that of the text log.
fn postgresql<'a>(fields: Entries<'_, 'a>) -> Option<Reading<'a>> {
    let line = format!("{}:  {}", text(fields, "error_severity")?, text(fields, "message")?);
    let mut reading = super::read_named("postgresql", &line)?.into_owned();
    let names = [("client.address", "remote_host"), ("user.name", "user"), ("process.name", "")];
    for (name, own) in names {
        let value = if own.is_empty() { Some(Cow::Borrowed("postgresql")) } else { text(fields, own) };
        let is_known = reading.has(name);
        if let Some(value) = value.filter(|_| !is_known) {
            reading.push(name, Value::String(value));
        }
    }
    Some(reading)
}

/// Samba, debug class `auth_json_audit`: `"remoteAddress": "ipv4:192.0.2.1:49152"`.
fn samba<'a>(audit: Entries<'_, 'a>) -> Option<Reading<'a>> {
    let status = text(audit, "status")?;
    let account = text(audit, "clientAccount").unwrap_or_default();
    let (action, outcome) = match &*status {
        "NT_STATUS_OK" if account.is_empty() => ("anonymous_login", Outcome::Success),
        "NT_STATUS_OK" => ("login_succeeded", Outcome::Success),
        status if SAMBA_REFUSALS.contains(&status) => ("login_failed", Outcome::Failure),
        _ => return None,
    };
    let mut reading = Reading::of(source(None, Some(CATEGORY), Some("samba")));
    reading.action(action, Some(outcome));
    reading.text("process.name", "samba");
    if let Some((address, port)) = text(audit, "remoteAddress").as_deref().and_then(peer) {
        reading.push("client.address", Value::String(Cow::Owned(address.to_owned())));
        reading.number("client.port", port);
    }
    if !account.is_empty() {
        reading.push("user.name", Value::String(account));
    }
    Some(reading)
}

/// InfluxDB 2, where a token is wrong: the record names neither the client nor the token.
fn influxdb<'a>() -> Reading<'a> {
    let mut reading = Reading::of(source(None, Some(CATEGORY), Some("influxdb")));
    reading.action("login_failed", Some(Outcome::Failure));
    reading.text("process.name", "influxdb");
    reading
}

/// `ipv4:192.0.2.1:49152`, `ipv6:2001:db8::1:49152`.
fn peer(text: &str) -> Option<(&str, &str)> {
    let (_, rest) = text.split_once(':').filter(|(family, _)| matches!(*family, "ipv4" | "ipv6"))?;
    let (address, port) = rest.rsplit_once(':')?;
    address::is_address(address).then(|| (address::plain_address(address), port))
}

pub(super) fn field<'e, 'a>(fields: Entries<'e, 'a>, name: &str) -> Option<&'e Value<'a>> {
    fields.iter().find(|(own, _)| own == name).map(|(_, value)| value)
}

pub(super) fn text<'a>(fields: Entries<'_, 'a>, name: &str) -> Option<Cow<'a, str>> {
    match field(fields, name)? {
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}

pub(super) fn is(fields: Entries<'_, '_>, name: &str, expected: &str) -> bool {
    matches!(field(fields, name), Some(Value::String(text)) if text == expected)
}

fn map<'e, 'a>(fields: Entries<'e, 'a>, name: &str) -> Option<Entries<'e, 'a>> {
    match field(fields, name)? {
        Value::Map(entries) => Some(entries),
        _ => None,
    }
}
