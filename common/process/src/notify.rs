//! Notification of the service manager (`sd_notify(3)`): the process is ready, or stopping. Datagrams on the socket that
//! `NOTIFY_SOCKET` names; without the variable nothing is sent.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// Name of the environment variable that holds the address of the service manager's socket.
pub const SOCKET_VARIABLE: &str = "NOTIFY_SOCKET";

/// Sends state changes to the service manager that started the process, if there is one.
#[derive(Clone, Debug, Default)]
pub struct Notifier {
    address: Option<OsString>,
}

impl Notifier {
    /// A notifier for the value of [`SOCKET_VARIABLE`]: an absolute path, or `@` and an abstract name.
    #[must_use]
    pub fn new(address: Option<OsString>) -> Self {
        Self { address: address.filter(|address| !address.is_empty()) }
    }

    /// The process serves. `status` is shown by `systemctl status`.
    pub fn ready(&self, status: &str) {
        self.send(&format!("READY=1\nSTATUS={status}"));
    }

    /// The process has begun to shut down.
    pub fn stopping(&self) {
        self.send("STOPPING=1\nSTATUS=shutting down");
    }

    fn send(&self, state: &str) {
        let Some(address) = &self.address else { return };
        if let Err(error) = send(address, state) {
            // The service manager detects the end by itself, but not readiness, without which the start times out.
            tracing::warn!(%error, ?address, "the service manager could not be notified");
        }
    }
}

fn send(address: &OsStr, state: &str) -> io::Result<()> {
    let socket = UnixDatagram::unbound()?;
    // A manager that does not read must not hold up the process.
    socket.set_nonblocking(true)?;
    let address = match address.as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name)?,
        None => SocketAddr::from_pathname(address)?,
    };
    socket.send_to_addr(state.as_bytes(), &address).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(socket: &UnixDatagram) -> String {
        let mut buffer = [0; 256];
        let length = socket.recv(&mut buffer).unwrap();
        String::from_utf8(buffer[..length].to_vec()).unwrap()
    }

    #[test]
    fn states_arrive_at_a_path_and_at_an_abstract_name() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("notify");
        let name = format!("palisade-notify-{}", std::process::id());
        let abstract_address = SocketAddr::from_abstract_name(&name).unwrap();
        for (socket, address) in [
            (UnixDatagram::bind(&path).unwrap(), path.into_os_string()),
            (UnixDatagram::bind_addr(&abstract_address).unwrap(), format!("@{name}").into()),
        ] {
            let notifier = Notifier::new(Some(address));
            notifier.ready("all roles");
            notifier.stopping();
            assert_eq!(received(&socket), "READY=1\nSTATUS=all roles");
            assert!(received(&socket).starts_with("STOPPING=1\n"));
        }
    }

    #[test]
    fn nothing_is_sent_without_a_socket_and_a_missing_one_does_no_harm() {
        for address in [None, Some(OsString::new()), Some("/nowhere/notify".into())] {
            Notifier::new(address).ready("x");
        }
    }
}
