//! Route templates: a path whose variable segments are placeholders, so that endless pages of one route are one endpoint.

/// Segments of a template: deeper paths are cut. Routes of applications have fewer.
const MOST_SEGMENTS: usize = 32;
/// Characters of a hash or key: shorter hexadecimal words are words (`decade`, `facade`).
const SHORTEST_HASH: usize = 16;

/// The template of a path: `/users/7/posts/2024-05-01` is `/users/{id}/posts/{date}`.
#[must_use]
pub fn template(path: &str) -> String {
    let mut template = String::with_capacity(path.len());
    for segment in path.trim_start_matches('/').split('/').take(MOST_SEGMENTS) {
        template.push('/');
        push_segment(segment, &mut template);
    }
    template
}

/// The form of a template in which equal routes are equal, whatever their parameters are called: placeholders without names.
#[must_use]
pub fn without_names(template: &str) -> String {
    let mut form = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((_, behind)) = after.split_once('}') else { break };
        form.push_str(before);
        form.push_str("{}");
        rest = behind;
    }
    form.push_str(rest);
    form
}

/// Names of the placeholders of a template, in order.
pub fn placeholders(template: &str) -> impl Iterator<Item = &str> {
    template.split('{').skip(1).filter_map(|after| after.split_once('}').map(|(name, _)| name))
}

fn push_segment(segment: &str, template: &mut String) {
    match kind(segment) {
        Some(placeholder) => template.push_str(placeholder),
        None => push_numbers(segment, template),
    }
}

fn kind(segment: &str) -> Option<&'static str> {
    let bytes = segment.as_bytes();
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    if bytes.is_empty() {
        return None;
    }
    if bytes.iter().all(is_digit) {
        return Some("{id}");
    }
    if is_date(bytes) {
        return Some("{date}");
    }
    if is_uuid(bytes) {
        return Some("{uuid}");
    }
    let digits = bytes.iter().any(is_digit);
    if bytes.len() >= SHORTEST_HASH && digits && bytes.iter().all(u8::is_ascii_hexdigit) {
        return Some("{hash}");
    }
    let mixed = bytes.iter().any(u8::is_ascii_lowercase) && bytes.iter().any(u8::is_ascii_uppercase);
    let key = bytes.len() >= SHORTEST_HASH && digits && mixed && bytes.iter().all(u8::is_ascii_alphanumeric);
    key.then_some("{key}")
}

/// A year and a month, or a day.
fn is_date(bytes: &[u8]) -> bool {
    matches!(bytes.len(), 7 | 10)
        && bytes.iter().enumerate().all(|(place, byte)| match place {
            4 | 7 => matches!(byte, b'-' | b'_' | b'.') && *byte == bytes[4],
            _ => byte.is_ascii_digit(),
        })
}

fn is_uuid(bytes: &[u8]) -> bool {
    bytes.len() == 36
        && bytes.iter().enumerate().all(|(place, byte)| match place {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Numbers within a segment are placeholders if no letter touches them: `page-12.html`, but neither `v2` nor `oauth2`.
fn push_numbers(segment: &str, template: &mut String) {
    let mut rest = segment;
    let mut touched = false;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        let (number, behind) = number.split_at(end);
        // Two digits behind `%` are an encoded character.
        let is_letter = |c: char| c.is_alphanumeric() || c == '%';
        let letter_before = before.chars().next_back().map_or(touched, is_letter);
        let letter_behind = behind.chars().next().is_some_and(char::is_alphanumeric);
        template.push_str(before);
        if letter_before || letter_behind {
            template.push_str(number);
        } else {
            template.push_str("{id}");
        }
        touched = true;
        rest = behind;
    }
    template.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_segments_become_placeholders() {
        for (path, expected) in [
            ("/", "/"),
            ("", "/"),
            ("/users/7", "/users/{id}"),
            ("/calendar/2024/05/06", "/calendar/{id}/{id}/{id}"),
            ("/calendar/2024-05-06/", "/calendar/{date}/"),
            ("/o/7b1f2c90-8d7a-4a34-9f0b-5b7f3d1f0a11", "/o/{uuid}"),
            ("/commit/0f343b0931126a20f133d67c2b018a3b", "/commit/{hash}"),
            ("/s/aB3dE6gH9jK2mN5pQ8", "/s/{key}"),
            ("/page-12.html", "/page-{id}.html"),
            ("/12.html", "/{id}.html"),
        ] {
            assert_eq!(template(path), expected, "{path}");
        }
    }

    #[test]
    fn words_and_versions_remain() {
        for path in ["/api/v2/users", "/oauth2/token", "/facade/decade", "/a-long-title", "/ä/ö", "/a%20"] {
            assert_eq!(template(path), path);
        }
    }

    #[test]
    fn templates_with_different_names_have_one_form() {
        assert_eq!(without_names("/users/{id}/x"), without_names("/users/{userId}/x"));
        assert_ne!(without_names("/users/{id}"), without_names("/user/{id}"));
        assert_eq!(without_names("/a{b"), "/a{b");
        assert_eq!(placeholders("/a/{b}/{c}.json").collect::<Vec<_>>(), ["b", "c"]);
    }
}
