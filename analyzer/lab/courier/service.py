"""Courier with IMAP and POP3 and its authentication daemon, which asks PAM as in Debian. All of them log to syslog as they do
unless told otherwise; the manual offers `DEBUG_LOGIN` for faults alone."""

import contextlib
import imaplib
import poplib
import time

from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6, SERVER6
from runner.definition import Log, Service

SERVICE = Service(
    title="Courier, IMAP and POP3 server",
    packages=["courier-imap", "courier-pop", "courier-authdaemon"],
    hostname="mail2",
    logs=[Log("syslog")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, DROPPER, POP, PATIENT, PROBER, FLOOD = ATTACKERS[:8]
GUESSER6 = ATTACKERS6[0]
PARTS = ["authdaemond", "imapd", "pop3d"]
# Each refusal takes five seconds; one address may have twenty connections.
AT_ONCE = 14


@SERVICE.prepared
def prepare(machine):
    # PAM's own delay, besides Courier's, would outlast the clients.
    machine.replace("/etc/pam.d/common-auth", "pam_unix.so nullok", "pam_unix.so nullok nodelay")
    # As many connections for POP3 as for IMAP.
    machine.replace("/etc/courier/pop3d", "MAXPERIP=4", "MAXPERIP=20")
    for name, password in ACCOUNTS.items():
        machine.account(name, password)
        machine.run("maildirmake", f"/home/{name}/Maildir", user=name)


@SERVICE.started
def start(machine):
    machine.run("install", "-d", "-o", "courier", "-g", "courier", "/run/courier", "/run/courier/authdaemon")
    for part in PARTS:
        machine.run("sh", "-c", f"{part} start >/dev/null 2>&1")
    machine.listening(143)
    machine.listening(110)


@SERVICE.stopped
def stop(machine):
    for part in reversed(PARTS):
        machine.run("sh", "-c", f"{part} stop >/dev/null 2>&1", check=False)
    time.sleep(0.5)


def opened(session, address):
    """A connection for IMAP."""
    return imaplib.IMAP4(SERVER6 if ":" in address else session.server)


def imap(session, address, account, password, tries=1):
    """One IMAP connection with refused logins."""
    with session.client(address), opened(session, address) as box:
        for number in range(tries):
            guess = f"{password}{number or ''}"
            session.expect_refusal(address, lambda guess=guess: box.login(account, guess), imaplib.IMAP4.error)


def pop(session, address, account, password):
    """One POP3 connection with one refused login."""
    with session.client(address):
        box = poplib.POP3(session.server)
        box.user(account)
        session.expect_refusal(address, lambda: box.pass_(password), poplib.error_proto)
        box.close()


def read_mail(session, address, account):
    """A login by IMAP that stores and reads a message."""
    with session.client(address), opened(session, address) as box:
        box.login(account, ACCOUNTS[account])
        session.logged_in(address)
        box.append("INBOX", None, None, b"Subject: lunch\r\n\r\nToday?\r\n")
        box.select()
        box.search(None, "ALL")


def fetch_mail(session, address, account):
    """A login by POP3 that fetches a message."""
    with session.client(address):
        box = poplib.POP3(session.server)
        box.user(account)
        box.pass_(ACCOUNTS[account])
        session.logged_in(address)
        box.retr(1)
        box.quit()


@SERVICE.benign
def benign(session):
    """Three people read mail by IMAP and POP3; one mistypes once by each; a monitor connects; the service restarts."""
    for address, account in ((OFFICE[0], "anna"), (ROAD[1], "carla"), (ROAD6[0], "carla"), (OFFICE[1], "anna")):
        read_mail(session, address, account)
    for _ in range(4):
        fetch_mail(session, ROAD[1], "carla")
    imap(session, ROAD[0], "bruno", "Tal-Birke-13")
    read_mail(session, ROAD[0], "bruno")
    pop(session, ROAD[3], "bruno", "Tal-Birke-3")
    fetch_mail(session, ROAD[3], "bruno")
    session.drop(OFFICE[9], 143, 3)
    session.drop(OFFICE[9], 110, 3)
    session.machine.restart()
    for account in ACCOUNTS:
        read_mail(session, OFFICE[0], account)
        fetch_mail(session, OFFICE[2], account)


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account by IMAP."""
    session.at_once(lambda number: imap(session, GUESSER, "anna", f"anna{number}"), range(14), AT_ONCE)


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One address of version 6 tries passwords for one account by IMAP."""
    session.at_once(lambda number: imap(session, GUESSER6, "bruno", f"bruno{number}"), range(12), AT_ONCE)


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for accounts, of which some exist."""
    names = [*ACCOUNTS, "root", "www-data", "backup", "daemon", "office", "sales", "support", "billing", "jobs"]
    session.at_once(lambda name: imap(session, SPRAYER, name, "Winter2026!"), names, AT_ONCE)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist, some of them with a domain."""
    names = ["admin", "test", "postmaster", "webmaster", "info", "user", "oracle@example.org", "admin@example.org", "guest",
             "scanner@example.org"]
    session.at_once(lambda name: imap(session, STRANGER, name, "123456"), names, AT_ONCE)


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects to both ports and leaves before it logs in."""
    session.drop(DROPPER, 143, 8)
    session.drop(DROPPER, 110, 8)


@SERVICE.attack(POP)
def pop_guess(session):
    """One address tries passwords by POP3."""
    session.at_once(lambda number: pop(session, POP, "carla", f"carla{number}"), range(14), AT_ONCE)


@SERVICE.attack(PATIENT)
def several_per_connection(session):
    """One address tries two passwords in each connection."""
    session.at_once(lambda number: imap(session, PATIENT, "bruno", f"spring{number}", 2), range(6), AT_ONCE)


@SERVICE.attack(PROBER)
def malformed(session):
    """One address sends what is no IMAP, and asks for mechanisms that are off."""
    def probe(words):
        with session.connect(PROBER, 143) as connection:
            connection.recv(512)
            connection.sendall(words)
            connection.recv(512)
        session.acted(PROBER, "malformed request")

    session.at_once(probe, [b"GET / HTTP/1.0\r\n\r\n", b"a AUTHENTICATE NTLM\r\n", b"\x16\x03\x01\x02\x00\r\n"] * 4)


@SERVICE.attack(FLOOD)
def too_many_connections(session):
    """One address holds as many connections as it may, and asks for more."""
    with contextlib.ExitStack() as held:
        for number in range(32):
            connection = held.enter_context(session.connect(FLOOD, 143))
            if number >= 20:
                session.acted(FLOOD, "connection limit")
            elif not connection.recv(256):
                raise AssertionError("the server refused a connection within the limit")
        time.sleep(0.5)
