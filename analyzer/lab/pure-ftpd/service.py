"""Pure-FTPd with PAM, logging to syslog, and its log of transfers, as its package sets them. PAM's delay after refused
logins is off, for the sessions' sake."""

import ftplib

from runner import ftp, guessing
from runner.network import ATTACKERS, ATTACKERS6, NAMES, OFFICE, ROAD, ROAD6
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


def work(session, address, account):
    """A login with an upload, a download and a listing."""
    ftp.work(session, address, account, ACCOUNTS[account])


@SERVICE.benign
def benign(session):
    """Three people work; one mistypes a password and one an account; one looks for files that are not there; a monitor
    connects; a line breaks; the server restarts."""
    for _ in range(2):
        work(session, OFFICE[0], "anna")
        work(session, ROAD6[0], "carla")
    ftp.attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    ftp.search(session, ROAD[1], "carlla", "carla", ACCOUNTS["carla"])
    session.drop(OFFICE[9], 21, 2)
    ftp.lost_connection(session, ROAD[2], "anna", ACCOUNTS["anna"])
    session.machine.restart()
    work(session, OFFICE[0], "anna")
    work(session, ROAD[1], "carla")
    work(session, OFFICE[1], "bruno")


guessing.one_account(SERVICE, GUESSER, ftp.attempt, tries=12, workers=12)
guessing.over_ipv6(SERVICE, GUESSER6, ftp.attempt, workers=12)
guessing.one_account(SERVICE, NAMED, ftp.attempt, "carla", 12, 12, "guess_from_a_named_host",
                     "One address that has a name tries passwords for one account. The log has the name in place of the address.",
                     host=NAMES[NAMED])
guessing.spray(SERVICE, SPRAYER, ftp.attempt, [*ACCOUNTS, "www-data", "backup", "daemon", "mail", "news", "games", "sys",
                                               "admin",
                                               "web"], workers=12)
guessing.unknown_users(SERVICE, STRANGER, ftp.attempt, ["admin", "ftpuser", "test", "oracle", "user", "web", "upload",
                                                        "guest", "demo",
                                                        "info", "web user"], workers=12,
                       description="One address tries accounts that do not exist; one name has a space.")
ftp.connect_and_drop(SERVICE, DROPPER)
ftp.anonymous(SERVICE, ANONYMOUS, ftp.attempt, workers=12)


@SERVICE.attack(PATIENT)
def several_per_connection(session):
    """One address tries two passwords in each connection, though the delay grows with each."""
    def two(number):
        with session.client(PATIENT), ftp.connect(session, PATIENT) as connection:
            for word in ("summer", "letmein"):
                guess = f"{word}{number}"
                session.expect_refusal(PATIENT, lambda guess=guess: connection.login("bruno", guess), ftplib.error_perm)

    session.at_once(two, range(6))


ftp.root(SERVICE, ROOT, ftp.attempt, "Wurzel-Stein-44", workers=12)
ftp.malformed(SERVICE, RAW, timeout=3, workers=12)
ftp.bounce(SERVICE, BOUNCER, "bruno", ACCOUNTS["bruno"])


@SERVICE.attack(CROWD)
def too_many_connections(session):
    """One address opens more connections than the server takes from one."""
    connections = [session.connect(CROWD, 21) for _ in range(26)]
    for connection in connections:
        if connection.recv(256).startswith(b"421"):
            session.acted(CROWD, "connection refused")
    for connection in connections:
        connection.close()
