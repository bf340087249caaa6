//! Cases of identifiers of Asia, Africa and Oceania.

use super::super::entity::Entity::{CompanyId, HealthInsurance, IdCard, NationalId, TaxId};
use super::cases::{Row, row};
use super::draw::{Draw, checked, luhn, missing, mod_11_2, sum, values, verhoeff};

pub(super) fn rows() -> Vec<Row> {
    [eastern(), southern(), islands(), western(), africa(), oceania()].into_iter().flatten().collect()
}

#[rustfmt::skip] // Rows side by side; one argument on each line would hide the table.
fn eastern() -> Vec<Row> {
    vec![
        row(NationalId, "CN", "Chinese resident number", "zh", &["身份证号", "身份证", "公民身份号码"], &["!##################", "!###### ######## ####"],
            |draw| {
                let head = draw.of(&["110105", "310104", "440305", "510107", "330106"]).to_owned() + &draw.date("Ymd") + &draw.digits(3);
                Some(format!("{head}{}", mod_11_2(&head)))
            }),
        row(NationalId, "HK", "HKID", "zh", &["HKID", "香港身份證", "Hong Kong ID"], &["!#######(#)", "########", "#######-#"], |draw| hkid(draw, 1)),
        row(NationalId, "HK", "HKID", "en", &["HKID", "Hong Kong identity card"], &["!########(#)", "#########"], |draw| hkid(draw, 2)),
        row(NationalId, "TW", "Taiwanese identity number", "zh", &["身分證字號", "身分證", "Taiwan ID"], &["##########"],
            |draw| {
                // Letters in the order of their numbers from 10 on.
                let letters = "ABCDEFGHJKLMNPQRSTUVXYWZIO";
                let place = draw.below(26);
                let head = format!("{}{}", draw.from("12", 1), draw.digits(7));
                let written = format!("{}{head}", 10 + place);
                Some(format!("{}{head}{}", &letters[place..=place], missing(sum(&written, &[1, 9, 8, 7, 6, 5, 4, 3, 2, 1]), 10)))
            }),
        row(NationalId, "JP", "My Number", "ja", &["マイナンバー", "個人番号", "My Number"], &["#### #### ####", "############", "####-####-####"],
            |draw| { let head = draw.number(11); let rest = sum(&head, &[6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11; checked(head, if rest < 2 { 0 } else { 11 - rest }) }),
        row(NationalId, "KR", "resident registration number", "ko", &["주민등록번호", "주민번호"], &["!######-#######", "#############"], |draw| Some(draw.date("ymd") + &draw.from("12", 1) + &draw.digits(6)))
            .wrong(|draw| draw.within(20, 99, 2) + &draw.within(13, 99, 2) + &draw.digits(9)),
    ]
}

/// One or two letters, six digits, and a digit or A; a missing letter counts as a blank, 36.
fn hkid(draw: &mut Draw, letters: usize) -> Option<String> {
    let head = draw.letters(letters) + &draw.digits(6);
    let blank = if letters == 1 { 36 * 9 } else { 0 };
    let weights: Vec<u32> = (2..=7 + letters as u32).rev().collect();
    let check = match missing(blank + sum(&head, &weights), 11) {
        10 => "A".to_owned(),
        digit => digit.to_string(),
    };
    Some(head + &check)
}

#[rustfmt::skip] // As above.
fn southern() -> Vec<Row> {
    vec![
        row(NationalId, "IN", "Aadhaar", "en", &["Aadhaar", "Aadhaar number", "UIDAI"], &["!#### #### ####", "############", "####-####-####"], |draw| { let head = draw.from("23456789", 1) + &draw.digits(10); checked(head.clone(), verhoeff(&head)) }),
        row(TaxId, "IN", "PAN", "en", &["PAN", "Permanent Account Number"], &["!##########"], |draw| Some(draw.letters(3) + &draw.from("PCHF", 1) + &draw.letters(1) + &draw.within(1, 9999, 4) + &draw.letters(1)))
            .wrong(|draw| draw.letters(3) + "Z" + &draw.letters(1) + &draw.number(4) + &draw.letters(1)),
        row(TaxId, "IN", "GSTIN", "en", &["GSTIN", "GST number"], &["!###############"],
            |draw| {
                let head = draw.within(1, 37, 2) + &draw.letters(3) + "P" + &draw.letters(1) + &draw.number(4) + &draw.letters(1) + "1Z";
                let part = |(at, value): (u32, u32)| { let part = value * (1 + at % 2); part / 36 + part % 36 };
                let total: u32 = (0..).zip(values(&head)).map(part).sum();
                let check = char::from_digit(missing(total, 36), 36)?.to_ascii_uppercase();
                Some(format!("{head}{check}"))
            }),
        row(IdCard, "IN", "voter card number", "en", &["voter ID", "EPIC number"], &["##########", "### #######"], |draw| Some(draw.letters(3) + &draw.digits(7))),
        row(NationalId, "PK", "CNIC", "en", &["CNIC", "NICOP"], &["!#####-#######-#", "#############"], |draw| Some(draw.from("1234567", 1) + &draw.digits(12)))
            .wrong(|draw| "9".to_owned() + &draw.digits(12)),
        row(NationalId, "LK", "Sri Lankan NIC", "en", &["NIC", "NIC number"], &["##########"], |draw| Some(draw.within(31, 99, 2) + &draw.within(1, 365, 3) + &draw.digits(4) + "V")),
        row(NationalId, "LK", "Sri Lankan NIC", "en", &["NIC"], &["############"], |draw| Some(draw.within(1931, 2004, 4) + &draw.within(1, 365, 3) + &draw.digits(5))),
    ]
}

#[rustfmt::skip] // As above.
fn islands() -> Vec<Row> {
    vec![
        row(NationalId, "SG", "NRIC", "en", &["NRIC", "NRIC No", "FIN number"], &["!#########"],
            |draw| {
                let kind = draw.from("STFG", 1);
                let head = draw.digits(7);
                let total = sum(&head, &[2, 7, 6, 5, 4, 3, 2]) + if "TG".contains(&kind) { 4 } else { 0 };
                let letters = if "ST".contains(&kind) { "JZIHGFEDCBA" } else { "XWUTRQPNMLK" };
                Some(format!("{kind}{head}{}", letters.as_bytes()[(total % 11) as usize] as char))
            }),
        row(NationalId, "TH", "Thai identity number", "th", &["เลขประจำตัวประชาชน", "บัตรประชาชน", "Thai ID"], &["!#-####-#####-##-#", "#############", "!# #### ##### ## #"],
            |draw| { let head = draw.from("12345678", 1) + &draw.digits(11); let rest = 11 - sum(&head, &[13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11; checked(head, rest % 10) }),
        row(NationalId, "PH", "SSS number", "en", &["SSS", "SSS number"], &["##-#######-#", "##########"], |draw| Some(draw.within(1, 34, 2) + &draw.digits(8))),
        row(NationalId, "PH", "PhilSys number", "en", &["PhilSys", "PhilSys ID"], &["####-####-####", "############"], |draw| Some(draw.number(12))),
        row(TaxId, "PH", "Philippine TIN", "en", &["TIN"], &["###-###-###"], |draw| Some(draw.number(9))),
        row(TaxId, "PH", "Philippine TIN", "en", &["TIN"], &["###-###-###-###", "############"], |draw| Some(draw.number(9) + "000")),
        row(HealthInsurance, "PH", "PhilHealth number", "en", &["PhilHealth", "PhilHealth number"], &["##-#########-#", "############"], |draw| Some(draw.within(1, 20, 2) + &draw.digits(10))),
        row(NationalId, "ID", "NIK", "id", &["NIK", "KTP", "Nomor Induk Kependudukan"], &["################", "#### #### #### ####"], |draw| Some(draw.of(&["3171", "3273", "5171", "1271"]).to_owned() + &draw.within(1, 20, 2) + &draw.date("dmy") + &draw.within(1, 40, 4))),
        row(TaxId, "ID", "NPWP", "id", &["NPWP"], &["!##.###.###.#-###.###", "###############"], |draw| { let head = draw.digits(8); Some(checked(head.clone(), luhn(&head))? + &draw.within(1, 999, 3) + "000") })
            .wrong(|draw| { let head = draw.digits(8); format!("{head}{}{}", (luhn(&head) + 1) % 10, draw.digits(6)) }),
        row(NationalId, "MY", "MyKad number", "ms", &["MyKad", "kad pengenalan", "IC number"], &["!######-##-####", "############"], |draw| Some(draw.date("ymd") + &draw.within(1, 14, 2) + &draw.digits(4)))
            .wrong(|draw| draw.date("ymd") + draw.of(&["00", "17", "18", "20", "70"]) + &draw.digits(4)),
        row(NationalId, "VN", "CCCD number", "vi", &["CCCD", "căn cước công dân"], &["############"], |draw| Some("0".to_owned() + &draw.within(1, 95, 2) + &draw.from("0123", 1) + &draw.digits(8))),
    ]
}

#[rustfmt::skip] // As above.
fn western() -> Vec<Row> {
    vec![
        row(NationalId, "AE", "Emirates ID", "ar", &["Emirates ID", "EID"], &["!###-####-#######-#", "!###############", "!### #### ####### #"], |draw| { let head = "784".to_owned() + &draw.within(1931, 2004, 4) + &draw.digits(7); checked(head.clone(), luhn(&head)) }),
        row(NationalId, "SA", "Saudi identity number", "ar", &["رقم الهوية", "Iqama", "Saudi ID"], &["##########"], |draw| { let head = draw.from("12", 1) + &draw.digits(8); checked(head.clone(), luhn(&head)) }),
        row(NationalId, "IL", "Israeli identity number", "he", &["תעודת זהות", "ת.ז", "Teudat Zehut"], &["#########", "#-########", "########-#"], |draw| { let head = draw.digits(8); checked(head.clone(), luhn(&head)) }),
    ]
}

#[rustfmt::skip] // As above.
fn africa() -> Vec<Row> {
    vec![
        row(NationalId, "ZA", "South African identity number", "en", &["South African ID", "SA ID", "ID number"], &["#############", "###### #### ## #"], |draw| { let head = draw.date("ymd") + &draw.digits(4) + &draw.from("01", 1) + "8"; checked(head.clone(), luhn(&head)) }),
        row(TaxId, "ZA", "South African tax number", "en", &["SARS number", "tax number"], &["##########", "#### ### ###"], |draw| { let head = draw.from("01239", 1) + &draw.digits(8); checked(head.clone(), luhn(&head)) }),
        row(NationalId, "NG", "NIN", "en", &["NIN", "National Identification Number", "BVN"], &["###########", "#### ### ####"], |draw| Some(draw.number(11))),
        row(NationalId, "GH", "Ghana card number", "en", &["ID card", "national ID"], &["!GHA-#########-#"], |draw| Some(draw.number(10)))
            .wrong(|draw| format!("GHX-{}-{}", draw.number(9), draw.digits(1))),
        row(NationalId, "KE", "Kenyan identity number", "en", &["national ID", "ID number", "Huduma"], &["########"], |draw| Some(draw.from("123", 1) + &draw.digits(7))),
        row(NationalId, "EG", "Egyptian national number", "ar", &["الرقم القومي", "رقم قومي"], &["##############"], |draw| Some("2".to_owned() + &draw.date("ymd") + &draw.within(1, 35, 2) + &draw.digits(5))),
    ]
}

#[rustfmt::skip] // As above.
fn oceania() -> Vec<Row> {
    vec![
        row(TaxId, "AU", "tax file number", "en", &["TFN", "Tax File Number"], &["### ### ###", "#########", "###-###-###"],
            |draw| { let head = draw.number(8); let rest = sum(&head, &[1, 4, 3, 7, 5, 8, 6, 9]) % 11; checked(head, rest) }),
        row(TaxId, "AU", "Australian business number", "en", &["ABN", "Australian Business Number"], &["!## ### ### ###", "###########"],
            |draw| {
                // The two check digits stand first: what is missing to a multiple of 89, from 11 on.
                let tail = draw.number(9);
                let rest = 89 - sum(&tail, &[3, 5, 7, 9, 11, 13, 15, 17, 19]) % 89;
                Some(format!("{}{tail}", 10 + rest))
            }).wrong(|draw| {
                let tail = draw.number(9);
                let rest = 89 - sum(&tail, &[3, 5, 7, 9, 11, 13, 15, 17, 19]) % 89;
                format!("{}{tail}", 11 + rest % 88)
            }),
        row(CompanyId, "AU", "Australian company number", "en", &["ACN", "Australian Company Number"], &["### ### ###", "#########"],
            |draw| { let head = "0".to_owned() + &draw.digits(7); let check = missing(sum(&head, &[8, 7, 6, 5, 4, 3, 2, 1]), 10); checked(head, check) }),
        row(TaxId, "NZ", "IRD number", "en", &["IRD number", "IRD"], &["###-###-###", "### ### ###", "#########"],
            |draw| {
                let head = draw.within(10_000_000, 14_999_999, 8);
                let (first, second) = (missing(sum(&head, &[3, 2, 7, 6, 5, 4, 3, 2]), 11), missing(sum(&head, &[7, 4, 3, 2, 5, 2, 7, 6]), 11));
                checked(head, if first == 10 { second } else { first })
            }),
        row(HealthInsurance, "AU", "Medicare card number", "en", &["Medicare card", "Medicare number"], &["#### ##### #", "##########"],
            |draw| { let head = draw.from("23456", 1) + &draw.digits(7); let check = sum(&head, &[1, 3, 7, 9, 1, 3, 7, 9]) % 10; Some(checked(head, check)? + &draw.number(1)) }),
        row(HealthInsurance, "NZ", "NHI number", "en", &["NHI number", "NHI"], &["#######"],
            |draw| {
                let letters: Vec<char> = "ABCDEFGHJKLMNPQRSTUVWXYZ".chars().collect();
                let places: Vec<usize> = (0..3).map(|_| draw.below(24)).collect();
                let tail = draw.digits(3);
                let total = places.iter().zip([7, 6, 5]).map(|(place, weight)| (*place as u32 + 1) * weight).sum::<u32>() + sum(&tail, &[4, 3, 2]);
                let head: String = places.into_iter().map(|place| letters[place]).collect();
                (!total.is_multiple_of(11)).then(|| format!("{head}{tail}{}", (11 - total % 11) % 10))
            }),
    ]
}
