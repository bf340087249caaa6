//! Cases of documents, health, money, vehicles and companies.

use super::super::entity::Entity::{
    BankAccount, CompanyId, CreditCard, DriverLicense, HealthInsurance, Iban, IdCard, MedicalRecordNumber,
    Passport, RoutingNumber, VehicleRegistration,
};
use super::cases::{Row, row};
use super::draw::{Draw, checked, icao, luhn, missing, remainder, sum};

pub(super) fn rows() -> Vec<Row> {
    [documents(), vehicles(), companies(), money(), health()].into_iter().flatten().collect()
}

/// Signs of German documents: no vowels and no letters that look like digits.
const GERMAN: &str = "0123456789CFGHJKLMNPRTVWXYZ";

fn german(draw: &mut Draw, length: usize) -> Option<String> {
    let serial = draw.from("CFGHJK", 1) + &draw.from(GERMAN, 3) + &draw.digits(5);
    Some(if length == 9 { serial } else { format!("{serial}{}", icao(&serial)) })
}

#[rustfmt::skip] // Rows side by side; one argument on each line would hide the table.
fn documents() -> Vec<Row> {
    vec![
        row(Passport, "DE", "German passport", "de", &["Reisepass", "Passnummer", "Reisepassnummer"], &["#########"], |draw| german(draw, 9)),
        row(Passport, "DE", "German passport", "de", &["Reisepass", "Pass-Nr."], &["##########", "##########D"], |draw| german(draw, 10)),
        row(IdCard, "DE", "German identity card", "de", &["Personalausweis", "Ausweisnummer"], &["#########"], |draw| german(draw, 9)),
        row(IdCard, "DE", "German identity card", "de", &["Personalausweis", "Personalausweisnummer"], &["##########", "##########D"], |draw| german(draw, 10)),
        row(Passport, "NL", "Dutch passport", "nl", &["paspoort", "paspoortnummer"], &["#########"], |draw| { let head = draw.from("NSP", 1) + &draw.from("ABCDEFGHJKLMNPRSTUVWXYZ", 1) + &draw.digits(6); Some(format!("{head}{}", icao(&head))) }),
        row(Passport, "", "passport", "en", &["passport", "Passport No.", "passport number"], &["#########", "### ### ###"], |draw| Some(draw.number(9))),
        row(Passport, "", "passport", "fr", &["passeport", "numéro de passeport", "pasaporte", "passaporto"], &["#########"], |draw| Some(draw.number(2) + &draw.letters(2) + &draw.digits(5))),
        row(Passport, "", "passport", "en", &["passport number", "护照", "旅券番号", "여권번호", "паспорт"], &["########"], |draw| Some(draw.letters(1) + &draw.digits(7))),
        row(Passport, "RU", "Russian passport", "ru", &["паспорт", "паспорт РФ"], &["## ## ######", "#### ######"], |draw| Some(draw.within(1, 99, 2) + &draw.within(1, 25, 2) + &draw.digits(6))),
        row(DriverLicense, "GB", "British driving licence", "en", &["driving licence", "licence number"], &["!################", "!##### ###### #####"],
            |draw| Some(format!("{}{}{}{}{}{}", draw.of(&["MORGA", "SMITH", "LEE99", "JONES"]), draw.digits(1), draw.within(1, 12, 2), draw.within(1, 28, 2), draw.digits(1), draw.letters(1) + "9" + &draw.digits(1) + &draw.letters(2))))
            .wrong(|draw| format!("MORGA{}{}{}{}{}", draw.digits(1), draw.within(13, 49, 2), draw.within(1, 28, 2), draw.digits(1), draw.letters(1) + "9" + &draw.digits(1) + &draw.letters(2))),
        row(DriverLicense, "", "driving licence", "en", &["driver's license", "driver license", "DL number"], &["########"], |draw| Some(draw.letters(1) + &draw.digits(7))),
        row(DriverLicense, "", "driving licence", "en", &["driver's license", "driver license number"], &["#### #### ####", "####-####-####", "############"], |draw| Some(draw.letters(1) + &draw.digits(11))),
        row(DriverLicense, "", "driving licence", "de", &["Führerschein", "Führerscheinnummer", "patente di guida", "permis de conduire"], &["###########"], |draw| Some(draw.letters(1) + &draw.digits(3) + "RRE" + &draw.digits(4))),
        row(IdCard, "", "identity card", "fr", &["carte d'identité", "CNI", "carte nationale d'identité"], &["############"], |draw| Some(draw.number(12))),
        row(IdCard, "", "identity card", "en", &["identity card", "ID card", "ID number"], &["#########", "### ### ###"], |draw| Some(draw.number(9))),
    ]
}

#[rustfmt::skip] // As above.
fn vehicles() -> Vec<Row> {
    vec![
        row(VehicleRegistration, "", "vehicle identification number", "en", &["VIN", "chassis number"], &["!#################"], vin).sure(),
        row(VehicleRegistration, "", "vehicle identification number", "de", &["Fahrgestellnummer", "FIN", "VIN"], &["#################"], |draw| Some("WVWZZZ1KZ".to_owned() + &draw.from("ABCDEFGH", 1) + "W" + &draw.digits(6))),
        row(VehicleRegistration, "", "registration plate", "en", &["number plate", "registration plate", "licence plate"], &["#### ###", "#######"], |draw| Some(draw.letters(2) + &draw.within(1, 75, 2) + &draw.letters(3))),
        row(VehicleRegistration, "", "registration plate", "fr", &["immatriculation", "plaque d'immatriculation"], &["##-###-##"], |draw| Some(draw.letters(2) + &draw.number(3) + &draw.letters(2))),
        row(VehicleRegistration, "", "registration plate", "de", &["Kennzeichen", "Nummernschild"], &["#-## ####", "# ## ####"], |draw| Some(draw.from("BMKF", 1) + &draw.letters(2) + &draw.number(4))),
        row(VehicleRegistration, "", "registration plate", "es", &["matrícula", "placa"], &["#### ###", "#######"], |draw| Some(draw.digits(4) + &draw.from("BCDFGHJKLM", 3))),
        row(VehicleRegistration, "", "registration plate", "it", &["targa"], &["## ### ##", "#######"], |draw| Some(draw.letters(2) + &draw.number(3) + &draw.letters(2))),
        row(VehicleRegistration, "NL", "registration plate", "nl", &["kenteken"], &["##-###-#"], |draw| Some(draw.letters(2) + &draw.number(3) + &draw.letters(1))),
        row(VehicleRegistration, "NL", "registration plate", "nl", &["kenteken"], &["##-###-#"], |draw| Some(draw.number(2) + &draw.letters(3) + &draw.number(1))),
    ]
}

/// With the check digit of North America in the ninth place.
fn vin(draw: &mut Draw) -> Option<String> {
    const SIGNS: &str = "0123456789ABCDEFGHJKLMNPRSTUVWXYZ";
    const VALUES: [u32; 33] =
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9];
    let (head, tail) =
        ("1HGC".to_owned() + &draw.from(SIGNS, 4), draw.from("ABCDEFGHJ", 1) + "A" + &draw.digits(6));
    let weights = [8, 7, 6, 5, 4, 3, 2, 10, 9, 8, 7, 6, 5, 4, 3, 2];
    let value = |sign: char| VALUES[SIGNS.find(sign).unwrap()];
    let total: u32 =
        head.chars().chain(tail.chars()).zip(weights).map(|(sign, weight)| value(sign) * weight).sum();
    let check = if total % 11 == 10 { "X".to_owned() } else { (total % 11).to_string() };
    Some(head + &check + &tail)
}

#[rustfmt::skip] // As above.
fn companies() -> Vec<Row> {
    vec![
        row(CompanyId, "DE", "Handelsregister", "de", &["Handelsregister", "Registergericht"], &["HRB #####", "HRA #####"], |draw| Some(draw.number(5))),
        row(CompanyId, "DE", "Handelsregister", "de", &["Handelsregisternummer"], &["HRB ######"], |draw| Some(draw.number(6))),
        row(CompanyId, "FR", "SIREN", "fr", &["SIREN"], &["### ### ###", "#########"], |draw| { let head = draw.number(8); checked(head.clone(), luhn(&head)) }),
        row(CompanyId, "FR", "SIRET", "fr", &["SIRET"], &["### ### ### #####", "##############"], |draw| { let head = draw.number(8); let head = checked(head.clone(), luhn(&head))? + "0001"; checked(head.clone(), luhn(&head)) }),
        row(CompanyId, "CH", "UID", "de", &["UID", "Unternehmens-Identifikationsnummer"], &["!CHE-###.###.###", "CHE#########", "CHE ### ### ###"], |draw| { let head = draw.number(8); let check = missing(sum(&head, &[5, 4, 3, 2, 7, 6, 5, 4]), 11); checked(head, check) }),
        row(CompanyId, "", "company number", "en", &["company number", "company no.", "registered number"], &["########"], |draw| Some(draw.digits(8))),
        row(CompanyId, "", "company number", "nl", &["KvK-nummer", "KvK"], &["########"], |draw| Some(draw.number(8))),
        row(CompanyId, "", "company number", "sv", &["organisationsnummer", "org.nr"], &["######-####"], |draw| Some("5566".to_owned() + &draw.digits(6))),
    ]
}

#[rustfmt::skip] // As above.
fn money() -> Vec<Row> {
    vec![
        row(CreditCard, "", "payment card", "en", &["credit card", "card number", "Visa card"], &["!#### #### #### ####", "!################", "!####-####-####-####"], |draw| card(draw, &["4", "51", "55", "2221", "2720", "6011"], 16)).sure(),
        row(CreditCard, "", "payment card", "en", &["American Express", "credit card"], &["!#### ###### #####", "!###############"], |draw| card(draw, &["34", "37"], 15)).sure(),
        row(CreditCard, "", "payment card", "de", &["Kreditkarte", "Kartennummer"], &["!#### ###### ####", "!##############"], |draw| card(draw, &["36", "305"], 14)).sure(),
        row(Iban, "", "IBAN", "de", &["IBAN", "IBAN-Nr."], &["!#### #### #### #### #### ##", "!######################"], |draw| { let account = draw.number(8) + &draw.digits(10); Some(iban("DE", &account)) }).sure(),
        row(Iban, "", "IBAN", "en", &["IBAN"], &["!#### #### #### #### #### ##", "!######################"], |draw| { let account = draw.letters(4) + &draw.digits(14); Some(iban("GB", &account)) }).sure(),
        row(Iban, "", "IBAN", "fr", &["IBAN"], &["!#### #### #### #### #### #### ###", "!###########################", "!####-####-####-####-####-####-###"], |draw| { let account = draw.digits(23); Some(iban("FR", &account)) }).sure(),
        row(Iban, "", "IBAN", "nl", &["IBAN", "rekeningnummer"], &["!#### #### #### #### ##", "!##################"], |draw| { let account = "ABNA".to_owned() + &draw.digits(10); Some(iban("NL", &account)) }).sure(),
        row(RoutingNumber, "US", "ABA routing number", "en", &["routing number", "ABA", "RTN"], &["#########"], |draw| { let head = draw.within(1, 12, 2) + &draw.digits(6); let check = missing(sum(&head, &[3, 7, 1, 3, 7, 1, 3, 7]), 10); checked(head, check) }),
        row(RoutingNumber, "IN", "IFSC", "en", &["IFSC", "IFSC code"], &["###########"], |draw| Some(draw.letters(4) + "0" + &draw.digits(6))),
        row(RoutingNumber, "", "BIC", "de", &["BIC", "SWIFT"], &["########"], |draw| Some(draw.letters(4) + draw.of(&["DE", "FR", "AT"]) + &draw.letters(2))).wrong(|draw| draw.letters(4) + "QQ" + &draw.letters(2)),
        row(RoutingNumber, "", "BIC", "en", &["BIC", "SWIFT code"], &["###########"], |draw| Some(draw.letters(4) + "GB" + &draw.number(2) + "XXX")),
        row(RoutingNumber, "GB", "sort code", "en", &["sort code", "Sort Code"], &["##-##-##", "######", "## ## ##"], |draw| Some(draw.number(6))),
        row(RoutingNumber, "AU", "BSB", "en", &["BSB"], &["###-###", "######"], |draw| Some(draw.digits(6))),
        row(BankAccount, "MX", "CLABE", "es", &["CLABE", "cuenta"], &["##################", "### ### ########### #"],
            |draw| {
                let head = "0".to_owned() + &draw.number(2) + &draw.digits(14);
                let total: u32 = super::draw::values(&head).zip([3, 7, 1].into_iter().cycle()).map(|(digit, weight)| digit * weight % 10).sum();
                checked(head, missing(total, 10))
            }),
        row(BankAccount, "", "bank account", "de", &["Kontonummer", "account number", "bank account"], &["##########", "### ### ####"], |draw| Some(draw.number(10))),
        row(BankAccount, "", "bank account", "en", &["account number", "bank account", "Account No."], &["########"], |draw| Some(draw.number(8))),
    ]
}

/// The check digits are what is missing to a remainder of 1, with the country behind the account.
fn iban(country: &str, account: &str) -> String {
    let check = 98 - remainder(&format!("{account}{country}00"), 97);
    format!("{country}{check:02}{account}")
}

fn card(draw: &mut Draw, issuers: &[&str], length: usize) -> Option<String> {
    let issuer = draw.of(issuers).to_owned();
    let head = format!("{issuer}{}", draw.digits(length - 1 - issuer.len()));
    checked(head.clone(), luhn(&head))
}

/// Letters of Medicare: none that looks like a digit.
const MEDICARE: &str = "ACDEFGHJKMNPQRTUVWXY";

#[rustfmt::skip] // As above.
fn health() -> Vec<Row> {
    vec![
        row(HealthInsurance, "US", "Medicare beneficiary number", "en", &["MBI", "Medicare number"], &["!###########", "!####-###-####", "!#### ### ####"],
            |draw| Some(format!("{}{}{}{}{}{}{}{}{}", draw.number(1), draw.from(MEDICARE, 1), draw.digits(1), draw.digits(1), draw.from(MEDICARE, 1), draw.digits(1), draw.digits(1), draw.from(MEDICARE, 2), draw.digits(2))))
            .wrong(|draw| format!("{}S{}{}{}", draw.number(1), draw.digits(2), draw.from("SLOIBZ", 1), draw.digits(6))),
        row(HealthInsurance, "US", "Medicare claim number", "en", &["Medicare claim number", "Medicare number"], &["###-##-####A", "###-##-####B"], |draw| Some(draw.from("123456", 1) + &draw.digits(8))),
        row(HealthInsurance, "US", "national provider number", "en", &["NPI", "NPI number"], &["##########"], |draw| { let head = draw.from("12", 1) + &draw.digits(8); checked(head.clone(), luhn(&("80840".to_owned() + &head))) }),
        row(HealthInsurance, "US", "DEA number", "en", &["DEA number", "DEA"], &["#########"],
            |draw| {
                let head = draw.digits(6);
                let total = crossed_sum(&head);
                Some(format!("{}{}{head}{}", draw.from("ABFM", 1), draw.letters(1), total % 10))
            }),
        row(HealthInsurance, "", "European health insurance card", "en", &["EHIC", "European Health Insurance Card"], &["80### ###############"], |draw| Some(draw.within(1, 999, 3) + &draw.digits(15))),
        row(HealthInsurance, "", "health insurance number", "en", &["health insurance number", "insurance ID", "member ID"], &["############"], |draw| Some(draw.letters(3) + &draw.digits(9))),
        row(MedicalRecordNumber, "", "medical record number", "en", &["MRN", "medical record number", "patient ID"], &["#######"], |draw| Some(draw.number(7))),
        row(MedicalRecordNumber, "", "medical record number", "en", &["medical record", "patient number", "hospital number"], &["!MRN-######", "!MRN######"], |draw| Some(draw.number(6))).sure()
            .wrong(|draw| format!("MXN-{}", draw.number(6))),
    ]
}

/// First, third and fifth digit once, the others twice, without sums of digits.
fn crossed_sum(head: &str) -> u32 {
    let digits: Vec<u32> = super::draw::values(head).collect();
    let part = |from: usize| digits.iter().skip(from).step_by(2).sum::<u32>();
    part(0) + 2 * part(1)
}
