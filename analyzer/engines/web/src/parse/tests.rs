//! Batches through their form in bytes, and replies whose kind decides how they are read.

use super::*;
use crate::{robots, technologies};

fn reply(request: u32, purpose: Purpose, kind: &str, body: &str) -> Reply {
    Reply {
        request,
        url: "https://a.test/x".into(),
        base: "https://a.test/".into(),
        purpose,
        status: 200,
        headers: vec![("Content-Type".into(), kind.into()), ("Server".into(), "nginx/1.25.3".into())],
        body: body.into(),
        certificate: Vec::new(),
    }
}

fn parse(replies: &[Reply]) -> Vec<Reading> {
    decode_readings(&read_batch(&encode_batch(replies))).unwrap()
}

#[test]
fn a_batch_of_every_purpose_is_read() {
    let replies = [
        reply(1, Purpose::Robots, "text/plain", "User-agent: *\nDisallow: /x"),
        reply(2, Purpose::Sitemap, "text/xml", "<urlset><url><loc>https://a.test/s</loc></url></urlset>"),
        reply(
            3,
            Purpose::Description,
            "application/json",
            r#"{"openapi":"3.0.0","paths":{"/d":{"get":{}}}}"#,
        ),
        reply(4, Purpose::Script, "text/javascript", "fetch('/api/j')"),
        reply(
            5,
            Purpose::Page,
            "text/html",
            "<a href=/p>p</a><form method=post action=/f></form><script>f('/api/i')</script>",
        ),
        reply(6, Purpose::Page, "application/yaml", "openapi: 3.0.0\npaths: {/y: {get: {}}}"),
    ];
    let readings = parse(&replies);
    assert_eq!(readings.iter().map(|reading| reading.request).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(readings[0].robots.as_ref().unwrap().rules.len(), 1);
    assert_eq!(readings[1].sitemap.as_ref().unwrap().pages, ["https://a.test/s"]);
    let templates = |number: usize| -> Vec<&str> {
        readings[number].routes.iter().map(|route| route.template.as_str()).collect()
    };
    assert_eq!(templates(2), ["/d"]);
    assert_eq!(templates(3), ["/api/j"]);
    assert_eq!(templates(4), ["/f", "/api/i"]);
    assert_eq!(templates(5), ["/y"]);
    assert_eq!(readings[4].links, ["https://a.test/p"]);
    assert!(readings.iter().all(|reading| reading.technologies.iter().any(|one| one.name == "nginx")));
    assert_eq!(read_batch(&encode_batch(&replies)), read_batch(&encode_batch(&replies)));
}

#[test]
fn error_pages_are_no_robots_files_and_redirects_are_resolved() {
    let mut page = reply(1, Purpose::Robots, "text/html", "Disallow: /");
    assert_eq!(read(&page).robots, None);
    page.status = 302;
    page.headers.push(("Location".into(), "//other.test/y".into()));
    assert_eq!(read(&page).redirect.as_deref(), Some("https://other.test/y"));
    page.status = 200;
    assert_eq!(read(&page).redirect, None);
}

#[test]
fn malformed_batches_and_readings_are_errors() {
    let batch = encode_batch(&[reply(1, Purpose::Page, "text/html", "<a href=/p>")]);
    for length in 0..batch.len() {
        assert_eq!(decode_readings(&read_batch(&batch[..length])), Err(BatchError::Batch), "{length}");
    }
    let mut longer = batch;
    longer.push(0);
    assert_eq!(decode_readings(&read_batch(&longer)), Err(BatchError::Batch));
    assert_eq!(decode_readings(b"{}"), Err(BatchError::Readings));
    let long = || "x".repeat(2_000);
    let rule = robots::Rule { allow: false, path: long() };
    let product = |version: String| Technology {
        name: "nginx".into(),
        category: technologies::Category::ALL[0],
        version: Some(version),
        evidence: String::new(),
    };
    let many = Reading { links: vec![String::new(); 1_001], ..Reading::default() };
    let rules = Robots { rules: vec![rule], ..Robots::default() };
    let certificate = Certificate { names: vec![long()], ..Certificate::default() };
    for forged in [
        many,
        Reading { robots: Some(rules), ..Reading::default() },
        Reading { technologies: vec![product(long())], ..Reading::default() },
        Reading { certificate: Some(certificate), ..Reading::default() },
    ] {
        let written = serde_json::to_vec(&Ok::<_, BatchError>(vec![forged])).unwrap();
        assert_eq!(decode_readings(&written), Err(BatchError::Readings));
    }
    let fine = Reading { technologies: vec![product("1.2".into())], ..Reading::default() };
    let written = serde_json::to_vec(&Ok::<_, BatchError>(vec![fine.clone()])).unwrap();
    assert_eq!(decode_readings(&written), Ok(vec![fine]));
}
