"""Squid as a proxy with basic authentication for everybody, with the rules of access of its package's configuration
(ports, cache manager) and one list of blocked sites; `access.log` in its own format and `cache.log`, as by default."""

import base64

from runner import web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6, SERVER
from runner.definition import Log, Service

SERVICE = Service(
    title="Squid, HTTP proxy",
    packages=["squid", "apache2-utils"],
    hostname="proxy",
    logs=[Log("access", "/var/log/squid/access.log"), Log("cache", "/var/log/squid/cache.log")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, OPEN, PORTS, INSIDE, MANAGER, RAW, DROPPER = ATTACKERS[:9]
GUESSER6 = ATTACKERS6[0]
SITE = "http://www.example.com"


@SERVICE.prepared
def prepare(machine):
    for name, word in ACCOUNTS.items():
        machine.run("htpasswd", "-b", *([] if name != "anna" else ["-c"]), "/etc/squid/users", name, word)
    machine.append("/etc/hosts", f"{SERVER} www.example.com shop.example.com games.example.net\n")
    machine.write("/etc/squid/blocked", ".example.net\n")
    machine.write("/etc/squid/squid.conf", """http_port 3128
auth_param basic program /usr/lib/squid/basic_ncsa_auth /etc/squid/users
auth_param basic realm proxy
acl SSL_ports port 443
acl Safe_ports port 80 21 443 70 210 1025-65535 280 488 591 777
acl to_linklocal dst 169.254.0.0/16 fe80::/10
acl staff proxy_auth REQUIRED
acl blocked dstdomain "/etc/squid/blocked"
http_access deny !Safe_ports
http_access deny CONNECT !SSL_ports
http_access allow localhost manager
http_access deny manager
http_access deny to_localhost
http_access deny to_linklocal
http_access deny !staff
http_access deny blocked
http_access allow staff
http_access deny all
coredump_dir /var/spool/squid
shutdown_lifetime 1 second
dns_timeout 1 second
""")
    for path in ("index.html", "news.html", "logo.png", "style.css"):
        machine.write(f"/srv/www/{path}", f"{path}\n" * 40)


@SERVICE.started
def start(machine):
    for port in (80, 443):
        machine.daemon("python3", "-m", "http.server", str(port), "--bind", SERVER, port=port, output="origin",
                       directory="/srv/www")
    machine.daemon("squid", "-N", port=3128)


def credentials(account, password):
    """The header of a proxy's basic authentication."""
    if not account:
        return {}
    return {"Proxy-Authorization": "Basic " + base64.b64encode(f"{account}:{password}".encode()).decode()}


def get(session, address, url, status, account=None, password="", method="GET"):
    """One request through the proxy that must be answered with a status."""
    answer = web.request(session, address, url, 3128, method, headers=credentials(account, password))
    assert answer.status == status, (url, answer.status)


def connect(session, address, target, account=None, password=""):
    """Asks for a tunnel; returns the first line of the answer."""
    fields = "".join(f"{name}: {value}\r\n" for name, value in credentials(account, password).items())
    data = f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{fields}\r\n".encode()
    with session.connect(address, 3128) as connection:
        connection.sendall(data)
        return connection.recv(4096).split(b"\r\n")[0].decode()


def attempt(session, address, account, password):
    """One refused login."""
    get(session, address, f"{SITE}/", 407, account, password)
    session.refused(address)


def work(session, address, account):
    """Pages through the proxy, as a browser asks for them: without an account first."""
    word = ACCOUNTS[account]
    get(session, address, f"{SITE}/", 407)
    for path in ("/", "/style.css", "/logo.png", "/news.html"):
        get(session, address, SITE + path, 200, account, word)
    session.logged_in(address)
    get(session, address, f"{SITE}/favicon.ico", 404, account, word)
    assert " 200 " in connect(session, address, "shop.example.com:443", account, word)


@SERVICE.benign
def benign(session):
    """People read pages; one mistypes, asks for a blocked site and for a name that does not exist; a monitor asks;
    reload and restart."""
    work(session, OFFICE[0], "anna")
    work(session, ROAD6[0], "carla")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    for _ in range(2):
        get(session, OFFICE[0], "http://games.example.net/", 403, "anna", ACCOUNTS["anna"])
    get(session, ROAD[0], "http://ww.example.com/", 502, "bruno", ACCOUNTS["bruno"])
    for _ in range(2):
        session.drop(OFFICE[9], 3128, 1, read_banner=False)
        get(session, OFFICE[9], f"{SITE}/", 200, "anna", ACCOUNTS["anna"], "HEAD")
    session.machine.run("squid", "-k", "reconfigure")
    session.machine.listening(3128)
    work(session, OFFICE[1], "carla")
    session.machine.restart()
    work(session, OFFICE[0], "anna")
    work(session, ROAD[1], "bruno")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}"), range(14))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist, for tunnels."""
    def tunnel(account):
        assert " 407 " in connect(session, SPRAYER, "www.example.com:443", account, "Winter2026!")
        session.refused(SPRAYER)

    session.at_once(tunnel, [*ACCOUNTS, "admin", "root", "test", "office", "sales", "info", "user", "guest", "backup"])


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist."""
    names = ["admin", "administrator", "root", "test", "proxy", "squid", "user", "guest", "demo", "oracle", "pi"]
    session.at_once(lambda name: attempt(session, STRANGER, name, name), names)


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One address of version 6 tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER6, "bruno", f"bruno{number}"), range(12))


@SERVICE.attack(OPEN)
def open_proxy(session):
    """One address without an account looks for an open proxy."""
    for number in range(6):
        get(session, OPEN, f"{SITE}/azenv{number}.php", 407)
        session.acted(OPEN, "proxy without authentication")
        assert " 407 " in connect(session, OPEN, "shop.example.com:443")
        session.acted(OPEN, "proxy without authentication")


@SERVICE.attack(PORTS)
def forbidden_ports(session):
    """One address asks for tunnels and pages at ports that are denied, as those who send mail through proxies do."""
    for port in (25, 465, 587, 22, 3306, 6667, 8443):
        assert " 403 " in connect(session, PORTS, f"mx.example.com:{port}")
        session.acted(PORTS, "port denied")
    for port in (25, 22, 23, 110, 135, 445):
        get(session, PORTS, f"http://mx.example.com:{port}/", 403)
        session.acted(PORTS, "port denied")


@SERVICE.attack(INSIDE)
def inner_addresses(session):
    """One address asks the proxy for itself and for the addresses of cloud metadata."""
    for number in range(4):
        for target in ("127.0.0.1", "localhost:8080", "169.254.169.254"):
            get(session, INSIDE, f"http://{target}/latest/{number}", 403)
            session.acted(INSIDE, "destination denied")


@SERVICE.attack(MANAGER)
def cache_manager(session):
    """One address asks for the pages of the cache manager."""
    for page in ("info", "menu", "config", "active_requests", "username_cache", "client_list") * 2:
        get(session, MANAGER, f"http://proxy:3128/squid-internal-mgr/{page}", 403)
        session.acted(MANAGER, "manager denied")


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no HTTP."""
    lines = [bytes.fromhex("160301006c010000680303") + bytes(range(60)), b"\x05\x01\x00", b"GET\r\n\r\n",
             b"GET / HTTP/9.9\r\n\r\n", b"SSH-2.0-probe\r\n", b"\x04\x01\x00\x50\xc6\x33\x64\x0a\x00",
             b"GET http://[bad/ HTTP/1.1\r\n\r\n"]
    for data in lines * 2:
        web.raw(session, RAW, 3128, data)
        session.acted(RAW, "malformed request")


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects and leaves, without a word or within a request."""
    session.drop(DROPPER, 3128, 8, read_banner=False)
    for _ in range(6):
        with session.connect(DROPPER, 3128) as connection:
            connection.sendall(b"GET http://www.example.com/ HTTP/1.1\r\nX-")
        session.acted(DROPPER, "request left unfinished")
