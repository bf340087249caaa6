//! CWE numbers, in the notations of tools.

use super::document::{Identified, Properties, Run, shared};
use super::result::DescriptorReference;

/// The numbers of a property bag: those of `cwe`, then those of the tags.
pub(super) fn of_properties(properties: &Properties) -> impl Iterator<Item = u32> + '_ {
    let own = properties.cwe.0.iter().filter_map(|text| number(text));
    own.chain(properties.tags.0.iter().filter_map(|text| named_number(text)))
}

/// The CWE number of a taxon: one of the taxonomy CWE, or one whose id says so.
pub(super) fn of_taxon(run: &Run<'_>, taxon: &DescriptorReference) -> Option<u32> {
    let reference = taxon.tool_component.as_ref();
    let taxonomies = &run.taxonomies.items;
    let by_guid = || {
        let guid = reference?.guid.as_ref()?;
        taxonomies.iter().find(|taxonomy| taxonomy.guid.as_ref() == Some(guid))
    };
    let by_index = || taxonomies.get(usize::try_from(reference?.index?).ok()?);
    let taxonomy = by_guid().or_else(by_index);
    let is_cwe = |name: &Option<String>| name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("CWE"));
    let in_cwe =
        taxonomy.is_some_and(|one| is_cwe(&one.name)) || reference.is_some_and(|one| is_cwe(&one.name));
    let listed = || shared::<Identified>(&taxonomy?.taxa, taxon.index)?.id;
    let id = taxon.id.clone().or_else(listed)?;
    if in_cwe { number(&id) } else { named_number(&id) }
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
    use super::{named_number, number, of_properties, of_taxon};
    use crate::sarif::document::{Properties, Run};
    use crate::sarif::result::DescriptorReference;

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

    #[test]
    fn a_taxon_has_a_cwe_number_if_its_taxonomy_is_cwe() {
        let run = r#"{"taxonomies": [{"name": "OWASP", "guid": "o", "taxa": [{"id": "79"}]},
            {"name": "cwe", "guid": "c", "taxa": [{"id": "22"}]}]}"#;
        let run: Run<'_> = serde_json::from_str(run).unwrap();
        let cwe = |json: &str| of_taxon(&run, &serde_json::from_str::<DescriptorReference>(json).unwrap());
        assert_eq!(cwe(r#"{"id": "89", "toolComponent": {"name": "CWE"}}"#), Some(89));
        assert_eq!(cwe(r#"{"id": "89", "toolComponent": {"guid": "c"}}"#), Some(89));
        assert_eq!(cwe(r#"{"index": 0, "toolComponent": {"index": 1}}"#), Some(22));
        assert_eq!(cwe(r#"{"index": 0, "toolComponent": {"index": 0}}"#), None);
        assert_eq!(cwe(r#"{"id": "CWE-78"}"#), Some(78));
        assert_eq!(cwe(r#"{"id": "78"}"#), None);
    }
}
