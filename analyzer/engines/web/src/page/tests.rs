//! Content of ordinary and of hostile pages.

use super::*;

fn read(body: &str) -> Page {
    Page::read(body.as_bytes(), &Url::parse("https://a.test/dir/page?x=1").unwrap())
}

#[test]
fn every_kind_of_link_is_found_in_the_order_of_the_page() {
    let page = read(
        "<link rel=canonical href=/c><a href='b#top'>x</a><AREA HREF=\"/d\"><iframe src=/f></iframe>\
         <meta http-equiv=Refresh content='0; url=/r'><a href=/t?a=1&amp;b=2>y</a><a href=' /c '>again</a>\
         <link rel='alternate' href=/feed><noscript><a href=/n>n</a><img src=/pixel></noscript>",
    );
    let expected = ["/c", "/dir/b", "/d", "/f", "/r", "/t?a=1&b=2", "/feed", "/n"];
    assert_eq!(page.links, expected.map(|path| format!("https://a.test{path}")));
    assert_eq!(page.references, ["https://a.test/pixel"]);
}

#[test]
fn other_schemes_and_places_within_the_page_are_no_links() {
    let page = read(
        "<a href='javascript:fetch(\"/x\")'>1</a><a href=data:text/html,x>2</a><a href=mailto:a@b.test>3</a>\
         <a href=tel:1>4</a><a href=#x>5</a><a href='java\tscript:1'>6</a><a>7</a><a href=http://[>8</a>\
         <!-- <a href=/comment> --><textarea><a href=/textarea></textarea><title><a href=/title></title>",
    );
    assert_eq!(page.links, Vec::<String>::new());
}

#[test]
fn base_changes_links_but_not_the_default_action() {
    let page = read(
        "<base href=https://other.test/x/><base href=/y/><a href=z>z</a><form></form><form action=w></form>",
    );
    assert_eq!(page.links, ["https://other.test/x/z"]);
    let actions: Vec<&str> = page.forms.iter().map(|form| form.action.as_str()).collect();
    assert_eq!(actions, ["https://a.test/dir/page?x=1", "https://other.test/x/w"]);
}

#[test]
fn forms_are_recorded_with_their_fields() {
    let page = read(
        "<form action=/login method=post><input name=user><input name=pass type=PASSWORD><input type=submit>\
         <select name=lang></select></form><input name=outside><form method=dialog><input name=d></form>\
         <form action='/search?old=1'><textarea name=q></textarea>",
    );
    assert_eq!(page.forms.len(), 2);
    let login = page.forms[0].route().unwrap();
    assert_eq!((login.method.as_str(), login.template.as_str()), ("POST", "/login"));
    let fields: Vec<_> =
        page.forms[0].fields.iter().map(|one| (one.name.as_str(), one.kind.as_str())).collect();
    assert_eq!(fields, [("user", "text"), ("pass", "password"), ("lang", "select")]);
    let search = page.forms[1].route().unwrap();
    let names: Vec<&str> = search.parameters.iter().map(|one| one.name.as_str()).collect();
    assert_eq!((search.method.as_str(), names), ("GET", vec!["q"]));
}

#[test]
fn scripts_metadata_references_and_descriptions_are_found() {
    let page = read(
        "<script src=/app.js></script><script>fetch('/api/a')</script><script type=text/template>fetch('/no')</script>\
         <meta name=Generator content='WordPress 6.5'><meta property=og:x content=y>\
         <img src=/i.png srcset='/i1.png 1x, //cdn.test/i2.png 2x'><link rel=stylesheet href=/s.css>\
         <link rel=service-desc href=/openapi.json><redoc spec-url=/spec.yaml></redoc>",
    );
    assert_eq!(page.scripts, ["https://a.test/app.js"]);
    assert!(page.inline_scripts.contains("/api/a") && !page.inline_scripts.contains("/no"));
    assert_eq!(page.metadata[0], ("generator".to_owned(), "WordPress 6.5".to_owned()));
    assert_eq!(page.metadata[1].0, "og:x");
    let references =
        ["https://a.test/i.png", "https://a.test/i1.png", "https://cdn.test/i2.png", "https://a.test/s.css"];
    assert_eq!(page.references, references);
    assert_eq!(page.descriptions, ["https://a.test/openapi.json", "https://a.test/spec.yaml"]);
}

#[test]
fn large_pages_are_cut_and_say_so() {
    let many: String = (0..MOST_LINKS + 5).map(|number| format!("<a href=/{number}>")).collect();
    let page = read(&many);
    assert_eq!((page.links.len(), page.cut), (MOST_LINKS, true));
    let mut huge = "<p>".repeat(10);
    huge.push_str(&"x".repeat(MOST_PAGE_BYTES));
    huge.push_str("<a href=/behind>");
    let page = read(&huge);
    assert_eq!((page.links.len(), page.cut), (0, true));
    let page = read(&"<a href=/x>".repeat(MOST_TAGS + 1));
    assert_eq!((page.links.len(), page.cut), (1, true));
}

#[test]
fn nesting_is_not_limited() {
    let page = read(&format!("{}<a href=/inner>", "<div>".repeat(50_000)));
    assert_eq!(page.links, ["https://a.test/inner"]);
}

#[test]
fn attributes_beyond_the_bound_do_not_replace_others() {
    let many: String = (0..40).map(|number| format!("a{number}=1 ")).collect();
    let page = read(&format!("<a href=/first {many} href=/last>"));
    assert!(page.cut);
    assert_eq!(page.links, Vec::<String>::new());
}
