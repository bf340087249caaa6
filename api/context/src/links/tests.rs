//! Links of honest and of deceptive texts.

use super::*;
use crate::check::Outcome;
use crate::text::Passage;

fn failed(text: &str) -> Vec<&'static str> {
    let links = find(&Passage::visible("the text", text));
    let judged = checks(&crate::engine::tests::engine(), &links);
    let is_failed = |check: &&Check| matches!(check.outcome, Outcome::Failed { .. });
    judged.checks.iter().filter(is_failed).map(|check| check.spec.id).collect()
}

#[test]
fn every_check_of_links_fails_on_its_case_and_passes_on_its_neighbour() {
    let cases: [(&Spec, &str, &str); 8] = [
        (
            &weights::TARGET,
            "[www.github.com](https://shop.test.org/a)",
            "[www.github.com](https://gist.github.com/a)",
        ),
        (&weights::LOOKALIKE, "https://paypa1.com/login", "https://www.paypal.com/login"),
        (&weights::MIXED, "https://xn--pypal-4ve.com/", "https://xn--mnchen-3ya.de/"),
        (&weights::ADDRESS, "http://203.0.113.9/login", "http://192.168.0.10/admin"),
        (&weights::USERINFO, "https://www.northbank.com@evil.org/", "https://evil.org/@northbank.com"),
        (&weights::SCHEME, "[open](javascript:alert(document.cookie))", "the javascript language"),
        (&weights::SHORTENER, "see https://bit.ly/3xPkt", "see https://bit.dev/3xPkt"),
        (&weights::EXECUTABLE, "https://files.org/setup.exe", "https://files.org/setup.html"),
    ];
    for spec in weights::ALL.into_iter().filter(|spec| **spec != weights::BLOCKED) {
        let (_, bad, good) = cases.iter().find(|(own, ..)| *own == spec).unwrap();
        assert!(failed(bad).contains(&spec.id), "{bad}");
        assert!(!failed(good).contains(&spec.id), "{good}");
    }
}

#[test]
fn lists_of_the_operator_block_and_allow_domains_with_their_subdomains() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    write("domains-block.txt", "bad.example # incident 7\n");
    write("domains-allow.txt", "paypa1.com\n");
    write("domains-known.txt", "northwind-bank.example\n");
    let lists = crate::lists::Lists::load(directory.path()).unwrap();
    let engine = crate::engine::tests::loaded().with_lists(lists).unwrap();
    let failed = |text: &str| -> Vec<&'static str> {
        let links = find(&Passage::visible("the text", text));
        let judged = checks(&engine, &links);
        let failed = judged.checks.iter().filter(|check| matches!(check.outcome, Outcome::Failed { .. }));
        failed.map(|check| check.spec.id).collect()
    };
    assert_eq!(failed("https://www.bad.example/x"), [weights::BLOCKED.id]);
    assert_eq!(failed("https://paypa1.com/"), [""; 0]);
    assert_eq!(failed("https://n0rthwind-bank.example/"), [weights::LOOKALIKE.id]);
    assert_eq!(failed("https://good.example/"), [""; 0]);
}

#[test]
fn equal_domains_in_other_spellings_are_no_mismatch_and_hide_nothing() {
    assert_eq!(failed("[münchen.de](https://münchen.de/rathaus)"), [""; 0]);
    assert_eq!(failed("[münchen.de](https://muenchen.test.org/)"), [weights::TARGET.id]);
    assert_eq!(failed("https://bit.ly./3xPkt"), [weights::SHORTENER.id]);
    let target = Link { shown: None, target: "//paypa1.com/x".to_owned(), place: "in link 1".to_owned() };
    let judged = checks(&crate::engine::tests::engine(), &[target]);
    let is_failed = |check: &&Check| matches!(check.outcome, Outcome::Failed { .. });
    assert!(judged.checks.iter().filter(is_failed).any(|check| *check.spec == weights::LOOKALIKE));
}

#[test]
fn links_end_where_the_sentence_goes_on() {
    let text = "See (https://a.org/x_(y)), <https://b.org/> or https://c.org/d. Also www.e.org!";
    let links = find(&Passage::visible("the text", text));
    let targets: Vec<&str> = links.iter().map(|link| link.target.as_str()).collect();
    assert_eq!(targets, ["https://a.org/x_(y)", "https://b.org/", "https://c.org/d", "www.e.org"]);
}

#[test]
fn links_beyond_the_limit_are_named_as_unread() {
    let links = find(&Passage::visible("the text", "https://a.org/b ".repeat(MOST_LINKS + 1)));
    let judged = checks(&crate::engine::tests::engine(), &links);
    assert_eq!(judged.skipped.len(), 1);
}

proptest::proptest! {
    #[test]
    fn no_text_panics(text in "(https?://|www\\.|\\[|\\]\\(|[a-zé.@:/()% ]){0,30}") {
        failed(&text);
    }
}
