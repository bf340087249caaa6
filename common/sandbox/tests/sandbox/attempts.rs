//! Attempts to do something that no sandboxed task may do. Each takes its object as text, and returns the error of the
//! system, if it fails.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use nix::sys::ptrace;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// An attempt.
pub(crate) type Attempt = fn(&str) -> io::Result<()>;

/// Every attempt, by name.
pub(crate) const ATTEMPTS: [(&str, Attempt); 21] = [
    ("open_a_file", |path| File::open(path).map(drop)),
    ("read_a_directory", |path| fs::read_dir(path).map(drop)),
    ("look_at_a_file", |path| fs::metadata(path).map(drop)),
    ("write_a_file", |path| OpenOptions::new().append(true).open(path)?.write_all(b"x")),
    ("create_a_file", |path| fs::write(format!("{path}.{}", std::process::id()), b"x")),
    ("remove_a_file", |path| fs::remove_file(path)),
    ("link_a_file", |path| fs::hard_link(path, format!("{path}.link"))),
    ("change_a_mode", |path| {
        fs::metadata(path).and_then(|data| fs::set_permissions(path, data.permissions()))
    }),
    ("connect_over_tcp", |address| TcpStream::connect(address).map(drop)),
    ("listen_on_tcp", |_| TcpListener::bind("127.0.0.1:0").map(drop)),
    ("send_over_udp", |address| UdpSocket::bind("127.0.0.1:0")?.send_to(b"x", address).map(drop)),
    ("connect_to_a_path", |path| UnixStream::connect(path).map(drop)),
    ("connect_to_an_abstract_name", |name| {
        UnixStream::connect_addr(&SocketAddr::from_abstract_name(name)?).map(drop)
    }),
    ("listen_on_an_abstract_name", |name| {
        UnixListener::bind_addr(&SocketAddr::from_abstract_name(format!("{name}-{}", std::process::id()))?)
            .map(drop)
    }),
    ("make_a_socket_pair", |_| UnixStream::pair().map(drop)),
    ("execute_a_program", |path| {
        Command::new(path).stdin(Stdio::null()).stdout(Stdio::null()).status().map(drop)
    }),
    ("start_a_thread", |_| thread::Builder::new().spawn(|| ()).map(drop)),
    ("trace_a_process", |id| ptrace::seize(process(id), ptrace::Options::empty()).map_err(io::Error::from)),
    ("signal_a_process", |id| kill(process(id), Signal::SIGCONT).map_err(io::Error::from)),
    ("use_a_descriptor", |number| {
        nix::unistd::close(number.parse::<i32>().unwrap()).map_err(io::Error::from)
    }),
    ("wait_for_time", |_| {
        // The only attempt that succeeds: time is no secret.
        thread::sleep(Duration::ZERO);
        Ok(())
    }),
];

fn process(id: &str) -> Pid {
    Pid::from_raw(id.parse().unwrap())
}
