//! A real name server (nsd) on loopback.

use std::fmt::Write;
use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::server::{free_address, wait_for};
use crate::skip::{Lacking, skip};

const PROGRAM: &str = "/usr/sbin/nsd";

/// A name server with its zones, until dropped.
pub(super) struct NameServers {
    _directory: tempfile::TempDir,
    address: SocketAddr,
    process: Child,
}

/// Whether a program is installed; a test without it is skipped.
pub(super) fn is_here(program: &str, test: &str) -> bool {
    let is_here = Path::new(program).try_exists().unwrap();
    if !is_here {
        skip(test, Lacking::Daemons, &format!("{program} is not installed"));
    }
    is_here
}

/// A text in the strings of a TXT record, each of at most 255 bytes.
pub(super) fn txt(text: &str) -> String {
    let strings = text.as_bytes().chunks(200).map(|part| format!("\"{}\"", String::from_utf8_lossy(part)));
    format!("TXT ( {} )", strings.collect::<Vec<_>>().join(" "))
}

impl NameServers {
    pub(super) fn is_here(test: &str) -> bool {
        is_here(PROGRAM, test)
    }

    /// Starts it with the records of each zone.
    pub(super) fn start(zones: &[(&str, String)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (path, address) = (directory.path().display().to_string(), free_address());
        let mut settings = format!(
            "server:\n  ip-address: 127.0.0.1@{}\n  zonesdir: \"{path}\"\n  username: \"\"\n  chroot: \"\"\n  \
             pidfile: \"{path}/pid\"\n  logfile: \"{path}/log\"\n  zonelistfile: \"{path}/zones\"\n  \
             xfrdfile: \"{path}/xfrd\"\n  xfrdir: \"{path}\"\n  server-count: 1\nremote-control:\n  control-enable: no\n",
            address.port()
        );
        for (zone, records) in zones {
            let start = format!(
                "$ORIGIN {zone}.\n$TTL 60\n@ SOA ns.{zone}. admin.{zone}. 1 60 60 60 60\n@ NS ns.{zone}.\nns A 127.0.0.1\n"
            );
            fs::write(directory.path().join(zone), start + records).unwrap();
            write!(settings, "zone:\n  name: \"{zone}\"\n  zonefile: \"{zone}\"\n").unwrap();
        }
        let file = directory.path().join("settings");
        fs::write(&file, settings).unwrap();
        let mut command = Command::new(PROGRAM);
        command
            .arg("-d")
            .arg("-c")
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let process = command.spawn().unwrap();
        wait_for("the name server listens", || TcpStream::connect(address).ok());
        Self { _directory: directory, address, process }
    }

    /// As the setting `outbound.name_servers` in the environment.
    pub(super) fn setting(&self) -> String {
        format!(r#"["{}"]"#, self.address)
    }

    pub(super) fn stop(&mut self) {
        if self.process.try_wait().unwrap().is_some() {
            return;
        }
        // By its own id; it ends its children when it is told to stop.
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
    }
}

impl Drop for NameServers {
    fn drop(&mut self) {
        self.stop();
    }
}
