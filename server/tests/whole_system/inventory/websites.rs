//! Real web servers on loopback, nginx and Apache, over a generated site with traps.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::server::{free_address, wait_for};
use crate::skip::{Lacking, skip};

/// Directory of Apache's modules on Debian.
const APACHE_MODULES: &str = "/usr/lib/apache2/modules";

/// A web server.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Program {
    Nginx,
    Apache,
}

impl Program {
    fn path(self) -> PathBuf {
        PathBuf::from(match self {
            Self::Nginx => "/usr/sbin/nginx",
            Self::Apache => "/usr/sbin/apache2",
        })
    }

    /// Whether it is installed; a test without it is skipped.
    pub(crate) fn is_here(self, test: &str) -> bool {
        let is_here = self.path().try_exists().unwrap();
        if !is_here {
            skip(test, Lacking::Daemons, &format!("{self:?} is not installed"));
        }
        is_here
    }
}

/// Pages by path, as files below the root.
pub(crate) struct Files(BTreeMap<String, String>);

impl Files {
    /// A tree of pages, each with links to its children: `count` pages, at most five links away from the first.
    pub(crate) fn tree(count: usize) -> Self {
        let mut pages = BTreeMap::new();
        for number in 0..count {
            let mut body = format!("<!doctype html><title>{number}</title><p>{}</p>", "text ".repeat(200));
            // Four children of each page: 341 pages are four links away, and 1,024 more five.
            for child in (number * 4 + 1..=number * 4 + 4).filter(|child| *child < count) {
                write!(body, "<a href=\"{}\">page</a>", page(child)).unwrap();
            }
            pages.insert(if number == 0 { "/index.html".to_owned() } else { page(number) }, body);
        }
        Self(pages)
    }

    pub(crate) fn with(mut self, path: &str, body: impl Into<String>) -> Self {
        self.0.insert(path.to_owned(), body.into());
        self
    }

    /// Adds links to the first page.
    pub(crate) fn link(mut self, links: &[&str]) -> Self {
        let index = self.0.get_mut("/index.html").unwrap();
        links.iter().for_each(|link| write!(index, "<a href=\"{link}\">x</a>").unwrap());
        self
    }

    /// The body of a path, as a web server finds it.
    pub(crate) fn get(&self, path: &str) -> Option<&str> {
        let path = if path == "/" { "/index.html" } else { path };
        self.0.get(path).map(String::as_str)
    }

    fn write(&self, root: &Path) {
        for (path, body) in &self.0 {
            let file = root.join(path.trim_start_matches('/'));
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, body).unwrap();
        }
    }
}

/// Path of a page: words without digits, so that each page is a route of its own.
pub(crate) fn page(number: usize) -> String {
    let word: String = number.to_string().bytes().map(|digit| char::from(digit + 49)).collect();
    format!("/pages/{word}.html")
}

/// Addresses that pages lead to.
pub(crate) struct Traps<'t> {
    /// `/leave` redirects to it.
    pub(crate) outside: &'t str,
    /// On nginx, `/hang` waits for it.
    pub(crate) silent: &'t str,
}

impl<'t> Traps<'t> {
    /// Traps that no page leads to.
    pub(crate) fn none(anywhere: &'t str) -> Self {
        Self { outside: anywhere, silent: anywhere }
    }
}

/// A running web server.
pub(crate) struct Website {
    directory: tempfile::TempDir,
    port: u16,
    process: Child,
}

impl Website {
    pub(crate) fn start(program: Program, files: &Files, traps: &Traps<'_>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (path, port) = (directory.path(), free_address().port());
        // Workers run as another user.
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        files.write(&path.join("pages-root"));
        let settings = path.join("settings.conf");
        let mut command = Command::new(program.path());
        match program {
            Program::Nginx => {
                fs::write(&settings, nginx(path, port, traps)).unwrap();
                command.arg("-p").arg(path).arg("-c").arg(&settings);
            }
            Program::Apache => {
                fs::write(&settings, apache(path, port, traps)).unwrap();
                command.arg("-DFOREGROUND").arg("-f").arg(&settings);
            }
        }
        let process = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_for("the web server listens", || TcpStream::connect(("127.0.0.1", port)).ok());
        Self { directory, port, process }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Paths of its requests, in order.
    pub(crate) fn requested(&self) -> Vec<String> {
        let log = fs::read_to_string(self.directory.path().join("access.log")).unwrap_or_default();
        let lines = log.lines().filter_map(|line| line.split('"').nth(1)?.split(' ').nth(1));
        lines.map(str::to_owned).collect()
    }
}

impl Drop for Website {
    fn drop(&mut self) {
        // By its own id; Apache ends its children when it is told to stop.
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
    }
}

/// Settings of nginx: pages, a redirect out of the site, and a calendar without an end.
fn nginx(path: &Path, port: u16, traps: &Traps<'_>) -> String {
    let (path, outside, silent) = (path.display(), traps.outside, traps.silent);
    format!(
        "daemon off;\nmaster_process off;\npid {path}/pid;\nerror_log {path}/error.log;\n\
         events {{ worker_connections 64; }}\n\
         http {{\n\
           access_log {path}/access.log combined;\n\
           client_body_temp_path {path}/body;\n  proxy_temp_path {path}/proxy;\n  fastcgi_temp_path {path}/fastcgi;\n\
           uwsgi_temp_path {path}/uwsgi;\n  scgi_temp_path {path}/scgi;\n\
           types {{ text/html html; text/javascript js; application/json json; text/xml xml; text/plain txt; }}\n\
           server {{\n\
             listen 127.0.0.1:{port};\n\
             root {path}/pages-root;\n\
             location = /leave {{ return 302 {outside}; }}\n\
             location = /hang {{ proxy_pass {silent}; }}\n\
             location ~ \"^/calendar/(?<page>[0-9]+)$\" {{ default_type text/html; return 200 \"<a href=/calendar/${{page}}1>next</a>\"; }}\n\
           }}\n\
         }}\n"
    )
}

/// The same for Apache.
fn apache(path: &Path, port: u16, traps: &Traps<'_>) -> String {
    let (path, outside) = (path.display(), traps.outside);
    let modules: String = ["mpm_event", "authz_core", "dir", "mime", "alias", "log_config"]
        .iter()
        .map(|name| format!("LoadModule {name}_module {APACHE_MODULES}/mod_{name}.so\n"))
        .collect();
    // Each page of the calendar links to one below it.
    fs::write(format!("{path}/pages-root/calendar.html"), "<a href=next/>next</a>").unwrap();
    let modules: String = modules
        .lines()
        .filter(|line| Path::new(line.rsplit(' ').next().unwrap()).try_exists().unwrap())
        .fold(String::new(), |all, line| all + line + "\n");
    format!(
        "ServerRoot {path}\nServerName 127.0.0.1\nListen 127.0.0.1:{port}\nPidFile {path}/pid\nMutex file:{path}\n\
         {modules}\
         User www-data\nGroup www-data\nErrorLog {path}/error.log\n\
         LogFormat \"%h \\\"%r\\\" %>s\" short\nCustomLog {path}/access.log short\n\
         TypesConfig /dev/null\nAddType text/html .html\nAddType text/javascript .js\nAddType application/json .json\n\
         AddType text/xml .xml\nAddType text/plain .txt\n\
         DocumentRoot {path}/pages-root\nDirectoryIndex index.html\n\
         <Directory {path}/pages-root>\nRequire all granted\n</Directory>\n\
         Redirect 302 /leave {outside}\n\
         AliasMatch ^/calendar/.*$ {path}/pages-root/calendar.html\n"
    )
}
