//! What callers ask for in words of their own.

use redact::identifiers::{Catalogue, Entity, phrases, replace};

fn kinds(phrase: &str) -> Vec<Entity> {
    let request = phrases::read(&[phrase.to_owned()]);
    Entity::all().filter(|entity| request.wanted.contains(*entity)).collect()
}

#[test]
fn type_names_and_aliases_are_understood() {
    for (phrase, entity) in [
        ("EMAIL", Entity::Email),
        ("email addresses", Entity::Email),
        ("PHONE_NUMBER", Entity::Phone),
        ("UK passports", Entity::Passport),
        ("Steuernummern", Entity::TaxId),
        ("numéros de téléphone", Entity::Phone),
        ("números de pasaporte", Entity::Passport),
        ("indirizzi email", Entity::Email),
        ("German tax IDs", Entity::TaxId),
        ("all credit card numbers", Entity::CreditCard),
        ("Kreditkartennummern", Entity::CreditCard),
        ("wachtwoorden", Entity::Password),
        ("adresy", Entity::Address),
        ("паспорта", Entity::Passport),
        ("doğum tarihleri", Entity::DateOfBirth),
        ("電話番号", Entity::Phone),
        ("driver's licenses", Entity::DriverLicense),
        ("US driver license numbers", Entity::DriverLicense),
        ("company names", Entity::Organization),
        ("IP addresses", Entity::IpAddress),
        ("dates of birth", Entity::DateOfBirth),
        ("<SSN_REDACTED>", Entity::Ssn),
        ("job titles", Entity::Title),
        ("IBANs", Entity::Iban),
        ("cities", Entity::Location),
        ("nationalities", Entity::Nationality),
    ] {
        assert_eq!(kinds(phrase), [entity], "{phrase}");
    }
}

#[test]
fn free_phrases_find_the_value_beside_their_noun() {
    let catalogue = Catalogue::new().unwrap();
    let request = phrases::read(&["project names".to_owned()]);
    for (text, expected) in [
        ("Status of project Falcon is green.", "Status of project <PROJECT_NAME_REDACTED> is green."),
        ("Project name: Blue Moon, phase 2", "Project name: <PROJECT_NAME_REDACTED>, phase 2"),
        ("The Falcon project is late.", "The <PROJECT_NAME_REDACTED> project is late."),
        ("project code FX-12 was closed", "project code <PROJECT_NAME_REDACTED> was closed"),
        ("The project is late.", "The project is late."),
        ("Mail a.b@example.org", "Mail a.b@example.org"),
    ] {
        assert_eq!(replace(text, &catalogue.find(text, &request.wanted), &request.wanted), expected);
    }
}

#[test]
fn listed_items_are_found_alone() {
    let catalogue = Catalogue::new().unwrap();
    let request = phrases::read(&["code names such as Falcon, Blue Moon and Zephyr".to_owned()]);
    let text = "falcon meets Blue Moon; Falconry does not.";
    let redacted = replace(text, &catalogue.find(text, &request.wanted), &request.wanted);
    assert_eq!(redacted, "<CODE_NAME_REDACTED> meets <CODE_NAME_REDACTED>; Falconry does not.");
}

#[test]
fn phrases_that_name_nothing_are_reported() {
    let phrases =
        ["everything that looks suspicious", "", "12345", "a b c d e f g h", "phones"].map(str::to_owned);
    assert_eq!(phrases::read(&phrases).unknown, phrases.get(..4).unwrap());
}
