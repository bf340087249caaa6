//! Windows events as JSON.

use super::*;
use crate::normalize::json;

const SYSMON: &str = r##"{"Event":{"#attributes":{"xmlns":"x"},"System":{"Provider":{"#attributes":{"Name":"Microsoft-Windows-Sysmon"}},
"EventID":{"#attributes":{"Qualifiers":0},"#text":1},"Channel":"Microsoft-Windows-Sysmon/Operational","Computer":"pc-1"},
"EventData":{"Image":"C:\\Windows\\System32\\cmd.exe","CommandLine":"cmd /c dir"}}}"##;

fn flat(text: &'static str) -> Entries<'static> {
    let mut fields = json::object(&Cow::Borrowed(text)).unwrap();
    flatten(&mut fields);
    fields
}

#[test]
fn the_nested_form_is_made_flat() {
    let fields = flat(SYSMON);
    let value = |name: &str| fields.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
    assert_eq!(value("Image"), Some(Value::String(r"C:\Windows\System32\cmd.exe".into())));
    assert_eq!(value("Provider_Name"), Some(Value::String("Microsoft-Windows-Sysmon".into())));
    assert_eq!(value("EventID"), Some(Value::Int(1)));
    assert_eq!(value("EventID_Qualifiers"), Some(Value::Int(0)));
}

#[test]
fn channel_and_number_give_the_log_source() {
    let placed = |text| log_source(&Roles::of(&flat(text)));
    let process = |service| Some(source(Some("windows"), Some("process_creation"), Some(service)));
    assert_eq!(placed(SYSMON), process("sysmon"));
    assert_eq!(
        placed(r#"{"Channel":"Security","EventID":"4688","NewProcessName":"x"}"#),
        process("security")
    );
    assert_eq!(
        placed(
            r#"{"winlog":{"channel":"Security","event_id":"4625","event_data":{"IpAddress":"198.51.100.7"}}}"#
        ),
        Some(source(Some("windows"), None, Some("security")))
    );
    assert_eq!(placed(r#"{"Channel":"general","EventID":1}"#), None);
    assert_eq!(placed(r#"{"Event":"party","EventID":1}"#), None);
}
