//! The logs of the company: their files of scenes, their owners, and their wire formats.

use loadtest::forms::Form;

/// A log that is sent as a source of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Log {
    /// Name of the source, and of the file of its scenes.
    pub(crate) name: &'static str,
    pub(crate) application_group: &'static str,
    pub(crate) environment: &'static str,
    pub(crate) form: Form,
    /// Its scenes.
    pub(crate) scenes: &'static str,
}

const fn log(name: &'static str, application_group: &'static str, form: Form, scenes: &'static str) -> Log {
    Log { name, application_group, environment: "production", form, scenes }
}

/// Every log of the company.
pub(crate) const LOGS: [Log; 16] = [
    log("linux", "platform", Form::Protobuf, include_str!("scenes/linux.txt")),
    log("auditd", "platform", Form::OtlpJson, include_str!("scenes/auditd.txt")),
    log("services", "platform", Form::Protobuf, include_str!("scenes/services.txt")),
    log("firewall", "network", Form::Ndjson, include_str!("scenes/firewall.txt")),
    log("shop", "shop", Form::Protobuf, include_str!("scenes/shop.txt")),
    log("website", "website", Form::JsonArray, include_str!("scenes/website.txt")),
    log("drains", "shop", Form::Ndjson, include_str!("scenes/drains.txt")),
    Log {
        environment: "staging",
        ..log("staging", "shop", Form::OtlpJson, include_str!("scenes/staging.txt"))
    },
    log("kubernetes", "platform", Form::Ndjson, include_str!("scenes/kubernetes.txt")),
    log("aws", "cloud", Form::Ndjson, include_str!("scenes/aws.txt")),
    log("azure", "cloud", Form::JsonArray, include_str!("scenes/azure.txt")),
    log("gcp", "cloud", Form::Ndjson, include_str!("scenes/gcp.txt")),
    log("okta", "office", Form::Ndjson, include_str!("scenes/okta.txt")),
    log("github", "office", Form::JsonArray, include_str!("scenes/github.txt")),
    log("windows", "office", Form::Ndjson, include_str!("scenes/windows.txt")),
    log("sysmon", "office", Form::Ndjson, include_str!("scenes/sysmon.txt")),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::scene::{Day, Script};
    use super::*;

    /// Every line of every scene can be filled, and one that begins like JSON is JSON.
    #[test]
    fn every_scene_can_be_played() {
        let day = Day { end_ms: 1_795_165_811_250, scale: 0.01, seed: 7 };
        let mut titles = BTreeSet::new();
        for log in LOGS {
            let script = Script::read(log.name, log.scenes).unwrap();
            for (index, scene) in script.scenes.iter().enumerate() {
                assert!(titles.insert((log.name, scene.title)), "{}: {} twice", log.name, scene.title);
                let mut records = Vec::new();
                script.play(index, day, &mut records).unwrap();
                for record in &records {
                    let is_json = serde_json::from_str::<serde_json::Value>(&record.text).is_ok();
                    assert!(is_json || !record.text.starts_with('{'), "{}: {}", log.name, record.text);
                }
            }
        }
        assert!(titles.len() > 150, "{}", titles.len());
    }
}
