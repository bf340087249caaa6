//! The file: created with its tables and made durable, or recognised, and each connection set up.
//! Operations on the tables are elsewhere.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use common::format::UnknownFormat;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use thiserror::Error;

use crate::FORMATS;

/// Name of the file in the data directory. SQLite keeps `-wal` and `-shm` files beside it while it is open;
/// all of them belong together.
pub const FILE_NAME: &str = "ledger.sqlite3";

/// `PRAGMA application_id`, so that no other SQLite file is taken for a ledger: "PALI".
const APPLICATION_ID: i32 = 0x5041_4C49;

/// The log is cut back to this after a burst, in bytes.
const LOG_KEPT: i64 = 64 * 1024 * 1024;

/// Keys compare as unsigned bytes: SQLite orders blobs so. The checksum is that of `damage::checksum`.
const SCHEMA: &str = "
    CREATE TABLE ledgers (
        ledger BLOB PRIMARY KEY,
        seq INTEGER NOT NULL
    ) WITHOUT ROWID, STRICT;
    CREATE TABLE entries (
        ledger BLOB NOT NULL,
        kind INTEGER NOT NULL,
        key BLOB NOT NULL,
        body BLOB NOT NULL,
        checksum INTEGER NOT NULL,
        PRIMARY KEY (ledger, kind, key)
    ) WITHOUT ROWID, STRICT;
";

/// Reason why the embedded ledger could not be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// A configured value is out of bounds.
    #[error("ledger.{field} is {found}, expected {least} to {most}")]
    Config {
        /// The field.
        field: &'static str,
        /// Its value.
        found: u32,
        /// The least it may be.
        least: u32,
        /// The most it may be.
        most: u32,
    },
    /// Another server runs on the directory.
    #[error("another server is running on this data directory: {} is locked", path.display())]
    InUse {
        /// The lock file.
        path: PathBuf,
    },
    /// The file is a SQLite database of another program.
    #[error("{} is not a ledger of this product", path.display())]
    NotALedger {
        /// The file.
        path: PathBuf,
    },
    /// The file is written in another format.
    #[error("the ledger {} has {cause}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Its format, and the supported one.
        cause: UnknownFormat,
    },
    /// The file system cannot hold a database that several connections share.
    #[error("{} cannot be kept in WAL mode, SQLite answered {found:?}: use a local file system", path.display())]
    NoWriteAheadLog {
        /// The file.
        path: PathBuf,
        /// The journal mode SQLite fell back to.
        found: String,
    },
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// SQLite refused.
    #[error("{}: {source}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// Reason.
        source: rusqlite::Error,
    },
}

/// Attempts to change the journal mode: one for each of some processes that open a new ledger at once.
const WAL_ATTEMPTS: usize = 16;

/// Opens the connection that writes, and creates the directory, the file and its tables when they are not
/// there.
pub(super) fn open_for_writing(directory: &Path, busy_timeout: Duration) -> Result<Connection, OpenError> {
    let path = directory.join(FILE_NAME);
    let io_error = |source| OpenError::Io { path: path.clone(), source };
    let sqlite_error = |source| OpenError::Sqlite { path: path.clone(), source };
    create_directory(directory).map_err(io_error)?;
    create_private(&path).map_err(io_error)?;
    let connection = connect(&path, busy_timeout)?;
    // Recognised before anything is changed: the journal mode is kept in the file too.
    if !is_empty(&connection).map_err(sqlite_error)? {
        recognise(&connection, &path)?;
    }
    set_up_writing(&connection, &path)?;
    create_tables(&connection).map_err(sqlite_error)?;
    recognise(&connection, &path)?;
    // The name of a file is durable only when its directory is synced.
    sync_directory(directory).map_err(io_error)?;
    Ok(connection)
}

/// Opens a connection that reads.
pub(super) fn open_for_reading(directory: &Path, busy_timeout: Duration) -> Result<Connection, OpenError> {
    let path = directory.join(FILE_NAME);
    let connection = connect(&path, busy_timeout)?;
    connection
        .pragma_update(None, "query_only", true)
        .map_err(|source| OpenError::Sqlite { path: path.clone(), source })?;
    Ok(connection)
}

fn connect(path: &Path, busy_timeout: Duration) -> Result<Connection, OpenError> {
    let sqlite = |source| OpenError::Sqlite { path: path.to_owned(), source };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(sqlite)?;
    connection.busy_timeout(busy_timeout).map_err(sqlite)?;
    Ok(connection)
}

/// Changes the journal mode to WAL; the mode that the file has then. Where several connections change it at once, SQLite answers some of them
/// that the file is locked without waiting, since two that hold a shared lock would wait for each other. These wait for the others by a
/// transaction, which has a time limit, and try again.
fn write_ahead_log(connection: &Connection) -> rusqlite::Result<String> {
    let change = || connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0));
    for _ in 1..WAL_ATTEMPTS {
        match change() {
            Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) => {
                Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?.rollback()?;
            }
            answer => return answer,
        }
    }
    change()
}

fn set_up_writing(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let sqlite = |source| OpenError::Sqlite { path: path.to_owned(), source };
    let found = write_ahead_log(connection).map_err(sqlite)?;
    if !found.eq_ignore_ascii_case("wal") {
        return Err(OpenError::NoWriteAheadLog { path: path.to_owned(), found });
    }
    // FULL syncs the log at every commit. `fullfsync` makes this reach the disk on macOS too.
    connection.pragma_update(None, "synchronous", "full").map_err(sqlite)?;
    connection.pragma_update(None, "fullfsync", true).map_err(sqlite)?;
    connection.pragma_update_and_check(None, "journal_size_limit", LOG_KEPT, |_| Ok(())).map_err(sqlite)
}

/// Creates the tables in an empty file; two processes may try at once, so the question and the answer are in
/// one transaction.
fn create_tables(connection: &Connection) -> rusqlite::Result<()> {
    if !is_empty(connection)? {
        return Ok(());
    }
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    if is_empty(&transaction)? {
        transaction.execute_batch(SCHEMA)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", FORMATS.newest)?;
    }
    transaction.commit()
}

/// Refuses a file that is not a ledger, or whose format, recorded in `PRAGMA user_version`, is not read.
fn recognise(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let value = |pragma| {
        connection
            .pragma_query_value(None, pragma, |row| row.get::<_, i32>(0))
            .map_err(|source| OpenError::Sqlite { path: path.to_owned(), source })
    };
    let found = value("user_version")?;
    if value("application_id")? != APPLICATION_ID {
        return Err(OpenError::NotALedger { path: path.to_owned() });
    }
    let found = u32::try_from(found).map_err(|_| OpenError::NotALedger { path: path.to_owned() })?;
    FORMATS.check(found).map_err(|cause| OpenError::Format { path: path.to_owned(), cause })
}

/// Rewrites the header of the file, unchanged: the smallest real transaction.
pub(super) fn rewrite_header(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "user_version", FORMATS.newest)
}

fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))
}

/// Creates the directory; its name is durable only when the directory around it is synced.
fn create_directory(directory: &Path) -> io::Result<()> {
    if directory.try_exists()? {
        return Ok(());
    }
    fs::create_dir_all(directory)?;
    match directory.canonicalize()?.parent() {
        Some(parent) => sync_directory(parent),
        None => Ok(()),
    }
}

/// Creates the file for its owner only; SQLite gives the files beside it the same mode.
fn create_private(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.sync_all()
}

fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}
