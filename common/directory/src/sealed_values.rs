//! Secrets of a row that users set: their form is checked, and they are sealed for the row and the field, before the row is
//! written. A value that was set is never returned.

use std::collections::BTreeMap;

use common::ids::OrganizationId;
use secrets::{FieldLocation, Sealed, SecretsError, Vault};
use thiserror::Error;

/// Most bytes of all headers of a row, names and values.
const MAX_HEADER_BYTES: usize = 8 * 1_024;

/// A row that values are sealed for.
#[derive(Clone, Copy, Debug)]
pub struct RowLocation<'a> {
    /// Owner.
    pub organization: OrganizationId,
    /// Kind of row.
    pub table: &'static str,
    /// Id of the resource.
    pub row: &'a [u8],
}

/// Reason why a value was not sealed.
#[derive(Debug, Error)]
pub enum SealError {
    /// The value is not allowed. The message never contains it.
    #[error("{field}: {reason}")]
    Invalid {
        /// Name of the field, as in the API.
        field: &'static str,
        /// The requirement it violates.
        reason: String,
    },
    /// Secrets cannot be sealed.
    #[error(transparent)]
    Secrets(#[from] SecretsError),
}

impl<'a> RowLocation<'a> {
    /// Location of a field of the row.
    #[must_use]
    pub fn field(self, field: &'a str) -> FieldLocation<'a> {
        FieldLocation { organization: self.organization, table: self.table, row: self.row, field }
    }
}

/// Field that the value of a header is sealed for.
#[must_use]
pub fn header_field(name: &str) -> String {
    format!("header/{name}")
}

/// Seals the values of headers; names may be in any case.
///
/// # Errors
/// [`SealError`].
pub async fn sealed_headers(
    vault: &Vault,
    location: RowLocation<'_>,
    headers: BTreeMap<String, String>,
) -> Result<BTreeMap<String, Sealed>, SealError> {
    let invalid = |reason: String| SealError::Invalid { field: "headers", reason };
    let bytes: usize = headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    if bytes > MAX_HEADER_BYTES {
        return Err(invalid(format!("expected at most {MAX_HEADER_BYTES} bytes, found {bytes}")));
    }
    let mut sealed = BTreeMap::new();
    for (name, value) in headers {
        let name = name.to_ascii_lowercase();
        if !value.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            return Err(invalid(format!("the value of {name:?} has characters that are not visible ASCII")));
        }
        let value = vault.seal(&location.field(&header_field(&name)), value.as_bytes()).await?;
        if sealed.insert(name.clone(), value).is_some() {
            return Err(invalid(format!("{name:?} is given twice")));
        }
    }
    Ok(sealed)
}

/// Seals a text of 1 to `most` characters without control characters.
///
/// # Errors
/// [`SealError`].
pub(crate) async fn sealed_text(
    vault: &Vault,
    location: RowLocation<'_>,
    (field, most): (&'static str, usize),
    text: &str,
) -> Result<Sealed, SealError> {
    let length = text.chars().count();
    let controls = text.chars().filter(|c| c.is_control()).count();
    if length == 0 || length > most || controls > 0 {
        let reason = format!(
            "expected 1 to {most} characters without control characters, found {length} with {controls} of them"
        );
        return Err(SealError::Invalid { field, reason });
    }
    Ok(vault.seal(&location.field(field), text.as_bytes()).await?)
}
