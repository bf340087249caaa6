//! Passports, driving licences, identity cards, plates and numbers of companies.
//!
//! Sources: ICAO Doc 9303; BMI, serial numbers of German documents; DVLA, driver number; AAMVA, formats by state; ISO
//! 3779 (VIN); registers of the countries named.

use crate::identifiers::code::Code;
use crate::identifiers::entity::Entity::{CompanyId, DriverLicense, IdCard, Passport, VehicleRegistration};
use crate::identifiers::format::{Format, any, labelled, plain};
use crate::identifiers::sums::{icao, luhn_of};

pub(crate) const FORMATS: &[Format] = &[
    labelled(
        Passport,
        "DE",
        "German passport",
        &["xxxxxxxxx", "xxxxxxxxxd", "xxxxxxxxxdD", "xxxxxxxxxD"],
        de_serial,
    ),
    labelled(
        IdCard,
        "DE",
        "German identity card",
        &["xxxxxxxxx", "xxxxxxxxxd", "xxxxxxxxxdD", "xxxxxxxxxD"],
        de_serial,
    ),
    labelled(Passport, "NL", "Dutch passport", &["aaxxxxxxd"], nl_passport),
    labelled(Passport, "", "passport", &["*6-10/5"], mostly_digits),
    labelled(Passport, "RU", "Russian passport", &["dd~dd~dddddd"], any),
    plain(
        DriverLicense,
        "GB",
        "British driving licence",
        &["xxxxx~dddddd~axxaa", "xxxxx~dddddd~axdaa"],
        gb_driver,
    ),
    labelled(DriverLicense, "", "driving licence", &["*6-16/4"], any),
    labelled(
        DriverLicense,
        "",
        "driving licence",
        &["addd~dddd~dddd", "addd~dddd~dddd~dd", "addd-ddd-dd-ddd-d"],
        any,
    ),
    labelled(IdCard, "IT", "carta d'identità", &["aa~ddddd~aa", "aa~ddddddd"], any),
    labelled(IdCard, "", "identity card", &["*6-14/4"], any),
    plain(VehicleRegistration, "", "vehicle identification number", &["xxxxxxxxxxxxxxxxx"], vin),
    labelled(VehicleRegistration, "", "vehicle identification number", &["xxxxxxxxxxxxxxxxx"], vin_form),
    labelled(VehicleRegistration, "", "registration plate", &["*4-9/1"], any),
    labelled(
        VehicleRegistration,
        "",
        "registration plate",
        &[
            "aad~aaa",
            "aadd~aaa",
            "aa-ddd-aa",
            "a~aa~dddd",
            "aa~aa~dddd",
            "aaa~aa~dddd",
            "dddd~aaa",
            "aa~ddd~aa",
        ],
        any,
    ),
    labelled(
        VehicleRegistration,
        "NL",
        "registration plate",
        &[
            "aa-ddd-a", "a-ddd-aa", "dd-aaa-d", "d-aaa-dd", "dd-aa-dd", "aa-dd-dd", "dd-dd-aa", "dd-aa-aa",
            "aa-aa-dd",
        ],
        any,
    ),
    labelled(
        CompanyId,
        "DE",
        "Handelsregister",
        &["HRB_d", "HRB_dd", "HRB_ddd", "HRB_dddd", "HRB_ddddd", "HRB_dddddd", "HRA_ddddd", "HRA_dddddd"],
        any,
    ),
    labelled(CompanyId, "FR", "SIREN", &["ddd~ddd~ddd"], |code| luhn_of(code, 9)),
    labelled(CompanyId, "FR", "SIRET", &["ddd~ddd~ddd~ddddd"], |code| luhn_of(code, 14)),
    plain(CompanyId, "CH", "UID", &["CHE-ddd.ddd.ddd"], ch_uid),
    labelled(CompanyId, "CH", "UID", &["CHE~ddd~ddd~ddd"], ch_uid),
    labelled(CompanyId, "", "company number", &["*6-14/5"], any),
];

/// Serial number of nine characters, then perhaps its check digit and D. Letters are those that are not mistaken for
/// digits; older numbers are digits, letters in upper and lower case are equal.
pub(crate) fn de_serial(code: &Code) -> bool {
    let length = if code.bytes().ends_with(b"D") { code.len() - 1 } else { code.len() };
    let serial = code.part(0, 9);
    let letter = |byte: &u8| byte.is_ascii_digit() || b"CFGHJKLMNPRTVWXYZ".contains(byte);
    let mixed = serial.iter().filter(|byte| byte.is_ascii_digit()).count() >= 4;
    let check = length == 9 || (length == 10 && icao(serial) == code.digit(9));
    serial.len() == 9 && mixed && serial.iter().all(letter) && check
}

pub(crate) fn nl_passport(code: &Code) -> bool {
    code.len() == 9
        && !code.bytes().contains(&b'O')
        && code.part(0, 2).iter().all(u8::is_ascii_uppercase)
        && icao(code.part(0, 8)) == code.digit(8)
}

fn mostly_digits(code: &Code) -> bool {
    code.bytes().iter().filter(|byte| byte.is_ascii_alphabetic()).count() <= 3
}

/// Five letters of the surname, filled with 9; decade, month (50 added for women), day and year; initials, 9 where one
/// is missing; three more.
fn gb_driver(code: &Code) -> bool {
    let surname = code.part(0, 5);
    let filled = surname.iter().skip_while(|byte| byte.is_ascii_uppercase()).all(|byte| *byte == b'9');
    let month = code.number(6, 8) % 50;
    code.len() == 16
        && code.at(0).is_ascii_uppercase()
        && filled
        && (1..=12).contains(&month)
        && (1..=31).contains(&code.number(8, 10))
        && (code.at(12).is_ascii_uppercase() || code.at(12) == b'9')
}

fn vin_form(code: &Code) -> bool {
    let letter = |byte: &u8| !b"IOQ".contains(byte);
    code.len() == 17 && code.bytes().iter().all(letter) && code.bytes().iter().any(u8::is_ascii_digit)
}

/// With the check digit that North America prescribes (49 CFR 565).
fn vin(code: &Code) -> bool {
    let value = |index: usize| match code.at(index) {
        letter @ b'A'..=b'H' => u32::from(letter - b'A') + 1,
        letter @ b'J'..=b'R' => u32::from(letter - b'J') + 1,
        letter @ b'S'..=b'Z' => u32::from(letter - b'S') + 2,
        _ => code.digit(index),
    };
    let weights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
    let sum: u32 = weights.iter().enumerate().map(|(index, weight)| value(index) * weight).sum();
    let expected = match sum % 11 {
        10 => b'X',
        rest => b'0' + rest as u8,
    };
    let letters = code.bytes().iter().filter(|byte| byte.is_ascii_uppercase()).count();
    vin_form(code) && letters >= 3 && code.at(8) == expected
}

fn ch_uid(code: &Code) -> bool {
    let code = code.behind(3);
    let check = (11 - code.weighted(&[5, 4, 3, 2, 7, 6, 5, 4]) % 11) % 11;
    check == code.digit(8)
}
