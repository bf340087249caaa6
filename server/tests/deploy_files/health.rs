//! Health checks of the deployment files, run unchanged against a running process.

use crate::compose::{FILES, Service, services};
use crate::machine::printed;
use crate::process::{Process, succeeds, words};
use crate::product::{Environment, environment};
use crate::servers::Servers;
use crate::texts;

/// The command of a service's health check, without the binary's path.
fn health_check(service: &Service) -> Vec<String> {
    let test = texts(&service.value["healthcheck"]["test"]);
    let command = test.strip_prefix(&["CMD".to_owned(), "/usr/bin/palisade".to_owned()]);
    command.unwrap_or_else(|| panic!("{}: no health check of ours", service.place)).to_vec()
}

/// Services that serve; `distributed` is whether they expect distributed back ends.
fn serving(distributed: bool) -> Vec<Service> {
    let all = FILES.iter().flat_map(|file| services(file)).filter(Service::is_ours);
    let serving = all.filter(|service| service.command().first().is_some_and(|word| word == "serve"));
    let is_distributed =
        |service: &Service| service.environment().iter().any(|(name, _)| name.starts_with("PALISADE__CQL__"));
    let found: Vec<_> = serving.filter(|service| is_distributed(service) == distributed).collect();
    assert!(!found.is_empty(), "no service serves");
    found
}

fn check(service: &Service, environment: &Environment) {
    let mut process = Process::start(environment, &service.command());
    let probe = health_check(service);
    let healthy = process.exec(&probe);
    assert!(healthy.status.success(), "{}: {}", service.place, printed(&healthy));
    process.kill();
    let dead = process.exec(&probe);
    assert!(!dead.status.success(), "{}: a process that is gone is healthy", service.place);
    let told = printed(&dead);
    assert!(told.contains(&process.admin.to_string()) && told.contains("PALISADE__ADMIN_LISTEN"), "{told}");
}

#[test]
fn health_checks_of_one_machine_succeed_on_a_running_process_only() {
    let directory = tempfile::tempdir().unwrap();
    for service in serving(false) {
        check(&service, &environment(&service, &directory));
    }
}

#[test]
fn health_checks_of_a_cluster_succeed_on_running_processes_only() {
    let Some(servers) = Servers::find("health checks of a cluster") else { return };
    let directory = tempfile::tempdir().unwrap();
    let local = servers.variables();
    for (number, service) in serving(true).into_iter().enumerate() {
        let mut environment = environment(&service, &directory);
        // The secrets stay those of the file; names of containers do not resolve here.
        let places = local.iter().filter(|(name, _)| !name.starts_with("PALISADE__SECRETS__"));
        environment.extend(places.cloned());
        environment.remove("PALISADE__CQL__TABLETS");
        if number == 0 {
            let data = directory.path().join("init").display().to_string();
            let prepared = [words("init --data-dir"), vec![data]].concat();
            succeeds(&crate::product::palisade(&environment, &prepared));
        }
        check(&service, &environment);
    }
}

#[test]
fn a_process_that_is_asked_on_its_listener_or_over_ipv6_is_found() {
    let mut environment = Environment::new();
    environment.insert("PALISADE__PUBLIC_URL".to_owned(), "http://127.0.0.1:8080".to_owned());
    let process = Process::start(&environment, &words("serve"));
    let listener = process.listener.to_string();
    succeeds(&process.exec(&["probe", "--admin-listen", "off", "--listen", &listener].map(str::to_owned)));
    let elsewhere = process.exec(&words("probe --admin-listen [::1]:1"));
    assert!(!elsewhere.status.success());
    assert!(printed(&elsewhere).contains("no response at [::1]:1"), "{}", printed(&elsewhere));
}
