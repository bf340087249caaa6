//! Bodies of forms: an input within the bounds or a refusal, the same each time, and no part that the body does not have. A form
//! that is written from the parts is read as these parts.

#![no_main]

use bytes::Bytes;
use guard_api::{FormParts, read_form};
use libfuzzer_sys::fuzz_target;

/// Boundary of the inputs.
const BOUNDARY: &str = "b";
/// Boundary of the written forms. An input that has it is skipped.
const OTHER: &str = "another-boundary-of-parts";
/// Longest URL that the endpoint accepts (the bound of texts is beyond the inputs of this target).
const MAX_URL_BYTES: usize = 2048;

fuzz_target!(|body: &[u8]| {
    let body = Bytes::copy_from_slice(body);
    let read = read_form(body.clone(), BOUNDARY);
    assert_eq!(read, read_form(body.clone(), BOUNDARY), "the result changed");
    let Ok(parts) = read else { return };
    let FormParts { text, file, url, entities } = &parts;
    let bytes = |part: &Option<String>| part.as_ref().map(|part| part.clone().into_bytes());
    for part in [bytes(text), file.clone(), bytes(url)].into_iter().flatten() {
        assert!(!part.is_empty() && contains(&body, &part), "a part that was not sent");
    }
    assert!(url.as_ref().is_none_or(|url| url.len() <= MAX_URL_BYTES), "a URL beyond its bound");
    let has_text = text.as_ref().is_some_and(|text| !text.trim().is_empty());
    assert!(has_text || file.is_some() || url.is_some(), "a request without input");
    assert!(entities.as_ref().is_none_or(|phrases| (1..=100).contains(&phrases.len())));
    if !contains(&body, OTHER.as_bytes()) {
        assert_eq!(read_form(written(&parts), OTHER).as_ref(), Ok(&parts));
    }
});

fn contains(body: &[u8], part: &[u8]) -> bool {
    body.windows(part.len()).any(|window| window == part)
}

fn written(parts: &FormParts) -> Bytes {
    let entities = parts.entities.as_ref().map(|phrases| serde_json::to_vec(phrases).unwrap());
    let mut body = Vec::new();
    for (name, content) in [
        ("text", parts.text.as_ref().map(String::as_bytes)),
        ("file", parts.file.as_deref()),
        ("url", parts.url.as_ref().map(String::as_bytes)),
        ("entities", entities.as_deref()),
    ] {
        let Some(content) = content else { continue };
        body.extend(format!("--{OTHER}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n").bytes());
        body.extend_from_slice(content);
        body.extend(b"\r\n");
    }
    body.extend(format!("--{OTHER}--\r\n").bytes());
    body.into()
}
