"""Node-RED with the accounts of its editor protected as its manual shows it (`adminAuth`), and its log's `audit` on, which the
manual gives for logins. The audit of refused logins has the account and no address."""

import json

from runner import web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="Node-RED, automation",
    packages=["nodejs"],
    hostname="flows",
    logs=[Log("output", "/var/log/node-red.output")],
    version=["node", "-p", "require('/opt/node-red/node_modules/node-red/package.json').version"],
)
PORT = 1880
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58", "dora": "Watt-Erle-24",
            "emil": "Deich-Linde-46"}
GUESSER, SPRAYER, STRANGER, FORGER, TRESPASSER, ANONYMOUS = ATTACKERS[:6]
GUESSER6 = ATTACKERS6[0]


@SERVICE.prepared
def prepare(machine):
    machine.run("useradd", "--create-home", "flows")
    users = []
    for name, word in ACCOUNTS.items():
        script = f"console.log(require('/opt/node-red/node_modules/bcryptjs').hashSync('{word}', 8))"
        hashed = machine.run("node", "-e", script).strip()
        users.append({"username": name, "password": hashed, "permissions": "*" if name == "anna" else "read"})
    settings = {"uiPort": PORT, "uiHost": "::", "flowFile": "flows.json", "credentialSecret": "lab", "telemetry": {"enabled": False},
                "adminAuth": {"type": "credentials", "users": users},
                "logging": {"console": {"level": "info", "metrics": False, "audit": True}}}
    machine.write("/home/flows/.node-red/settings.js", f"module.exports = {json.dumps(settings)}\n")
    machine.run("chown", "-R", "flows", "/home/flows")


@SERVICE.started
def start(machine):
    machine.daemon("node", "/opt/node-red/node_modules/node-red/red.js", "--userDir", "/home/flows/.node-red", port=PORT,
                   output="node-red", env={"HOME": "/home/flows"}, user="flows")


def ask(session, address, path, method="GET", body=None, token=None):
    """One request of the editor."""
    headers = {"Content-Type": "application/json", "Node-RED-API-Version": "v2"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    return web.request(session, address, path, PORT, method=method, body=body, headers=headers)


def log_in(session, address, account, password):
    """The request by which the editor gets a token; returns the answer."""
    form = {"client_id": "node-red-editor", "grant_type": "password", "scope": "", "username": account, "password": password}
    return ask(session, address, "/auth/token", "POST", json.dumps(form))


def attempt(session, address, account, password):
    """One refused login; Node-RED answers 500 for a barred account."""
    answer = log_in(session, address, account, password)
    assert answer.status in (401, 403, 500), (answer.status, answer.text)
    session.refused(address)


def enter(session, address, account):
    """A login that succeeds; returns the token."""
    answer = log_in(session, address, account, ACCOUNTS[account])
    assert answer.status == 200, (answer.status, answer.text)
    session.logged_in(address)
    return json.loads(answer.text)["access_token"]


def work(session, address, account):
    """A login and what the editor then asks for."""
    token = enter(session, address, account)
    for path in ("/settings", "/flows", "/nodes", "/settings/user"):
        assert ask(session, address, path, token=token).status == 200, path
    if account == "anna":
        flows = {"flows": [{"id": "tab1", "type": "tab", "label": "Harbour"}]}
        answer = ask(session, address, "/flows", "POST", json.dumps(flows), token)
        assert answer.status in (200, 204), answer.text
    assert ask(session, address, "/auth/revoke", "POST", json.dumps({"token": token}), token).status == 200


@SERVICE.benign
def benign(session):
    """People look at flows and change them; two mistype once, one's token has ended, one may not change a flow; a monitor
    asks; the server restarts."""
    assert ask(session, OFFICE[0], "/auth/login").status == 200
    work(session, OFFICE[0], "anna")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    work(session, ROAD6[0], "carla")
    assert ask(session, ROAD[1], "/flows", token="a" * 40).status == 401
    token = enter(session, ROAD[1], "carla")
    assert ask(session, ROAD[1], "/flows", "POST", "[]", token).status == 401
    for _ in range(3):
        web.request(session, OFFICE[9], "/", PORT, headers={"User-Agent": "check_http/v2.3.3"})
    session.machine.restart()
    attempt(session, OFFICE[0], "anna", "Fjord-Kiesel-7")
    work(session, OFFICE[0], "anna")
    work(session, ROAD[2], "bruno")


@SERVICE.attack(account="anna")
def guess_one_account(session):
    """One address tries passwords for one account; Node-RED bars the account for some minutes after five. The log has no
    address of it."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}"), range(12))


@SERVICE.attack(account="bruno")
def guess_over_ipv6(session):
    """One IPv6 address tries passwords for one account. The log has no address of it."""
    session.at_once(lambda number: attempt(session, GUESSER6, "bruno", f"bruno{number}"), range(12))


@SERVICE.attack(host="flows")
def spray(session):
    """One address tries one password for many accounts, of which some exist. The log has no address of it."""
    names = ["carla", "dora", "emil", "office", "sales", "support", "billing", "jobs", "press", "legal", "backup", "web"]
    session.at_once(lambda name: attempt(session, SPRAYER, name, "Winter2026!"), names)


@SERVICE.attack(host="flows")
def unknown_users(session):
    """One address tries accounts that do not exist, some of them phrases with the log's own signs. The log has no address
    of it."""
    names = ["admin", "root", "test", "node-red", "user", "guest", "demo", 'x","client":"y', "pi", "oracle", "auth.login", "nodered"]
    session.at_once(lambda name: attempt(session, STRANGER, name, "1234"), names)


@SERVICE.attack(host="flows")
def forged_tokens(session):
    """One address sends tokens and programs' names that it made up. The log has no address of it."""
    for number in range(8):
        assert ask(session, FORGER, "/flows", token=f"{number:040x}").status == 401
        session.acted(FORGER, "forged token refused")
        form = {"client_id": f"editor{number}", "grant_type": "password", "username": "anna", "password": "x"}
        assert ask(session, FORGER, "/auth/token", "POST", json.dumps(form)).status in (401, 403)
        session.acted(FORGER, "unknown program refused")


@SERVICE.attack(TRESPASSER)
def denied_changes(session):
    """One address has the password of an account that may only read, and tries to change flows and to install nodes."""
    token = enter(session, TRESPASSER, "emil")
    for number in range(6):
        assert ask(session, TRESPASSER, "/flows", "POST", "[]", token).status == 401
        body = json.dumps({"module": f"node-red-contrib-shell{number}"})
        assert ask(session, TRESPASSER, "/nodes", "POST", body, token).status == 401
        session.acted(TRESPASSER, "change denied", 2)


@SERVICE.attack(ANONYMOUS)
def without_login(session):
    """One address asks for flows, settings and nodes without a login, as those who look for open editors do."""
    for path in ["/flows", "/settings", "/nodes", "/context/global", "/library/local/flows", "/inject/1", "/credentials/x"] * 2:
        assert ask(session, ANONYMOUS, path).status in (401, 404), path
        session.acted(ANONYMOUS, "page denied")
