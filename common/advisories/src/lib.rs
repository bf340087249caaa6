//! Security advisories of packages (OSV schema): files and ZIP files of directories become one index file, in which a package and
//! version are looked up. Blocking: callers run it on threads for blocking work.
//!
//! # Contract
//!
//! * **Import** ([`import`]) reads every `.json` and `.zip` below its directories, without following links. A file that cannot be
//!   read is named with the cause in the [`Report`], and the others are imported. Withdrawn advisories and other ecosystems are
//!   counted and left out; of two files with one id the newer one counts.
//! * **Replacement.** The index is written beside its place, synchronized and renamed, so that readers see the old or the new one.
//!   Without any advisory nothing is replaced.
//! * **Look-up** ([`Index::lookup`]) reads one block of the file. Blocks and their table have checksums; a wrong one is
//!   [`IndexError::Damaged`].
//! * **Age.** [`Status`] has the times of the import and of the newest advisory; a missing index is [`IndexError::Absent`], never an
//!   empty answer.
//! * **Bounds** are named beside each: files 16 MiB, ZIP files 1,000,000 entries and 32 GiB inflated, 3,000,000 entries of packages.
//!
//! | file | content |
//! |---|---|
//! | `osv.rs` | one advisory to entries of packages |
//! | `import.rs` | directories to the index |
//! | `entry.rs` | an entry, and whether it concerns a version |
//! | `write.rs`, `index.rs` | the index file |

mod entry;
mod import;
mod index;
mod osv;
mod write;

pub use entry::{Advisory, Severity};
pub use import::{Corrupt, ImportError, Report, import};
pub use index::{Index, IndexError, Lookup, Source, Status};
