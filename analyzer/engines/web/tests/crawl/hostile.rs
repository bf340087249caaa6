//! Hostile sites: nothing outside of the scope is requested, bounds hold, time is linear.

use std::collections::BTreeSet;

use proptest::prelude::*;
use web::crawl::{Crawl, Ending};
use web::frontier::{MOST_DEPTH, MOST_PAGES, MOST_PER_TEMPLATE, MOST_REDIRECTS};
use web::parse::{Purpose, Reply, read};

use super::site::{Site, config, crawl};

#[test]
fn an_endless_calendar_leaves_room_for_other_pages() {
    let mut site =
        Site::default().html("https://a.test/", "<a href=/calendar/2024/1>c</a><a href=/last>l</a>");
    for month in 1..200 {
        let body =
            format!("<a href=/calendar/2024/{}>n</a><a href='/calendar?month={month}'>m</a>", month + 1);
        site = site.html(&format!("https://a.test/calendar/2024/{month}"), body);
    }
    let (requested, inventory) = crawl(&site.html("https://a.test/last", ""), config("https://a.test/"));
    let calendar = requested.iter().filter(|url| url.contains("/calendar")).count();
    assert!(calendar <= 2 * usize::from(MOST_PER_TEMPLATE), "{calendar}");
    assert!(requested.contains(&"https://a.test/last".to_owned()));
    assert!(inventory.endpoints.iter().any(|one| one.template == "/calendar/{id}/{id}"));
}

#[test]
fn redirects_out_of_scope_and_in_circles_end() {
    let mut site = Site::default()
        .html(
            "https://a.test/",
            "<a href=/out>o</a><a href=/up>u</a><a href=/circle>c</a><a href=/r-a>r</a><a href=/bye>b</a>",
        )
        .redirect("https://a.test/out", "https://foreign.test/x")
        .redirect("https://a.test/up", "//www.a.test/")
        .redirect("https://a.test/circle", "/circle")
        .redirect("https://a.test/bye", "/user/logout");
    for (from, to) in ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
        .iter()
        .zip(["b", "c", "d", "e", "f", "g", "h", "i", "j"])
    {
        site = site.redirect(&format!("https://a.test/r-{from}"), &format!("/r-{to}"));
    }
    let (requested, inventory) = crawl(&site, config("https://a.test/"));
    assert!(requested.iter().all(|url| url.starts_with("https://a.test/") && !url.contains("logout")));
    assert_eq!(inventory.coverage.redirects_out_of_scope, 2);
    assert_eq!(requested.iter().filter(|url| url.contains("/r-")).count(), 1 + usize::from(MOST_REDIRECTS));
}

#[test]
fn base_and_files_of_other_hosts_lead_nowhere() {
    let site = Site::default()
        .html(
            "https://a.test/",
            "<base href=https://foreign.test/><a href=x>x</a><script src=s.js></script><iframe src=i>",
        )
        .with("https://a.test/robots.txt", "text/plain", "Sitemap: https://foreign.test/map.xml")
        .redirect("https://a.test/openapi.json", "https://foreign.test/openapi.json");
    let (requested, inventory) = crawl(&site, config("https://a.test/"));
    assert!(requested.iter().all(|url| url.starts_with("https://a.test/")), "{requested:?}");
    assert_eq!(inventory.coverage.foreign_hosts, 1);
    assert_eq!(inventory.endpoints.len(), 1);
}

#[test]
fn deep_and_wide_sites_end_at_the_bounds() {
    let mut site = Site::default();
    for depth in 0..10 {
        let url = format!("https://a.test/{}", "d/".repeat(depth));
        site = site.html(&url, "<a href=d/>d</a>");
    }
    let (requested, inventory) = crawl(&site, config("https://a.test/"));
    let deepest =
        requested.iter().filter(|url| url.ends_with('/')).map(|url| url.matches("d/").count()).max();
    assert_eq!(deepest, Some(usize::from(MOST_DEPTH)));
    assert_eq!(inventory.coverage.ending, Ending::Bounded);
    let word =
        |number: usize| number.to_string().bytes().map(|digit| char::from(digit + 49)).collect::<String>();
    let mut site = Site::default();
    for list in 0..4 {
        let links: String =
            (0..400).map(|number| format!("<a href=/w-{}>", word(list * 400 + number))).collect();
        site = site.html(&format!("https://a.test/list-{}", word(list)), links);
    }
    let lists: String = (0..4).map(|list| format!("<a href=/list-{}>", word(list))).collect();
    let (requested, inventory) = crawl(&site.html("https://a.test/", lists), config("https://a.test/"));
    assert_eq!(inventory.coverage.pages, MOST_PAGES as u64);
    assert_eq!(requested.iter().collect::<BTreeSet<_>>().len(), requested.len());
    assert!(inventory.coverage.refused.limit > 0);
}

#[test]
fn a_server_that_stops_answering_ends_the_crawl() {
    let links: String = (0..200)
        .map(|number: u32| {
            let word: String = number.to_string().bytes().map(|digit| char::from(digit + 49)).collect();
            format!("<a href=/s-{word}>")
        })
        .collect();
    let mut site = Site::default().html("https://a.test/", links);
    for number in 0..200_u32 {
        let word: String = number.to_string().bytes().map(|digit| char::from(digit + 49)).collect();
        site.silent.insert(format!("https://a.test/s-{word}"));
    }
    let (_, inventory) = crawl(&site, config("https://a.test/"));
    assert_eq!(inventory.coverage.ending, Ending::Unresponsive);
    assert!(inventory.coverage.failed_pages.values().sum::<u64>() < 100);
}

fn reply(purpose: Purpose, kind: &str, body: Vec<u8>) -> Reply {
    Reply {
        request: 0,
        url: "https://a.test/".into(),
        base: "https://a.test/".into(),
        purpose,
        status: 200,
        headers: vec![("content-type".into(), kind.into())],
        body,
        certificate: vec![],
    }
}

/// Fragments that hostile pages consist of.
fn fragment() -> impl Strategy<Value = String> {
    let host = prop_oneof![
        Just("a.test"),
        Just("A.test."),
        Just("a.test:8443"),
        Just("b.a.test"),
        Just("foreign.test"),
        Just("u@a.test"),
        Just("a.test@foreign.test"),
        Just("\u{430}.test"),
        Just("127.0.0.1"),
        Just("[::1]"),
        Just("xn--80a.test"),
        Just("a.test%2eforeign.test"),
        Just("foreign.test\\.a.test"),
        Just("a.test#.foreign.test"),
    ];
    let scheme = prop_oneof![
        Just("https://"),
        Just("http://"),
        Just("//"),
        Just("javascript:"),
        Just("data:"),
        Just("ftp://")
    ];
    let tag = prop_oneof![
        Just("<a href='"),
        Just("<base href='"),
        Just("<form action='"),
        Just("<script src='"),
        Just("<iframe src='"),
        Just("<meta http-equiv=refresh content='0;url="),
        Just("<link rel=service-desc href='"),
        Just("<img srcset='"),
    ];
    (tag, scheme, host, "/[a-z0-9/?=&.]{0,12}")
        .prop_map(|(tag, scheme, host, path)| format!("{tag}{scheme}{host}{path}'>"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nothing_outside_of_the_scope_is_requested(fragments in prop::collection::vec(fragment(), 0..30), to in fragment()) {
        let target = to.split('\'').nth(1).unwrap_or_default().to_owned();
        let body = fragments.concat();
        let site = Site::default()
            .html("https://a.test/", body.clone())
            .with("https://a.test/robots.txt", "text/plain", format!("Sitemap: {target}"))
            .redirect("https://a.test/x", &target)
            .with("https://a.test/sitemap.xml", "text/xml", format!("<loc>{target}</loc>{body}"))
            .with("https://a.test/openapi.json", "x", format!("openapi: 3.0.0\nservers: [{{url: '{target}'}}]\npaths: {{/p: {{get: {{}}}}}}"));
        let (requested, inventory) = crawl(&site, config("https://a.test/"));
        for url in requested {
            let url = url::Url::parse(&url).unwrap();
            prop_assert_eq!(url.host_str(), Some("a.test"));
            prop_assert_eq!(url.port(), None);
            prop_assert!(url.username().is_empty());
        }
        prop_assert!(inventory.endpoints.iter().all(|one| one.origin.contains("a.test")));
    }

    #[test]
    fn any_bytes_are_read(body in prop::collection::vec(any::<u8>(), 0..2_000), purpose in 0..5_usize, html in any::<bool>()) {
        let mut reply = reply(Purpose::ALL[purpose], if html { "text/html" } else { "" }, body.clone());
        let first = read(&reply);
        prop_assert_eq!(&first, &read(&reply));
        reply.certificate = body;
        let _ = read(&reply);
    }

    #[test]
    fn any_markup_is_read(text in "[<>a-z'\"=/ &;!\\-\\[\\]{}$`:.?#\u{e9}]{0,600}", purpose in 0..5_usize) {
        let reading = read(&reply(Purpose::ALL[purpose], "text/html", text.clone().into_bytes()));
        prop_assert!(reading.links.len() <= 1_000);
        let _ = read(&reply(Purpose::ALL[purpose], "text/plain", text.into_bytes()));
    }

    #[test]
    fn robots_files_are_read_as_another_parser_reads_them(
        lines in prop::collection::vec(("(Disallow|Allow)", "/[ab*$]{0,4}"), 0..8),
        path in "/[ab]{0,5}",
    ) {
        let text: String = lines.iter().map(|(field, rule)| format!("{field}: {rule}\n")).collect();
        let text = format!("User-agent: *\n{text}");
        // `$` within a rule is text here and an end there.
        prop_assume!(!lines.iter().any(|(_, rule)| rule.trim_end_matches('$').contains('$') || rule.ends_with("$$")));
        let other = texting_robots::Robot::new("palisade", text.as_bytes()).unwrap();
        let own = web::robots::Robots::read(text.as_bytes());
        prop_assert_eq!(own.allows(&path), other.allowed(&format!("https://a.test{path}")), "{}{}", text, path);
    }
}

/// Bodies that take quadratic time in naive parsers, each of a size.
fn slow(size: usize) -> Vec<(Purpose, &'static str, Vec<u8>)> {
    let repeat = |text: &str| text.repeat(size / text.len()).into_bytes();
    let html = "text/html";
    let described = |text: &str| [b"openapi: 3.0.0\npaths: ".as_slice(), &repeat(text)].concat();
    vec![
        (Purpose::Page, html, repeat("<div>")),
        (Purpose::Page, html, repeat("<a href=/")),
        (Purpose::Page, html, repeat("<a a='")),
        (Purpose::Page, html, repeat("<!--")),
        (Purpose::Page, html, repeat("&amp")),
        (Purpose::Page, html, repeat("<script>")),
        (Purpose::Page, html, repeat("<noscript>")),
        (Purpose::Page, html, repeat("jquery id=\"__VIEWSTATE\" ng-version=\"1")),
        (Purpose::Page, html, [b"<a ".to_vec(), repeat("x ")].concat()),
        (Purpose::Script, "text/javascript", repeat("'/a")),
        (Purpose::Script, "text/javascript", repeat("\"\\\"/a")),
        (Purpose::Script, "text/javascript", repeat("`${${/a")),
        (Purpose::Sitemap, "text/xml", repeat("<loc>")),
        (Purpose::Sitemap, "text/xml", repeat("<loc><![CDATA[")),
        (Purpose::Robots, "text/plain", repeat("Allow: /*a*a*a\n")),
        (Purpose::Description, "x", described("[")),
        (Purpose::Description, "x", described("&a [*a,")),
        (Purpose::Description, "x", described("? ")),
        (Purpose::Description, "x", described("- ")),
        (Purpose::Description, "x", described("\"\\x41")),
        (Purpose::Description, "x", described("a: {b: c}, ")),
    ]
}

#[test]
fn time_is_linear_in_hostile_bodies() {
    for (number, (purpose, kind, body)) in slow(2 << 20).into_iter().enumerate() {
        let start = cpu_seconds();
        let _ = read(&reply(purpose, kind, body));
        let seconds = cpu_seconds() - start;
        println!("body {number}: {seconds:.3} s");
        // Quadratic time would take hours; the bound leaves room for builds without optimization.
        assert!(seconds < 8.0, "body {number}: {seconds} s");
    }
}

/// Processor time of this thread, in seconds.
pub(crate) fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

#[test]
fn answers_of_other_requests_are_ignored() {
    let mut crawl = Crawl::new(config("https://a.test/")).unwrap();
    let requests = crawl.next_batch();
    assert_eq!(requests.len(), 1);
    let mut forged = read(&reply(Purpose::Page, "text/html", b"<a href=/forged>".to_vec()));
    forged.request = 77;
    crawl.absorb(vec![web::crawl::Answer::Read(Box::new(forged))]);
    assert!(crawl.next_batch().iter().all(|request| !request.url.path().contains("forged")));
}
