"""Verdaccio with a password file. It logs to its standard output as its manual advises for production, `json`, at the level
`http` that its default configuration has: a line for each request and one or two for its answer."""

import base64
import hashlib
import json
import urllib.parse

from runner import guessing, web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="Verdaccio, registry of npm packages",
    packages=["nodejs"],
    hostname="npm",
    logs=[Log("output", "/var/log/verdaccio.output", form="json")],
    version=["sh", "-c", "node /opt/verdaccio/node_modules/verdaccio/bin/verdaccio --version"],
)
PORT = 4873
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, PAGE, FORGER, TRESPASSER, SCANNER, RAW, FOUND = ATTACKERS[:9]
GUESSER6 = ATTACKERS6[0]
PROGRAM = {"User-Agent": "npm/10.8.2 node/v20.18.0 linux x64 workspaces/false", "Content-Type": "application/json"}


@SERVICE.prepared
def prepare(machine):
    machine.run("useradd", "--create-home", "verdaccio")
    machine.run("install", "-d", "-o", "verdaccio", "/var/lib/verdaccio")
    lines = [f"{name}:{machine.run('openssl', 'passwd', '-apr1', word).strip()}\n" for name, word in ACCOUNTS.items()]
    machine.write("/var/lib/verdaccio/htpasswd", "".join(lines), owner="verdaccio")
    machine.write("/etc/verdaccio/config.yaml", f"""storage: /var/lib/verdaccio/storage
listen: '[::]:{PORT}'
auth:
  htpasswd:
    file: /var/lib/verdaccio/htpasswd
    max_users: 3
packages:
  '@harbour/*':
    access: $authenticated
    publish: anna
  '**':
    access: $all
    publish: $authenticated
log: {{ type: stdout, format: json, level: http }}
""")


@SERVICE.started
def start(machine):
    machine.daemon("node", "/opt/verdaccio/node_modules/verdaccio/bin/verdaccio", "--config",
                   "/etc/verdaccio/config.yaml", port=PORT, output="verdaccio", user="verdaccio")


def ask(session, address, path, method="GET", body=None, token=None, **others):
    """One request as npm makes it."""
    headers = {**PROGRAM, **({"Authorization": f"Bearer {token}"} if token else {})}
    return web.request(session, address, path, PORT, method=method, body=body, headers=headers, **others)


def log_in(session, address, account, password):
    """The request by which `npm login` gets a token; returns the answer."""
    body = json.dumps({"_id": f"org.couchdb.user:{account}", "name": account, "password": password, "type": "user", "roles": []})
    path = f"/-/user/org.couchdb.user:{urllib.parse.quote(account)}"
    return ask(session, address, path, "PUT", body, account=account, password=password)


def attempt(session, address, account, password):
    """One refused login of npm."""
    answer = log_in(session, address, account, password)
    assert answer.status in (401, 403, 409), answer.status
    session.refused(address)


def attempt_at_page(session, address, account, password):
    """One refused login at the page for people."""
    body = json.dumps({"username": account, "password": password})
    headers = {"Content-Type": "application/json", "Referer": f"http://npm.example.org:{PORT}/"}
    answer = web.request(session, address, "/-/verdaccio/sec/login", PORT, method="POST", body=body, headers=headers)
    assert answer.status in (401, 429), answer.status
    session.refused(address)


def publish(session, address, name, token):
    """Publishes an empty package; returns the status."""
    data = base64.b64encode(b"package").decode()
    body = {"_id": name, "name": name, "dist-tags": {"latest": "1.0.0"}, "access": None, "versions": {"1.0.0": {
        "name": name, "version": "1.0.0", "dist": {"shasum": hashlib.sha1(b"package").hexdigest(),
                                                   "tarball": f"http://npm.example.org:{PORT}/{name}/-/x-1.0.0.tgz"}}},
            "_attachments": {f"{name}-1.0.0.tgz": {"content_type": "application/octet-stream", "data": data, "length": 7}}}
    return ask(session, address, f"/{name.replace('/', '%2f')}", "PUT", json.dumps(body), token).status


def work(session, address, account):
    """A login, and what npm asks for at an installation."""
    answer = log_in(session, address, account, ACCOUNTS[account])
    assert answer.status == 201, answer.text
    session.logged_in(address)
    token = json.loads(answer.text)["token"]
    for path in ("/-/whoami", "/-/ping", "/@harbour%2fanchor", "/-/v1/search?text=anchor&size=20"):
        ask(session, address, path, token=token)
    return token


@SERVICE.benign
def benign(session):
    """People install and publish packages; three mistype once, one has no token, one asks for a package that is not there; a
    monitor asks; the registry restarts."""
    token = work(session, OFFICE[0], "anna")
    assert publish(session, OFFICE[0], "@harbour/anchor", token) == 201
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    token = work(session, ROAD[0], "bruno")
    assert ask(session, ROAD[0], "/@harbour%2fanchor", token=token).status == 200
    assert ask(session, ROAD[0], "/no-such-package", token=token).status == 404
    work(session, ROAD6[0], "carla")
    assert ask(session, ROAD[1], "/@harbour%2fanchor").status in (401, 403)
    attempt_at_page(session, OFFICE[1], "anna", "Fjord-Kiesel-7")
    work(session, OFFICE[1], "anna")
    for _ in range(3):
        web.request(session, OFFICE[9], "/-/ping", PORT, headers={"User-Agent": "check_http/v2.3.3"})
    session.machine.restart()
    attempt(session, ROAD6[0], "carla", "Ufer-Moos-85")
    work(session, ROAD6[0], "carla")
    work(session, OFFICE[0], "anna")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account as npm logs in."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}"), range(14))


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER6, "bruno", f"bruno{number}"), range(12))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    names = [*ACCOUNTS, "dora", "emil", "office", "sales", "build", "ci", "deploy", "release", "team"]
    session.at_once(lambda name: attempt(session, SPRAYER, name, "Winter2026!"), names)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist, some of them phrases."""
    names = ["admin", "root", "test", "npm", "user", "guest", "demo", "user: anna(192.0.2.20)", "verdaccio", "oracle", "jenkins"]
    session.at_once(lambda name: attempt(session, STRANGER, name, "1234"), names)


@SERVICE.attack(PAGE)
def guess_at_the_page(session):
    """One address tries passwords for one account at the page for people, which slows it down after some."""
    session.at_once(lambda number: attempt_at_page(session, PAGE, "carla", f"carla{number}"), range(12))


guessing.stolen_pairs(SERVICE, FOUND, attempt, work, "carla")


@SERVICE.attack(FORGER)
def forged_tokens(session):
    """One address sends tokens that it made up."""
    for number in range(12):
        assert ask(session, FORGER, "/@harbour%2fanchor", token=f"npm_{number:036x}").status in (401, 403)
        session.acted(FORGER, "forged token refused")


@SERVICE.attack(TRESPASSER)
def foreign_packages(session):
    """One address has an account's password and publishes packages under names that are not the account's."""
    token = json.loads(log_in(session, TRESPASSER, "bruno", ACCOUNTS["bruno"]).text)["token"]
    session.logged_in(TRESPASSER)
    for number in range(12):
        assert publish(session, TRESPASSER, f"@harbour/tool{number}", token) in (401, 403)
        session.acted(TRESPASSER, "publication denied")


@SERVICE.attack(SCANNER)
def paths(session):
    """One address asks for files of other programs, for private packages and for paths above the storage."""
    probes = ["/.env", "/.git/config", "/wp-login.php", "/@harbour%2fsecret", "/@harbour%2finternal", "/-/all", "/-/npm/v1/tokens",
              "/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "/-/static/../../etc/passwd", "/server-status", "/actuator/env"]
    for path in probes:
        web.request(session, SCANNER, path, PORT)
        session.acted(SCANNER, "path probed")


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends bodies that are no JSON and headers that are no login."""
    for number in range(6):
        assert ask(session, RAW, "/-/user/org.couchdb.user:anna", "PUT", "{" * (number + 1)).status == 400
        headers = {"Authorization": ["Basic !!!", "Negotiate abc", "Basic " + "QQ" * number][number % 3]}
        web.request(session, RAW, "/-/whoami", PORT, headers=headers)
        session.acted(RAW, "malformed request", 2)
