//! Windows events: their nested JSON forms made flat, the log source that channel and event number stand
//! for, and who an event is about. Their fields have the names that rules use, so none is renamed.

mod accounts;
mod flat;
mod kinds;

use super::reading::{Reading, source};
use super::roles::{Role, Roles};
use sigma::event::Event;

pub(super) use self::flat::flatten;

/// Adds the content of a Windows event, and its log source; nothing to other records.
pub(super) fn read<'e, 'a>(event: &'e Event<'a>, roles: &Roles<'e, 'a>, reading: &mut Reading<'a>) {
    let (Some(channel), Some(number)) = (roles.str(Role::Channel), roles.number(Role::EventId)) else {
        return;
    };
    let Some((product, service)) = kinds::service(channel) else { return };
    if service == "security" {
        accounts::read(number, event, roles, reading);
    }
    let category = kinds::category(service, number, roles.str(Role::EventType).unwrap_or_default());
    reading.log_source = source(Some(product), category, Some(service));
}

#[cfg(test)]
mod tests;
