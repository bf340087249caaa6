//! Every row of the tables: generated values with right and wrong check digits, in sentences whose words were not used
//! to write the tables.

use super::super::code::Code;
use super::super::entity::{Entity, EntitySet};
use super::super::format::{Format, Proof};
use super::super::national::TABLES;
use super::{Catalogue, Seeded};

/// Sentences around a label and a value.
const FRAMES: [&str; 10] = [
    "Could you check whether {label} {value} is still valid?",
    "{label}: {value}",
    "Hi team, the {label} on the form was {value}, please correct it.",
    "{\"name\": \"x\", \"{label}\": \"{value}\"}",
    "As discussed, {label} = {value}.",
    "<td>{label}</td><td>{value}</td>",
    "My {label} is {value} and I need a copy.",
    "{value} ({label})",
    "- {label} – {value}\n- next line",
    "Caller confirmed {label} number {value}; callback arranged.",
];

/// The words that name a row in the test, by kind and country.
fn wordings(format: &Format) -> &'static [&'static str] {
    let by_country: &[((Entity, &str), &[&str])] = &[
        ((Entity::Ssn, "US"), &["SSN", "Social Security Number", "social security no."]),
        ((Entity::TaxId, "US"), &["Tax ID", "taxpayer ID"]),
        ((Entity::NationalId, "CA"), &["SIN", "Social Insurance Number"]),
        ((Entity::TaxId, "CA"), &["Business Number"]),
        ((Entity::NationalId, "MX"), &["CURP", "NSS"]),
        ((Entity::TaxId, "MX"), &["RFC"]),
        ((Entity::TaxId, "BR"), &["CPF", "CNPJ"]),
        ((Entity::NationalId, "BR"), &["PIS", "título de eleitor"]),
        ((Entity::IdCard, "BR"), &["RG", "carteira de identidade"]),
        ((Entity::TaxId, "AR"), &["CUIT", "CUIL"]),
        ((Entity::NationalId, "AR"), &["DNI"]),
        ((Entity::NationalId, "CL"), &["RUT"]),
        ((Entity::TaxId, "CL"), &["RUT"]),
        ((Entity::TaxId, "CO"), &["NIT"]),
        ((Entity::NationalId, "CO"), &["cédula", "cédula de ciudadanía"]),
        ((Entity::TaxId, "PE"), &["RUC"]),
        ((Entity::NationalId, "PE"), &["DNI"]),
        ((Entity::NationalId, "EC"), &["cédula"]),
        ((Entity::NationalId, "UY"), &["cédula de identidad"]),
        ((Entity::NationalId, "VE"), &["cédula"]),
        ((Entity::TaxId, "VE"), &["RIF"]),
        ((Entity::NationalId, "DO"), &["cédula"]),
        ((Entity::NationalId, "GB"), &["NINO", "National Insurance Number"]),
        ((Entity::TaxId, "GB"), &["UTR", "Unique Taxpayer Reference"]),
        ((Entity::NationalId, "IE"), &["PPS Number", "PPSN"]),
        ((Entity::TaxId, "IE"), &["PPSN"]),
        ((Entity::NationalId, "FR"), &["numéro de sécurité sociale", "NIR"]),
        ((Entity::TaxId, "FR"), &["numéro fiscal", "NIF"]),
        ((Entity::TaxId, "DE"), &["Steuer-ID", "Steueridentifikationsnummer"]),
        ((Entity::NationalId, "DE"), &["Rentenversicherungsnummer"]),
        ((Entity::NationalId, "AT"), &["Sozialversicherungsnummer"]),
        ((Entity::TaxId, "AT"), &["Steuernummer"]),
        ((Entity::NationalId, "CH"), &["AHV-Nummer"]),
        ((Entity::NationalId, "BE"), &["Rijksregisternummer", "numéro national"]),
        ((Entity::NationalId, "NL"), &["BSN", "Burgerservicenummer"]),
        ((Entity::TaxId, "NL"), &["BSN"]),
        ((Entity::NationalId, "LU"), &["matricule"]),
        ((Entity::NationalId, "ES"), &["DNI", "NIE"]),
        ((Entity::TaxId, "ES"), &["NIF", "CIF"]),
        ((Entity::TaxId, "PT"), &["NIF", "número de contribuinte"]),
        ((Entity::NationalId, "PT"), &["NISS"]),
        ((Entity::IdCard, "PT"), &["Cartão de Cidadão"]),
        ((Entity::TaxId, "IT"), &["codice fiscale", "Partita IVA"]),
        ((Entity::TaxId, "GR"), &["ΑΦΜ", "AFM"]),
        ((Entity::NationalId, "GR"), &["ΑΜΚΑ", "AMKA"]),
        ((Entity::NationalId, "MT"), &["identity card"]),
        ((Entity::TaxId, "CY"), &["tax identification number"]),
        ((Entity::NationalId, "SE"), &["personnummer"]),
        ((Entity::NationalId, "FI"), &["henkilötunnus", "HETU"]),
        ((Entity::NationalId, "DK"), &["CPR-nummer", "CPR"]),
        ((Entity::NationalId, "NO"), &["fødselsnummer"]),
        ((Entity::NationalId, "IS"), &["kennitala"]),
        ((Entity::NationalId, "EE"), &["isikukood"]),
        ((Entity::NationalId, "LT"), &["asmens kodas"]),
        ((Entity::NationalId, "LV"), &["personas kods"]),
        ((Entity::NationalId, "PL"), &["PESEL"]),
        ((Entity::TaxId, "PL"), &["NIP"]),
        ((Entity::IdCard, "PL"), &["dowód osobisty"]),
        ((Entity::NationalId, "CZ"), &["rodné číslo", "Rodné číslo"]),
        ((Entity::TaxId, "CZ"), &["DIČ"]),
        ((Entity::HealthInsurance, "HU"), &["TAJ szám"]),
        ((Entity::TaxId, "HU"), &["adóazonosító jel"]),
        ((Entity::NationalId, "HU"), &["személyi szám"]),
        ((Entity::NationalId, "RO"), &["CNP", "cod numeric personal"]),
        ((Entity::NationalId, "BG"), &["ЕГН"]),
        ((Entity::NationalId, "SI"), &["EMŠO"]),
        ((Entity::NationalId, "RS"), &["JMBG"]),
        ((Entity::TaxId, "SI"), &["davčna številka"]),
        ((Entity::NationalId, "HR"), &["OIB"]),
        ((Entity::TaxId, "HR"), &["OIB"]),
        ((Entity::TaxId, "UA"), &["РНОКПП", "ІПН"]),
        ((Entity::TaxId, "RU"), &["ИНН"]),
        ((Entity::NationalId, "RU"), &["СНИЛС"]),
        ((Entity::NationalId, "TR"), &["TC kimlik no", "T.C. Kimlik"]),
        ((Entity::TaxId, "TR"), &["vergi numarası", "VKN"]),
        ((Entity::NationalId, "KZ"), &["ИИН"]),
        ((Entity::NationalId, "CN"), &["身份证号码"]),
        ((Entity::NationalId, "HK"), &["HKID"]),
        ((Entity::NationalId, "TW"), &["身分證字號"]),
        ((Entity::NationalId, "JP"), &["マイナンバー", "My Number"]),
        ((Entity::NationalId, "KR"), &["주민등록번호"]),
        ((Entity::NationalId, "IN"), &["Aadhaar", "Aadhar"]),
        ((Entity::TaxId, "IN"), &["PAN", "GSTIN"]),
        ((Entity::IdCard, "IN"), &["Voter ID"]),
        ((Entity::NationalId, "SG"), &["NRIC"]),
        ((Entity::NationalId, "TH"), &["เลขประจำตัวประชาชน", "Thai ID"]),
        ((Entity::NationalId, "PH"), &["SSS number", "PhilSys ID"]),
        ((Entity::TaxId, "PH"), &["TIN"]),
        ((Entity::HealthInsurance, "PH"), &["PhilHealth"]),
        ((Entity::NationalId, "ID"), &["NIK", "No KTP"]),
        ((Entity::TaxId, "ID"), &["NPWP"]),
        ((Entity::NationalId, "MY"), &["MyKad", "IC number"]),
        ((Entity::NationalId, "VN"), &["CCCD", "căn cước công dân"]),
        ((Entity::NationalId, "PK"), &["CNIC"]),
        ((Entity::NationalId, "LK"), &["NIC"]),
        ((Entity::NationalId, "AE"), &["Emirates ID"]),
        ((Entity::NationalId, "SA"), &["Iqama"]),
        ((Entity::NationalId, "IL"), &["תעודת זהות", "Teudat Zehut"]),
        ((Entity::NationalId, "ZA"), &["SA ID", "identity number"]),
        ((Entity::TaxId, "ZA"), &["tax number"]),
        ((Entity::NationalId, "NG"), &["NIN", "BVN"]),
        ((Entity::NationalId, "GH"), &["national ID"]),
        ((Entity::NationalId, "KE"), &["national ID"]),
        ((Entity::NationalId, "EG"), &["الرقم القومي"]),
        ((Entity::TaxId, "AU"), &["TFN", "Tax File Number", "ABN"]),
        ((Entity::CompanyId, "AU"), &["ACN"]),
        ((Entity::TaxId, "NZ"), &["IRD number"]),
        ((Entity::HealthInsurance, "GB"), &["NHS number", "NHS No."]),
        ((Entity::HealthInsurance, "US"), &["MBI", "NPI", "DEA number", "Medicare number"]),
        ((Entity::HealthInsurance, "AU"), &["Medicare card"]),
        ((Entity::HealthInsurance, "DE"), &["Krankenversichertennummer", "KVNR"]),
        ((Entity::HealthInsurance, "CA"), &["health card", "RAMQ"]),
        ((Entity::HealthInsurance, "NZ"), &["NHI number"]),
        ((Entity::HealthInsurance, "BR"), &["CNS", "Cartão SUS"]),
        ((Entity::RoutingNumber, "US"), &["routing number", "ABA number"]),
        ((Entity::RoutingNumber, "IN"), &["IFSC code"]),
        ((Entity::RoutingNumber, "GB"), &["sort code"]),
        ((Entity::RoutingNumber, "AU"), &["BSB"]),
        ((Entity::BankAccount, "MX"), &["CLABE"]),
        ((Entity::Passport, "DE"), &["Reisepassnummer", "Reisepass"]),
        ((Entity::Passport, "RU"), &["паспорт"]),
        ((Entity::IdCard, "DE"), &["Personalausweisnummer", "Personalausweis"]),
        ((Entity::IdCard, "IT"), &["carta d'identità"]),
        ((Entity::CompanyId, "DE"), &["Handelsregister"]),
        ((Entity::CompanyId, "PL"), &["REGON"]),
        ((Entity::CompanyId, "CZ"), &["IČO"]),
        ((Entity::CompanyId, "RU"), &["ОГРН"]),
        ((Entity::CompanyId, "FR"), &["SIREN", "SIRET"]),
        ((Entity::CompanyId, "CH"), &["UID"]),
    ];
    let key = (format.entity, format.country);
    if let Some((_, words)) = by_country.iter().find(|(known, _)| *known == key) {
        return words;
    }
    match format.entity {
        Entity::Passport => &["Passport No", "pasaporte", "numéro de passeport", "paszport"],
        Entity::DriverLicense => {
            &["driver's license", "Driving Licence", "Führerschein", "permis de conduire"]
        }
        Entity::IdCard => &["ID card", "identity card", "carte d'identité"],
        Entity::MedicalRecordNumber => &["MRN", "Patient ID", "medical record number"],
        Entity::HealthInsurance => &["Member ID", "policy number", "health insurance"],
        Entity::CreditCard => &["card number", "Visa", "Kreditkarte"],
        Entity::BankAccount => &["account number", "Kontonummer", "numéro de compte"],
        Entity::RoutingNumber => &["SWIFT", "BIC"],
        Entity::VehicleRegistration => &["license plate", "VIN", "Kennzeichen"],
        Entity::CompanyId => &["company number"],
        Entity::TaxId => &["VAT number", "tax ID"],
        Entity::NationalId => &["national ID", "identity number"],
        other => panic!("no wording for {other:?} of {}", format.country),
    }
}

/// A value in a form: random where the form leaves it open.
fn filled(form: &str, random: &mut Seeded) -> String {
    if let Some(bounds) = form.strip_prefix('*') {
        let (range, fewest) = bounds.split_once('/').unwrap();
        let (low, high) = range.split_once('-').unwrap();
        let (low, high): (usize, usize) = (low.parse().unwrap(), high.parse().unwrap());
        let fewest: usize = fewest.parse().unwrap();
        let length = low + random.below(high - low + 1);
        return (0..length)
            .map(|index| if index == 0 && fewest < length { 'K' } else { digit(random) })
            .collect();
    }
    let mut value = String::new();
    for sign in form.chars() {
        match sign {
            'd' => value.push(digit(random)),
            'a' => value.push(letter(random)),
            'x' => value.push(if random.below(3) == 0 { letter(random) } else { digit(random) }),
            '~' => value.push_str(["", " ", "-"][random.below(2)]),
            '_' => value.push(' '),
            other => value.push(other),
        }
    }
    value
}

fn digit(random: &mut Seeded) -> char {
    char::from(b'0' + random.below(10) as u8)
}

fn letter(random: &mut Seeded) -> char {
    char::from(b'A' + random.below(26) as u8)
}

/// A value that passes the check, or none in a million tries.
fn valid(format: &Format, form: &str, random: &mut Seeded) -> Option<String> {
    (0..1_000_000)
        .map(|_| filled(form, random))
        .find(|value| Code::of(value).is_some_and(|code| (format.check)(&code)))
}

/// The value with its last characters changed until the check refuses it.
fn invalid(format: &Format, value: &str, random: &mut Seeded) -> Option<String> {
    let places: Vec<usize> = (0..value.len()).filter(|at| value.as_bytes()[*at].is_ascii_digit()).collect();
    if places.is_empty() {
        return None;
    }
    (0..50)
        .map(|_| {
            let mut changed = value.as_bytes().to_vec();
            let place = places[places.len() - 1 - random.below(2.min(places.len()))];
            changed[place] = digit(random) as u8;
            String::from_utf8(changed).unwrap()
        })
        .find(|changed| Code::of(changed).is_some_and(|code| !(format.check)(&code)))
}

#[derive(Default)]
struct Count {
    found: usize,
    cases: usize,
    kept: usize,
    wrong: usize,
    other: usize,
    examples: Vec<String>,
}

/// Whether what was found is another row than the one that refused the value: one that has no check, or a check of another
/// country.
fn is_of_other_format(format: &Format, entity: Entity, reason: &str) -> bool {
    let rows = TABLES.iter().flat_map(|table| table.iter());
    let mut named = rows.filter(|row| row.name == reason && row.entity == entity);
    named.any(|row| row.country != format.country || !std::ptr::fn_addr_eq(row.check, format.check))
}

fn judge(catalogue: &Catalogue, format: &Format, random: &mut Seeded) -> Count {
    let wanted = EntitySet::of(Entity::all());
    let mut count = Count::default();
    for round in 0..30 {
        let form = format.forms[round % format.forms.len()];
        let Some(value) = valid(format, form, random) else { continue };
        let words = wordings(format);
        let label = words[random.below(words.len())];
        // Most rows are written with a label; those that need none also without.
        let frame = if format.proof == Proof::Form && round % 3 == 0 {
            "We received {value} today."
        } else {
            FRAMES[round % FRAMES.len()]
        };
        let text = frame.replace("{label}", label).replace("{value}", &value);
        let at = text.find(&value).unwrap();
        let covers = |text: &str, value: &str| {
            let at = text.find(value).unwrap();
            let spans = catalogue.find(text, &wanted);
            spans.iter().any(|span| span.range.start <= at && at + value.len() <= span.range.end)
        };
        count.cases += 1;
        if covers(&text, &value) {
            count.found += 1;
        } else {
            count.examples.push(format!("missed at {at}: {text}"));
        }
        let Some(changed) = invalid(format, &value, random) else { continue };
        let text = frame.replace("{label}", label).replace("{value}", &changed);
        let at = text.find(&changed).unwrap();
        let spans = catalogue.find(&text, &wanted);
        let found = spans.iter().find(|span| span.range.start <= at && at + changed.len() <= span.range.end);
        // Another format that the same label names may hold the value.
        if found.is_some_and(|span| is_of_other_format(format, span.entity, span.reason)) {
            count.other += 1;
            continue;
        }
        count.wrong += 1;
        if let Some(found) = found {
            count.examples.push(format!("not left as {}: {text}", found.reason));
        } else {
            count.kept += 1;
        }
    }
    count
}

#[test]
fn identifiers_with_right_check_digits_are_found_and_others_left() {
    let catalogue = Catalogue::new().unwrap();
    let mut random = Seeded(7);
    let mut failures = Vec::new();
    let (mut found, mut cases, mut kept, mut wrong, mut other) = (0, 0, 0, 0, 0);
    for format in TABLES.iter().flat_map(|table| table.iter()) {
        let count = judge(&catalogue, format, &mut random);
        (found, cases, kept, wrong) =
            (found + count.found, cases + count.cases, kept + count.kept, wrong + count.wrong);
        other += count.other;
        let enough = count.cases > 0 && count.found * 100 >= count.cases * 95;
        let left = count.kept * 100 >= count.wrong * 95;
        if !(enough && left) {
            let examples = count.examples.iter().take(3).cloned().collect::<Vec<_>>().join("\n      ");
            failures.push(format!(
                "{} {} {}: {}/{} found, {}/{} left\n      {examples}",
                format.country,
                format.name,
                format.forms[0],
                count.found,
                count.cases,
                count.kept,
                count.wrong
            ));
        }
    }
    println!("{found} of {cases} found, {kept} of {wrong} left, {other} are of another format");
    assert!(failures.is_empty(), "{} rows:\n{}", failures.len(), failures.join("\n"));
}
