//! Checks of packages. Those of texts are in [`super::text`].

use super::*;

/// Points that a name loses in its first days and weeks.
pub(crate) const DAYS_OLD: i16 = 30;
pub(crate) const WEEKS_OLD: i16 = 15;
/// Points for evidence of the publisher that the preceding release of the major line has and this one lacks.
pub(crate) const EVIDENCE_LOST: i16 = 25;

pub(crate) static METADATA: Spec =
    identity("package.metadata", "The registry describes the release").worth(5).required();
pub(crate) static NAME_AGE: Spec =
    identity("package.name_age", "The first release is older than two years").worth(15);
pub(crate) static VERSION_AGE: Spec = identity(
    "package.version_age",
    "The release is older than three days, within which most attacks are found",
)
.worth(-10);
pub(crate) static PUBLISHER: Spec =
    identity("package.publisher", "An account that published earlier releases published this one").worth(-15);
pub(crate) static EVIDENCE: Spec = identity(
    "package.provenance",
    "A signed statement of the build or a trusted workflow published the release",
)
.worth(10);
pub(crate) static REPOSITORY: Spec =
    identity("package.repository", "The registry links a repository of a code host").worth(5);
pub(crate) static REPOSITORY_BACK: Spec =
    identity("package.repository_names_package", "The linked repository names the package").worth(10);
pub(crate) static TYPOSQUAT: Spec =
    identity("package.typosquat", "The name is one edit from a well-known one of another owner")
        .threat(ThreatType::Typosquatting, High);
pub(crate) static CONFUSION: Spec =
    identity("package.private_name", "A public package has a name that the operator lists as private")
        .threat(ThreatType::DependencyConfusion, High);
pub(crate) static ALLOWED: Spec =
    identity("package.allowed", "A list of the operator allows the name").worth(20);
pub(crate) static BLOCKED: Spec = identity("package.blocked", "A list of the operator blocks the name")
    .threat(InstallAttack, High)
    .worth(-50);
pub(crate) static ARCHIVE: Spec =
    behavior("package.archive", "The archives are downloaded, agree with their checksums and are read")
        .required();
pub(crate) static ADVISORY: Spec =
    behavior("package.malicious_advisory", "An advisory reports the release as malicious (OSV, MAL-)")
        .threat(InstallAttack, Critical);
pub(crate) static EARLY: Spec =
    behavior("package.code_early", "Code that executes on installation or import forms a chain of an attack")
        .threat(InstallAttack, Critical);
pub(crate) static CALLED: Spec =
    behavior("package.code_called", "Code that executes when it is called forms a chain of an attack")
        .threat(ThreatType::Exfiltration, High);
pub(crate) static PAYLOAD: Spec = behavior(
    "package.payload",
    "A part of the code resembles malicious packages by its capabilities and words (a linear model)",
)
.threat(InstallAttack, High);
pub(crate) static HOOK: Spec = behavior(
    "package.new_install_hook",
    "The release runs a script on installation that the preceding one lacks",
)
.threat(InstallAttack, Medium);
pub(crate) static UNKNOWN_CODE: Spec =
    behavior("package.code_not_in_repository", "The archive has code that its repository lacks")
        .threat(InstallAttack, Medium);
pub(crate) static OBFUSCATION: Spec =
    content("package.obfuscation", "Code conceals its effects: decoders, packers, invisible characters")
        .threat(Obfuscation, High);
pub(crate) static BINARIES: Spec =
    content("package.binaries", "Programs, bytecode and inner archives, which are not read")
        .threat(Obfuscation, Low);
pub(crate) static AMBIGUOUS: Spec =
    content("package.ambiguous_archive", "Programs unpack different files from the archive")
        .threat(Obfuscation, High);

/// All of them, in the order of results.
pub static ALL: [&Spec; 21] = [
    &METADATA,
    &NAME_AGE,
    &VERSION_AGE,
    &PUBLISHER,
    &EVIDENCE,
    &REPOSITORY,
    &REPOSITORY_BACK,
    &TYPOSQUAT,
    &CONFUSION,
    &ALLOWED,
    &BLOCKED,
    &ARCHIVE,
    &ADVISORY,
    &EARLY,
    &CALLED,
    &PAYLOAD,
    &HOOK,
    &UNKNOWN_CODE,
    &OBFUSCATION,
    &BINARIES,
    &AMBIGUOUS,
];
