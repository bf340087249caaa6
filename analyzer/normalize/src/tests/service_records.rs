//! Logs of services that are JSON: PostgreSQL's `jsonlog`, Samba's audit of authentication and GitLab's request log, after their
//! documentation.

use super::*;

fn found(body: &str) -> [Option<String>; 4] {
    let payload = payload(line(body), &[]);
    let normalized = only(&payload);
    ["event.action", "client.address", "user.name", "process.name"]
        .map(|name| text(&normalized, name).map(ToOwned::to_owned))
}

fn stated(values: [&str; 4]) -> [Option<String>; 4] {
    values.map(|value| (!value.is_empty()).then(|| value.to_owned()))
}

fn samba(status: &str, peer: &str, account: &str) -> String {
    format!(
        r#"  {{"timestamp": "2026-07-08T09:00:01.027069+0000", "type": "Authentication", "Authentication": {{"version": {{"major": 1, "minor": 2}}, "eventId": 4625, "status": "{status}", "localAddress": "ipv4:198.51.100.10:445", "remoteAddress": "{peer}", "clientDomain": "WORK", "clientAccount": "{account}", "workstation": "PC14"}}}}"#
    )
}

#[test]
fn samba_says_who_was_refused() {
    let refused = samba("NT_STATUS_WRONG_PASSWORD", "ipv4:203.0.113.9:50004", "anna");
    assert_eq!(found(&refused), stated(["login_failed", "203.0.113.9", "anna", "samba"]));
    let refused = samba("NT_STATUS_NO_SUCH_USER", "ipv6:2001:db8::9:50004", "anna");
    assert_eq!(found(&refused), stated(["login_failed", "2001:db8::9", "anna", "samba"]));
    let anonymous = samba("NT_STATUS_OK", "ipv4:203.0.113.9:50004", "");
    assert_eq!(found(&anonymous), stated(["anonymous_login", "203.0.113.9", "", "samba"]));
    let failing = samba("NT_STATUS_NO_LOGON_SERVERS", "ipv4:203.0.113.9:50004", "anna");
    assert_eq!(found(&failing)[0], None);
}

#[test]
fn samba_in_syslog_is_read_as_well() {
    let line = format!(
        "<38>Jul  8 09:00:01 files smbd[77]: {}",
        samba("NT_STATUS_WRONG_PASSWORD", "ipv4:203.0.113.9:50004", "anna")
    );
    assert_eq!(found(&line)[..3], stated(["login_failed", "203.0.113.9", "anna", ""])[..3]);
}

fn postgresql(severity: &str, message: &str) -> String {
    format!(
        r#"{{"timestamp":"2026-07-08 09:00:01.123 UTC","user":"report","dbname":"shop","pid":77,"remote_host":"203.0.113.9","remote_port":41000,"session_id":"6b06f41b.a10","line_num":2,"ps":"authentication","error_severity":"{severity}","state_code":"28P01","message":"{message}","backend_type":"client backend"}}"#
    )
}

#[test]
fn postgresql_says_who_was_refused() {
    let refused = postgresql("FATAL", r#"password authentication failed for user \"report\""#);
    assert_eq!(found(&refused), stated(["login_failed", "203.0.113.9", "report", "postgresql"]));
    let refused = postgresql("ERROR", "must be superuser to create superusers");
    assert_eq!(found(&refused), stated(["privilege_refused", "203.0.113.9", "report", "postgresql"]));
    // A client's text in a statement is no refusal.
    let other = postgresql("LOG", r#"statement: select 'FATAL:  role \"x\" does not exist'"#);
    assert_eq!(found(&other)[0], None);
}

#[test]
fn gitlab_says_who_was_refused() {
    let refused = r#"{"method":"POST","path":"/users/sign_in","format":"html","controller":"SessionsController","action":"new","status":422,"params":[{"key":"user","value":{"login":"anna","password":"[FILTERED]"}}],"remote_ip":"203.0.113.9"}"#;
    assert_eq!(found(refused), stated(["login_failed", "203.0.113.9", "anna", "gitlab"]));
    let banned = r#"{"severity":"ERROR","message":"Rack_Attack","env":"blocklist","remote_ip":"203.0.113.9","request_method":"GET","path":"/corp/shop.git/info/refs"}"#;
    assert_eq!(found(banned), stated(["address_banned", "203.0.113.9", "", "gitlab"]));
}

/// Nextcloud and Authelia name the request at which a login failed, but no status of an answer.
#[test]
fn a_failed_login_that_names_its_request_without_an_answer_is_one_of_a_service() {
    for record in [
        r#"{"reqId":"x","level":2,"time":"2026-07-08T09:00:01+00:00","remoteAddr":"203.0.113.9","user":"--","app":"core","method":"POST","url":"/login","message":"Login failed: anna (Remote IP: 203.0.113.9)"}"#,
        r#"time="2026-07-08T09:00:01Z" level=error msg="Unsuccessful 1FA authentication attempt by user 'anna'" method=POST path=/api/firstfactor remote_ip=203.0.113.9"#,
    ] {
        let payload = payload(line(record), &[]);
        let normalized = only(&payload);
        assert_eq!(text(&normalized, "event.action"), Some("login_failed"), "{record}");
        assert_eq!(text(&normalized, "client.address"), Some("203.0.113.9"), "{record}");
        let category = normalized.event.log_source.category.as_deref();
        assert_eq!(category, Some("authentication"), "{record}");
    }
    // With a status, the request is counted as one.
    let answered = r#"{"method":"POST","url":"/login","status":401,"remoteAddr":"203.0.113.9","message":"Login failed: anna"}"#;
    let payload = payload(line(answered), &[]);
    assert_eq!(only(&payload).event.log_source.category.as_deref(), Some("webserver"));
}

/// InfluxDB: its pairs name a wrong token, its access log the client and the user.
#[test]
fn influxdb_says_that_a_token_or_a_password_was_refused() {
    let refused = r#"ts=2026-07-08T09:00:01.098561Z lvl=info msg=Unauthorized log_id=0wUUlR5W000 error="authorization not found""#;
    assert_eq!(found(refused), stated(["login_failed", "", "", "influxdb"]));
    // A browser asks without a token first.
    let without = refused.replace("authorization not found", "token required");
    assert_eq!(found(&without), stated(["", "", "", ""]));
    let access = r#"[httpd] 203.0.113.9 - anna [08/Jul/2026:09:00:01 +0000] "POST /query?db=metrics HTTP/1.1 " 401 33 "-" "curl/8" 5f86a8a9-0726-11ed-800c-0242ac1b0002 812"#;
    let payload = payload(line(access), &[]);
    let normalized = only(&payload);
    assert_eq!(text(&normalized, "client.address"), Some("203.0.113.9"));
    assert_eq!(text(&normalized, "user.name"), Some("anna"));
    assert_eq!(text(&normalized, "server.address"), None);
    let status = normalized.event.fields.iter().find(|(name, _)| name == "http.response.status_code");
    assert_eq!(status.map(|(_, value)| value), Some(&Value::Int(401)));
}

/// Bitbucket from 7.0 on, the audit log file.
#[test]
fn bitbucket_says_who_was_refused() {
    let refused = r#"{"affectedObjects":[],"auditType":{"action":"User login failed","area":"SECURITY","category":"Authentication","level":"ADVANCED"},"author":{"id":"-2","name":"Anonymous","type":"user"},"changedValues":[],"extraAttributes":[],"method":"Browser","source":"203.0.113.9","system":"https://git.example.org","version":"1.0"}"#;
    assert_eq!(found(refused), stated(["login_failed", "203.0.113.9", "", ""]));
}
