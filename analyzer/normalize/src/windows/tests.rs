//! Windows events as JSON.

use sigma::event::{LogSource, Value};

use super::*;
use crate::json;
use crate::record::Entries;

const SYSMON: &str = r##"{"Event":{"#attributes":{"xmlns":"x"},"System":{"Provider":{"#attributes":{"Name":"Microsoft-Windows-Sysmon"}},
"EventID":{"#attributes":{"Qualifiers":0},"#text":1},"Channel":"Microsoft-Windows-Sysmon/Operational","Computer":"pc-1"},
"EventData":{"Image":"C:\\Windows\\System32\\cmd.exe","CommandLine":"cmd /c dir"}}}"##;

fn flat(text: &'static str) -> Entries<'static> {
    let mut fields = json::entries(text).unwrap();
    flatten(&mut fields);
    fields
}

fn event(text: &'static str) -> Event<'static> {
    Event { fields: flat(text), ..Event::default() }
}

fn reading<'a>(event: &Event<'a>) -> Option<Reading<'a>> {
    let mut reading = Reading::default();
    read(event, &Roles::of(&event.fields), &mut reading);
    (reading != Reading::default()).then_some(reading)
}

fn placed(text: &'static str) -> Option<LogSource<'static>> {
    let event = event(text);
    reading(&event).map(|reading| reading.log_source)
}

#[test]
fn the_nested_form_is_made_flat() {
    let event = event(SYSMON);
    let value = |name: &str| event.field(name).cloned();
    assert_eq!(value("Image"), Some(Value::String(r"C:\Windows\System32\cmd.exe".into())));
    assert_eq!(value("Provider_Name"), Some(Value::String("Microsoft-Windows-Sysmon".into())));
    assert_eq!(value("EventID"), Some(Value::Int(1)));
    assert_eq!(value("EventID_Qualifiers"), Some(Value::Int(0)));
}

#[test]
fn every_converter_gives_the_same_logon() {
    for text in [
        r##"{"Event":{"System":{"EventID":4625,"Channel":"Security"},"EventData":{"Data":[{"#attributes":{"Name":"TargetUserName"},"#text":"alice"},{"#attributes":{"Name":"IpAddress"},"#text":"198.51.100.7"}]}}}"##,
        r##"{"Event":{"System":{"EventID":{"@Qualifiers":"0","#text":"4625"},"Channel":"Security"},"EventData":{"Data":[{"@Name":"TargetUserName","#text":"alice"},{"@Name":"IpAddress","#text":"198.51.100.7"}]}}}"##,
        r#"{"System":{"EventID":4625,"Channel":"Security"},"EventData":{"TargetUserName":"alice","IpAddress":"198.51.100.7"}}"#,
        r#"{"EventID":4625,"Channel":"Security","EventData":{"TargetUserName":"alice","IpAddress":"198.51.100.7"}}"#,
        r#"{"EventID":"4625","Channel":"Security","TargetUserName":"alice","IpAddress":"::ffff:198.51.100.7"}"#,
        r#"{"winlog":{"channel":"Security","event_id":"4625","event_data":{"TargetUserName":"alice","IpAddress":"198.51.100.7"}}}"#,
        r#"{"channel":"Security","computer":"pc-1","event_id":{"id":4625,"qualifiers":0},"provider":{"name":"Microsoft-Windows-Security-Auditing"},"event_data":{"TargetUserName":"alice","IpAddress":"198.51.100.7"}}"#,
        r#"{"channel":"Security","event_id":{"id":4625,"qualifiers":0},"event_data":{"data":[{"TargetUserName":"alice"},{"IpAddress":"198.51.100.7"}]}}"#,
    ] {
        let event = event(text);
        let reading = reading(&event).unwrap_or_else(|| panic!("not read: {text}"));
        let value = |name: &str| reading.fields.iter().find(|(own, _)| *own == name)?.1.as_str();
        assert_eq!(value("event.action"), Some("windows_logon"), "{text}");
        assert_eq!(value("event.outcome"), Some("failure"), "{text}");
        assert_eq!(value("user.name"), Some("alice"), "{text}");
        assert_eq!(value("client.address"), Some("198.51.100.7"), "{text}");
        assert_eq!(event.field("TargetUserName").and_then(Value::as_str), Some("alice"), "{text}");
        assert_eq!(
            reading.log_source,
            source(Some("windows"), Some("authentication"), Some("security")),
            "{text}"
        );
    }
}

#[test]
fn data_without_names_stays_together() {
    let event = event(
        r##"{"Event":{"System":{"EventID":400,"Channel":"Windows PowerShell"},"EventData":{"Data":["Available","HostApplication=powershell -enc x"]},"UserData":{"RuleData":{"RuleName":"r"}}}}"##,
    );
    assert!(matches!(event.field("Data"), Some(Value::Array(values)) if values.len() == 2));
    assert_eq!(event.field("RuleName").and_then(Value::as_str), Some("r"));
}

#[test]
fn changes_to_accounts_say_who_changed_whom() {
    let event = event(
        r#"{"EventID":4720,"Channel":"Security","TargetUserName":"eve","SubjectUserName":"admin","IpAddress":"-"}"#,
    );
    let reading = reading(&event).unwrap();
    let value = |name: &str| reading.fields.iter().find(|(own, _)| *own == name)?.1.as_str();
    assert_eq!((value("user.name"), value("user.target.name")), (Some("admin"), Some("eve")));
    assert_eq!(value("client.address"), None);
}

#[test]
fn channel_and_number_give_the_log_source() {
    let windows = |category, service| Some(source(Some("windows"), category, Some(service)));
    assert_eq!(placed(SYSMON), windows(Some("process_creation"), "sysmon"));
    for (text, expected) in [
        (
            r#"{"Channel":"Security","EventID":"4688","NewProcessName":"x"}"#,
            windows(Some("process_creation"), "security"),
        ),
        (
            r#"{"Channel":"Microsoft-Windows-Sysmon/Operational","EventID":3}"#,
            windows(Some("network_connection"), "sysmon"),
        ),
        (
            r#"{"Channel":"Microsoft-Windows-Sysmon/Operational","EventID":12,"EventType":"DeleteValue"}"#,
            windows(Some("registry_delete"), "sysmon"),
        ),
        (
            r#"{"Channel":"Microsoft-Windows-Sysmon/Operational","EventID":12,"EventType":"CreateKey"}"#,
            windows(Some("registry_add"), "sysmon"),
        ),
        (
            r#"{"Channel":"Microsoft-Windows-Sysmon/Operational","EventID":22}"#,
            windows(Some("dns_query"), "sysmon"),
        ),
        (
            r#"{"Channel":"Microsoft-Windows-PowerShell/Operational","EventID":4104,"ScriptBlockText":"x"}"#,
            windows(Some("ps_script"), "powershell"),
        ),
        (
            r#"{"Channel":"Microsoft-Windows-AppLocker/EXE and DLL","EventID":8004}"#,
            windows(Some("event_log"), "applocker"),
        ),
        (
            r#"{"Channel":"Linux-Sysmon/Operational","EventID":1}"#,
            Some(source(Some("linux"), Some("process_creation"), Some("sysmon"))),
        ),
        (
            r#"{"Channel":"Microsoft-Windows-Windows Defender/Operational","EventID":1116}"#,
            windows(Some("antivirus"), "windefend"),
        ),
        (r#"{"Channel":"Application","EventID":1000}"#, windows(None, "application")),
        (r#"{"Channel":"general","EventID":1}"#, None),
        (r#"{"Event":"party","EventID":1}"#, None),
        (r#"{"channel":"Security","event_id":{}}"#, None),
    ] {
        assert_eq!(placed(text), expected, "{text}");
    }
}

#[test]
fn records_that_only_look_like_it_keep_their_shape() {
    for text in [r#"{"System":{"cpu":1}}"#, r#"{"EventData":{"a":1}}"#, r#"{"Event":{"System":{"cpu":1}}}"#] {
        let event = event(text);
        assert!(event.field("cpu").is_none() && event.field("a").is_none(), "{text}");
    }
}
