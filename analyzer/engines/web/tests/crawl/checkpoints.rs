//! Checkpoints: a crawl continues where it was, within the bound, whatever the site contains.

use web::crawl::{CheckpointError, Crawl, Inventory, MOST_CHECKPOINT_BYTES};

use super::site::{Site, config};

/// A number as letters, so that no two pages have one template.
fn word(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit + 49)).collect()
}

fn site() -> Site {
    let links = |from: usize| -> String {
        (from..from + 20).map(|one| format!("<a href=/p-{}>", word(one))).collect()
    };
    let mut site = Site::default().html("https://a.test/", links(0));
    for page in 0..100 {
        site = site.html(&format!("https://a.test/p-{}", word(page)), links(page * 3));
    }
    site.header("https://a.test/", "Server", "nginx/1.25.3")
}

/// Crawls, and continues from a checkpoint before each batch if asked to, once more with its requests unanswered.
fn crawl(site: &Site, resume: bool) -> Inventory {
    let mut crawl = Crawl::new(config("https://a.test/")).unwrap();
    loop {
        if resume {
            let lost = crawl.next_batch();
            crawl = Crawl::restore(config("https://a.test/"), &crawl.checkpoint()).unwrap();
            assert!(lost.len() <= 25);
        }
        let requests = crawl.next_batch();
        if requests.is_empty() {
            return crawl.finish();
        }
        let answers = site.answer(&crawl, &requests);
        crawl.absorb(answers);
    }
}

#[test]
fn a_resumed_crawl_has_the_same_inventory() {
    let site = site();
    assert_eq!(crawl(&site, true), crawl(&site, false));
}

#[test]
fn a_checkpoint_is_the_same_bytes_and_belongs_to_its_settings() {
    let mut crawl = Crawl::new(config("https://a.test/")).unwrap();
    let requests = crawl.next_batch();
    let answers = site().answer(&crawl, &requests);
    crawl.absorb(answers);
    let checkpoint = crawl.checkpoint();
    assert_eq!(checkpoint, crawl.checkpoint());
    assert_eq!(Crawl::restore(config("https://a.test/"), &checkpoint).unwrap().checkpoint(), checkpoint);
    let refused = |config, bytes: &[u8]| Crawl::restore(config, bytes).err();
    assert_eq!(refused(config("https://b.test/"), &checkpoint), Some(CheckpointError::Changed));
    for length in 0..checkpoint.len() {
        assert_eq!(
            refused(config("https://a.test/"), &checkpoint[..length]),
            Some(CheckpointError::Malformed)
        );
    }
}

/// A generator of text that does not compress.
fn noise(seed: &mut u64, length: usize) -> String {
    let letter = |_| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[(*seed >> 33) as usize % 52])
    };
    (0..length).map(letter).collect()
}

#[test]
fn a_site_that_does_not_compress_loses_counted_parts_and_no_rules() {
    let mut seed = 1;
    let rules: String = (0..200).map(|_| format!("Disallow: /{}\n", noise(&mut seed, 300))).collect();
    let mut body: String = (0..150).map(|_| format!("<a href=/{}>", noise(&mut seed, 1_500))).collect();
    body.extend(
        (0..300).map(|_| format!("<a href=//{}.{}.a.test/>", noise(&mut seed, 60), noise(&mut seed, 60))),
    );
    body.extend((0..20).map(|_| format!("<script src=/{}></script>", noise(&mut seed, 1_500))));
    let foreign: String = (0..900).map(|_| format!("<a href=//{}.test/>", noise(&mut seed, 20))).collect();
    let site = Site::default()
        .with("https://a.test/robots.txt", "text/plain", format!("User-agent: *\nDisallow: /no\n{rules}"))
        .html("https://a.test/", body)
        .html("https://a.test/start", foreign + "<a href=/>");
    let mut crawl = Crawl::new(config("https://a.test/start")).unwrap();
    let mut lost = 0;
    for _ in 0..4 {
        let requests = crawl.next_batch();
        let answers = site.answer(&crawl, &requests);
        crawl.absorb(answers);
        let checkpoint = crawl.checkpoint();
        assert!(checkpoint.len() <= MOST_CHECKPOINT_BYTES, "{}", checkpoint.len());
        let restored = Crawl::restore(config("https://a.test/start"), &checkpoint).unwrap();
        lost = restored.clone().finish().coverage.lost_at_checkpoint;
        let again = restored.checkpoint();
        assert!(!again.is_empty() && again.len() <= MOST_CHECKPOINT_BYTES);
    }
    assert!(lost > 0);
}
