//! Processor time of the discovery of 500 pages, printed: `cargo test --release -p web --test crawl -- --ignored --nocapture`.

use super::hostile::cpu_seconds;
use super::site::{Site, config, crawl};

/// Bytes of a generated page, about as many as the median page of the web has.
const PAGE_BYTES: usize = 32 << 10;

fn word(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit + 49)).collect()
}

fn page(number: usize) -> String {
    let mut body = String::from(
        "<!doctype html><html><head><meta name=generator content='WordPress 6.3.1'><script src=/js/jquery-3.7.1.min.js></script>\
         <link rel=stylesheet href=/s.css></head><body>",
    );
    for link in 0..60 {
        body.push_str(&format!(
            "<li class=\"item\"><a href=\"/section/p-{}\">Page</a></li>",
            word((number * 7 + link) % 499)
        ));
    }
    body.push_str("<form method=post action=/contact><input name=mail type=email><textarea name=text></textarea></form>");
    while body.len() < PAGE_BYTES {
        body.push_str(
            "<div class=\"row\"><p>Some text with <b>markup</b> &amp; entities, as pages have it.</p></div>",
        );
    }
    body.push_str("<script>fetch('/api/items/'+id).then(x=>x.json())</script>");
    body
}

#[test]
#[ignore = "a measurement"]
fn discovery_of_500_pages() {
    let mut site = Site::default().html("https://a.test/", page(0));
    for number in 0..499 {
        let url = format!("https://a.test/section/p-{}", word(number));
        site = site.html(&url, page(number)).header(&url, "Server", "nginx/1.25.3");
    }
    let start = cpu_seconds();
    let (_, inventory) = crawl(&site, config("https://a.test/"));
    let seconds = cpu_seconds() - start;
    assert_eq!(inventory.coverage.pages, 500);
    println!("500 pages of {PAGE_BYTES} bytes: {seconds:.3} CPU-s, {} endpoints", inventory.endpoints.len());
}
