"""lighttpd with basic and digest authentication and rules of access. The access log is on (`mod_accesslog`, its default
format), the error log is as by default. The access log goes through a pipe, since one to a file is written late."""

import hashlib

from runner import web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="lighttpd, web server",
    packages=["lighttpd", "apache2-utils"],
    hostname="web3",
    logs=[Log("access", "/var/log/lighttpd/access.log"), Log("error", "/var/log/lighttpd/error.log")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, DIGESTER, TRESPASSER, SCANNER, CLIMBER, RAW, SLOW = ATTACKERS[:9]
GUESSER6 = ATTACKERS6[0]
REALM = "staff"


@SERVICE.prepared
def prepare(machine):
    for name, word in ACCOUNTS.items():
        machine.run("htpasswd", "-b", *([] if name != "anna" else ["-c"]), "/etc/lighttpd/staff.htpasswd", name, word)
    digests = "".join(f"{name}:{REALM}:{md5(f'{name}:{REALM}:{word}')}\n" for name, word in ACCOUNTS.items())
    machine.write("/etc/lighttpd/staff.htdigest", digests)
    machine.write("/etc/lighttpd/lighttpd.conf", """server.modules = ("mod_access", "mod_auth", "mod_authn_file",
    "mod_accesslog", "mod_proxy")
server.document-root = "/var/www/html"
server.errorlog = "/var/log/lighttpd/error.log"
accesslog.filename = "|exec cat >>/var/log/lighttpd/access.log"
server.username = "www-data"
server.groupname = "www-data"
server.port = 80
$SERVER["socket"] == "[::]:80" { }
index-file.names = ("index.html")
mimetype.assign = (".html" => "text/html", ".svg" => "image/svg+xml")
url.access-deny = ("~", ".inc", ".htpasswd")
server.max-request-size = 64
auth.backend = "htpasswd"
auth.backend.htpasswd.userfile = "/etc/lighttpd/staff.htpasswd"
$HTTP["url"] =~ "^/digest/" {
    auth.backend = "htdigest"
    auth.backend.htdigest.userfile = "/etc/lighttpd/staff.htdigest"
}
auth.require = (
    "/staff/" => ("method" => "basic", "realm" => "staff", "require" => "valid-user"),
    "/board/" => ("method" => "basic", "realm" => "staff", "require" => "user=carla"),
    "/digest/" => ("method" => "digest", "realm" => "staff", "require" => "valid-user"),
)
$HTTP["remote-ip"] != "198.51.100.0/24" {
    $HTTP["url"] =~ "^/intern/" { url.access-deny = ("") }
}
$HTTP["url"] =~ "^/app/" { proxy.server = ("" => (("host" => "127.0.0.1", "port" => 8080))) }
""")
    for folder in ("", "staff/", "board/", "intern/", "form/", "digest/"):
        machine.write(f"/var/www/html/{folder}index.html", "<h1>page</h1>\n")
    machine.write("/var/www/html/images/logo.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>\n")
    machine.run("install", "-d", "-o", "www-data", "/var/log/lighttpd", "/run/lighttpd")


@SERVICE.started
def start(machine):
    machine.daemon("lighttpd", "-D", "-f", "/etc/lighttpd/lighttpd.conf", port=80)


def md5(text):
    """A hash of digest authentication."""
    return hashlib.md5(text.encode()).hexdigest()


def get(session, address, path, status, account=None, password="", **options):
    """One request that must be answered with a status."""
    answer = web.request(session, address, path, account=account, password=password, **options)
    assert answer.status == status, (path, answer.status)
    return answer


def attempt(session, address, account, password):
    """One refused login."""
    get(session, address, "/staff/", 401, account, password)
    session.refused(address)


def digest(session, address, account, password, status):
    """A login by digest: the challenge, then the answer to it."""
    challenge = get(session, address, "/digest/", 401).headers["WWW-Authenticate"]
    nonce = challenge.split('nonce="')[1].split('"')[0]
    secret = md5(f"{account}:{REALM}:{password}")
    answer = md5(f"{secret}:{nonce}:00000001:0a4f113b:auth:{md5('GET:/digest/')}")
    fields = (f'Digest username="{account}", realm="{REALM}", nonce="{nonce}", uri="/digest/", qop=auth, '
              f'nc=00000001, cnonce="0a4f113b", response="{answer}"')
    get(session, address, "/digest/", status, headers={"Authorization": fields})


def work(session, address, account):
    """A login and some pages, as a browser asks for them."""
    get(session, address, "/staff/", 401)
    for path in ("/staff/", "/staff/index.html", "/images/logo.svg"):
        get(session, address, path, 200, account, ACCOUNTS[account])
    session.logged_in(address)


@SERVICE.benign
def benign(session):
    """People read pages and log in; one mistypes, one has no right to a page, a file is missing, a server is down; a
    monitor asks; reload and restart."""
    for address in (OFFICE[0], ROAD[1], ROAD6[0]):
        for path in ("/", "/images/logo.svg", "/form/"):
            get(session, address, path, 200)
        get(session, address, "/favicon.ico", 404)
    work(session, OFFICE[0], "anna")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    work(session, ROAD6[0], "carla")
    get(session, ROAD6[0], "/board/", 200, "carla", ACCOUNTS["carla"])
    get(session, ROAD[0], "/board/", 401, "bruno", ACCOUNTS["bruno"])
    digest(session, OFFICE[0], "anna", ACCOUNTS["anna"], 200)
    session.logged_in(OFFICE[0])
    get(session, OFFICE[1], "/intern/", 200)
    get(session, OFFICE[1], "/app/", 503)
    get(session, ROAD[2], "/intern/", 403)
    for _ in range(3):
        get(session, OFFICE[9], "/", 200, method="HEAD", headers={"User-Agent": "check_http/v2.3.3"})
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


@SERVICE.attack(DIGESTER)
def guess_by_digest(session):
    """One address tries passwords by digest authentication, for an account and for one that does not exist."""
    for number in range(12):
        digest(session, DIGESTER, ("anna", "admin")[number % 2], f"word{number}", 401)
        session.refused(DIGESTER)


@SERVICE.attack(TRESPASSER)
def forbidden(session):
    """One address asks for what only the office may see and for hidden files, and sends bodies that are too large."""
    for number in range(5):
        get(session, TRESPASSER, f"/intern/file{number}.html", 403)
        session.acted(TRESPASSER, "address denied")
        get(session, TRESPASSER, f"/config{number}.inc", 403)
        session.acted(TRESPASSER, "file denied")
        assert web.raw(session, TRESPASSER, 80, b"POST /form/ HTTP/1.1\r\nHost: web3.example.org\r\nContent-Length: 99999999\r\n\r\n")
        session.acted(TRESPASSER, "body too large")


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
        status = web.request(session, CLIMBER, path).status
        assert status in (400, 403, 404), status
        session.acted(CLIMBER, "traversal")


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no HTTP."""
    lines = [bytes.fromhex("160301006c010000680303") + bytes(range(60)), b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
             b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", b"SSH-2.0-probe\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n",
             b"GET /\x00 HTTP/1.1\r\nHost: a\r\n\r\n"]
    for data in lines * 2:
        web.raw(session, RAW, 80, data)
        session.acted(RAW, "malformed request")


@SERVICE.attack(SLOW)
def connect_and_drop(session):
    """One address connects and leaves, without a word or within a request."""
    session.drop(SLOW, 80, 6, read_banner=False)
    for _ in range(8):
        with session.connect(SLOW, 80) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: web3.example.org\r\nX-")
        session.acted(SLOW, "request left unfinished")
