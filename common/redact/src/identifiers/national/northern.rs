//! Numbers of people in the Nordic and Baltic countries.
//!
//! Sources: Skatteverket SKV 704; Digital and Population Data Services Agency (personal identity code); CPR-kontoret;
//! Skatteetaten (fødselsnummer); Þjóðskrá; Siseministeerium (isikukood); Lithuanian law I-1554.

use crate::identifiers::code::Code;
use crate::identifiers::entity::Entity::NationalId;
use crate::identifiers::format::{Format, labelled, plain};
use crate::identifiers::sums::{is_date, luhn};

pub(crate) const FORMATS: &[Format] = &[
    plain(NationalId, "SE", "personnummer", &["dddddd-dddd", "dddddd+dddd", "dddddddd-dddd"], se_personal),
    labelled(NationalId, "SE", "personnummer", &["dddddd~dddd", "dddddddd~dddd"], se_personal),
    plain(NationalId, "FI", "henkilötunnus", &["dddddd-dddx", "dddddd+dddx", "ddddddadddx"], fi_personal),
    labelled(NationalId, "DK", "CPR number", &["dddddd~dddd"], dk_cpr),
    plain(NationalId, "NO", "fødselsnummer", &["dddddd~ddddd"], no_birth),
    plain(NationalId, "IS", "kennitala", &["dddddd-dddd"], is_kennitala),
    labelled(NationalId, "IS", "kennitala", &["dddddd~dddd"], is_kennitala),
    labelled(NationalId, "EE", "isikukood", &["ddddddddddd", "ddd~ddd~ddd~dd"], baltic),
    labelled(NationalId, "LT", "asmens kodas", &["ddddddddddd", "ddd~ddd~ddd~dd"], baltic),
    labelled(NationalId, "LV", "personas kods", &["dddddd~ddddd"], lv_personal),
];

pub(crate) fn se_personal(code: &Code) -> bool {
    let code = if code.len() == 12 { code.behind(2) } else { *code };
    // A coordination number has 60 added to the day.
    let day = code.number(4, 6) % 60;
    // The month is 0 in one whose bearer's date of birth is unknown.
    let month = if code.number(4, 6) > 60 { code.number(2, 4).max(1) } else { code.number(2, 4) };
    code.is_digits(10) && is_date(code.number(0, 2), month, day) && luhn(code.bytes())
}

/// A number for people who are not registered: the day is above 60.
#[cfg(test)]
pub(crate) fn se_coordination(code: &Code) -> bool {
    se_personal(code) && code.number(code.len() - 6, code.len() - 4) > 60
}

pub(crate) fn fi_personal(code: &Code) -> bool {
    // The sign of the century is a letter or a dash, which the code does not hold.
    let length = code.len();
    let Some(serial) = length.checked_sub(4) else { return false };
    let century = serial == 6 || b"ABCDEFUVWXY".contains(&code.at(6));
    let number = code.number(0, 6) * 1000 + code.number(serial, serial + 3);
    let expected = b"0123456789ABCDEFHJKLMNPRSTUVWXY".get((number % 31) as usize).copied().unwrap_or(0);
    matches!(length, 10 | 11)
        && century
        && is_date(code.number(4, 6), code.number(2, 4), code.number(0, 2))
        && code.part(serial, serial + 3).iter().all(u8::is_ascii_digit)
        && code.at(length - 1) == expected
}

fn dk_cpr(code: &Code) -> bool {
    code.is_digits(10) && is_date(code.number(4, 6), code.number(2, 4), code.number(0, 2))
}

fn no_birth(code: &Code) -> bool {
    let first = (11 - code.weighted(&[3, 7, 6, 1, 8, 9, 4, 5, 2]) % 11) % 11;
    let second = (11 - code.weighted(&[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11) % 11;
    // A D-number has 40 added to the day, a test number 40 or 80 to the month.
    let day = code.number(0, 2) % 40;
    code.is_digits(11)
        && is_date(code.number(4, 6), code.number(2, 4) % 40, day)
        && first == code.digit(9)
        && second == code.digit(10)
}

fn is_kennitala(code: &Code) -> bool {
    let check = (11 - code.weighted(&[3, 2, 7, 6, 5, 4, 3, 2]) % 11) % 11;
    code.is_digits(10)
        && is_date(code.number(4, 6), code.number(2, 4), code.number(0, 2) % 40)
        && matches!(code.at(9), b'0' | b'8' | b'9')
        && check == code.digit(8)
}

/// Estonia and Lithuania: century and sex, date, serial, check digit with a second row of weights.
pub(crate) fn baltic(code: &Code) -> bool {
    let first = code.weighted(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11;
    let second = code.weighted(&[3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11;
    let check = if first < 10 { first } else { second % 10 };
    code.is_digits(11)
        && matches!(code.at(0), b'1'..=b'8')
        && is_date(code.number(1, 3), code.number(3, 5), code.number(5, 7))
        && check == code.digit(10)
}

fn lv_personal(code: &Code) -> bool {
    let date = is_date(code.number(4, 6), code.number(2, 4), code.number(0, 2));
    code.is_digits(11) && (date || code.starts_with("32"))
}
