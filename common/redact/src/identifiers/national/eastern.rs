//! Numbers of people and taxpayers in central, eastern and south-eastern Europe and Turkey.
//!
//! Sources: Ministerstwo Cyfryzacji (PESEL), Ministerstwo Finansów (NIP), GUS (REGON); Czech Act 133/2000 and Slovak
//! Act 301/1995 (rodné číslo); Hungarian Act XX of 1996; Romanian OUG 97/2005; GRAO (EGN); Yugoslav JMBG decree of 1977;
//! OIB ordinance, Narodne novine 1/2009; State Tax Service of Ukraine; FNS order MMV-7-6/435 (INN), PFR (SNILS); NVI.

use crate::identifiers::code::Code;
use crate::identifiers::entity::Entity::{CompanyId, HealthInsurance, IdCard, NationalId, TaxId};
use crate::identifiers::format::{Format, labelled, plain};
use crate::identifiers::sums::{is_date, mod_11_10};

pub(crate) const FORMATS: &[Format] = &[
    labelled(NationalId, "PL", "PESEL", &["ddddddddddd"], pl_pesel_dated),
    labelled(TaxId, "PL", "NIP", &["ddd~ddd~dd~dd", "ddd~dd~dd~ddd", "PLdddddddddd"], pl_nip),
    labelled(IdCard, "PL", "dowód osobisty", &["aaa~dddddd"], pl_card),
    plain(NationalId, "CZ", "rodné číslo", &["dddddd/dddd"], cz_birth_dated),
    labelled(NationalId, "CZ", "rodné číslo", &["dddddd~dddd", "dddddd~ddd"], cz_birth_dated),
    labelled(TaxId, "CZ", "DIČ", &["CZ~dddddd~dddd", "dddddd~dddd", "CZdddddddd"], cz_tax),
    labelled(HealthInsurance, "HU", "TAJ number", &["ddd~ddd~ddd"], hu_taj),
    labelled(TaxId, "HU", "adóazonosító jel", &["dddddddddd", "dddd~ddd~ddd"], hu_tax),
    labelled(NationalId, "HU", "személyi szám", &["d~dddddd~dddd"], hu_personal),
    labelled(NationalId, "RO", "CNP", &["ddddddddddddd"], ro_cnp),
    labelled(NationalId, "BG", "EGN", &["dddddddddd"], bg_egn),
    labelled(NationalId, "SI", "EMŠO", &["ddddddddddddd"], jmbg),
    labelled(NationalId, "RS", "JMBG", &["ddddddddddddd"], jmbg),
    labelled(TaxId, "SI", "davčna številka", &["dddddddd", "SIdddddddd"], si_tax),
    labelled(NationalId, "HR", "OIB", &["ddddddddddd"], hr_oib),
    labelled(TaxId, "HR", "OIB", &["ddddddddddd", "HRddddddddddd"], hr_oib),
    labelled(TaxId, "UA", "RNOKPP", &["dddddddddd"], ua_tax),
    labelled(TaxId, "RU", "INN", &["dddddddddd", "dddddddddddd"], ru_inn),
    plain(NationalId, "RU", "SNILS", &["ddd-ddd-ddd_dd"], ru_snils),
    labelled(NationalId, "RU", "SNILS", &["ddd~ddd~ddd~dd"], ru_snils),
    labelled(NationalId, "TR", "T.C. kimlik no", &["ddddddddddd"], tr_national),
    labelled(TaxId, "TR", "vergi kimlik no", &["dddddddddd"], tr_tax),
    labelled(NationalId, "KZ", "IIN", &["dddddddddddd"], kz_iin),
    labelled(CompanyId, "PL", "REGON", &["ddddddddd"], pl_regon),
    labelled(CompanyId, "CZ", "IČO", &["dddddddd", "ddd~dd~ddd"], cz_company),
    labelled(CompanyId, "RU", "OGRN", &["ddddddddddddd"], ru_ogrn),
];

/// The check digit alone.
pub(crate) fn pl_pesel(code: &Code) -> bool {
    let sum = code.weighted(&[1, 3, 7, 9, 1, 3, 7, 9, 1, 3]);
    code.is_digits(11) && (10 - sum % 10) % 10 == code.digit(10)
}

fn pl_pesel_dated(code: &Code) -> bool {
    pl_pesel(code) && is_date(code.number(0, 2), code.number(2, 4) % 20, code.number(4, 6))
}

fn pl_nip(code: &Code) -> bool {
    let code = code.without("PL");
    let rest = code.weighted(&[6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11;
    code.is_digits(10) && !code.is_uniform() && rest == code.digit(9)
}

fn pl_card(code: &Code) -> bool {
    code.fits("aaadddddd") && code.weighted(&[7, 3, 1, 9, 7, 3, 1, 7, 3]).is_multiple_of(10)
}

/// Numbers of nine digits, given until 1953, have no check digit.
pub(crate) fn cz_birth(code: &Code) -> bool {
    let rest = code.number(0, 9) % 11 % 10;
    code.is_digits(9) || (code.is_digits(10) && rest == u64::from(code.digit(9)))
}

fn cz_birth_dated(code: &Code) -> bool {
    // Women have 50 added to the month; 20 more where the numbers of a day did not suffice.
    let month = code.number(2, 4) % 50;
    let month = if month > 20 { month - 20 } else { month };
    cz_birth(code) && is_date(code.number(0, 2), month, code.number(4, 6))
}

pub(crate) fn cz_tax(code: &Code) -> bool {
    let code = code.without("CZ");
    if code.is_digits(8) { cz_company(&code) } else { cz_birth(&code) }
}

fn cz_company(code: &Code) -> bool {
    let check = (11 - code.weighted(&[8, 7, 6, 5, 4, 3, 2]) % 11) % 10;
    code.is_digits(8) && check == code.digit(7)
}

fn pl_regon(code: &Code) -> bool {
    code.is_digits(9) && code.weighted(&[8, 9, 2, 3, 4, 5, 6, 7]) % 11 % 10 == code.digit(8)
}

fn ru_ogrn(code: &Code) -> bool {
    code.is_digits(13) && code.number(0, 12) % 11 % 10 == u64::from(code.digit(12))
}

fn hu_taj(code: &Code) -> bool {
    code.is_digits(9) && code.weighted(&[3, 7, 3, 7, 3, 7, 3, 7]) % 10 == code.digit(8)
}

fn hu_tax(code: &Code) -> bool {
    code.is_digits(10)
        && code.at(0) == b'8'
        && code.weighted(&[1, 2, 3, 4, 5, 6, 7, 8, 9]) % 11 == code.digit(9)
}

fn hu_personal(code: &Code) -> bool {
    // Since 1997 the weights run the other way.
    let ascending = code.weighted(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) % 11;
    let descending = code.weighted(&[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11;
    let date = is_date(code.number(1, 3), code.number(3, 5), code.number(5, 7));
    code.is_digits(11) && date && [ascending, descending].contains(&code.digit(10))
}

pub(crate) fn ro_cnp(code: &Code) -> bool {
    let rest = code.weighted(&[2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
    let check = if rest == 10 { 1 } else { rest };
    code.is_digits(13)
        && code.digit(0) != 0
        && is_date(code.number(1, 3), code.number(3, 5), code.number(5, 7))
        && check == code.digit(12)
}

pub(crate) fn bg_egn(code: &Code) -> bool {
    let rest = code.weighted(&[2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11 % 10;
    code.is_digits(10)
        && is_date(code.number(0, 2), code.number(2, 4) % 20, code.number(4, 6))
        && rest == code.digit(9)
}

/// The common number of Yugoslavia, still given by its successors.
pub(crate) fn jmbg(code: &Code) -> bool {
    let check = 11 - code.weighted(&[7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
    code.is_digits(13)
        && is_date(code.number(4, 7), code.number(2, 4), code.number(0, 2))
        && (if check == 11 { 0 } else { check }) == code.digit(12)
}

fn si_tax(code: &Code) -> bool {
    let code = code.without("SI");
    let check = (11 - code.weighted(&[8, 7, 6, 5, 4, 3, 2]) % 11) % 10;
    code.is_digits(8) && code.digit(0) != 0 && check == code.digit(7)
}

fn hr_oib(code: &Code) -> bool {
    let code = code.without("HR");
    code.is_digits(11) && mod_11_10(&code)
}

fn ua_tax(code: &Code) -> bool {
    // The first weight is -1, which is 10 modulo 11.
    code.is_digits(10) && code.weighted(&[10, 5, 7, 9, 4, 6, 10, 5, 7]) % 11 % 10 == code.digit(9)
}

fn ru_inn(code: &Code) -> bool {
    let rest = |weights: &[u32]| code.weighted(weights) % 11 % 10;
    match code.len() {
        10 => code.is_digits(10) && rest(&[2, 4, 10, 3, 5, 9, 4, 6, 8]) == code.digit(9),
        12 => {
            code.is_digits(12)
                && rest(&[7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) == code.digit(10)
                && rest(&[3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) == code.digit(11)
        }
        _ => false,
    }
}

fn ru_snils(code: &Code) -> bool {
    let rest = u64::from(code.weighted(&[9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101);
    code.is_digits(11) && !code.is_uniform() && rest % 100 == code.number(9, 11)
}

fn tr_national(code: &Code) -> bool {
    let odd: u32 = [0, 2, 4, 6, 8].into_iter().map(|index| code.digit(index)).sum();
    let even: u32 = [1, 3, 5, 7].into_iter().map(|index| code.digit(index)).sum();
    code.is_digits(11)
        && code.digit(0) != 0
        && (odd * 7 + 90 - even) % 10 == code.digit(9)
        && (odd + even + code.digit(9)) % 10 == code.digit(10)
}

fn tr_tax(code: &Code) -> bool {
    let sum: u32 = (0..9)
        .map(|index| {
            let shifted = (code.digit(index) + 9 - index as u32) % 10;
            let part = shifted * (1 << (9 - index as u32)) % 9;
            if shifted != 0 && part == 0 { 9 } else { part }
        })
        .sum();
    code.is_digits(10) && (10 - sum % 10) % 10 == code.digit(9)
}

fn kz_iin(code: &Code) -> bool {
    let first = code.weighted(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]) % 11;
    let second = code.weighted(&[3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2]) % 11;
    let check = if first == 10 { second } else { first };
    code.is_digits(12)
        && is_date(code.number(0, 2), code.number(2, 4), code.number(4, 6))
        && check == code.digit(11)
}
