//! Web pages of several hosts on a real nginx, behind certificates of an authority of the test: one valid, one expired, one for another
//! name; and a registry of domains (RDAP) beside them.

use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};

use common::clock::{Clock, SystemClock};

use super::authority::Authority;
use super::name_servers::{NameServers, is_here};
use crate::server::{Server, free_address, wait_for};
use crate::skip::{Lacking, skip};

const PROGRAM: &str = "/usr/sbin/nginx";
/// Until which certificates are valid that are.
const LATER: &str = "391231235959Z";

/// Hosts with a valid certificate.
const HOSTS: [&str; 6] =
    ["shop.test", "other.test", "young.test", "unlisted.test", "paypa1.test", "bare.test"];

/// The sites with their name server.
pub(super) struct Sites {
    directory: tempfile::TempDir,
    process: Child,
    pub(super) names: NameServers,
    registry: u16,
}

/// An address of loopback for this test alone, on which the port of https is free.
fn own_address() -> Option<Ipv4Addr> {
    let [high, low] = free_address().port().to_be_bytes();
    let address = Ipv4Addr::new(127, 83, high, low);
    TcpListener::bind((address, 443)).ok().map(|_| address)
}

impl Sites {
    /// Starts them; `pages` are paths of the host `shop.test` with their bodies. None where a program or a permission lacks.
    pub(super) fn start(test: &str, pages: &[(&str, String)]) -> Option<Self> {
        if !is_here(PROGRAM, test) || !NameServers::is_here(test) {
            return None;
        }
        let Some(address) = own_address() else {
            skip(test, Lacking::Daemons, "the port 443 may not be used");
            return None;
        };
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        let authority = Authority::new(path);
        authority.issue("valid", &HOSTS, ("200101000000Z", LATER));
        authority.issue("old", &["expired.test"], ("200101000000Z", "210101000000Z"));
        authority.issue("else", &["another.test"], ("200101000000Z", LATER));
        let root = path.join("pages");
        fs::create_dir(&root).unwrap();
        for (name, body) in pages {
            fs::write(root.join(format!("{name}.html")), body).unwrap();
        }
        fs::write(root.join("program.bin"), b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x3e\0").unwrap();
        let registry = free_address().port();
        fs::write(path.join("settings.conf"), settings(&path.display().to_string(), address, registry))
            .unwrap();
        let mut command = Command::new(PROGRAM);
        command.arg("-p").arg(path).arg("-c").arg(path.join("settings.conf"));
        let process = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_for("the web server listens", || TcpStream::connect((address, 443)).ok());
        let names = NameServers::start(&[("test", zone(address))]);
        Some(Self { directory, process, names, registry })
    }

    /// A server that trusts the authority and asks the name server and the registry.
    pub(super) fn server(&self) -> Server {
        let mut server = Server::unstarted();
        server.set("PALISADE__OUTBOUND__NAME_SERVERS", &self.names.setting());
        server.set("PALISADE__OUTBOUND__ALLOW_NETWORKS", r#"["127.0.0.0/8"]"#);
        let authority = self.directory.path().join("authority.pem");
        server.set("PALISADE__OUTBOUND__AUTHORITIES_FILE", authority.to_str().unwrap());
        let registry = format!("http://127.0.0.1:{}/dns.json", self.registry);
        server.set("PALISADE__CONTEXT__RDAP_BOOTSTRAP_URL", &registry);
        server
    }

    /// Requests of the registry so far, by path.
    pub(super) fn asked(&self) -> Vec<String> {
        let log = fs::read_to_string(self.directory.path().join("registry.log")).unwrap_or_default();
        log.lines().filter_map(|line| line.split(' ').nth(1)).map(str::to_owned).collect()
    }
}

impl Drop for Sites {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
    }
}

fn zone(address: Ipv4Addr) -> String {
    let mut zone = String::new();
    for host in HOSTS.iter().chain(&["expired.test", "wrong.test"]) {
        zone.push_str(&format!("{host}. A {address}\n"));
    }
    zone.push_str("shop MX 10 mail.shop\nshop CAA 0 issue \"ca.test\"\nbare MX 0 .\n");
    // Nothing listens there.
    zone.push_str("closed A 127.84.0.1\n");
    zone
}

/// Settings of nginx. Registrations: years ago, three days ago, none.
fn settings(path: &str, address: Ipv4Addr, registry: u16) -> String {
    let event =
        |date: &str| format!(r#"{{"events":[{{"eventAction":"registration","eventDate":"{date}"}}]}}"#);
    let days_ago = SystemClock::new().now().minus(std::time::Duration::from_secs(3 * 24 * 3600)).to_iso();
    let (old, young) = (event("2009-05-01T00:00:00Z"), event(&days_ago));
    let tls = |names: &str, file: &str| {
        format!(
            "server {{ listen {address}:443 ssl; server_name {names}; ssl_certificate {path}/{file}.pem; \
             ssl_certificate_key {path}/{file}.key;"
        )
    };
    let (all, expired, wrong) =
        (tls(&HOSTS.join(" "), "valid"), tls("expired.test", "old"), tls("wrong.test", "else"));
    format!(
        "daemon off;\nmaster_process off;\npid {path}/pid;\nerror_log {path}/error.log;\nevents {{ worker_connections 64; }}\n\
         http {{\n log_format short '$request_method $uri';\n access_log off;\n client_body_temp_path {path}/body; proxy_temp_path {path}/proxy; fastcgi_temp_path {path}/fastcgi;\n \
         uwsgi_temp_path {path}/uwsgi; scgi_temp_path {path}/scgi;\n \
         types {{ text/html html; }}\n default_type text/html;\n root {path}/pages;\n \
         map $http_user_agent $reader {{ default browser; ~Palisade agent; }}\n \
         map $host $strict {{ default \"max-age=63072000\"; bare.test \"\"; }}\n \
         {all} add_header Strict-Transport-Security $strict;\n \
           location = / {{ try_files /plain.html =404; }}\n \
           location = /to-other {{ return 302 https://other.test/; }}\n \
           location = /to-plain-http {{ return 302 http://other.test/; }}\n \
           location = /to-address {{ return 302 https://{address}/; }}\n \
           location = /within {{ return 302 /plain; }}\n \
           location = /download {{ add_header Content-Disposition 'attachment; filename=\"notes.html\"'; try_files /plain.html =404; }}\n \
           location = /program {{ default_type application/octet-stream; try_files /program.bin =404; }}\n \
           location = /cloaked {{ try_files /cloaked-$reader.html =404; }}\n \
           location = /agents-only {{ if ($reader = browser) {{ return 404; }} try_files /plain.html =404; }}\n \
           location / {{ try_files $uri.html =404; }} }}\n \
         {expired} location / {{ try_files /plain.html =404; }} }}\n {wrong} location / {{ try_files /plain.html =404; }} }}\n \
         server {{ listen 127.0.0.1:{registry}; access_log {path}/registry.log short; default_type application/json;\n \
           location = /dns.json {{ return 200 '{{\"services\":[[[\"test\"],[\"http://127.0.0.1:{registry}/rdap/\"]]]}}'; }}\n \
           location = /rdap/domain/young.test {{ return 200 '{young}'; }}\n \
           location = /rdap/domain/unlisted.test {{ return 404; }}\n \
           location /rdap/domain/ {{ return 200 '{old}'; }} }}\n\n}}\n"
    )
}
