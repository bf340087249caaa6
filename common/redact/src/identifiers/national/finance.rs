//! Payment cards, bank accounts and routing numbers.
//!
//! Sources: ISO/IEC 7812-1 and the issuers' published ranges; ISO 13616 and the SWIFT registry of IBAN; American Bankers
//! Association, routing number policy; Banxico (CLABE); Reserve Bank of India (IFSC); ISO 9362.

use crate::identifiers::code::Code;
use crate::identifiers::entity::Entity::{BankAccount, CreditCard, RoutingNumber};
use crate::identifiers::format::{Format, any, labelled, plain};
use crate::identifiers::sums::{luhn, mod_97_10};

pub(crate) const FORMATS: &[Format] = &[
    plain(
        CreditCard,
        "",
        "payment card",
        &[
            "dddd~dddd~dddd~dddd",
            "dddd~dddddd~ddddd",
            "dddd~dddddd~dddd",
            "dddd~dddd~dddd~dddd~ddd",
            "ddddddddddddd",
            "dddddddddddddd",
        ],
        card,
    ),
    labelled(RoutingNumber, "US", "ABA routing number", &["ddddddddd", "dddd-dddd-d"], us_aba),
    labelled(RoutingNumber, "IN", "IFSC", &["aaaa0xxxxxx"], any),
    labelled(RoutingNumber, "", "BIC", &["aaaaaaxx", "aaaaaaxxxxx"], bic),
    labelled(RoutingNumber, "GB", "sort code", &["dd-dd-dd", "dd dd dd", "dddddd"], any),
    labelled(RoutingNumber, "AU", "BSB", &["ddd-ddd", "dddddd"], any),
    labelled(BankAccount, "MX", "CLABE", &["dddddddddddddddddd", "ddd~ddd~ddddddddddd~d"], mx_clabe),
    labelled(BankAccount, "", "bank account", &["*6-18/6"], mostly_digits),
];

/// Countries of BIC: ISO 3166-1, and XK for Kosovo, which ISO 9362 adds. Words of eight letters seldom have one of them in its
/// place.
#[rustfmt::skip] // Codes side by side; one on each line would hide the table.
const BIC_COUNTRIES: [&[u8; 2]; 250] = [
    b"AD", b"AE", b"AF", b"AG", b"AI", b"AL", b"AM", b"AO", b"AQ", b"AR", b"AS", b"AT", b"AU", b"AW", b"AX",
    b"AZ", b"BA", b"BB", b"BD", b"BE", b"BF", b"BG", b"BH", b"BI", b"BJ", b"BL", b"BM", b"BN", b"BO", b"BQ",
    b"BR", b"BS", b"BT", b"BV", b"BW", b"BY", b"BZ", b"CA", b"CC", b"CD", b"CF", b"CG", b"CH", b"CI", b"CK",
    b"CL", b"CM", b"CN", b"CO", b"CR", b"CU", b"CV", b"CW", b"CX", b"CY", b"CZ", b"DE", b"DJ", b"DK", b"DM",
    b"DO", b"DZ", b"EC", b"EE", b"EG", b"EH", b"ER", b"ES", b"ET", b"FI", b"FJ", b"FK", b"FM", b"FO", b"FR",
    b"GA", b"GB", b"GD", b"GE", b"GF", b"GG", b"GH", b"GI", b"GL", b"GM", b"GN", b"GP", b"GQ", b"GR", b"GS",
    b"GT", b"GU", b"GW", b"GY", b"HK", b"HM", b"HN", b"HR", b"HT", b"HU", b"ID", b"IE", b"IL", b"IM", b"IN",
    b"IO", b"IQ", b"IR", b"IS", b"IT", b"JE", b"JM", b"JO", b"JP", b"KE", b"KG", b"KH", b"KI", b"KM", b"KN",
    b"KP", b"KR", b"KW", b"KY", b"KZ", b"LA", b"LB", b"LC", b"LI", b"LK", b"LR", b"LS", b"LT", b"LU", b"LV",
    b"LY", b"MA", b"MC", b"MD", b"ME", b"MF", b"MG", b"MH", b"MK", b"ML", b"MM", b"MN", b"MO", b"MP", b"MQ",
    b"MR", b"MS", b"MT", b"MU", b"MV", b"MW", b"MX", b"MY", b"MZ", b"NA", b"NC", b"NE", b"NF", b"NG", b"NI",
    b"NL", b"NO", b"NP", b"NR", b"NU", b"NZ", b"OM", b"PA", b"PE", b"PF", b"PG", b"PH", b"PK", b"PL", b"PM",
    b"PN", b"PR", b"PS", b"PT", b"PW", b"PY", b"QA", b"RE", b"RO", b"RS", b"RU", b"RW", b"SA", b"SB", b"SC",
    b"SD", b"SE", b"SG", b"SH", b"SI", b"SJ", b"SK", b"SL", b"SM", b"SN", b"SO", b"SR", b"SS", b"ST", b"SV",
    b"SX", b"SY", b"SZ", b"TC", b"TD", b"TF", b"TG", b"TH", b"TJ", b"TK", b"TL", b"TM", b"TN", b"TO", b"TR",
    b"TT", b"TV", b"TW", b"TZ", b"UA", b"UG", b"UM", b"US", b"UY", b"UZ", b"VA", b"VC", b"VE", b"VG", b"VI",
    b"VN", b"VU", b"WF", b"WS", b"XK", b"YE", b"YT", b"ZA", b"ZM", b"ZW",
];

/// Lengths of IBAN by country.
const IBAN_LENGTHS: [(&str, usize); 84] = [
    ("AD", 24),
    ("AE", 23),
    ("AL", 28),
    ("AT", 20),
    ("AZ", 28),
    ("BA", 20),
    ("BE", 16),
    ("BG", 22),
    ("BH", 22),
    ("BI", 27),
    ("BR", 29),
    ("BY", 28),
    ("CH", 21),
    ("CR", 22),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DJ", 27),
    ("DK", 18),
    ("DO", 28),
    ("EE", 20),
    ("EG", 29),
    ("ES", 24),
    ("FI", 18),
    ("FK", 18),
    ("FO", 18),
    ("FR", 27),
    ("GB", 22),
    ("GE", 22),
    ("GI", 23),
    ("GL", 18),
    ("GR", 27),
    ("GT", 28),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IQ", 23),
    ("IS", 26),
    ("IT", 27),
    ("JO", 30),
    ("KW", 30),
    ("KZ", 20),
    ("LB", 28),
    ("LC", 32),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("LY", 25),
    ("MC", 27),
    ("MD", 24),
    ("ME", 22),
    ("MK", 19),
    ("MN", 20),
    ("MR", 27),
    ("MT", 31),
    ("MU", 30),
    ("NI", 28),
    ("NL", 18),
    ("NO", 15),
    ("OM", 23),
    ("PK", 24),
    ("PL", 28),
    ("PS", 29),
    ("PT", 25),
    ("QA", 29),
    ("RO", 24),
    ("RS", 22),
    ("RU", 33),
    ("SA", 24),
    ("SC", 31),
    ("SD", 18),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("SM", 27),
    ("SO", 23),
    ("ST", 25),
    ("TL", 23),
    ("TN", 24),
    ("TR", 26),
    ("UA", 29),
    ("VA", 22),
];

/// Country, length and check of an IBAN without separators.
pub(crate) fn iban(code: &Code) -> bool {
    let length =
        IBAN_LENGTHS.iter().find(|(country, _)| code.starts_with(country)).map(|(_, length)| *length);
    length == Some(code.len()) && mod_97_10(code)
}

/// Length of the IBAN that begins with these letters.
pub(crate) fn iban_length(country: &[u8]) -> Option<usize> {
    let found = IBAN_LENGTHS.iter().find(|(known, _)| country.eq_ignore_ascii_case(known.as_bytes()));
    found.map(|(_, length)| *length)
}

pub(crate) fn card(code: &Code) -> bool {
    let first = |count: usize| code.number(0, count);
    let length = code.len();
    let issued = match (first(1), first(2), first(3), first(4)) {
        (4, ..) => matches!(length, 13 | 16 | 19),
        (_, 34 | 37, ..) => length == 15,
        (_, 51..=55, ..) | (_, _, _, 2221..=2720) => length == 16,
        (_, 36 | 38 | 39, ..) | (_, _, 300..=305, _) | (_, _, _, 3095) => (14..=19).contains(&length),
        (_, _, _, 3528..=3589 | 6011 | 2200..=2204)
        | (_, 62 | 65 | 60 | 81 | 82, ..)
        | (_, _, 644..=649, _) => length >= 16,
        (_, _, _, 5018 | 5020 | 5038 | 5893 | 6304 | 6759 | 6761..=6763) => length >= 13,
        _ => false,
    };
    issued && code.is_digits(length) && luhn(code.bytes())
}

pub(crate) fn us_aba(code: &Code) -> bool {
    let sum = code.weighted(&[3, 7, 1, 3, 7, 1, 3, 7, 1]);
    code.is_digits(9) && sum.is_multiple_of(10)
}

fn bic(code: &Code) -> bool {
    BIC_COUNTRIES.iter().any(|country| country.as_slice() == code.part(4, 6))
}

fn mx_clabe(code: &Code) -> bool {
    let sum: u32 = (0..17)
        .zip([3, 7, 1].into_iter().cycle())
        .map(|(index, weight)| code.digit(index) * weight % 10)
        .sum();
    code.is_digits(18) && (10 - sum % 10) % 10 == code.digit(17)
}

/// A bank account is digits with at most two letters.
fn mostly_digits(code: &Code) -> bool {
    code.bytes().iter().filter(|byte| byte.is_ascii_alphabetic()).count() <= 2
}
