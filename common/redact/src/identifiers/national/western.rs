//! Numbers of people and taxpayers in western and southern Europe.
//!
//! Sources: HMRC, National Insurance Manual NIM39110; Department of Social Protection, PPS number format; INSEE, code
//! of the NIR; DGFiP, structure of the tax number; BZSt, identification number, annex on check digits; DRV, VKVV § 2;
//! Dachverband der Sozialversicherungsträger; ZAS, AHV number (GS1 EAN-13); Arrêté royal of 3 April 1984; RvIG,
//! Logisch Ontwerp BSN; CTIE, identification number; Ministerio del Interior, NIF and NIE; AMA, Cartão de Cidadão;
//! DM of 23 December 1976 (codice fiscale); AADE; European Commission, VIES check digits and TIN algorithms.

use crate::identifiers::code::Code;
use crate::identifiers::entity::Entity::{IdCard, NationalId, TaxId};
use crate::identifiers::format::{Format, any, labelled, plain};
use crate::identifiers::sums::{is_date, luhn, luhn_of, mod_11_10, verhoeff};

pub(crate) const FORMATS: &[Format] = &[
    plain(
        NationalId,
        "GB",
        "national insurance number",
        &["aadddddda", "aa_dd_dd_dd_a", "aa_dddddd_a"],
        gb_nino,
    ),
    labelled(NationalId, "GB", "national insurance number", &["aa~dd~dd~dd~a"], gb_nino),
    labelled(
        TaxId,
        "GB",
        "unique taxpayer reference",
        &["ddd~ddd~ddd~d", "ddddd~ddddd", "ddddddddddK"],
        gb_utr,
    ),
    plain(TaxId, "GB", "British VAT number", &["GB~ddd~dddd~dd"], gb_vat),
    labelled(TaxId, "GB", "British VAT number", &["ddd~dddd~dd"], gb_vat),
    labelled(NationalId, "IE", "PPS number", &["ddddddd~a", "ddddddd~aa"], ie_pps),
    labelled(TaxId, "IE", "PPS number", &["ddddddd~a", "ddddddd~aa"], ie_pps),
    plain(NationalId, "FR", "NIR", &["d~dd~dd~dx~ddd~ddd~dd"], fr_nir),
    labelled(TaxId, "FR", "French tax number", &["dd~dd~ddd~ddd~ddd"], fr_nif),
    plain(TaxId, "FR", "French VAT number", &["FR~dd~ddd~ddd~ddd"], fr_vat),
    labelled(TaxId, "DE", "Steuer-ID", &["dd~ddd~ddd~ddd"], de_tax),
    labelled(
        TaxId,
        "DE",
        "Steuernummer",
        &["dd/ddd/ddddd", "ddd/ddd/ddddd", "ddd/dddd/dddd", "ddd ddd ddddd", "dd ddd ddddd", "ddddddddddddd"],
        any,
    ),
    plain(NationalId, "DE", "Rentenversicherungsnummer", &["dd~dddddd~a~ddd"], de_pension),
    plain(TaxId, "DE", "German VAT number", &["DE~ddd~ddd~ddd"], |code| mod_11_10(&code.behind(2))),
    labelled(NationalId, "AT", "Austrian social security number", &["dddd~dddddd"], at_ssn),
    labelled(TaxId, "AT", "Austrian tax number", &["dd~ddd~dddd"], any),
    plain(TaxId, "AT", "Austrian VAT number", &["ATUdddddddd"], at_vat),
    plain(NationalId, "CH", "AHV number", &["756~dddd~dddd~dd"], ch_ahv),
    plain(NationalId, "BE", "Belgian national number", &["dd.dd.dd-ddd.dd"], be_national),
    labelled(NationalId, "BE", "Belgian national number", &["dd~dd~dd~ddd~dd"], be_national),
    plain(TaxId, "BE", "Belgian VAT number", &["BE~dddd~ddd~ddd"], be_vat),
    labelled(NationalId, "NL", "BSN", &["dddd~dd~ddd", "ddd~ddd~ddd", "dddddddd"], nl_bsn),
    labelled(TaxId, "NL", "BSN", &["dddd~dd~ddd", "ddd~ddd~ddd"], nl_bsn),
    plain(TaxId, "NL", "Dutch VAT number", &["NL~ddddddddd~Bdd"], any),
    labelled(NationalId, "LU", "Luxembourg identification number", &["dddd~dd~dd~ddddd"], lu_national),
    plain(NationalId, "ES", "DNI", &["dddddddd-a", "dddddddda", "dd.ddd.ddd-a", "dd.ddd.ddda"], es_dni),
    labelled(NationalId, "ES", "DNI", &["dd~ddd~ddd~a"], es_dni),
    labelled(TaxId, "ES", "NIF", &["dd~ddd~ddd~a"], es_dni),
    plain(NationalId, "ES", "NIE", &["addddddda", "a-ddddddd-a"], es_nie),
    labelled(NationalId, "ES", "NIE", &["a~ddddddd~a", "a~d~ddd~ddd~a"], es_nie),
    labelled(
        NationalId,
        "ES",
        "Spanish social security number",
        &["dd~dddddddd~dd", "dd~ddddddd~ddd"],
        es_nuss,
    ),
    labelled(TaxId, "ES", "CIF", &["a~dddddddx", "a~ddddddd~x"], es_cif),
    labelled(TaxId, "PT", "NIF", &["ddd~ddd~ddd"], pt_nif),
    labelled(NationalId, "PT", "NISS", &["ddddddddddd", "ddd~dddd~dddd"], pt_niss),
    plain(IdCard, "PT", "Cartão de Cidadão", &["dddddddd~d~aad"], pt_card),
    plain(TaxId, "IT", "codice fiscale", &["aaaaaa~xxaxx~axxxa"], it_fiscal),
    labelled(TaxId, "IT", "partita IVA", &["ddddddddddd"], |code| luhn_of(code, 11)),
    plain(TaxId, "IT", "Italian VAT number", &["IT~ddddddddddd"], |code| luhn_of(&code.behind(2), 11)),
    labelled(TaxId, "GR", "AFM", &["ddddddddd", "ELddddddddd"], gr_afm),
    labelled(NationalId, "GR", "AMKA", &["dddddd~ddddd"], gr_amka),
    labelled(NationalId, "MT", "Maltese identity number", &["ddddddda"], mt_national),
    labelled(TaxId, "CY", "Cypriot tax number", &["dddddddda"], any),
];

pub(crate) fn gb_nino(code: &Code) -> bool {
    let prefix = code.part(0, 2);
    let allowed = !b"DFIQUV".contains(&code.at(0)) && !b"DFIOQUV".contains(&code.at(1));
    let given = ![&b"BG"[..], b"GB", b"KN", b"NK", b"NT", b"TN", b"ZZ"].contains(&prefix);
    code.fits("aadddddda") && allowed && given && matches!(code.at(8), b'A'..=b'D')
}

pub(crate) fn gb_utr(code: &Code) -> bool {
    // The letter K may stand on either side, and three digits of the tax office before the ten of the reference.
    let begins = code.starts_with("K");
    let code = code.without("K");
    let ends = !begins && code.bytes().ends_with(b"K");
    let length = if ends { code.len() - 1 } else { code.len() };
    let office = if length == 13 { 3 } else { 0 };
    let code = code.behind(office);
    let rest = code.behind(1).weighted(&[6, 7, 8, 9, 10, 5, 4, 3, 2]) % 11;
    let expected = b"21987654321".get(rest as usize).copied().unwrap_or(0);
    length == office + 10
        && code.len() == 10 + usize::from(ends)
        && code.part(0, 10).iter().all(u8::is_ascii_digit)
        && code.at(0) == expected
}

fn gb_vat(code: &Code) -> bool {
    let code = code.without("GB");
    let sum = code.weighted(&[8, 7, 6, 5, 4, 3, 2]) as u64 + code.number(7, 9);
    code.is_digits(9) && (sum.is_multiple_of(97) || (sum + 55).is_multiple_of(97))
}

pub(crate) fn ie_pps(code: &Code) -> bool {
    // The second letter counts as well, W and a missing one as 0.
    let second = match code.at(8) {
        letter @ b'A'..=b'V' => u32::from(letter - b'A' + 1) * 9,
        _ => 0,
    };
    let sum = code.weighted(&[8, 7, 6, 5, 4, 3, 2]) + second;
    let expected = b"WABCDEFGHIJKLMNOPQRSTUV".get((sum % 23) as usize).copied().unwrap_or(0);
    let digits = code.part(0, 7);
    digits.len() == 7 && digits.iter().all(u8::is_ascii_digit) && code.at(7) == expected
}

pub(crate) fn fr_nir(code: &Code) -> bool {
    let tail = code.number(7, 13);
    // Corsica: the letters of 2A and 2B count as 19 and 18.
    let department = match code.part(5, 7) {
        b"2A" => 19,
        b"2B" => 18,
        _ => code.number(5, 7),
    };
    let head = code.number(0, 5) * 100 + department;
    let number = head * 1_000_000 + tail;
    let month = matches!(code.number(3, 5), 1..=12 | 20..=42 | 50..=99);
    code.len() == 15
        && matches!(code.at(0), b'1'..=b'4' | b'7' | b'8')
        && month
        && code.part(7, 15).iter().all(u8::is_ascii_digit)
        && 97 - number % 97 == code.number(13, 15)
}

pub(crate) fn fr_nif(code: &Code) -> bool {
    code.is_digits(13) && code.digit(0) < 4 && code.number(0, 10) % 511 == code.number(10, 13)
}

fn fr_vat(code: &Code) -> bool {
    let code = code.behind(2);
    luhn(code.part(2, 11)) && (12 + 3 * (code.number(2, 11) % 97)) % 97 == code.number(0, 2)
}

pub(crate) fn de_tax(code: &Code) -> bool {
    let head = code.part(0, 10);
    let count = |digit: u8| head.iter().filter(|byte| **byte == digit).count();
    // One digit occurs twice or three times among the first ten, the others once at most.
    let repeated = (b'0'..=b'9').filter(|digit| count(*digit) > 1).count();
    let most = (b'0'..=b'9').map(count).max().unwrap_or(0);
    code.is_digits(11) && code.digit(0) != 0 && repeated == 1 && most <= 3 && mod_11_10(code)
}

pub(crate) fn de_pension(code: &Code) -> bool {
    let letter = code.value(8).saturating_sub(9);
    let mut digits = [0; 12];
    for (index, digit) in digits.iter_mut().enumerate() {
        *digit = match index {
            0..=7 => code.digit(index),
            8 => letter / 10,
            9 => letter % 10,
            _ => code.digit(index - 1),
        };
    }
    let weights = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1];
    let sum: u32 = digits
        .iter()
        .zip(weights)
        .map(|(digit, weight)| digit * weight)
        .map(|part| part / 10 + part % 10)
        .sum();
    code.fits("ddddddddaddd")
        && code.digit(4) * 10 + code.digit(5) <= 12
        && code.number(2, 4) <= 81
        && sum % 10 == code.digit(11)
}

pub(crate) fn at_ssn(code: &Code) -> bool {
    let sum = code.weighted(&[3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11;
    let month = matches!(code.number(6, 8), 1..=15);
    code.is_digits(10) && code.digit(0) != 0 && month && sum == code.digit(3)
}

fn at_vat(code: &Code) -> bool {
    let code = code.behind(3);
    let sum: u32 = (0..7)
        .map(|index| {
            let part = code.digit(index) * (1 + index as u32 % 2);
            part / 10 + part % 10
        })
        .sum();
    (10 - (sum + 4) % 10) % 10 == code.digit(7)
}

fn ch_ahv(code: &Code) -> bool {
    let sum = code.weighted(&[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]);
    code.is_digits(13) && (10 - sum % 10) % 10 == code.digit(12)
}

pub(crate) fn be_national(code: &Code) -> bool {
    let head = code.number(0, 9);
    let check = code.number(9, 11);
    // Those born since 2000 have a 2 before the number that is checked.
    let checked = 97 - head % 97 == check || 97 - (2_000_000_000 + head) % 97 == check;
    code.is_digits(11) && code.number(2, 4) % 20 <= 12 && code.number(4, 6) <= 31 && checked
}

fn be_vat(code: &Code) -> bool {
    let code = code.behind(2);
    code.digit(0) < 2 && 97 - code.number(0, 8) % 97 == code.number(8, 10)
}

pub(crate) fn nl_bsn(code: &Code) -> bool {
    let length = code.len();
    let sum: u32 =
        (0..length.saturating_sub(1)).map(|index| code.digit(index) * (length - index) as u32).sum();
    (7..=9).contains(&length)
        && code.is_digits(length)
        && !code.is_uniform()
        && sum % 11 == code.digit(length - 1)
}

fn lu_national(code: &Code) -> bool {
    let mut second = [0; 12];
    second
        .iter_mut()
        .zip(code.part(0, 11).iter().chain(code.part(12, 13)))
        .for_each(|(to, from)| *to = *from);
    let second = std::str::from_utf8(&second).ok().and_then(Code::of);
    code.is_digits(13)
        && is_date(code.number(0, 4), code.number(4, 6), code.number(6, 8))
        && luhn(code.part(0, 12))
        && second.is_some_and(|second| verhoeff(&second))
}

fn es_letter(number: u64) -> u8 {
    b"TRWAGMYFPDXBNJZSQVHLCKE".get((number % 23) as usize).copied().unwrap_or(0)
}

pub(crate) fn es_dni(code: &Code) -> bool {
    code.fits("dddddddda") && code.at(8) == es_letter(code.number(0, 8))
}

pub(crate) fn es_nie(code: &Code) -> bool {
    let first = u64::from(code.at(0).saturating_sub(b'X'));
    code.fits("addddddda")
        && matches!(code.at(0), b'X'..=b'Z')
        && code.at(8) == es_letter(first * 10_000_000 + code.number(1, 8))
}

pub(crate) fn es_nuss(code: &Code) -> bool {
    let serial = code.number(2, 10);
    let province = code.number(0, 2);
    let number =
        if serial < 10_000_000 { province * 10_000_000 + serial } else { province * 100_000_000 + serial };
    code.is_digits(12) && number % 97 == code.number(10, 12)
}

fn es_cif(code: &Code) -> bool {
    let sum: u32 = (1..8)
        .map(|index| {
            let part = code.digit(index) * (1 + index as u32 % 2);
            part / 10 + part % 10
        })
        .sum();
    let check = (10 - sum % 10) % 10;
    let letter = b"JABCDEFGHI".get(check as usize).copied().unwrap_or(0);
    code.len() == 9
        && code.part(1, 8).iter().all(u8::is_ascii_digit)
        && b"ABCDEFGHJNPQRSUVW".contains(&code.at(0))
        && (code.at(8) == letter || code.at(8) == b'0' + check as u8)
}

pub(crate) fn pt_nif(code: &Code) -> bool {
    let rest = code.weighted(&[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
    let check = if rest < 2 { 0 } else { 11 - rest };
    code.is_digits(9) && code.digit(0) != 0 && check == code.digit(8)
}

fn pt_niss(code: &Code) -> bool {
    let sum = code.weighted(&[29, 23, 19, 17, 13, 11, 7, 5, 3, 2]);
    code.is_digits(11) && matches!(code.at(0), b'1' | b'2') && 9 - sum % 10 == code.digit(10)
}

fn pt_card(code: &Code) -> bool {
    let sum: u32 = (0..12)
        .map(|index| {
            let value = code.value(index) * (1 + (index as u32 + 1) % 2);
            if index % 2 == 0 && value > 9 { value - 9 } else { value }
        })
        .sum();
    code.len() == 12 && sum.is_multiple_of(10)
}

/// Values of digits and letters at odd places (DM 23 December 1976); digits have those of the first ten letters.
const IT_ODD: [u32; 26] =
    [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

fn it_fiscal(code: &Code) -> bool {
    let value = |index: usize| if code.value(index) > 9 { code.value(index) - 10 } else { code.value(index) };
    let sum: u32 = (0..15)
        .map(|index| {
            let value = value(index);
            if index % 2 == 1 { value } else { IT_ODD.get(value as usize).copied().unwrap_or(0) }
        })
        .sum();
    // Digits are replaced by these letters where two people would have the same code.
    let figure = |index: usize| code.at(index).is_ascii_digit() || b"LMNPQRSTUV".contains(&code.at(index));
    let figures = [6, 7, 9, 10, 12, 13, 14].into_iter().all(figure);
    code.len() == 16 && figures && b"ABCDEHLMPRST".contains(&code.at(8)) && code.value(15) == sum % 26 + 10
}

fn gr_afm(code: &Code) -> bool {
    let code = code.without("EL");
    let sum = code.weighted(&[256, 128, 64, 32, 16, 8, 4, 2]);
    code.is_digits(9) && sum > 0 && sum % 11 % 10 == code.digit(8)
}

fn gr_amka(code: &Code) -> bool {
    luhn_of(code, 11) && is_date(code.number(4, 6), code.number(2, 4), code.number(0, 2))
}

fn mt_national(code: &Code) -> bool {
    code.fits("ddddddda") && b"MGAPLHBZ".contains(&code.at(7))
}
