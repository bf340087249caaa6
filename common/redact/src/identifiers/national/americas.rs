//! Numbers of people and taxpayers in the Americas.
//!
//! Sources: Social Security Administration, "Social Security Number Randomization"; IRS publication 1635 and
//! Internal Revenue Manual 3.21.263 (ITIN); Canada Revenue Agency T4127; RENAPO, Instructivo CURP; SAT, anexo 1 RFC;
//! Receita Federal, Instrução Normativa 1548 and 2229; AFIP, Resolución General 10; Ley 19.477 of Chile; DIAN,
//! Orden Administrativa 4 of 1989; SUNAT; Registro Civil of Ecuador; Dirección Nacional de Identificación Civil.

use crate::identifiers::code::Code;
use crate::identifiers::entity::Entity::{IdCard, NationalId, Ssn, TaxId};
use crate::identifiers::format::{Format, any, labelled, plain};
use crate::identifiers::sums::{is_date, luhn, luhn_of};

pub(crate) const FORMATS: &[Format] = &[
    plain(Ssn, "US", "social security number", &["ddd-dd-dddd"], us_ssn),
    labelled(Ssn, "US", "social security number", &["ddd~dd~dddd"], us_ssn_or_itin),
    plain(TaxId, "US", "individual taxpayer number", &["ddd-dd-dddd"], us_itin),
    labelled(TaxId, "US", "individual taxpayer number", &["ddd~dd~dddd"], us_ssn_or_itin),
    labelled(TaxId, "US", "employer identification number", &["dd~ddddddd"], us_ein),
    labelled(NationalId, "CA", "Canadian social insurance number", &["ddd~ddd~ddd"], ca_sin),
    plain(TaxId, "CA", "Canadian business number", &["ddddddddd~aa~dddd"], ca_business),
    plain(NationalId, "MX", "CURP", &["aaaaddddddaaaaaaxd"], mx_curp),
    plain(TaxId, "MX", "RFC", &["aaaa~dddddd~xxx"], mx_rfc),
    labelled(TaxId, "MX", "RFC", &["aaa~dddddd~xxx"], mx_rfc),
    labelled(NationalId, "MX", "Mexican social security number", &["dd~dd~dd~dddd~d"], |code| {
        luhn_of(code, 11)
    }),
    plain(TaxId, "BR", "CPF", &["ddd.ddd.ddd-dd"], br_cpf),
    labelled(TaxId, "BR", "CPF", &["ddd~ddd~ddd~dd"], br_cpf),
    plain(TaxId, "BR", "CNPJ", &["xx.xxx.xxx/xxxx-dd"], br_cnpj),
    labelled(TaxId, "BR", "CNPJ", &["xx~xxx~xxx~xxxx~dd"], br_cnpj),
    labelled(NationalId, "BR", "PIS", &["ddd~ddddd~dd~d"], br_pis),
    labelled(IdCard, "BR", "RG", &["dd~ddd~ddd~x", "d~ddd~ddd", "dd~ddd~ddd"], any),
    labelled(NationalId, "BR", "voter number", &["dddd~dddd~dddd"], any),
    plain(TaxId, "AR", "CUIT", &["dd-dddddddd-d"], ar_cuit),
    labelled(TaxId, "AR", "CUIT", &["dd~dddddddd~d"], ar_cuit),
    labelled(NationalId, "AR", "DNI", &["dd~ddd~ddd"], any),
    plain(NationalId, "CL", "RUT", &["dd.ddd.ddd-x", "d.ddd.ddd-x"], cl_rut),
    labelled(NationalId, "CL", "RUT", &["dd~ddd~ddd~x", "d~ddd~ddd~x"], cl_rut),
    labelled(TaxId, "CL", "RUT", &["dd~ddd~ddd~x", "d~ddd~ddd~x"], cl_rut),
    labelled(TaxId, "CO", "NIT", &["ddd~ddd~ddd~d"], co_nit),
    labelled(NationalId, "CO", "cédula", &["d~ddd~ddd~ddd", "dd~ddd~ddd", "ddd~ddd~ddd"], any),
    labelled(TaxId, "PE", "RUC", &["ddddddddddd"], pe_ruc),
    labelled(NationalId, "PE", "DNI", &["dddddddd"], any),
    labelled(NationalId, "EC", "cédula", &["dddddddddd", "ddddddddd-d"], ec_cedula),
    plain(NationalId, "UY", "cédula", &["d.ddd.ddd-d"], uy_cedula),
    labelled(NationalId, "UY", "cédula", &["d~ddd~ddd~d"], uy_cedula),
    labelled(NationalId, "VE", "cédula", &["a-dd~ddd~ddd", "a-d~ddd~ddd"], any),
    labelled(TaxId, "VE", "RIF", &["a~dddddddd~d"], any),
    plain(NationalId, "DO", "cédula", &["ddd-ddddddd-d"], |code| luhn_of(code, 11)),
];

pub(crate) fn us_ssn(code: &Code) -> bool {
    let area = code.number(0, 3);
    code.is_digits(9)
        && area != 0
        && area != 666
        && area < 900
        && code.number(3, 5) != 0
        && code.number(5, 9) != 0
}

fn us_itin(code: &Code) -> bool {
    let group = code.number(3, 5);
    code.is_digits(9) && code.digit(0) == 9 && matches!(group, 50..=65 | 70..=88 | 90..=92 | 94..=99)
}

fn us_ssn_or_itin(code: &Code) -> bool {
    us_ssn(code) || us_itin(code)
}

/// Prefixes in use are those of the campuses and of the internet; the others were never given.
fn us_ein(code: &Code) -> bool {
    let prefix = code.number(0, 2);
    code.is_digits(9)
        && !matches!(prefix, 0 | 7..=9 | 17..=19 | 28 | 29 | 49 | 69 | 70 | 78 | 79 | 89 | 96 | 97)
}

pub(crate) fn ca_sin(code: &Code) -> bool {
    luhn_of(code, 9) && !matches!(code.at(0), b'0' | b'8')
}

fn ca_business(code: &Code) -> bool {
    luhn(code.part(0, 9)) && matches!(code.part(9, 11), b"RT" | b"RC" | b"RP" | b"RM" | b"RR" | b"RZ")
}

fn mx_curp(code: &Code) -> bool {
    // Ñ stands between N and O in the alphabet of the check.
    let value = |index: usize| code.value(index) + u32::from(code.at(index) >= b'O');
    let sum: u32 = (0..17).zip((2..=18).rev()).map(|(index, weight)| value(index) * weight).sum();
    is_date(code.number(4, 6), code.number(6, 8), code.number(8, 10))
        && matches!(code.at(10), b'H' | b'M' | b'X')
        && (10 - sum % 10) % 10 == code.digit(17)
}

fn mx_rfc(code: &Code) -> bool {
    // A company has three letters: a blank, 37, stands before them. `&` stands between N and O.
    let shift = 13_usize.saturating_sub(code.len());
    let value = |index: usize| code.value(index) + u32::from(code.at(index) >= b'O');
    let head = if shift == 1 { 37 * 13 } else { 0 };
    let sum: u32 = (0..12 - shift).map(|index| value(index) * (13 - (index + shift) as u32)).sum();
    let letters = 4 - shift;
    let date = is_date(
        code.number(letters, letters + 2),
        code.number(letters + 2, letters + 4),
        code.number(letters + 4, letters + 6),
    );
    let expected = match (head + sum) % 11 {
        0 => b'0',
        1 => b'A',
        rest => b'0' + (11 - rest) as u8,
    };
    date && code.at(code.len().saturating_sub(1)) == expected
}

pub(crate) fn br_cpf(code: &Code) -> bool {
    let check = |count: usize| {
        let sum: u32 = (0..count).map(|index| code.digit(index) * (count as u32 + 1 - index as u32)).sum();
        sum * 10 % 11 % 10
    };
    code.is_digits(11) && !code.is_uniform() && check(9) == code.digit(9) && check(10) == code.digit(10)
}

pub(crate) fn br_cnpj(code: &Code) -> bool {
    // Letters, given since 2026, count by their ASCII code less 48.
    let value = |index: usize| u32::from(code.at(index).saturating_sub(b'0'));
    let check = |count: usize| {
        let weight = |index: usize| (count - 1 - index) as u32 % 8 + 2;
        let sum: u32 = (0..count).map(|index| value(index) * weight(index)).sum();
        match sum % 11 {
            0 | 1 => 0,
            rest => 11 - rest,
        }
    };
    code.len() == 14 && !code.is_uniform() && check(12) == code.digit(12) && check(13) == code.digit(13)
}

fn br_pis(code: &Code) -> bool {
    let check = 11 - code.weighted(&[3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) % 11;
    code.is_digits(11) && !code.is_uniform() && (if check > 9 { 0 } else { check }) == code.digit(10)
}

fn ar_cuit(code: &Code) -> bool {
    let check = (11 - code.weighted(&[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11) % 11;
    let prefix = matches!(code.number(0, 2), 20 | 23..=27 | 30 | 33 | 34);
    code.is_digits(11) && prefix && check == code.digit(10)
}

fn cl_rut(code: &Code) -> bool {
    let Some(last) = code.len().checked_sub(1) else { return false };
    let sum: u32 = (0..last).map(|index| code.digit(index) * ((last - 1 - index) as u32 % 6 + 2)).sum();
    let expected = match 11 - sum % 11 {
        11 => b'0',
        10 => b'K',
        check => b'0' + check as u8,
    };
    code.part(0, last).iter().all(u8::is_ascii_digit) && code.at(last) == expected
}

fn co_nit(code: &Code) -> bool {
    let check = match code.weighted(&[41, 37, 29, 23, 19, 17, 13, 7, 3]) % 11 {
        rest @ (0 | 1) => rest,
        rest => 11 - rest,
    };
    code.is_digits(10) && check == code.digit(9)
}

fn pe_ruc(code: &Code) -> bool {
    let check = (11 - code.weighted(&[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11) % 10;
    code.is_digits(11) && matches!(code.number(0, 2), 10 | 15..=17 | 20) && check == code.digit(10)
}

fn ec_cedula(code: &Code) -> bool {
    luhn_of(code, 10) && matches!(code.number(0, 2), 1..=24 | 30) && code.digit(2) < 6
}

fn uy_cedula(code: &Code) -> bool {
    let sum = code.weighted(&[2, 9, 8, 7, 6, 3, 4]);
    code.is_digits(8) && (10 - sum % 10) % 10 == code.digit(7)
}
