"""Keycloak with its own database and TLS, in the mode of production. It reports refused logins as events at the level that it
comes with; the same lines go to its output as text and to a file as JSON, both as its manual describes them. The realm's
detection of guesses is on, as the manual recommends."""

import html
import json
import re
import urllib.parse

from runner import web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="Keycloak, identity provider",
    packages=["openjdk-17-jre-headless"],
    hostname="login",
    logs=[Log("output", "/var/log/keycloak.output"), Log("json", "/var/log/keycloak/keycloak.json", form="json")],
    version=["sh", "-c", "/opt/keycloak/bin/kc.sh --version | sed -n 's/^Keycloak //p'"],
    limit=420,
)
PORT = 8443
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58", "dora": "Watt-Erle-24"}
DISABLED = "emil"
GUESSER, SPRAYER, STRANGER, CALLER, CLIENT, ADMIN, FORGER, LATE, FOUND, SCANNER = ATTACKERS[:10]
GUESSER6 = ATTACKERS6[0]
REALM = "/realms/shop/protocol/openid-connect"
HOME = "https://shop.example.org/"


@SERVICE.prepared
def prepare(machine):
    users = [{"username": name, "enabled": name != DISABLED, "email": f"{name}@example.org", "firstName": name.title(),
              "lastName": "Example", "emailVerified": True, "credentials": [{"type": "password", "value": word}]}
             for name, word in {**ACCOUNTS, DISABLED: "Deich-Linde-46"}.items()]
    clients = [{"clientId": "shop", "publicClient": True, "directAccessGrantsEnabled": True, "redirectUris": [f"{HOME}*"]},
               {"clientId": "report", "secret": "Heide-Quarz-19", "serviceAccountsEnabled": True}]
    realm = {"realm": "shop", "enabled": True, "bruteForceProtected": True, "users": users,
             "clients": clients}
    machine.write("/opt/keycloak/data/import/shop.json", json.dumps(realm))
    machine.write("/opt/keycloak/conf/keycloak.conf", f"""hostname=https://login.example.org:{PORT}
https-port={PORT}
https-certificate-file=/opt/keycloak/conf/login.crt
https-certificate-key-file=/opt/keycloak/conf/login.key
cache=local
log=console,file
log-file=/var/log/keycloak/keycloak.json
log-file-output=json
""")
    # Each start would begin a new file otherwise.
    machine.write("/opt/keycloak/conf/quarkus.properties", "quarkus.log.file.rotation.rotate-on-boot=false\n")
    machine.run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=login.example.org",
                "-keyout", "/opt/keycloak/conf/login.key", "-out", "/opt/keycloak/conf/login.crt")
    machine.run("/opt/keycloak/bin/kc.sh", "build", "--db=dev-file", "--metrics-enabled=false", timeout=240)


@SERVICE.started
def start(machine):
    machine.daemon("/opt/keycloak/bin/kc.sh", "start", "--optimized", "--import-realm", port=PORT, output="keycloak",
                   env={"KC_BOOTSTRAP_ADMIN_USERNAME": "admin", "KC_BOOTSTRAP_ADMIN_PASSWORD": "Klippe-Anker-85"})


def form_of(browser, client="shop", redirect=HOME):
    """Asks for the login page. Returns its answer."""
    query = {"client_id": client, "redirect_uri": redirect, "response_type": "code", "scope": "openid", "state": "x"}
    return browser.get(f"{REALM}/auth?{urllib.parse.urlencode(query)}")


def log_in(browser, account, password):
    """Opens the login page and sends its form."""
    page = form_of(browser)
    assert page.status == 200, page.status
    action = urllib.parse.urlsplit(html.unescape(re.search(r'action="([^"]+)"', page.text)[1]))
    return browser.post(f"{action.path}?{action.query}", {"username": account, "password": password, "credentialId": ""})


def attempt(session, address, account, password):
    """One refused login at the page."""
    answer = log_in(web.Browser(session, address, PORT, tls=True), account, password)
    assert answer.status == 200, answer.status
    session.refused(address)


def token(session, address, form, realm="shop"):
    """Asks for a token. Returns the status and what came."""
    browser = web.Browser(session, address, PORT, tls=True)
    answer = browser.post(f"/realms/{realm}/protocol/openid-connect/token", form)
    return answer.status, json.loads(answer.text)


def refused_token(session, address, form, realm="shop"):
    """Asks for a token, which must be refused."""
    status, _ = token(session, address, form, realm)
    assert status in (400, 401), status
    session.refused(address)


def password_form(account, password):
    """The form by which programs log in with an account's password."""
    return {"grant_type": "password", "client_id": "shop", "scope": "openid", "username": account, "password": password}


def work(session, address, account):
    """A login at the page, and the program's tokens."""
    answer = log_in(web.Browser(session, address, PORT, tls=True), account, ACCOUNTS[account])
    assert answer.status == 302, answer.status
    session.logged_in(address)
    code = urllib.parse.parse_qs(urllib.parse.urlsplit(answer.headers["Location"]).query)["code"][0]
    form = {"grant_type": "authorization_code", "client_id": "shop", "redirect_uri": HOME, "code": code}
    status, tokens = token(session, address, form)
    assert status == 200, tokens
    form = {"grant_type": "refresh_token", "client_id": "shop", "refresh_token": tokens["refresh_token"]}
    status, tokens = token(session, address, form)
    assert status == 200, tokens
    header = {"Authorization": f"Bearer {tokens['access_token']}"}
    assert web.request(session, address, f"{REALM}/userinfo", PORT, headers=header, tls=True).status == 200


@SERVICE.benign
def benign(session):
    """People and programs log in; three mistype once, a token is out of date, a program is set up wrongly at first;
    a monitor asks; the server restarts."""
    work(session, OFFICE[0], "anna")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    work(session, ROAD6[0], "carla")
    attempt(session, ROAD[1], "dora@example.com", ACCOUNTS["dora"])
    work(session, ROAD[1], "dora")
    client = {"grant_type": "client_credentials", "client_id": "report", "client_secret": "Heide-Quarz-19"}
    refused_token(session, OFFICE[2], {**client, "client_secret": "change-me"})
    for _ in range(3):
        assert token(session, OFFICE[2], client)[0] == 200
        session.logged_in(OFFICE[2])
    status, _ = token(session, ROAD[2], {"grant_type": "refresh_token", "client_id": "shop", "refresh_token": "out-of-date"})
    assert status == 400, status
    assert form_of(web.Browser(session, ROAD[3], PORT, tls=True), redirect="https://shop.example.net/").status == 400
    for _ in range(3):
        web.request(session, OFFICE[9], "/realms/shop", PORT, headers={"User-Agent": "check_http/v2.3.3"}, tls=True)
    session.machine.restart()
    attempt(session, OFFICE[0], "anna", "Fjord-Kiesel-7")
    work(session, OFFICE[0], "anna")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account; Keycloak bars the account for a while when they come fast."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}"), range(14), 3)


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER6, "bruno", f"bruno{number}"), range(12), 3)


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    names = [*ACCOUNTS, "office", "sales", "support", "billing", "jobs", "press", "legal", "backup"]
    session.at_once(lambda name: attempt(session, SPRAYER, name, "Winter2026!"), names, 3)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist, some of them phrases with the log's own signs."""
    names = ["admin", "root", "test", "keycloak", "user", "guest", "demo", "oracle", 'x", ipAddress="192.0.2.20',
             "anna', error='none", "service account", "type=LOGIN"]
    session.at_once(lambda name: attempt(session, STRANGER, name, "1234"), names, 3)


@SERVICE.attack(CALLER)
def guess_by_token(session):
    """One address tries passwords for one account at the place where programs ask for tokens."""
    session.at_once(lambda number: refused_token(session, CALLER, password_form("carla", f"carla{number}")), range(12), 3)


@SERVICE.attack(CLIENT)
def guess_secret_of_client(session):
    """One address tries secrets of programs, of which one exists."""
    def guess(number):
        client = "report" if number % 3 else f"client{number}"
        refused_token(session, CLIENT, {"grant_type": "client_credentials", "client_id": client, "client_secret": f"s{number}"})

    session.at_once(guess, range(12), 3)


@SERVICE.attack(ADMIN)
def guess_administrator(session):
    """One address tries passwords of the administrator, as the administration's command line logs in."""
    def guess(number):
        form = {"grant_type": "password", "client_id": "admin-cli", "username": "admin", "password": f"admin{number}"}
        refused_token(session, ADMIN, form, "master")

    session.at_once(guess, range(12), 3)


@SERVICE.attack(FORGER)
def forged_requests(session):
    """One address sends tokens that it made up, codes, and places to return to that the realm does not know."""
    for number in range(6):
        for grant, name in (("refresh_token", "refresh_token"), ("authorization_code", "code")):
            form = {"grant_type": grant, "client_id": "shop", "redirect_uri": HOME, name: f"eyJhbGciOiJub25lIn0.e{number}."}
            assert token(session, FORGER, form)[0] == 400
            session.acted(FORGER, "forged token refused")
        assert form_of(web.Browser(session, FORGER, PORT, tls=True), redirect=f"https://evil{number}.example/").status == 400
        session.acted(FORGER, "return address refused")


@SERVICE.attack(LATE)
def disabled_account(session):
    """One address has the password of an account that is disabled, and tries it again and again."""
    session.at_once(lambda number: refused_token(session, LATE, password_form(DISABLED, "Deich-Linde-46")), range(12), 3)


@SERVICE.attack(FOUND)
def stolen_pairs(session):
    """One address tries accounts with passwords stolen elsewhere, one after another; the last one is right."""
    for name in ["felix", "greta", "hugo", "ida", "jonas", "klara", "lukas", "mia", "noah", "olga", "paul", "rosa"]:
        attempt(session, FOUND, f"{name}@example.org", f"{name.title()}2019")
    work(session, FOUND, "dora")


@SERVICE.attack(SCANNER)
def paths(session):
    """One address asks for files of other programs, for realms, and for the administration."""
    probes = ["/.env", "/.git/config", "/realms/../../../etc/passwd", "/auth/realms/master", "/realms/test", "/realms/dev",
              "/admin/master/console/", "/admin/realms", "/metrics", "/health", "/wp-login.php",
              "/realms/shop/clients-registrations/openid-connect"]
    for path in probes:
        assert web.request(session, SCANNER, path, PORT, tls=True).status < 500, path
        session.acted(SCANNER, "path probed")
