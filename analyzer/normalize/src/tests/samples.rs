//! One record of each format, through the front door: program, client, time. The other tests
//! vary these.

use super::*;

/// A line and its result.
pub(crate) struct Sample {
    pub(crate) line: &'static str,
    product: &'static str,
    category: &'static str,
    service: &'static str,
    /// The client's address, or empty.
    client: &'static str,
}

const fn sample(line: &'static str, [product, category, service, client]: [&'static str; 4]) -> Sample {
    Sample { line, product, category, service, client }
}

const CLIENT: &str = "198.51.100.7";

/// Each happened at 09:10:11 on 2026-07-08, if it has a time.
pub(crate) const SAMPLES: &[Sample] = &[
    sample(
        "Jul  8 09:10:11 web-1 sshd[812]: Failed password for root from 198.51.100.7 port 50122 ssh2",
        ["linux", "authentication", "sshd", CLIENT],
    ),
    sample(
        "Jul  8 09:10:11 web-1 CRON[812]: (root) CMD (/usr/local/bin/backup)",
        ["linux", "process_creation", "cron", ""],
    ),
    sample(
        "Jul  8 09:10:11 web-1 CRON[812]: pam_unix(cron:session): session opened for user root(uid=0) by (uid=0)",
        ["linux", "authentication", "cron", ""],
    ),
    sample("Jul  8 09:10:11 web-1 crontab[812]: (root) REPLACE (alice)", ["linux", "system", "cron", ""]),
    sample("Jul  8 09:10:11 web-1 systemd[1]: Started nginx.service - Web.", ["linux", "system", "", ""]),
    sample(
        "Jul  8 09:10:11 web-1 systemd-logind[1]: New session 12 of user alice.",
        ["linux", "system", "", ""],
    ),
    sample(
        "Jul  8 09:10:11 web-1 kernel: [  99.123456] [UFW BLOCK] IN=eth0 OUT= MAC=52:54 SRC=198.51.100.7 DST=10.0.0.5 LEN=60 DF PROTO=TCP SPT=51515 DPT=22 SYN",
        ["linux", "firewall", "", CLIENT],
    ),
    sample(
        "IN=eth0 OUT= SRC=198.51.100.7 DST=10.0.0.5 PROTO=UDP SPT=5 DPT=53",
        ["linux", "firewall", "", CLIENT],
    ),
    sample(
        "Jul  8 09:10:11 web-1 audisp-syslog: type=EXECVE msg=audit(1783501811.000:12): argc=2 a0=\"/bin/sh\" a1=2D63",
        ["linux", "process_creation", "auditd", ""],
    ),
    sample(
        "type=USER_LOGIN msg=audit(1783501811.000:12): pid=8 uid=0 msg='op=login acct=\"root\" addr=198.51.100.7 res=failed'",
        ["linux", "authentication", "auditd", CLIENT],
    ),
    sample(
        "Jul  8 09:10:11 web-1 kernel: [   12.345678] audit: type=1400 audit(1783501811.000:9): apparmor=\"DENIED\" name=\"/x\"",
        ["linux", "audit", "auditd", ""],
    ),
    sample(
        "<158>Jul  8 09:10:11 lb-1 haproxy[9]: 198.51.100.7:5 [08/Jul/2026:09:10:11.655] in b/s 1/0/3/6/9 404 27 - - ---- 1/1/1/1/0 0/0 \"GET /a HTTP/1.1\"",
        ["haproxy", "webserver", "haproxy", CLIENT],
    ),
    sample(
        "https 2026-07-08T09:10:11.945958Z app/shop/1 198.51.100.7:4 10.0.0.5:80 0.001 0.012 0.000 404 404 137 337 \"GET https://shop.example.com:443/a HTTP/1.1\" \"curl\" - - arn \"t\" \"shop.example.com\" \"-\" 0 2026-07-08T09:10:11.932000Z \"forward\" \"-\" \"-\"",
        ["aws", "webserver", "elb", CLIENT],
    ),
    sample(
        "2026/07/08 09:10:11 [error] 12#12: *7 open() \"/srv/x\" failed, client: 198.51.100.7, server: shop",
        ["nginx", "", "", CLIENT],
    ),
    sample(
        "[Wed Jul 08 09:10:11.123456 2026] [core:error] [pid 1] [client 198.51.100.7:5001] AH00126: Invalid URI",
        ["apache", "", "", CLIENT],
    ),
    sample(
        "Jul  8 09:10:11 fw-1 CEF:0|Example|Wall|1.0|100|blocked|8|src=198.51.100.7 dst=10.0.0.5 act=blocked",
        ["", "", "", CLIENT],
    ),
    sample(
        "<158>1 2026-07-08T09:10:11+00:00 host heroku router - at=info method=GET path=\"/a\" host=shop.example.com request_id=i fwd=\"203.0.113.9, 198.51.100.7\" dyno=web.1 status=404 bytes=9",
        ["", "webserver", "access", CLIENT],
    ),
    sample(
        "ts=2026-07-08T09:10:11Z level=info method=GET path=/a status=404 remote_addr=198.51.100.7",
        ["", "webserver", "access", CLIENT],
    ),
    sample(
        r#"<30>1 2026-07-08T09:10:11Z web-1 shop 7 - - {"level":"warn","remote_addr":"198.51.100.7","request":"GET /a HTTP/1.1","status":404}"#,
        ["", "webserver", "access", CLIENT],
    ),
    sample(
        r#"<30>Jul  8 09:10:11 web-1 nginx: @cee: {"remote_addr":"198.51.100.7","request":"GET /a HTTP/1.1","status":404}"#,
        ["nginx", "webserver", "nginx", CLIENT],
    ),
    sample(
        r#"{"id":"1","deploymentId":"d","projectId":"p","source":"edge","host":"shop.example.com","timestamp":1783501811000,"proxy":{"clientIp":"198.51.100.7","method":"GET","path":"/a?b=1","statusCode":404,"userAgent":["curl"]}}"#,
        ["vercel", "webserver", "vercel", CLIENT],
    ),
    sample(
        r#"{"ClientIP":"198.51.100.7","ClientRequestMethod":"GET","ClientRequestPath":"/a","ClientRequestURI":"/a?b=1","EdgeResponseStatus":404,"EdgeStartTimestamp":"2026-07-08T09:10:11Z","RayID":"r"}"#,
        ["cloudflare", "webserver", "cloudflare", CLIENT],
    ),
    sample(
        r#"{"eventVersion":"1.08","eventSource":"iam.amazonaws.com","eventName":"CreateUser","eventTime":"2026-07-08T09:10:11Z","sourceIPAddress":"198.51.100.7","eventID":"e"}"#,
        ["aws", "audit", "cloudtrail", CLIENT],
    ),
    sample(
        r#"{"kind":"Event","auditID":"i","stage":"ResponseComplete","verb":"list","requestURI":"/api/v1/secrets","requestReceivedTimestamp":"2026-07-08T09:10:11.000000Z","sourceIPs":["203.0.113.9","198.51.100.7","10.0.0.1"]}"#,
        ["kubernetes", "application", "audit", CLIENT],
    ),
    sample(
        r#"{"channel":"Security","event_id":{"id":4625},"system_time":"2026-07-08T09:10:11Z","event_data":{"TargetUserName":"alice","IpAddress":"198.51.100.7"}}"#,
        ["windows", "authentication", "security", CLIENT],
    ),
    sample(
        r#"{"Channel":"Microsoft-Windows-Sysmon/Operational","EventID":1,"UtcTime":"2026-07-08 09:10:11.000","Image":"C:\\x.exe","CommandLine":"x -y"}"#,
        ["windows", "process_creation", "sysmon", ""],
    ),
];

#[test]
fn every_format_is_told_and_read() {
    for sample in SAMPLES {
        let payload = payload(line(sample.line), &[]);
        let found = only(&payload);
        let placed = &found.event.log_source;
        let said = [&placed.product, &placed.category, &placed.service]
            .map(|part| part.as_deref().unwrap_or_default());
        assert_eq!(said, [sample.product, sample.category, sample.service], "{}", sample.line);
        assert_eq!(text(&found, "client.address").unwrap_or_default(), sample.client, "{}", sample.line);
        assert!(!found.partial, "{}", sample.line);
        let noon = Timestamp::parse_rfc3339("2026-07-08T09:10:11Z");
        assert!(
            found.event_time.is_none() || found.event_time == noon,
            "{}: {:?}",
            sample.line,
            found.event_time
        );
    }
}

#[test]
fn no_name_is_there_twice_by_our_doing() {
    for sample in SAMPLES {
        let payload = payload(line(sample.line), &[]);
        let found = only(&payload);
        for (at, (name, _)) in found.event.fields.iter().enumerate() {
            let is_first = !found.event.fields.iter().take(at).any(|(earlier, _)| earlier == name);
            assert!(is_first, "{name} of {}", sample.line);
        }
    }
}

#[test]
fn requests_keep_path_and_query_together() {
    for sample in SAMPLES.iter().filter(|sample| sample.line.contains("/a?b=1")) {
        let payload = payload(line(sample.line), &[]);
        assert_eq!(text(&only(&payload), "url.path_and_query"), Some("/a?b=1"), "{}", sample.line);
    }
}

#[test]
fn a_line_no_reader_knows_still_reaches_keyword_rules() {
    for unknown in ["something odd happened to node 7", "a=1", "%APP-302013: Built connection", "\u{1}\u{2}"]
    {
        let payload = payload(line(unknown), &[]);
        let found = only(&payload);
        assert_eq!(found.event.log_source, sigma::event::LogSource::default(), "{unknown}");
        assert_eq!(text(&found, "message"), Some(unknown));
    }
}

#[test]
fn the_records_of_a_delivery_are_told_one_by_one() {
    let record = |id: &str| {
        format!(
            r#"{{"eventVersion":"1.08","eventSource":"iam.amazonaws.com","eventName":"CreateUser","eventTime":"2026-07-08T09:10:11Z","eventID":"{id}"}}"#
        )
    };
    let delivery = format!(r#"{{"Records":[{},{}]}}"#, record("one"), record("two"));
    let payload = payload(LogRecord { observed_time_unix_nano: 1, ..line(&delivery) }, &[]);
    let found: Vec<_> = records(&payload).map(|record| normalize(&record, received_at())).collect();
    let ids: Vec<_> =
        found.iter().filter_map(|found| found.native_id.as_ref()).map(ToString::to_string).collect();
    assert_eq!(ids, ["cloudtrail:one", "cloudtrail:two"]);
    for found in &found {
        assert_eq!(text(found, "eventName"), Some("CreateUser"));
        assert_eq!(found.event.log_source.service.as_deref(), Some("cloudtrail"));
        assert_eq!(found.event_time, Timestamp::parse_rfc3339("2026-07-08T09:10:11Z"));
    }
}

#[test]
fn only_the_first_line_is_a_line() {
    let two = "type=CWD msg=audit(1783501811.000:1): cwd=\"/\"\ntype=USER_LOGIN msg=audit(1.0:2): acct=\"x\"";
    let payload = payload(line(two), &[]);
    let found = only(&payload);
    assert_eq!(text(&found, "type"), Some("CWD"));
    assert_eq!(text(&found, "acct"), None);
}
