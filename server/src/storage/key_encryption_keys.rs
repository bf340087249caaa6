//! The key-encryption keys of organizations' secrets: from the configuration, or a file created once, at
//! the first start. The ledger never contains them, so that a copy of it alone reveals no secret.

use std::io;
use std::path::{Path, PathBuf};

use common::hexadecimal;
use common::ids::OrganizationId;
use directory::DirectoryError;
use ledger::LedgerError;
use rand::TryRng;
use secrets::{KeyEncryptionKeys, KeysError};
use thiserror::Error;

use super::{Ledgers, secret_file};
use crate::settings::Settings;

/// Name of the file in the data directory.
pub(super) const FILE_NAME: &str = "key-encryption-keys";
/// Bytes of a key.
const KEY_BYTES: usize = 32;
/// Most bytes of the file: sixteen keys on lines of their own, and room for white space.
const MAX_FILE_BYTES: usize = 4_096;

/// Reason why there are no key-encryption keys.
#[derive(Debug, Error)]
pub(crate) enum KeyFileError {
    /// They have the wrong form.
    #[error("the key-encryption keys in {place} cannot be used")]
    Malformed {
        /// Setting or file that contains them.
        place: String,
        /// The error.
        source: KeysError,
    },
    /// The file can be neither read nor created.
    #[error("the file of key-encryption keys {} cannot be used", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Not configured in a distributed deployment.
    #[error(
        "there are no key-encryption keys: set secrets.key_encryption_keys_file \
         (PALISADE__SECRETS__KEY_ENCRYPTION_KEYS_FILE) as for every process of the API, or put the file at {}",
        path.display()
    )]
    Missing {
        /// Path that was tried.
        path: PathBuf,
    },
    /// The file is missing, and a new key could not decrypt the secrets stored under the one in it.
    #[error(
        "{} does not exist, and organization {organization} has stored secrets that cannot be decrypted \
        without it: restore it from its backup. If there is no backup, write 64 other hexadecimal digits \
        to it and run palisade key rewrap --give-up-lost",
        path.display()
    )]
    Lost {
        /// Path that was tried.
        path: PathBuf,
        /// The first organization with secrets.
        organization: OrganizationId,
    },
    /// It is unknown whether secrets are stored.
    #[error("organizations cannot be listed")]
    Directory(#[from] DirectoryError),
    /// The same.
    #[error("the stored secrets cannot be read from the ledger")]
    Ledger(#[from] LedgerError),
    /// The operating system provides no randomness.
    #[error("no random bytes for a new key-encryption key")]
    Random(#[source] rand::rngs::SysError),
}

/// The configured keys, else those in the data directory.
pub(super) fn read(settings: &Settings) -> Result<KeyEncryptionKeys, KeyFileError> {
    let path = settings.data_dir.join(FILE_NAME);
    find(settings, &path)?.ok_or(KeyFileError::Missing { path })
}

/// The same, else a new one, stored in the data directory; but not if an old one is missing.
pub(super) async fn read_or_make(
    settings: &Settings,
    ledgers: &Ledgers,
) -> Result<KeyEncryptionKeys, KeyFileError> {
    let path = settings.data_dir.join(FILE_NAME);
    if let Some(keys) = find(settings, &path)? {
        return Ok(keys);
    }
    for organization in ledgers.directory.list_organizations().await? {
        if secrets::has_data_keys(&*ledgers.ledger, organization.id).await? {
            return Err(KeyFileError::Lost { path, organization: organization.id });
        }
    }
    make(&path)
}

/// The existing ones; creates none.
pub(super) fn present(settings: &Settings) -> Result<Option<KeyEncryptionKeys>, KeyFileError> {
    find(settings, &settings.data_dir.join(FILE_NAME))
}

fn find(settings: &Settings, path: &Path) -> Result<Option<KeyEncryptionKeys>, KeyFileError> {
    if let Some(secret) = &settings.secrets.key_encryption_keys {
        return parse(secret.expose(), "the configuration").map(Some);
    }
    match secret_file::read(path, MAX_FILE_BYTES) {
        Ok(text) => parse(&text, &path.display().to_string()).map(Some),
        Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(KeyFileError::File { path: path.to_owned(), source }),
    }
}

fn make(path: &Path) -> Result<KeyEncryptionKeys, KeyFileError> {
    let mut secret = [0_u8; KEY_BYTES];
    rand::rngs::SysRng.try_fill_bytes(&mut secret).map_err(KeyFileError::Random)?;
    let text = hexadecimal::print(&secret);
    secret_file::write(path, &text).map_err(|source| KeyFileError::File { path: path.to_owned(), source })?;
    parse(&text, &path.display().to_string())
}

fn parse(text: &str, place: &str) -> Result<KeyEncryptionKeys, KeyFileError> {
    KeyEncryptionKeys::parse(text)
        .map_err(|source| KeyFileError::Malformed { place: place.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::sync::Arc;

    use common::clock::{ManualClock, SharedClock};
    use common::pepper::Pepper;
    use common::timestamp::Timestamp;
    use ledger::Ledger;
    use secrets::{FieldLocation, Vault};

    use super::*;

    fn settings(data_dir: &Path) -> Settings {
        Settings { data_dir: data_dir.to_owned(), ..Settings::default() }
    }

    fn ledgers() -> Ledgers {
        let ledger: Arc<dyn Ledger> = Arc::new(ledger::memory::MemoryLedger::default());
        let clock: SharedClock = Arc::new(ManualClock::new(Timestamp(0)));
        Ledgers::new(ledger, &clock, Pepper::new([1; 32]))
    }

    #[tokio::test]
    async fn a_key_is_made_once_kept_and_nobody_elses_to_read() {
        let dir = tempfile::tempdir().unwrap();
        let (settings, ledgers) = (settings(dir.path()), ledgers());
        assert!(matches!(read(&settings), Err(KeyFileError::Missing { .. })));
        let first = read_or_make(&settings, &ledgers).await.unwrap();
        assert_eq!(first.current().name(), read_or_make(&settings, &ledgers).await.unwrap().current().name());
        let mode = std::fs::metadata(dir.path().join(FILE_NAME)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[tokio::test]
    async fn a_broken_file_is_refused_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(FILE_NAME), "abc\n").unwrap();
        let error = read_or_make(&settings(dir.path()), &ledgers()).await.unwrap_err();
        assert!(matches!(error, KeyFileError::Malformed { .. }), "{error}");
        assert_eq!(std::fs::read_to_string(dir.path().join(FILE_NAME)).unwrap(), "abc\n");
    }

    #[tokio::test]
    async fn a_key_that_something_was_entrusted_under_is_missed_and_nothing_takes_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let (settings, ledgers) = (settings(dir.path()), ledgers());
        let keys = read_or_make(&settings, &ledgers).await.unwrap();
        let organization = ledgers.directory.create_organization("acme").await.unwrap().id;
        let file = dir.path().join(FILE_NAME);
        std::fs::remove_file(&file).unwrap();
        let again = read_or_make(&settings, &ledgers).await.unwrap();
        assert_ne!(
            again.current().name(),
            keys.current().name(),
            "nothing was entrusted under the first one"
        );

        let vault = Vault::new(Arc::clone(&ledgers.ledger), again);
        let location =
            FieldLocation { organization, table: "webhook_target", row: &[1; 16], field: "signing_secret" };
        vault.seal(&location, b"secret").await.unwrap();
        std::fs::remove_file(&file).unwrap();
        let error = read_or_make(&settings, &ledgers).await.unwrap_err();
        assert!(
            matches!(&error, KeyFileError::Lost { organization: whose, .. } if *whose == organization),
            "{error}"
        );
        assert!(!file.try_exists().unwrap());
    }
}
