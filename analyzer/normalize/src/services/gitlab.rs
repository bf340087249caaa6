//! GitLab's request log (`production_json.log`) and its log of limited requests (`auth_json.log`). Source:
//! <https://docs.gitlab.com/administration/logs/>.

use sigma::event::Value;

use super::super::reading::{Outcome, Reading, source};
use super::CATEGORY;
use super::records::{Entries, field, is, text};

/// Login or ban of such a record; `None` for other records.
pub(super) fn read<'a>(fields: Entries<'_, 'a>) -> Option<Reading<'a>> {
    if is(fields, "message", "Rack_Attack") {
        return limited(fields);
    }
    sign_in(fields)
}

/// A refused password shows the form again: the request to create a session is answered by the action of the form.
fn sign_in<'a>(fields: Entries<'_, 'a>) -> Option<Reading<'a>> {
    // Few records have a controller.
    let is_session = is(fields, "controller", "SessionsController");
    if !(is_session && is(fields, "method", "POST") && is(fields, "action", "new")) {
        return None;
    }
    let mut reading = about(fields);
    reading.action("login_failed", Some(Outcome::Failure));
    if let Some(user) = login_of(fields) {
        reading.push("user.name", user);
    }
    Some(reading)
}

/// `"params": [{"key": "user", "value": {"login": "root", …}}]`.
fn login_of<'a>(fields: Entries<'_, 'a>) -> Option<Value<'a>> {
    let Value::Array(parameters) = field(fields, "params")? else { return None };
    let user = parameters
        .iter()
        .take(32)
        .find(|parameter| parameter.field("key").and_then(Value::as_str).is_some_and(|key| key == "user"))?;
    let login = user.field("value")?.field("login")?;
    matches!(login, Value::String(text) if !text.is_empty()).then(|| login.clone())
}

/// A block list holds addresses that failed to authenticate too often; a throttle limits anybody.
fn limited<'a>(fields: Entries<'_, 'a>) -> Option<Reading<'a>> {
    let mut reading = about(fields);
    match text(fields, "env")?.as_ref() {
        "blocklist" => reading.action("address_banned", Some(Outcome::Failure)),
        "throttle" => {
            reading.action("request_rate_limited", Some(Outcome::Failure));
            reading.log_source = source(Some("gitlab"), Some("webserver"), Some("gitlab"));
        }
        _ => return None,
    }
    Some(reading)
}

fn about<'a>(fields: Entries<'_, 'a>) -> Reading<'a> {
    let mut reading = Reading::of(source(Some("gitlab"), Some(CATEGORY), Some("gitlab")));
    reading.text("process.name", "gitlab");
    if let Some(address) = text(fields, "remote_ip") {
        reading.push("client.address", Value::String(address));
    }
    reading
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn refused_logins_and_limited_requests() {
        for (record, expected) in [
            (
                r#"{"method":"POST","path":"/users/sign_in","format":"html","controller":"SessionsController","action":"new","status":422,"params":[{"key":"user","value":{"login":"root","password":"[FILTERED]"}}],"remote_ip":"198.51.100.7"}"#,
                Some("gitlab 198.51.100.7 login_failed failure root"),
            ),
            (
                r#"{"severity":"ERROR","message":"Rack_Attack","env":"blocklist","remote_ip":"198.51.100.7","request_method":"GET","path":"/corp/shop.git/info/refs"}"#,
                Some("gitlab 198.51.100.7 address_banned failure"),
            ),
            (
                r#"{"message":"Rack_Attack","env":"throttle","remote_ip":"198.51.100.7","path":"/users/sign_in"}"#,
                Some("gitlab 198.51.100.7 request_rate_limited failure"),
            ),
            (r#"{"message":"Rack_Attack","env":"track","remote_ip":"198.51.100.7"}"#, None),
            (r#"{"method":"GET","controller":"SessionsController","action":"new","status":200}"#, None),
            (r#"{"method":"POST","controller":"SessionsController","action":"create","status":302}"#, None),
        ] {
            let fields = json::entries(record).unwrap();
            let found = read(&fields).map(|reading| {
                let values = reading.fields.iter().filter_map(|(_, value)| value.to_text());
                values.map(|text| text.into_owned()).collect::<Vec<_>>().join(" ")
            });
            assert_eq!(found.as_deref(), expected, "{record}");
        }
    }
}
