//! Properties of all grammars, and cases that the recorded results do not contain.

use std::cmp::Ordering;

use proptest::prelude::*;

use crate::{
    Ecosystem, MAX_NAME, MAX_RANGE, MAX_VERSION, ParseError, Range, Target, TargetError, Version,
    escaped_module, normalized_name,
};

fn version(ecosystem: Ecosystem, text: &str) -> Version {
    Version::parse(ecosystem, text).unwrap()
}

fn ecosystem() -> impl Strategy<Value = Ecosystem> {
    proptest::sample::select(Ecosystem::ALL.to_vec())
}

/// Texts that are often versions of some ecosystem.
fn version_text() -> impl Strategy<Value = String> {
    "v?[0-9]{1,2}(\\.[0-9]{1,2}){0,3}((-|\\.|)(a|b|rc|alpha|beta|dev|post)\\.?[0-9]?)?(\\+incompatible)?"
}

fn range_text() -> impl Strategy<Value = String> {
    let word = "(\\^|~|~>|>=|<=|>|<|=|==|!=|) ?v?[0-9x*]{1,2}(\\.[0-9x*]{1,2}){0,2}(-(alpha|rc\\.1))?";
    proptest::collection::vec(word, 1..4).prop_flat_map(|words| {
        proptest::sample::select(vec![" ", ",", ", ", " || "]).prop_map(move |by| words.join(by))
    })
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(ecosystem in ecosystem(), text in "\\PC{0,80}") {
        let _ = Version::parse(ecosystem, &text);
        let _ = Range::parse(ecosystem, &text);
        let _ = normalized_name(ecosystem, &text);
        let _ = text.parse::<Target>();
    }

    #[test]
    fn order_is_total(ecosystem in ecosystem(), texts in proptest::collection::vec(version_text(), 3)) {
        let versions: Vec<_> = texts.iter().filter_map(|text| Version::parse(ecosystem, text).ok()).collect();
        if let [a, b, c] = versions.as_slice() {
            let order = |left: &Version, right: &Version| left.compare(right).unwrap();
            prop_assert_eq!(order(a, a), Ordering::Equal);
            prop_assert_eq!(order(a, b), order(b, a).reverse());
            if order(a, b).is_le() && order(b, c).is_le() {
                prop_assert!(order(a, c).is_le(), "{a} <= {b} <= {c}");
            }
        }
    }

    #[test]
    fn canonical_texts_are_read_again_as_themselves(ecosystem in ecosystem(), text in version_text()) {
        if let Ok(first) = Version::parse(ecosystem, &text) {
            let again = version(ecosystem, first.as_str());
            prop_assert_eq!(again.as_str(), first.as_str());
            prop_assert_eq!(again.compare(&first), Some(Ordering::Equal));
        }
    }

    #[test]
    fn a_range_gives_equal_versions_equal_answers(
        ecosystem in ecosystem(), range in range_text(), a in version_text(), b in version_text(),
    ) {
        let found = (Range::parse(ecosystem, &range), Version::parse(ecosystem, &a), Version::parse(ecosystem, &b));
        // Local versions of PEP 440 do not occur here; tags of one release but another precision are never equal.
        if let (Ok(range), Ok(a), Ok(b)) = found
            && a.compare(&b) == Some(Ordering::Equal)
        {
            prop_assert_eq!(range.matches(&a), range.matches(&b));
        }
    }

    #[test]
    fn targets_are_read_again_as_themselves(ecosystem in ecosystem(), name in "@?[A-Za-z0-9._/-]{1,30}", at in version_text()) {
        if let Ok(target) = Target::new(ecosystem, &name, Some(&at)) {
            prop_assert_eq!(target.to_string().parse::<Target>(), Ok(target));
        }
    }
}

#[test]
fn texts_beyond_the_bounds_are_refused_unread() {
    for ecosystem in Ecosystem::ALL {
        let long = "1".repeat(MAX_RANGE + 1);
        assert!(matches!(
            Version::parse(ecosystem, &long),
            Err(ParseError::TooLong { most: MAX_VERSION, .. })
        ));
        assert!(matches!(Range::parse(ecosystem, &long), Err(ParseError::TooLong { most: MAX_RANGE, .. })));
        assert!(matches!(normalized_name(ecosystem, &long), Err(ParseError::TooLong { most: MAX_NAME, .. })));
    }
    let error = format!("npm:{}", "a".repeat(3_000)).parse::<Target>().unwrap_err();
    assert!(matches!(error, TargetError::TooLong { found: 3_004 }));
}

#[test]
fn hostile_ranges_are_read_in_linear_steps() {
    for (ecosystem, part) in [
        (Ecosystem::Npm, "||"),
        (Ecosystem::Npm, "+a.b"),
        (Ecosystem::Npm, "~> "),
        (Ecosystem::Npm, "1 - 2 "),
        (Ecosystem::Pypi, "==1,"),
        (Ecosystem::RubyGems, "~>1,"),
        (Ecosystem::Cargo, ">1,"),
        (Ecosystem::GitHubAction, ">1,"),
        (Ecosystem::Go, "v1.0-"),
    ] {
        let _ = Range::parse(ecosystem, &part.repeat(MAX_RANGE / part.len()));
    }
}

#[test]
fn errors_name_ecosystem_part_and_text() {
    let error = Version::parse(Ecosystem::Go, "1.2.3").unwrap_err().to_string();
    assert_eq!(error, "expected a version of go (a canonical one such as v1.2.3), found \"1.2.3\"");
    let error = Range::parse(Ecosystem::Npm, "latest").unwrap_err().to_string();
    assert!(error.starts_with("expected a range of npm"), "{error}");
}

#[test]
fn versions_of_different_ecosystems_have_no_order() {
    let (a, b) = (version(Ecosystem::Npm, "1.0.0"), version(Ecosystem::Cargo, "1.0.0"));
    assert_eq!(a.compare(&b), None);
    assert!(!Range::parse(Ecosystem::Npm, "*").unwrap().matches(&b));
}

#[test]
fn cargo_ranges_exclude_pre_releases_that_they_do_not_name() {
    let admits = |range: &str, text: &str| {
        Range::parse(Ecosystem::Cargo, range).unwrap().matches(&version(Ecosystem::Cargo, text))
    };
    assert!(admits("1.2", "1.9.0") && admits("^0.3.1", "0.3.9") && admits(">=1, <2", "1.5.0+build"));
    assert!(!admits("^0.3.1", "0.4.0") && !admits("1", "1.5.0-rc.1") && admits("1.5.0-rc.1", "1.5.0-rc.2"));
}

#[test]
fn tags_of_actions_are_ordered_and_lines_admit_their_releases() {
    let tag = |text: &str| version(Ecosystem::GitHubAction, text);
    let ascending = ["v3", "v3.9.9", "v4.0.0-rc.1", "v4", "v4.0", "v4.0.0", "v4.0.1", "v4.1", "v10"];
    for pair in ascending.windows(2) {
        assert_eq!(tag(pair[0]).compare(&tag(pair[1])), Some(Ordering::Less), "{pair:?}");
    }
    let admits =
        |range: &str, text: &str| Range::parse(Ecosystem::GitHubAction, range).unwrap().matches(&tag(text));
    assert!(admits("v4", "v4") && admits("v4", "v4.2.1") && admits("v4.2", "4.2.1"));
    assert!(!admits("v4.2", "v4") && !admits("v4", "v5") && !admits("v4", "v4.1.0-beta"));
    assert!(admits(">= 3.0, < 3.0.5", "v3.0.4") && !admits(">= 3.0, < 3.0.5", "v3.0.5"));
    assert!(admits("v4.1.2", "4.1.2") && !admits("v4.1.2", "v4.1.3"));
    let commit = "a".repeat(40);
    assert!(crate::is_commit(&commit) && Version::parse(Ecosystem::GitHubAction, &commit).is_err());
}

#[test]
fn pseudo_versions_of_go_have_their_parts() {
    let pseudo = version(Ecosystem::Go, "v1.2.4-0.20191109021931-daa7c04131f5");
    let parts = pseudo.pseudo().unwrap();
    assert_eq!((parts.time, parts.revision), ("20191109021931", "daa7c04131f5"));
    assert!(version(Ecosystem::Go, "v2.0.0-20191109021931-daa7c04131f5+incompatible").pseudo().is_some());
    assert!(version(Ecosystem::Go, "v1.2.4-rc.1").pseudo().is_none());
    assert_eq!(escaped_module("github.com/BurntSushi/toml"), "github.com/!burnt!sushi/toml");
}

#[test]
fn releases_are_the_first_three_numbers() {
    assert_eq!(version(Ecosystem::Pypi, "2!1.4.post1").release(), [1, 4, 0]);
    assert_eq!(version(Ecosystem::RubyGems, "7.0.a.1").release(), [7, 0, 0]);
    assert_eq!(version(Ecosystem::RubyGems, "1.99999999999999999999.2").release(), [1, u64::MAX, 2]);
    assert_eq!(version(Ecosystem::GitHubAction, "v4").release(), [4, 0, 0]);
}

#[test]
fn targets_are_normalized_by_their_ecosystem() {
    for (text, canonical) in [
        ("npm:lodash@4.17.21", "npm:lodash@4.17.21"),
        ("npm:@types/node@v20.1.0", "npm:@types/node@20.1.0"),
        ("npm:@types/node", "npm:@types/node"),
        ("pip:Zope.Interface__x@1.0.0-RC1", "pypi:zope-interface-x@1.0.0rc1"),
        ("go:github.com/BurntSushi/toml@v1.3.2", "go:github.com/BurntSushi/toml@v1.3.2"),
        ("gem:rails@7.1.0", "rubygems:rails@7.1.0"),
        ("crates.io:serde_json@1.0.0", "cargo:serde_json@1.0.0"),
        ("actions:Actions/Checkout@v4", "github-action:actions/checkout@v4"),
        ("actions:github/codeql-action/init@main", "github-action:github/codeql-action/init@main"),
        (
            "actions:actions/cache@ABCDEFABCDEFABCDEFABCDEFABCDEFABCDEFABCD",
            "github-action:actions/cache@abcdefabcdefabcdefabcdefabcdefabcdefabcd",
        ),
    ] {
        assert_eq!(text.parse::<Target>().unwrap().to_string(), canonical, "{text}");
    }
}

#[test]
fn names_that_no_registry_permits_are_refused() {
    for text in [
        "npm:.hidden@1.0.0",
        "npm:@scope@1.0.0",
        "npm:a/b@1.0.0",
        "npm:node_modules@1.0.0",
        "npm:@a/..@1.0.0",
        "npm:a b@1.0.0",
        "pypi:-x@1",
        "pypi:x_@1",
        "pypi:名@1",
        "go:module@v1.0.0",
        "go:example.com//x@v1.0.0",
        "go:example.com/.x@v1.0.0",
        "go:Example.com/x@v1.0.0",
        "gem:123@1",
        "gem:-a@1",
        "cargo:1a@1.0.0",
        "actions:checkout@v4",
        "actions:a_b/c@v1",
        "actions:a/..@v1",
        "actions:a/b/../c@v1",
        "actions:a/b@x..y",
        "actions:a/b@-x",
        "actions:a/b@",
        "npm:a@latest",
        "go:example.com/x@1.0.0",
        "nuget:x@1.0.0",
        "lodash@1.0.0",
    ] {
        assert!(text.parse::<Target>().is_err(), "{text}");
    }
}
