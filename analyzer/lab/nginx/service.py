"""nginx with basic authentication, rules of access and limits; both logs at the levels that its package sets."""

from runner import web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="nginx, web server",
    packages=["nginx", "apache2-utils"],
    hostname="web2",
    logs=[Log("access", "/var/log/nginx/access.log"), Log("error", "/var/log/nginx/error.log")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, TRESPASSER, SCANNER, CLIMBER, RAW, FLOOD, SLOW = ATTACKERS[:9]
GUESSER6 = ATTACKERS6[0]


@SERVICE.prepared
def prepare(machine):
    for name, word in ACCOUNTS.items():
        machine.run("htpasswd", "-b", *([] if name != "anna" else ["-c"]), "/etc/nginx/staff.htpasswd", name, word)
    machine.write("/etc/nginx/conf.d/limits.conf", "limit_req_zone $binary_remote_addr zone=forms:1m rate=30r/m;\n")
    machine.write("/etc/nginx/sites-enabled/default", """server {
    listen 80 default_server;
    listen [::]:80 default_server;
    root /var/www/html;
    server_name web2.example.org;
    location / {
        index index.html;
    }
    location /staff/ {
        auth_basic "staff";
        auth_basic_user_file /etc/nginx/staff.htpasswd;
    }
    location /intern/ {
        allow 198.51.100.0/24;
        deny all;
    }
    location ~ /\\.ht {
        deny all;
    }
    location /form/ {
        limit_req zone=forms burst=3 nodelay;
    }
    location /upload/ {
        client_max_body_size 1k;
        limit_except GET { deny all; }
    }
    location /app/ {
        proxy_pass http://127.0.0.1:8080;
    }
}
""")
    for folder in ("", "staff/", "intern/", "form/", "upload/"):
        machine.write(f"/var/www/html/{folder}index.html", "<h1>page</h1>\n")
    machine.write("/var/www/html/images/logo.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>\n")
    machine.run("install", "-d", "-o", "www-data", "/var/log/nginx")


@SERVICE.started
def start(machine):
    machine.daemon("nginx", "-g", "daemon off;", port=80)


def get(session, address, path, status, account=None, password=""):
    """One request that must be answered with a status."""
    answer = web.request(session, address, path, account=account, password=password)
    assert answer.status == status, (path, answer.status)


def attempt(session, address, account, password):
    """One refused login."""
    get(session, address, "/staff/", 401, account, password)
    session.refused(address)


def work(session, address, account):
    """A login and some pages, as a browser asks for them."""
    get(session, address, "/staff/", 401)
    for path in ("/staff/", "/staff/index.html"):
        get(session, address, path, 200, account, ACCOUNTS[account])
    session.logged_in(address)
    get(session, address, "/images/logo.svg", 200)


@SERVICE.benign
def benign(session):
    """People read pages, log in and send forms; one mistypes, a file is missing; a monitor asks; reload and restart."""
    for address in (OFFICE[0], ROAD[1], ROAD6[0]):
        for path in ("/", "/images/logo.svg", "/form/"):
            get(session, address, path, 200)
    get(session, ROAD[1], "/favicon.ico", 404)
    work(session, OFFICE[0], "anna")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    work(session, ROAD6[0], "carla")
    get(session, OFFICE[1], "/intern/", 200)
    get(session, OFFICE[1], "/app/", 502)
    for _ in range(2):
        web.request(session, OFFICE[9], "/", method="HEAD", headers={"User-Agent": "check_http/v2.3.3"})
    session.machine.reload()
    work(session, OFFICE[0], "anna")
    session.machine.restart()
    work(session, ROAD[0], "bruno")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}"), range(14))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    names = [*ACCOUNTS, "admin", "root", "test", "office", "sales", "info", "user", "guest", "backup"]
    session.at_once(lambda name: attempt(session, SPRAYER, name, "Winter2026!"), names)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist."""
    names = ["admin", "administrator", "root", "test", "web", "webmaster", "user", "guest", "demo", "oracle", "pi"]
    session.at_once(lambda name: attempt(session, STRANGER, name, name), names)


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One address of version 6 tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER6, "bruno", f"bruno{number}"), range(12))


@SERVICE.attack(TRESPASSER)
def forbidden(session):
    """One address asks for what only the office may see, for listings and with methods that are denied."""
    for number in range(5):
        get(session, TRESPASSER, f"/intern/file{number}.html", 403)
        session.acted(TRESPASSER, "address denied")
        get(session, TRESPASSER, "/images/", 403)
        session.acted(TRESPASSER, "listing denied")
        assert web.request(session, TRESPASSER, "/upload/x", method="PUT", body="x").status == 403
        session.acted(TRESPASSER, "method denied")


@SERVICE.attack(SCANNER)
def paths(session):
    """One address asks for files of other programs, as scanners do."""
    probes = ["/.env", "/.git/config", "/wp-login.php", "/wp-config.php.bak", "/phpmyadmin/index.php", "/backup.sql",
              "/admin.php", "/server-status", "/.htpasswd", "/config.json", "/cgi-bin/test.cgi", "/actuator/env",
              "/solr/admin/", "/boaform/admin/formLogin", "/owa/auth/logon.aspx"]

    def probe(path):
        assert web.request(session, SCANNER, path, headers={"User-Agent": "Mozilla/5.0 zgrab/0.x"}).status in (403, 404)
        session.acted(SCANNER, "path probed")

    session.at_once(probe, probes * 2)


@SERVICE.attack(CLIMBER)
def traversal(session):
    """One address asks for files above the root of the site."""
    for path in ["/../../../../etc/passwd", "/images/..%2f..%2f..%2fetc/passwd", "/.%2e/.%2e/.%2e/etc/shadow",
                 "/static/%2e%2e/%2e%2e/%2e%2e/%2e%2e/proc/self/environ", "/images/..%5c..%5cwindows/win.ini"] * 2:
        assert web.request(session, CLIMBER, path).status in (400, 404)
        session.acted(CLIMBER, "traversal")


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no HTTP, and bodies larger than allowed."""
    hello = bytes.fromhex("160301006c010000680303") + bytes(range(60))
    lines = [hello, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
             b"SSH-2.0-probe\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n",
             b"POST /upload/ HTTP/1.1\r\nHost: web2.example.org\r\nContent-Length: 99999999\r\n\r\n"]
    for data in lines * 2:
        web.raw(session, RAW, 80, data)
        session.acted(RAW, "malformed request")


@SERVICE.attack(FLOOD)
def too_many_requests(session):
    """One address sends a form more often than the limit allows."""
    answers = [web.request(session, FLOOD, "/form/").status for _ in range(20)]
    session.acted(FLOOD, "rate limited", answers.count(503))


@SERVICE.attack(SLOW)
def connect_and_drop(session):
    """One address connects and leaves, without a word or within a request."""
    session.drop(SLOW, 80, 6, read_banner=False)
    for _ in range(8):
        with session.connect(SLOW, 80) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: web2.example.org\r\nX-")
        session.acted(SLOW, "request left unfinished")
