//! Interface descriptions: endpoints within bounds or none, and the same ones from JSON whether it is read as JSON or as YAML.

#![no_main]

use libfuzzer_sys::fuzz_target;
use url::Url;
use web::openapi::{MOST_ROUTES, read};

fuzz_target!(|body: &[u8]| {
    let url = Url::parse("https://shop.test/docs/openapi.json").unwrap();
    let described = read(body, &url);
    assert_eq!(described, read(body, &url));
    let Some(description) = described else { return };
    assert!(description.routes.len() <= MOST_ROUTES);
    for route in &description.routes {
        assert!(route.is_within_bounds());
        assert!(route.template.starts_with('/') && !route.origin.is_empty());
    }
    // JSON without escapes is YAML; a line before it makes it be read so.
    let plain = body.iter().all(|byte| (0x20..0x7f).contains(byte) && *byte != b'\\');
    if plain && body.starts_with(b"{") && serde_json::from_slice::<serde_json::Value>(body).is_ok() {
        let yaml = [b"---\n".as_slice(), body].concat();
        if let Some(again) = read(&yaml, &url) {
            assert_eq!(again, description);
        }
    }
});
