//! The files in `deploy` and `docs`, checked against the product: the files parse, the binary accepts the
//! environment in them, the metrics they name exist, the proxy routes requests correctly.
//! No container is run; alerts, expressions, health checks and the unit are tried on processes of the product.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "other processes are waited for on the wall clock")]
#![expect(dead_code, reason = "the support is shared with the other whole-system tests")]

#[path = "support/http.rs"]
mod http;

#[path = "real_input/machine.rs"]
mod machine;

#[path = "support/servers.rs"]
mod servers;
#[path = "support/skip.rs"]
mod skip;

#[path = "deploy_files/compose.rs"]
mod compose;
#[path = "deploy_files/documents.rs"]
mod documents;
#[path = "deploy_files/expressions.rs"]
mod expressions;
#[path = "deploy_files/health.rs"]
mod health;
#[path = "deploy_files/metrics.rs"]
mod metrics;
#[path = "deploy_files/monitoring.rs"]
mod monitoring;
#[path = "deploy_files/process.rs"]
mod process;
#[path = "deploy_files/product.rs"]
mod product;
#[path = "deploy_files/proxy.rs"]
mod proxy;
#[path = "deploy_files/scrape.rs"]
mod scrape;
#[path = "deploy_files/unit.rs"]
mod unit;

use std::path::{Path, PathBuf};

use serde_json::Value;

/// Documents for operators.
const DOCUMENTS: [&str; 3] = ["docs/operating.md", "docs/capacity.md", "deploy/README.md"];

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The text of a file, named from the root.
fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A YAML file, with its merge keys resolved.
fn yaml(path: &str) -> Value {
    serde_saphyr::from_str(&text(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The texts in a list; empty if there is no list.
fn texts(value: &Value) -> Vec<String> {
    let texts = value.as_array().into_iter().flatten();
    texts.map(|text| text.as_str().unwrap_or_else(|| panic!("{text:?} is no text")).to_owned()).collect()
}

/// The keys of a mapping, or the texts of a list: compose takes either in several places.
fn names(value: &Value) -> Vec<String> {
    match value.as_object() {
        Some(mapping) => mapping.keys().cloned().collect(),
        None => texts(value),
    }
}

/// Whether a configuration passed its check: the missing cluster back ends of this build are reported last.
fn holds(output: &std::process::Output) -> bool {
    let only_lacks_cluster =
        !cfg!(feature = "cluster") && machine::printed(output).contains("--features cluster");
    output.status.success() || only_lacks_cluster
}

fn report(complaints: &[String]) {
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}
