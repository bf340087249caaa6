"""vsftpd with PAM and virtual log, as its manual recommends: `xferlog_enable`, `log_ftp_protocol` off."""

import ftplib
import io

from runner.network import ATTACKERS, OFFICE, ROAD
from runner.definition import Log, Service

SERVICE = Service(
    title="vsftpd, FTP server",
    packages=["vsftpd"],
    hostname="files",
    logs=[Log("vsftpd", "/var/log/vsftpd.log"), Log("syslog")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, DROPPER, ANONYMOUS, PATIENT = ATTACKERS[:6]


@SERVICE.prepared
def prepare(machine):
    for name, password in ACCOUNTS.items():
        machine.account(name, password)
    machine.write("/etc/vsftpd.conf", """listen=YES
background=NO
anonymous_enable=NO
local_enable=YES
write_enable=YES
xferlog_enable=YES
xferlog_std_format=NO
dual_log_enable=NO
secure_chroot_dir=/var/run/vsftpd/empty
pam_service_name=vsftpd
""")


@SERVICE.started
def start(machine):
    machine.run("mkdir", "-p", "/var/run/vsftpd/empty")
    machine.daemon("vsftpd", "/etc/vsftpd.conf", port=21)


def attempt(session, address, account, password):
    """One connection with one refused login."""
    with session.client(address), ftplib.FTP(session.server) as ftp:
        session.expect_refusal(address, lambda: ftp.login(account, password), ftplib.error_perm)


def work(session, address, account):
    """A login with an upload, a download and a listing."""
    with session.client(address), ftplib.FTP(session.server) as ftp:
        ftp.login(account, ACCOUNTS[account])
        session.logged_in(address)
        ftp.storbinary("STOR report.txt", io.BytesIO(b"figures\n"))
        ftp.retrbinary("RETR report.txt", lambda block: None)
        ftp.nlst()
        ftp.delete("report.txt")


@SERVICE.benign
def benign(session):
    """Three people work; one of them mistypes once; a monitor connects; the daemon restarts."""
    work(session, OFFICE[0], "anna")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    session.drop(OFFICE[9], 21, 2)
    session.machine.restart()
    work(session, ROAD[1], "carla")
    work(session, OFFICE[0], "anna")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}"), range(12))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    accounts = [*ACCOUNTS, "root", "www-data", "backup", "daemon", "mail", "news", "games", "sys"]
    session.at_once(lambda account: attempt(session, SPRAYER, account, "Winter2026!"), accounts)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist."""
    accounts = ["admin", "ftpuser", "test", "oracle", "user", "web", "upload", "guest", "demo", "info"]
    session.at_once(lambda account: attempt(session, STRANGER, account, account), accounts)


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects and leaves before it logs in."""
    session.drop(DROPPER, 21, 15)


@SERVICE.attack(ANONYMOUS)
def anonymous(session):
    """One address tries anonymous logins, which are off."""
    accounts = ["anonymous", "ftp"] * 5
    session.at_once(lambda account: attempt(session, ANONYMOUS, account, "probe@example.com"), accounts)


@SERVICE.attack(PATIENT)
def several_per_connection(session):
    """One address tries three passwords in each connection."""
    def three(number):
        with session.client(PATIENT), ftplib.FTP(session.server) as ftp:
            for word in ("summer", "Passw0rd", "letmein"):
                guess = f"{word}{number}"
                session.expect_refusal(PATIENT, lambda: ftp.login("bruno", guess), ftplib.error_perm)

    session.at_once(three, range(4))
