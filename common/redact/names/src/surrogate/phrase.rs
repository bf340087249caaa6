//! Noun phrases for numbers and secrets, of which no other valid one is made.

use redact::identifiers::Entity;

/// The phrase in place of a value.
pub(super) const fn of(entity: Entity) -> &'static str {
    match entity {
        Entity::PrivateKey => "(a private key)",
        Entity::Jwt | Entity::Authorization => "(an access token)",
        Entity::ApiKey => "(an API key)",
        Entity::Cookie => "(a cookie)",
        Entity::Password => "(a password)",
        Entity::Secret => "(a secret)",
        Entity::CreditCard => "(a card number)",
        Entity::Iban | Entity::BankAccount => "(a bank account)",
        Entity::RoutingNumber => "(a bank code)",
        Entity::Ssn => "(a social security number)",
        Entity::NationalId | Entity::IdCard => "(an identity number)",
        Entity::TaxId => "(a tax number)",
        Entity::Passport => "(a passport number)",
        Entity::DriverLicense => "(a license number)",
        Entity::MedicalRecordNumber => "(a patient number)",
        Entity::HealthInsurance => "(an insurance number)",
        Entity::CryptoWallet => "(a wallet address)",
        Entity::VehicleRegistration => "(a registration number)",
        Entity::CompanyId => "(a company number)",
        Entity::Postcode => "(a postal code)",
        Entity::Age => "(an age)",
        Entity::Title => "professional",
        Entity::Nationality => "foreign",
        _ => "(a value)",
    }
}
