//! Text that is no client, user or login: servers, devices, versions, identifiers, programs, and
//! records about settings, sessions that end and services that fail.

use super::vendors::found;
use super::*;

const CLIENT: &str = "198.51.100.7";
const DECOY: &str = "203.0.113.9";

/// Names of addresses other than the client's.
const ADDRESSES: [&str; 56] = [
    "server_ip",
    "serverIp",
    "server.ip",
    "server_address",
    "dst_ip",
    "dstip",
    "dest_ip",
    "destination.ip",
    "dst",
    "dest",
    "host_ip",
    "host.ip",
    "hostIp",
    "device_ip",
    "deviceIp",
    "Device IP Address",
    "dvc_ip",
    "DvcIpAddr",
    "nas_ip_address",
    "NAS-IP-Address",
    "gateway",
    "gateway_ip",
    "default_gateway",
    "netmask",
    "subnet",
    "dns_server",
    "nameserver",
    "listen_address",
    "bind_address",
    "local_ip",
    "localip",
    "local_address",
    "LocalIP",
    "target_ip",
    "targetAddress",
    "upstream_addr",
    "upstream_address",
    "backend_ip",
    "observer.ip",
    "agent.ip",
    "collector_ip",
    "sensor_ip",
    "management_ip_address",
    "mgmt_ip",
    "fw",
    "proxy_ip",
    "natted_ip",
    "nat_src_ip",
    "translated_ip",
    "pod_ip",
    "podIP",
    "node_ip",
    "cluster_ip",
    "virtual_ip",
    "assigned_ip",
    "tunnel_ip",
];

/// Names of values that only look like an address.
const NUMBERS: [&str; 22] = [
    "version",
    "app_version",
    "client_version",
    "clientVersion",
    "agent_version",
    "build",
    "os_version",
    "firmware",
    "driver_version",
    "release",
    "ClientVersion",
    "user_agent_version",
    "oid",
    "snmp_oid",
    "schema_version",
    "protocol_version",
    "tls_version",
    "policy_version",
    "signature_version",
    "engine_version",
    "browser_version",
    "sdk",
];

/// Names of other things than persons.
const PEOPLE: [&str; 44] = [
    "user_agent",
    "userAgent",
    "user-agent",
    "agent",
    "user_group",
    "userGroup",
    "user_type",
    "userType",
    "user_role",
    "user_domain",
    "userDomain",
    "user_count",
    "users_online",
    "user_locale",
    "user_location",
    "user_timezone",
    "user_sid",
    "user_status",
    "user_session",
    "user_context",
    "username_hash",
    "group",
    "group_name",
    "role",
    "role_name",
    "domain",
    "realm",
    "tenant",
    "org",
    "org_name",
    "service_name",
    "app_name",
    "client_name",
    "client_id",
    "device_name",
    "hostname",
    "policy_name",
    "rule_name",
    "profile",
    "database",
    "table_name",
    "session_id",
    "request_id",
    "auth_method",
];

/// Records of each shape that hold these fields beside one without meaning.
fn carriers(name: &str, value: &str) -> Vec<String> {
    let object = serde_json::json!({"level": "info", "text": "done", name: value}).to_string();
    let inside = serde_json::json!({"level": "info", "data": {name: value}, "text": "done"}).to_string();
    let label = name.replace(' ', "_");
    vec![
        object,
        inside,
        format!("level=info {label}=\"{value}\" text=done"),
        format!("level=\"info\", {name}=\"{value}\", text=\"done\""),
        format!("CEF:0|Example|Product|1|7|Something happened|3|{}={value} cn1=7", label.replace('-', "_")),
        format!(
            "<Entry><Level>info</Level><{0}>{value}</{0}><Text>done</Text></Entry>",
            label.replace('@', "")
        ),
    ]
}

fn is_not(record: &str, name: &str, wrong: &str) -> Option<String> {
    let payload = payload(line(record), &[]);
    let normalized = only(&payload);
    // Of a field's own name, which is the canonical one, nothing is made.
    let made =
        normalized.event.fields.iter().find(|(own, _)| own == name).and_then(|(_, value)| value.as_str());
    (made == Some(wrong)).then(|| format!("{name} is {wrong}: {record}"))
}

#[test]
fn addresses_of_others_are_not_the_clients() {
    let (mut wrong, mut checks) = (Vec::new(), 0);
    for name in ADDRESSES {
        for record in carriers(name, DECOY) {
            checks += 1;
            wrong.extend(is_not(&record, "client.address", DECOY));
        }
        // Beside the client's, and about a login.
        let record = serde_json::json!({
            name: DECOY, "event": "login", "result": "failure", "username": "alice", "client_ip": CLIENT,
        });
        checks += 1;
        let payload = payload(line(&record.to_string()), &[]);
        let normalized = only(&payload);
        if found(&normalized, "client.address") != CLIENT {
            wrong.push(format!("the client is not {CLIENT}: {record}"));
        }
        let record =
            serde_json::json!({name: DECOY, "event": "login", "result": "failure", "username": "alice"});
        checks += 1;
        wrong.extend(is_not(&record.to_string(), "client.address", DECOY));
    }
    for name in NUMBERS {
        for record in carriers(name, "10.2.3.4") {
            checks += 1;
            wrong.extend(is_not(&record, "client.address", "10.2.3.4"));
        }
    }
    assert!(wrong.is_empty(), "{} of {checks}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(checks >= 500, "{checks}");
}

#[test]
fn what_is_no_person_is_no_user() {
    let (mut wrong, mut checks) = (Vec::new(), 0);
    for name in PEOPLE {
        for value in ["Mozilla/5.0 (X11; Linux x86_64)", "something"] {
            for record in carriers(name, value) {
                checks += 1;
                wrong.extend(is_not(&record, "user.name", value));
            }
        }
    }
    for name in ["user", "username", "user_name", "userName", "suser", "login"] {
        for value in ["N/A", "unknown", "-", "null", "(null)", "true", "Mozilla/5.0 (X11)"] {
            let record =
                serde_json::json!({name: value, "event": "login", "result": "failure", "ip": CLIENT});
            checks += 1;
            wrong.extend(is_not(&record.to_string(), "user.name", value));
        }
    }
    assert!(wrong.is_empty(), "{} of {checks}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(checks >= 500, "{checks}");
}

/// Fields of records about something else than a login, of any sender.
const OTHERS: [&[(&str, &str)]; 60] = [
    &[("event", "logout"), ("result", "success")],
    &[("event", "user.logout"), ("outcome", "failure")],
    &[("event", "session_expired"), ("category", "authentication")],
    &[("event", "password_changed"), ("outcome", "success")],
    &[("event", "password_reset"), ("outcome", "failure"), ("category", "auth")],
    &[("event", "mfa_device_added"), ("outcome", "success")],
    &[("event", "mfa.enrolled"), ("status", "success")],
    &[("event", "auth_policy_updated"), ("status", "success")],
    &[("event", "login_page_viewed")],
    &[("event", "CreateLoginProfile"), ("result", "success")],
    &[("event", "DeleteLoginProfile"), ("result", "failure")],
    &[("event", "sso_settings_changed"), ("result", "success")],
    &[("event", "oauth_token_refreshed"), ("category", "auth"), ("result", "success")],
    &[("event", "auth_token_revoked"), ("result", "success")],
    &[("event", "authenticator_registered"), ("type", "authentication"), ("result", "success")],
    &[("event", "order_failed"), ("result", "failure")],
    &[("event", "payment.denied"), ("outcome", "failure")],
    &[("event", "upload"), ("status", "error")],
    &[("event", "backup_failed"), ("status", "failed")],
    &[("event", "job_success"), ("status", "success")],
    &[("action", "denied"), ("resource", "report")],
    &[("action", "blocked"), ("category", "spam")],
    &[("action", "create"), ("object", "login"), ("result", "success")],
    &[("msg", "failed to load authentication module")],
    &[("msg", "authentication service started")],
    &[("msg", "authentication server unreachable")],
    &[("msg", "user list exported successfully")],
    &[("msg", "login settings updated successfully")],
    &[("msg", "could not send mail: rejected")],
    &[("msg", "blog post in draft failed to publish")],
    &[("msg", "author authenticity check failed")],
    &[("msg", "request completed successfully")],
    &[("msg", "connection accepted")],
    &[("msg", "invalid argument")],
    &[("msg", "permission denied: /srv/a")],
    &[("msg", "user logged out")],
    &[("msg", "session for user closed")],
    &[("msg", "database connection failed")],
    &[("msg", "catalog in sync")],
    &[("msg", "dialog on screen failed")],
    &[("msg", "design in progress failed")],
    &[("msg", "logging on channel 7 failed")],
    &[("type", "authorization"), ("result", "failure")],
    &[("type", "author"), ("result", "failure")],
    &[("type", "audit"), ("action", "view"), ("result", "success")],
    &[("type", "audit"), ("action", "export"), ("result", "success")],
    &[("category", "authentication"), ("action", "user_created"), ("outcome", "success")],
    &[("category", "authentication"), ("action", "logout"), ("outcome", "success")],
    &[("category", "iam"), ("action", "group_deleted"), ("outcome", "failure")],
    &[("category", "network"), ("action", "connection_refused")],
    &[("category", "database"), ("action", "query"), ("outcome", "failure")],
    &[("category", "file"), ("action", "access"), ("outcome", "failure")],
    &[("category", "web"), ("action", "allowed")],
    &[("category", "malware"), ("action", "quarantined"), ("outcome", "success")],
    &[("operation", "update"), ("path", "auth"), ("result", "success")],
    &[("operation", "CredentialRotation"), ("result", "failure")],
    &[("operation", "RegisterDevice"), ("result", "success")],
    &[("activity", "Download"), ("status", "Failed")],
    &[("activity", "Logoff"), ("status", "Success")],
    &[("summary", "Failed to renew certificate for login.example.com")],
];

#[test]
fn other_records_are_no_logins() {
    let (mut wrong, mut checks) = (Vec::new(), 0);
    for fields in OTHERS {
        let who = [("user", "alice"), ("client_ip", CLIENT)];
        let all = [fields, &who[..]].concat();
        let object: serde_json::Map<_, _> =
            all.iter().map(|(name, value)| ((*name).to_owned(), serde_json::Value::from(*value))).collect();
        let pairs = |mark: &str| {
            all.iter().map(|(name, value)| format!("{name}=\"{value}\"")).collect::<Vec<_>>().join(mark)
        };
        for record in [serde_json::Value::from(object).to_string(), pairs(" "), pairs(", ")] {
            checks += 1;
            let payload = payload(line(&record), &[]);
            let normalized = only(&payload);
            let action = found(&normalized, "event.action");
            if matches!(action, "login_failed" | "login_succeeded" | "firewall_denied" | "firewall_allowed") {
                wrong.push(format!("{action}: {record}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {checks}:\n{}", wrong.len(), wrong.join("\n"));
}
