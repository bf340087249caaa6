"""Pure-FTPd with PAM, logging to syslog, and its log of transfers, as its package sets them. PAM's delay after refused
logins is off, for the sessions' sake."""

import ftplib
import io

from runner.network import ATTACKERS, ATTACKERS6, NAMES, OFFICE, ROAD, ROAD6, SERVER6
from runner.definition import Log, Service

SERVICE = Service(
    title="Pure-FTPd, FTP server",
    packages=["pure-ftpd"],
    hostname="files3",
    logs=[Log("syslog"), Log("transfer", "/var/log/pure-ftpd/transfer.log")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, DROPPER, ANONYMOUS, PATIENT, ROOT, RAW, BOUNCER, CROWD = ATTACKERS[:10]
GUESSER6, NAMED = ATTACKERS6[0], ATTACKERS[-1]


@SERVICE.prepared
def prepare(machine):
    for name, password in ACCOUNTS.items():
        machine.account(name, password)
    machine.run("chpasswd", stdin="root:Wurzel-Stein-44\n")
    machine.replace("/etc/pam.d/common-auth", "pam_unix.so nullok", "pam_unix.so nullok nodelay")
    machine.write("/etc/pure-ftpd/conf/MaxClientsPerIP", "14\n")


@SERVICE.started
def start(machine):
    machine.daemon("pure-ftpd-wrapper", port=21)


def ftp(session, address):
    """A connection."""
    return ftplib.FTP(SERVER6 if ":" in address else session.server, timeout=40)


def attempt(session, address, account, password):
    """One connection with one refused login."""
    with session.client(address), ftp(session, address) as connection:
        session.expect_refusal(address, lambda: connection.login(account, password), ftplib.error_perm)


def work(session, address, account):
    """A login with an upload, a download and a listing."""
    with session.client(address), ftp(session, address) as connection:
        connection.login(account, ACCOUNTS[account])
        session.logged_in(address)
        connection.storbinary("STOR report.txt", io.BytesIO(b"figures\n"))
        connection.retrbinary("RETR report.txt", lambda block: None)
        connection.nlst()
        connection.delete("report.txt")


@SERVICE.benign
def benign(session):
    """Three people work; one mistypes a password and one an account; one looks for files that are not there; a monitor
    connects; a line breaks; the server restarts."""
    for _ in range(2):
        work(session, OFFICE[0], "anna")
        work(session, ROAD6[0], "carla")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    with session.client(ROAD[1]), ftp(session, ROAD[1]) as connection:
        session.expect_refusal(ROAD[1], lambda: connection.login("carlla", ACCOUNTS["carla"]), ftplib.error_perm)
        connection.login("carla", ACCOUNTS["carla"])
        session.logged_in(ROAD[1])
        for act in (lambda: connection.cwd("2025"), lambda: connection.size("list.txt"), lambda: connection.rmd("old")):
            try:
                act()
            except ftplib.error_perm:
                pass
    session.drop(OFFICE[9], 21, 2)
    with session.client(ROAD[2]):
        connection = ftp(session, ROAD[2])
        connection.login("anna", ACCOUNTS["anna"])
        session.logged_in(ROAD[2])
        connection.close()
    session.machine.restart()
    work(session, OFFICE[0], "anna")
    work(session, ROAD[1], "carla")
    work(session, OFFICE[1], "bruno")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}"), range(12), workers=12)


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER6, "bruno", f"bruno{number}"), range(12), workers=12)


@SERVICE.attack(host=NAMES[NAMED])
def guess_from_a_named_host(session):
    """One address that has a name tries passwords for one account. The log has the name in place of the address."""
    session.at_once(lambda number: attempt(session, NAMED, "carla", f"carla{number}"), range(12), workers=12)


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    accounts = [*ACCOUNTS, "www-data", "backup", "daemon", "mail", "news", "games", "sys", "admin", "web"]
    session.at_once(lambda account: attempt(session, SPRAYER, account, "Winter2026!"), accounts, workers=12)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist; one name has a space."""
    accounts = ["admin", "ftpuser", "test", "oracle", "user", "web", "upload", "guest", "demo", "info", "web user"]
    session.at_once(lambda account: attempt(session, STRANGER, account, account), accounts, workers=12)


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects and leaves before it logs in."""
    session.drop(DROPPER, 21, 15)


@SERVICE.attack(ANONYMOUS)
def anonymous(session):
    """One address tries anonymous logins, which are off."""
    accounts = ["anonymous", "ftp"] * 5
    session.at_once(lambda account: attempt(session, ANONYMOUS, account, "probe@example.com"), accounts, workers=12)


@SERVICE.attack(PATIENT)
def several_per_connection(session):
    """One address tries two passwords in each connection, though the delay grows with each."""
    def two(number):
        with session.client(PATIENT), ftp(session, PATIENT) as connection:
            for word in ("summer", "letmein"):
                guess = f"{word}{number}"
                session.expect_refusal(PATIENT, lambda guess=guess: connection.login("bruno", guess), ftplib.error_perm)

    session.at_once(two, range(6))


@SERVICE.attack(ROOT)
def root(session):
    """One address tries passwords for root, whose logins are off, and at last its password."""
    words = [*(f"toor{number}" for number in range(10)), "Wurzel-Stein-44"]
    session.at_once(lambda word: attempt(session, ROOT, "root", word), words, workers=12)


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no FTP, and commands that need a login."""
    probes = [b"GET / HTTP/1.0\r\n\r\n", b"\x16\x03\x01\x02\x00\r\n", b"SITE EXEC id\r\n", b"USER " + b"a" * 300 + b"\r\n",
              b"SITE CPFR /etc/passwd\r\nSITE CPTO /tmp/x\r\n"]

    def probe(words):
        with session.connect(RAW, 21, timeout=3) as connection:
            connection.recv(512)
            connection.sendall(words)
            try:
                connection.recv(512)
            except OSError:
                pass
        session.acted(RAW, "malformed request")

    session.at_once(probe, probes * 3, workers=12)


@SERVICE.attack(BOUNCER)
def bounce(session):
    """One address has an account's password and asks for connections to other machines and for files above its own."""
    with session.client(BOUNCER), ftp(session, BOUNCER) as connection:
        connection.login("bruno", ACCOUNTS["bruno"])
        session.logged_in(BOUNCER)
        for number in range(1, 11):
            for act, words in (("bounce denied", f"PORT 10,0,0,{number},0,22"), ("path denied", f"CWD /root/{number}")):
                try:
                    connection.sendcmd(words)
                except ftplib.error_perm:
                    session.acted(BOUNCER, act)


@SERVICE.attack(CROWD)
def too_many_connections(session):
    """One address opens more connections than the server takes from one."""
    connections = [session.connect(CROWD, 21) for _ in range(26)]
    for connection in connections:
        if connection.recv(256).startswith(b"421"):
            session.acted(CROWD, "connection refused")
    for connection in connections:
        connection.close()
