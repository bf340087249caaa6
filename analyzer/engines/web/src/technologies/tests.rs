//! Every product with its examples, and the bounds of evidence.

use super::*;

/// Detects the products of an example: `header NAME: VALUE`, `meta NAME: VALUE`, `cookie: NAME`, `script: URL`, `markup: TEXT`.
fn detect(example: &str) -> Vec<Technology> {
    let (place, value) = example.split_once(": ").unwrap_or_else(|| panic!("{example}"));
    let (place, name) = place.split_once(' ').unwrap_or((place, ""));
    let named = [(name.to_owned(), value.to_owned())];
    let cookie = [("Set-Cookie".to_owned(), format!("{value}=x; Path=/"))];
    let script = [value.to_owned()];
    let signs = match place {
        "header" => Signs { headers: &named, ..Signs::default() },
        "meta" => Signs { metadata: &named, ..Signs::default() },
        "cookie" => Signs { headers: &cookie, ..Signs::default() },
        "script" => Signs { scripts: &script, ..Signs::default() },
        "markup" => Signs { markup: value.as_bytes(), ..Signs::default() },
        _ => panic!("{example}"),
    };
    Catalogue::built_in().detect(&signs)
}

#[test]
fn every_product_matches_its_examples_and_nothing_that_differs() {
    let catalogue = Catalogue::built_in();
    assert!(catalogue.len() >= 200, "{} products", catalogue.len());
    let mut mistakes = Vec::new();
    for (name, matches, differs) in catalogue.examples() {
        assert!(!matches.is_empty() && !differs.is_empty(), "{name}");
        for example in matches {
            let (text, version) = example
                .split_once(" => ")
                .map_or((example.as_str(), None), |(text, version)| (text, Some(version.to_owned())));
            let found = detect(text).into_iter().find(|one| one.name == name);
            if found.as_ref().map(|one| (&one.version, one.evidence.is_empty())) != Some((&version, false)) {
                mistakes.push(format!("{name}: {example}: {found:?}"));
            }
        }
        for example in differs {
            if detect(example).iter().any(|one| one.name == name) {
                mistakes.push(format!("{name}: not {example}"));
            }
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn implied_products_name_their_evidence() {
    let found = detect("meta generator: WooCommerce 8.0.3");
    let evidence = |name: &str| found.iter().find(|one| one.name == name).map(|one| one.evidence.as_str());
    assert_eq!(evidence("WordPress"), Some("implied by WooCommerce"));
    assert_eq!(evidence("PHP"), Some("implied by WordPress"));
}

#[test]
fn evidence_with_a_version_replaces_evidence_without() {
    let metadata = [("generator".to_owned(), "WordPress 6.3.1".to_owned())];
    let scripts = ["https://a.test/wp-includes/js/x.js".to_owned()];
    let signs = Signs { metadata: &metadata, scripts: &scripts, ..Signs::default() };
    let found = Catalogue::built_in().detect(&signs);
    let word_press = found.iter().find(|one| one.name == "WordPress").unwrap();
    assert_eq!(word_press.version.as_deref(), Some("6.3.1"));
}

#[test]
fn evidence_is_bounded_and_bytes_outside_of_utf_8_end_it() {
    let mut markup = b"<b>__VIEWSTATE</b><i id=\"__VIEWSTATE\"".to_vec();
    markup.extend([0xff; 500]);
    let found = Catalogue::built_in().detect(&Signs { markup: &markup, ..Signs::default() });
    assert!(found.iter().any(|one| one.name == "ASP.NET" && one.evidence == "markup: id=\"__VIEWSTATE\""));
    let long = [("server".to_owned(), format!("nginx/1.2 {}", "é".repeat(500)))];
    let found = Catalogue::built_in().detect(&Signs { headers: &long, ..Signs::default() });
    assert!(found.iter().all(|one| one.evidence.len() <= LONGEST_EVIDENCE));
}

#[test]
fn catalogues_with_mistakes_are_refused() {
    let file =
        |product: &str| format!("category = \"server\"\n[[product]]\nmatches = []\ndiffers = []\n{product}");
    let parse = |product: &str| Catalogue::parse(&[&file(product)]).map(|_| ());
    assert!(matches!(parse("name = 'a'\nunknown = 1"), Err(CatalogueError::Form(_))));
    assert!(matches!(parse("name = 'a'\nmarkup = ['x']"), Err(CatalogueError::Pattern { .. })));
    assert!(matches!(parse("name = 'a'\nscripts = ['^/long.js']"), Err(CatalogueError::Pattern { .. })));
    assert!(matches!(parse("name = 'a'\nimplies = ['b']"), Err(CatalogueError::Implied { .. })));
    let twice = file("name = 'a'\n[[product]]\nname = 'a'\nmatches = []\ndiffers = []");
    assert!(matches!(Catalogue::parse(&[&twice]), Err(CatalogueError::Twice(_))));
}
