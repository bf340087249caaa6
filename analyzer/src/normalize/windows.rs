//! Windows events: their nested JSON forms made flat, the log source that channel and event number stand
//! for, and who an event is about. Their fields have the names that rules use, so none is renamed.

mod accounts;
mod flat;
mod kinds;

use super::reading::{Reading, source};
use super::roles::{Role, Roles};
use sigma::event::Event;

pub(super) use self::flat::flatten;

/// What a Windows event says; `None` for other records.
pub(super) fn read<'a>(event: &Event<'a>, roles: &Roles<'_, 'a>) -> Option<Reading<'a>> {
    let channel = roles.str(Role::Channel)?;
    let number = roles.number(Role::EventId)?;
    let (product, service) = kinds::service(channel)?;
    let mut reading = Reading::default();
    if service == "security" {
        accounts::read(number, event, &mut reading);
    }
    let category = kinds::category(service, number, roles.str(Role::EventType).unwrap_or_default());
    reading.log_source = source(Some(product), category, Some(service));
    Some(reading)
}

#[cfg(test)]
mod tests;
