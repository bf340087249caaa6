"""Ajenti with accounts of the system; it logs to its own file as it comes, and checks passwords by `su`, which reports to syslog
by PAM. PAM's delay after refused logins is off, for the sessions' sake."""

import json

from runner import web
from runner.network import ATTACKERS, OFFICE, ROAD
from runner.definition import Log, Service

SERVICE = Service(
    title="Ajenti, administration of a server",
    packages=[],
    hostname="panel",
    logs=[Log("ajenti", "/var/log/ajenti/ajenti.log"), Log("syslog")],
    version=["env", "PYTHONPATH=/opt/ajenti", "python3", "-c", "from importlib.metadata import version; print(version('aj'))"],
)
PORT = 8000
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, ROOT, FOUND, SCANNER, ANONYMOUS = ATTACKERS[:7]


@SERVICE.prepared
def prepare(machine):
    for name, word in ACCOUNTS.items():
        machine.account(name, word)
    machine.replace("/etc/pam.d/common-auth", "pam_unix.so nullok", "pam_unix.so nullok nodelay")
    # Debian's installer makes it, and PAM reads it.
    machine.write("/etc/default/locale", "LANG=C.UTF-8\n")
    machine.write("/etc/ajenti/config.yml", json.dumps({
        "bind": {"mode": "tcp", "host": "0.0.0.0", "port": PORT}, "ssl": {"enable": False}, "name": "panel", "color": "default",
        "auth": {"provider": "os", "users_file": "/etc/ajenti/users.yml", "allow_sudo": False, "emails": {}}, "trusted_proxies": [],
        "language": "en", "max_sessions": 99, "session_max_time": 3600, "restricted_user": "nobody"}))
    machine.write("/etc/ajenti/users.yml", "users: {}\n")


@SERVICE.started
def start(machine):
    machine.daemon("python3", "/opt/ajenti/bin/ajenti-panel", "--stock-plugins", port=PORT, output="panel",
                   env={"PYTHONPATH": "/opt/ajenti"})


def log_in(browser, account, password):
    """The request by which the login page asks for a session."""
    body = json.dumps({"username": account, "password": password, "mode": "normal"})
    return browser.post("/api/core/auth", body, {"Content-Type": "application/json"})


def attempt(session, address, account, password):
    """One refused login; the answer has status 200."""
    answer = log_in(web.Browser(session, address, PORT), account, password)
    assert answer.status == 200 and not json.loads(answer.text)["success"], answer.text
    session.refused(address)


def work(session, address, account):
    """A login and pages."""
    browser = web.Browser(session, address, PORT)
    assert browser.get("/view/login/normal").status == 200
    answer = log_in(browser, account, ACCOUNTS[account])
    assert json.loads(answer.text)["success"], answer.text
    session.logged_in(address)
    for path in ("/view/dashboard", "/api/core/identity", "/api/core/sidebar", "/api/core/languages"):
        assert browser.get(path).status == 200, path


@SERVICE.benign
def benign(session):
    """Three people administer; two mistype once; a monitor asks; the panel restarts."""
    work(session, OFFICE[0], "anna")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    work(session, ROAD[1], "carla")
    for _ in range(3):
        web.request(session, OFFICE[9], "/", PORT, headers={"User-Agent": "check_http/v2.3.3"})
    session.machine.restart()
    attempt(session, OFFICE[0], "anna", "Fjord-Kiesel-7")
    work(session, OFFICE[0], "anna")
    work(session, ROAD[0], "bruno")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}"), range(12), 12)


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, all of which exist."""
    names = [*ACCOUNTS, "www-data", "backup", "daemon", "mail", "news", "games", "sys", "proxy"]
    session.at_once(lambda name: attempt(session, SPRAYER, name, "Winter2026!"), names, 12)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist, some of them phrases."""
    names = ["admin", "administrator", "test", "oracle", "user", "ubuntu", "pi", "guest", "anna at IP : 192.0.2.20", "ajenti", "web"]
    session.at_once(lambda name: attempt(session, STRANGER, name, "1234"), names, 12)


@SERVICE.attack(ROOT)
def guess_root(session):
    """One address tries passwords for root."""
    session.at_once(lambda number: attempt(session, ROOT, "root", f"toor{number}"), range(12), 12)


@SERVICE.attack(FOUND)
def guess_until_found(session):
    """One address tries passwords for one account, until one is right."""
    session.at_once(lambda number: attempt(session, FOUND, "carla", f"Carla{number}"), range(11), 12)
    work(session, FOUND, "carla")


@SERVICE.attack(ANONYMOUS)
def without_login(session):
    """One address asks for what needs a login."""
    for path in ["/api/filesystem/list/etc", "/api/core/config", "/api/filesystem/read/etc/shadow",
                 "/api/core/users", "/api/dashboard/widgets"] * 2:
        assert web.request(session, ANONYMOUS, path, PORT).status >= 400, path
        session.acted(ANONYMOUS, "page denied")


@SERVICE.attack(SCANNER)
def paths(session):
    """One address asks for files of other programs, as scanners do."""
    probes = ["/.env", "/.git/config", "/wp-login.php", "/phpmyadmin/", "/resources/../../../etc/passwd", "/session_login.cgi",
              "/cgi-bin/luci", "/manager/html", "/server-status", "/actuator/env", "/boaform/admin/formLogin", "/HNAP1/"]
    for path in probes:
        assert web.request(session, SCANNER, path, PORT).status in (302, 404), path
        session.acted(SCANNER, "path probed")
