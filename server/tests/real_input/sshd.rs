//! A real sshd on loopback with its own keys and settings. If the machine allows it, it runs in a
//! mount namespace with its own accounts, so that a guessed password can be the right one and the
//! machine's accounts and login records are never touched.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::machine::{Daemon, bounded, free_port, printed, program, run};
use super::server::wait_for;

/// The user that exists only in the namespace, and that user's password.
pub(crate) const GUESSABLE: (&str, &str) = ("deploy", "Sommer2026!");
/// The password above, as in crypt(5).
const GUESSABLE_HASH: &str =
    "$6$palisade$AK3h7/3z/Eupmpm35wxXCQItPDzBk3mb8b5L.rgn0FtST32oZ1IysKBtmMCELUdwHa7yWM77RF/dioScGU47k.";

/// Gives the shell that runs it accounts and login records of its own, then becomes sshd.
const IN_A_NAMESPACE: &str = r#"set -e
mount --bind "$1/passwd" /etc/passwd
mount --bind "$1/shadow" /etc/shadow
mount -t tmpfs tmpfs /var/log
mount -t tmpfs tmpfs /run
mkdir -m 755 /run/sshd
exec "$2" -D -e -f "$1/sshd_config""#;

/// The required programs.
pub(crate) struct Programs {
    sshd: PathBuf,
    ssh: PathBuf,
    ssh_keygen: PathBuf,
    namespaces: bool,
}

/// A running sshd.
pub(crate) struct Sshd {
    directory: tempfile::TempDir,
    programs: Programs,
    port: u16,
    daemon: Option<Daemon>,
}

/// Authentication of a client.
#[derive(Clone, Copy)]
pub(crate) enum Proof<'p> {
    /// The same password as often as it is requested.
    Password(&'p str, u32),
    /// The key that is accepted for root.
    Key,
    /// An unknown key.
    OtherKey,
}

impl Programs {
    /// Finds them, or reports the missing ones.
    pub(crate) fn find() -> Result<Self, String> {
        let programs = Self {
            sshd: program("sshd")?,
            ssh: program("ssh")?,
            ssh_keygen: program("ssh-keygen")?,
            namespaces: has_namespaces(),
        };
        if run(Command::new("id").arg("-u")) != "0" {
            return Err("sshd checks passwords as root only".to_owned());
        }
        Ok(programs)
    }

    /// Version string of OpenSSH.
    pub(crate) fn version(&self) -> String {
        printed(&Command::new(&self.ssh).arg("-V").output().unwrap())
    }

    /// Whether the account of [`GUESSABLE`] exists.
    pub(crate) fn has_guessable_account(&self) -> bool {
        self.namespaces
    }
}

fn has_namespaces() -> bool {
    let mut command = bounded("unshare");
    command.args(["--mount", "--propagation", "private", "mount", "-t", "tmpfs", "tmpfs", "/run"]);
    command.output().is_ok_and(|output| output.status.success())
}

impl Sshd {
    /// Starts it and waits until it listens.
    pub(crate) fn start(programs: Programs) -> Self {
        let sshd =
            Self { directory: tempfile::tempdir().unwrap(), port: free_port(), programs, daemon: None };
        sshd.write_files();
        let daemon = sshd.run();
        wait_for("sshd listens", || sshd.log().contains("Server listening").then_some(()));
        Self { daemon: Some(daemon), ..sshd }
    }

    fn run(&self) -> Daemon {
        let log = self.path().join("log");
        if self.programs.namespaces {
            let arguments = ["--mount", "--propagation", "private", "sh", "-c", IN_A_NAMESPACE, "sh"];
            let arguments = arguments.map(PathBuf::from);
            let more = [self.path().to_owned(), self.programs.sshd.clone()];
            return Daemon::start(Path::new("unshare"), arguments.into_iter().chain(more), &log);
        }
        fs::create_dir_all("/run/sshd").unwrap();
        let settings = self.path().join("sshd_config");
        Daemon::start(
            &self.programs.sshd,
            ["-D".as_ref(), "-e".as_ref(), "-f".as_ref(), settings.as_os_str()],
            &log,
        )
    }

    fn write_files(&self) {
        let path = self.path();
        for key in ["host_key", "known_key", "other_key"] {
            run(Command::new(&self.programs.ssh_keygen)
                .args(["-q", "-t", "ed25519", "-N", "", "-f"])
                .arg(path.join(key)));
        }
        fs::copy(path.join("known_key.pub"), path.join("authorized_keys")).unwrap();
        let passwd = "root:x:0:0:root:/root:/bin/sh\nsshd:x:101:65534::/run/sshd:/bin/false\ndeploy:x:61234:61234::/:/bin/sh\n";
        fs::write(path.join("passwd"), passwd).unwrap();
        let shadow = format!("root:*:20000::::::\nsshd:!:20000::::::\ndeploy:{GUESSABLE_HASH}:20000::::::\n");
        fs::write(path.join("shadow"), shadow).unwrap();
        run(Command::new("chmod").arg("600").arg(path.join("shadow")));
        // The client asks this program for the password. sshpass would do, but answers only once.
        fs::write(path.join("askpass"), "#!/bin/sh\nprintf '%s\\n' \"$PASSWORD_TO_TRY\"\n").unwrap();
        run(Command::new("chmod").arg("700").arg(path.join("askpass")));
        self.write_settings("PerSourcePenalties no\n");
        // Servers before 9.8 do not know the penalties, which would hide most of the attack.
        let known = bounded(&self.programs.sshd).arg("-t").arg("-f").arg(path.join("sshd_config")).output();
        if !known.unwrap().status.success() {
            self.write_settings("");
        }
    }

    fn write_settings(&self, more: &str) {
        let directory = self.path().display();
        let settings = format!(
            "ListenAddress 127.0.0.1\nPort {}\nHostKey {directory}/host_key\nPidFile none\n\
             AuthorizedKeysFile {directory}/authorized_keys\nStrictModes no\nPermitRootLogin prohibit-password\n\
             PasswordAuthentication yes\nKbdInteractiveAuthentication no\nUsePAM no\nLogLevel VERBOSE\n\
             ForceCommand true\nPermitTTY no\nDisableForwarding yes\nMaxStartups 100\n{more}",
            self.port
        );
        fs::write(self.path().join("sshd_config"), settings).unwrap();
    }

    /// One connection from an address on loopback; returns whether it was accepted.
    pub(crate) fn connect(&self, from: &str, user: &str, proof: Proof<'_>) -> bool {
        let mut command = bounded(&self.programs.ssh);
        command.args(["-F", "none", "-p", &self.port.to_string(), "-b", from, "-l", user]);
        for option in [
            "StrictHostKeyChecking=no",
            "UserKnownHostsFile=/dev/null",
            "IdentitiesOnly=yes",
            "ConnectTimeout=5",
        ] {
            command.args(["-o", option]);
        }
        let key = |name: &str| self.path().join(name).into_os_string();
        match proof {
            Proof::Password(password, times) => command
                .args(["-o", "PreferredAuthentications=password"])
                .args(["-o", &format!("NumberOfPasswordPrompts={times}")])
                .env("SSH_ASKPASS", key("askpass"))
                .env("SSH_ASKPASS_REQUIRE", "force")
                .env("PASSWORD_TO_TRY", password),
            Proof::Key => command.args(["-o", "BatchMode=yes", "-i"]).arg(key("known_key")),
            Proof::OtherKey => command.args(["-o", "BatchMode=yes", "-i"]).arg(key("other_key")),
        };
        command.env_remove("SSH_AUTH_SOCK").args(["127.0.0.1", "true"]).output().unwrap().status.success()
    }

    /// Whether the account of [`GUESSABLE`] exists.
    pub(crate) fn has_guessable_account(&self) -> bool {
        self.programs.has_guessable_account()
    }

    /// Ends it and returns its output.
    pub(crate) fn stop(mut self) -> String {
        self.daemon = None;
        self.log()
    }

    fn log(&self) -> String {
        fs::read_to_string(self.path().join("log")).unwrap()
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }
}
