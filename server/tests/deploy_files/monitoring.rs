//! Prometheus and Grafana: the metrics they query exist, and every alert names a remedy.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::compose::services;
use crate::metrics::{Known, PREFIX};
use crate::{DOCUMENTS, expressions, names, report, root, text, texts, yaml};

pub(crate) const ALERTS: [&str; 2] = ["deploy/prometheus/alerts.yml", "deploy/prometheus/alerts-cluster.yml"];
const SCRAPES: [&str; 2] = ["deploy/prometheus/single.yml", "deploy/prometheus/cluster.yml"];
const DASHBOARD: &str = "deploy/grafana/dashboards/palisade.json";
/// Labels and metrics that Prometheus adds itself.
const OF_PROMETHEUS: [&str; 1] = ["up"];
/// Labels that scraping sets.
const OF_SCRAPING: [&str; 3] = ["job", "role", "instance"];

pub(crate) fn rules(file: &str) -> Vec<Value> {
    let groups = yaml(file)["groups"].as_array().unwrap().clone();
    groups.iter().flat_map(|group| group["rules"].as_array().unwrap().clone()).collect()
}

fn dashboard() -> Value {
    serde_json::from_str(&text(DASHBOARD)).unwrap()
}

fn panels() -> Vec<Value> {
    dashboard()["panels"].as_array().unwrap().clone()
}

/// Every expression, with its location.
pub(crate) fn expressions() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for rule in ALERTS.iter().flat_map(|file| rules(file)) {
        let name = rule["alert"].as_str().unwrap();
        found.push((name.to_owned(), rule["expr"].as_str().unwrap().to_owned()));
    }
    for panel in panels() {
        for target in panel["targets"].as_array().unwrap() {
            found.push((panel["title"].to_string(), target["expr"].as_str().unwrap().to_owned()));
        }
    }
    assert!(found.len() > 30, "only {} expressions were found", found.len());
    found
}

#[test]
fn every_metric_that_is_asked_for_exists() {
    let known = Known::read();
    let mut complaints = Vec::new();
    for (place, expression) in expressions() {
        let metrics = expressions::metrics(&expression);
        assert!(!metrics.is_empty(), "{place}: {expression} names no metric");
        for metric in metrics {
            if !known.has(&metric) && !OF_PROMETHEUS.contains(&metric.as_str()) {
                complaints.push(format!("{place}: nobody counts {metric}"));
            }
        }
        for (label, value) in expressions::labels(&expression) {
            if !OF_SCRAPING.contains(&label.as_str()) && !known.have_text(&value) {
                complaints.push(format!("{place}: no {label} is ever {value:?}"));
            }
        }
    }
    report(&complaints);
}

#[test]
fn every_metric_has_the_prefix_of_the_product() {
    let complaints: Vec<String> =
        Known::read().without_prefix().map(|name| format!("{name} does not begin with {PREFIX}")).collect();
    report(&complaints);
}

/// Words in texts for people that look like metrics.
#[test]
fn every_metric_that_is_written_about_exists() {
    let known = Known::read();
    let mut complaints = Vec::new();
    let mut checked = 0;
    for document in DOCUMENTS.iter().chain(&ALERTS) {
        let text = text(document);
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && !"_./-".contains(c));
        let like_metrics = words.filter(|word| word.starts_with(PREFIX));
        for word in like_metrics.filter(|word| !word.contains(['.', '/', '-'])) {
            checked += 1;
            if !known.means(word) {
                complaints.push(format!("{document}: nobody counts {word}"));
            }
        }
    }
    assert!(checked > 20, "only {checked} words look like metrics");
    report(&complaints);
}

#[test]
fn every_alert_says_what_happened_and_what_to_do() {
    let all: Vec<Value> = ALERTS.iter().flat_map(|file| rules(file)).collect();
    let names: BTreeSet<_> = all.iter().map(|rule| rule["alert"].as_str().unwrap()).collect();
    assert_eq!(names.len(), all.len(), "two alerts share a name");
    assert!(all.len() <= 15, "{} alerts: who is told everything listens to nothing", all.len());
    for rule in &all {
        let name = rule["alert"].as_str().unwrap();
        assert!(["page", "ticket"].contains(&rule["labels"]["severity"].as_str().unwrap()), "{name}");
        for annotation in ["summary", "action"] {
            assert!(rule["annotations"][annotation].as_str().is_some_and(|text| text.len() > 20), "{name}");
        }
        let documented = text("docs/operating.md").contains(name);
        assert!(documented, "docs/operating.md does not tell of {name}");
    }
}

/// The number is fixed for the life of a deployment, and written in two places.
#[test]
fn the_partitions_that_alerts_count_are_those_of_the_cluster() {
    let all = services("deploy/compose/cluster.yml");
    let ingest = all.iter().find(|service| service.name == "ingest").unwrap().environment();
    let (_, partitions) = ingest.iter().find(|(name, _)| name == "PALISADE__KAFKA__PARTITIONS").unwrap();
    let unowned = rules(ALERTS[1])
        .into_iter()
        .find(|rule| rule["alert"].as_str() == Some("PalisadePartitionsUnowned"))
        .unwrap();
    let expected = format!("sum(palisade_analysis_partitions) < {partitions} or");
    assert!(unowned["expr"].as_str().unwrap().starts_with(&expected), "expected {expected}");
}

#[test]
fn prometheus_asks_processes_that_exist_and_loads_rules_that_exist() {
    for file in SCRAPES {
        for rules in texts(&yaml(file)["rule_files"]) {
            assert!(root().join("deploy/prometheus").join(&rules).is_file(), "{file}: {rules}");
        }
    }
    let cluster = yaml("deploy/prometheus/cluster.yml");
    let asked = &cluster["scrape_configs"][0]["dns_sd_configs"][0];
    let port = asked["port"].as_u64().unwrap();
    let services = services("deploy/compose/cluster.yml");
    for name in texts(&asked["names"]) {
        let service = services.iter().find(|service| service.name == name).unwrap();
        let address = ("PALISADE__ADMIN_LISTEN".to_owned(), format!("0.0.0.0:{port}"));
        assert!(service.environment().contains(&address), "{name} does not serve metrics on {port}");
    }
    let prometheus = services.iter().find(|service| service.name == "prometheus").unwrap();
    let mounted = texts(&prometheus.value["volumes"]);
    for rules in texts(&cluster["rule_files"]) {
        let mount = format!("../prometheus/{rules}:/etc/prometheus/{rules}:ro");
        assert!(mounted.contains(&mount), "{rules} is not mounted");
    }
}

#[test]
fn the_dashboard_is_one_screen_on_a_data_source_that_can_be_chosen() {
    let source = &yaml("deploy/grafana/provisioning/datasources/prometheus.yml")["datasources"][0];
    let uid = source["uid"].as_str().unwrap();
    assert_eq!(source["url"].as_str(), Some("http://prometheus:9090"));
    let variable = &dashboard()["templating"]["list"][0];
    assert_eq!((&variable["name"], &variable["type"]), (&"datasource".into(), &"datasource".into()));
    assert_eq!(variable["query"], source["type"].as_str().unwrap());
    assert_eq!(variable["current"]["value"].as_str(), Some(uid), "the provisioned one is chosen first");
    let mut taken = BTreeSet::new();
    let mut ids = BTreeSet::new();
    for panel in panels() {
        let title = panel["title"].as_str().unwrap();
        assert!(ids.insert(panel["id"].as_u64().unwrap()), "{title}: its id is taken");
        assert!(panel["description"].as_str().is_some_and(|text| !text.is_empty()), "{title}");
        for target in panel["targets"].as_array().unwrap() {
            assert_eq!(target["datasource"]["uid"], "${datasource}", "{title}");
        }
        let side = |name: &str| panel["gridPos"][name].as_u64().unwrap();
        // Grafana has 24 columns, and some 24 rows fit on a screen.
        assert!(side("x") + side("w") <= 24 && side("y") + side("h") <= 24, "{title}: beyond the screen");
        for x in side("x")..side("x") + side("w") {
            for y in side("y")..side("y") + side("h") {
                assert!(taken.insert((x, y)), "{title}: lies on another panel");
            }
        }
    }
}

#[test]
fn grafana_finds_its_files_where_they_are_mounted() {
    let services = services("deploy/compose/cluster.yml");
    let grafana = services.iter().find(|service| service.name == "grafana").unwrap();
    let provider = &yaml("deploy/grafana/provisioning/dashboards/palisade.yml")["providers"][0];
    let path = provider["options"]["path"].as_str().unwrap();
    assert!(texts(&grafana.value["volumes"]).contains(&format!("../grafana/dashboards:{path}:ro")));
    let home = ("GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH".to_owned(), format!("{path}/palisade.json"));
    assert!(grafana.environment().contains(&home));
    assert_eq!(names(&grafana.value["secrets"]), ["grafana_password"]);
}
