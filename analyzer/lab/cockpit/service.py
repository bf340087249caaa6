"""Cockpit's web server with accounts of the system, as Debian's packages set it up, without TLS. PAM reports logins to
syslog; Cockpit's own messages go to its standard error where there is no journal, at the level that it comes with."""

import contextlib

from runner import web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="Cockpit, administration of a server",
    packages=["cockpit-ws", "cockpit-bridge", "openssh-client"],
    hostname="srv1",
    logs=[Log("syslog"), Log("output", "/var/log/cockpit.output")],
)
PORT = 9090
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
# The password is right, and PAM refuses the account.
EXPIRED, EXPIRED_PASSWORD = "dora", "Watt-Erle-24"
GUESSER, SPRAYER, STRANGER, ROOT, LATE, FOUND, SCANNER, RAW, DROPPER = ATTACKERS[:9]
GUESSER6 = ATTACKERS6[0]


@SERVICE.prepared
def prepare(machine):
    for name, word in {**ACCOUNTS, EXPIRED: EXPIRED_PASSWORD, "root": "Deich-Linde-46"}.items():
        if name == "root":
            machine.run("chpasswd", stdin=f"{name}:{word}\n")
        else:
            machine.account(name, word)
    machine.run("chage", "--expiredate", "2020-01-01", EXPIRED)
    # Debian's installer makes it, and PAM reads it.
    machine.write("/etc/default/locale", "LANG=C.UTF-8\n")
    machine.write("/etc/cockpit/cockpit.conf", "[WebService]\nAllowUnencrypted = true\n")


@SERVICE.started
def start(machine):
    machine.daemon("/usr/lib/cockpit/cockpit-ws", "--no-tls", f"--port={PORT}", port=PORT, output="cockpit", user="cockpit-wsinstance")


def log_in(session, address, account, password):
    """The request by which Cockpit's login page asks for a session."""
    return web.request(session, address, "/cockpit/login", PORT, account=account, password=password)


def attempt(session, address, account, password):
    """One refused login."""
    answer = log_in(session, address, account, password)
    assert answer.status in (401, 403), answer.status
    session.refused(address)


def work(session, address, account):
    """The login page, a login, and the socket that the pages use; it closes as at a logout."""
    assert web.request(session, address, "/", PORT).status == 200
    answer = log_in(session, address, account, ACCOUNTS[account])
    assert answer.status == 200, answer.status
    session.logged_in(address)
    cookie = answer.headers["Set-Cookie"].split(";")[0]
    with session.connect(address, PORT) as connection:
        connection.sendall((f"GET /cockpit/socket HTTP/1.1\r\nHost: srv1.example.org:{PORT}\r\n"
                            f"Origin: http://srv1.example.org:{PORT}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                            f"Sec-WebSocket-Protocol: cockpit1\r\nCookie: {cookie}\r\n\r\n").encode())
        assert b" 101 " in connection.recv(4096)


@SERVICE.benign
def benign(session):
    """Three people administer; two mistype once; a monitor asks and connects; the server restarts."""
    work(session, OFFICE[0], "anna")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    work(session, ROAD6[0], "carla")
    for _ in range(3):
        web.request(session, OFFICE[9], "/ping", PORT, headers={"User-Agent": "check_http/v2.3.3"})
    session.drop(OFFICE[9], PORT, 2, read_banner=False)
    session.machine.restart()
    attempt(session, OFFICE[0], "anna", "Fjord-Kiesel-7")
    work(session, OFFICE[0], "anna")
    work(session, ROAD[1], "bruno")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}"), range(12))


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER6, "bruno", f"bruno{number}"), range(12))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, all of which exist."""
    names = [*ACCOUNTS, "www-data", "backup", "daemon", "mail", "news", "games", "sys", "proxy"]
    session.at_once(lambda name: attempt(session, SPRAYER, name, "Winter2026!"), names)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist, some of them phrases."""
    names = ["admin", "administrator", "test", "oracle", "user", "ubuntu", "pi", "guest", "demo", "user=anna rhost=192.0.2.20",
             "session opened for user anna"]
    session.at_once(lambda name: attempt(session, STRANGER, name, "1234"), names)


@SERVICE.attack(ROOT)
def root_denied(session):
    """One address tries passwords for root, the right one among them; Cockpit denies root as it comes."""
    words = [*(f"toor{number}" for number in range(11)), "Deich-Linde-46"]
    session.at_once(lambda word: attempt(session, ROOT, "root", word), words)


@SERVICE.attack(account=EXPIRED)
def expired_account(session):
    """One address has the password of an account that has expired, and tries it again and again. The log has no address
    of it."""
    session.at_once(lambda number: attempt(session, LATE, EXPIRED, EXPIRED_PASSWORD), range(12))


@SERVICE.attack(FOUND)
def guess_until_found(session):
    """One address tries passwords for one account, until one is right."""
    session.at_once(lambda number: attempt(session, FOUND, "carla", f"Carla{number}"), range(12))
    work(session, FOUND, "carla")


@SERVICE.attack(host="srv1")
def paths(session):
    """One address asks for files of other programs, and for Cockpit's without a login. The log has no address."""
    probes = ["/.env", "/.git/config", "/wp-login.php", "/cockpit/@localhost/shell/index.html", "/cockpit/static/../../etc/passwd",
              "/cockpit/socket", "/cockpit+=192.0.2.99/login", "/phpmyadmin/", "/admin/", "/manager/html", "/cgi-bin/luci"]
    for path in probes:
        web.request(session, SCANNER, path, PORT)
        session.acted(SCANNER, "path probed")


@SERVICE.attack(host="srv1")
def malformed(session):
    """One address sends what is no HTTP, and logins that are none. The log has no address."""
    hello = bytes.fromhex("160301006c010000680303") + bytes(range(60))
    login = "GET /cockpit/login HTTP/1.1\r\nHost: srv1.example.org\r\nAuthorization: {}\r\n\r\n"
    lines = [hello, b"SSH-2.0-probe\r\n\r\n", b"GET\r\n\r\n", b"\x00" * 100, login.format("Basic !!!").encode(),
             login.format("Negotiate TlRMTVNTUAABAAAA").encode(), login.format("Bearer abc").encode()]
    for data in lines * 2:
        # The server may have closed before the client does.
        with contextlib.suppress(OSError):
            web.raw(session, RAW, PORT, data)
        session.acted(RAW, "malformed request")


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects and leaves, without a word or within a request."""
    session.drop(DROPPER, PORT, 6, read_banner=False)
    for _ in range(8):
        with session.connect(DROPPER, PORT) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: srv1.example.org\r\nX-")
        session.acted(DROPPER, "request left unfinished")
