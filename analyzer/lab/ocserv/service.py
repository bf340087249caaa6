"""ocserv with its password file and its ban of addresses, logging to syslog at the level `info`: the lowest that shows whose
login it is. It logs a refused login once the client has tried three passwords, and none that leaves before."""

import html
import http.client
import re
import socket
import ssl

from runner import web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, SERVER, SERVER6
from runner.definition import Log, Service

SERVICE = Service(
    title="ocserv, OpenConnect VPN server",
    packages=["ocserv", "openconnect"],
    hostname="gate",
    logs=[Log("syslog")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, HASTY, COOKIES, DROPPER, RAW = ATTACKERS[:7]
GUESSER6 = ATTACKERS6[0]
CERTIFICATE = "/etc/ocserv/gate"


@SERVICE.prepared
def prepare(machine):
    for name, word in ACCOUNTS.items():
        machine.run("ocpasswd", "-c", "/etc/ocserv/passwd", name, stdin=f"{word}\n{word}\n")
    machine.run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "900", "-subj", "/CN=gate.example.org",
                "-addext", f"subjectAltName=DNS:gate.example.org,IP:{SERVER},IP:{SERVER6}",
                "-keyout", f"{CERTIFICATE}.key", "-out", f"{CERTIFICATE}.crt")
    path = "/etc/ocserv/ocserv.conf"
    text = open(path, encoding="utf-8").read()
    settings = {"server-cert": f"{CERTIFICATE}.crt", "server-key": f"{CERTIFICATE}.key", "ipv4-network": "10.9.0.0",
                "log-level": "2"}
    for name, value in settings.items():
        text = re.sub(rf"(?m)^#? *{name} *=.*\n", "", text) + f"{name} = {value}\n"
    machine.write(path, text)


@SERVICE.started
def start(machine):
    machine.daemon("ocserv", "--foreground", "--config", "/etc/ocserv/ocserv.conf", port=443)


class Client:
    """A client of the protocol up to its cookie."""

    def __init__(self, session, address):
        with session.client(address):
            self.connection = http.client.HTTPSConnection(SERVER6 if ":" in address else session.server, 443,
                                                          context=ssl._create_unverified_context())
            self.connection.connect()
        self.cookie = None

    def post(self, path, kind, inner):
        """Sends one document; returns the status and the answer."""
        body = f'<?xml version="1.0" encoding="UTF-8"?>\n<config-auth client="vpn" type="{kind}">{inner}</config-auth>\n'
        headers = {"User-Agent": "AnyConnect Linux_64 4.10", "X-Aggregate-Auth": "1", "X-Transcend-Version": "1",
                   "Content-Type": "application/xml; charset=utf-8", **({"Cookie": self.cookie} if self.cookie else {})}
        self.connection.request("POST", path, body, headers)
        answer = self.connection.getresponse()
        for line in answer.headers.get_all("Set-Cookie", []):
            if line.startswith("webvpncontext"):
                self.cookie = line.split(";")[0]
        return answer.status, answer.read().decode()

    def start(self, account):
        """Names the account. Returns the status and the answer."""
        self.post("/", "init", '<version who="vpn">v4.10</version><device-id>linux-64</device-id>')
        return self.post("/auth", "auth-reply", f"<auth><username>{html.escape(account)}</username></auth>")

    def password(self, word):
        """Answers with a password. Returns whether the server took it."""
        status, text = self.post("/auth", "auth-reply", f"<auth><password>{html.escape(word)}</password></auth>")
        return status == 200 and 'id="success"' in text


def attempt(session, address, account, password, tries=1):
    """One connection with refused passwords; a banned address gets none."""
    try:
        client = Client(session, address)
        status, _ = client.start(account)
        for number in range(tries):
            assert status != 200 or not client.password(f"{password}{number or ''}")
            session.refused(address)
        client.connection.close()
    except (OSError, http.client.HTTPException):
        session.acted(address, "address banned")


def attempts(session, address, pairs):
    """Connections with three refused passwords each."""
    for account, password in pairs:
        attempt(session, address, account, password, tries=3)


def work(session, address, account):
    """A real client connects and leaves after a while."""
    done = session.command(address, "timeout", "--signal=INT", "3", "openconnect", "--non-inter", "--passwd-on-stdin",
                           f"--user={account}", f"--cafile={CERTIFICATE}.crt", "--script=/bin/true", "--no-dtls",
                           f"https://{session.server}/",
                           stdin=ACCOUNTS[account] + "\n")
    assert "Configured as 10.9.0." in done.stdout, done.stdout
    session.logged_in(address)


@SERVICE.benign
def benign(session):
    """Three people connect; one mistypes a password; a monitor asks; the server reloads and restarts."""
    work(session, OFFICE[0], "anna")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    session.drop(OFFICE[9], 443, 2, read_banner=False)
    web.request(session, OFFICE[9], "/", 443, tls=True)
    session.machine.reload()
    work(session, ROAD[1], "carla")
    session.machine.restart()
    work(session, OFFICE[0], "anna")
    work(session, ROAD[1], "carla")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account, and goes on when it is banned."""
    attempts(session, GUESSER, [("anna", f"anna{number}") for number in range(5)])


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address tries passwords for one account, and goes on when it is banned."""
    attempts(session, GUESSER6, [("bruno", f"bruno{number}") for number in range(5)])


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries some passwords for many accounts, of which some exist, and goes on when it is banned."""
    names = [*ACCOUNTS, "admin", "office"]
    attempts(session, SPRAYER, [(name, "Winter2026!") for name in names])


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist."""
    names = ["vpn user", "test", "cisco", "guest", "root"]
    attempts(session, STRANGER, [(name, name) for name in names])


@SERVICE.attack(HASTY)
def one_per_connection(session):
    """One address tries one password in each connection, until it is banned and beyond."""
    for number in range(12):
        attempt(session, HASTY, "carla", f"carla{number}")


@SERVICE.attack(COOKIES)
def false_cookies(session):
    """One address asks for a connection with cookies that the server did not give."""
    for number in range(10):
        data = (f"CONNECT /CSCOSSLC/tunnel HTTP/1.1\r\nHost: gate.example.org\r\nCookie: webvpn={number:064x}\r\n"
                "X-CSTP-Version: 1\r\nX-CSTP-Base-MTU: 1500\r\nX-CSTP-Address-Type: IPv4\r\n\r\n").encode()
        with session.connect(COOKIES, 443) as plain:
            try:
                with ssl._create_unverified_context().wrap_socket(plain) as connection:
                    connection.sendall(data)
                    assert b" 200 " not in connection.recv(1024)
            except OSError:
                pass
        session.acted(COOKIES, "cookie refused")


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects and leaves before it says anything."""
    session.drop(DROPPER, 443, 15, read_banner=False)


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no TLS, and by TLS what is no HTTP."""
    hello = b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00"
    for number, data in enumerate([b"GET / HTTP/1.0\r\n\r\n", b"SSH-2.0-probe\r\n", hello, bytes(40)] * 4):
        with session.connect(RAW, 443) as connection:
            try:
                if number % 2:
                    connection = ssl._create_unverified_context().wrap_socket(connection)
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                connection.recv(512)
            except OSError:
                pass
        session.acted(RAW, "malformed request")
