//! One row of the catalogue: how an identifier of a country is written, checked and named.

use super::code::Code;
use super::entity::Entity;

/// Which words name an identifier, as a set of bits.
pub(crate) type Labels = u32;

/// Kinds of labels.
pub(crate) mod label {
    use super::Labels;

    pub(crate) const SSN: Labels = 1;
    pub(crate) const NATIONAL: Labels = 1 << 1;
    pub(crate) const TAX: Labels = 1 << 2;
    pub(crate) const PASSPORT: Labels = 1 << 3;
    pub(crate) const LICENSE: Labels = 1 << 4;
    pub(crate) const ID_CARD: Labels = 1 << 5;
    pub(crate) const MEDICAL: Labels = 1 << 6;
    pub(crate) const HEALTH: Labels = 1 << 7;
    pub(crate) const CARD: Labels = 1 << 8;
    pub(crate) const BANK: Labels = 1 << 9;
    pub(crate) const ROUTING: Labels = 1 << 10;
    pub(crate) const WALLET: Labels = 1 << 11;
    pub(crate) const PHONE: Labels = 1 << 12;
    pub(crate) const POSTCODE: Labels = 1 << 13;
    pub(crate) const BIRTH: Labels = 1 << 14;
    pub(crate) const AGE: Labels = 1 << 15;
    pub(crate) const VEHICLE: Labels = 1 << 16;
    pub(crate) const COMPANY: Labels = 1 << 17;
    pub(crate) const PASSWORD: Labels = 1 << 18;
    pub(crate) const ADDRESS: Labels = 1 << 19;
    /// Names a number that is not personal data: an order, a ticket, a build.
    pub(crate) const OTHER: Labels = 1 << 20;
    /// Asks to be called, which other numbers stand beside as well.
    pub(crate) const CALL: Labels = 1 << 21;
}

/// What shows that a text in the form is the identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// The form and its check.
    Form,
    /// A label nearby as well.
    Label,
}

/// A way to write an identifier.
pub(crate) struct Format {
    pub(crate) entity: Entity,
    /// ISO 3166 code; empty for an international one.
    pub(crate) country: &'static str,
    /// Its name, for the reasoning.
    pub(crate) name: &'static str,
    pub(crate) forms: &'static [&'static str],
    pub(crate) check: fn(&Code) -> bool,
    pub(crate) labels: Labels,
    pub(crate) proof: Proof,
}

/// A row whose form and check suffice.
pub(crate) const fn plain(
    entity: Entity,
    country: &'static str,
    name: &'static str,
    forms: &'static [&'static str],
    check: fn(&Code) -> bool,
) -> Format {
    Format { entity, country, name, forms, check, labels: labels_of(entity), proof: Proof::Form }
}

/// A row that needs a label of its entity.
pub(crate) const fn labelled(
    entity: Entity,
    country: &'static str,
    name: &'static str,
    forms: &'static [&'static str],
    check: fn(&Code) -> bool,
) -> Format {
    Format { entity, country, name, forms, check, labels: labels_of(entity), proof: Proof::Label }
}

/// For forms without a check of their own.
pub(crate) fn any(_: &Code) -> bool {
    true
}

/// The labels that name an entity. Names of national numbers, tax numbers and identity cards are used for each other.
const fn labels_of(entity: Entity) -> Labels {
    match entity {
        Entity::Ssn => label::SSN,
        Entity::NationalId => label::NATIONAL | label::SSN | label::ID_CARD,
        Entity::TaxId => label::TAX,
        Entity::Passport => label::PASSPORT,
        Entity::DriverLicense => label::LICENSE,
        Entity::IdCard => label::ID_CARD,
        Entity::MedicalRecordNumber => label::MEDICAL,
        Entity::HealthInsurance => label::HEALTH,
        Entity::CreditCard => label::CARD,
        Entity::BankAccount | Entity::Iban => label::BANK,
        Entity::RoutingNumber => label::ROUTING,
        Entity::CryptoWallet => label::WALLET,
        Entity::Postcode => label::POSTCODE,
        Entity::VehicleRegistration => label::VEHICLE,
        Entity::CompanyId => label::COMPANY,
        _ => 0,
    }
}
