//! Kinds of personal data with their stable names, and sets of them.

/// A kind of personal data or secret that the catalogue or the token model of names finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Entity {
    /// A private key in armour.
    PrivateKey,
    /// A JSON Web Token.
    Jwt,
    /// A credential in the form of its vendor.
    ApiKey,
    /// The credential of an authorization header.
    Authorization,
    /// A value in a cookie header.
    Cookie,
    /// A password.
    Password,
    /// The value of another sensitive name.
    Secret,
    /// A payment card number.
    CreditCard,
    /// An international bank account number.
    Iban,
    /// A United States social security number.
    Ssn,
    /// A number that a state gives to each resident.
    NationalId,
    /// A number of a taxpayer.
    TaxId,
    /// A passport number or a passport's machine-readable zone.
    Passport,
    /// The number of a driving licence.
    DriverLicense,
    /// The number of an identity card, or its machine-readable zone.
    IdCard,
    /// A number of a patient or a case in a hospital.
    MedicalRecordNumber,
    /// A number of a health insurance, a health service, or a prescriber.
    HealthInsurance,
    /// A national bank account number.
    BankAccount,
    /// A bank's routing number.
    RoutingNumber,
    /// An address of a cryptocurrency.
    CryptoWallet,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// An IPv4 or IPv6 address.
    IpAddress,
    /// A hardware address.
    MacAddress,
    /// A URL.
    Url,
    /// A person's name.
    Name,
    /// A postal address.
    Address,
    /// A postal code on its own.
    Postcode,
    /// A date of birth.
    DateOfBirth,
    /// A person's age.
    Age,
    /// A registration plate or a vehicle identification number.
    VehicleRegistration,
    /// A number in a register of companies.
    CompanyId,
    /// A place.
    Location,
    /// A company or another organization.
    Organization,
    /// Any date.
    Date,
    /// A job title.
    Title,
    /// A nationality, religion or political group.
    Nationality,
    /// A kind that the caller described in words of its own: the index of [`super::EntitySet::custom`].
    Custom(u8),
}

/// All kinds but the custom ones, in the order of declaration, with the word in their placeholder and whether they
/// are redacted unless the caller chooses.
const KINDS: [(Entity, &str, bool); 37] = [
    (Entity::PrivateKey, "PRIVATE_KEY", true),
    (Entity::Jwt, "JWT", true),
    (Entity::ApiKey, "API_KEY", true),
    (Entity::Authorization, "AUTHORIZATION", true),
    (Entity::Cookie, "COOKIE", true),
    (Entity::Password, "PASSWORD", true),
    (Entity::Secret, "SECRET", true),
    (Entity::CreditCard, "CREDIT_CARD", true),
    (Entity::Iban, "IBAN", true),
    (Entity::Ssn, "SSN", true),
    (Entity::NationalId, "NATIONAL_ID", true),
    (Entity::TaxId, "TAX_ID", true),
    (Entity::Passport, "PASSPORT", true),
    (Entity::DriverLicense, "DRIVER_LICENSE", true),
    (Entity::IdCard, "ID_CARD", true),
    (Entity::MedicalRecordNumber, "MEDICAL_RECORD_NUMBER", true),
    (Entity::HealthInsurance, "HEALTH_INSURANCE", true),
    (Entity::BankAccount, "BANK_ACCOUNT", true),
    (Entity::RoutingNumber, "ROUTING_NUMBER", false),
    (Entity::CryptoWallet, "CRYPTO_WALLET", false),
    (Entity::Email, "EMAIL", true),
    (Entity::Phone, "PHONE", true),
    (Entity::IpAddress, "IP_ADDRESS", false),
    (Entity::MacAddress, "MAC_ADDRESS", false),
    (Entity::Url, "URL", false),
    (Entity::Name, "NAME", true),
    (Entity::Address, "ADDRESS", true),
    (Entity::Postcode, "POSTCODE", false),
    (Entity::DateOfBirth, "DATE_OF_BIRTH", true),
    (Entity::Age, "AGE", false),
    (Entity::VehicleRegistration, "VEHICLE_REGISTRATION", false),
    (Entity::CompanyId, "COMPANY_ID", false),
    (Entity::Location, "LOCATION", false),
    (Entity::Organization, "ORGANIZATION", false),
    (Entity::Date, "DATE", false),
    (Entity::Title, "TITLE", false),
    (Entity::Nationality, "NATIONALITY", false),
];

impl Entity {
    /// Every kind but the custom ones.
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.iter().map(|(entity, ..)| *entity)
    }

    /// The word in the placeholder, such as `EMAIL`; none for a custom kind, whose word the set knows.
    #[must_use]
    pub fn word(self) -> Option<&'static str> {
        KINDS.iter().find(|(entity, ..)| *entity == self).map(|(_, word, _)| *word)
    }

    /// Its place in a set of bits; custom kinds have none.
    fn bit(self) -> u64 {
        KINDS.iter().position(|(entity, ..)| *entity == self).map_or(0, |index| 1 << index)
    }
}

/// A kind described by the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Custom {
    /// The word in the placeholder: `PROJECT_NAME`.
    pub word: String,
    /// Lower-case nouns behind or beside which a value stands: `project`.
    pub nouns: Vec<String>,
    /// Values that the phrase itself lists.
    pub items: Vec<String>,
}

/// Which kinds are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntitySet {
    bits: u64,
    custom: Vec<Custom>,
}

impl Default for EntitySet {
    /// The kinds that are redacted unless the caller chooses.
    fn default() -> Self {
        Self::of(KINDS.iter().filter(|(_, _, default)| *default).map(|(entity, ..)| *entity))
    }
}

impl EntitySet {
    /// A set of these kinds; custom ones are added with [`Self::add_custom`].
    #[must_use]
    pub fn of(entities: impl IntoIterator<Item = Entity>) -> Self {
        let bits = entities.into_iter().fold(0, |bits, entity| bits | entity.bit());
        Self { bits, custom: Vec::new() }
    }

    /// Adds one kind.
    pub fn insert(&mut self, entity: Entity) {
        self.bits |= entity.bit();
    }

    /// Adds a kind described by the caller. At most 64 are kept, which bounds the automaton made of them.
    pub fn add_custom(&mut self, custom: Custom) {
        if self.custom.len() < 64 && !self.custom.contains(&custom) {
            self.custom.push(custom);
        }
    }

    /// The kinds described by the caller.
    #[must_use]
    pub fn custom(&self) -> &[Custom] {
        &self.custom
    }

    /// Whether the set holds a kind.
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        match entity {
            Entity::Custom(index) => usize::from(index) < self.custom.len(),
            _ => self.bits & entity.bit() != 0,
        }
    }

    /// The word of a kind: `EMAIL`, or that of a kind described by the caller.
    #[must_use]
    pub fn word(&self, entity: Entity) -> &str {
        let word = match entity {
            Entity::Custom(index) => self.custom.get(usize::from(index)).map(|custom| custom.word.as_str()),
            _ => entity.word(),
        };
        word.unwrap_or("VALUE")
    }

    /// The text that stands in place of a value: `<EMAIL_REDACTED>`.
    #[must_use]
    pub fn placeholder(&self, entity: Entity) -> String {
        format!("<{}_REDACTED>", self.word(entity))
    }
}
