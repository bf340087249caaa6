//! Files of lists: names, comments, errors.

use super::*;

fn lists(files: &[(&str, &str)]) -> Result<Lists, ListsError> {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(directory.path().join(name), text).unwrap();
    }
    Lists::load(directory.path())
}

#[test]
fn a_name_is_found_in_any_spelling_with_file_line_and_comment_as_evidence() {
    let lists = lists(&[
        ("pypi-block.txt", "# refused\n\nEvil_Tools # seen in an incident\n"),
        ("npm-private.txt", "@acme/*\nacme-internal\n"),
        ("domains-allow.txt", "example.org\nmünchen.example\n"),
        ("repositories-block.txt", "Acme/Widgets"),
        (".hidden", "anything at all"),
    ])
    .unwrap();
    let pypi = Named::Package(Ecosystem::Pypi);
    let found = lists.find(pypi, Listing::Block, "evil-tools").unwrap();
    assert_eq!(found.evidence(), "pypi-block.txt line 3 (seen in an incident)");
    assert_eq!(lists.find(pypi, Listing::Allow, "evil-tools"), None);
    let npm = Named::Package(Ecosystem::Npm);
    assert!(lists.find(npm, Listing::Private, "@acme/login").is_some());
    assert!(lists.find(npm, Listing::Private, "@acmes/login").is_none());
    assert!(lists.find(npm, Listing::Private, "acme-internal").is_some());
    assert_eq!(lists.names(npm, Listing::Private).collect::<Vec<_>>(), ["acme-internal"]);
    for domain in ["example.org", "a.b.example.org", "EXAMPLE.org.", "xn--mnchen-3ya.example"] {
        assert!(lists.find(Named::Domain, Listing::Allow, domain).is_some(), "{domain}");
    }
    for domain in ["badexample.org", "example.com", "org"] {
        assert!(lists.find(Named::Domain, Listing::Allow, domain).is_none(), "{domain}");
    }
    assert!(lists.find(Named::Repository, Listing::Block, "acme/widgets").is_some());
}

#[test]
fn an_unusable_file_is_named_with_its_line() {
    let error = |files: &[(&str, &str)]| lists(files).unwrap_err().to_string();
    assert!(error(&[("notes.txt", "")]).contains("notes.txt"));
    assert!(error(&[("npm-blocked.txt", "")]).contains("npm-blocked.txt"));
    assert!(error(&[("npm-block.txt", "left-pad\ntwo names\n")]).contains("line 2, found \"two names\""));
    assert!(error(&[("domains-block.txt", "*.example.org")]).contains("line 1"));
    assert!(error(&[("domains-block.txt", &"a.b\n".repeat(600_000))]).contains("2097152 bytes"));
    let many: String = (0..=MOST_ENTRIES).map(|number| format!("p{number}\n")).collect();
    assert!(error(&[("npm-known.txt", &many)]).contains("20000 entries"));
    assert!(Lists::load(Path::new("/nowhere")).is_err());
}

#[test]
fn beginnings_have_the_spelling_of_the_names_of_their_ecosystem() {
    let lists =
        lists(&[("pypi-private.txt", "Acme_*\n"), ("go-private.txt", "github.com/Acme/*\n")]).unwrap();
    let is_private =
        |ecosystem, name| lists.find(Named::Package(ecosystem), Listing::Private, name).is_some();
    assert!(is_private(Ecosystem::Pypi, "acme-login") && is_private(Ecosystem::Pypi, "acme_login"));
    assert!(!is_private(Ecosystem::Pypi, "acmelogin"));
    assert!(is_private(Ecosystem::Go, "github.com/Acme/login"));
}
