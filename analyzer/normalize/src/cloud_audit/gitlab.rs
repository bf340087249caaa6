//! Audit events of GitLab: streamed ones, those of the API, and the lines of `audit_json.log`. The change stands in `details`
//! or beside the other fields; all of them become the same fields here. Source:
//! <https://docs.gitlab.com/user/compliance/audit_event_schema/> and the page of event types beside it.

use std::borrow::Cow;

use sigma::event::{Event, LogSource, Value};

use super::super::presence::Presence;
use super::super::reading::{Outcome, Reading, source};
use super::CATEGORY;

/// Whether these are the names that each audit event of GitLab has.
pub(super) fn is_event(presence: &Presence) -> bool {
    ["author_id", "entity_type", "entity_id"].iter().all(|name| presence.has(name))
}

/// Details, and the field that they become.
const DETAILS: [(&str, &str); 7] = [
    ("change", "gitlab.change"),
    ("from", "gitlab.from"),
    ("to", "gitlab.to"),
    ("add", "gitlab.add"),
    ("remove", "gitlab.remove"),
    ("as", "gitlab.as"),
    ("target_details", "gitlab.target"),
];

/// Event types by the opening words of the message, for records that state no type.
const MESSAGES: [(&str, &str); 10] = [
    ("Added deploy key", "deploy_key_added"),
    ("Created personal access token", "personal_access_token_created"),
    ("Created project access token", "project_access_token_created"),
    ("Created group access token", "group_access_token_created"),
    ("Disabled two-factor authentication", "user_disable_two_factor"),
    ("Repository Download Started", "repository_download_operation"),
    ("Started Impersonation", "user_impersonation"),
    ("Registered instance CI runner", "ci_runner_registered"),
    ("Registered group CI runner", "ci_runner_registered"),
    ("Registered project CI runner", "ci_runner_registered"),
];

/// Adds the content of an audit event.
pub(super) fn read<'a>(event: &Event<'a>, reading: &mut Reading<'a>) {
    let audit = Audit { event };
    let (action, outcome) = audit.action();
    reading.log_source = log_source(outcome);
    if let Some(action) = action {
        reading.push("event.action", Value::String(action));
    }
    reading.outcome(outcome);
    reading.text("process.name", "gitlab");
    for (own, name) in DETAILS {
        if let Some(text) = audit.text(own) {
            reading.push(name, Value::String(text));
        }
    }
    if let Some(text) = audit.message() {
        reading.push("gitlab.message", Value::String(text));
    }
    for (own, name) in
        [("author_name", "user.name"), ("ip_address", "client.address"), ("entity_path", "gitlab.path")]
    {
        if let Some(text) = audit.text(own) {
            reading.push(name, Value::String(text));
        }
    }
    if audit.is_about_author() {
        reading.push("gitlab.about_author", Value::Bool(true));
    }
}

/// Logins have the category that rules for logins of any program read.
fn log_source(login: Option<Outcome>) -> LogSource<'static> {
    let category = if login.is_some() { "authentication" } else { CATEGORY };
    source(Some("gitlab"), Some(category), Some("audit"))
}

struct Audit<'e, 'a> {
    event: &'e Event<'a>,
}

impl<'a> Audit<'_, 'a> {
    /// A value beside the other fields, else among the details.
    fn value(&self, name: &str) -> Option<&Value<'a>> {
        let fields = &self.event.fields;
        let own = |fields: &'_ [(Cow<'a, str>, Value<'a>)]| fields.iter().position(|(own, _)| own == name);
        if let Some(at) = own(fields) {
            return fields.get(at).map(|(_, value)| value).filter(|value| !matches!(value, Value::Null));
        }
        let details = fields.iter().find(|(own, _)| own == "details").map(|(_, value)| value);
        match details? {
            Value::Map(entries) => entries.get(own(entries)?).map(|(_, value)| value),
            _ => None,
        }
    }

    fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        let text = match self.value(name)? {
            Value::String(text) => text.clone(),
            Value::Bool(flag) => Cow::Borrowed(if *flag { "true" } else { "false" }),
            Value::Int(number) => Cow::Owned(number.to_string()),
            _ => return None,
        };
        (!text.is_empty()).then_some(text)
    }

    /// The message; of a Git operation the command of the client.
    fn message(&self) -> Option<Cow<'a, str>> {
        match self.value("custom_message")? {
            Value::Map(entries) => {
                let action = entries.iter().find(|(own, _)| own == "action").map(|(_, value)| value);
                action.and_then(Value::to_text).map(|text| Cow::Owned(text.into_owned()))
            }
            _ => self.text("custom_message"),
        }
    }

    /// The type of the event, and of logins whether they succeeded.
    fn action(&self) -> (Option<Cow<'a, str>>, Option<Outcome>) {
        let stated = ["event_type", "event_name"].iter().find_map(|name| self.text(name));
        let action = stated.or_else(|| self.derived().map(Cow::Borrowed));
        let outcome = match action.as_deref() {
            Some(name) if name.starts_with("login_failed") || name == "omniauth_login_failed" => {
                Outcome::Failure
            }
            Some(name) if name.starts_with("authenticated_with_") || name == "login_succeeded" => {
                Outcome::Success
            }
            _ => return (action, None),
        };
        let action = if outcome == Outcome::Failure { "login_failed" } else { "login_succeeded" };
        (Some(Cow::Borrowed(action)), Some(outcome))
    }

    /// The type of an event that states none, as those of older releases.
    fn derived(&self) -> Option<&'static str> {
        let is = |name: &str, expected: &str| self.text(name).is_some_and(|text| text == expected);
        if self.value("failed_login").is_some() {
            return Some("login_failed");
        }
        if self.value("with").is_some() {
            return Some("login_succeeded");
        }
        let changed = |group: &'static str, project: &'static str| {
            if is("entity_type", "Group") { group } else { project }
        };
        let named = match self.text("change").as_deref() {
            Some("access_level") => Some("member_updated"),
            Some("visibility" | "visibility_level") => {
                Some(changed("group_visibility_level_updated", "project_visibility_level_updated"))
            }
            Some("admin" | "admin status") => Some("user_admin_status_updated"),
            _ => None,
        };
        let named = named.or_else(|| match (self.text("add").as_deref(), self.text("remove").as_deref()) {
            (Some("user_access"), _) => Some("member_created"),
            (Some("deploy_key"), _) => Some("deploy_key_added"),
            (_, Some("user_access")) => Some("member_destroyed"),
            (_, Some("protected_branch")) => Some("protected_branch_removed"),
            (_, Some("project")) => Some("project_destroyed"),
            _ => None,
        });
        named.or_else(|| {
            let message = self.message()?;
            MESSAGES.iter().find(|(opening, _)| message.starts_with(opening)).map(|(_, name)| *name)
        })
    }

    /// Whether the author is the target: creating a project makes one its owner.
    fn is_about_author(&self) -> bool {
        self.text("target_type").is_some_and(|kind| kind == "User")
            && self.text("target_id").is_some_and(|target| self.text("author_id") == Some(target))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;
    use crate::roles::Roles;

    /// Action, outcome, user, address and path.
    fn read_record(record: &str) -> [String; 5] {
        let event = Event { fields: json::entries(record).unwrap(), ..Event::default() };
        assert!(is_event(Roles::of(&event.fields).presence()), "{record}");
        let mut reading = Reading::default();
        read(&event, &mut reading);
        ["event.action", "event.outcome", "user.name", "client.address", "gitlab.path"].map(|name| {
            let value = reading.fields.iter().find(|(own, _)| *own == name).map(|(_, value)| value);
            value.and_then(Value::to_text).map(Cow::into_owned).unwrap_or_default()
        })
    }

    #[test]
    fn the_three_shapes_of_audit_events_come_to_the_same_fields() {
        for (record, expected) in [
            (
                r#"{"id":"1","author_id":7,"author_name":"Alice","entity_id":29,"entity_type":"Project","entity_path":"corp/shop","ip_address":"198.51.100.7","event_type":"member_created","details":{"add":"user_access","as":"Owner","target_details":"Eve"},"target_type":"User","target_id":9}"#,
                ["member_created", "", "Alice", "198.51.100.7", "corp/shop"],
            ),
            (
                r#"{"id":1,"author_id":7,"entity_id":29,"entity_type":"Project","details":{"change":"visibility","from":"Private","to":"Public","author_name":"Alice","ip_address":"198.51.100.7","entity_path":"corp/shop"},"created_at":"2026-07-08T09:10:11.000Z"}"#,
                ["project_visibility_level_updated", "", "Alice", "198.51.100.7", "corp/shop"],
            ),
            (
                r#"{"severity":"INFO","time":"2026-07-08T09:10:11.000Z","author_id":7,"author_name":"Alice","entity_id":29,"entity_type":"Project","custom_message":"Added deploy key x","target_type":"Project"}"#,
                ["deploy_key_added", "", "Alice", "", ""],
            ),
            (
                r#"{"author_id":-1,"entity_id":-1,"entity_type":"User","author_name":"root","failed_login":"STANDARD","ip_address":"198.51.100.7","target_details":"root"}"#,
                ["login_failed", "failure", "root", "198.51.100.7", ""],
            ),
            (
                r#"{"author_id":7,"entity_id":7,"entity_type":"User","event_type":"authenticated_with_two_factor","author_name":"Alice","ip_address":"203.0.113.5","details":{}}"#,
                ["login_succeeded", "success", "Alice", "203.0.113.5", ""],
            ),
        ] {
            assert_eq!(read_record(record), expected, "{record}");
        }
    }

    #[test]
    fn other_records_are_no_audit_events() {
        for record in [r#"{"author_id":1,"title":"x"}"#, r#"{"entity_type":"User","entity_id":1}"#] {
            let event = Event { fields: json::entries(record).unwrap(), ..Event::default() };
            assert!(!is_event(Roles::of(&event.fields).presence()), "{record}");
        }
    }
}
