//! Reading a whole ledger file to find damage: every page, every row. Works while a server has the file open; changes nothing.

use std::path::Path;

use bytes::Bytes;
use rusqlite::{Connection, Row};

use super::Config;
use super::damage::{checksum, is_damage, is_of_another_type};
use super::file::{self, FILE_NAME, OpenError};
use crate::Kind;

/// Maximum number of findings reported: a longer list is of no use.
const MOST_FINDINGS: usize = 20;

/// Result of an inspection: rows read, and damage.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// Rows whose checksum matches.
    pub sound_rows: u64,
    /// Descriptions of the damage, at most 20; empty for a sound file.
    pub findings: Vec<String>,
}

/// Reads the ledger in `directory`: SQLite's `PRAGMA quick_check`, then the checksum of every row. Blocks for as long as
/// the disk takes to read the file.
///
/// # Errors
/// [`OpenError`] when the file cannot be opened or read for another reason than damage.
pub fn inspect(directory: &Path, config: &Config) -> Result<Inspection, OpenError> {
    config.check()?;
    let connection = file::open_for_reading(directory, config.busy_timeout())?;
    let mut inspection = Inspection::default();
    for check in [check_pages, check_rows] {
        match check(&connection, &mut inspection) {
            Err(error) if is_damage(&error) => inspection.findings.push(error.to_string()),
            done => done.map_err(|source| OpenError::Sqlite { path: directory.join(FILE_NAME), source })?,
        }
    }
    inspection.findings.truncate(MOST_FINDINGS);
    Ok(inspection)
}

fn check_pages(connection: &Connection, inspection: &mut Inspection) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(&format!("PRAGMA quick_check({MOST_FINDINGS})"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let finding: String = row.get(0)?;
        if finding != "ok" {
            inspection.findings.push(finding);
        }
    }
    Ok(())
}

fn check_rows(connection: &Connection, inspection: &mut Inspection) -> rusqlite::Result<()> {
    let mut statement = connection.prepare("SELECT ledger, kind, key, body, checksum FROM entries")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let finding = match check_row(row) {
            Err(error) if is_of_another_type(&error) => Some(format!("a row: {error}")),
            checked => checked?,
        };
        match finding {
            None => inspection.sound_rows += 1,
            Some(finding) if inspection.findings.len() < MOST_FINDINGS => inspection.findings.push(finding),
            Some(_) => {}
        }
    }
    Ok(())
}

/// Defect of a row.
fn check_row(row: &Row<'_>) -> rusqlite::Result<Option<String>> {
    let (name, number) = (row.get_ref(0)?.as_blob()?, row.get::<_, i64>(1)?);
    let (key, body) = (row.get_ref(2)?.as_blob()?, row.get_ref(3)?.as_blob()?);
    let kind = u8::try_from(number).ok().and_then(Kind::from_number);
    let found = kind.map(|kind| checksum(name, kind, key, body));
    let expected = row.get::<_, i64>(4)?;
    if found.map(i64::from) == Some(expected) {
        return Ok(None);
    }
    let [name, key] = [name, key].map(Bytes::copy_from_slice);
    let kind = kind.map_or_else(|| format!("kind {number}"), |kind| format!("kind {kind:?}"));
    let found = found.map_or_else(|| "no such kind".to_owned(), |found| format!("{found:08x}"));
    Ok(Some(format!(
        "row {key:x} of {kind} in ledger {name:x}: expected checksum {expected:08x}, found {found}"
    )))
}
