//! Text that is not personal data stays byte for byte with the union of all finders. A line of the files is a text.

use super::redacted;

const FILES: [(&str, &str); 9] = [
    ("companies", include_str!("../../../../../common/redact/tests/left_alone/companies.txt")),
    ("titles", include_str!("../../../../../common/redact/tests/left_alone/titles.txt")),
    ("dates_numbers", include_str!("../../../../../common/redact/tests/left_alone/dates_numbers.txt")),
    ("orders_tickets", include_str!("../../../../../common/redact/tests/left_alone/orders_tickets.txt")),
    ("database_ids", include_str!("../../../../../common/redact/tests/left_alone/database_ids.txt")),
    ("hashes", include_str!("../../../../../common/redact/tests/left_alone/hashes.txt")),
    ("versions", include_str!("../../../../../common/redact/tests/left_alone/versions.txt")),
    ("places", include_str!("../../../../../common/redact/tests/left_alone/places.txt")),
    ("urls", include_str!("../../../../../common/redact/tests/left_alone/urls.txt")),
];

#[test]
fn nearly_all_texts_without_personal_data_stay_byte_for_byte() {
    let (mut lines, mut changed) = (0, Vec::new());
    for (name, file) in FILES {
        for line in file.lines() {
            lines += 1;
            let redacted = redacted(line);
            if redacted != line {
                changed.push(format!("{name}: {redacted}"));
            }
        }
    }
    println!("{} of {lines} texts changed: {changed:#?}", changed.len());
    assert!(changed.len() * 100 <= lines * 2, "{} of {lines}: {changed:#?}", changed.len());
}
