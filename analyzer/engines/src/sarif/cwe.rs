//! CWE numbers, in the notations of tools.

use super::document::Properties;

/// The numbers of a property bag: those of `cwe`, then those of the tags.
pub(super) fn of_properties(properties: &Properties) -> impl Iterator<Item = u32> + '_ {
    let own = properties.cwe.0.iter().filter_map(|text| number(text));
    own.chain(properties.tags.0.iter().filter_map(|text| named_number(text)))
}

/// The number of a text that is known to name a CWE: `79`, or as [`named_number`].
pub(super) fn number(text: &str) -> Option<u32> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { parse(text) } else { named_number(text) }
}

/// The number of `CWE-79`, `external/cwe/cwe-079` (the notation of CodeQL) or `CWE-79: Cross-site scripting`.
pub(super) fn named_number(text: &str) -> Option<u32> {
    let name = text.trim_start();
    let name = name.strip_prefix("external/cwe/").unwrap_or(name);
    let (prefix, rest) = name.split_at_checked(3)?;
    let rest = rest.strip_prefix(['-', ':', '_', ' ']).unwrap_or(rest);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    // `CWE-79x` is no number of the list.
    let ends = !rest[digits..].starts_with(|letter: char| letter.is_alphanumeric());
    if prefix.eq_ignore_ascii_case("cwe") && ends { parse(&rest[..digits]) } else { None }
}

/// A number of the list, which starts at 1 and has four digits today.
fn parse(digits: &str) -> Option<u32> {
    digits.parse().ok().filter(|number| (1..100_000).contains(number))
}

#[cfg(test)]
mod tests {
    use super::{named_number, number, of_properties};
    use crate::sarif::document::Properties;

    #[test]
    fn numbers_are_read_in_every_notation() {
        for text in
            ["CWE-79", "cwe-79", "external/cwe/cwe-079", "CWE-79: Cross-site scripting", "CWE79", "CWE:79"]
        {
            assert_eq!(named_number(text), Some(79), "{text}");
        }
        for text in
            ["79", "CWE", "CWE-", "CWE-0", "CWE-79x", "CWE-999999999999", "security", "ä", "CVE-2024-1"]
        {
            assert_eq!(named_number(text), None, "{text}");
        }
        assert_eq!(number("079"), Some(79));
        assert_eq!(number("CWE-79"), Some(79));
        assert_eq!(number(""), None);
    }

    #[test]
    fn the_property_precedes_the_tags() {
        let json = r#"{"tags": ["security", "external/cwe/cwe-078", "88"], "cwe": [79, "CWE-80"]}"#;
        let properties: Properties = serde_json::from_str(json).unwrap();
        assert_eq!(of_properties(&properties).collect::<Vec<_>>(), [79, 80, 78]);
    }
}
