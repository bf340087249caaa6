//! System calls of a restricted worker: an allow list.

use nix::errno::Errno;
use nix::libc;
use nix::unistd::getpid;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

use crate::error::{Feature, Missing};

/// Calls without a condition: bytes over open descriptors, memory, time, and the end. None opens, connects, executes,
/// starts, signals or inspects anything. All others fail with EPERM, which leaves a library that tries one, for
/// example to learn the number of processors, to its own fallback.
const ALLOWED: &[libc::c_long] = &[
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_getrandom,
    libc::SYS_clock_gettime,
    libc::SYS_gettimeofday,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_sigaltstack,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Restricts this process to the allow list, irrevocably.
pub(crate) fn allow_calls() -> Result<(), Missing> {
    let missing = |reason| Missing { feature: Feature::Seccomp, reason };
    // Its architecture is not supported.
    let program = program().map_err(|_| missing(Errno::ENOSYS))?;
    seccompiler::apply_filter(&program).map_err(|_| missing(Errno::last()))
}

fn program() -> Result<BpfProgram, BackendError> {
    let mut rules: std::collections::BTreeMap<_, _> =
        ALLOWED.iter().map(|call| (*call, Vec::new())).collect();
    // Memory that is never executable: code comes from the program's file alone.
    let executable = u64::from(libc::PROT_EXEC.unsigned_abs());
    let data_only =
        || SeccompCondition::new(2, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(executable), 0);
    rules.insert(libc::SYS_mmap, vec![SeccompRule::new(vec![data_only()?])?]);
    rules.insert(libc::SYS_mprotect, vec![SeccompRule::new(vec![data_only()?])?]);
    // A signal to itself: `abort`.
    let own = u64::from(getpid().as_raw().unsigned_abs());
    let itself = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, own)?;
    rules.insert(libc::SYS_tgkill, vec![SeccompRule::new(vec![itself])?]);
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let architecture = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, refused, SeccompAction::Allow, architecture)?.try_into()
}
