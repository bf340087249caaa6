"""An interface for programs and people, written with Flask as teams write theirs: one JSON object a line to standard output by
python-json-logger, with a line for each request and one for each event of logins. gunicorn writes no access log."""

import json

from runner import guessing, web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6, SERVER, SERVER6
from runner.definition import Log, Service

SERVICE = Service(
    title="Application of one's own with Flask, JSON log",
    packages=[],
    hostname="api1",
    logs=[Log("application", "/var/log/application.output", form="json")],
    version=["env", "PYTHONPATH=/opt/flask", "python3", "-c", "from importlib.metadata import version; print(version('flask'))"],
)
PORT = 8000
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, KEYS, FORGER, TRESPASSER, CODES, INJECTOR, SCANNER, FOUND = ATTACKERS[:10]
GUESSER6 = ATTACKERS6[0]

APPLICATION = """
import hashlib
import hmac
import logging.config
import time
import uuid

import flask

ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
ROLES = {"anna": "administrator"}
KEY = "k-7719-harbour"
CODE = "482913"

logging.config.dictConfig({
    "version": 1,
    "formatters": {"json": {"()": "pythonjsonlogger.json.JsonFormatter",
                            "fmt": "%(asctime)s %(levelname)s %(name)s %(message)s",
                            "rename_fields": {"asctime": "timestamp", "levelname": "level", "name": "logger"}}},
    "handlers": {"out": {"class": "logging.StreamHandler", "stream": "ext://sys.stdout", "formatter": "json"}},
    "root": {"handlers": ["out"], "level": "INFO"},
    "disable_existing_loggers": False,
})
access, auth, orders = (logging.getLogger(f"harbour.{name}") for name in ("access", "auth", "orders"))
app = flask.Flask("harbour")


def sign(account):
    return account + "." + hmac.new(b"lab", account.encode(), hashlib.sha256).hexdigest()[:16]


def context(**fields):
    request = flask.request
    return {"request_id": flask.g.request_id, "client_ip": request.remote_addr, **fields}


def refuse(status, text):
    return flask.jsonify(error=text), status


def caller():
    scheme, _, token = flask.request.headers.get("Authorization", "").partition(" ")
    account = token.partition(".")[0]
    if scheme == "Bearer" and hmac.compare_digest(token.encode(), sign(account).encode()):
        return account
    if flask.request.headers.get("X-Api-Key"):
        if flask.request.headers["X-Api-Key"] == KEY:
            return "report"
        auth.warning("invalid api key", extra=context(event="api_key_rejected", key_prefix=flask.request.headers["X-Api-Key"][:4]))
    elif token:
        auth.warning("token signature mismatch", extra=context(event="token_rejected", user=account))
    return None


@app.before_request
def begin():
    flask.g.request_id = uuid.uuid4().hex[:12]
    flask.g.began = time.monotonic()


@app.after_request
def report(response):
    request = flask.request
    access.info("request", extra=context(
        http={"method": request.method, "path": request.full_path.rstrip("?"), "status": response.status_code,
              "user_agent": request.user_agent.string}, duration_ms=round((time.monotonic() - flask.g.began) * 1000, 1)))
    return response


@app.get("/health")
def health():
    return {"status": "ok"}


@app.post("/api/v1/login")
def login():
    form = flask.request.get_json()
    user, password = form["username"], form["password"]
    if user not in ACCOUNTS:
        auth.warning("login failed", extra=context(event="login_failed", user=user, reason="unknown_user"))
    elif ACCOUNTS[user] != password:
        auth.warning("login failed", extra=context(event="login_failed", user=user, reason="bad_password"))
    elif ROLES.get(user) == "administrator" and form.get("code") != CODE:
        auth.warning("second factor rejected", extra=context(event="mfa_failed", user=user))
    else:
        auth.info("login succeeded", extra=context(event="login_succeeded", user=user))
        return {"token": sign(user)}
    return refuse(401, "invalid credentials")


@app.get("/api/v1/orders/<int:number>")
def order(number):
    user = caller()
    if user is None:
        return refuse(401, "not authenticated")
    if number % 10 and user != "report":
        auth.warning("access denied", extra=context(event="access_denied", user=user, resource=f"order/{number}"))
        return refuse(403, "forbidden")
    orders.info("order read", extra=context(event="order_read", user=user, order=number))
    return {"order": number}


@app.get("/api/v1/search")
def search():
    words = flask.request.args.get("q", "")
    if "'" in words:
        try:
            raise ValueError(f"unterminated quoted string at or near {words!r}")
        except ValueError:
            orders.exception("query failed", extra=context(event="query_failed"))
            return refuse(500, "internal error")
    return {"orders": []}
"""


@SERVICE.prepared
def prepare(machine):
    machine.write("/srv/harbour/harbour.py", APPLICATION)


@SERVICE.started
def start(machine):
    machine.daemon("python3", "-m", "gunicorn", "--bind", f"{SERVER}:{PORT}", "--bind", f"[{SERVER6}]:{PORT}", "--workers=2",
                   "--threads=4", "--log-level=critical", "harbour:app", port=PORT, output="application",
                   env={"PYTHONPATH": "/opt/flask:/srv/harbour", "PYTHONUNBUFFERED": "1"})


def ask(session, address, path, token=None, headers=None, agent="harbour-app/3.2"):
    """One request of a program."""
    fields = {"User-Agent": agent, **(headers or {})}
    if token:
        fields["Authorization"] = f"Bearer {token}"
    return web.request(session, address, path, PORT, headers=fields)


def log_in(session, address, account, password, code=None):
    """A login; returns the answer."""
    body = json.dumps({"username": account, "password": password, "code": code})
    return web.request(session, address, "/api/v1/login", PORT, method="POST", body=body,
                       headers={"Content-Type": "application/json", "User-Agent": "harbour-app/3.2"})


def attempt(session, address, account, password, code=None):
    """One refused login."""
    answer = log_in(session, address, account, password, code)
    assert answer.status == 401, answer.status
    session.refused(address)


def work(session, address, account):
    """A login and some orders."""
    answer = log_in(session, address, account, ACCOUNTS[account], "482913" if account == "anna" else None)
    assert answer.status == 200, answer.status
    session.logged_in(address)
    token = json.loads(answer.text)["token"]
    for path in ("/api/v1/orders/10", "/api/v1/orders/120", "/api/v1/search?q=anchor"):
        assert ask(session, address, path, token).status == 200, path


@SERVICE.benign
def benign(session):
    """People and a report log in and read orders; three mistype once, one token is of yesterday, one order is not his; a
    monitor asks often; the application restarts."""
    work(session, OFFICE[0], "anna")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    work(session, ROAD6[0], "carla")
    attempt(session, OFFICE[1], "anna", ACCOUNTS["anna"], "482931")
    work(session, OFFICE[1], "anna")
    for number in range(1, 9):
        assert ask(session, OFFICE[2], f"/api/v1/orders/{number}", headers={"X-Api-Key": "k-7719-harbour"}).status == 200
        ask(session, OFFICE[9], "/health", agent="kube-probe/1.29")
    assert ask(session, ROAD[1], "/api/v1/orders/10", "bruno.0123456789abcdef").status == 401
    assert ask(session, ROAD[1], "/api/v1/orders/10").status == 401
    work(session, ROAD[1], "bruno")
    token = json.loads(log_in(session, ROAD[2], "carla", ACCOUNTS["carla"]).text)["token"]
    session.logged_in(ROAD[2])
    assert ask(session, ROAD[2], "/api/v1/orders/11", token).status == 403
    assert ask(session, ROAD[2], "/api/v1/search?q=O'Neill", token).status == 500
    session.machine.restart()
    attempt(session, ROAD6[0], "carla", "Ufer-Moos-85")
    work(session, ROAD6[0], "carla")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER, "bruno", f"bruno{number}"), range(14))


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER6, "carla", f"carla{number}"), range(12))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    names = [*ACCOUNTS, "dora", "emil", "office", "sales", "support", "billing", "jobs", "press", "legal"]
    session.at_once(lambda name: attempt(session, SPRAYER, name, "Winter2026!"), names)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist, some of them phrases with the log's own signs."""
    names = ["admin", "root", "test", "user", "guest", "demo", 'x","client_ip":"192.0.2.20', "anna\nlogin succeeded", "oracle",
             "login succeeded for anna", "api", "service"]
    session.at_once(lambda name: attempt(session, STRANGER, name, "1234"), names)


@SERVICE.attack(CODES)
def guess_second_factor(session):
    """One address has the administrator's password and tries codes of the second factor."""
    session.at_once(lambda number: attempt(session, CODES, "anna", ACCOUNTS["anna"], f"{100000 + number}"), range(14))


guessing.stolen_pairs(SERVICE, FOUND, attempt, work, "carla")


@SERVICE.attack(KEYS)
def guess_keys(session):
    """One address tries keys of programs."""
    def guess(number):
        assert ask(session, KEYS, "/api/v1/orders/1", headers={"X-Api-Key": f"k-{number:04}-test"}).status == 401
        session.refused(KEYS)

    session.at_once(guess, range(14))


@SERVICE.attack(FORGER)
def forged_tokens(session):
    """One address sends tokens that it made up."""
    for number in range(12):
        assert ask(session, FORGER, "/api/v1/orders/10", f"anna.{number:016x}").status == 401
        session.acted(FORGER, "forged token refused")


@SERVICE.attack(TRESPASSER)
def foreign_orders(session):
    """One address has a customer's password and asks for one order after another."""
    token = json.loads(log_in(session, TRESPASSER, "bruno", ACCOUNTS["bruno"]).text)["token"]
    session.logged_in(TRESPASSER)
    for number in range(1, 25):
        if ask(session, TRESPASSER, f"/api/v1/orders/{number}", token).status == 403:
            session.acted(TRESPASSER, "foreign resource denied")


@SERVICE.attack(INJECTOR)
def injections(session):
    """One address tries injections of SQL at the search."""
    for words in ["'", "1'--", "'%20OR%20'1'='1", "'%20UNION%20SELECT%20null--", "';WAITFOR%20DELAY%20'0:0:5'--", "x'%20AND%20SLEEP(5)--"] * 2:
        assert ask(session, INJECTOR, f"/api/v1/search?q={words}", agent="sqlmap/1.8").status == 500
        session.acted(INJECTOR, "injection tried")


@SERVICE.attack(SCANNER)
def paths(session):
    """One address asks for files of other programs, as scanners do."""
    probes = ["/.env", "/.git/config", "/wp-login.php", "/actuator/env", "/swagger.json", "/api/v1/users", "/api/v2/login", "/console",
              "/graphql", "/metrics", "/debug/pprof/", "/api/v1/orders/../../etc/passwd", "/server-status", "/admin"]
    for path in probes:
        assert ask(session, SCANNER, path, agent="Mozilla/5.0 zgrab/0.x").status == 404, path
        session.acted(SCANNER, "path probed")
