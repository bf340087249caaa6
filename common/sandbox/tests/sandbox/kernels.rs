//! Systems that refuse something that the sandbox needs. A filter of system calls around the whole program stands for
//! them, as container runtimes and service managers have one.

use std::process::{Command, ExitCode};

use nix::libc;
use sandbox::{Feature, SandboxError};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

use crate::{Test, block_on, one_at_a_time};

/// First argument of [`act_if_asked`]; the others are system calls.
const WITHOUT: &str = "probe-without";
/// As container runtimes answer.
const ERRNO: i32 = libc::EPERM;

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("without_namespaces_the_mandatory_layers_remain", without_namespaces),
        ("a_missing_feature_is_named_and_the_task_does_not_run", missing_features),
    ]
}

fn number(call: &str) -> libc::c_long {
    match call {
        "unshare" => libc::SYS_unshare,
        "landlock_create_ruleset" => libc::SYS_landlock_create_ruleset,
        "landlock_restrict_self" => libc::SYS_landlock_restrict_self,
        "prlimit64" => libc::SYS_prlimit64,
        "seccomp" => libc::SYS_seccomp,
        _ => panic!("{call}"),
    }
}

/// As a program: starts a sandbox while system calls are refused, and prints the result.
pub(crate) fn act_if_asked(words: &[String]) -> Option<ExitCode> {
    let (word, calls) = words.split_first()?;
    if word != WITHOUT {
        return None;
    }
    let refused = SeccompAction::Errno(ERRNO.unsigned_abs());
    let rules = calls.iter().map(|call| (number(call), Vec::new())).collect();
    let architecture = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refused, architecture).unwrap();
    seccompiler::apply_filter(&BpfProgram::try_from(filter).unwrap()).unwrap();
    match block_on(one_at_a_time().probe()) {
        Ok(isolation) => println!("started {:?} {}", isolation.namespaces_refused, isolation.landlock),
        Err(SandboxError::Missing(missing)) => {
            println!("missing {:?} {:?}", missing.feature, missing.reason);
        }
        Err(error) => println!("failed {error:?}"),
    }
    Some(ExitCode::SUCCESS)
}

fn probe_without(calls: &[&str]) -> String {
    let output = Command::new("/proc/self/exe").arg(WITHOUT).args(calls).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

fn without_namespaces() {
    let told = probe_without(&["unshare"]);
    assert!(told.starts_with("started Some(EPERM) "), "{told}");
}

fn missing_features() {
    for (call, feature) in [
        ("landlock_create_ruleset", Feature::Landlock),
        ("landlock_restrict_self", Feature::Landlock),
        ("prlimit64", Feature::ResourceLimits),
        ("seccomp", Feature::Seccomp),
    ] {
        let told = probe_without(&["unshare", call]);
        assert!(told.starts_with(&format!("missing {feature:?} ")), "{call}: {told}");
    }
}
