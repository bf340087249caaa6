//! Cases of identifiers of northern, central and eastern Europe and Turkey.

use super::super::entity::Entity::{CompanyId, HealthInsurance, IdCard, NationalId, TaxId};
use super::cases::{Row, row};
use super::draw::{Draw, checked, luhn, missing, mod_11_10, number, sum};

pub(super) fn rows() -> Vec<Row> {
    [northern(), baltic(), central(), balkan(), east()].into_iter().flatten().collect()
}

#[rustfmt::skip] // Rows side by side; one argument on each line would hide the table.
fn northern() -> Vec<Row> {
    vec![
        row(NationalId, "SE", "personnummer", "sv", &["personnummer", "pers.nr"], &["!######-####", "##########", "!######+####"], |draw| { let head = draw.date("ymd") + &draw.digits(3); checked(head.clone(), luhn(&head)) }),
        row(NationalId, "SE", "personnummer", "sv", &["personnummer", "samordningsnummer"], &["!########-####", "############"],
            |draw| {
                // A coordination number has 60 added to the day.
                let day = draw.within(61, 88, 2);
                let head = draw.date("ym") + &day + &draw.digits(3);
                Some(format!("19{head}{}", luhn(&head)))
            }),
        row(NationalId, "FI", "henkilötunnus", "fi", &["henkilötunnus", "HETU"], &["!######-####", "!######A####"],
            |draw| {
                let (date, serial) = (draw.date("dmy"), draw.within(2, 899, 3));
                let rest = number(&format!("{date}{serial}")) % 31;
                // The alphabet leaves out letters that look like digits.
                let signs: Vec<char> = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".chars().filter(|sign| !"GIOQZ".contains(*sign)).collect();
                Some(format!("{date}{serial}{}", signs[rest as usize]))
            }),
        row(NationalId, "DK", "CPR number", "da", &["CPR-nummer", "CPR-nr", "personnummer"], &["######-####", "##########", "###### ####"], |draw| Some(draw.date("dmy") + &draw.digits(4))),
        row(NationalId, "NO", "fødselsnummer", "no", &["fødselsnummer", "personnummer", "fnr"], &["!###########", "!###### #####"],
            |draw| {
                let head = draw.date("dmy") + &draw.within(0, 499, 3);
                let check = missing(sum(&head, &[3, 7, 6, 1, 8, 9, 4, 5, 2]), 11);
                let head = checked(head, check)?;
                let check = missing(sum(&head, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]), 11);
                checked(head, check)
            }),
        row(NationalId, "IS", "kennitala", "is", &["kennitala", "kt."], &["!######-####", "##########"],
            |draw| {
                let head = draw.date("dmy") + &draw.within(20, 99, 2);
                let check = missing(sum(&head, &[3, 2, 7, 6, 5, 4, 3, 2]), 11);
                Some(checked(head, check)? + "9")
            }).wrong(|draw| {
                let head = draw.date("dmy") + &draw.within(20, 99, 2);
                let check = (missing(sum(&head, &[3, 2, 7, 6, 5, 4, 3, 2]), 11) + 1) % 10;
                format!("{head}-{check}9")
            }),
    ]
}

#[rustfmt::skip] // As above.
fn baltic() -> Vec<Row> {
    vec![
        row(NationalId, "EE", "isikukood", "et", &["isikukood", "Estonian ID code"], &["###########"], two_rows),
        row(NationalId, "LT", "asmens kodas", "lt", &["asmens kodas"], &["###########"], two_rows),
        row(NationalId, "LV", "personas kods", "lv", &["personas kods"], &["######-#####", "###########"], |draw| Some(draw.date("dmy") + "1" + &draw.digits(4))),
        row(NationalId, "LV", "personas kods", "lv", &["personas kods"], &["######-#####", "###########"], |draw| Some("32".to_owned() + &draw.digits(9))),
    ]
}

/// A check digit by two rows of weights, the second where the first gives 10.
fn two_rows(draw: &mut Draw) -> Option<String> {
    let head = draw.from("3456", 1) + &draw.date("ymd") + &draw.digits(3);
    let first = sum(&head, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11;
    let second = sum(&head, &[3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11;
    checked(
        head,
        if first < 10 {
            first
        } else if second < 10 {
            second
        } else {
            0
        },
    )
}

#[rustfmt::skip] // As above.
fn central() -> Vec<Row> {
    vec![
        row(NationalId, "PL", "PESEL", "pl", &["PESEL", "numer PESEL"], &["###########"],
            |draw| {
                let head = draw.date("ymd") + &draw.digits(4);
                let check = sum(&head, &[9, 7, 3, 1, 9, 7, 3, 1, 9, 7]) % 10;
                checked(head, check)
            }),
        row(TaxId, "PL", "NIP", "pl", &["NIP"], &["###-###-##-##", "##########", "PL##########", "### ### ## ##"],
            |draw| { let head = draw.number(9); let check = sum(&head, &[6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11; checked(head, check) }),
        row(IdCard, "PL", "dowód osobisty", "pl", &["dowód osobisty", "numer dowodu", "nr dowodu"], &["### ######", "#########"],
            |draw| {
                let (series, tail) = ("A".to_owned() + &draw.letters(2), draw.digits(5));
                // The check digit stands first among the digits, with weight 9.
                let total = sum(&series, &[7, 3, 1]) + sum(&tail, &[7, 3, 1, 7, 3]);
                Some(format!("{series}{}{tail}", total % 10))
            }),
        row(CompanyId, "PL", "REGON", "pl", &["REGON"], &["#########"], |draw| { let head = draw.number(8); let check = sum(&head, &[8, 9, 2, 3, 4, 5, 6, 7]) % 11 % 10; checked(head, check) }),
        row(NationalId, "CZ", "rodné číslo", "cs", &["rodné číslo", "r.č."], &["!######/####", "##########", "###### ####"],
            |draw| {
                let (date, woman) = (draw.date("ymd"), draw.below(2) == 1);
                let month = date[2..4].parse::<u32>().unwrap() + if woman { 50 } else { 0 };
                let head = format!("{}{month:02}{}{}", &date[..2], &date[4..], draw.digits(3));
                // The whole number is a multiple of eleven.
                (0..10).map(|check| format!("{head}{check}")).find(|whole| number(whole).is_multiple_of(11))
            }),
        row(TaxId, "CZ", "DIČ", "cs", &["DIČ", "IČ DPH"], &["CZ########"], ico),
        row(CompanyId, "CZ", "IČO", "cs", &["IČO"], &["########", "### ## ###"], ico),
        row(HealthInsurance, "HU", "TAJ number", "hu", &["TAJ-szám", "TAJ szám"], &["### ### ###", "#########", "###-###-###"], |draw| { let head = draw.digits(8); let check = sum(&head, &[3, 7, 3, 7, 3, 7, 3, 7]) % 10; checked(head, check) }),
        row(TaxId, "HU", "adóazonosító jel", "hu", &["adóazonosító jel", "adóazonosító"], &["##########"], |draw| { let head = "8".to_owned() + &draw.digits(8); let check = sum(&head, &[1, 2, 3, 4, 5, 6, 7, 8, 9]) % 11; checked(head, check) }),
        row(NationalId, "HU", "személyi szám", "hu", &["személyi szám", "személyi azonosító"], &["#-######-####", "###########", "# ###### ####"], |draw| { let head = draw.from("12", 1) + &draw.date("ymd") + &draw.digits(3); let check = sum(&head, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) % 11; checked(head, check) }),
    ]
}

fn ico(draw: &mut Draw) -> Option<String> {
    let head = draw.digits(7);
    let rest = 11 - sum(&head, &[8, 7, 6, 5, 4, 3, 2]) % 11;
    checked(head, rest % 10)
}

fn oib(draw: &mut Draw) -> Option<String> {
    let head = draw.number(10);
    Some(format!("{head}{}", mod_11_10(&head)))
}

/// The number of Yugoslavia, with the first and the last six digits paired.
fn yugoslav(draw: &mut Draw, region: &str) -> Option<String> {
    let head = draw.date("dm") + "9" + &draw.within(31, 99, 2) + region + &draw.digits(3);
    let place = |at: usize| head.as_bytes()[at] - b'0';
    let total: u32 = (0..6).map(|at| u32::from(place(at) + place(at + 6)) * (7 - at as u32)).sum();
    checked(head, missing(total, 11))
}

#[rustfmt::skip] // As above.
fn balkan() -> Vec<Row> {
    vec![
        row(NationalId, "RO", "CNP", "ro", &["CNP", "cod numeric personal"], &["#############"],
            |draw| { let head = draw.from("1256", 1) + &draw.date("ymd") + &draw.within(1, 46, 2) + &draw.within(1, 999, 3); let rest = sum(&head, &[2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11; checked(head, if rest == 10 { 1 } else { rest }) }),
        row(NationalId, "BG", "EGN", "bg", &["ЕГН", "единен граждански номер", "EGN"], &["##########"], |draw| { let head = draw.date("ymd") + &draw.digits(3); let rest = sum(&head, &[2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11; checked(head, rest % 10) }),
        row(NationalId, "SI", "EMŠO", "sl", &["EMŠO"], &["#############"], |draw| yugoslav(draw, "50")),
        row(NationalId, "RS", "JMBG", "hr", &["JMBG", "matični broj", "ЈМБГ"], &["#############"], |draw| yugoslav(draw, "71")),
        row(TaxId, "SI", "davčna številka", "sl", &["davčna številka", "davčna št."], &["########", "SI########"],
            |draw| { let head = draw.number(7); let rest = 11 - sum(&head, &[8, 7, 6, 5, 4, 3, 2]) % 11; (rest < 11).then(|| format!("{head}{}", rest % 10)) }),
        row(NationalId, "HR", "OIB", "hr", &["OIB", "osobni identifikacijski broj"], &["###########"], oib),
        row(TaxId, "HR", "OIB", "hr", &["OIB", "porezni broj"], &["HR###########", "###########"], oib),
    ]
}

#[rustfmt::skip] // As above.
fn east() -> Vec<Row> {
    vec![
        row(TaxId, "UA", "RNOKPP", "uk", &["РНОКПП", "ІПН", "ідентифікаційний код"], &["##########"],
            |draw| {
                let head = draw.from("23", 1) + &draw.digits(8);
                let signed: i64 = head.bytes().zip([-1, 5, 7, 9, 4, 6, 10, 5, 7]).map(|(digit, weight)| i64::from(digit - b'0') * weight).sum();
                checked(head, (signed.rem_euclid(11) % 10) as u32)
            }),
        row(TaxId, "RU", "INN", "ru", &["ИНН", "INN"], &["##########"], |draw| { let head = draw.number(9); let rest = sum(&head, &[2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11; checked(head, rest % 10) }),
        row(TaxId, "RU", "INN", "ru", &["ИНН", "идентификационный номер налогоплательщика"], &["############"],
            |draw| {
                let head = draw.number(10);
                let first = sum(&head, &[7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11 % 10;
                let head = format!("{head}{first}");
                let second = sum(&head, &[3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11 % 10;
                checked(head, second)
            }),
        row(NationalId, "RU", "SNILS", "ru", &["СНИЛС", "SNILS"], &["!###-###-### ##", "###########", "### ### ### ##"],
            |draw| {
                let head = draw.number(9);
                let total = sum(&head, &[9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101;
                Some(format!("{head}{:02}", if total == 100 { 0 } else { total }))
            }),
        row(CompanyId, "RU", "OGRN", "ru", &["ОГРН"], &["#############"], |draw| { let head = "1".to_owned() + &draw.digits(11); let rest = number(&head) % 11; checked(head, (rest % 10) as u32) }),
        row(NationalId, "TR", "T.C. kimlik no", "tr", &["T.C. kimlik no", "TC kimlik", "kimlik numarası", "TCKN"], &["###########"],
            |draw| {
                let head = draw.number(9);
                // Odd places count seven times, even ones are taken away; then all ten are summed.
                let tenth = (sum(&head, &[7, 0, 7, 0, 7, 0, 7, 0, 7]) + 9 * sum(&head, &[0, 1, 0, 1, 0, 1, 0, 1, 0])) % 10;
                let head = format!("{head}{tenth}");
                let last = sum(&head, &[1; 10]) % 10;
                checked(head, last)
            }),
        row(TaxId, "TR", "vergi kimlik no", "tr", &["vergi kimlik no", "vergi numarası", "VKN"], &["##########"],
            |draw| {
                let head = draw.number(9);
                let part = |(at, digit): (u32, u32)| match (digit + 9 - at) % 10 { 9 => 9, shifted => shifted * 2_u32.pow(9 - at) % 9 };
                let total: u32 = (0..).zip(super::draw::values(&head)).map(part).sum();
                checked(head, missing(total, 10))
            }),
        row(NationalId, "KZ", "IIN", "ru", &["ИИН", "ЖСН"], &["############"],
            |draw| {
                let head = draw.date("ymd") + &draw.from("3456", 1) + &draw.digits(4);
                let first = sum(&head, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]) % 11;
                let second = sum(&head, &[3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2]) % 11;
                checked(head, if first == 10 { second } else { first })
            }),
    ]
}
