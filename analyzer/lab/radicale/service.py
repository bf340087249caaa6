"""Radicale with a password file; it logs to its standard error, at the level `info` that its manual starts from."""

import base64
import http.client

from runner.network import ATTACKERS, OFFICE, ROAD
from runner.definition import Log, Service

SERVICE = Service(
    title="Radicale, calendar server",
    packages=[],
    hostname="calendar",
    logs=[Log("output", "/var/log/radicale.output")],
    version=["env", "PYTHONPATH=/opt/radicale", "python3", "-m", "radicale", "--version"],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31"}
GUESSER, SPRAYER, TRESPASSER, SCANNER = ATTACKERS[:4]


@SERVICE.prepared
def prepare(machine):
    machine.write("/etc/radicale/users", "".join(f"{name}:{word}\n" for name, word in ACCOUNTS.items()))
    machine.write("/etc/radicale/config", """[server]
hosts = 0.0.0.0:5232
[auth]
type = htpasswd
htpasswd_filename = /etc/radicale/users
htpasswd_encryption = plain
delay = 1
[logging]
level = info
""")


@SERVICE.started
def start(machine):
    machine.daemon("python3", "-m", "radicale", port=5232, output="radicale", env={"PYTHONPATH": "/opt/radicale"})


def request(session, address, path, account=None, password="", method="PROPFIND"):
    """One request; returns its status."""
    headers = {"User-Agent": "calendar/1.4", "Depth": "0"}
    if account:
        headers["Authorization"] = "Basic " + base64.b64encode(f"{account}:{password}".encode()).decode()
    with session.client(address):
        connection = http.client.HTTPConnection(session.server, 5232)
        connection.request(method, path, headers=headers)
        status = connection.getresponse().status
        connection.close()
    return status


def attempt(session, address, account, password):
    """One refused login."""
    assert request(session, address, f"/{account}/", account, password) == 401
    session.refused(address)


def work(session, address, account):
    """A login, as a calendar program does at each round."""
    assert request(session, address, f"/{account}/", account, ACCOUNTS[account]) in (207, 404)
    session.logged_in(address)


@SERVICE.benign
def benign(session):
    """Two people's programs ask for calendars; one password is mistyped once; a monitor asks; the server restarts."""
    for _ in range(3):
        work(session, OFFICE[0], "anna")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    request(session, OFFICE[9], "/.web/", method="GET")
    session.machine.restart()
    work(session, OFFICE[0], "anna")
    work(session, ROAD[0], "bruno")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}"), range(12))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, most of which do not exist."""
    names = [*ACCOUNTS, "admin", "root", "test", "office", "sales", "info", "user", "guest", "demo", "backup"]
    session.at_once(lambda name: attempt(session, SPRAYER, name, "Winter2026!"), names)


@SERVICE.attack(SCANNER)
def paths(session):
    """One address asks for files of other programs."""
    for path in ["/.env", "/.git/config", "/wp-login.php", "/admin/", "/phpmyadmin/", "/../../etc/passwd"] * 2:
        request(session, SCANNER, path, method="GET")
        session.acted(SCANNER, "path probed")


@SERVICE.attack(TRESPASSER)
def foreign_calendars(session):
    """One address has an account's password and asks for the calendars of others."""
    for name in ["bruno", "carla", "dora", "emil", "office", "boss"] * 2:
        assert request(session, TRESPASSER, f"/{name}/", "anna", ACCOUNTS["anna"]) in (403, 404)
        session.acted(TRESPASSER, "foreign resource denied")
