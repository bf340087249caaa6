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

/// Countries of BIC (ISO 3166), one behind the other. Words of eight letters seldom have one of them in its place.
const BIC_COUNTRIES: &str = "ADAEAFAGAIALAMAOARATAUAWAZBABBBDBEBFBGBHBIBJBMBNBOBRBSBTBWBYBZCACDCFCGCHCICKCLCMCNCOCRCUCVCYCZDEDJ\
    DKDMDODZECEEEGERESETFIFJFKFMFOFRGAGBGDGEGFGHGIGLGMGNGPGQGRGTGWGYHKHNHRHTHUIDIEILIMINIQIRISITJEJMJOJPKEKGKHKIKMKN\
    KPKRKWKYKZLALBLCLILKLRLSLTLULVLYMAMCMDMEMGMHMKMLMMMNMOMQMRMSMTMUMVMWMXMYMZNANCNENFNGNINLNONPNRNUNZOMPAPEPFPGPHPK\
    PLPMPRPSPTPWPYQARERORSRURWSASBSCSDSESGSHSISKSLSMSNSOSRSSSTSVSYSZTCTDTGTHTJTLTMTNTOTRTTTVTWTZUAUGUSUYUZVAVCVEVGVN\
    VUWFWSXKYEYTZAZMZW";

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
    BIC_COUNTRIES.as_bytes().chunks(2).any(|country| country == code.part(4, 6))
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
