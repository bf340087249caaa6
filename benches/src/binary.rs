//! `palisade serve` as the server of a benchmark.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::senders::Target;

/// Time that the server has to start, in tenths of a second.
const START: u32 = 300;

/// Address of a started server, and the identifiers of its first run.
#[derive(Clone, Debug)]
pub struct Started {
    /// Address of the listener.
    pub address: SocketAddr,
    /// Id of the first source.
    pub source: String,
    /// API key of the first run.
    pub key: String,
}

impl Started {
    /// A path of this server.
    #[must_use]
    pub fn target(self, path: String) -> Target {
        Target { address: self.address, path, key: self.key }
    }
}

/// Starts `palisade serve` with a role, by a command that names the program, and waits until it accepts connections.
///
/// # Panics
/// When the server does not start within 30 seconds: there is nothing to measure then.
#[must_use]
#[expect(clippy::unwrap_used, reason = "without a server there is nothing to measure")]
pub fn start(mut command: Command, directory: &Path, role: &str) -> (Child, Started) {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let server = command
        .args(["serve", "--role", role, "--admin-listen", "off", "--listen", &address.to_string()])
        .arg("--data-dir")
        .arg(directory)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let accepts = || TcpStream::connect(address).is_ok();
    let first_run = directory.join("first-run.json");
    let text = (0..START)
        .find_map(|_| {
            thread::sleep(Duration::from_millis(100));
            fs::read_to_string(&first_run).ok().filter(|_| accepts())
        })
        .unwrap();
    let first_run: serde_json::Value = serde_json::from_str(&text).unwrap();
    let text = |name: &str| first_run.get(name).and_then(|value| value.as_str()).unwrap().to_owned();
    (server, Started { address, source: text("source_id"), key: text("api_key") })
}
