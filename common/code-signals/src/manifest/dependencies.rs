//! Dependencies that a manifest names by address.

use super::Manifest;
use crate::endpoint;
use crate::findings::FoundChain;
use crate::report::{Severity, Threat, Time};
use crate::source::SourceFile;

/// Hosts of repositories and of builds of them.
const CODE_HOSTS: [&str; 9] = [
    "github.com",
    "githubusercontent.com",
    "gitlab.com",
    "bitbucket.org",
    "codeberg.org",
    "pkg.pr.new",
    "jsr.io",
    "jsdelivr.net",
    "sheetjs.com",
];

impl Manifest {
    /// Dependencies by address of the metadata of Python.
    pub(super) fn required(&mut self, file: &SourceFile<'_>, number: u32, text: &str) {
        for line in text.lines().filter_map(|line| line.strip_prefix("Requires-Dist:")).take(400) {
            if let Some((name, address)) = line.split_once('@') {
                self.dependency(file, number, name.trim(), address.trim());
            }
        }
    }

    /// A dependency by address comes from no registry: the server at that address decides which code is installed.
    pub(super) fn dependency(&mut self, file: &SourceFile<'_>, number: u32, name: &str, address: &str) {
        if !self.is_package || self.dependencies.len() >= 32 {
            return;
        }
        let Some((severity, host)) = foreign(address) else { return };
        let at = memchr::memmem::find(file.content, address.as_bytes()).unwrap_or(0);
        let line = memchr::memchr_iter(b'\n', file.content.get(..at).unwrap_or_default()).count() + 1;
        let place = (number, u32::try_from(line).unwrap_or(1));
        self.dependencies.push(FoundChain {
            rule: "dependency-by-address",
            severity,
            threat: Threat::InstallAttack,
            source: place,
            sink: place,
            time: Time::Install,
            explanation: format!("The dependency {name} is installed from {host}, not from a registry."),
        });
    }
}

/// The host of an address from which code is installed, if it is neither a registry nor a host of repositories, and how severe
/// that is: without encryption, anybody on the way decides about the code.
pub(crate) fn foreign(address: &str) -> Option<(Severity, String)> {
    let address = address.trim_start_matches("git+");
    let is_encrypted = address.starts_with("https://");
    if !is_encrypted && !address.starts_with("http://") {
        return None;
    }
    let found = endpoint::find(address)?;
    let is_known = matches!(found.reputation, endpoint::Reputation::Registry)
        || CODE_HOSTS.iter().any(|host| endpoint::is_below(&found.host, host));
    if is_known && is_encrypted || found.reputation == endpoint::Reputation::Local {
        return None;
    }
    Some(if is_encrypted {
        (Severity::Medium, found.host)
    } else {
        (Severity::High, format!("{} without encryption", found.host))
    })
}
