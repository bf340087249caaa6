//! Everything that a site links is found, from every source, and the same each time.

use std::collections::BTreeMap;

use web::crawl::{Ending, Failure};
use web::scope::ScopeStatus;

use super::site::{Site, config, crawl, endpoints};

fn shop() -> Site {
    Site::default()
        .with("https://shop.test/robots.txt", "text/plain", "User-agent: *\nDisallow: /private\nSitemap: /map.xml")
        .with("https://shop.test/map.xml", "text/xml", "<urlset><url><loc>https://shop.test/only-in-map</loc></url>")
        .with(
            "https://shop.test/openapi.json",
            "application/json",
            r#"{"openapi":"3.0.0","paths":{"/api/items/{item}":{"get":{},"delete":{}}}}"#,
        )
        .html(
            "https://shop.test/",
            "<meta name=generator content='WordPress 6.3.1'><a href=/about>a</a><a href=/items/1>1</a><a href=/gone>g</a>\
             <a href=/private/x>p</a><a href=/logout>l</a><a href=https://www.shop.test/>w</a><a href=//foreign.test/>f</a>\
             <script src=/app.js></script><img src=https://cdn.other.test/i.png>",
        )
        .header("https://shop.test/", "Server", "nginx/1.25.3")
        .html("https://shop.test/about", "<form action=/search><input name=q></form><a href=/manual.pdf>m</a>")
        .html("https://shop.test/items/1", "<a href=/items/2>2</a>")
        .html("https://shop.test/items/2", "<script>fetch('/api/items/'+id)</script>")
        .html("https://shop.test/only-in-map", "")
        .with("https://shop.test/app.js", "text/javascript", "axios.post(`/api/orders/${id}`)")
}

#[test]
fn endpoints_of_every_source_are_merged() {
    let (requested, inventory) = crawl(&shop(), config("https://shop.test/"));
    assert_eq!(
        endpoints(&inventory),
        [
            "GET https://shop.test/ crawl",
            "GET https://shop.test/about crawl",
            "DELETE https://shop.test/api/items/{item} openapi",
            "GET https://shop.test/api/items/{item} openapi,script",
            "POST https://shop.test/api/orders/{id} script",
            "GET https://shop.test/items/{id} crawl",
            "GET https://shop.test/logout crawl",
            "GET https://shop.test/manual.pdf crawl",
            "GET https://shop.test/only-in-map sitemap",
            "GET https://shop.test/private robots",
            "GET https://shop.test/private/x crawl",
            "GET https://shop.test/search form",
            "GET https://www.shop.test/ crawl",
        ]
    );
    assert_eq!(requested[0], "https://shop.test/robots.txt");
    for url in ["/private/x", "/private", "/logout", "/manual.pdf"] {
        assert!(!requested.contains(&format!("https://shop.test{url}")), "{url}");
    }
    let coverage = inventory.coverage;
    assert_eq!((coverage.ending, coverage.broken_links, coverage.disallowed), (Ending::Complete, 1, 1));
    assert_eq!((coverage.foreign_hosts, coverage.refused.hazard), (2, 1));
}

#[test]
fn hosts_and_products_are_found_with_their_evidence() {
    let (_, inventory) = crawl(&shop(), config("https://shop.test/"));
    let hosts: Vec<_> =
        inventory.hosts.iter().map(|host| (host.name.as_str(), host.decision.status)).collect();
    assert_eq!(hosts, [("shop.test", ScopeStatus::Included), ("www.shop.test", ScopeStatus::Unverified)]);
    let product = |name: &str| inventory.technologies.iter().find(|one| one.name == name).unwrap();
    assert!(product("nginx").versions.contains("1.25.3"));
    assert_eq!(product("WordPress").evidence, "meta generator: WordPress 6.3.1");
    assert_eq!(product("PHP").evidence, "implied by WordPress");
}

#[test]
fn equal_replies_give_equal_bytes() {
    let bytes = |_| {
        let (requested, inventory) = crawl(&shop(), config("https://shop.test/"));
        (requested, serde_json::to_vec(&inventory).unwrap())
    };
    assert_eq!(bytes(1), bytes(2));
}

#[test]
fn names_of_certificates_are_hosts() {
    let names = ["api.shop.test", "*.shop.test", "shop.test", "neighbour.test"].map(str::to_owned);
    let params = rcgen::CertificateParams::new(names.to_vec()).unwrap();
    let der = params.self_signed(&rcgen::KeyPair::generate().unwrap()).unwrap();
    let site = shop().certificate("https://shop.test/", der.der());
    let (requested, inventory) = crawl(&site, config("https://shop.test/"));
    let api = inventory.hosts.iter().find(|host| host.name == "api.shop.test").unwrap();
    assert_eq!(api.decision.status, ScopeStatus::Unverified);
    assert!(requested.iter().all(|url| url.starts_with("https://shop.test/")));
    assert_eq!(inventory.coverage.foreign_hosts, 3);
    let own = inventory.hosts.iter().find(|host| host.name == "shop.test").unwrap();
    assert_eq!(own.certificate.as_ref().unwrap().names.len(), 4);
}

#[test]
fn included_hosts_are_crawled_after_their_own_robots_file() {
    let site = Site::default()
        .html(
            "https://shop.test/",
            "<a href=https://api.shop.test/a>a</a><a href=https://api.shop.test/no>n</a>",
        )
        .with("https://api.shop.test/robots.txt", "text/plain", "User-agent: *\nDisallow: /no")
        .html("https://api.shop.test/a", "");
    let mut config = config("https://shop.test/");
    config.included.push("api.shop.test".into());
    let (requested, _) = crawl(&site, config);
    let place = |url: &str| requested.iter().position(|one| one == url);
    assert!(place("https://api.shop.test/robots.txt") < place("https://api.shop.test/a"));
    assert!(place("https://api.shop.test/a").is_some());
    assert_eq!(place("https://api.shop.test/no"), None);
}

#[test]
fn an_application_that_is_excluded_or_silent_yields_no_pages() {
    let mut excluded = config("https://shop.test/");
    excluded.excluded.push("shop.test".into());
    assert_eq!(crawl(&shop(), excluded).0, Vec::<String>::new());
    let mut silent = shop();
    silent.silent.insert("https://shop.test/".into());
    silent.silent.insert("https://shop.test/robots.txt".into());
    let (_, inventory) = crawl(&silent, config("https://shop.test/"));
    let one = BTreeMap::from([(Failure::Timeout, 1)]);
    assert_eq!((&inventory.coverage.failed_pages, &inventory.coverage.failed_files), (&one, &one));
}
