//! Activities of Google Workspace, as its Reports API gives them.
//! <https://developers.google.com/workspace/admin/reports/reference/rest/v1/activities/list>

use std::borrow::Cow;

use sigma::event::{Event, LogSource, Value};

use super::super::reading::{Outcome, source};
use super::super::roles::Roles;
use super::{CATEGORY, succeeded, text};

/// `kind` of an activity.
pub(super) const KIND: &str = "admin#reports#activity";

/// The log source: one service for each application that reports activities.
pub(super) fn log_source<'e, 'a>(event: &'e Event<'a>, roles: &Roles<'e, 'a>) -> LogSource<'static> {
    let service = text(event, roles, "id.applicationName");
    let service = service.map(|application| Cow::Owned(format!("google_workspace.{application}")));
    LogSource { service, ..source(Some("gcp"), Some(CATEGORY), None) }
}

/// The name of the first event, and the outcome where the name states it.
pub(super) fn action<'e, 'a>(
    event: &'e Event<'a>,
    roles: &Roles<'e, 'a>,
) -> (Option<&'e Value<'a>>, Option<Outcome>) {
    let Some(Value::Array(events)) = roles.field(event, "events") else { return (None, None) };
    let name = events.first().and_then(|first| first.field("name"));
    let outcome = match name.and_then(Value::as_str) {
        Some("login_failure") => succeeded(false),
        Some("login_success") => succeeded(true),
        _ => None,
    };
    (name, outcome)
}
