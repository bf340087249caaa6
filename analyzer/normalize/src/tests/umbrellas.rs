//! Records of a member category meet the rules of its umbrella, and others do not.

use sigma::rule::RuleLogSource;

use super::*;

fn rule([product, category, service]: [&str; 3]) -> RuleLogSource {
    let stated = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    RuleLogSource {
        product: stated(product),
        category: stated(category),
        service: stated(service),
        ..RuleLogSource::default()
    }
}

/// Whether a rule of this log source is for a record.
fn is_for(source: [&str; 3], record: &str) -> bool {
    let payload = payload(line(record), &[]);
    rule(source).accepts(&only(&payload).event.log_source)
}

const SYSMON: &str = r#""Channel":"Microsoft-Windows-Sysmon/Operational""#;

#[test]
fn umbrella_categories_match_their_members() {
    let sysmon = |more: &str| format!("{{{SYSMON},{more}}}");
    let registry = [
        sysmon(r#""EventID":13,"EventType":"SetValue","TargetObject":"HKLM\\Software\\Run\\x""#),
        sysmon(r#""EventID":12,"EventType":"CreateKey","TargetObject":"HKLM\\Software\\x""#),
        sysmon(r#""EventID":12,"EventType":"DeleteValue","TargetObject":"HKLM\\Software\\x""#),
        sysmon(r#""EventID":14,"EventType":"RenameKey","TargetObject":"HKLM\\Software\\x""#),
        r#"{"Channel":"Security","EventID":4657,"ObjectName":"\\REGISTRY\\MACHINE\\x"}"#.to_owned(),
    ];
    for record in &registry {
        assert!(is_for(["windows", "registry_event", ""], record), "{record}");
        assert!(!is_for(["windows", "file_event", ""], record), "{record}");
    }
    assert!(is_for(["windows", "registry_set", ""], &registry[0]));
    assert!(!is_for(["windows", "registry_add", ""], &registry[0]));
    let query = sysmon(r#""EventID":22,"QueryName":"example.org""#);
    assert!(is_for(["", "dns", ""], &query) && is_for(["windows", "dns_query", ""], &query));
    assert!(!is_for(["", "proxy", ""], &query));
    let process = r#"{"Channel":"Security","EventID":4688,"NewProcessName":"C:\\x.exe"}"#;
    assert!(
        is_for(["windows", "process_creation", ""], process) && is_for(["windows", "", "security"], process)
    );
    assert!(!is_for(["windows", "registry_event", ""], process));
}

#[test]
fn umbrella_services_of_linux_match_their_programs() {
    let sudo = "Nov 25 10:00:00 web1 sudo[1]: bob : TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/bin/ls";
    let login = "Nov 25 10:00:00 web1 sshd[7]: Failed password for root from 203.0.113.9 port 4242 ssh2";
    let cron = "Nov 25 10:00:00 web1 CRON[9]: (root) CMD (true)";
    for (service, record, expected) in [
        ("auth", sudo, true),
        ("auth", login, true),
        ("auth", cron, false),
        ("syslog", sudo, true),
        ("syslog", cron, true),
        ("sudo", login, false),
        ("auditd", login, false),
    ] {
        assert_eq!(is_for(["linux", "", service], record), expected, "{service}: {record}");
    }
    let execution = r#"type=EXECVE msg=audit(1793491201.114:771): argc=1 a0="id""#;
    assert!(is_for(["linux", "process_creation", ""], execution));
    assert!(!is_for(["linux", "", "syslog"], execution));
}

#[test]
fn alerts_of_antivirus_programs_are_for_rules_of_both_categories() {
    let found = "Nov 25 10:00:00 web1 clamd[7]: /srv/up/a.exe: Win.Test.Own-1 FOUND";
    for category in ["antivirus", "alert"] {
        assert!(is_for(["", category, ""], found), "{category}");
    }
    assert!(is_for(["linux", "", "clamav"], found));
    let traffic = r#"{"event_type":"alert","alert":{"signature":"x","signature_id":1,"severity":1},"src_ip":"203.0.113.9"}"#;
    assert!(is_for(["", "alert", ""], traffic) && !is_for(["", "antivirus", ""], traffic));
}
