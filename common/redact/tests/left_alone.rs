//! Text that is not personal data stays byte for byte: companies, titles, dates and numbers, orders and tickets, ids of
//! databases, hashes, versions, places, URLs. A line of the files is a text of its own.

use redact::identifiers::{Catalogue, EntitySet, replace};

const FILES: [(&str, &str); 9] = [
    ("companies", include_str!("left_alone/companies.txt")),
    ("titles", include_str!("left_alone/titles.txt")),
    ("dates_numbers", include_str!("left_alone/dates_numbers.txt")),
    ("orders_tickets", include_str!("left_alone/orders_tickets.txt")),
    ("database_ids", include_str!("left_alone/database_ids.txt")),
    ("hashes", include_str!("left_alone/hashes.txt")),
    ("versions", include_str!("left_alone/versions.txt")),
    ("places", include_str!("left_alone/places.txt")),
    ("urls", include_str!("left_alone/urls.txt")),
];

#[test]
fn texts_without_personal_data_stay_byte_for_byte() {
    let catalogue = Catalogue::new().unwrap();
    let wanted = EntitySet::default();
    let redacted = |text: &str| replace(text, &catalogue.find(text, &wanted), &wanted);
    let mut changed = Vec::new();
    for (name, file) in FILES {
        changed.extend(
            file.lines()
                .filter(|line| redacted(line) != **line)
                .map(|line| format!("{name}: {}", redacted(line))),
        );
        assert_eq!(redacted(file), file, "{name} as a whole");
    }
    assert!(changed.is_empty(), "{changed:#?}");
}
