//! The product as the container files start it: the binary accepts the given environment, and knows the
//! commands. Secrets are in files created here.

use std::collections::BTreeMap;
use std::process::{Command, Output, Stdio};

use crate::compose::{FILES, Service, services};
use crate::machine::printed;
use crate::{holds, names, report, text, texts};

pub(crate) type Environment = BTreeMap<String, String>;

/// Directory of secrets in compose.
const SECRETS: &str = "/run/secrets/";
/// 64 hexadecimal digits: a pepper, and valid as any other secret.
pub(crate) const SECRET: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n";

/// The variables that the image sets.
fn of_image() -> Environment {
    let file = text("deploy/Dockerfile");
    let pairs = file.lines().filter_map(|line| line.strip_prefix("ENV ")?.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Environment of the process in the container. The flag of a role is replaced by its variable, because only
/// `serve` knows the flag.
pub(crate) fn environment(service: &Service, directory: &tempfile::TempDir) -> Environment {
    let mut environment = of_image();
    environment.extend(service.environment());
    if let Some(at) = service.command().iter().position(|word| word == "--role") {
        environment.insert("PALISADE__ROLES".to_owned(), format!("[{:?}]", service.command()[at + 1]));
    }
    let granted = names(&service.value["secrets"]);
    for (variable, value) in &mut environment {
        let Some(name) = value.strip_prefix(SECRETS) else { continue };
        assert!(granted.contains(&name.to_owned()), "{}: {variable} needs a secret", service.place);
        let file = directory.path().join(name);
        std::fs::write(&file, SECRET).unwrap();
        *value = file.display().to_string();
    }
    environment
}

pub(crate) fn palisade(environment: &Environment, arguments: &[String]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_palisade"))
        .env_clear()
        .envs(environment)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn check(environment: &Environment) -> Output {
    palisade(environment, &["config", "check", "--offline"].map(str::to_owned))
}

fn ours() -> Vec<Service> {
    let all = FILES.iter().flat_map(|file| services(file));
    let ours: Vec<_> = all.filter(Service::is_ours).collect();
    assert!(ours.len() >= 5, "only {} services run the product", ours.len());
    ours
}

#[test]
fn the_binary_takes_the_environment_of_every_service() {
    let directory = tempfile::tempdir().unwrap();
    let mut complaints = Vec::new();
    for service in ours() {
        let output = check(&environment(&service, &directory));
        if !holds(&output) {
            complaints.push(format!("{}: {}", service.place, printed(&output)));
        }
    }
    report(&complaints);
}

/// A passing check is meaningful only if it can fail.
#[test]
fn the_binary_refuses_an_environment_with_a_mistake() {
    let directory = tempfile::tempdir().unwrap();
    let service = ours().into_iter().find(|service| service.name == "ingest").unwrap();
    let right = environment(&service, &directory);

    let mut misspelt = right.clone();
    misspelt.insert("PALISADE__KAFKA__BROKER".to_owned(), "kafka:9092".to_owned());
    let output = check(&misspelt);
    assert!(!output.status.success() && printed(&output).contains("broker"), "{}", printed(&output));

    let mut half = right.clone();
    half.retain(|name, _| !name.starts_with("PALISADE__CQL__"));
    let output = check(&half);
    assert!(!output.status.success() && printed(&output).contains("cql"), "{}", printed(&output));

    let mut role = right;
    role.insert("PALISADE__ROLES".to_owned(), "[\"ingester\"]".to_owned());
    assert!(!check(&role).status.success());
}

#[test]
fn the_binary_knows_every_command_that_is_run() {
    let mut complaints = Vec::new();
    for service in ours() {
        let health = texts(&service.value["healthcheck"]["test"]);
        let probe = health.strip_prefix(&["CMD".to_owned(), "/usr/bin/palisade".to_owned()]);
        for command in [Some(service.command().as_slice()), probe].into_iter().flatten() {
            assert!(!command.is_empty(), "{}: nothing is run", service.place);
            let output = palisade(&Environment::new(), &[command, &["--help".to_owned()]].concat());
            if !output.status.success() {
                complaints.push(format!("{}: {command:?}: {}", service.place, printed(&output)));
            }
        }
        let serves = service.command().first().is_some_and(|command| command == "serve");
        if serves && probe.is_none() {
            complaints.push(format!("{}: nobody asks whether it is well", service.place));
        }
    }
    report(&complaints);
}

#[test]
fn every_process_of_a_cluster_is_told_the_same() {
    let cluster: Vec<_> =
        services("deploy/compose/cluster.yml").into_iter().filter(Service::is_ours).collect();
    let first = cluster.first().unwrap().environment();
    for service in &cluster {
        assert_eq!(service.environment(), first, "{}", service.place);
    }
    let mut roles: Vec<_> = cluster.iter().filter_map(|service| service.command().get(2).cloned()).collect();
    roles.sort();
    assert_eq!(roles, ["analyzer", "api", "ingest", "worker"]);
}
