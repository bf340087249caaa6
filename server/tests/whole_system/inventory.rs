//! Discovery of applications on real web servers: everything that is linked is found, and nothing out of scope is requested.

#[path = "inventory/pages.rs"]
mod pages;
#[path = "inventory/strangers.rs"]
mod strangers;
#[path = "inventory/websites.rs"]
mod websites;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::server::{Server, everywhere, wait_for};
use crate::skip::say;
use crate::without_sandbox::without_landlock;
use pages::Pages;
use strangers::Silent;
use websites::{Files, Program, Traps, Website, page};

/// Pages of a site. With the traps and the pages behind them they are within the 500 of a discovery.
const PAGES: usize = 480;

/// A server that may send requests to loopback, at a rate.
fn server(requests_per_minute: u32) -> Server {
    let mut server = Server::unstarted();
    configure(&mut server, requests_per_minute);
    server
}

fn configure(server: &mut Server, requests_per_minute: u32) {
    server.set("PALISADE__OUTBOUND__ALLOW_NETWORKS", r#"["127.0.0.0/8"]"#);
    server.set("PALISADE__APPLICATIONS__REQUESTS_PER_MINUTE", &requests_per_minute.to_string());
    // Longer than loopback takes, and short enough for hosts that do not answer.
    server.set("PALISADE__OUTBOUND__TIMEOUT_MS", "1000");
}

fn application(server: &Server, url: &str) -> String {
    let created = server.send("POST", "/applications", &json!({"name": "Shop", "url": url}));
    assert_eq!(created.status, 201, "{}", created.text());
    format!("/applications/{}", created.json()["id"].as_str().unwrap())
}

fn request(server: &Server, application: &str) -> Value {
    let requested = server.send("POST", &format!("{application}/inventory"), &json!({}));
    assert_eq!(requested.status, 202, "{}", requested.text());
    requested.json()["run"].clone()
}

/// The latest run, once it has ended.
fn ended(server: &Server, application: &str) -> Value {
    wait_for("the discovery ends", || {
        let run = server.get(application)["inventory"]["run"].clone();
        (run["completed_at"].is_string()).then_some(run)
    })
}

/// Values of all assets of a type.
fn values(server: &Server, application: &str, kind: &str) -> BTreeSet<String> {
    let mut values = BTreeSet::new();
    loop {
        let path = format!("{application}/inventory?type={kind}&limit=100&offset={}", values.len());
        let listed = server.get(&path);
        let data = listed["data"].as_array().unwrap();
        values.extend(data.iter().map(|asset| asset["value"].as_str().unwrap().to_owned()));
        if listed["pagination"]["has_more"] == false {
            return values;
        }
    }
}

/// Seconds of processor time of a process and of its children that have ended.
fn cpu_seconds(process: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let fields = stat.rsplit(')').next().unwrap().split_whitespace();
    // utime, stime, cutime and cstime, in hundredths of a second.
    let ticks: f64 = fields.skip(11).take(4).map(|field| field.parse::<f64>().unwrap()).sum();
    ticks / 100.0
}

/// A site of 480 pages with a redirect out of scope, a calendar without end, a large and a broken file.
fn hostile_files(program: Program) -> Files {
    let calendar = match program {
        Program::Nginx => "/calendar/1",
        Program::Apache => "/calendar/",
    };
    let large = format!("<a href=/late.html>x</a>{}", "<p>large</p>".repeat(400_000));
    Files::tree(PAGES)
        .with("/large.html", large)
        .with("/broken.html", "<a href=/late.html <<<>>> \u{0}<script>fetch('/api/x")
        .with("/late.html", "")
        .with("/robots.txt", "User-agent: *\nDisallow: /secret/\n")
        .with("/secret/plan.html", "")
        .link(&["/leave", "/hang", calendar, "/large.html", "/broken.html", "/secret/plan.html"])
}

fn discovers_everything(program: Program) {
    if !program.is_here("discovery of a site") {
        return;
    }
    let (outside, silent) = (Silent::start(), Silent::start());
    let (traps, files) = (Traps { outside: &outside.url(), silent: &silent.url() }, hostile_files(program));
    let website = Website::start(program, &files, &traps);
    let mut server = server(60_000);
    server.run();
    let shop = application(&server, &website.url("/"));
    let before = cpu_seconds(server.id());
    request(&server, &shop);
    let run = ended(&server, &shop);
    let seconds = cpu_seconds(server.id()) - before;
    say(&format!("discovery of {PAGES} pages on {program:?}: {seconds:.2} CPU-s of server and sandboxes"));
    assert_eq!((&run["status"], &run["error"]), (&json!("completed"), &json!(null)), "{run}");
    let endpoints = values(&server, &shop, "endpoint");
    for number in 1..PAGES {
        let wanted = format!("GET {}", website.url(&page(number)));
        assert!(endpoints.contains(&wanted), "{wanted}: {run}");
    }
    assert!(
        endpoints.contains(&format!("GET {}", website.url("/late.html"))),
        "found in the beginning of a large file"
    );
    assert!(
        endpoints.contains(&format!("GET {}", website.url("/secret/plan.html"))),
        "recorded, not requested"
    );
    let products = values(&server, &shop, "technology");
    assert!(
        products
            .iter()
            .any(|product| product.to_lowercase().contains(&format!("{program:?}").to_lowercase())),
        "{products:?}"
    );
    assert_eq!(outside.connections(), 0, "nothing out of scope is contacted");
    let requested = website.requested();
    assert!(!requested.iter().any(|path| path.starts_with("/secret/")), "{requested:?}");
    assert!(requested.len() <= 550, "{}", requested.len());
    if let Program::Nginx = program {
        assert!(silent.connections() > 0 && run["coverage"]["complete"] == false, "a page hangs: {run}");
    }
    let reasons = run["coverage"]["skipped"].to_string();
    assert!(
        reasons.contains("out_of_scope") && reasons.contains("robots") && reasons.contains("size"),
        "{run}"
    );
}

#[test]
fn every_linked_page_of_a_site_on_nginx_is_found_and_nothing_else_is_contacted() {
    discovers_everything(Program::Nginx);
}

#[test]
fn every_linked_page_of_a_site_on_apache_is_found_and_nothing_else_is_contacted() {
    discovers_everything(Program::Apache);
}

#[test]
fn a_host_that_does_not_answer_ends_a_run_without_a_result_of_its_own() {
    let silent = Silent::start();
    let mut server = server(60_000);
    server.run();
    let shop = application(&server, &silent.url());
    request(&server, &shop);
    let run = ended(&server, &shop);
    assert_eq!((&run["status"], &run["coverage"]["complete"]), (&json!("completed"), &json!(false)), "{run}");
    assert!(run["coverage"]["skipped"].to_string().contains("no_reply"), "{run}");
    assert!(silent.connections() > 0);
}

#[test]
fn a_run_goes_on_from_its_checkpoint_after_the_process_was_killed() {
    if !Program::Nginx.is_here("discovery after a kill") {
        return;
    }
    let outside = Silent::start();
    let website = Website::start(Program::Nginx, &Files::tree(150), &Traps::none(&outside.url()));
    let mut server = server(1_200);
    server.run();
    let shop = application(&server, &website.url("/"));
    let begun = request(&server, &shop);
    wait_for("some batches", || (website.requested().len() > 60).then_some(()));
    server.kill();
    let before = website.requested();
    server.run();
    let run = ended(&server, &shop);
    assert_eq!((&run["status"], &run["id"]), (&json!("completed"), &begun["id"]), "{run}");
    assert_eq!(values(&server, &shop, "endpoint").len(), 150, "{run}");
    assert_one_batch_is_repeated(&website.requested(), before.len());
}

/// Only the batch that was under way at the kill is requested again.
fn assert_one_batch_is_repeated(requested: &[String], before: usize) {
    let mut counts = BTreeMap::<&str, usize>::new();
    requested.iter().for_each(|path| *counts.entry(path).or_default() += 1);
    let twice = counts.values().filter(|count| **count > 1).count();
    assert!(twice <= 25, "{twice} of {before} are requested again");
    assert!(counts.values().all(|count| *count <= 2), "{counts:?}");
}

#[test]
fn a_discovery_is_completed_after_a_kill_and_the_next_one_tells_the_differences() {
    const PAGES: usize = 80;
    everywhere("discovery after a kill", |server| {
        configure(server, 1_200);
        assert!(server.interrupt());
        server.run();
        let outside = Silent::start();
        let site = Pages::start(Files::tree(PAGES).link(&[&outside.url()]));
        let shop = application(server, &site.url("/"));
        let begun = request(server, &shop);
        wait_for("some batches", || (site.requested().len() > 40).then_some(()));
        server.kill();
        let before = site.requested();
        server.run();
        let run = ended(server, &shop);
        assert_eq!((&run["status"], &run["id"]), (&json!("completed"), &begun["id"]), "{run}");
        assert_one_batch_is_repeated(&site.requested(), before.len());
        let own = format!("GET {}", site.url("/"));
        let endpoints = values(server, &shop, "endpoint");
        assert_eq!(endpoints.iter().filter(|value| value.starts_with(&own)).count(), PAGES, "{endpoints:?}");
        let total = server.get(&format!("{shop}/inventory?limit=1"))["pagination"]["total"].clone();
        assert_eq!((&run["new"], &run["gone"]), (&total, &json!(0)), "each asset counts once: {run}");
        // A user excludes a page, and another process discovers again.
        let last = page(PAGES - 1);
        let excluded = server.get(&format!("{shop}/inventory?type=endpoint&q={last}&limit=1"));
        let asset = format!("{shop}/inventory/{}", excluded["data"][0]["id"].as_str().unwrap());
        assert_eq!(server.send("PATCH", &asset, &json!({"scope_status": "excluded"})).status, 200);
        server.kill();
        server.run();
        let requested = site.requested().len();
        let first = run["id"].clone();
        assert_ne!(request(server, &shop)["id"], first);
        let run = ended(server, &shop);
        assert_eq!((&run["new"], &run["changed"]), (&json!(0), &json!(0)), "{run}");
        assert_ne!(run["id"], first);
        let again = site.requested();
        assert!(!again.iter().skip(requested).any(|path| *path == last), "an excluded page");
        let kept = server.get(&format!("{shop}/inventory?scope_status=excluded"));
        assert_eq!(kept["data"][0]["value"], format!("GET {}", site.url(&last)), "{kept}");
        assert_eq!(outside.connections(), 0, "nothing out of scope is contacted");
    });
}

#[test]
fn where_the_sandbox_cannot_start_a_run_fails_and_says_so() {
    let outside = Silent::start();
    if !Program::Nginx.is_here("discovery without a sandbox") {
        return;
    }
    let website = Website::start(Program::Nginx, &Files::tree(3), &Traps::none(&outside.url()));
    let mut server = server(60_000);
    without_landlock(|| server.run());
    let shop = application(&server, &website.url("/"));
    request(&server, &shop);
    let run = ended(&server, &shop);
    assert_eq!(
        (&run["status"], &run["error"]["code"]),
        (&json!("failed"), &json!("sandbox_unavailable")),
        "{run}"
    );
    assert!(run["error"]["message"].as_str().unwrap().contains("Landlock"), "{run}");
    assert!(values(&server, &shop, "endpoint").is_empty(), "nothing is parsed in the server");
}
