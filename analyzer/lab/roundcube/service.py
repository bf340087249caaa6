"""Roundcube behind nginx and PHP-FPM, with Dovecot as its mail server, all from Debian. `log_logins` is on, as Roundcube's
manual says for finding refused logins; everything else logs as its package sets it. Dovecot's delays after refused logins
are off, for the sessions' sake."""

import re

from runner import php, web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="Roundcube, webmail",
    packages=["roundcube-core", "roundcube-sqlite3", "php8.2-fpm", "nginx", "dovecot-imapd"],
    hostname="webmail",
    logs=[
        Log("userlogins", "/var/log/roundcube/userlogins.log"),
        Log("errors", "/var/log/roundcube/errors.log"),
        Log("access", "/var/log/nginx/access.log"),
        Log("syslog"),
    ],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58", "dora": "Watt-Erle-24",
            "emil": "Deich-Linde-46"}
GUESSER, SPRAYER, STRANGER, BLIND, SCANNER, DROPPER, RETURNING = ATTACKERS[:7]
GUESSER6 = ATTACKERS6[0]
TOKEN = re.compile(r'name="_token" value="([^"]+)"|"request_token":"([^"]+)"')


@SERVICE.prepared
def prepare(machine):
    machine.run("useradd", "--create-home", "vmail")
    machine.write("/etc/dovecot/users", "".join(f"{name}@example.org:{{PLAIN}}{word}\n" for name, word in ACCOUNTS.items()))
    machine.write("/etc/dovecot/dovecot.conf", """protocols = imap
ssl = no
auth_failure_delay = 0
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
mail_location = maildir:/home/vmail/%u
passdb {
  driver = passwd-file
  args = /etc/dovecot/users
}
userdb {
  driver = static
  args = uid=vmail gid=vmail home=/home/vmail/%u
}
""")
    machine.append("/etc/roundcube/config.inc.php", "$config['log_logins'] = true;\n")
    php.site(machine, "/var/lib/roundcube/public_html", "webmail.example.org", """    index index.php;""")


@SERVICE.started
def start(machine):
    machine.daemon("dovecot", "-F", port=143, output="dovecot")
    php.start(machine)


SERVICE.stopped(php.stop)


def token(page):
    """The token that a form of the page must bring."""
    found = TOKEN.search(page.text)
    return found[1] or found[2]


def log_in(browser, account, password):
    """Opens the login page and sends its form."""
    page = browser.get("/?_task=login")
    assert page.status == 200, page.status
    form = {"_token": token(page), "_task": "login", "_action": "login", "_timezone": "Europe/Berlin", "_url": "",
            "_user": account, "_pass": password}
    return browser.post("/?_task=login", form)


def attempt(session, address, account, password):
    """One refused login."""
    answer = log_in(web.Browser(session, address), account, password)
    assert answer.status == 401, answer.status
    session.refused(address)


def work(session, address, account):
    """A login, the list of messages, a contact, the settings, and the logout."""
    browser = web.Browser(session, address)
    answer = log_in(browser, f"{account}@example.org", ACCOUNTS[account])
    assert answer.status == 302, answer.status
    session.logged_in(address)
    page = browser.get("/?_task=mail")
    assert page.status == 200 and "messagelist" in page.text, page.text
    for path in ("/?_task=mail&_action=list&_mbox=INBOX&_remote=1", "/?_task=mail&_action=refresh&_remote=1",
                 "/?_task=mail&_action=compose", "/?_task=addressbook", "/?_task=settings"):
        assert browser.get(path).status in (200, 302), path
    assert browser.get(f"/?_task=logout&_token={token(page)}").status == 200


@SERVICE.benign
def benign(session):
    """People read mail; two mistype once, one forgets the domain; a monitor asks; the mail server is down for a moment;
    everything restarts."""
    work(session, OFFICE[0], "anna")
    attempt(session, ROAD[0], "bruno@example.org", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    attempt(session, ROAD[1], "dora", ACCOUNTS["dora"])
    work(session, ROAD[1], "dora")
    work(session, ROAD6[0], "carla")
    for _ in range(3):
        web.request(session, OFFICE[9], "/", headers={"User-Agent": "check_http/v2.3.3"})
    dovecot = session.machine.daemons[0]
    dovecot.terminate()
    dovecot.wait(10)
    attempt(session, OFFICE[1], "carla@example.org", ACCOUNTS["carla"])
    session.machine.restart()
    work(session, OFFICE[1], "carla")
    attempt(session, OFFICE[0], "anna@example.org", "Fjord-Kiesel-7")
    work(session, OFFICE[0], "anna")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account; Roundcube refuses without a check after three in a minute."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna@example.org", f"anna{number}"), range(12))


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER6, "bruno@example.org", f"bruno{number}"), range(12))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    names = ["anna", "bruno", "carla", "dora", "office", "sales", "support", "billing", "jobs", "press", "legal", "backup"]
    session.at_once(lambda name: attempt(session, SPRAYER, f"{name}@example.org", "Winter2026!"), names)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries names that do not exist, some of them phrases and fragments of SQL."""
    names = ["admin", "root", "test", "postmaster", "webmaster", "' OR 1=1 --", "user from 192.0.2.20", "info", "guest",
             "Successful login for anna", "oracle", "demo"]
    session.at_once(lambda name: attempt(session, STRANGER, name, "1234"), names)


@SERVICE.attack(BLIND)
def without_token(session):
    """One address sends the login form without the page's token, as simple tools do."""
    def guess(number):
        form = {"_task": "login", "_action": "login", "_user": "carla@example.org", "_pass": f"carla{number}"}
        assert web.Browser(session, BLIND).post("/?_task=login", form).status == 401
        session.refused(BLIND)

    session.at_once(guess, range(12))


@SERVICE.attack(RETURNING)
def stolen_pairs(session):
    """One address tries a list of accounts with passwords stolen elsewhere, one after another; the last one is right."""
    names = ["emma", "felix", "greta", "hugo", "ida", "jonas", "klara", "lukas", "mia", "noah", "olga", "paul"]
    for name in names:
        attempt(session, RETURNING, f"{name}@example.org", f"{name.title()}2019")
    answer = log_in(web.Browser(session, RETURNING), "emil@example.org", ACCOUNTS["emil"])
    assert answer.status == 302, answer.status
    session.logged_in(RETURNING)


@SERVICE.attack(SCANNER)
def paths(session):
    """One address asks for files of Roundcube and of other programs, as scanners do."""
    probes = ["/installer/", "/config/config.inc.php", "/logs/errors.log", "/SQL/sqlite.initial.sql", "/CHANGELOG.md",
              "/roundcube/", "/webmail/", "/.env", "/?_task=mail&_action=get&_uid=1&_from=../../etc/passwd",
              "/?_task=settings&_action=upload&_from=edit-!xx", "/bin/installto.sh", "/.git/config", "/temp/"]
    for path in probes:
        assert web.request(session, SCANNER, path).status in (200, 401, 403, 404), path
        session.acted(SCANNER, "path probed")


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects and leaves, without a word or within a request."""
    session.drop(DROPPER, 80, 6, read_banner=False)
    for _ in range(8):
        with session.connect(DROPPER, 80) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: webmail.example.org\r\nX-")
        session.acted(DROPPER, "request left unfinished")
