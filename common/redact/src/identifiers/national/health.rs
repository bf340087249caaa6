//! Numbers of patients, insured people and prescribers.
//!
//! Sources: NHS Data Dictionary (NHS number); CMS, MBI format and NPI check digit (45 CFR 162.406); 21 CFR 1301
//! (DEA); Services Australia, Medicare card number; § 290 SGB V (KVNR); HISO 10046 (NHI); Ministério da Saúde (CNS).

use crate::identifiers::code::Code;
use crate::identifiers::entity::Entity::{HealthInsurance, MedicalRecordNumber};
use crate::identifiers::format::{Format, any, label, labelled, plain};
use crate::identifiers::sums::luhn;

pub(crate) const FORMATS: &[Format] = &[
    labelled(HealthInsurance, "GB", "NHS number", &["ddd~ddd~dddd"], gb_nhs),
    plain(HealthInsurance, "US", "Medicare beneficiary number", &["daxd~axd~aadd"], us_mbi),
    labelled(HealthInsurance, "US", "Medicare claim number", &["ddd-dd-dddda", "ddd~dd~dddd~a"], any),
    labelled(HealthInsurance, "US", "national provider number", &["dddddddddd"], us_npi),
    labelled(HealthInsurance, "US", "DEA number", &["aaddddddd"], us_dea),
    labelled(
        HealthInsurance,
        "AU",
        "Medicare card number",
        &["dddd~ddddd~d", "dddd~ddddd~d~d", "ddd~ddd~ddd~d~d"],
        au_medicare,
    ),
    labelled(HealthInsurance, "DE", "Krankenversichertennummer", &["a~ddd~ddd~ddd", "addd~ddd~ddd"], de_kvnr),
    labelled(
        HealthInsurance,
        "CA",
        "Canadian health number",
        &["dddd~ddd~ddd~^^", "dddd~ddd~dddaa", "dddd~ddd~ddd"],
        ca_health,
    ),
    labelled(HealthInsurance, "CA", "RAMQ number", &["aaaa~dddd~dddd"], any),
    labelled(HealthInsurance, "NZ", "NHI number", &["aaadddd", "aaaddxx"], nz_nhi),
    labelled(HealthInsurance, "BR", "CNS number", &["ddd~dddd~dddd~dddd"], br_cns),
    labelled(HealthInsurance, "", "European health insurance card", &["80ddd~ddddddddddddddd"], any),
    labelled(HealthInsurance, "", "health insurance number", &["*6-16/4"], any),
    labelled(MedicalRecordNumber, "", "medical record number", &["*4-16/3"], any),
    Format {
        entity: MedicalRecordNumber,
        country: "",
        name: "medical record number",
        forms: &["MRN-dddddd", "MRNdddddd", "MRN-ddddddd", "MRNddddddd", "MRN-dddddddd", "MRNdddddddd"],
        check: any,
        labels: label::MEDICAL,
        proof: crate::identifiers::format::Proof::Form,
    },
];

pub(crate) fn gb_nhs(code: &Code) -> bool {
    let check = (11 - code.weighted(&[10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11) % 11;
    code.is_digits(10) && !code.is_uniform() && check == code.digit(9)
}

fn us_mbi(code: &Code) -> bool {
    let letter = |index: usize| code.at(index).is_ascii_uppercase() && !b"SLOIBZ".contains(&code.at(index));
    let either = |index: usize| code.at(index).is_ascii_digit() || letter(index);
    let digit = |index: usize| code.at(index).is_ascii_digit();
    code.len() == 11
        && matches!(code.at(0), b'1'..=b'9')
        && [1, 4, 7, 8].into_iter().all(letter)
        && [2, 5].into_iter().all(either)
        && [3, 6, 9, 10].into_iter().all(digit)
}

/// Luhn over the number with 80840 before it, the code of health in the United States.
fn us_npi(code: &Code) -> bool {
    let mut digits = *b"80840\0\0\0\0\0\0\0\0\0\0";
    digits.iter_mut().skip(5).zip(code.bytes()).for_each(|(to, from)| *to = *from);
    code.is_digits(10) && matches!(code.at(0), b'1' | b'2') && luhn(&digits)
}

fn us_dea(code: &Code) -> bool {
    let code_digits = code.behind(2);
    let sum = code_digits.weighted(&[1, 2, 1, 2, 1, 2]);
    code.fits("aaddddddd") && sum % 10 == code_digits.digit(6)
}

/// The ninth digit checks the first eight; issue and person follow and are not checked.
pub(crate) fn au_medicare(code: &Code) -> bool {
    let check = code.weighted(&[1, 3, 7, 9, 1, 3, 7, 9]) % 10;
    (9..=11).contains(&code.len())
        && code.is_digits(code.len())
        && matches!(code.at(0), b'2'..=b'6')
        && check == code.digit(8)
}

fn de_kvnr(code: &Code) -> bool {
    let letter = code.value(0).saturating_sub(9);
    let first = [letter / 10, letter % 10].into_iter();
    let digits = first.chain((1..9).map(|index| code.digit(index)));
    let sum: u32 = digits
        .zip([1, 2].into_iter().cycle())
        .map(|(digit, weight)| digit * weight)
        .map(|part| part / 10 + part % 10)
        .sum();
    code.fits("addddddddd") && sum % 10 == code.digit(9)
}

/// Ontario: Luhn; other provinces are named by their labels and have ten digits as well.
fn ca_health(code: &Code) -> bool {
    luhn(code.part(0, 10))
}

fn nz_nhi(code: &Code) -> bool {
    // I and O are left out of the alphabet.
    let value = |index: usize| match code.at(index) {
        letter @ b'A'..=b'Z' => {
            u32::from(letter - b'A') + 1 - u32::from(letter > b'I') - u32::from(letter > b'O')
        }
        _ => code.digit(index),
    };
    let sum: u32 = (0..6).zip([7, 6, 5, 4, 3, 2]).map(|(index, weight)| value(index) * weight).sum();
    if code.fits("aaaddaa") {
        return (23 - sum % 23) == value(6);
    }
    code.fits("aaadddd") && !sum.is_multiple_of(11) && (11 - sum % 11) % 10 == code.digit(6)
}

fn br_cns(code: &Code) -> bool {
    let sum = code.weighted(&[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    code.is_digits(15) && matches!(code.at(0), b'1' | b'2' | b'7'..=b'9') && sum.is_multiple_of(11)
}
