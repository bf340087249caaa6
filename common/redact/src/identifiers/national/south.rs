//! Numbers of people and taxpayers in Africa and Oceania.
//!
//! Sources: South African Identification Act 68 of 1997; NIMC and CBN of Nigeria; NIA of Ghana; Egyptian Civil Status
//! Organization; ATO, TFN and ABN algorithms; ASIC, ACN algorithm; Inland Revenue of New Zealand, Resident Withholding
//! Tax specification.

use crate::identifiers::code::Code;
use crate::identifiers::entity::Entity::{CompanyId, NationalId, TaxId};
use crate::identifiers::format::{Format, any, labelled, plain};
use crate::identifiers::sums::{is_date, luhn_of};

pub(crate) const FORMATS: &[Format] = &[
    labelled(
        NationalId,
        "ZA",
        "South African identity number",
        &["dddddd~dddd~dd~d", "ddddddddddddd"],
        za_identity,
    ),
    labelled(TaxId, "ZA", "South African tax number", &["dddd~ddd~ddd"], za_tax),
    labelled(NationalId, "NG", "NIN", &["ddddddddddd", "dddd~ddd~dddd"], any),
    plain(NationalId, "GH", "Ghana card number", &["GHA-ddddddddd-d"], any),
    labelled(NationalId, "KE", "Kenyan identity number", &["dddddddd"], any),
    labelled(NationalId, "EG", "Egyptian national number", &["dddddddddddddd"], eg_national),
    labelled(TaxId, "AU", "tax file number", &["ddd~ddd~ddd", "dd~ddd~ddd", "dddd~ddd~dd"], au_tfn),
    plain(TaxId, "AU", "Australian business number", &["dd_ddd_ddd_ddd"], au_abn),
    labelled(TaxId, "AU", "Australian business number", &["dd~ddd~ddd~ddd"], au_abn),
    labelled(CompanyId, "AU", "Australian company number", &["ddd~ddd~ddd"], au_acn),
    labelled(TaxId, "NZ", "IRD number", &["ddd~ddd~ddd", "dd~ddd~ddd"], nz_ird),
];

fn za_identity(code: &Code) -> bool {
    luhn_of(code, 13)
        && is_date(code.number(0, 2), code.number(2, 4), code.number(4, 6))
        && matches!(code.at(10), b'0'..=b'2')
}

fn za_tax(code: &Code) -> bool {
    luhn_of(code, 10) && matches!(code.at(0), b'0'..=b'3' | b'9')
}

fn eg_national(code: &Code) -> bool {
    code.is_digits(14)
        && matches!(code.at(0), b'2' | b'3')
        && is_date(code.number(1, 3), code.number(3, 5), code.number(5, 7))
}

pub(crate) fn au_tfn(code: &Code) -> bool {
    match code.len() {
        9 => code.is_digits(9) && code.weighted(&[1, 4, 3, 7, 5, 8, 6, 9, 10]).is_multiple_of(11),
        8 => code.is_digits(8) && code.weighted(&[10, 7, 8, 4, 6, 3, 5, 1]).is_multiple_of(11),
        _ => false,
    }
}

fn au_abn(code: &Code) -> bool {
    // One is taken from the first digit before weighting.
    let sum = code.weighted(&[10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]);
    code.is_digits(11) && code.digit(0) != 0 && (sum - 10).is_multiple_of(89)
}

fn au_acn(code: &Code) -> bool {
    let sum = code.weighted(&[8, 7, 6, 5, 4, 3, 2, 1]);
    code.is_digits(9) && (10 - sum % 10) % 10 == code.digit(8)
}

fn nz_ird(code: &Code) -> bool {
    let Some(last) = code.len().checked_sub(1) else { return false };
    // A number of eight digits has a 0 before it.
    let sum =
        |weights: &[u32]| code.weighted(weights.get(8_usize.saturating_sub(last)..).unwrap_or_default());
    let first = sum(&[3, 2, 7, 6, 5, 4, 3, 2]) % 11;
    let second = sum(&[7, 4, 3, 2, 5, 2, 7, 6]) % 11;
    let check = match (first, second) {
        (0, _) => 0,
        (1, 0) => 0,
        (1, rest) => 11 - rest,
        (rest, _) => 11 - rest,
    };
    let number = code.number(0, code.len());
    code.is_digits(last + 1) && (10_000_000..150_000_000).contains(&number) && check == code.digit(last)
}
