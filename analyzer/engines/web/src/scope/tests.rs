//! Decisions about every notation of a host, and about hosts that only look like the application's.

use super::*;

fn scope(url: &str) -> Scope {
    Scope::new(url, &[], &[]).unwrap()
}

fn decide(scope: &Scope, url: &str) -> (ScopeStatus, ScopeReason) {
    let decision = scope.decide(&Url::parse(url).unwrap());
    (decision.status, decision.reason)
}

use {ScopeReason as Reason, ScopeStatus as Status};

#[test]
fn every_notation_of_the_application_host_is_included() {
    let scope = scope("https://Shop.Example.com/start");
    for url in [
        "https://shop.example.com/",
        "https://SHOP.example.COM/a?b=c",
        "https://shop.example.com:443/",
        "https://shop.example.com./",
        "http://shop.example.com/",
        "http://shop.example.com:80/",
        "https://ｓｈｏｐ.example.com/",
        "https://shop%2eexample.com/",
    ] {
        assert_eq!(decide(&scope, url), (Status::Included, Reason::ApplicationHost), "{url}");
    }
}

#[test]
fn another_port_or_scheme_is_another_service() {
    let default = scope("https://example.com/");
    assert_eq!(decide(&default, "https://example.com:8443/").1, Reason::OtherOrigin);
    assert_eq!(decide(&default, "http://example.com:443/").1, Reason::OtherOrigin);
    let own_port = scope("http://example.com:8080/");
    assert_eq!(decide(&own_port, "http://example.com:8080/x").0, Status::Included);
    for url in ["https://example.com:8080/", "http://example.com/", "https://example.com/"] {
        assert_eq!(decide(&own_port, url), (Status::Unverified, Reason::OtherOrigin), "{url}");
    }
}

#[test]
fn names_of_the_registrable_domain_are_unverified() {
    let scope = scope("https://shop.example.co.uk/");
    for url in ["https://example.co.uk/", "https://www.example.co.uk/", "https://a.shop.example.co.uk/"] {
        assert_eq!(decide(&scope, url), (Status::Unverified, Reason::SameDomain), "{url}");
    }
    assert_eq!(decide(&scope, "https://other.co.uk/").0, Status::Foreign);
}

#[test]
fn customers_of_one_hosting_company_do_not_share_a_domain() {
    let scope = scope("https://mine.github.io/");
    assert_eq!(decide(&scope, "https://theirs.github.io/"), (Status::Foreign, Reason::OtherDomain));
    assert_eq!(decide(&scope, "https://www.mine.github.io/").0, Status::Unverified);
}

#[test]
fn names_that_contain_or_resemble_the_application_are_foreign() {
    let scope = scope("https://example.com/");
    for url in [
        "https://example.com.attacker.test/",
        "https://notexample.com/",
        "https://example.co/",
        // Cyrillic a and Greek omicron.
        "https://ex\u{430}mple.com/",
        "https://example.c\u{3bf}m/",
        "https://example.com%2eattacker.test/",
        "https://attacker.test/?https://example.com/",
        "https://attacker.test\\.example.com/",
    ] {
        assert_eq!(decide(&scope, url), (Status::Foreign, Reason::OtherDomain), "{url}");
    }
}

#[test]
fn international_names_are_compared_in_their_ascii_form() {
    let scope = scope("https://www.bücher.example/");
    assert_eq!(decide(&scope, "https://www.xn--bcher-kva.example/").0, Status::Included);
    assert_eq!(decide(&scope, "https://BÜCHER.example/").0, Status::Unverified);
}

#[test]
fn credentials_other_schemes_and_hosts_outside_of_dns_are_foreign() {
    let scope = scope("https://example.com/");
    for (url, reason) in [
        ("https://user@example.com/", Reason::Credentials),
        ("https://:pass@example.com/", Reason::Credentials),
        ("https://example.com@attacker.test/", Reason::Credentials),
        ("ftp://example.com/", Reason::Scheme),
        ("javascript:alert(1)", Reason::Scheme),
        ("data:text/html,x", Reason::Scheme),
        ("file:///etc/passwd", Reason::Scheme),
        ("https://example.com../", Reason::Host),
        ("https://a..example.com/", Reason::Host),
    ] {
        assert_eq!(decide(&scope, url), (Status::Foreign, reason), "{url}");
    }
}

#[test]
fn an_address_includes_all_its_notations_and_nothing_else() {
    let scope = scope("http://127.0.0.1:8080/");
    for url in ["http://0x7f.1:8080/", "http://2130706433:8080/", "http://127.1:8080/"] {
        assert_eq!(decide(&scope, url).0, Status::Included, "{url}");
    }
    for url in ["http://127.0.0.2:8080/", "http://localhost:8080/", "http://[::ffff:127.0.0.1]:8080/"] {
        assert_eq!(decide(&scope, url).0, Status::Foreign, "{url}");
    }
    assert_eq!(decide(&self::scope("http://[::1]/"), "http://[0:0::1]/").0, Status::Included);
}

#[test]
fn listed_hosts_are_included_and_exclusion_overrides_inclusion() {
    let included = ["api.example.com", "*.eu.example.com", "example.net:8443"].map(str::to_owned);
    let excluded = ["admin.eu.example.com", "*.private.eu.example.com"].map(str::to_owned);
    let scope = Scope::new("https://example.com/", &included, &excluded).unwrap();
    for (url, expected) in [
        ("https://api.example.com/", Status::Included),
        ("https://api.example.com:444/", Status::Unverified),
        ("https://a.eu.example.com/", Status::Included),
        ("https://eu.example.com/", Status::Unverified),
        ("https://xeu.example.com/", Status::Unverified),
        ("https://example.net:8443/", Status::Included),
        ("https://example.net/", Status::Unverified),
        ("https://www.example.net/", Status::Foreign),
        ("https://admin.eu.example.com/", Status::Excluded),
        ("https://admin.eu.example.com:1/", Status::Excluded),
        ("https://u:p@admin.eu.example.com/", Status::Excluded),
        ("https://a.private.eu.example.com/", Status::Excluded),
    ] {
        assert_eq!(decide(&scope, url).0, expected, "{url}");
    }
    let own = Scope::new("https://example.com/", &[], &["EXAMPLE.com.".to_owned()]).unwrap();
    assert_eq!(decide(&own, "https://example.com/").0, Status::Excluded);
}

#[test]
fn names_of_certificates_are_decided_like_urls() {
    let scope = scope("https://example.com/");
    assert_eq!(scope.decide_host("example.com").status, Status::Included);
    assert_eq!(scope.decide_host("www.example.com").status, Status::Unverified);
    for name in ["", "example.com/", "example.com@x", "example.com:1", "*.example.com", "a b", "\u{0}"] {
        assert_eq!(scope.decide_host(name).reason, Reason::Host, "{name:?}");
    }
}

#[test]
fn applications_and_lists_that_are_not_valid_are_refused() {
    for (url, error) in [
        ("example.com", ScopeError::Url),
        ("ftp://example.com/", ScopeError::Scheme),
        ("https://u:p@example.com/", ScopeError::Credentials),
        ("https://a..b/", ScopeError::Host),
    ] {
        assert_eq!(Scope::new(url, &[], &[]), Err(error), "{url}");
    }
    for pattern in ["", "*", "*.", "a/b", "https://a", "*.127.0.0.1", "a:99999", "a b", "u@a"] {
        let refused = Scope::new("https://example.com/", &[pattern.to_owned()], &[]);
        assert!(matches!(refused, Err(ScopeError::Pattern(_))), "{pattern}");
    }
}

#[test]
fn an_address_of_version_6_is_decided_by_its_name_too() {
    let application = "https://[2606:4700::1111]/";
    let scope = Scope::new(application, &[], &[]).unwrap();
    let name = host_name(scope.application()).unwrap();
    assert_eq!(scope.decide_host(&name).reason, Reason::ApplicationHost);
    let excluded = Scope::new(application, &[], std::slice::from_ref(&name)).unwrap();
    assert_eq!(excluded.decide_host(&name).status, Status::Excluded);
    for other in
        ["[2606:4700::1112]", "[2606:4700::1111", "2606:4700::1111", "[::1]/", "[a.test]", "a.test:443"]
    {
        assert_eq!(scope.decide_host(other).status, Status::Foreign, "{other}");
    }
}
