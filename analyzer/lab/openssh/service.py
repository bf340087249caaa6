"""OpenSSH with PAM, logging to syslog at the level INFO, as its package sets it; with lists of accounts that may log in.
PAM's delay after refused passwords is off, for the sessions' sake."""

import io
import time

from runner import guessing, ssh
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="OpenSSH, SSH server",
    packages=["openssh-server", "openssh-client", "openssh-sftp-server", "python3-paramiko"],
    hostname="shell",
    logs=[Log("syslog")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
# Accounts that exist and may not log in: on the list of denied ones, and on no list.
DENIED, UNLISTED = "legacy", "scanner"
(GUESSER, SPRAYER, STRANGER, ROOT, KEYS, REFUSED, DROPPER, PATIENT, RAW, OLD, CROWD, MIXED) = ATTACKERS[:12]
GUESSER6 = ATTACKERS6[0]


@SERVICE.prepared
def prepare(machine):
    for name, word in {**ACCOUNTS, DENIED: "Alt-Werk-12", UNLISTED: "Scan-Blatt-9"}.items():
        machine.account(name, word)
    machine.run("chpasswd", stdin="root:Wurzel-Stein-44\n")
    for name, home in {"anna": "/home/anna", "carla": "/home/carla", "root": "/root"}.items():
        ssh.make_key(machine, name, home)
    machine.write("/etc/default/locale", "LANG=C.UTF-8\n")
    machine.replace("/etc/pam.d/common-auth", "pam_unix.so nullok", "pam_unix.so nullok nodelay")
    machine.write("/etc/ssh/sshd_config.d/lab.conf", f"""PermitRootLogin no
DenyUsers {DENIED}
AllowUsers anna bruno carla root {DENIED}
""")


@SERVICE.started
def start(machine):
    machine.run("mkdir", "-p", "/run/sshd")
    machine.daemon("/usr/sbin/sshd", "-D", port=22)


def copy(session, address, account):
    """A login by key that copies a file there and back."""
    import paramiko
    connection = ssh.transport(session, address)
    connection.auth_publickey(account, ssh.own_key(account))
    session.logged_in(address)
    with paramiko.SFTPClient.from_transport(connection) as files:
        files.putfo(io.BytesIO(b"figures\n"), "report.txt")
        files.remove("report.txt")
    ssh.leave(connection)


@SERVICE.benign
def benign(session):
    """Three people work by password and by key; one mistypes a password, one an account, one offers a key that the server
    does not know before the password; a monitor connects; a backup copies files; reload and restart."""
    import paramiko
    for _ in range(2):
        ssh.work(session, OFFICE[0], "anna")
        copy(session, OFFICE[1], "carla")
    ssh.attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    ssh.work(session, ROAD[0], "bruno", ACCOUNTS["bruno"])
    ssh.attempt(session, ROAD6[0], "cralla", ACCOUNTS["carla"], polite=False)
    ssh.work(session, ROAD6[0], "carla")
    ssh.key(session, ROAD[1], "bruno", ssh.own_key("anna"))
    ssh.work(session, ROAD[1], "bruno", ACCOUNTS["bruno"])
    ssh.monitor(session, OFFICE[9])
    # A line that breaks in the middle of a session.
    connection = ssh.transport(session, ROAD[2])
    connection.auth_publickey("anna", ssh.own_key("anna"))
    session.logged_in(ROAD[2])
    connection.open_session().exec_command("true")
    connection.close()
    session.machine.reload()
    session.machine.listening(22)
    copy(session, OFFICE[1], "carla")
    session.machine.restart()
    connection = ssh.transport(session, ROAD[3])
    try:
        connection.auth_password("carla", "Ufer-Moos-85", fallback=False)
    except paramiko.AuthenticationException:
        session.refused(ROAD[3])
    connection.auth_password("carla", ACCOUNTS["carla"], fallback=False)
    session.logged_in(ROAD[3])
    ssh.leave(connection)
    for address, account in ((OFFICE[0], "anna"), (OFFICE[1], "carla"), (ROAD[4], "anna")):
        ssh.work(session, address, account)


guessing.one_account(SERVICE, GUESSER, ssh.attempt, tries=12)
guessing.over_ipv6(SERVICE, GUESSER6, ssh.attempt)
guessing.spray(SERVICE, SPRAYER, ssh.attempt, [*ACCOUNTS, "root", "www-data", "backup", "daemon", "mail", "news", "games",
                                               "sys",
                                               "postgres"])
guessing.unknown_users(SERVICE, STRANGER, ssh.attempt, ["admin", "test", "oracle", "ubuntu", "pi", "user", "git", "guest",
                                                        "deploy",
                                                        "ftp user", "", "hadoop"],
                       description="One address tries accounts that do not exist; one name has a space, one is empty.")


@SERVICE.attack(ROOT)
def root(session):
    """One address tries passwords for root, whose logins are off, and then its password and its key."""
    session.at_once(lambda number: ssh.attempt(session, ROOT, "root", f"toor{number}", polite=False), range(10))
    ssh.attempt(session, ROOT, "root", "Wurzel-Stein-44", polite=False)
    ssh.key(session, ROOT, "root", ssh.own_key("root"))


@SERVICE.attack(KEYS)
def keys(session):
    """One address offers keys that no account has."""
    import paramiko
    private = paramiko.RSAKey.generate(2048)
    accounts = ["anna", "bruno", "git", "root", "carla", "deploy"] * 2
    session.at_once(lambda account: ssh.key(session, KEYS, account, private), accounts)


@SERVICE.attack(REFUSED)
def not_on_the_list(session):
    """One address has the passwords of accounts that are on the list of denied ones, or on no list."""
    session.at_once(lambda number: ssh.attempt(session, REFUSED, *[(DENIED, "Alt-Werk-12"), (UNLISTED, "Scan-Blatt-9")][number % 2]),
                    range(12))


ssh.connect_and_drop(SERVICE, DROPPER)
ssh.too_many_failures(SERVICE, PATIENT, ["bruno", "admin", "root"], 7)


@SERVICE.attack(RAW)
def no_ssh(session):
    """One address sends what is no SSH."""
    probes = [b"GET / HTTP/1.1\r\nHost: shell.example.org\r\n\r\n", b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + bytes(64),
              b"SSH-1.5-probe\r\n", b"\x03\x00\x00\x13\x0e\xe0\x00\x00\x00\x00\x00\x01\x00\x08\x00\x03\x00\x00\x00",
              b"SSH-2.0-probe\r\n" + b"\x00\xff\xff\xff" * 8]

    def probe(words):
        with session.connect(RAW, 22) as connection:
            connection.recv(256)
            connection.sendall(words)
            try:
                connection.recv(256)
                connection.recv(256)
            except ConnectionError:
                pass
        session.acted(RAW, "malformed request")

    session.at_once(probe, probes * 3)


ssh.no_common_method(SERVICE, OLD, "3des-cbc")


@SERVICE.attack(MIXED)
def mixture(session):
    """One address tries a little of everything, as scanners do that look for old and weak servers."""
    session.drop(MIXED, 22, 1)
    with session.connect(MIXED, 22) as connection:
        connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
        connection.recv(256)
    session.acted(MIXED, "malformed request")
    accounts = ["root", "admin", "anna", "test", DENIED, "bruno"]
    session.at_once(lambda account: ssh.attempt(session, MIXED, account, f"{account}123", polite=account < "c"), accounts)
    ssh.key(session, MIXED, "git", ssh.own_key("root"))
    ssh.attempt(session, MIXED, "carla", "letmein", tries=3)


@SERVICE.attack(CROWD)
def too_many_connections(session):
    """One address holds more connections open than the server takes before a login."""
    def ask(number):
        connection = session.connect(CROWD, 22)
        try:
            if connection.recv(256).startswith(b"SSH-"):
                time.sleep(3)
            else:
                session.acted(CROWD, "connection refused")
        except ConnectionError:
            session.acted(CROWD, "connection refused")
        connection.close()

    session.at_once(ask, range(40), workers=40)
