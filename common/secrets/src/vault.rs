//! Sealing and opening, with the organization's data keys read from its ledger, made when there is none, and
//! wrapped anew when the operator changes keys.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use common::ids::OrganizationId;
use common::row::{BodyError, decode, encode};
use ledger::retry::Attempts;
use ledger::{Kind, Ledger, LedgerError, LedgerId, Op, Range};
use thiserror::Error;
use zeroize::Zeroizing;

use crate::cipher;
use crate::data_key::{DataKey, PREFIX, Wrapped, row_key};
use crate::field_location::FieldLocation;
use crate::keys::{KeyEncryptionKeys, name};
use crate::sealed::{Sealed, SealedError};

/// Most organizations whose data keys are kept in memory, a few bytes each. When there are more, all are forgotten
/// and read again.
const MOST_CACHED: usize = 10_000;
/// Most data keys of one organization.
const MOST_DATA_KEYS: usize = 1_000;

/// Whether an organization has data keys: what it entrusted cannot be read without the key that wraps them.
///
/// # Errors
/// [`LedgerError`].
pub async fn has_data_keys(ledger: &dyn Ledger, organization: OrganizationId) -> Result<bool, LedgerError> {
    let range = Range { prefix: PREFIX, ..Range::default() };
    Ok(!ledger.scan(LedgerId::Organization(organization), Kind::Head, range, 1).await?.is_empty())
}

/// Whether a head in an organization's ledger is a data key.
#[must_use]
pub fn is_data_key(key: &[u8]) -> bool {
    key.starts_with(PREFIX)
}

/// Seals and opens secrets of organizations.
pub struct Vault {
    ledger: Arc<dyn Ledger>,
    keys: KeyEncryptionKeys,
    cached: Mutex<HashMap<(OrganizationId, u32), DataKey>>,
}

/// Result of [`Vault::rewrap`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rewrapped {
    /// Data keys that are wrapped by the current key now.
    pub rewrapped: usize,
    /// Data keys that were already.
    pub current: usize,
    /// Data keys that no configured key unwraps. They stay as they are.
    pub lost: usize,
}

/// Reason why a secret can be neither sealed nor opened.
#[derive(Debug, Error)]
pub enum SecretsError {
    /// The ledger could not be asked.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A row is not what it should be.
    #[error("a data key cannot be read: {0}")]
    Body(#[from] BodyError),
    /// The value does not open.
    #[error(transparent)]
    Sealed(#[from] SealedError),
    /// The key that wraps a data key is not among the configured ones.
    #[error(
        "data key {number} of organization {organization} is wrapped by key {wrapped_by}, which is not configured"
    )]
    KeyMissing {
        /// Whose data key.
        organization: OrganizationId,
        /// Which of them.
        number: u32,
        /// Which key is needed.
        wrapped_by: String,
    },
    /// A data key does not unwrap although its key is there, or is not there at all.
    #[error("data key {number} of organization {organization} is broken or missing")]
    DataKey {
        /// Whose data key.
        organization: OrganizationId,
        /// Which of them.
        number: u32,
    },
    /// Others were always first, or nobody knows whether a commit took effect.
    #[error("every attempt to change the data keys conflicted with another commit")]
    Contended,
    /// The operating system gives no randomness, or the cipher refuses.
    #[error("no random bytes: {0}")]
    Random(String),
}

impl Vault {
    /// Over the organizations' ledgers.
    #[must_use]
    pub fn new(ledger: Arc<dyn Ledger>, keys: KeyEncryptionKeys) -> Self {
        Self { ledger, keys, cached: Mutex::default() }
    }

    /// Seals a value for its location.
    ///
    /// # Errors
    /// [`SecretsError`].
    pub async fn seal(&self, location: &FieldLocation<'_>, plain: &[u8]) -> Result<Sealed, SecretsError> {
        let (number, key) = self.newest(location.organization).await?;
        let nonce = cipher::random::<12>().map_err(|error| SecretsError::Random(error.to_string()))?;
        let bytes = cipher::seal(&key, &nonce, plain, &location.associated_data(number));
        let bytes = bytes.map_err(|_| SecretsError::Random("the value is too long".to_owned()))?;
        Ok(Sealed { data_key: number, bytes })
    }

    /// Opens a value at its location.
    ///
    /// # Errors
    /// [`SecretsError`].
    pub async fn open(
        &self,
        location: &FieldLocation<'_>,
        sealed: &Sealed,
    ) -> Result<Zeroizing<Vec<u8>>, SecretsError> {
        let key = self.data_key(location.organization, sealed.data_key).await?;
        let opened = cipher::open(&key, &sealed.bytes, &location.associated_data(sealed.data_key));
        opened.map_err(|_| SealedError { table: location.table, field: location.field.to_owned() }.into())
    }

    /// Wraps all data keys of an organization by the current key. Afterwards the others are not needed for it.
    ///
    /// # Errors
    /// [`SecretsError`]; what was wrapped anew until then stays so.
    pub async fn rewrap(&self, organization: OrganizationId) -> Result<Rewrapped, SecretsError> {
        let mut attempts = self.attempts(organization);
        while attempts.next().await? {
            let all = self.list(organization).await?;
            let current = self.keys.current().id;
            let (mut ops, mut lost) = (Vec::new(), 0);
            for wrapped in all.iter().filter(|wrapped| wrapped.wrapped_by != current) {
                match self.unwrap(organization, wrapped) {
                    Ok(key) => ops.push(self.wrap(organization, wrapped.number, &key)?),
                    Err(SecretsError::KeyMissing { .. }) => lost += 1,
                    Err(error) => return Err(error),
                }
            }
            let rewrapped = ops.len();
            if ops.is_empty() || attempts.commit(ops).await? {
                return Ok(Rewrapped { rewrapped, current: all.len() - rewrapped - lost, lost });
            }
        }
        Err(SecretsError::Contended)
    }

    /// Begins a new data key where no configured key unwraps the newest: what was sealed stays unreadable, what is
    /// sealed from now on does not. Tells whether it did. Nothing does this by itself: a process that was given the wrong key
    /// would lose what others can read.
    ///
    /// # Errors
    /// [`SecretsError`].
    pub async fn give_up_lost(&self, organization: OrganizationId) -> Result<bool, SecretsError> {
        let mut attempts = self.attempts(organization);
        while attempts.next().await? {
            let Some(newest) = self.list(organization).await?.pop() else { return Ok(false) };
            match self.unwrap(organization, &newest) {
                Ok(_) => return Ok(false),
                Err(SecretsError::KeyMissing { .. }) if newest.number < MOST_DATA_KEYS as u32 => {}
                Err(error) => return Err(error),
            }
            let key = cipher::random().map_err(|error| SecretsError::Random(error.to_string()))?;
            let op = self.wrap(organization, newest.number + 1, &key)?;
            if attempts.commit(vec![op]).await? {
                return Ok(true);
            }
        }
        Err(SecretsError::Contended)
    }

    /// The newest data key of an organization, made when there is none.
    async fn newest(&self, organization: OrganizationId) -> Result<(u32, DataKey), SecretsError> {
        let mut attempts = self.attempts(organization);
        while attempts.next().await? {
            if let Some(wrapped) = self.list(organization).await?.pop() {
                let key = self.unwrap(organization, &wrapped)?;
                return Ok((wrapped.number, self.remember(organization, wrapped.number, key)));
            }
            let key = cipher::random().map_err(|error| SecretsError::Random(error.to_string()))?;
            let op = self.wrap(organization, 1, &key)?;
            if attempts.commit(vec![op]).await? {
                return Ok((1, self.remember(organization, 1, key)));
            }
        }
        Err(SecretsError::Contended)
    }

    async fn data_key(&self, organization: OrganizationId, number: u32) -> Result<DataKey, SecretsError> {
        if let Some(key) = self.cache().get(&(organization, number)) {
            return Ok(key.clone());
        }
        let body =
            self.ledger.get(LedgerId::Organization(organization), Kind::Head, &row_key(number)).await?;
        let wrapped: Wrapped = decode(&body.ok_or(SecretsError::DataKey { organization, number })?)?;
        let key = self.unwrap(organization, &wrapped)?;
        Ok(self.remember(organization, number, key))
    }

    /// By number.
    async fn list(&self, organization: OrganizationId) -> Result<Vec<Wrapped>, SecretsError> {
        let range = Range { prefix: PREFIX, ..Range::default() };
        let ledger = LedgerId::Organization(organization);
        let rows = self.ledger.scan(ledger, Kind::Head, range, MOST_DATA_KEYS).await?;
        Ok(rows.iter().map(|row| decode(&row.body)).collect::<Result<_, _>>()?)
    }

    fn unwrap(&self, organization: OrganizationId, wrapped: &Wrapped) -> Result<DataKey, SecretsError> {
        let number = wrapped.number;
        let Some(opened) = wrapped.unwrap_by(organization, &self.keys) else {
            let wrapped_by = name(wrapped.wrapped_by);
            return Err(SecretsError::KeyMissing { organization, number, wrapped_by });
        };
        opened.map_err(|_| SecretsError::DataKey { organization, number })
    }

    fn wrap(&self, organization: OrganizationId, number: u32, key: &DataKey) -> Result<Op, SecretsError> {
        let nonce = cipher::random().map_err(|error| SecretsError::Random(error.to_string()))?;
        let wrapped = Wrapped::wrap(organization, number, key, self.keys.current(), &nonce);
        let wrapped = wrapped.map_err(|_| SecretsError::DataKey { organization, number })?;
        Ok(Op::Put { kind: Kind::Head, key: row_key(number).into(), body: encode(&wrapped)?.into() })
    }

    fn attempts(&self, organization: OrganizationId) -> Attempts<'_> {
        Attempts::of(self.ledger.as_ref(), LedgerId::Organization(organization))
    }

    fn remember(&self, organization: OrganizationId, number: u32, key: DataKey) -> DataKey {
        let mut cached = self.cache();
        if cached.len() >= MOST_CACHED {
            cached.clear();
        }
        cached.insert((organization, number), key.clone());
        key
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, HashMap<(OrganizationId, u32), DataKey>> {
        // Nothing panics while it is held; if something did, what is in it would still be right.
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
