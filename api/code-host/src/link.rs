//! Links that begin a connection. A link carries a `state` (RFC 6749 section 10.12), which passes through the host's pages and says for
//! which organization an installation is made. The state is stored as a hash, expires, and is spent by the commit that connects an
//! installation.
//!
//! The page that asks for the confirmation stores the rest: the installation, the hash of its token, and the right to read as the user,
//! encrypted with a key that is derived from the cookie of the browser and kept nowhere else.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use code_host::{InstallationId, UserToken};
use common::ids::OrganizationId;
use common::pepper::Pepper;
use directory::OneTime;
use rand::RngExt;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// Time for an installation and its confirmation, ten minutes as of an authorization code (RFC 6749 section 4.1.2): a person chooses
/// repositories and reads a page.
pub(crate) const LIFETIME: Duration = Duration::from_secs(600);

/// Links of an organization. 100 in ten minutes are more than people open, and few enough to be read by each creation.
pub(crate) const LINKS: OneTime = OneTime {
    prefix: b"code-host-link/",
    plural: "links for connecting an account that were requested within ten minutes",
    limit: 100,
};

/// Bytes of a secret: not to be guessed.
const SECRET: usize = 32;

/// A link: the organization, and the hash by which its row is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) organization: OrganizationId,
    hash: [u8; 32],
}

/// Progress of a link that is not spent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Progress {
    /// It was given to the organization.
    Requested,
    /// An administrator was asked for the confirmation; the latest page replaces earlier ones.
    Asked(Asked),
}

/// The connection that an administrator was asked to confirm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Asked {
    pub(crate) installation: InstallationId,
    /// Name of the account, as the page shows it.
    pub(crate) account: String,
    /// Number of repositories, as the page shows it.
    pub(crate) repositories: u64,
    /// Hash of the token of the page.
    token: [u8; 32],
    /// Base64 of the token of the user, encrypted for the browser.
    user: String,
}

/// Secrets of a page: the token in its form, and the cookie of the browser.
pub(crate) struct PageSecrets {
    pub(crate) token: String,
    pub(crate) cookie: String,
}

impl Link {
    /// A new one, and its state as text for a URL.
    pub(crate) fn generate(pepper: &Pepper, organization: OrganizationId) -> (Self, String) {
        let secret: [u8; SECRET] = rand::rng().random();
        let text = URL_SAFE_NO_PAD.encode([organization.as_bytes().as_slice(), &secret].concat());
        (Self::new(pepper, organization, &secret), text)
    }

    /// The link of a state; `None` for a text that is no state. Whether it was issued is known by its row.
    pub(crate) fn read(pepper: &Pepper, text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (organization, rest) = bytes.split_first_chunk::<16>()?;
        let secret: &[u8; SECRET] = rest.try_into().ok()?;
        Some(Self::new(pepper, OrganizationId::from_bytes(*organization), secret))
    }

    /// The place of its row.
    pub(crate) fn place(&self) -> (OrganizationId, &[u8; 32]) {
        (self.organization, &self.hash)
    }

    fn new(pepper: &Pepper, organization: OrganizationId, secret: &[u8; SECRET]) -> Self {
        let hash = pepper.hash("code host link 1", &[organization.as_bytes(), secret]);
        Self { organization, hash }
    }
}

impl Asked {
    /// With new secrets, for a page of a link; `None` where the system cannot encrypt.
    pub(crate) fn new(
        (pepper, link): (&Pepper, &Link),
        (installation, account, repositories): (InstallationId, String, u64),
        user: &UserToken,
    ) -> Option<(Self, PageSecrets)> {
        let secrets: [[u8; SECRET]; 2] = rand::rng().random();
        let [token, cookie] = secrets.map(|secret| URL_SAFE_NO_PAD.encode(secret));
        let mut sealed = user.expose().as_bytes().to_vec();
        let key = browser_key(pepper, link, &cookie)?;
        key.seal_in_place_append_tag(nonce(), Aad::empty(), &mut sealed).ok()?;
        let (hash, user) = (token_hash(pepper, link, &token), URL_SAFE_NO_PAD.encode(sealed));
        let asked = Self { installation, account, repositories, token: hash, user };
        Some((asked, PageSecrets { token, cookie }))
    }

    /// Whether a token is that of its page.
    pub(crate) fn has_token(&self, pepper: &Pepper, link: &Link, token: &str) -> bool {
        // In constant time.
        token_hash(pepper, link, token).ct_eq(&self.token).into()
    }

    /// The right to read as the user; `None` for the cookie of another browser.
    pub(crate) fn user(&self, pepper: &Pepper, link: &Link, cookie: &str) -> Option<UserToken> {
        let mut sealed = Zeroizing::new(URL_SAFE_NO_PAD.decode(&self.user).ok()?);
        let opened = browser_key(pepper, link, cookie)?.open_in_place(nonce(), Aad::empty(), &mut sealed);
        Some(UserToken::new(std::str::from_utf8(opened.ok()?).ok()?.to_owned()))
    }
}

fn token_hash(pepper: &Pepper, link: &Link, token: &str) -> [u8; 32] {
    pepper.hash("code host confirmation 1", &[&link.hash, token.as_bytes()])
}

fn browser_key(pepper: &Pepper, link: &Link, cookie: &str) -> Option<LessSafeKey> {
    let key = Zeroizing::new(pepper.hash("code host browser 1", &[&link.hash, cookie.as_bytes()]));
    UnboundKey::new(&AES_256_GCM, key.as_slice()).ok().map(LessSafeKey::new)
}

/// Every cookie is new and encrypts once, so that no nonce is used twice with a key.
fn nonce() -> Nonce {
    Nonce::assume_unique_for_key([0; 12])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_names_its_organization_and_another_state_has_another_row() {
        let (pepper, organization) = (Pepper::new([7; 32]), OrganizationId::from_bytes([3; 16]));
        let (link, text) = Link::generate(&pepper, organization);
        assert_eq!(Link::read(&pepper, &text), Some(link));
        assert_ne!(Link::read(&Pepper::new([8; 32]), &text), Some(link));
        let bytes = URL_SAFE_NO_PAD.decode(&text).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut forged = bytes.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            let forged = Link::read(&pepper, &URL_SAFE_NO_PAD.encode(forged)).unwrap();
            assert_ne!(forged.hash, link.hash, "bit {bit}");
        }
        for text in ["", "a", "ä", &text[1..], &format!("{text}AA")] {
            assert_eq!(Link::read(&pepper, text), None, "{text}");
        }
    }

    #[test]
    fn the_right_of_a_user_is_readable_with_the_cookie_and_the_link_of_the_page_only() {
        let (pepper, organization) = (Pepper::new([7; 32]), OrganizationId::from_bytes([3; 16]));
        let [(link, _), (other, _)] = [(); 2].map(|()| Link::generate(&pepper, organization));
        let user = UserToken::new("ghu_secret".to_owned());
        let about = ("7".parse().unwrap(), "acme".to_owned(), 3);
        let (asked, secrets) = Asked::new((&pepper, &link), about.clone(), &user).unwrap();
        assert_eq!(asked.user(&pepper, &link, &secrets.cookie), Some(user.clone()));
        assert!(asked.has_token(&pepper, &link, &secrets.token));
        let (_, elsewhere) = Asked::new((&pepper, &link), about, &user).unwrap();
        for cookie in ["", &elsewhere.cookie, &secrets.token, &secrets.cookie[1..]] {
            assert_eq!(asked.user(&pepper, &link, cookie), None, "{cookie}");
        }
        assert_eq!(asked.user(&pepper, &other, &secrets.cookie), None);
        for token in ["", &elsewhere.token, &secrets.cookie] {
            assert!(!asked.has_token(&pepper, &link, token), "{token}");
        }
        assert!(!asked.has_token(&pepper, &other, &secrets.token));
        let stored = serde_json::to_string(&Progress::Asked(asked)).unwrap();
        for secret in ["ghu_secret", &secrets.token, &secrets.cookie] {
            assert!(!stored.contains(secret), "{stored}");
        }
    }
}
