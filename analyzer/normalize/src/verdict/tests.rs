//! Logins and traffic, read from fields.

use super::super::dictionary;
use super::*;

fn read_fields(fields: &[(&'static str, &'static str)]) -> (Option<String>, Option<String>) {
    let fields: Vec<_> = fields
        .iter()
        .map(|(name, value)| (Cow::Borrowed(*name), Value::String(Cow::Borrowed(*value))))
        .collect();
    let mut roles = Roles::of(&fields);
    dictionary::look(&mut roles, &fields, &mut dictionary::Memo::default());
    let mut reading = Reading::default();
    read(&roles, &mut reading);
    let value = |name: &str| {
        let found = reading.fields.iter().find(|(own, _)| *own == name)?;
        found.1.as_str().map(str::to_owned)
    };
    (value("event.action"), value("event.outcome"))
}

#[test]
fn logins_are_told_by_any_field() {
    for (fields, expected) in [
        (&[("event", "login_failed"), ("user", "alice")][..], Some(LOGIN_FAILED)),
        (&[("event_type", "login"), ("result", "FAILURE"), ("user", "alice")], Some(LOGIN_FAILED)),
        (&[("category", "authentication"), ("outcome", "success"), ("user", "alice")], Some(LOGIN_SUCCEEDED)),
        (&[("type", "auth"), ("success", "false"), ("username", "alice")], Some(LOGIN_FAILED)),
        (&[("msg", "Login failed: invalid password"), ("user", "alice")], Some(LOGIN_FAILED)),
        (&[("msg", "Invalid credentials"), ("user", "alice")], Some(LOGIN_FAILED)),
        (&[("msg", "User logged in"), ("user", "alice")], None),
        (
            &[("activity", "Sign in"), ("failure_reason", "wrong password"), ("email", "a@example.com")],
            Some(LOGIN_FAILED),
        ),
        (&[("event", "login"), ("user", "alice")], None),
        (&[("event", "logout"), ("result", "success"), ("user", "alice")], None),
        (
            &[
                ("event", "password_change"),
                ("result", "failure"),
                ("category", "authentication"),
                ("user", "a"),
            ],
            None,
        ),
        (&[("event", "token_refresh"), ("result", "failure"), ("category", "auth"), ("user", "a")], None),
        (&[("logger", "auth"), ("msg", "failed to refresh cache"), ("user", "alice")], None),
        // A client may choose the text that is logged.
        (
            &[("msg", "login of failla"), ("outcome", "success"), ("event", "login"), ("user", "failla")],
            Some(LOGIN_SUCCEEDED),
        ),
        (&[("msg", "authentication service started successfully"), ("user", "alice")], None),
        (&[("event", "login_failed")], None),
        (&[("msg", "order failed"), ("user", "alice"), ("ip", "198.51.100.7")], None),
    ] {
        assert_eq!(read_fields(fields).0.as_deref(), expected, "{fields:?}");
    }
}

#[test]
fn traffic_needs_both_ends() {
    let ends = [("src_ip", "198.51.100.7"), ("dst_ip", "203.0.113.9"), ("dst_port", "22")];
    for (action, expected) in
        [("deny", Some(DENIED)), ("Blocked", Some(DENIED)), ("accept", Some(ALLOWED)), ("close", None)]
    {
        let fields = [&ends[..], &[("action", action)]].concat();
        assert_eq!(read_fields(&fields).0.as_deref(), expected, "{action}");
    }
    assert_eq!(read_fields(&[("src_ip", "198.51.100.7"), ("action", "deny")]).0, None);
}
