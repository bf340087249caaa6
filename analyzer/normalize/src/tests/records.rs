//! Records for the tests, built as senders build them.

use super::*;

const SSH: &str = "Failed password for invalid user admin from 198.51.100.7 port 50122 ssh2";

fn is_failed_ssh_login(payload: &[u8]) {
    let found = only(payload);
    assert_eq!(text(&found, "event.action"), Some("ssh_login_failed"), "{found:?}");
    assert_eq!(text(&found, "client.address"), Some("198.51.100.7"));
    assert_eq!(text(&found, "user.name"), Some("admin"));
    assert_eq!(found.event.field("client.port"), Some(&Value::Int(50122)));
    assert_eq!(found.event.log_source, reading::source(Some("linux"), Some("authentication"), Some("sshd")));
}

#[test]
fn one_line_by_many_ways() {
    for text in [
        format!("Jul  8 09:10:11 web-1 sshd[812]: {SSH}"),
        format!("<38>Jul  8 09:10:11 web-1 sshd[812]: {SSH}"),
        format!("<38>1 2026-07-08T09:10:11Z web-1 sshd 812 - - {SSH}"),
        format!("2026-07-08T09:10:11.5+00:00 web-1 sshd-session[812]: {SSH}"),
        format!("2026-07-08T09:10:11.5Z stdout F Jul  8 09:10:11 web-1 sshd[812]: {SSH}"),
        format!("Jul  8 09:10:11 web-1 sshd[812]: message repeated 2 times: [ {SSH}]"),
        SSH.to_owned(),
        format!("{SSH}\n"),
    ] {
        is_failed_ssh_login(&payload(line(&text), &[]));
    }
    for entries in [
        [("MESSAGE", SSH), ("SYSLOG_IDENTIFIER", "sshd"), ("_HOSTNAME", "web-1")],
        [("message", SSH), ("appname", "sshd"), ("hostname", "web-1")],
        [("message", SSH), ("ident", "sshd"), ("host", "web-1")],
        [("MESSAGE", SSH), ("PROGRAM", "sshd"), ("HOST", "web-1")],
        [("msg", SSH), ("_SYSTEMD_UNIT", "ssh.service"), ("host.name", "web-1")],
    ] {
        let payload = payload(object(&entries), &[]);
        is_failed_ssh_login(&payload);
        assert_eq!(text(&only(&payload), "host.name"), Some("web-1"));
    }
    let attributes = pairs(&[("appname", "sshd"), ("hostname", "web-1")]);
    is_failed_ssh_login(&payload(LogRecord { attributes, ..line(SSH) }, &[]));
    is_failed_ssh_login(&payload(line(&format!(r#"{{"message":"{SSH}","appname":"sshd"}}"#)), &[]));
}

#[test]
fn a_program_key_names_the_process_and_the_service() {
    for key in ["program", "PROGRAM", "ident", "appname", "SYSLOG_IDENTIFIER"] {
        for message in ["config reloaded", "", SSH] {
            let payload = payload(object(&[(key, "/usr/bin/Backupd"), ("message", message)]), &[]);
            let found = only(&payload);
            assert_eq!(text(&found, "process.name"), Some("Backupd"), "{key}: {message}");
            let service = found.event.log_source.service.as_deref();
            assert_eq!(service, Some("backupd"), "{key}: {message}");
        }
        let ssh = payload(object(&[(key, "sshd"), ("message", SSH)]), &[]);
        is_failed_ssh_login(&ssh);
        assert_eq!(text(&only(&ssh), "process.name"), Some("sshd"), "{key}");
        let request = [
            (key, "shop"),
            ("client_ip", "198.51.100.7"),
            ("method", "GET"),
            ("path", "/"),
            ("status", "200"),
        ];
        let payload = payload(object(&request), &[]);
        let found = only(&payload);
        assert_eq!(text(&found, "process.name"), Some("shop"), "{key}");
        assert_eq!(found.event.log_source, reading::source(None, Some("webserver"), Some("shop")), "{key}");
    }
    let unit = payload(object(&[("_SYSTEMD_UNIT", "ssh.service"), ("MESSAGE", SSH)]), &[]);
    assert_eq!(text(&only(&unit), "process.name"), None, "a unit is not a program");
    let own = payload(object(&[("process.name", "worker"), ("appname", "shop")]), &[]);
    assert_eq!(text(&only(&own), "process.name"), Some("worker"), "a field that is there stays");
}

#[test]
fn a_syslog_header_gives_host_program_process_and_time() {
    let payload = payload(line(&format!("Jul  8 09:10:11 web-1 sshd[812]: {SSH}")), &[]);
    let found = only(&payload);
    assert_eq!(text(&found, "host.name"), Some("web-1"));
    assert_eq!(text(&found, "process.name"), Some("sshd"));
    assert_eq!(found.event.field("process.pid"), Some(&Value::Int(812)));
    assert_eq!(found.event_time, Timestamp::parse_rfc3339("2026-07-08T09:10:11Z"));
    assert!(found.message.starts_with("Jul  8"));
    assert!(!found.partial);
}

#[test]
fn repeated_lines_say_how_often() {
    let payload =
        payload(line(&format!("Jul  8 09:10:11 web-1 sshd[812]: message repeated 3 times: [ {SSH}]")), &[]);
    assert_eq!(only(&payload).event.field("event.repeated"), Some(&Value::Int(3)));
}

#[test]
fn the_time_nearest_to_the_record_counts() {
    let at = |text: &str| Timestamp::parse_rfc3339(text).unwrap();
    let nanos = |text: &str| u64::try_from(at(text).0).unwrap();
    let syslog = line("Jul  8 09:10:11 web-1 x: y");
    let observed = LogRecord { observed_time_unix_nano: nanos("2026-07-08T09:00:02Z"), ..syslog.clone() };
    let timed = LogRecord { time_unix_nano: nanos("2026-07-08T09:00:01Z"), ..observed.clone() };
    for (record, expected) in [
        (timed, Some("2026-07-08T09:00:01Z")),
        (observed, Some("2026-07-08T09:00:02Z")),
        (
            object(&[("@timestamp", "2026-07-08T09:00:03Z"), ("message", "Jul  8 09:10:11 web-1 x: y")]),
            Some("2026-07-08T09:00:03Z"),
        ),
        (line(r#"{"Time":1783501204,"msg":"x"}"#), Some("2026-07-08T09:00:04Z")),
        (line(r#"{"DATE":"Jul  8 09:00:05","MESSAGE":"x"}"#), Some("2026-07-08T09:00:05Z")),
        (object(&[("date", "Jul 08 2025 09:00:06"), ("message", "x")]), Some("2025-07-08T09:00:06Z")),
        (syslog, Some("2026-07-08T09:10:11Z")),
        (line("no time at all"), None),
    ] {
        let payload = payload(record, &[]);
        assert_eq!(only(&payload).event_time, expected.map(at));
    }
}

#[test]
fn structure_is_kept_as_it_is() {
    let attributes = pairs(&[("app.tenant", "a"), ("message.kind", "b")]);
    let record = LogRecord {
        attributes,
        severity_number: 9,
        severity_text: "INFO".to_owned(),
        trace_id: vec![0xab; 16],
        ..object(&[("order", "7"), ("Level", "warn"), ("message", "hello")])
    };
    let payload = payload(record, &[("service.name", "shop"), ("host.name", "web-2")]);
    let found = only(&payload);
    for (name, expected) in [
        ("app.tenant", "a"),
        ("message.kind", "b"),
        ("order", "7"),
        ("message", "hello"),
        ("severity_text", "INFO"),
        ("trace_id", "abababababababababababababababab"),
        ("resource.service.name", "shop"),
        ("host.name", "web-2"),
        ("service.name", "shop"),
    ] {
        assert_eq!(text(&found, name), Some(expected), "{name}");
    }
    assert_eq!(found.message, "hello");
    assert_eq!(found.event.log_source, reading::source(None, None, Some("shop")), "nothing else is known");
}

#[test]
fn one_request_by_many_ways() {
    const ACCESS: &str =
        r#"198.51.100.7 - - [08/Jul/2026:09:10:11 +0000] "GET /.env?a=1 HTTP/1.1" 404 153 "-" "curl/8.5""#;
    let escaped = ACCESS.replace('"', "\\\"");
    let fields = [
        ("remote_addr", "198.51.100.7"),
        ("request", "GET /.env?a=1 HTTP/1.1"),
        ("status", "404"),
        ("http_user_agent", "curl/8.5"),
        ("body_bytes_sent", "153"),
    ];
    let attributes = pairs(&[
        ("client.address", "198.51.100.7"),
        ("network.peer.address", "10.0.0.1"),
        ("http.request.method", "GET"),
        ("url.path", "/.env"),
        ("url.query", "a=1"),
        ("http.response.status_code", "404"),
        ("user_agent.original", "curl/8.5"),
    ]);
    for record in [
        line(ACCESS),
        line(&format!("2026-07-08T09:10:11.5Z stdout F {ACCESS}")),
        line(&format!("Jul  8 09:10:11 web-1 nginx[5]: {ACCESS}")),
        line(&format!(r#"{{"log":"{escaped}\n","stream":"stdout","time":"2026-07-08T09:10:11.5Z"}}"#)),
        object(&[("log", ACCESS), ("stream", "stdout")]),
        object(&fields),
        LogRecord { attributes, ..line("request done") },
    ] {
        let payload = payload(record, &[]);
        let found = only(&payload);
        assert_eq!(text(&found, "client.address"), Some("198.51.100.7"), "{found:?}");
        assert_eq!(text(&found, "url.path"), Some("/.env"));
        assert_eq!(text(&found, "url.path_and_query"), Some("/.env?a=1"));
        assert_eq!(text(&found, "http.request.method"), Some("GET"));
        assert_eq!(text(&found, "user_agent.original"), Some("curl/8.5"));
        let status = found.event.field("http.response.status_code");
        assert!(matches!(status, Some(Value::Int(404))) || status.and_then(Value::as_str) == Some("404"));
        assert_eq!(found.event.log_source.category.as_deref(), Some("webserver"));
    }
}

#[test]
fn the_product_of_a_web_server_is_told_where_it_is_known() {
    const ACCESS: &str = r#"198.51.100.7 - - [08/Jul/2026:09:10:11 +0000] "GET / HTTP/1.1" 200 5"#;
    let product = |payload: Vec<u8>| only(&payload).event.log_source.product.map(Cow::into_owned);
    assert_eq!(
        product(payload(line(&format!("Jul  8 09:10:11 web-1 nginx: {ACCESS}")), &[])).as_deref(),
        Some("nginx")
    );
    assert_eq!(product(payload(line(ACCESS), &[("service.name", "apache")])).as_deref(), Some("apache"));
    let attributes = pairs(&[("log.file.path", "/var/log/nginx/access.log")]);
    assert_eq!(product(payload(LogRecord { attributes, ..line(ACCESS) }, &[])).as_deref(), Some("nginx"));
    assert_eq!(product(payload(line(ACCESS), &[])), None);
}

#[test]
fn native_shapes_are_recognised_by_their_content() {
    for (body, product, service, id) in [
        (
            r#"{"eventVersion":"1.08","eventSource":"iam.amazonaws.com","eventName":"CreateUser","eventID":"e-1","sourceIPAddress":"198.51.100.7"}"#,
            "aws",
            "cloudtrail",
            Some("cloudtrail:e-1"),
        ),
        (
            r#"{"kind":"Event","auditID":"a-1","stage":"ResponseComplete","verb":"get","requestURI":"/api","objectRef":{"resource":"secrets"}}"#,
            "kubernetes",
            "audit",
            Some("kubernetes:a-1:ResponseComplete"),
        ),
        (
            r#"{"insertId":"i-1","timestamp":"2026-07-08T09:10:11Z","protoPayload":{"@type":"type.googleapis.com/google.cloud.audit.AuditLog","methodName":"m"}}"#,
            "gcp",
            "gcp.audit",
            Some("gcp:i-1:2026-07-08T09:10:11Z"),
        ),
        (
            r#"{"eventType":"user.session.start","actor":{"id":"u"},"published":"2026-07-08T09:10:11Z"}"#,
            "okta",
            "okta",
            None,
        ),
        (
            r#"{"action":"repo.create","actor":"alice","_document_id":"d"}"#,
            "github",
            "audit",
            Some("github:d"),
        ),
        (
            r#"{"operationName":"Sign-in activity","category":"SignInLogs","properties":{"a":1}}"#,
            "azure",
            "signinlogs",
            None,
        ),
        ("type=SYSCALL msg=audit(1783501811.000:12): arch=c000003e syscall=59", "linux", "auditd", None),
    ] {
        let payload = payload(line(body), &[]);
        let found = only(&payload);
        assert_eq!(found.event.log_source.product.as_deref(), Some(product), "{body}");
        assert_eq!(found.event.log_source.service.as_deref(), Some(service), "{body}");
        assert_eq!(found.native_id.map(|id| id.to_string()).as_deref(), id, "{body}");
    }
}

#[test]
fn audit_logs_say_who_did_it_from_where() {
    for body in [
        r#"{"eventVersion":"1.08","eventSource":"iam.amazonaws.com","eventName":"CreateUser","recipientAccountId":"a-1","userIdentity":{"userName":"alice"},"sourceIPAddress":"198.51.100.7"}"#,
        r#"{"kind":"Event","auditID":"i","objectRef":{},"user":{"username":"alice"},"sourceIPs":["198.51.100.7","10.0.0.1"]}"#,
        r#"{"protoPayload":{"authenticationInfo":{"principalEmail":"alice"},"requestMetadata":{"callerIp":"198.51.100.7"}}}"#,
        r#"{"eventType":"x","published":"y","actor":{"alternateId":"alice"},"client":{"ipAddress":"198.51.100.7"}}"#,
        r#"{"operationName":"x","category":"y","callerIpAddress":"198.51.100.7","properties":{"userPrincipalName":"alice"}}"#,
        r#"{"operationName":"x","category":"y","properties":"{\"ipAddress\":\"198.51.100.7\",\"userPrincipalName\":\"alice\"}"}"#,
        r#"{"action":"org.add_member","actor":"alice","_document_id":"d","user":"eve","actor_ip":"198.51.100.7"}"#,
    ] {
        let payload = payload(line(body), &[]);
        let found = only(&payload);
        assert_eq!(text(&found, "user.name"), Some("alice"), "{body}");
        assert_eq!(text(&found, "client.address"), Some("198.51.100.7"), "{body}");
        let account = text(&found, "cloud.account.id");
        assert_eq!(account, body.contains("recipientAccountId").then_some("a-1"));
    }
}

#[test]
fn audit_logs_say_when_in_words_of_their_own() {
    for body in [
        r#"{"eventType":"x","actor":{"id":"u"},"published":"2026-07-08T09:10:11Z"}"#,
        r#"{"kind":"Event","auditID":"a","objectRef":{},"stageTimestamp":"2026-07-08T09:10:11.000000Z"}"#,
        r#"{"action":"x","actor":"alice","_document_id":"d","created_at":1783501811000}"#,
    ] {
        let payload = payload(line(body), &[]);
        assert_eq!(only(&payload).event_time, Some(Timestamp(1_783_501_811_000_000_000)), "{body}");
    }
    // Of any other log the same names may mean anything.
    let payload = payload(line(r#"{"published":"2026-07-08T09:10:11Z","title":"a book"}"#), &[]);
    assert_eq!(only(&payload).event_time, None);
}

#[test]
fn details_in_text_are_details_only_of_azure() {
    let azure =
        payload(line(r#"{"operationName":"x","category":"y","Properties":"{\"a\":{\"b\":\"c\"}}"}"#), &[]);
    assert_eq!(text(&only(&azure), "Properties.a.b"), Some("c"));
    for body in [
        r#"{"category":"y","properties":"{\"a\":1}"}"#,
        r#"{"operationName":"x","category":"y","properties":"{\"a\":1"}"#,
        r#"{"operationName":"x","category":"y","properties":"none"}"#,
    ] {
        let payload = payload(line(body), &[]);
        assert!(text(&only(&payload), "properties").is_some(), "{body}");
    }
}

#[test]
fn a_windows_event_in_xml_is_as_one_in_json() {
    let xml = r#"<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='Microsoft-Windows-Sysmon' Guid='{g}'/><EventID>1</EventID><Version>5</Version><TimeCreated SystemTime='2026-07-08T09:10:11.0000000Z'/><Correlation/><Channel>Microsoft-Windows-Sysmon/Operational</Channel><Computer>pc-1</Computer><Security UserID='S-1-5-18'/></System><EventData><Data Name='Image'>C:\Windows\System32\cmd.exe</Data><Data Name='CommandLine'>cmd /c &quot;dir &gt; out&quot;</Data><Data Name='User'></Data></EventData></Event>"#;
    for (text_of_line, header) in [
        (xml.to_owned(), false),
        (format!("<?xml version=\"1.0\"?>\r\n{}\n", xml.replace("><", ">\n  <")), false),
        (format!("<13>Jul  8 09:10:12 forwarder agent: {xml}"), true),
    ] {
        let payload = payload(line(&text_of_line), &[]);
        let found = only(&payload);
        let expected = reading::source(Some("windows"), Some("process_creation"), Some("sysmon"));
        assert_eq!(found.event.log_source, expected, "{text_of_line}");
        assert_eq!(text(&found, "Image"), Some(r"C:\Windows\System32\cmd.exe"));
        assert_eq!(text(&found, "CommandLine"), Some("cmd /c \"dir > out\""));
        assert_eq!(text(&found, "Provider_Name"), Some("Microsoft-Windows-Sysmon"));
        assert_eq!(text(&found, "Computer"), Some("pc-1"));
        assert_eq!(text(&found, "Security_UserID"), Some("S-1-5-18"));
        assert_eq!(found.event_time, Timestamp::parse_rfc3339("2026-07-08T09:10:11Z"));
        assert_eq!(text(&found, "process.name"), header.then_some("agent"));
    }
}

#[test]
fn a_program_nobody_reads_states_its_name_and_what_belongs_to_linux_its_product() {
    let linux = |service| reading::source(Some("linux"), Some("system"), service);
    for (program, expected) in [
        ("useradd", linux(None)),
        ("systemd-resolved", linux(None)),
        ("/usr/sbin/vsftpd", linux(Some("vsftpd"))),
        ("Billing", reading::source(None, None, Some("billing"))),
    ] {
        let text_of_line = format!("<13>Jul  8 09:10:11 web-1 {program}[7]: something odd happened");
        let payload = payload(line(&text_of_line), &[("service.name", "forwarder")]);
        assert_eq!(only(&payload).event.log_source, expected, "{program}");
    }
}

#[test]
fn a_line_of_leef_behind_a_header() {
    let text_of_line = "<13>1 2026-07-08T09:10:11Z gate-1 fence - - - LEEF:1.0|Fence|Gate|4.2|deny|src=198.51.100.7\tdst=10.0.0.5\tdstPort=22\tusrName=alice\turl=/a?b=c";
    let payload = payload(line(text_of_line), &[]);
    let found = only(&payload);
    assert_eq!(text(&found, "DeviceProduct"), Some("Gate"));
    assert_eq!(text(&found, "client.address"), Some("198.51.100.7"));
    assert_eq!(text(&found, "user.name"), Some("alice"));
    assert_eq!(text(&found, "url.path"), Some("/a"));
    assert_eq!(text(&found, "host.name"), Some("gate-1"));
    assert_eq!(found.event.field("destination.port"), Some(&Value::Int(22)));
}

#[test]
fn lines_that_cloudwatch_delivers_are_lines() {
    let delivery = format!(
        r#"{{"messageType":"DATA_MESSAGE","owner":"123456789012","logGroup":"/var/log/secure","logStream":"web-1","subscriptionFilters":["all"],"logEvents":[{{"id":"1","timestamp":1783501811000,"message":"{SSH}"}},{{"id":"2","timestamp":1783501812000,"message":"{SSH}"}}]}}"#
    );
    let payload = payload(line(&delivery), &[]);
    let found: Vec<_> = records(&payload).map(|record| normalize(&record, received_at())).collect();
    let times: Vec<_> = found.iter().filter_map(|found| found.event_time).collect();
    assert_eq!(times, [Timestamp(1_783_501_811_000_000_000), Timestamp(1_783_501_812_000_000_000)]);
    for found in &found {
        assert_eq!(text(found, "event.action"), Some("ssh_login_failed"));
        assert_eq!(text(found, "client.address"), Some("198.51.100.7"));
    }
}

#[test]
fn kubernetes_audit_events_that_cloudwatch_delivers_are_events() {
    let audit = |id: u8, resource: &str| {
        let audit = format!(
            r#"{{"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":"{id}","stage":"ResponseComplete","verb":"list","user":{{"username":"masterclient"}},"objectRef":{{"resource":"{resource}"}},"responseStatus":{{"code":200}},"stageTimestamp":"2026-07-08T09:10:1{id}.000000Z"}}"#
        );
        format!(r#"{{"id":"{id}","timestamp":1783501811000,"message":"{}"}}"#, audit.replace('"', "\\\""))
    };
    let delivery = format!(
        r#"{{"messageType":"DATA_MESSAGE","owner":"123456789012","logGroup":"/aws/eks/shop/cluster","logStream":"kube-apiserver-audit-1","subscriptionFilters":["all"],"logEvents":[{},{}]}}"#,
        audit(1, "pods"),
        audit(2, "secrets")
    );
    let payload = payload(line(&delivery), &[]);
    let found: Vec<_> = records(&payload).map(|record| normalize(&record, received_at())).collect();
    let resources: Vec<_> = found.iter().filter_map(|found| text(found, "objectRef.resource")).collect();
    assert_eq!(resources, ["pods", "secrets"]);
    let ids: Vec<_> = found.iter().filter_map(|found| Some(found.native_id.as_ref()?.to_string())).collect();
    assert_eq!(ids, ["kubernetes:1:ResponseComplete", "kubernetes:2:ResponseComplete"]);
    for found in &found {
        assert_eq!(found.event.log_source.product.as_deref(), Some("kubernetes"));
        assert_eq!(text(found, "event.action"), Some("list"));
    }
}

#[test]
fn other_native_ids() {
    for (record, id) in [
        (LogRecord { attributes: pairs(&[("log.record.uid", "u-1")]), ..line("x") }, Some("otel:u-1")),
        (object(&[("id", "1"), ("deploymentId", "d"), ("message", "x")]), Some("vercel:1")),
        (object(&[("RayID", "r"), ("EdgeResponseStatus", "200")]), Some("cloudflare:http_requests:r")),
        (object(&[("RayID", "r"), ("Action", "block")]), None),
        (object(&[("id", "1"), ("message", "x")]), None),
        (line("x"), None),
    ] {
        let payload = payload(record, &[]);
        assert_eq!(only(&payload).native_id.map(|id| id.to_string()).as_deref(), id);
    }
}

#[test]
fn only_broken_structure_makes_a_record_partial() {
    for text in
        ["", "sshd[", "{\"a\":", "Failed password for", "1.2.3.4 - - [08/Jul/2026:09:10:11 +0000] \"GET"]
    {
        let payload = payload(line(text), &[]);
        assert!(!only(&payload).partial, "{text}");
    }
    let mut body = any("x");
    for _ in 0..200 {
        let values = vec![KeyValue { key: "a".to_owned(), value: Some(body), ..KeyValue::default() }];
        body = AnyValue { value: Some(Any::KvlistValue(KeyValueList { values })) };
    }
    let payload = payload(LogRecord { body: Some(body), ..LogRecord::default() }, &[]);
    assert!(only(&payload).partial);
}
