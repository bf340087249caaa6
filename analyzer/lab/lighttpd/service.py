"""lighttpd with basic and digest authentication and rules of access. The access log is on (`mod_accesslog`, its default
format), the error log is as by default. The access log goes through a pipe, since one to a file is written late."""

import hashlib

from runner import site, web
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


def digest(session, address, account, password, status):
    """A login by digest: the challenge, then the answer to it."""
    challenge = site.get(session, address, "/digest/", 401).headers["WWW-Authenticate"]
    nonce = challenge.split('nonce="')[1].split('"')[0]
    secret = md5(f"{account}:{REALM}:{password}")
    answer = md5(f"{secret}:{nonce}:00000001:0a4f113b:auth:{md5('GET:/digest/')}")
    fields = (f'Digest username="{account}", realm="{REALM}", nonce="{nonce}", uri="/digest/", qop=auth, '
              f'nc=00000001, cnonce="0a4f113b", response="{answer}"')
    site.get(session, address, "/digest/", status, headers={"Authorization": fields})


def work(session, address, account):
    """A login and some pages, as a browser asks for them."""
    site.work(session, address, account, ACCOUNTS[account], ["/staff/index.html", "/images/logo.svg"])


@SERVICE.benign
def benign(session):
    """People read pages and log in; one mistypes, one has no right to a page, a file is missing, a server is down; a
    monitor asks; reload and restart."""
    for address in (OFFICE[0], ROAD[1], ROAD6[0]):
        for path in ("/", "/images/logo.svg", "/form/"):
            site.get(session, address, path, 200)
        site.get(session, address, "/favicon.ico", 404)
    work(session, OFFICE[0], "anna")
    site.attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    work(session, ROAD6[0], "carla")
    site.get(session, ROAD6[0], "/board/", 200, "carla", ACCOUNTS["carla"])
    site.get(session, ROAD[0], "/board/", 401, "bruno", ACCOUNTS["bruno"])
    digest(session, OFFICE[0], "anna", ACCOUNTS["anna"], 200)
    session.logged_in(OFFICE[0])
    site.get(session, OFFICE[1], "/intern/", 200)
    site.get(session, OFFICE[1], "/app/", 503)
    site.get(session, ROAD[2], "/intern/", 403)
    site.monitor(session, OFFICE[9], 3)
    session.machine.reload()
    work(session, OFFICE[0], "anna")
    session.machine.restart()
    work(session, ROAD[0], "bruno")


site.guess(SERVICE, GUESSER, SPRAYER, STRANGER, GUESSER6, ACCOUNTS)


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
        site.get(session, TRESPASSER, f"/intern/file{number}.html", 403)
        session.acted(TRESPASSER, "address denied")
        site.get(session, TRESPASSER, f"/config{number}.inc", 403)
        session.acted(TRESPASSER, "file denied")
        assert web.raw(session, TRESPASSER, 80, b"POST /form/ HTTP/1.1\r\nHost: web3.example.org\r\nContent-Length: 99999999\r\n\r\n")
        session.acted(TRESPASSER, "body too large")


site.paths(SERVICE, SCANNER)
site.traversal(SERVICE, CLIMBER)
site.malformed(SERVICE, RAW, [*site.MALFORMED, b"GET /\x00 HTTP/1.1\r\nHost: a\r\n\r\n"])
site.connect_and_drop(SERVICE, SLOW)
