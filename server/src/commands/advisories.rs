//! `palisade advisories`: import of security advisories of packages, and the state of their index.

use std::path::PathBuf;

use advisories::{Index, Report, Status};
use common::clock::{Clock, SystemClock};
use common::timestamp::Timestamp;
use thiserror::Error;

use super::print;
use crate::Failure;
use crate::cli::{AdvisoriesCommand, Common, Serve};
use crate::settings::{self, Settings};

/// Errors of the command.
#[derive(Debug, Error)]
enum AdvisoriesError {
    #[error("name a directory with OSV files, or set advisories.directories")]
    NoDirectory,
    #[error("{count} files could not be read; the others are imported")]
    Corrupt { count: usize },
}

pub(super) fn run(command: AdvisoriesCommand, common: &Common) -> Result<(), Failure> {
    let settings = settings::load(common, &Serve::default())?;
    let now = SystemClock::new().now();
    match command {
        AdvisoriesCommand::Import { directories } => import(directories, &settings, now),
        AdvisoriesCommand::Status => {
            let index = Index::open(&settings.advisories.index_file(&settings.data_dir))?;
            print(&described(&index.status(), now))
        }
    }
}

fn import(directories: Vec<PathBuf>, settings: &Settings, now: Timestamp) -> Result<(), Failure> {
    let directories =
        if directories.is_empty() { settings.advisories.directories.clone() } else { directories };
    if directories.is_empty() {
        return Err(AdvisoriesError::NoDirectory.into());
    }
    let index = settings.advisories.index_file(&settings.data_dir);
    let report = advisories::import(&directories, &index, now)?;
    print(&summary(&report))?;
    print(&format!("Index: {}", index.display()))?;
    if report.corrupt_files > 0 {
        return Err(AdvisoriesError::Corrupt { count: report.corrupt_files }.into());
    }
    Ok(())
}

fn summary(report: &Report) -> String {
    let named = report.corrupt.iter().map(|corrupt| format!("{}: {}", corrupt.file, corrupt.cause));
    let mut lines: Vec<String> = named.collect();
    let unnamed = report.corrupt_files - report.corrupt.len();
    if unnamed > 0 {
        lines.push(format!("{unnamed} further files could not be read."));
    }
    lines.push(format!(
        "Imported {} advisories of {} packages, {} of malicious packages. Left out: {} withdrawn advisories, {} packages of \
         other ecosystems.",
        report.advisories, report.packages, report.malicious, report.withdrawn, report.left_out
    ));
    lines.join("\n")
}

fn described(status: &Status, now: Timestamp) -> String {
    let hours = status.age(now).as_secs() / 3_600;
    format!(
        "Imported at {} ({hours} hours ago), newest advisory of {}.\n{} advisories of {} packages, {} of malicious packages; {} \
         files could not be read.",
        status.imported_at.to_iso(),
        status.newest.to_iso(),
        status.advisories,
        status.packages,
        status.malicious,
        status.corrupt_files
    )
}
