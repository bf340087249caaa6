"""Jupyter's server with a password, and a token for programs; it logs to its standard error at the level `INFO` that it comes
with. Requests that succeed are then logged for pages only."""

from runner import web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="Jupyter Server, notebooks",
    packages=[],
    hostname="lab1",
    logs=[Log("output", "/var/log/jupyter.output")],
    version=["env", "PYTHONPATH=/opt/jupyter", "python3", "-m", "jupyter_server", "--version"],
)
PORT = 8888
PASSWORD, TOKEN = "Fjord-Kiesel-77", "0b5d3c7f61e94aa28f7c"
GUESSER, BLIND, TOKENS, STRANGER, FOUND, SCANNER, RAW = ATTACKERS[:7]
GUESSER6 = ATTACKERS6[0]


@SERVICE.prepared
def prepare(machine):
    machine.run("useradd", "--create-home", "notebook")
    hashed = machine.run("env", "PYTHONPATH=/opt/jupyter", "python3", "-c",
                         f"from jupyter_server.auth import passwd; print(passwd('{PASSWORD}'))").strip().splitlines()[-1]
    machine.write("/etc/jupyter/jupyter_server_config.py", f"""c.ServerApp.ip = ""
c.ServerApp.port = {PORT}
c.ServerApp.allow_remote_access = True
c.ServerApp.open_browser = False
c.ServerApp.root_dir = "/home/notebook"
c.PasswordIdentityProvider.hashed_password = "{hashed}"
c.IdentityProvider.token = "{TOKEN}"
""")
    machine.write("/home/notebook/report.ipynb", '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}', owner="notebook")


@SERVICE.started
def start(machine):
    machine.daemon("python3", "-m", "jupyter_server", port=PORT, output="jupyter", user="notebook",
                   env={"PYTHONPATH": "/opt/jupyter", "HOME": "/home/notebook"}, directory="/home/notebook")


def log_in(browser, password):
    """Opens the login page and sends its form."""
    assert browser.get("/login?next=%2F").status == 200
    return browser.post("/login?next=%2F", {"_xsrf": browser.cookies["_xsrf"], "password": password})


def attempt(session, address, password):
    """One refused login."""
    answer = log_in(web.Browser(session, address, PORT), password)
    assert answer.status == 401, answer.status
    session.refused(address)


def work(session, address):
    """A login, the folder, a notebook read and saved, and the logout."""
    browser = web.Browser(session, address, PORT)
    assert log_in(browser, PASSWORD).status == 302
    session.logged_in(address)
    for path in ("/api/contents", "/api/contents/report.ipynb", "/api/kernelspecs", "/api/sessions", "/files/report.ipynb"):
        assert browser.get(path).status == 200, path
    header = {"X-XSRFToken": browser.cookies["_xsrf"], "Content-Type": "application/json"}
    assert browser.post("/api/contents/report.ipynb/checkpoints", "", header).status == 201
    assert browser.get("/logout").status == 200


def program(session, address, token):
    """One request of a program with a token. Returns its status."""
    return web.request(session, address, "/api/status", PORT, headers={"Authorization": f"token {token}", "User-Agent": "report/1.2"}).status


@SERVICE.benign
def benign(session):
    """People open notebooks; three mistype once, one has a page open whose login has ended; a program uses the token; a
    monitor asks; the server restarts."""
    work(session, OFFICE[0])
    attempt(session, ROAD[0], "Fjord-Kiesel-7")
    work(session, ROAD[0])
    work(session, ROAD6[0])
    for _ in range(4):
        assert program(session, OFFICE[2], TOKEN) == 200
        session.logged_in(OFFICE[2])
        web.request(session, OFFICE[9], "/api", PORT, headers={"User-Agent": "check_http/v2.3.3"})
    assert web.request(session, ROAD[1], "/api/sessions", PORT).status == 403
    attempt(session, ROAD[1], "fjord-kiesel-77")
    work(session, ROAD[1])
    assert web.request(session, ROAD[1], "/files/old.ipynb", PORT).status in (302, 403)
    session.machine.restart()
    attempt(session, OFFICE[0], "Fjord-Kiesel-71")
    work(session, OFFICE[0])
    work(session, ROAD[2])


@SERVICE.attack(GUESSER)
def guess_password(session):
    """One address tries passwords."""
    session.at_once(lambda number: attempt(session, GUESSER, f"jupyter{number}"), range(14))


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address tries passwords."""
    session.at_once(lambda number: attempt(session, GUESSER6, f"notebook{number}"), range(12))


@SERVICE.attack(FOUND)
def guess_until_found(session):
    """One address tries passwords one after another, until one is right, and reads what there is."""
    for number in range(12):
        attempt(session, FOUND, f"Fjord-{number}")
    work(session, FOUND)


@SERVICE.attack(BLIND)
def without_token_of_form(session):
    """One address sends the login form without the page's token, as simple tools do."""
    for number in range(12):
        assert web.Browser(session, BLIND, PORT).post("/login", {"password": f"pass{number}"}).status == 403
        session.acted(BLIND, "form without token")


@SERVICE.attack(TOKENS)
def guess_token(session):
    """One address tries tokens of programs."""
    def guess(number):
        assert program(session, TOKENS, f"{number:020x}") == 403
        session.refused(TOKENS)

    session.at_once(guess, range(14))


@SERVICE.attack(STRANGER)
def without_login(session):
    """One address starts kernels and terminals without a login, as those who look for open servers do."""
    for path in ["/api/kernels", "/api/terminals", "/api/contents/etc", "/api/sessions", "/files/report.ipynb", "/terminals/1"] * 2:
        assert web.request(session, STRANGER, path, PORT).status in (302, 403, 404), path
        session.acted(STRANGER, "page denied")
    for _ in range(4):
        assert web.request(session, STRANGER, "/api/kernels", PORT, method="POST", body="{}").status == 403
        session.acted(STRANGER, "page denied")


@SERVICE.attack(SCANNER)
def paths(session):
    """One address asks for files of other programs, as scanners do."""
    probes = ["/.env", "/.git/config", "/wp-login.php", "/phpmyadmin/", "/static/../../../etc/passwd", "/hub/login", "/lab", "/tree",
              "/nbextensions/x.js", "/static/%2e%2e/%2e%2e/etc/passwd", "/server-status", "/actuator/env"]
    for path in probes:
        assert web.request(session, SCANNER, path, PORT).status in (302, 403, 404), path
        session.acted(SCANNER, "path probed")


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no HTTP."""
    hello = bytes.fromhex("160301006c010000680303") + bytes(range(60))
    for data in [hello, b"SSH-2.0-probe\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                 b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n"] * 3:
        web.raw(session, RAW, PORT, data)
        session.acted(RAW, "malformed request")
