//! Recognises a child by its command line.

use crate::task::{Limits, SandboxTask};
use crate::{supervise, work};

/// First argument of a supervisor.
pub(crate) const SUPERVISOR: &str = "sandbox-supervisor";
/// First argument of a worker.
pub(crate) const WORKER: &str = "sandbox-worker";

/// Arguments of a child at most: its role, three of the order, the reason why it has no namespaces.
const MOST_ARGUMENTS: usize = 1 + Order::ARGUMENTS + 1;
/// Exit code of a child whose command line cannot be read.
const ILLEGIBLE: u8 = 2;

/// Task that does nothing: [`Sandbox::probe`](crate::Sandbox::probe).
pub(crate) const PROBE: SandboxTask = SandboxTask {
    name: "probe",
    limits: Limits {
        memory_bytes: 1 << 30,
        cpu_seconds: 1,
        steps: 0,
        wall: std::time::Duration::from_secs(10),
        assignment_bytes: 0,
        reply_bytes: 0,
    },
    run: |_, _| Ok(Vec::new()),
};

/// Limits that a child applies to itself before it reads anything else, and the name of its task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) task: String,
    pub(crate) memory_bytes: u64,
    pub(crate) cpu_seconds: u64,
}

impl Order {
    /// Number of its arguments.
    pub(crate) const ARGUMENTS: usize = 3;

    pub(crate) fn new(task: &SandboxTask) -> Self {
        Self {
            task: task.name.to_owned(),
            memory_bytes: task.limits.memory_bytes,
            cpu_seconds: task.limits.cpu_seconds,
        }
    }

    /// Arguments after the role.
    pub(crate) fn arguments(&self) -> [String; Self::ARGUMENTS] {
        [self.task.clone(), self.memory_bytes.to_string(), self.cpu_seconds.to_string()]
    }

    pub(crate) fn parse(arguments: &[String]) -> Option<Self> {
        let [task, memory_bytes, cpu_seconds, ..] = arguments else { return None };
        Some(Self {
            task: task.clone(),
            memory_bytes: memory_bytes.parse().ok()?,
            cpu_seconds: cpu_seconds.parse().ok()?,
        })
    }
}

/// Does the work of a child, if this process is one, and exits. To be called before anything else in `main`: a child
/// needs a process without threads, and must not read settings or open files.
pub fn enter_if_asked(tasks: &[SandboxTask]) {
    // Arguments of other commands may be any bytes.
    let arguments = std::env::args_os().skip(1).take(MOST_ARGUMENTS).map(|word| word.into_string());
    let arguments: Vec<String> = arguments.map_while(Result::ok).collect();
    let Some((role, rest)) = arguments.split_first() else { return };
    let code = match (role.as_str(), Order::parse(rest)) {
        (SUPERVISOR, Some(order)) => supervise::run(&order),
        (WORKER, Some(order)) => work::run(&order, rest, tasks),
        (SUPERVISOR | WORKER, None) => ILLEGIBLE,
        _ => return,
    };
    std::process::exit(i32::from(code));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_read_as_written() {
        let order = Order::new(&PROBE);
        assert_eq!(Order::parse(&order.arguments()), Some(order));
        assert_eq!(Order::parse(&["probe", "many", "1"].map(str::to_owned)), None);
        assert_eq!(Order::parse(&["probe".to_owned()]), None);
    }
}
