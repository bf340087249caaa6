//! Lines and records, and the format that each is recognised as.

use std::collections::BTreeSet;

use super::*;
use crate::tests::samples::SAMPLES;
use crate::tests::{line, object, only, payload};

fn of_line(text: &str) -> Option<&'static str> {
    only(&payload(line(text), &[])).format.map(Format::name)
}

fn of_object(entries: &[(&str, &str)]) -> Option<&'static str> {
    only(&payload(object(entries), &[])).format.map(Format::name)
}

#[test]
fn names_are_unique() {
    let names: Vec<&str> = Format::all().map(Format::name).collect();
    let unique: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(names.len(), unique.len());
    assert!(names.len() > 130 && names.iter().all(|name| !name.is_empty()));
}

#[test]
fn lines_have_the_format_of_their_program() {
    for (text, expected) in [
        (
            "Jul  8 09:10:11 web-1 sshd[812]: Failed password for root from 198.51.100.7 port 50122 ssh2",
            "OpenSSH",
        ),
        ("Jul  8 09:10:11 web-1 sshd[812]: Server listening on 0.0.0.0 port 22.", "OpenSSH"),
        ("Failed password for root from 198.51.100.7 port 50122 ssh2", "OpenSSH"),
        ("Jul  8 09:10:11 web-1 sudo: anna : TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/bin/sh", "sudo"),
        ("Jul  8 09:10:11 web-1 CRON[812]: (root) CMD (/usr/local/bin/backup)", "cron"),
        ("Jul  8 09:10:11 web-1 systemd[1]: Started nginx.service - Web.", "systemd"),
        ("Jul  8 09:10:11 web-1 kernel: [    1.000000] usb 1-1: new device", "Linux kernel"),
        (
            "Jul  8 09:10:11 web-1 kernel: [UFW BLOCK] IN=eth0 OUT= SRC=198.51.100.7 DST=10.0.0.5 PROTO=UDP SPT=5 DPT=53",
            "Linux firewall (netfilter)",
        ),
        (
            r#"198.51.100.7 - - [08/Jul/2026:09:10:11 +0000] "GET / HTTP/1.1" 200 12"#,
            "Apache or nginx access log",
        ),
        (
            r#"Jul  8 09:10:11 web-1 nginx: 198.51.100.7 - - [08/Jul/2026:09:10:11 +0000] "GET / HTTP/1.1" 200 12"#,
            "Apache or nginx access log",
        ),
        ("2026/07/08 09:10:11 [notice] 1#1: start worker process 7", "web server error log"),
        ("Jul  8 09:10:11 web-1 postfix/qmgr[9]: 4F1: removed", "Postfix"),
        ("Jul  8 09:10:11 web-1 postfix/smtpd[9]: connect from unknown[198.51.100.7]", "Postfix"),
        ("Jul  8 09:10:11 web-1 dovecot: master: Dovecot v2.3.21 starting up", "Dovecot"),
        ("Jul  8 09:10:11 web-1 useradd[9]: new user: name=eve", "Linux accounts and system services"),
        ("Jul  8 09:10:11 web-1 billing[9]: invoice 12 written", "syslog, program not recognised"),
        (
            "Jul  8 09:10:11 web-1 billing[9]: login failed for user anna from 198.51.100.7",
            "failed login, program not recognised",
        ),
        ("type=USER_LOGIN msg=audit(1783501811.000:12): pid=8 uid=0 msg='op=login res=failed'", "auditd"),
        ("CEF:0|Vendor|Product|1.0|100|Name|5|src=198.51.100.7", "CEF"),
        ("LEEF:1.0|Vendor|Product|1.0|100|src=198.51.100.7", "LEEF"),
        ("user=anna src_ip=198.51.100.7 dst_port=22 action=login", "JSON or key=value, fields recognised"),
        (
            r#"{"user":"anna","client_ip":"198.51.100.7","event":"login"}"#,
            "JSON or key=value, fields recognised",
        ),
        (
            r#"{"method":"GET","path":"/a","status":200,"remote_addr":"198.51.100.7"}"#,
            "HTTP requests as JSON",
        ),
        (
            "%ASA-6-113005: AAA user authentication Rejected : reason = AAA failure : server = 10.0.0.5 : user = anna : user IP = 198.51.100.7",
            "Cisco",
        ),
        ("/srv/up/a.bin: Win.Test.EICAR_HDB-1 FOUND", "security tool alert"),
    ] {
        assert_eq!(of_line(text), Some(expected), "{text}");
    }
}

#[test]
fn structured_records_have_the_format_of_their_names() {
    let trail = [("eventSource", "iam.amazonaws.com"), ("eventName", "CreateUser"), ("eventVersion", "1.08")];
    assert_eq!(of_object(&trail), Some("AWS CloudTrail"));
    let audit = [("kind", "Event"), ("auditID", "a"), ("stage", "ResponseComplete")];
    assert_eq!(of_object(&audit), Some("Kubernetes audit"));
    assert_eq!(of_object(&[("Channel", "Security"), ("EventID", "4625")]), Some("Windows event"));
}

#[test]
fn text_that_no_reader_claims_has_no_format() {
    for text in [
        "",
        "invoice 12 written",
        "*** begin of dump ***",
        r#"{"level":"info","msg":"cache warmed"}"#,
        "level=info msg=\"cache warmed\"",
        "0x41 0x42 0x43",
    ] {
        assert_eq!(of_line(text), None, "{text}");
    }
}

#[test]
fn every_sample_has_a_format() {
    let unrecognised: Vec<&str> =
        SAMPLES.iter().map(|sample| sample.line).filter(|line| of_line(line).is_none()).collect();
    assert_eq!(unrecognised, [""; 0]);
}
