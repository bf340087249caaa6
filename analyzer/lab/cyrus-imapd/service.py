"""Cyrus with IMAP, POP3 and ManageSieve and accounts in sasldb, logging to syslog as it does unless told otherwise. The pause
after refused logins is off, and so is the minute between logins by POP3, for the sessions' sake."""

import base64
import time

from runner import guessing, mail
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="Cyrus, IMAP and POP3 server",
    packages=["cyrus-imapd", "cyrus-pop3d", "sasl2-bin"],
    hostname="mail3",
    logs=[Log("syslog")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, DROPPER, POP, PATIENT, PROBER, CHALLENGED, SIEVE = ATTACKERS[:9]
GUESSER6 = ATTACKERS6[0]
NAMED = ATTACKERS[49]
SERVICES = """START {
  recover cmd="/usr/sbin/cyrus ctl_cyrusdb -r"
}
SERVICES {
  imap cmd="imapd -U 30" listen="imap" prefork=0 maxchild=100
  pop3 cmd="pop3d -U 30" listen="pop3" prefork=0 maxchild=50
  sieve cmd="timsieved" listen="sieve" prefork=0 maxchild=100
}
EVENTS {
  checkpoint cmd="/usr/sbin/cyrus ctl_cyrusdb -c" period=30
}
"""


@SERVICE.prepared
def prepare(machine):
    machine.write("/etc/cyrus.conf", SERVICES)
    machine.append("/etc/imapd.conf", "failedloginpause: 0\nservername: mail3.example.org\n")
    machine.replace("/etc/imapd.conf", "popminpoll: 1", "popminpoll: 0")
    for name, password in ACCOUNTS.items():
        machine.run("saslpasswd2", "-c", "-p", "-u", "mail3.example.org", name, stdin=password)


@SERVICE.started
def start(machine):
    machine.run("install", "-d", "-o", "cyrus", "-g", "mail", "/run/cyrus", "/run/cyrus/socket", "/run/cyrus/proc", "/run/cyrus/lock")
    machine.daemon("cyrmaster", "-l", "32", port=143)
    machine.listening(110)
    machine.listening(4190)


def sieve(session, address, account, password):
    """One ManageSieve connection with one refused login."""
    word = base64.b64encode(f"\0{account}\0{password}".encode()).decode()
    with session.connect(address, 4190) as connection:
        connection.recv(4096)
        connection.sendall(f'AUTHENTICATE "PLAIN" "{word}"\r\n'.encode())
        answer = connection.recv(512)
        assert answer.startswith(b"NO"), answer
        session.refused(address)
        connection.sendall(b"LOGOUT\r\n")
        connection.recv(512)


def read_mail(session, address, account, by="login"):
    """A login by IMAP that stores and reads a message."""
    with session.client(address), mail.opened(session, address) as box:
        getattr(box, by)(account, ACCOUNTS[account])
        session.logged_in(address)
        # No two messages are the same: the server would remark on it.
        number = sum(session.logins.values())
        box.append("INBOX", None, None, b"From: dora@example.com\r\nSubject: lunch %d\r\n\r\nToday?\r\n" % number)
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
    read_mail(session, OFFICE[1], "bruno", "login_cram_md5")
    for _ in range(3):
        fetch_mail(session, ROAD[1], "carla")
    mail.imap(session, ROAD[0], "bruno", "Tal-Birke-13")
    read_mail(session, ROAD[0], "bruno")
    mail.pop(session, ROAD[3], "bruno", "Tal-Birke-3")
    fetch_mail(session, ROAD[3], "bruno")
    for port in (143, 110, 4190):
        session.drop(OFFICE[9], port, 2)
    session.machine.reload()
    read_mail(session, OFFICE[0], "anna")
    session.machine.restart()
    for account in ACCOUNTS:
        read_mail(session, OFFICE[0], account)
        fetch_mail(session, OFFICE[2], account)
    time.sleep(1)


guessing.one_account(SERVICE, GUESSER, mail.imap,
                     description="One address tries passwords for one account by IMAP.")
guessing.over_ipv6(SERVICE, GUESSER6, mail.imap)


@SERVICE.attack(NAMED)
def guess_with_name(session):
    """An address with a name in the reverse zone tries passwords by IMAP."""
    session.at_once(lambda number: mail.imap(session, NAMED, "carla", f"winter{number}"), range(12))


@SERVICE.attack(CHALLENGED)
def guess_by_challenge(session):
    """One address tries passwords by CRAM-MD5."""
    session.at_once(lambda number: mail.imap(session, CHALLENGED, "anna", f"autumn{number}", by="login_cram_md5"), range(12))


guessing.spray(SERVICE, SPRAYER, mail.imap, [*ACCOUNTS, "office", "sales", "support", "billing", "jobs", "press", "legal",
                                             "scanner", "cyrus"])
guessing.unknown_users(SERVICE, STRANGER, mail.imap, ["admin", "test", "postmaster", "webmaster", "info", "user",
                                                      "oracle@example.org", "admin@example.org", "guest", "root"], "123456",
                       description="One address tries accounts that do not exist, some of them with a domain.")
mail.pop_guess(SERVICE, POP, "carla")


@SERVICE.attack(SIEVE)
def sieve_guess(session):
    """One address tries passwords by ManageSieve."""
    session.at_once(lambda number: sieve(session, SIEVE, "anna", f"filter{number}"), range(12))


mail.several_per_connection(SERVICE, PATIENT, "bruno", 3, 4)


@SERVICE.attack(host="mail3")
def connect_and_drop(session):
    """One address connects to the ports and leaves before it logs in. The log has no address of it."""
    for port in (143, 110, 4190):
        session.drop(DROPPER, port, 6)


mail.malformed(SERVICE, PROBER, "GSSAPI")
