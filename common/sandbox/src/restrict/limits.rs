//! Limits of resources, and privileges.

use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::Signal;

use crate::enter::Order;
use crate::error::{Feature, Missing};

/// Stack of a worker's only thread. Parsers that descend 50 levels of nested content need more than the usual 8 MiB
/// in builds without optimization. Part of the address space; in force from the next execution on.
const STACK_BYTES: u64 = 64 << 20;

const fn unlimited(reason: Errno) -> Missing {
    Missing { feature: Feature::ResourceLimits, reason }
}

/// Limits of supervisor and worker, except for memory. The supervisor, which waits, uses none of them up.
pub(crate) fn limit(order: &Order) -> Result<(), Missing> {
    prctl::set_no_new_privs().map_err(|reason| Missing { feature: Feature::NoNewPrivileges, reason })?;
    let limits = [
        (Resource::RLIMIT_STACK, STACK_BYTES),
        // No memory image: it would contain the input.
        (Resource::RLIMIT_CORE, 0),
        // No file grows, should one be opened after all.
        (Resource::RLIMIT_FSIZE, 0),
        (Resource::RLIMIT_MEMLOCK, 0),
        (Resource::RLIMIT_MSGQUEUE, 0),
    ];
    for (resource, value) in limits {
        lower(resource, value, value).map_err(unlimited)?;
    }
    // A process that is not the first of its namespace ends with SIGXCPU, any other by the SIGKILL a second later.
    lower(Resource::RLIMIT_CPU, order.cpu_seconds, order.cpu_seconds.saturating_add(1)).map_err(unlimited)
}

/// Limits the address space, and returns whether it was not limited so before: then this process has to be executed
/// again. Its allocator has reserved address space already, which the limit does not take back.
pub(crate) fn limit_memory(order: &Order) -> Result<bool, Missing> {
    let (_, highest) = getrlimit(Resource::RLIMIT_AS).map_err(unlimited)?;
    lower(Resource::RLIMIT_AS, order.memory_bytes, order.memory_bytes).map_err(unlimited)?;
    Ok(highest > order.memory_bytes)
}

/// Sets a limit, unless this process has a lower one already, which it may not raise.
fn lower(resource: Resource, soft: u64, hard: u64) -> Result<(), Errno> {
    let (_, highest) = getrlimit(resource)?;
    setrlimit(resource, soft.min(highest), hard.min(highest))
}

/// Further limits of the worker, which starts no process and opens no file once it is restricted.
pub(crate) fn limit_worker() -> Result<(), Missing> {
    prctl::set_pdeathsig(Signal::SIGKILL)
        .and_then(|()| prctl::set_dumpable(false))
        .map_err(|reason| Missing { feature: Feature::NoNewPrivileges, reason })?;
    setrlimit(Resource::RLIMIT_NPROC, 0, 0).map_err(unlimited)?;
    // Descriptors that are open stay open.
    setrlimit(Resource::RLIMIT_NOFILE, 0, 0).map_err(unlimited)
}
