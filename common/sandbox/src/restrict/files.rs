//! No files: those that are open are closed, and none can be opened.

use std::fs;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, Ruleset, RulesetAttr,
    RulesetError, RulesetStatus, Scope,
};
use nix::errno::Errno;

use crate::error::{Feature, Missing};

/// First descriptor that a child does not need: the ones before it are its connection and its messages.
const FIRST_NEEDLESS: i32 = 3;

/// Closes descriptors that the parent left open. Those of Rust programs close themselves on execution; C libraries
/// may forget to ask for that.
pub(crate) fn close_inherited() {
    let Ok(entries) = fs::read_dir("/proc/self/fd") else { return };
    let open: Vec<i32> =
        entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for descriptor in open.into_iter().filter(|descriptor| *descriptor >= FIRST_NEEDLESS) {
        // That of the directory is closed already.
        let _ = nix::unistd::close(descriptor);
    }
}

/// Denies all rights that Landlock controls in this kernel: of the first version at least, which are those on files.
/// Later versions add TCP, abstract UNIX sockets and signals. Returns the version.
pub(crate) fn deny_files() -> Result<u8, Missing> {
    let missing = |reason| Missing { feature: Feature::Landlock, reason };
    let status = restrict().map_err(|_| missing(Errno::last()))?;
    match status.landlock {
        LandlockStatus::Available { effective_abi, .. } if status.ruleset != RulesetStatus::NotEnforced => {
            Ok(effective_abi as u8)
        }
        LandlockStatus::NotEnabled => Err(missing(Errno::EOPNOTSUPP)),
        _ => Err(missing(Errno::ENOSYS)),
    }
}

fn restrict() -> Result<landlock::RestrictionStatus, RulesetError> {
    const NEWEST: ABI = ABI::V7;
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .restrict_self()
}
