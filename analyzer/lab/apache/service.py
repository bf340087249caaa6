"""Apache with basic and digest authentication, one vhost; both logs and the log level `warn` as Debian sets them."""

import hashlib
import re

from runner import site, web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="Apache HTTP Server, web server",
    packages=["apache2", "apache2-utils"],
    hostname="web1",
    logs=[Log("access", "/var/log/apache2/access.log"), Log("error", "/var/log/apache2/error.log")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, DIGEST, TRESPASSER, SCANNER, CLIMBER, RAW, SLOW = ATTACKERS[:9]
GUESSER6 = ATTACKERS6[0]


@SERVICE.prepared
def prepare(machine):
    machine.run("a2enmod", "-q", "auth_digest", "authz_groupfile", "cgid")
    for name, word in ACCOUNTS.items():
        machine.run("htpasswd", "-b", *([] if name != "anna" else ["-c"]), "/etc/apache2/staff.htpasswd", name, word)
    machine.run("bash", "-c", "printf 'anna:papers:%s\n' \"$(printf anna:papers:Fjord-Kiesel-77 | md5sum | cut -c1-32)\""
                " >/etc/apache2/papers.htdigest")
    machine.write("/etc/apache2/groups", "bosses: anna\n")
    machine.append("/etc/apache2/apache2.conf", "\nServerName web1.example.org\n")
    machine.write("/etc/apache2/conf-enabled/lab.conf", """<Location /staff/>
    AuthType Basic
    AuthName "staff"
    AuthUserFile /etc/apache2/staff.htpasswd
    Require valid-user
</Location>
<Location /bosses/>
    AuthType Basic
    AuthName "bosses"
    AuthUserFile /etc/apache2/staff.htpasswd
    AuthGroupFile /etc/apache2/groups
    Require group bosses
</Location>
<Location /papers/>
    AuthType Digest
    AuthName "papers"
    AuthDigestProvider file
    AuthUserFile /etc/apache2/papers.htdigest
    Require valid-user
</Location>
<Location /intern/>
    Require ip 198.51.100.0/24
</Location>
""")
    for folder in ("staff", "bosses", "papers", "intern"):
        machine.write(f"/var/www/html/{folder}/index.html", f"<h1>{folder}</h1>\n")
    machine.write("/var/www/html/uploads/report.txt", "figures\n")
    machine.write("/var/www/html/style.css", "h1 { color: teal }\n")
    machine.replace("/etc/apache2/apache2.conf", "Options Indexes FollowSymLinks", "Options FollowSymLinks")


@SERVICE.started
def start(machine):
    machine.run("install", "-d", "/var/run/apache2")
    machine.run("install", "-d", "-o", "www-data", "/var/run/apache2/socks")
    machine.daemon("bash", "-c", ". /etc/apache2/envvars; exec apache2 -DFOREGROUND", port=80)


def work(session, address, account):
    """A login and some pages, as a browser asks for them."""
    site.work(session, address, account, ACCOUNTS[account], ["/staff/index.html", "/style.css"])


def md5(*parts):
    """The hash of digest authentication."""
    return hashlib.md5(":".join(parts).encode()).hexdigest()


def digest(session, address, account, password):
    """One login by digest, after the request that asks for the nonce; returns the status."""
    asked = web.request(session, address, "/papers/").headers["WWW-Authenticate"]
    nonce = re.search('nonce="([^"]*)"', asked)[1]
    proof = md5(md5(account, "papers", password), nonce, "00000001", "0a4f113b", "auth", md5("GET", "/papers/"))
    fields = (f'Digest username="{account}", realm="papers", nonce="{nonce}", uri="/papers/", qop=auth, nc=00000001, '
              f'cnonce="0a4f113b", algorithm=MD5, response="{proof}"')
    return web.request(session, address, "/papers/", headers={"Authorization": fields}).status


@SERVICE.benign
def benign(session):
    """People read pages and log in, one mistypes, one meets a page that is gone; a monitor connects; it restarts."""
    for address in (OFFICE[0], ROAD[1], ROAD6[0]):
        for path in ("/", "/style.css", "/uploads/report.txt"):
            site.get(session, address, path, 200)
    site.get(session, ROAD[1], "/favicon.ico", 404)
    work(session, OFFICE[0], "anna")
    site.attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    work(session, ROAD6[0], "carla")
    assert digest(session, OFFICE[0], "anna", ACCOUNTS["anna"]) == 200
    session.logged_in(OFFICE[0])
    site.get(session, OFFICE[1], "/intern/", 200)
    site.get(session, ROAD[1], "/old-page.html", 404)
    site.monitor(session, OFFICE[9], 2)
    session.machine.reload()
    work(session, OFFICE[0], "anna")
    session.machine.restart()
    work(session, ROAD[0], "bruno")


site.guess(SERVICE, GUESSER, SPRAYER, STRANGER, GUESSER6, ACCOUNTS)


@SERVICE.attack(DIGEST)
def guess_by_digest(session):
    """One address tries passwords by digest authentication, for one account and for unknown ones."""
    for number in range(10):
        assert digest(session, DIGEST, "anna", f"summer{number}") == 401
        session.refused(DIGEST)
    for name in ("admin", "root", "test"):
        assert digest(session, DIGEST, name, "admin") == 401
        session.refused(DIGEST)


@SERVICE.attack(TRESPASSER)
def forbidden(session):
    """One address with an account's password asks for what the account or the address may not see."""
    for number in range(5):
        site.get(session, TRESPASSER, f"/bosses/file{number}.html", 401, "bruno", ACCOUNTS["bruno"])
        session.acted(TRESPASSER, "group denied")
        site.get(session, TRESPASSER, f"/intern/file{number}.html", 403)
        session.acted(TRESPASSER, "address denied")
        site.get(session, TRESPASSER, "/uploads/", 403)
        session.acted(TRESPASSER, "listing denied")


site.paths(SERVICE, SCANNER)
site.traversal(SERVICE, CLIMBER, ["/cgi-bin/.%2e/.%2e/.%2e/.%2e/etc/passwd", "/icons/.%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
                                  "/../../../../etc/passwd", "/cgi-bin/%%32%65%%32%65/%%32%65%%32%65/bin/sh",
                                  "/..%2f..%2f..%2fetc/passwd", "/cgi-bin/.%2e/.%2e/.%2e/.%2e/bin/sh"])
site.malformed(SERVICE, RAW, [*site.MALFORMED, b"GET / HTTP/1.1\r\nno colon\r\n\r\n"])
site.connect_and_drop(SERVICE, SLOW)
