//! Identifiers that the caller did not choose stay byte for byte, though words in them are names.

use super::{redacted, redacted_of};

/// Sentences with a name and one identifier, which is in brackets.
const SENTENCES: [&str; 14] = [
    "My name is Ana Pereira, write to [ana.pereira@mail.example].",
    "My name is Ana Pereira, write to [Ana.Pereira@mail.example] today.",
    "From: Ana Pereira <[ana.pereira@pereira.example]>",
    "Ana Pereira has a page at [https://social.example/people/Ana.Pereira?tab=Pereira], see there.",
    "Ana Pereira writes at [www.Ana-Pereira.example/Pereira].",
    "Ana Pereira owns the domain [Pereira.com].",
    "Ana Pereira owns the domains [pereira.example] and others.",
    "The profile of Ana Pereira is [network.example/in/Ana-Pereira].",
    "Dr. Ana Pereira answers as [@Ana_Pereira] as well.",
    "Ana Pereira keeps it in [/home/Ana/Pereira/notes.txt].",
    "Ana Pereira keeps it in [C:\\Users\\Ana Pereira\\notes.txt].",
    "Ana Pereira keeps it in [letters/Pereira.pdf].",
    "Ana Pereira, driving licence [PEREI 753116 SM9IJ], drives.",
    "Ana Pereira, her key is [AKIAPEREIRAANA22XYZQ] there.",
];

#[test]
fn chosen_names_leave_addresses_urls_handles_and_paths_whole() {
    for sentence in SENTENCES {
        let (before, rest) = sentence.split_once('[').unwrap();
        let (identifier, behind) = rest.split_once(']').unwrap();
        let text = format!("{before}{identifier}{behind}");
        let expected = format!("{}{identifier}{behind}", before.replace("Ana Pereira", "<NAME_REDACTED>"));
        assert_eq!(redacted_of(&text, &["NAME"]), expected);
    }
}

#[test]
fn default_kinds_leave_urls_and_paths_whole() {
    for sentence in
        SENTENCES.iter().filter(|sentence| sentence.contains("[https") || sentence.contains("notes.txt"))
    {
        let (_, rest) = sentence.split_once('[').unwrap();
        let (identifier, _) = rest.split_once(']').unwrap();
        let text = sentence.replace(['[', ']'], "");
        let redacted = redacted(&text);
        assert!(redacted.contains(identifier) && redacted.starts_with("<NAME_REDACTED>"), "{redacted}");
    }
}

#[test]
fn chosen_organizations_may_be_domains_but_no_part_of_an_address() {
    let text = "Siemens AG answers from info@Siemens.example only.";
    assert_eq!(
        redacted_of(text, &["companies"]),
        "<ORGANIZATION_REDACTED> answers from info@Siemens.example only."
    );
    assert_eq!(
        redacted_of("Shares of Amazon.com Inc. rose.", &["companies"]),
        "Shares of <ORGANIZATION_REDACTED>. rose."
    );
}
