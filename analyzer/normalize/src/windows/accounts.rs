//! Subject and outcome of an event of the Security log: logons, tickets and changes to
//! accounts. Everything else is in the event's own fields.

use sigma::event::{Event, Value};

use super::super::address;
use super::super::reading::{Outcome, Reading};
use super::super::roles::Roles;

/// Reads event `number`; nothing for those that are about no account.
pub(super) fn read<'e, 'a>(
    number: i64,
    event: &'e Event<'a>,
    roles: &Roles<'e, 'a>,
    reading: &mut Reading<'a>,
) {
    use Outcome::{Failure, Success};
    let (action, outcome) = match number {
        4624 => ("windows_logon", Some(Success)),
        4625 => ("windows_logon", Some(Failure)),
        4634 | 4647 => ("windows_logoff", None),
        4648 => ("windows_logon_with_credentials", None),
        4740 => ("windows_account_locked", None),
        // Tickets and checks of credentials say by a code whether they were given.
        4768 | 4769 | 4771 | 4776 => ("windows_credentials_checked", status(event, roles)),
        4720 => ("windows_user_added", Some(Success)),
        4722 => ("windows_user_enabled", Some(Success)),
        4723 | 4724 => ("windows_password_changed", None),
        4726 => ("windows_user_removed", Some(Success)),
        4728 | 4732 | 4756 => ("windows_group_member_added", Some(Success)),
        1102 => ("windows_log_cleared", Some(Success)),
        _ => return,
    };
    reading.action(action, outcome);
    // Of a logon the target is who comes in, of a change who is changed.
    let is_change = matches!(number, 4720..=4732 | 4756 | 1102);
    let (user, other) =
        if is_change { ("SubjectUserName", Some("TargetUserName")) } else { ("TargetUserName", None) };
    if let Some(user) = text(event, roles, user) {
        reading.push("user.name", user);
    }
    if let Some(other) = other.and_then(|other| text(event, roles, other)) {
        reading.push("user.target.name", other);
    }
    let address = roles.field(event, "IpAddress").and_then(Value::as_str).map(address::plain_address);
    if address.is_some_and(address::is_address)
        && let Some(address) = text(event, roles, "IpAddress")
    {
        reading.push("client.address", plain(address));
    }
}

fn status<'e, 'a>(event: &'e Event<'a>, roles: &Roles<'e, 'a>) -> Option<Outcome> {
    let code = roles.field(event, "Status").or_else(|| roles.field(event, "FailureCode"))?.to_text()?;
    let is_zero = code.strip_prefix("0x").unwrap_or(&code).bytes().all(|byte| byte == b'0');
    Some(if is_zero { Outcome::Success } else { Outcome::Failure })
}

/// A field with a value.
fn text<'e, 'a>(event: &'e Event<'a>, roles: &Roles<'e, 'a>, name: &str) -> Option<Value<'a>> {
    roles
        .field(event, name)
        .filter(|value| value.as_str().is_some_and(|text| !matches!(text, "" | "-")))
        .cloned()
}

/// IPv4 addresses stand in IPv6 ones here.
fn plain(address: Value<'_>) -> Value<'_> {
    match address {
        Value::String(text) => Value::String(address::plain(&text)),
        other => other,
    }
}
