//! Cases of identifiers of the Americas.

use super::super::entity::Entity::{HealthInsurance, IdCard, NationalId, Ssn, TaxId};
use super::cases::{Row, row};
use super::draw::{checked, crossed, luhn, missing, sum};

const CONSONANTS: &str = "BCDFGHJKLMNPQRSTVWXYZ";

pub(super) fn rows() -> Vec<Row> {
    [north(), brazil(), south()].into_iter().flatten().collect()
}

#[rustfmt::skip] // Rows side by side; one argument on each line would hide the table.
fn north() -> Vec<Row> {
    vec![
        row(Ssn, "US", "social security number", "en", &["SSN", "Social Security Number", "social security no."],
            &["!###-##-####", "### ## ####", "#########", "###.##.####"],
            |draw| {
                let area = draw.of(&["001", "078", "219", "457", "665", "667", "733", "899"]);
                Some(format!("{area}{}{}", draw.within(1, 99, 2), draw.within(1, 9999, 4)))
            }).wrong(|draw| format!("666{}", draw.number(6))),
        row(TaxId, "US", "individual taxpayer number", "en", &["ITIN", "taxpayer ID", "tax ID"],
            &["!###-##-####", "### ## ####", "#########"],
            |draw| {
                let group = draw.of(&["50", "65", "70", "88", "90", "92", "94", "99"]);
                Some(format!("9{}{group}{}", draw.digits(2), draw.digits(4)))
            }).wrong(|draw| format!("9{}4{}", draw.digits(2), draw.digits(5))),
        row(TaxId, "US", "employer identification number", "en", &["EIN", "Employer Identification Number", "FEIN"],
            &["##-#######", "#########"],
            |draw| Some(draw.of(&["10", "20", "27", "36", "45", "52", "61", "75", "83", "95"]).to_owned() + &draw.digits(7))),
        row(NationalId, "CA", "Canadian social insurance number", "fr", &["SIN", "Social Insurance Number", "NAS"],
            &["### ### ###", "###-###-###", "#########"],
            |draw| {
                let head = draw.from("1234567", 1) + &draw.digits(7);
                checked(head.clone(), luhn(&head))
            }),
        row(TaxId, "CA", "Canadian business number", "en", &["business number", "GST number", "HST number"],
            &["!###############", "!######### ## ####"],
            |draw| {
                let head = draw.number(8);
                let kind = draw.of(&["RT", "RC", "RP"]);
                Some(format!("{}{kind}{}", checked(head.clone(), luhn(&head))?, draw.within(1, 20, 4)))
            }).wrong(|draw| {
                let head = draw.number(8);
                format!("{head}{}RT0001", (luhn(&head) + 1) % 10)
            }),
        row(HealthInsurance, "CA", "Canadian health number", "en", &["OHIP number", "health card number"],
            &["#### ### ###", "####-###-###", "##########"],
            |draw| {
                let head = draw.number(9);
                checked(head.clone(), luhn(&head))
            }),
        row(HealthInsurance, "CA", "Canadian health number", "en", &["OHIP", "health card"], &["#### ### ### ##", "####-###-###-##"],
            |draw| {
                let head = draw.number(9);
                Some(checked(head.clone(), luhn(&head))? + "JK")
            }),
        row(HealthInsurance, "CA", "RAMQ number", "fr", &["RAMQ", "numéro d'assurance maladie"],
            &["#### #### ####", "############"],
            |draw| Some(draw.letters(4) + &draw.date("ymd") + &draw.digits(2))),
        row(NationalId, "MX", "CURP", "es", &["CURP", "Clave Única de Registro"], &["!##################"], curp),
        row(TaxId, "MX", "RFC", "es", &["RFC", "Registro Federal de Contribuyentes"],
            &["!#############", "!#### ###### ###", "!####-######-###"],
            |draw| rfc(draw.from(CONSONANTS, 1) + &draw.from("AEIOU", 1) + &draw.from(CONSONANTS, 2), 13, draw.date("ymd"), draw.digits(2))),
        row(TaxId, "MX", "RFC", "es", &["RFC"], &["############", "### ###### ###", "###-######-###"],
            |draw| rfc(draw.from(CONSONANTS, 3), 12, draw.date("ymd"), draw.letters(1) + &draw.digits(1))),
        row(NationalId, "MX", "Mexican social security number", "es", &["NSS", "número de seguridad social", "IMSS"],
            &["##-##-##-####-#", "###########", "## ## ## #### #"],
            |draw| {
                let head = draw.number(10);
                checked(head.clone(), luhn(&head))
            }),
        row(NationalId, "DO", "cédula", "es", &["cédula", "cédula de identidad"], &["!###-#######-#"],
            |draw| {
                let head = draw.from("04", 1) + &draw.digits(9);
                checked(head.clone(), luhn(&head))
            }),
    ]
}

fn curp(draw: &mut super::draw::Draw) -> Option<String> {
    let names = draw.from(CONSONANTS, 1) + &draw.from("AEIOU", 1) + &draw.from(CONSONANTS, 2);
    let state = draw.of(&["AS", "BC", "DF", "JC", "NL", "YN", "OC"]);
    let head =
        format!("{names}{}{}{state}{}0", draw.date("ymd"), draw.from("HM", 1), draw.from(CONSONANTS, 3));
    let place = |letter: char| {
        "0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ".chars().position(|one| one == letter).unwrap() as u32
    };
    let total: u32 = head.chars().zip((2..=18).rev()).map(|(letter, weight)| place(letter) * weight).sum();
    checked(head, missing(total, 10))
}

fn rfc(names: String, length: usize, date: String, unique: String) -> Option<String> {
    let head = names + &date + &unique;
    let place = |letter: char| {
        "0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ ".chars().position(|one| one == letter).unwrap() as u32
    };
    let blank = if length == 12 { " " } else { "" };
    let total: u32 = blank
        .chars()
        .chain(head.chars())
        .zip((2..=13).rev())
        .map(|(letter, weight)| place(letter) * weight)
        .sum();
    let check = match missing(total, 11) {
        10 => "A".to_owned(),
        digit => digit.to_string(),
    };
    Some(head + &check)
}

/// Appends a digit modulo 11 by weights that rise from the right, with a limit after which they begin again.
fn rising(head: String, most: u32) -> String {
    let total: u32 = head
        .chars()
        .rev()
        .zip((2..=most).cycle())
        .map(|(digit, weight)| digit.to_digit(10).unwrap() * weight)
        .sum();
    let check = if total % 11 < 2 { 0 } else { 11 - total % 11 };
    format!("{head}{check}")
}

#[rustfmt::skip] // As above.
fn brazil() -> Vec<Row> {
    vec![
        row(TaxId, "BR", "CPF", "pt", &["CPF", "CPF nº"], &["!###.###.###-##", "###########", "### ### ### ##"],
            |draw| Some(rising(rising(draw.number(9), 12), 12))),
        row(TaxId, "BR", "CNPJ", "pt", &["CNPJ"], &["!##.###.###/####-##", "##############"],
            |draw| Some(rising(rising(draw.number(8) + "0001", 9), 9))),
        row(NationalId, "BR", "PIS", "pt", &["PIS", "PASEP", "NIS"], &["###.#####.##-#", "###########"],
            |draw| Some(rising(draw.number(10), 9))),
        row(IdCard, "BR", "RG", "pt", &["RG", "carteira de identidade"], &["##.###.###-#", "#########"], |draw| Some(draw.number(9))),
        row(NationalId, "BR", "voter number", "pt", &["título de eleitor", "título eleitoral"], &["#### #### ####", "############"],
            |draw| Some(draw.digits(8) + &draw.within(1, 28, 2) + &draw.digits(2))),
        row(HealthInsurance, "BR", "CNS number", "pt", &["CNS", "cartão SUS"], &["### #### #### ####", "###############"],
            |draw| {
                let head = draw.from("789", 1) + &draw.digits(13);
                let weights: Vec<u32> = (2..=15).rev().collect();
                checked(head.clone(), missing(sum(&head, &weights), 11))
            }),
    ]
}

#[rustfmt::skip] // As above.
fn south() -> Vec<Row> {
    vec![
        row(TaxId, "AR", "CUIT", "es", &["CUIT", "CUIL"], &["!##-########-#", "###########", "## ######## #"],
            |draw| {
                let head = draw.of(&["20", "23", "24", "27", "30", "33"]).to_owned() + &draw.number(8);
                let check = missing(sum(&head, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]), 11);
                checked(head, check)
            }),
        row(NationalId, "AR", "DNI", "es", &["DNI", "documento nacional de identidad"], &["##.###.###", "########", "## ### ###"],
            |draw| Some(draw.from("1234", 1) + &draw.digits(7))),
        row(NationalId, "CL", "RUT", "es", &["RUT", "RUN"], &["!##.###.###-#", "########-#", "#########"], rut),
        row(TaxId, "CL", "RUT", "es", &["RUT", "Rol Único Tributario"], &["##.###.###-#", "########-#"], rut),
        row(TaxId, "CO", "NIT", "es", &["NIT", "número de identificación tributaria"], &["###.###.###-#", "#########-#", "##########"],
            |draw| {
                let head = draw.from("89", 1) + &draw.digits(8);
                let rest = sum(&head, &[41, 37, 29, 23, 19, 17, 13, 7, 3]) % 11;
                checked(head, if rest > 1 { 11 - rest } else { rest })
            }),
        row(NationalId, "CO", "cédula", "es", &["cédula", "cédula de ciudadanía"], &["#.###.###.###", "##########"], |draw| Some("1".to_owned() + &draw.digits(9))),
        row(TaxId, "PE", "RUC", "es", &["RUC"], &["###########"],
            |draw| {
                let head = draw.of(&["10", "20"]).to_owned() + &draw.digits(8);
                let rest = 11 - sum(&head, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
                checked(head, rest % 10)
            }),
        row(NationalId, "PE", "DNI", "es", &["DNI", "documento de identidad"], &["########"], |draw| Some(draw.from("01234567", 1) + &draw.digits(7))),
        row(NationalId, "EC", "cédula", "es", &["cédula", "cédula de identidad"], &["##########", "#########-#"],
            |draw| {
                let head = draw.within(1, 24, 2) + &draw.from("012345", 1) + &draw.digits(6);
                let check = missing(crossed(&head, 2), 10);
                checked(head, check)
            }),
        row(NationalId, "UY", "cédula", "es", &["cédula de identidad", "C.I."], &["!#.###.###-#", "########"],
            |draw| {
                let head = draw.from("12345", 1) + &draw.digits(6);
                let check = sum(&head, &[8, 1, 2, 3, 4, 7, 6]) % 10;
                checked(head, check)
            }),
        row(NationalId, "VE", "cédula", "es", &["cédula", "cédula de identidad"], &["#-##.###.###", "#-########"], |draw| Some(draw.from("VE", 1) + &draw.number(8))),
        row(TaxId, "VE", "RIF", "es", &["RIF"], &["#-########-#", "#########-#", "##########"],
            |draw| Some(draw.from("VJG", 1) + &draw.number(8) + &draw.digits(1))),
    ]
}

fn rut(draw: &mut super::draw::Draw) -> Option<String> {
    let head = draw.from("12", 1) + &draw.digits(7);
    let total: u32 = head
        .chars()
        .rev()
        .zip((2..=7).cycle())
        .map(|(digit, weight)| digit.to_digit(10).unwrap() * weight)
        .sum();
    let check = match missing(total, 11) {
        10 => "K".to_owned(),
        digit => digit.to_string(),
    };
    Some(head + &check)
}
