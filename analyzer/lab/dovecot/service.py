"""Dovecot with IMAP and POP3 and a password file, logging to syslog as it does unless told otherwise, with
`auth_verbose` on, as its manual says for finding failed logins. The growing delay after refused logins is off, for the sessions' sake."""

import imaplib
import poplib

from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, SERVER6
from runner.definition import Log, Service

SERVICE = Service(
    title="Dovecot, IMAP and POP3 server",
    packages=["dovecot-core", "dovecot-imapd", "dovecot-pop3d"],
    hostname="mail",
    logs=[Log("syslog")],
    version=["dovecot", "--version"],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, DROPPER, POP, PATIENT, PROBER = ATTACKERS[:7]
GUESSER6 = ATTACKERS6[0]


@SERVICE.prepared
def prepare(machine):
    machine.run("useradd", "--create-home", "vmail")
    machine.write("/etc/dovecot/users", "".join(f"{name}@example.org:{{PLAIN}}{word}\n" for name, word in ACCOUNTS.items()))
    machine.write("/etc/dovecot/dovecot.conf", """protocols = imap pop3
auth_verbose = yes
disable_plaintext_auth = no
ssl = no
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


@SERVICE.started
def start(machine):
    machine.daemon("dovecot", "-F", port=143)
    machine.listening(110)


def imap(session, address, account, password, tries=1):
    """One IMAP connection with refused logins."""
    with session.client(address), imaplib.IMAP4(SERVER6 if ":" in address else session.server) as box:
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
    with session.client(address), imaplib.IMAP4(session.server) as box:
        box.login(f"{account}@example.org", ACCOUNTS[account])
        session.logged_in(address)
        box.append("INBOX", None, None, b"Subject: lunch\r\n\r\nToday?\r\n")
        box.select()
        box.search(None, "ALL")


@SERVICE.benign
def benign(session):
    """Three people read mail by IMAP and POP3; one mistypes once; a monitor connects; reload and restart."""
    read_mail(session, OFFICE[0], "anna")
    imap(session, ROAD[0], "bruno@example.org", "Tal-Birke-13")
    read_mail(session, ROAD[0], "bruno")
    with session.client(ROAD[1]):
        box = poplib.POP3(session.server)
        box.user("carla@example.org")
        box.pass_(ACCOUNTS["carla"])
        session.logged_in(ROAD[1])
        box.quit()
    session.drop(OFFICE[9], 143, 1)
    session.drop(OFFICE[9], 110, 1)
    session.machine.reload()
    read_mail(session, OFFICE[0], "anna")
    session.machine.restart()
    read_mail(session, ROAD[2], "carla")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account by IMAP."""
    session.at_once(lambda number: imap(session, GUESSER, "anna@example.org", f"anna{number}"), range(12))


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address tries passwords for one account by IMAP."""
    session.at_once(lambda number: imap(session, GUESSER6, "bruno@example.org", f"bruno{number}"), range(12))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for accounts, of which some exist."""
    names = [*ACCOUNTS, "office", "sales", "support", "billing", "jobs", "press", "legal", "scanner", "backup"]
    session.at_once(lambda name: imap(session, SPRAYER, f"{name}@example.org", "Winter2026!"), names)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries account names without a domain, which do not exist."""
    names = ["admin", "test", "root", "postmaster", "webmaster", "info", "user", "mail", "guest", "oracle"]
    session.at_once(lambda name: imap(session, STRANGER, name, name), names)


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects to both ports and leaves before it logs in."""
    session.drop(DROPPER, 143, 8)
    session.drop(DROPPER, 110, 8)


@SERVICE.attack(POP)
def pop_guess(session):
    """One address tries passwords by POP3."""
    session.at_once(lambda number: pop(session, POP, "carla@example.org", f"carla{number}"), range(12))


@SERVICE.attack(PATIENT)
def several_per_connection(session):
    """One address tries three passwords in each connection."""
    session.at_once(lambda number: imap(session, PATIENT, "bruno@example.org", f"spring{number}", 3), range(4))


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
