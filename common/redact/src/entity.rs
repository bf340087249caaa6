//! Entities: the types with their stable names and placeholders, and one match. How a type
//! is recognised stands in [`crate::find`].

use serde::{Deserialize, Serialize};

/// A kind of secret or personal data.
///
/// The order is that of specificity: where candidates of several types overlap, the match bears the type
/// that stands first here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntityType {
    /// A private key in PEM armour (RFC 7468, RFC 4880), whole or cut off.
    PrivateKey,
    /// A JSON Web Token (RFC 7519) or its encrypted form (RFC 7516).
    Jwt,
    /// A credential that a vendor issues in a form of its own, and AWS secret access keys.
    ApiKey,
    /// The credential of an `Authorization` or `Proxy-Authorization` header, or after the word Bearer.
    Authorization,
    /// A value in a `Cookie` or `Set-Cookie` header.
    Cookie,
    /// A password: of a URL, or the value of a name such as `password`.
    Password,
    /// The value of another sensitive name such as `client_secret` or `token`.
    Secret,
    /// A payment card number.
    CreditCard,
    /// An international bank account number (ISO 13616).
    Iban,
    /// A United States social security number.
    Ssn,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// An IPv4 or IPv6 address.
    IpAddress,
}

impl EntityType {
    /// Every type, most specific first.
    pub const ALL: [Self; 13] = [
        Self::PrivateKey,
        Self::Jwt,
        Self::ApiKey,
        Self::Authorization,
        Self::Cookie,
        Self::Password,
        Self::Secret,
        Self::CreditCard,
        Self::Iban,
        Self::Ssn,
        Self::Email,
        Self::Phone,
        Self::IpAddress,
    ];

    /// The stable name, as in a serialized policy.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PrivateKey => "private_key",
            Self::Jwt => "jwt",
            Self::ApiKey => "api_key",
            Self::Authorization => "authorization",
            Self::Cookie => "cookie",
            Self::Password => "password",
            Self::Secret => "secret",
            Self::CreditCard => "credit_card",
            Self::Iban => "iban",
            Self::Ssn => "ssn",
            Self::Email => "email",
            Self::Phone => "phone",
            Self::IpAddress => "ip_address",
        }
    }

    /// Replacement for the removed text: the name in capitals, as `<JWT_REDACTED>` (form fixed by
    /// the specification, section "Redact request and response").
    #[must_use]
    pub const fn placeholder(self) -> &'static str {
        match self {
            Self::PrivateKey => "<PRIVATE_KEY_REDACTED>",
            Self::Jwt => "<JWT_REDACTED>",
            Self::ApiKey => "<API_KEY_REDACTED>",
            Self::Authorization => "<AUTHORIZATION_REDACTED>",
            Self::Cookie => "<COOKIE_REDACTED>",
            Self::Password => "<PASSWORD_REDACTED>",
            Self::Secret => "<SECRET_REDACTED>",
            Self::CreditCard => "<CREDIT_CARD_REDACTED>",
            Self::Iban => "<IBAN_REDACTED>",
            Self::Ssn => "<SSN_REDACTED>",
            Self::Email => "<EMAIL_REDACTED>",
            Self::Phone => "<PHONE_REDACTED>",
            Self::IpAddress => "<IP_ADDRESS_REDACTED>",
        }
    }
}

/// A found secret: the bytes `start..end` of the text, without its name and without the quotes around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Match {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset behind the last byte; more than `start`.
    pub end: usize,
    /// Its type.
    pub entity: EntityType,
}

/// Which types are on, as one word that the scan can test for free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntitySet(u16);

impl EntitySet {
    pub(crate) fn of<'a>(entities: impl IntoIterator<Item = &'a EntityType>) -> Self {
        Self(entities.into_iter().fold(0, |set, entity| set | Self::bit(*entity)))
    }

    pub(crate) fn contains(self, entity: EntityType) -> bool {
        self.0 & Self::bit(entity) != 0
    }

    pub(crate) fn contains_any(self, entities: &[EntityType]) -> bool {
        entities.iter().any(|entity| self.contains(*entity))
    }

    const fn bit(entity: EntityType) -> u16 {
        1 << (entity as u16)
    }
}
