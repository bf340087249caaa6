//! `docs/coverage.md` is made of the tags of the built-in rules: ATT&CK technique by platform, with the rules and the log that
//! each platform needs. The test writes the page if `UPDATE_COVERAGE=1` is set and else compares.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use sigma::{Level, RuleInfo};

use super::{built_in, name_of};

/// Platforms: the beginnings of the names of their rules, and the log that they read.
const PLATFORMS: [(&str, &[&str], &str); 10] = [
    (
        "Linux hosts",
        &["ssh_", "pam_", "su_", "sudo_", "linux_", "kernel_", "cron_"],
        "syslog or journal of the host (auth, kernel, cron); execution needs the audit log with `execve`",
    ),
    (
        "Network services",
        &["service_", "kerberos_service_", "redis_", "dns_", "proxy_", "turn_", "services_", "smb_"],
        "the service's own log or syslog, with the logging that its manual recommends",
    ),
    (
        "Web",
        &["web_"],
        "access log in a common format; error log of the server for what never becomes a request",
    ),
    (
        "Containers and Kubernetes",
        &["kubernetes_", "container_"],
        "audit log of the Kubernetes API; process log of the node",
    ),
    ("AWS", &["aws_"], "CloudTrail management events; data events for reads of objects and secrets"),
    (
        "Google Cloud",
        &["gcp_", "workspace_", "google_"],
        "Cloud Audit Logs: admin activity and data access; Workspace audit",
    ),
    ("Azure", &["azure_"], "activity log, resource logs"),
    (
        "Identity providers",
        &["okta_", "entra_", "identity_"],
        "Okta System Log; Entra sign-in and audit logs",
    ),
    (
        "Windows",
        &["windows_", "ntlm_", "kerberos_"],
        "Security log with the audit policy for logons, processes and accounts; Sysmon",
    ),
    ("Source code and others", &[""], "audit log of GitHub and GitLab; firewall log; alerts of other tools"),
];

/// Attacks of the service laboratory that are not seen, and the reason.
const UNSEEN: &str = include_str!("../../../tests/analyzer/lab_unseen.txt");

const HEAD: &str = "# Coverage

ATT&CK techniques that the built-in rules detect, by platform. Generated from the tags of the rules; rules that only count for
others are left out. Each rule has records that it must match and records that it must not, in `analyzer/src/pack/tests`.
";

fn platform(name: &str) -> usize {
    let is_of = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    PLATFORMS.iter().position(|(_, prefixes, _)| is_of(prefixes)).unwrap_or(PLATFORMS.len() - 1)
}

fn page() -> String {
    let rules = built_in().unwrap();
    let single = rules.rules().iter().map(|rule| &rule.info);
    let infos: Vec<&RuleInfo> = single.chain(rules.correlations().iter().map(|rule| &rule.info)).collect();
    let mut techniques: BTreeMap<usize, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for info in infos.into_iter().filter(|info| info.level >= Some(Level::Low)) {
        let of_platform = techniques.entry(platform(&name_of(info))).or_default();
        for technique in info.techniques() {
            of_platform.entry(technique).or_default().insert(info.title.clone());
        }
    }
    let mut page = HEAD.to_owned();
    for (index, of_platform) in techniques {
        let (title, _, log) = PLATFORMS[index];
        let _ = write!(page, "\n## {title}\n\nLog: {log}.\n\n| technique | rules |\n|---|---|\n");
        for (technique, titles) in of_platform {
            let titles: Vec<_> = titles.into_iter().collect();
            let _ = writeln!(page, "| {technique} | {} |", titles.join("; "));
        }
    }
    page.push_str("\n## Not visible\n\nAttacks on services of the laboratory (`analyzer/lab`) that make no incident, because the log of the\nservice does not show them or shows the same for ordinary use.\n\n| service and attack | reason |\n|---|---|\n");
    for (name, reason) in
        UNSEEN.lines().filter(|row| !row.starts_with('#')).filter_map(|row| row.split_once(" | "))
    {
        let _ = writeln!(page, "| {name} | {reason} |");
    }
    page
}

#[test]
fn the_page_of_coverage_is_that_of_the_rules() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/coverage.md");
    let page = page();
    if std::env::var_os("UPDATE_COVERAGE").is_some() {
        fs::write(&file, &page).unwrap();
    }
    let written = fs::read_to_string(&file).unwrap();
    let first = written.lines().zip(page.lines()).find(|(written, page)| written != page);
    assert!(
        written == page,
        "docs/coverage.md is out of date at {first:?}: run this test with UPDATE_COVERAGE=1"
    );
}
