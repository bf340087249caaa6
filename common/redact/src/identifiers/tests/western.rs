//! Cases of identifiers of western and southern Europe.

use super::super::entity::Entity::{HealthInsurance, IdCard, NationalId, TaxId};
use super::cases::{Row, row};
use super::draw::{Draw, checked, crossed, luhn, missing, mod_11_10, number, remainder, sum, verhoeff};

pub(super) fn rows() -> Vec<Row> {
    [islands(), france_and_benelux(), german(), iberia(), italy_and_greece()].into_iter().flatten().collect()
}

#[rustfmt::skip] // Rows side by side; one argument on each line would hide the table.
fn islands() -> Vec<Row> {
    vec![
        row(NationalId, "GB", "national insurance number", "en", &["NINO", "National Insurance number", "NI number"],
            &["!## ## ## ## #", "!#########", "##-##-##-##-#", "!## ###### #"],
            |draw| Some(draw.from("ABCEGHJKLMPRSWXY", 1) + &draw.from("ABCEHJLMPRSWXYZ", 1) + &draw.digits(6) + &draw.from("ABCD", 1)))
            .wrong(|draw| draw.of(&["BG", "NK", "ZZ", "QQ", "TN"]).to_owned() + &draw.digits(6) + "A"),
        row(TaxId, "GB", "unique taxpayer reference", "en", &["UTR", "Unique Taxpayer Reference"], &["##########", "##### #####", "##########K"],
            |draw| {
                let tail = draw.digits(9);
                let rest = sum(&tail, &[6, 7, 8, 9, 10, 5, 4, 3, 2]) % 11;
                Some(format!("{}{tail}", match rest { 0 => 2, 1 => 1, rest => 11 - rest }))
            }),
        row(TaxId, "GB", "British VAT number", "en", &["VAT number", "VAT no.", "VAT reg"], &["!GB#########", "!GB ### #### ##", "### #### ##"],
            |draw| {
                let head = draw.number(7);
                let total = sum(&head, &[8, 7, 6, 5, 4, 3, 2]);
                Some(format!("{head}{:02}", 97 - total % 97))
            }),
        row(HealthInsurance, "GB", "NHS number", "en", &["NHS number", "NHS no."], &["### ### ####", "##########", "###-###-####"],
            |draw| {
                let head = draw.from("4567", 1) + &draw.digits(8);
                let check = missing(sum(&head, &[10, 9, 8, 7, 6, 5, 4, 3, 2]), 11);
                checked(head, check)
            }),
        row(NationalId, "IE", "PPS number", "en", &["PPS number", "PPSN"], &["########", "#######-#"], |draw| Some(pps(draw, ""))),
        row(NationalId, "IE", "PPS number", "en", &["PPS number", "PPSN"], &["#########", "####### ##"], |draw| { let second = draw.from("AB", 1); Some(pps(draw, &second)) }),
        row(TaxId, "IE", "PPS number", "en", &["PPS No", "tax number"], &["########", "####### #"], |draw| Some(pps(draw, ""))),
        row(NationalId, "MT", "Maltese identity number", "en", &["Maltese ID", "identity card"], &["########"], |draw| Some(draw.digits(7) + &draw.from("MGAPLHBZ", 1))),
    ]
}

/// Seven digits, a letter that checks them, and one that tells spouses and children apart.
fn pps(draw: &mut Draw, second: &str) -> String {
    let head = draw.number(7);
    let tail = second.chars().next().map_or(0, |letter| letter as u32 - 'A' as u32 + 1) * 9;
    let rest = (sum(&head, &[8, 7, 6, 5, 4, 3, 2]) + tail) % 23;
    let letter = if rest == 0 { 'W' } else { char::from(b'A' + rest as u8 - 1) };
    format!("{head}{letter}{second}")
}

#[rustfmt::skip] // As above.
fn france_and_benelux() -> Vec<Row> {
    vec![
        row(NationalId, "FR", "NIR", "fr", &["numéro de sécurité sociale", "NIR", "n° sécu"],
            &["!# ## ## ## ### ### ##", "!###############", "!#-##-##-##-###-###-##"],
            |draw| {
                let head = draw.from("12", 1) + &draw.within(30, 99, 2) + &draw.within(1, 12, 2) + &draw.within(1, 95, 2) + &draw.within(1, 990, 3) + &draw.within(1, 999, 3);
                Some(format!("{head}{:02}", 97 - remainder(&head, 97)))
            }),
        row(TaxId, "FR", "French tax number", "fr", &["numéro fiscal", "numéro fiscal de référence", "SPI"], &["## ## ### ### ###", "#############"],
            |draw| {
                let head = draw.from("0123", 1) + &draw.digits(9);
                Some(format!("{head}{:03}", remainder(&head, 511)))
            }),
        row(TaxId, "FR", "French VAT number", "fr", &["numéro de TVA", "n° TVA"], &["!FR###########", "!FR ## ### ### ###"],
            |draw| {
                let head = draw.number(8);
                let siren = checked(head.clone(), luhn(&head))?;
                // The key is the remainder of the SIREN with 12 behind it.
                Some(format!("{:02}{siren}", remainder(&format!("{siren}12"), 97)))
            }),
        row(NationalId, "BE", "Belgian national number", "nl", &["rijksregisternummer", "INSZ", "numéro national"],
            &["!##.##.##-###.##", "###########", "## ## ## ### ##"],
            |draw| {
                let head = draw.date("ymd") + &draw.within(1, 997, 3);
                Some(format!("{head}{:02}", 97 - number(&head) % 97))
            }),
        row(TaxId, "BE", "Belgian VAT number", "nl", &["btw-nummer", "btw"], &["!BE##########", "!BE #### ### ###", "!BE ####.###.###"],
            |draw| {
                let head = "0".to_owned() + &draw.number(7);
                Some(format!("{head}{:02}", 97 - number(&head) % 97))
            }),
        row(NationalId, "NL", "BSN", "nl", &["BSN", "burgerservicenummer"], &["#########", "####.##.###", "### ### ###"], bsn),
        row(TaxId, "NL", "BSN", "nl", &["BSN", "sofinummer"], &["#########", "####.##.###"], bsn),
        row(TaxId, "NL", "Dutch VAT number", "nl", &["btw-nummer", "btw nummer"], &["!NL#########B##", "!NL ######### B##"], |draw| Some(bsn(draw)? + &draw.within(1, 99, 2)))
            .wrong(|draw| format!("NL{}C{}", draw.digits(9), draw.digits(2))),
        row(NationalId, "LU", "Luxembourg identification number", "fr", &["matricule", "numéro d'identification national"], &["#############", "#### ## ## #####"],
            |draw| {
                let head = draw.date("Ymd") + &draw.digits(3);
                Some(format!("{head}{}{}", luhn(&head), verhoeff(&head)))
            }),
    ]
}

fn bsn(draw: &mut Draw) -> Option<String> {
    let head = draw.number(8);
    // The last digit counts negatively: the sum of the others is what it must be.
    let rest = sum(&head, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
    checked(head, rest)
}

#[rustfmt::skip] // As above.
fn german() -> Vec<Row> {
    vec![
        row(TaxId, "DE", "Steuer-ID", "de", &["Steuer-ID", "Steueridentifikationsnummer", "IdNr"], &["## ### ### ###", "###########", "##.###.###.###"],
            |draw| {
                // Nine different digits, one of which occurs twice; not 0 first.
                let mut digits: Vec<char> = "0123456789".chars().collect();
                let (from, to) = (draw.below(10), draw.below(10));
                digits[from] = if from == to { return None } else { digits[to] };
                (0..10).rev().for_each(|place| digits.swap(place, draw.below(place + 1)));
                let head: String = digits.into_iter().collect();
                (!head.starts_with('0')).then(|| format!("{head}{}", mod_11_10(&head)))
            }),
        row(TaxId, "DE", "Steuernummer", "de", &["Steuernummer", "St.-Nr.", "Steuer-Nr."], &["##/###/#####"], |draw| Some(draw.number(10))),
        row(TaxId, "DE", "Steuernummer", "de", &["Steuernummer", "Steuernr."], &["###/###/#####", "###/####/####"], |draw| Some(draw.number(11))),
        row(TaxId, "DE", "Steuernummer", "de", &["Steuernummer"], &["#############"], |draw| Some(draw.of(&["28", "11", "24", "10", "22"]).to_owned() + &draw.digits(2) + "0" + &draw.digits(8))),
        row(NationalId, "DE", "Rentenversicherungsnummer", "de", &["Rentenversicherungsnummer", "RVNR", "SV-Nummer"], &["!## ###### # ###", "!############"],
            |draw| {
                let area = draw.of(&["02", "12", "15", "50", "65"]);
                let letter = draw.letters(1);
                let head = format!("{area}{}{letter}{}", draw.date("dmy"), draw.within(0, 99, 2));
                let written = head.replace(&letter, &format!("{:02}", letter.as_bytes()[0] - b'A' + 1));
                let weights = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1];
                let total: u32 = super::draw::values(&written).zip(weights).map(|(digit, weight)| digit * weight).map(|part| part / 10 + part % 10).sum();
                checked(head, total % 10)
            }),
        row(TaxId, "DE", "German VAT number", "de", &["USt-IdNr.", "Umsatzsteuer-ID"], &["!DE#########", "!DE ### ### ###"], |draw| { let head = draw.number(8); checked(head.clone(), mod_11_10(&head)) }),
        row(HealthInsurance, "DE", "Krankenversichertennummer", "de", &["Krankenversichertennummer", "Versichertennummer", "KVNR"], &["##########", "# ### ### ###"],
            |draw| {
                let letter = draw.letters(1);
                let head = letter.clone() + &draw.digits(8);
                let written = head.replace(&letter, &format!("{:02}", letter.as_bytes()[0] - b'A' + 1));
                checked(head, crossed(&written, 1) % 10)
            }),
        row(NationalId, "AT", "Austrian social security number", "de", &["Sozialversicherungsnummer", "SVNR", "SV-Nr."], &["#### ######", "##########"],
            |draw| {
                let (serial, date) = (draw.number(3), draw.date("dmy"));
                let check = (sum(&serial, &[3, 7, 9]) + sum(&date, &[5, 8, 4, 2, 1, 6])) % 11;
                Some(checked(serial, check)? + &date)
            }),
        row(TaxId, "AT", "Austrian tax number", "de", &["Steuernummer", "Abgabenkontonummer"], &["##-###/####", "## ###/####"], |draw| Some(draw.number(9))),
        row(TaxId, "AT", "Austrian VAT number", "de", &["UID-Nummer", "USt-ID"], &["!ATU########"],
            |draw| { let head = draw.number(7); checked(head.clone(), missing(crossed(&head, 1) + 4, 10)) }),
        row(NationalId, "CH", "AHV number", "de", &["AHV-Nummer", "AHV-Nr.", "numéro AVS"], &["!###.####.####.##", "!#############", "!### #### #### ##"],
            |draw| {
                let head = "756".to_owned() + &draw.digits(9);
                let check = missing(sum(&head, &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]), 10);
                checked(head, check)
            }),
    ]
}

const DNI: [&str; 23] = [
    "T", "R", "W", "A", "G", "M", "Y", "F", "P", "D", "X", "B", "N", "J", "Z", "S", "Q", "V", "H", "L", "C",
    "K", "E",
];

fn dni(draw: &mut Draw) -> Option<String> {
    let head = draw.number(8);
    Some(format!("{head}{}", DNI[(number(&head) % 23) as usize]))
}

#[rustfmt::skip] // As above.
fn iberia() -> Vec<Row> {
    vec![
        row(NationalId, "ES", "DNI", "es", &["DNI", "documento nacional de identidad"], &["!########-#", "!#########", "!##.###.###-#", "## ### ### #"], dni),
        row(TaxId, "ES", "NIF", "es", &["NIF", "número de identificación fiscal"], &["########-#", "#########"], dni),
        row(NationalId, "ES", "NIE", "es", &["NIE", "número de identidad de extranjero"], &["!#########", "!#-#######-#", "# ####### #"],
            |draw| {
                let (first, tail) = (draw.below(3), draw.digits(7));
                let rest = number(&format!("{first}{tail}")) % 23;
                Some(format!("{}{tail}{}", ["X", "Y", "Z"][first], DNI[rest as usize]))
            }),
        row(NationalId, "ES", "Spanish social security number", "es", &["NUSS", "número de la seguridad social", "NAF"], &["## ######## ##", "############", "##/########/##"],
            |draw| {
                let head = draw.within(1, 52, 2) + &draw.number(8);
                Some(format!("{head}{:02}", number(&head) % 97))
            }),
        row(TaxId, "ES", "CIF", "es", &["CIF"], &["#########", "#-########"],
            |draw| {
                let kind = draw.from("ABEH", 1);
                let head = draw.digits(7);
                Some(format!("{kind}{head}{}", luhn(&head)))
            }),
        row(TaxId, "PT", "NIF", "pt", &["NIF", "número de contribuinte", "contribuinte"], &["#########", "### ### ###"],
            |draw| {
                let head = draw.from("1235", 1) + &draw.digits(7);
                let rest = sum(&head, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
                checked(head, if rest < 2 { 0 } else { 11 - rest })
            }),
        row(NationalId, "PT", "NISS", "pt", &["NISS", "número de segurança social"], &["###########", "### #### ####"],
            |draw| {
                let head = draw.from("1", 1) + &draw.digits(9);
                let check = 9 - sum(&head, &[29, 23, 19, 17, 13, 11, 7, 5, 3, 2]) % 10;
                checked(head, check)
            }),
        row(IdCard, "PT", "Cartão de Cidadão", "pt", &["Cartão de Cidadão", "cartão de cidadão n.º"], &["!######## # ###", "!############", "!########-#-###"],
            |draw| {
                let head = draw.number(8) + &draw.digits(1) + &draw.letters(2);
                let odd = |value: u32| if value * 2 > 9 { value * 2 - 9 } else { value * 2 };
                let total: u32 = super::draw::values(&head).enumerate().map(|(place, value)| if place % 2 == 0 { odd(value) } else { value }).sum();
                checked(head, missing(total, 10))
            }),
    ]
}

#[rustfmt::skip] // As above.
fn italy_and_greece() -> Vec<Row> {
    vec![
        row(TaxId, "IT", "codice fiscale", "it", &["codice fiscale", "C.F.", "cod. fisc."], &["!################", "!###### ##### #####"], codice),
        row(TaxId, "IT", "partita IVA", "it", &["Partita IVA", "P. IVA", "P.IVA"], &["###########"], |draw| { let head = "0".to_owned() + &draw.number(9); checked(head.clone(), luhn(&head)) }),
        row(TaxId, "IT", "Italian VAT number", "it", &["Partita IVA", "IVA"], &["!IT###########", "!IT ###########"], |draw| { let head = "0".to_owned() + &draw.number(9); checked(head.clone(), luhn(&head)) }),
        row(IdCard, "IT", "carta d'identità", "it", &["carta d'identità", "carta di identità"], &["#########", "## ##### ##"], |draw| Some("CA".to_owned() + &draw.digits(5) + &draw.letters(2))),
        row(IdCard, "IT", "carta d'identità", "it", &["carta d'identità"], &["#########", "## #######"], |draw| Some(draw.letters(2) + &draw.digits(7))),
        row(TaxId, "GR", "AFM", "el", &["ΑΦΜ", "Α.Φ.Μ.", "AFM"], &["#########", "EL#########"],
            |draw| {
                let head = draw.from("01", 1) + &draw.number(7);
                // Weights are powers of two, so the number is read in base 2.
                let total = super::draw::values(&head).fold(0, |total, digit| total * 2 + digit) * 2;
                checked(head, total % 11 % 10)
            }),
        row(NationalId, "GR", "AMKA", "el", &["ΑΜΚΑ", "AMKA"], &["###########", "###### #####"], |draw| { let head = draw.date("dmy") + &draw.digits(4); checked(head.clone(), luhn(&head)) }),
        row(TaxId, "CY", "Cypriot tax number", "en", &["tax identification number", "tax ID"], &["#########"], |draw| Some("1".to_owned() + &draw.digits(7) + &draw.letters(1))),
    ]
}

/// Six letters of the name, the date with a letter for the month, the place of birth, and a letter that checks them.
fn codice(draw: &mut Draw) -> Option<String> {
    const ODD: [u32; 26] =
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
    let head = format!(
        "{}{}{}{}{}",
        draw.from("BCDFGLMNPRSTVZ", 6),
        draw.within(31, 99, 2),
        draw.from("ABCDEHLMPRST", 1),
        draw.within(1, 28, 2),
        draw.of(&["H501", "F205", "L219", "A944", "Z404"])
    );
    let place = |letter: char| letter.to_digit(10).unwrap_or_else(|| letter as u32 - 'A' as u32);
    let value =
        |(at, letter): (usize, char)| if at % 2 == 0 { ODD[place(letter) as usize] } else { place(letter) };
    let total: u32 = head.chars().enumerate().map(value).sum();
    Some(format!("{head}{}", char::from(b'A' + (total % 26) as u8)))
}
