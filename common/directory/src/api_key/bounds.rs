//! Bounds of keys that a key creates: no scope that it lacks, and no life longer than its own.

use common::timestamp::Timestamp;

use super::ApiKey;
use crate::error::DirectoryError;

impl ApiKey {
    /// Refuses scopes that this key lacks; `None` is all of them.
    pub(super) fn check_scopes(&self, scopes: Option<&[String]>) -> Result<(), DirectoryError> {
        let Some(own) = &self.scopes else { return Ok(()) };
        let exceeding = match scopes {
            None => "every scope",
            Some(scopes) => match scopes.iter().find(|scope| !own.contains(scope)) {
                None => return Ok(()),
                Some(scope) => scope,
            },
        };
        let own = own.join(", ");
        Err(forbidden(format!(
            "the other API key has more scopes ({exceeding}) than that of the request ({own})"
        )))
    }

    /// Refuses an expiry after that of this key; `None` is never.
    pub(super) fn check_expiry(&self, expires_at: Option<Timestamp>) -> Result<(), DirectoryError> {
        let Some(own) = self.expires_at else { return Ok(()) };
        if expires_at.is_some_and(|expires_at| expires_at <= own) {
            return Ok(());
        }
        let (own, found) = (own.to_iso(), expires_at.map_or_else(|| "never".to_owned(), Timestamp::to_iso));
        Err(forbidden(format!(
            "the other API key would outlive that of the request: expected expires_at of at most {own}, found {found}"
        )))
    }
}

fn forbidden(reason: String) -> DirectoryError {
    DirectoryError::Forbidden { reason }
}
