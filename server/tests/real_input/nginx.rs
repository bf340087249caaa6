//! A real nginx on loopback with its own settings and pages.

use std::fs;
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::machine::{Daemon, bounded, free_port, printed, program};
use super::server::wait_for;

/// Published files. The last two are there by mistake.
const PAGES: [(&str, &str); 6] = [
    ("index.html", "<h1>Welcome</h1>"),
    ("about.html", "<h1>About us</h1>"),
    ("style.css", "h1 { color: teal }"),
    ("docs/environment.html", "<h1>Settings in .env files</h1>"),
    (".env", "DATABASE_URL=postgres://app@db/app"),
    ("uploads/shell.php", "uid=33(www-data)"),
];

/// The required programs.
pub(crate) struct Programs {
    nginx: PathBuf,
}

/// A running nginx.
pub(crate) struct Nginx {
    directory: tempfile::TempDir,
    port: u16,
    daemon: Option<Daemon>,
}

impl Programs {
    /// Finds them, or reports the missing ones.
    pub(crate) fn find() -> Result<Self, String> {
        program("curl")?;
        Ok(Self { nginx: program("nginx")? })
    }

    /// Version string of nginx.
    pub(crate) fn version(&self) -> String {
        printed(&Command::new(&self.nginx).arg("-v").output().unwrap())
    }
}

impl Nginx {
    /// Starts it and waits until it listens.
    pub(crate) fn start(programs: &Programs) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (path, port) = (directory.path(), free_port());
        for (page, text) in PAGES {
            let page = path.join("pages").join(page);
            fs::create_dir_all(page.parent().unwrap()).unwrap();
            fs::write(page, text).unwrap();
        }
        let settings = path.join("nginx.conf");
        fs::write(&settings, settings_of(path, port)).unwrap();
        let daemon = Daemon::start(
            &programs.nginx,
            ["-p".as_ref(), path.as_os_str(), "-c".as_ref(), settings.as_os_str()],
            &path.join("standard_error"),
        );
        wait_for("nginx listens", || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok());
        Self { directory, port, daemon: Some(daemon) }
    }

    /// Requests a path exactly as written, from an address on loopback; returns the status.
    pub(crate) fn get(&self, from: &str, path: &str) -> u16 {
        let url = format!("http://127.0.0.1:{}{path}", self.port);
        let mut command = bounded("curl");
        command
            .args(["--silent", "--path-as-is", "--globoff", "--interface", from])
            .args(["--user-agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"])
            .args(["--output", "/dev/null", "--write-out", "%{http_code}", &url]);
        printed(&command.output().unwrap()).parse().unwrap()
    }

    /// Sends TLS to the port, like a person who types https by mistake.
    pub(crate) fn speak_tls(&self, from: &str) {
        let url = format!("https://127.0.0.1:{}/", self.port);
        let status = bounded("curl").args(["--silent", "--insecure", "--interface", from, &url]).status();
        assert!(!status.unwrap().success());
    }

    /// Ends it and returns its access log.
    pub(crate) fn stop(mut self) -> String {
        self.daemon = None;
        fs::read_to_string(self.directory.path().join("access.log")).unwrap()
    }
}

fn settings_of(path: &Path, port: u16) -> String {
    let path = path.display();
    format!(
        "daemon off;\nmaster_process off;\npid {path}/pid;\nerror_log {path}/error.log;\n\
         events {{ worker_connections 64; }}\n\
         http {{\n\
           access_log {path}/access.log combined;\n\
           client_body_temp_path {path}/body;\n  proxy_temp_path {path}/proxy;\n  fastcgi_temp_path {path}/fastcgi;\n\
           uwsgi_temp_path {path}/uwsgi;\n  scgi_temp_path {path}/scgi;\n\
           server {{\n\
             listen 127.0.0.1:{port};\n\
             root {path}/pages;\n\
             location = /search {{ return 200 \"results\\n\"; }}\n\
             location = /products {{ return 200 \"products\\n\"; }}\n\
           }}\n\
         }}\n"
    )
}
