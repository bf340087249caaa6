//! Threats that appliances report in CEF. The header names the product, the extension subject and object; severities are on
//! the scale of CEF unless the vendor states its own. Sources: the CEF guides of Palo Alto Networks, Fortinet, Check Point,
//! SonicWall and F5.

use std::borrow::Cow;

use sigma::event::Value;

use super::severity::{Scale, Severity};
use super::subject::Subject;
use super::{Alert, firewalls};
use crate::reading::Reading;
use crate::record::Entries;
use crate::word_list::words;

/// A product whose lines in CEF are read here.
struct Product {
    vendor: &'static str,
    tool: &'static str,
    is_threat: fn(&Line<'_, '_>) -> bool,
    signature: &'static [&'static str],
    /// The vendor's own severity, if it has one.
    severity: &'static [(&'static str, Scale)],
    /// A field that marks the server's answer.
    answers: Option<(&'static str, &'static str)>,
}

const PRODUCTS: [Product; 4] = [
    Product {
        vendor: "Palo Alto Networks",
        tool: "pan-os",
        is_threat: |line| {
            line.is("Name", &["THREAT"]) && !line.is("DeviceEventClassID", &["url", "file", "data"])
        },
        signature: &["cat"],
        severity: &[("Severity", Scale::Grade)],
        answers: Some(("flexString2", "server-to-client")),
    },
    Product {
        vendor: "Fortinet",
        tool: "fortigate",
        is_threat: |line| line.is("FTNTFGTsubtype", &["ips", "virus", "anomaly"]),
        signature: &["FTNTFGTattack", "FTNTFGTvirus"],
        severity: &[("FTNTFGTseverity", Scale::Word), ("FTNTFGTcrlevel", Scale::Word)],
        answers: None,
    },
    Product {
        vendor: "Check Point",
        tool: "check_point",
        is_threat: |line| {
            let blades = [
                "SmartDefense",
                "IPS",
                "Anti-Bot",
                "Anti Malware",
                "Anti-Virus",
                "New Anti Virus",
                "Threat Emulation",
            ];
            line.is("DeviceProduct", &blades) || line.is("product", &blades)
        },
        signature: &["protection_name", "Name"],
        severity: &[("Severity", Scale::Word)],
        answers: None,
    },
    Product {
        vendor: "SonicWall",
        tool: "sonicwall",
        is_threat: |line| {
            line.is("DeviceEventClassID", &["608", "609", "761", "789", "790", "794", "795", "809"])
        },
        signature: &["msg", "Name"],
        severity: &[],
        answers: None,
    },
];

/// Words for traffic that was not let through.
const BLOCKED: [&str; 22] = words(
    "prevent drop dropped deny denied block blocked reject reset reset-both reset-client reset-server
     reset_client reset_server block-ip block-url random-drop sinkhole clear_session drop_session
     drop-all-packets quarantine",
);
/// Numbers of SonicOS's messages about prevented attacks.
const SONICWALL_PREVENTED: [&str; 5] = ["609", "790", "794", "809", "761"];

/// Reads the fields of a line in CEF; nothing is added where it reports no threat.
pub(super) fn read<'a>(fields: &Entries<'a>, reading: &mut Reading<'a>) {
    let line = Line { fields };
    if line.is("DeviceVendor", &["F5"]) && line.is("DeviceProduct", &["ASM"]) {
        firewalls::f5_cef(fields, reading);
        return;
    }
    let product = PRODUCTS.iter().find(|product| line.is("DeviceVendor", &[product.vendor]));
    let Some(product) = product.filter(|product| (product.is_threat)(&line)) else { return };
    let answers = product.answers.is_some_and(|(name, word)| line.is(name, &[word]));
    let Some(subject) = line.text(if answers { "dst" } else { "src" }).and_then(Subject::of_address) else {
        return;
    };
    let stated = product.severity.iter().find_map(|(name, scale)| scale.of(line.value(name)?));
    let severity = stated.or_else(|| Scale::Cef.of(line.value("Severity")?)).unwrap_or(Severity::Medium);
    let is_prevented = product.tool == "sonicwall" && line.is("DeviceEventClassID", &SONICWALL_PREVENTED);
    Alert {
        tool: product.tool,
        signature: product.signature.iter().find_map(|name| line.text(name)),
        id: line.text("DeviceEventClassID"),
        severity,
        subject,
        is_traffic: true,
        blocked: Some(is_prevented || line.is("act", &BLOCKED)),
    }
    .add_to(reading);
}

struct Line<'e, 'a> {
    fields: &'e Entries<'a>,
}

impl<'e, 'a> Line<'e, 'a> {
    fn value(&self, name: &str) -> Option<&'e Value<'a>> {
        self.fields.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        match self.value(name)? {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            _ => None,
        }
    }

    fn is(&self, name: &str, words: &[&str]) -> bool {
        let value = self.value(name).and_then(Value::as_str);
        value.is_some_and(|value| words.iter().any(|word| value.eq_ignore_ascii_case(word)))
    }
}
