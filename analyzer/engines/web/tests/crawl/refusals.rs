//! Replies and requests that tell nothing about the pages of a site: errors, and requests that were not sent.

use web::crawl::{Answer, Crawl, Ending, Failure, MOST_FAILURES_IN_A_ROW};

use super::site::{Site, config, crawl};

#[test]
fn an_error_of_the_server_is_no_missing_page_and_scripts_that_look_like_actions_are_not_fetched() {
    let site = Site::default()
        .html(
            "https://a.test/",
            "<a href=/down>d</a><a href=/absent>a</a><script src=/session/logout></script>",
        )
        .html("https://a.test/down", "")
        .status("https://a.test/down", 503);
    let (requested, inventory) = crawl(&site, config("https://a.test/"));
    assert_eq!((inventory.coverage.error_replies, inventory.coverage.broken_links), (1, 1));
    assert_eq!(inventory.coverage.refused.hazard, 1);
    assert!(!requested.contains(&"https://a.test/session/logout".to_owned()), "{requested:?}");
    for (status, errors) in [(200, 0), (401, 1), (404, 1), (429, 1), (500, 1)] {
        let site = Site::default().html("https://a.test/", "").status("https://a.test/", status);
        assert_eq!(crawl(&site, config("https://a.test/")).1.coverage.error_replies, errors, "{status}");
    }
}

#[test]
fn requests_that_were_not_sent_are_no_evidence_about_the_server() {
    let links: String =
        ('a'..='z').flat_map(|a| ('a'..='z').map(move |b| format!("<a href=/{a}{b}>"))).collect();
    let site = Site::default().html("https://a.test/", links);
    let mut crawl = Crawl::new(config("https://a.test/")).unwrap();
    let mut sent = 0;
    loop {
        let requests = crawl.next_batch();
        if requests.is_empty() {
            break;
        }
        let answers = if sent < 3 {
            site.answer(&crawl, &requests)
        } else {
            let failure = Failure::PlainHttp;
            requests.iter().map(|request| Answer::Failed { request: request.number, failure }).collect()
        };
        sent += 1;
        crawl.absorb(answers);
    }
    let coverage = crawl.finish().coverage;
    assert_ne!(coverage.ending, Ending::Unresponsive);
    assert!(coverage.failed_pages[&Failure::PlainHttp] > u64::from(MOST_FAILURES_IN_A_ROW), "{coverage:?}");
}
