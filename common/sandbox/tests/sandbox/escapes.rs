//! Every attempt fails inside with EPERM, the answer of the allow list, and succeeds in the same moment outside.

use std::io::{self, Read};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::{Child, Command, ExitCode, Stdio};

use nix::fcntl::{FcntlArg, fcntl};
use sandbox::{Limits, SandboxTask};

use crate::attempts::ATTEMPTS;
use crate::{Test, run};

/// `name` of an attempt, a space and its object: the number of the error, or 0.
const ATTEMPT: SandboxTask = SandboxTask {
    name: "attempt",
    limits: LIMITS,
    run: |assignment, _| Ok(attempt(assignment).to_le_bytes().to_vec()),
};
/// Number of this process in its namespace.
const OWN_NUMBER: SandboxTask = SandboxTask {
    name: "own_number",
    limits: LIMITS,
    run: |_, _| Ok(std::process::id().to_le_bytes().to_vec()),
};
/// Number of variables of the environment.
const ENVIRONMENT: SandboxTask = SandboxTask {
    name: "environment",
    limits: LIMITS,
    run: |_, _| Ok(std::env::vars_os().count().to_le_bytes().to_vec()),
};
const LIMITS: Limits = Limits {
    memory_bytes: 1 << 30,
    cpu_seconds: 5,
    steps: 10,
    wall: std::time::Duration::from_secs(30),
    assignment_bytes: 1 << 10,
    reply_bytes: 1 << 10,
};

pub(crate) fn tasks() -> [SandboxTask; 3] {
    [ATTEMPT, OWN_NUMBER, ENVIRONMENT]
}

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("files_cannot_be_reached", files),
        ("sockets_cannot_be_made", sockets),
        ("processes_cannot_be_started_or_touched", processes),
        ("processes_cannot_be_read", other_processes),
        ("descriptors_are_not_inherited", descriptors),
        ("the_environment_is_empty", environment),
        ("the_worker_is_alone_in_its_namespaces", alone),
        ("time_may_be_waited_for_no_longer_than_the_allow_list_says", time),
    ]
}

fn attempt(assignment: &[u8]) -> i32 {
    let text = std::str::from_utf8(assignment).unwrap();
    let (name, object) = text.split_once(' ').unwrap();
    let (_, attempt) = ATTEMPTS.iter().find(|(known, _)| *known == name).unwrap();
    match attempt(object) {
        Ok(()) => 0,
        // The standard library invents some errors.
        Err(error) => error.raw_os_error().unwrap_or(-1),
    }
}

fn inside(name: &str, object: &str) -> i32 {
    let reply = run(&ATTEMPT, format!("{name} {object}").as_bytes()).unwrap();
    i32::from_le_bytes(reply.try_into().unwrap())
}

fn assert_refused(name: &str, object: &str) {
    let told = inside(name, object);
    assert_eq!(told, nix::libc::EPERM, "{name} {object}: {}", io::Error::from_raw_os_error(told));
    assert_eq!(attempt(format!("{name} {object}").as_bytes()), 0, "{name} {object} fails outside too");
}

fn files() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    std::fs::write(&path, "content").unwrap();
    let path = path.to_str().unwrap();
    assert_refused("read_a_directory", directory.path().to_str().unwrap());
    for name in
        ["open_a_file", "look_at_a_file", "write_a_file", "create_a_file", "link_a_file", "change_a_mode"]
    {
        assert_refused(name, path);
    }
    // Their contents are its own program, and what it was told at start.
    for path in ["/proc/self/exe", "/proc/self/environ", "/proc/self/maps", "/dev/null", "/etc/passwd"] {
        assert_refused("open_a_file", path);
    }
    assert_refused("remove_a_file", path);
}

fn sockets() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    assert_refused("connect_over_tcp", &tcp.local_addr().unwrap().to_string());
    assert_refused("listen_on_tcp", "");
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    assert_refused("send_over_udp", &udp.local_addr().unwrap().to_string());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("socket");
    let _by_path = UnixListener::bind(&path).unwrap();
    assert_refused("connect_to_a_path", path.to_str().unwrap());
    let name = format!("palisade-test-{}", std::process::id());
    let _by_name = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    assert_refused("connect_to_an_abstract_name", &name);
    assert_refused("listen_on_an_abstract_name", &name);
    assert_refused("make_a_socket_pair", "");
}

/// A process to be attacked: it ends when its input ends.
struct Victim(Child);

impl Victim {
    fn start() -> Self {
        let child = Command::new("/bin/cat")
            .env("SECRET", "value")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Self(child)
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn processes() {
    assert_refused("execute_a_program", "/bin/true");
    assert_refused("start_a_thread", "");
    let victim = Victim::start();
    let id = victim.0.id().to_string();
    assert_refused("signal_a_process", &id);
    assert_refused("trace_a_process", &id);
    // The parent itself.
    assert_refused("signal_a_process", &std::process::id().to_string());
    assert_eq!(inside("trace_a_process", &std::process::id().to_string()), nix::libc::EPERM);
}

fn other_processes() {
    let victim = Victim::start();
    for file in ["environ", "cmdline", "maps", "status", "mem"] {
        assert_refused("open_a_file", &format!("/proc/{}/{file}", victim.0.id()));
        assert_refused("open_a_file", &format!("/proc/{}/{file}", std::process::id()));
    }
    assert_refused("read_a_directory", "/proc");
}

/// Arguments of [`act_if_asked`].
const HOLD_OPEN: &str = "hold-a-descriptor-open";

/// As a program: tries in the sandbox to use a descriptor that is not closed on execution.
pub(crate) fn act_if_asked(words: &[String]) -> Option<ExitCode> {
    let [word] = words else { return None };
    if word != HOLD_OPEN {
        return None;
    }
    let file = std::fs::File::open("/dev/null").unwrap();
    // Not closed on execution, and beyond those that a worker opens itself.
    let number = fcntl(&file, FcntlArg::F_DUPFD(100)).unwrap();
    // Another program inherits it, which the test would not notice otherwise.
    let listed = Command::new("/bin/ls").arg(format!("/proc/self/fd/{number}")).output().unwrap();
    assert!(listed.status.success(), "the descriptor is not inherited by any program");
    assert_eq!(inside("use_a_descriptor", &number.to_string()), nix::libc::EBADF);
    println!("closed");
    Some(ExitCode::SUCCESS)
}

fn descriptors() {
    let mut program = Command::new("/proc/self/exe").arg(HOLD_OPEN).stdout(Stdio::piped()).spawn().unwrap();
    let mut told = String::new();
    program.stdout.take().unwrap().read_to_string(&mut told).unwrap();
    assert!(program.wait().unwrap().success());
    assert_eq!(told, "closed\n");
}

fn environment() {
    let count = run(&ENVIRONMENT, b"").unwrap();
    assert_eq!(usize::from_le_bytes(count.try_into().unwrap()), 0);
    assert!(std::env::vars_os().count() > 0, "there is no environment to be hidden");
}

fn alone() {
    let isolation = crate::block_on(crate::one_at_a_time().probe()).unwrap();
    let number = u32::from_le_bytes(run(&OWN_NUMBER, b"").unwrap().try_into().unwrap());
    assert_eq!(number == 1, isolation.namespaces_refused.is_none(), "{number}, {isolation:?}");
    assert!(isolation.landlock >= 1);
}

fn time() {
    // Sleeping is of no use to a task, and is not on the list; a sleep of no length calls nothing.
    assert_eq!(inside("wait_for_time", ""), 0);
}
