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

#[test]
fn names_beside_an_address_a_url_or_a_path_are_redacted() {
    for (text, expected) in [
        ("My name is Ana Pereira.\n1,https://x.example/a,Ana,Pereira", "\n1,https://x.example/a,"),
        ("My name is Ana Pereira.\nhttps://x.example|Ana|Pereira", "\nhttps://x.example|"),
        ("My name is Ana Pereira.\n1,ana@mail.example,Ana,Pereira", "\n1,ana@mail.example,"),
        ("My name is Ana Pereira.\nana@mail.example;Ana;Pereira", "\nana@mail.example;"),
        (
            "My name is Ana Pereira.\nC:\\tmp\\a.txt Ana Pereira\\nBob said",
            "\nC:\\tmp\\a.txt <NAME_REDACTED>",
        ),
    ] {
        let redacted = redacted_of(text, &["NAME"]);
        assert!(redacted.contains(expected), "{redacted}");
        assert!(!redacted.contains("Ana") && !redacted.contains("Pereira"), "{redacted}");
    }
}

#[test]
fn names_before_an_address_in_scripts_without_blanks_are_redacted() {
    for (text, kept) in [("我叫张伟邮箱zw@mail.example", "zw@mail.example"), ("我叫张伟网站zw.com", "zw.com")]
    {
        let redacted = redacted_of(text, &["NAME"]);
        assert!(redacted.starts_with("我叫<NAME_REDACTED>") && redacted.ends_with(kept), "{redacted}");
        assert!(!redacted.contains("张伟"), "{redacted}");
    }
}
