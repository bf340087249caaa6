//! Compose files: required and forbidden properties of every service, and existence of everything they name.

use serde_json::Value;

use crate::machine::{bounded, or_skip, printed};
use crate::{names, report, root, text, texts, yaml};

pub(crate) const FILES: [&str; 2] = ["deploy/compose/single.yml", "deploy/compose/cluster.yml"];

/// A service of a compose file.
pub(crate) struct Service {
    /// File and name, for complaints.
    pub(crate) place: String,
    pub(crate) name: String,
    pub(crate) value: Value,
}

impl Service {
    fn image(&self) -> &str {
        self.value["image"].as_str().unwrap_or_default()
    }

    /// Whether it runs the product.
    pub(crate) fn is_ours(&self) -> bool {
        self.image().starts_with("palisade:")
    }

    pub(crate) fn command(&self) -> Vec<String> {
        texts(&self.value["command"])
    }

    /// Its environment, with the defaults of variables.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let entries = self.value["environment"].as_object().into_iter().flatten();
        let pair = |(name, value): (&String, &Value)| {
            // Compose would convert a bare `true` or `64`.
            let value = value.as_str().unwrap_or_else(|| panic!("{}: {name:?} must be a text", self.place));
            (name.clone(), with_defaults(value))
        };
        entries.map(pair).collect()
    }
}

pub(crate) fn services(file: &str) -> Vec<Service> {
    let parsed = yaml(file);
    let services = parsed["services"].as_object().unwrap_or_else(|| panic!("{file}: no services"));
    let service = |(name, value): (&String, &Value)| {
        let name = name.clone();
        Service { place: format!("{file}: {name}"), name, value: value.clone() }
    };
    services.iter().map(service).collect()
}

fn all_services() -> Vec<Service> {
    FILES.iter().flat_map(|file| services(file)).collect()
}

/// `${NAME:-default}` as its default. Every variable has one: the files work unchanged.
fn with_defaults(text: &str) -> String {
    let Some((before, rest)) = text.split_once('$') else { return text.to_owned() };
    let inner = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
    let (variable, after) = inner.unwrap_or_else(|| panic!("{text}: expected ${{NAME:-default}}"));
    let (_, default) =
        variable.split_once(":-").unwrap_or_else(|| panic!("{text}: the variable has no default"));
    format!("{before}{default}{}", with_defaults(after))
}

/// A digest, or a tag that begins with three numbers.
fn is_exact(image: &str) -> bool {
    if let Some((_, digest)) = image.split_once("@sha256:") {
        return digest.len() == 64;
    }
    let Some((_, tag)) = image.rsplit_once(':') else { return false };
    let version = tag.trim_start_matches('v').split('-').next().unwrap_or_default();
    let numbers: Vec<_> = version.split('.').map(str::parse::<u32>).collect();
    numbers.len() == 3 && numbers.iter().all(Result::is_ok)
}

#[test]
fn images_are_exact_and_ours_is_this_version() {
    let mut complaints = Vec::new();
    for service in all_services() {
        if !is_exact(service.image()) {
            complaints.push(format!("{}: {:?} is no exact version", service.place, service.image()));
        }
        let ours = concat!("palisade:", env!("CARGO_PKG_VERSION"));
        if service.is_ours() && service.image() != ours {
            complaints.push(format!("{}: {} instead of {ours}", service.place, service.image()));
        }
    }
    report(&complaints);
    for inexact in ["nginx", "nginx:latest", "nginx:1.30", "localhost:5000/nginx", "a@sha256:12"] {
        assert!(!is_exact(inexact), "{inexact}");
    }
}

#[test]
fn every_service_is_bounded_and_confined() {
    let mut complaints = Vec::new();
    for service in all_services() {
        let value = &service.value;
        let mut complain = |text: &str| complaints.push(format!("{}: {text}", service.place));
        if value["deploy"]["resources"]["limits"]["memory"].as_str().is_none() {
            complain("no limit of memory");
        }
        if value["restart"].as_str().is_none() {
            complain("nothing is said about restarts");
        }
        if value["logging"]["options"]["max-size"].as_str().is_none() {
            complain("its lines may fill the disk");
        }
        if value["privileged"].as_bool() == Some(true) || !value["cap_add"].is_null() {
            complain("asks for privileges");
        }
        if ["network_mode", "pid", "ipc", "userns_mode"].iter().any(|key| !value[*key].is_null()) {
            complain("shares a part of the machine");
        }
        for port in texts(&value["ports"]) {
            if !with_defaults(&port).starts_with("127.0.0.1:") {
                complain(&format!("{port} is published beyond loopback"));
            }
        }
        if service.is_ours() {
            let confined = value["read_only"].as_bool() == Some(true)
                && texts(&value["cap_drop"]) == ["ALL"]
                && texts(&value["security_opt"]) == ["no-new-privileges:true"]
                && value["user"].as_str() == Some("65532:65532");
            if !confined {
                complain("read_only, cap_drop, security_opt or user is missing");
            }
        }
    }
    report(&complaints);
}

#[test]
fn what_compose_files_name_is_there() {
    let mut complaints = Vec::new();
    for file in FILES {
        let parsed = yaml(file);
        let all: Vec<String> = names(&parsed["services"]);
        for service in services(file) {
            let value = &service.value;
            let mut expect = |kind: &str, found: Vec<String>, declared: &[String]| {
                for name in found.iter().filter(|name| !declared.contains(name)) {
                    complaints.push(format!("{}: {kind} {name} is not declared", service.place));
                }
            };
            expect("service", names(&value["depends_on"]), &all);
            expect("network", names(&value["networks"]), &names(&parsed["networks"]));
            expect("secret", names(&value["secrets"]), &names(&parsed["secrets"]));
            let sources = texts(&value["volumes"]).into_iter();
            let sources = sources.map(|volume| volume.split(':').next().unwrap_or_default().to_owned());
            let (files, volumes): (Vec<_>, Vec<_>) = sources.partition(|source| source.starts_with('.'));
            expect("volume", volumes, &names(&parsed["volumes"]));
            for source in files {
                if !root().join("deploy/compose").join(&source).exists() {
                    complaints.push(format!("{}: {source} is not there", service.place));
                }
            }
        }
    }
    report(&complaints);
}

#[test]
fn secrets_are_kept_out_of_the_repository_and_out_of_images() {
    assert!(text("deploy/compose/.gitignore").lines().any(|line| line == "/secrets/"));
    assert!(text(".dockerignore").lines().any(|line| line == "deploy/compose/secrets"));
    let parsed = yaml("deploy/compose/cluster.yml");
    for (name, secret) in parsed["secrets"].as_object().unwrap() {
        let file = secret["file"].as_str().unwrap();
        assert_eq!(file, format!("./secrets/{name}"));
    }
}

/// The parser that Docker's Compose is built on (`.ci/run` installs it).
#[test]
fn the_parser_of_compose_accepts_the_files() {
    let given = std::env::var_os("PALISADE_TEST_COMPOSE").map(std::path::PathBuf::from);
    let parser = given.ok_or_else(|| "PALISADE_TEST_COMPOSE names no parser of compose files".to_owned());
    let Some(parser) = or_skip("the compose files", parser) else { return };
    for file in FILES {
        let output = bounded(&parser).arg(root().join(file)).output().unwrap();
        assert!(output.status.success(), "{file}: {}", printed(&output));
    }
    let directory = tempfile::tempdir().unwrap();
    let mistaken = directory.path().join("compose.yml");
    std::fs::write(&mistaken, text(FILES[0]).replace("healthcheck:", "healthchek:")).unwrap();
    let output = bounded(&parser).arg(&mistaken).output().unwrap();
    assert!(!output.status.success() && printed(&output).contains("healthchek"), "{}", printed(&output));
}
