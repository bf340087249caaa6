"""Courier with IMAP and POP3 and its authentication daemon, which asks PAM as in Debian. All of them log to syslog as they do
unless told otherwise; the manual offers `DEBUG_LOGIN` for faults alone."""

import contextlib
import time

from runner import guessing, mail
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
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


def read_mail(session, address, account):
    """A login by IMAP that stores and reads a message."""
    with session.client(address), mail.opened(session, address) as box:
        box.login(account, ACCOUNTS[account])
        session.logged_in(address)
        box.append("INBOX", None, None, b"Subject: lunch\r\n\r\nToday?\r\n")
        box.select()
        box.search(None, "ALL")


def fetch_mail(session, address, account):
    """A login by POP3 that fetches a message."""
    mail.fetch(session, address, account, ACCOUNTS[account])


@SERVICE.benign
def benign(session):
    """Three people read mail by IMAP and POP3; one mistypes once by each; a monitor connects; the service restarts."""
    for address, account in ((OFFICE[0], "anna"), (ROAD[1], "carla"), (ROAD6[0], "carla"), (OFFICE[1], "anna")):
        read_mail(session, address, account)
    for _ in range(4):
        fetch_mail(session, ROAD[1], "carla")
    mail.imap(session, ROAD[0], "bruno", "Tal-Birke-13")
    read_mail(session, ROAD[0], "bruno")
    mail.pop(session, ROAD[3], "bruno", "Tal-Birke-3")
    fetch_mail(session, ROAD[3], "bruno")
    session.drop(OFFICE[9], 143, 3)
    session.drop(OFFICE[9], 110, 3)
    session.machine.restart()
    for account in ACCOUNTS:
        read_mail(session, OFFICE[0], account)
        fetch_mail(session, OFFICE[2], account)


guessing.one_account(SERVICE, GUESSER, mail.imap, workers=AT_ONCE,
                     description="One address tries passwords for one account by IMAP.")
guessing.over_ipv6(SERVICE, GUESSER6, mail.imap, workers=AT_ONCE)
guessing.spray(SERVICE, SPRAYER, mail.imap, [*ACCOUNTS, "root", "www-data", "backup", "daemon", "office", "sales",
                                             "support", "billing", "jobs"], workers=AT_ONCE)
guessing.unknown_users(SERVICE, STRANGER, mail.imap, ["admin", "test", "postmaster", "webmaster", "info", "user",
                                                      "oracle@example.org", "admin@example.org", "guest",
                                                      "scanner@example.org"], "123456", workers=AT_ONCE,
                       description="One address tries accounts that do not exist, some of them with a domain.")
mail.connect_and_drop(SERVICE, DROPPER)
mail.pop_guess(SERVICE, POP, "carla", 14, workers=AT_ONCE)
mail.several_per_connection(SERVICE, PATIENT, "bruno", 2, 6, workers=AT_ONCE)
mail.malformed(SERVICE, PROBER, "NTLM")


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
