//! The number of rows with a prefix, kept in a row of its own, so that a limit is checked without reading them all. Each
//! commit that creates or deletes such a row writes the count too, so that it is exact after crashes and commits of unknown
//! outcome.

use common::row::{decode, encode};
use ledger::{Kind, LedgerId, Op};

use crate::directory::Directory;
use crate::error::DirectoryError;

/// Prefix of counts, before the prefix of the rows that are counted.
const COUNTS: &[u8] = b"count/";

/// The count of the rows with a prefix.
pub(crate) struct Counter<'a> {
    pub(crate) ledger: LedgerId,
    pub(crate) prefix: &'a [u8],
    /// Name of the things counted, in plural.
    pub(crate) things: &'static str,
    pub(crate) limit: usize,
}

impl Counter<'_> {
    /// The operation that counts one more; `Full` at the limit. Exact in a commit at a sequence number from before this
    /// read.
    pub(crate) async fn add(&self, directory: &Directory) -> Result<Op, DirectoryError> {
        let count = self.read(directory).await?;
        if count >= self.limit {
            return Err(DirectoryError::Full { things: self.things, limit: self.limit });
        }
        self.put(count + 1)
    }

    /// The operation that counts so many less.
    pub(crate) async fn subtract(&self, directory: &Directory, removed: usize) -> Result<Op, DirectoryError> {
        self.put(self.read(directory).await?.saturating_sub(removed))
    }

    /// The count, exact as [`Counter::add`] says.
    pub(crate) async fn read(&self, directory: &Directory) -> Result<usize, DirectoryError> {
        let body = directory.ledger.get(self.ledger, Kind::State, &self.key()).await?;
        Ok(body.map(|body| decode(&body)).transpose()?.unwrap_or_default())
    }

    pub(crate) fn put(&self, count: usize) -> Result<Op, DirectoryError> {
        Ok(Op::Put { kind: Kind::State, key: self.key().into(), body: encode(&count)?.into() })
    }

    fn key(&self) -> Vec<u8> {
        [COUNTS, self.prefix].concat()
    }
}
