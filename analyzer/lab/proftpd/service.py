"""ProFTPD with PAM; its system log and its log of transfers as its package sets them. The delays after refused logins are
off, for the sessions' sake."""

import ftplib

from runner import ftp, guessing
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="ProFTPD, FTP server",
    packages=["proftpd-core"],
    hostname="files2",
    logs=[Log("proftpd", "/var/log/proftpd/proftpd.log"), Log("xferlog", "/var/log/proftpd/xferlog"), Log("syslog")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, DROPPER, ANONYMOUS, PATIENT, ROOT, BARRED, RAW, BOUNCER, SHELLS, CROWD = ATTACKERS[:12]
GUESSER6, NAMED = ATTACKERS6[0], ATTACKERS[-1]


@SERVICE.prepared
def prepare(machine):
    for name, password in ACCOUNTS.items():
        machine.account(name, password)
    machine.account("kiosk", "Saal-Lampe-5", shell="/usr/sbin/nologin")
    machine.run("chpasswd", stdin="root:Wurzel-Stein-44\n")
    machine.replace("/etc/pam.d/common-auth", "pam_unix.so nullok", "pam_unix.so nullok nodelay")
    machine.write("/etc/proftpd/conf.d/lab.conf", f"""DelayEngine off
MaxClientsPerHost 8
<Limit LOGIN>
  Order allow,deny
  Deny from {BARRED}
</Limit>
""")


@SERVICE.started
def start(machine):
    machine.run("mkdir", "-p", "/run/proftpd")
    machine.daemon("proftpd", "-n", "-q", port=21)


def work(session, address, account):
    """A login with an upload, a download and a listing."""
    ftp.work(session, address, account, ACCOUNTS[account])


@SERVICE.benign
def benign(session):
    """Three people work; one mistypes a password and one an account; one looks for files that are not there; a monitor
    connects; reload and restart."""
    for _ in range(2):
        work(session, OFFICE[0], "anna")
        work(session, ROAD6[0], "carla")
    ftp.attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    ftp.search(session, ROAD[1], "carlla", "carla", ACCOUNTS["carla"])
    session.drop(OFFICE[9], 21, 2)
    session.machine.reload()
    work(session, OFFICE[0], "anna")
    session.machine.restart()
    work(session, ROAD[1], "carla")
    work(session, OFFICE[1], "bruno")
    ftp.lost_connection(session, ROAD[2], "anna", ACCOUNTS["anna"])


guessing.one_account(SERVICE, GUESSER, ftp.attempt, tries=12)
guessing.over_ipv6(SERVICE, GUESSER6, ftp.attempt)
guessing.one_account(SERVICE, NAMED, ftp.attempt, "carla", 12, name="guess_from_a_named_host",
                     description="One address that has a name tries passwords for one account.")
guessing.spray(SERVICE, SPRAYER, ftp.attempt, [*ACCOUNTS, "www-data", "backup", "daemon", "mail", "news", "games", "sys",
                                               "admin",
                                               "web"])
guessing.unknown_users(SERVICE, STRANGER, ftp.attempt, ["admin", "ftpuser", "test", "oracle", "user", "web", "upload",
                                                        "guest", "demo",
                                                        "info", "web user"],
                       description="One address tries accounts that do not exist; one name has a space.")
ftp.connect_and_drop(SERVICE, DROPPER)
ftp.anonymous(SERVICE, ANONYMOUS, ftp.attempt)


@SERVICE.attack(PATIENT)
def several_per_connection(session):
    """One address tries passwords until the server ends the connection."""
    def three(number):
        with session.client(PATIENT):
            connection = ftp.connect(session, PATIENT)
            for word in ("summer", "Passw0rd", "letmein"):
                guess = f"{word}{number}"
                session.expect_refusal(PATIENT, lambda guess=guess: connection.login("bruno", guess), ftplib.error_perm)
            session.acted(PATIENT, "too many failures")
            connection.close()

    session.at_once(three, range(4))


ftp.root(SERVICE, ROOT, ftp.attempt, "Wurzel-Stein-44")


@SERVICE.attack(SHELLS)
def no_login_shell(session):
    """One address has the password of an account without a login shell."""
    session.at_once(lambda number: ftp.attempt(session, SHELLS, "kiosk", "Saal-Lampe-5"), range(10))


@SERVICE.attack(BARRED)
def address_denied(session):
    """One address, which a rule denies, connects; the server ends the connection before a login."""
    for _ in range(12):
        with session.connect(BARRED, 21) as connection:
            assert not connection.recv(256).startswith(b"220")
        session.acted(BARRED, "address denied")


ftp.malformed(SERVICE, RAW)
ftp.bounce(SERVICE, BOUNCER, "bruno", ACCOUNTS["bruno"])


@SERVICE.attack(CROWD)
def too_many_connections(session):
    """One address has an account's password and logs in more often at once than the server allows one address."""
    connections = []
    with session.client(CROWD):
        for _ in range(18):
            connections.append(ftp.connect(session, CROWD))
            try:
                connections[-1].login("carla", ACCOUNTS["carla"])
                session.logged_in(CROWD)
            except (ftplib.error_perm, EOFError):
                session.acted(CROWD, "connection refused")
    for connection in connections:
        connection.close()
