//! Numbers of people and taxpayers in Asia.
//!
//! Sources: GB 11643-1999; Immigration Department of Hong Kong; Ministry of the Interior of Taiwan; Ordinance 85 of 2014
//! of the Ministry of Internal Affairs and Communications (My Number); Resident Registration Act of Korea; UIDAI
//! (Verhoeff), Income-tax Rules 114 (PAN), GSTN; ICA Singapore; DOPA Thailand; SSS, BIR and PhilHealth; Permendagri 137
//! of 2017, DJP; JPN Malaysia; NADRA; ICP of the Emirates; Ministry of Interior of Saudi Arabia; Israeli Population
//! Registry.

use crate::identifiers::code::Code;
use crate::identifiers::entity::Entity::{HealthInsurance, IdCard, NationalId, TaxId};
use crate::identifiers::format::{Format, any, labelled, plain};
use crate::identifiers::sums::{is_date, luhn, luhn_of, mod_11_2, verhoeff};

pub(crate) const FORMATS: &[Format] = &[
    plain(NationalId, "CN", "Chinese resident number", &["dddddd~dddddddd~dddx"], cn_resident),
    plain(NationalId, "HK", "HKID", &["adddddd(x)", "aadddddd(x)"], hk_identity),
    labelled(NationalId, "HK", "HKID", &["adddddd~x", "aadddddd~x"], hk_identity),
    labelled(NationalId, "TW", "Taiwanese identity number", &["addddddddd"], tw_identity),
    labelled(NationalId, "JP", "My Number", &["dddd~dddd~dddd"], jp_my_number),
    plain(NationalId, "KR", "resident registration number", &["dddddd-ddddddd"], kr_resident),
    labelled(NationalId, "KR", "resident registration number", &["dddddd~ddddddd"], kr_resident),
    plain(NationalId, "IN", "Aadhaar", &["dddd_dddd_dddd"], in_aadhaar),
    labelled(NationalId, "IN", "Aadhaar", &["dddd~dddd~dddd"], in_aadhaar),
    plain(TaxId, "IN", "PAN", &["aaaaadddda"], in_pan),
    plain(TaxId, "IN", "GSTIN", &["ddaaaaaddddaxZx"], in_gst),
    labelled(IdCard, "IN", "voter card number", &["aaa~ddddddd"], any),
    plain(NationalId, "SG", "NRIC", &["addddddda"], sg_nric),
    plain(NationalId, "TH", "Thai identity number", &["d_dddd_ddddd_dd_d"], th_identity),
    labelled(NationalId, "TH", "Thai identity number", &["ddddddddddddd"], th_identity),
    labelled(NationalId, "PH", "SSS number", &["dd~ddddddd~d"], any),
    labelled(NationalId, "PH", "PhilSys number", &["dddd~dddd~dddd"], any),
    labelled(TaxId, "PH", "Philippine TIN", &["ddd~ddd~ddd~ddd", "ddd-ddd-ddd", "ddd~ddd~ddd~ddddd"], any),
    labelled(HealthInsurance, "PH", "PhilHealth number", &["dd~ddddddddd~d"], any),
    labelled(NationalId, "ID", "NIK", &["dddddddddddddddd", "dddd~dddd~dddd~dddd"], id_nik),
    plain(TaxId, "ID", "NPWP", &["dd.ddd.ddd.d-ddd.ddd"], |code| luhn(code.part(0, 9))),
    labelled(TaxId, "ID", "NPWP", &["ddddddddddddddd"], |code| luhn(code.part(0, 9))),
    plain(NationalId, "MY", "MyKad number", &["dddddd-dd-dddd"], my_kad),
    labelled(NationalId, "MY", "MyKad number", &["dddddd~dd~dddd"], my_kad),
    labelled(NationalId, "VN", "CCCD number", &["dddddddddddd"], vn_citizen),
    plain(NationalId, "PK", "CNIC", &["ddddd-ddddddd-d"], pk_cnic),
    labelled(NationalId, "PK", "CNIC", &["ddddd~ddddddd~d"], pk_cnic),
    labelled(NationalId, "LK", "Sri Lankan NIC", &["ddddddddda", "dddddddddddd"], any),
    plain(NationalId, "AE", "Emirates ID", &["784~dddd~ddddddd~d"], |code| luhn_of(code, 15)),
    labelled(NationalId, "SA", "Saudi identity number", &["dddddddddd"], sa_identity),
    labelled(
        NationalId,
        "IL",
        "Israeli identity number",
        &["ddddddddd", "d~dddddddd", "dddddddd~d"],
        |code| luhn_of(code, 9),
    ),
];

pub(crate) fn cn_resident(code: &Code) -> bool {
    let year = code.number(6, 10);
    code.len() == 18
        && code.part(0, 17).iter().all(u8::is_ascii_digit)
        && matches!(code.number(0, 2), 11..=15 | 21..=23 | 31..=37 | 41..=46 | 50..=54 | 61..=65 | 71 | 81..=83)
        && (1900..=2099).contains(&year)
        && is_date(year, code.number(10, 12), code.number(12, 14))
        && mod_11_2(code)
}

fn hk_identity(code: &Code) -> bool {
    let letters = code.len().saturating_sub(7);
    // One letter has a blank before it, which counts as 36.
    let head = match letters {
        1 => 36 * 9 + code.value(0) * 8,
        2 => code.value(0) * 9 + code.value(1) * 8,
        _ => return false,
    };
    let sum = head + code.behind(letters).weighted(&[7, 6, 5, 4, 3, 2]);
    let expected = match (11 - sum % 11) % 11 {
        10 => b'A',
        digit => b'0' + digit as u8,
    };
    code.at(letters + 6) == expected
}

/// Numbers of the letters A to Z, by the county that first used them.
const TW_LETTERS: [u32; 26] =
    [10, 11, 12, 13, 14, 15, 16, 17, 34, 18, 19, 20, 21, 22, 35, 23, 24, 25, 26, 27, 28, 29, 32, 30, 31, 33];

fn tw_identity(code: &Code) -> bool {
    let letter = TW_LETTERS.get(code.value(0).saturating_sub(10) as usize).copied().unwrap_or(0);
    let sum = letter / 10 + letter % 10 * 9 + code.behind(1).weighted(&[8, 7, 6, 5, 4, 3, 2, 1, 1]);
    code.fits("addddddddd") && matches!(code.at(1), b'1' | b'2' | b'8' | b'9') && sum.is_multiple_of(10)
}

fn jp_my_number(code: &Code) -> bool {
    let rest = code.weighted(&[6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
    let check = if rest <= 1 { 0 } else { 11 - rest };
    code.is_digits(12) && check == code.digit(11)
}

/// Numbers given since October 2020 have no check digit, so only the date and the century are checked.
fn kr_resident(code: &Code) -> bool {
    code.is_digits(13) && is_date(code.number(0, 2), code.number(2, 4), code.number(4, 6))
}

fn in_aadhaar(code: &Code) -> bool {
    code.is_digits(12) && code.digit(0) >= 2 && verhoeff(code)
}

fn in_pan(code: &Code) -> bool {
    code.fits("aaaaadddda") && b"ABCFGHJLPT".contains(&code.at(3)) && code.number(5, 9) > 0
}

fn in_gst(code: &Code) -> bool {
    let sum: u32 = (0..14)
        .map(|index| {
            let part = code.value(index) * (1 + index as u32 % 2);
            part / 36 + part % 36
        })
        .sum();
    (1..=38).contains(&code.number(0, 2)) && (36 - sum % 36) % 36 == code.value(14)
}

pub(crate) fn sg_nric(code: &Code) -> bool {
    let sum = code.behind(1).weighted(&[2, 7, 6, 5, 4, 3, 2]);
    let (shift, letters) = match code.at(0) {
        b'S' => (0, b"JZIHGFEDCBA"),
        b'T' => (4, b"JZIHGFEDCBA"),
        b'F' => (0, b"XWUTRQPNMLK"),
        b'G' => (4, b"XWUTRQPNMLK"),
        b'M' => (3, b"XWUTRQPNJLK"),
        _ => return false,
    };
    code.fits("addddddda") && letters.get(((sum + shift) % 11) as usize) == Some(&code.at(8))
}

fn th_identity(code: &Code) -> bool {
    let sum = code.weighted(&[13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
    code.is_digits(13) && code.digit(0) != 0 && (11 - sum % 11) % 10 == code.digit(12)
}

fn id_nik(code: &Code) -> bool {
    // Women have 40 added to the day.
    let day = code.number(6, 8) % 40;
    code.is_digits(16)
        && (11..=96).contains(&code.number(0, 2))
        && is_date(code.number(10, 12), code.number(8, 10), day)
        && code.number(12, 16) > 0
}

fn my_kad(code: &Code) -> bool {
    let place = code.number(6, 8);
    code.is_digits(12)
        && is_date(code.number(0, 2), code.number(2, 4), code.number(4, 6))
        && !matches!(place, 0 | 17..=20 | 69 | 70 | 73 | 80 | 81 | 94..=97)
}

fn vn_citizen(code: &Code) -> bool {
    code.is_digits(12) && code.number(0, 3) <= 96
}

fn pk_cnic(code: &Code) -> bool {
    code.is_digits(13) && matches!(code.at(0), b'1'..=b'8')
}

fn sa_identity(code: &Code) -> bool {
    matches!(code.at(0), b'1' | b'2') && luhn_of(code, 10)
}
