"""OpenSSH with PAM, logging to syslog at the level INFO, as its package sets it; with lists of accounts that may log in.
PAM's delay after refused passwords is off, for the sessions' sake."""

import io
import time

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
    machine.run("mkdir", "/etc/lab")
    machine.run("chpasswd", stdin="root:Wurzel-Stein-44\n")
    for name, home in {"anna": "/home/anna", "carla": "/home/carla", "root": "/root"}.items():
        machine.run("ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "", "-C", name, "-f", f"/etc/lab/{name}")
        machine.run("install", "-d", "-m", "700", "-o", name, f"{home}/.ssh")
        machine.run("install", "-m", "600", "-o", name, f"/etc/lab/{name}.pub", f"{home}/.ssh/authorized_keys")
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


def transport(session, address):
    """A connection on which the keys are exchanged."""
    import paramiko
    connection = paramiko.Transport(session.connect(address, 22))
    connection.banner_timeout = connection.auth_timeout = 30
    connection.start_client(timeout=30)
    return connection


def leave(connection):
    """Says goodbye as most clients do; `close` alone only closes the connection."""
    import paramiko
    message = paramiko.Message()
    message.add_byte(bytes([1]))
    message.add_int(11)
    message.add_string("Bye Bye")
    message.add_string("")
    connection._send_message(message)
    time.sleep(0.1)
    connection.close()


def attempt(session, address, account, password, tries=1, polite=True):
    """One connection with refused passwords."""
    import paramiko
    connection = transport(session, address)
    for number in range(tries):
        guess = f"{password}{number or ''}"
        session.expect_refusal(address, lambda guess=guess: connection.auth_password(account, guess, fallback=False),
                               paramiko.AuthenticationException)
    if polite:
        leave(connection)
    else:
        connection.close()


def key(session, address, account, private):
    """One connection with one refused key."""
    import paramiko
    connection = transport(session, address)
    session.expect_refusal(address, lambda: connection.auth_publickey(account, private), paramiko.AuthenticationException)
    connection.close()


def own_key(name):
    """The key of an account."""
    import paramiko
    return paramiko.RSAKey.from_private_key_file(f"/etc/lab/{name}")


def work(session, address, account, command="uptime", by_key=False):
    """A login with a command."""
    connection = transport(session, address)
    if by_key:
        connection.auth_publickey(account, own_key(account))
    else:
        connection.auth_password(account, ACCOUNTS[account], fallback=False)
    session.logged_in(address)
    channel = connection.open_session()
    channel.exec_command(command)
    channel.recv(4096)
    leave(connection)


def copy(session, address, account):
    """A login by key that copies a file there and back."""
    import paramiko
    connection = transport(session, address)
    connection.auth_publickey(account, own_key(account))
    session.logged_in(address)
    with paramiko.SFTPClient.from_transport(connection) as files:
        files.putfo(io.BytesIO(b"figures\n"), "report.txt")
        files.remove("report.txt")
    leave(connection)


@SERVICE.benign
def benign(session):
    """Three people work by password and by key; one mistypes a password, one an account, one offers a key that the server
    does not know before the password; a monitor connects; a backup copies files; reload and restart."""
    import paramiko
    for _ in range(2):
        work(session, OFFICE[0], "anna", by_key=True)
        copy(session, OFFICE[1], "carla")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    attempt(session, ROAD6[0], "cralla", ACCOUNTS["carla"], polite=False)
    work(session, ROAD6[0], "carla", by_key=True)
    key(session, ROAD[1], "bruno", own_key("anna"))
    work(session, ROAD[1], "bruno")
    session.drop(OFFICE[9], 22, 2)
    for _ in range(2):
        with session.connect(OFFICE[9], 22) as monitor:
            monitor.recv(256)
            monitor.sendall(b"SSH-2.0-check_ssh_2.3.3\r\n")
    # A line that breaks in the middle of a session.
    connection = transport(session, ROAD[2])
    connection.auth_publickey("anna", own_key("anna"))
    session.logged_in(ROAD[2])
    connection.open_session().exec_command("true")
    connection.close()
    session.machine.reload()
    session.machine.listening(22)
    copy(session, OFFICE[1], "carla")
    session.machine.restart()
    connection = transport(session, ROAD[3])
    try:
        connection.auth_password("carla", "Ufer-Moos-85", fallback=False)
    except paramiko.AuthenticationException:
        session.refused(ROAD[3])
    connection.auth_password("carla", ACCOUNTS["carla"], fallback=False)
    session.logged_in(ROAD[3])
    leave(connection)
    for address, account in ((OFFICE[0], "anna"), (OFFICE[1], "carla"), (ROAD[4], "anna")):
        work(session, address, account, by_key=True)


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}"), range(12))


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER6, "bruno", f"bruno{number}"), range(12))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    accounts = [*ACCOUNTS, "root", "www-data", "backup", "daemon", "mail", "news", "games", "sys", "postgres"]
    session.at_once(lambda account: attempt(session, SPRAYER, account, "Winter2026!"), accounts)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist; one name has a space, one is empty."""
    accounts = ["admin", "test", "oracle", "ubuntu", "pi", "user", "git", "guest", "deploy", "ftp user", "", "hadoop"]
    session.at_once(lambda account: attempt(session, STRANGER, account, account), accounts)


@SERVICE.attack(ROOT)
def root(session):
    """One address tries passwords for root, whose logins are off, and then its password and its key."""
    session.at_once(lambda number: attempt(session, ROOT, "root", f"toor{number}", polite=False), range(10))
    attempt(session, ROOT, "root", "Wurzel-Stein-44", polite=False)
    key(session, ROOT, "root", own_key("root"))


@SERVICE.attack(KEYS)
def keys(session):
    """One address offers keys that no account has."""
    import paramiko
    private = paramiko.RSAKey.generate(2048)
    accounts = ["anna", "bruno", "git", "root", "carla", "deploy"] * 2
    session.at_once(lambda account: key(session, KEYS, account, private), accounts)


@SERVICE.attack(REFUSED)
def not_on_the_list(session):
    """One address has the passwords of accounts that are on the list of denied ones, or on no list."""
    session.at_once(lambda number: attempt(session, REFUSED, *[(DENIED, "Alt-Werk-12"), (UNLISTED, "Scan-Blatt-9")][number % 2]),
                    range(12))


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects and leaves: before its version, after it, and once the keys are exchanged."""
    session.drop(DROPPER, 22, 5)
    for _ in range(5):
        with session.connect(DROPPER, 22) as connection:
            connection.recv(256)
            connection.sendall(b"SSH-2.0-Go\r\n")
        session.acted(DROPPER, "closed before login")
    for number in range(5):
        connection = transport(session, DROPPER)
        leave(connection) if number % 2 else connection.close()
        session.acted(DROPPER, "closed before login")


@SERVICE.attack(PATIENT)
def too_many_failures(session):
    """One address tries passwords until the server ends the connection."""
    import paramiko

    def until_the_end(account):
        connection = transport(session, PATIENT)
        for number in range(7):
            try:
                connection.auth_password(account, f"spring{number}", fallback=False)
            except paramiko.AuthenticationException:
                session.refused(PATIENT)
            except (paramiko.SSHException, EOFError):
                break
            if not connection.is_active():
                break
        session.acted(PATIENT, "too many failures")
        connection.close()

    session.at_once(until_the_end, ["bruno", "admin", "root"])


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


@SERVICE.attack(OLD)
def no_common_method(session):
    """One address offers only methods that the server no longer has."""
    offers = ["KexAlgorithms=diffie-hellman-group1-sha1", "HostKeyAlgorithms=ssh-dss", "Ciphers=3des-cbc",
              "MACs=hmac-md5"]
    for offer in offers * 3:
        cipher = ["-oCiphers=aes128-ctr"] if offer.startswith("MACs") else []
        done = session.command(OLD, "ssh", "-F", "none", "-oBatchMode=yes", "-oStrictHostKeyChecking=no",
                               "-oUserKnownHostsFile=/dev/null", f"-o{offer}", *cipher, f"root@{session.server}")
        assert "no matching" in done.stdout, done.stdout
        session.acted(OLD, "no common method")


@SERVICE.attack(MIXED)
def mixture(session):
    """One address tries a little of everything, as scanners do that look for old and weak servers."""
    session.drop(MIXED, 22, 1)
    with session.connect(MIXED, 22) as connection:
        connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
        connection.recv(256)
    session.acted(MIXED, "malformed request")
    accounts = ["root", "admin", "anna", "test", DENIED, "bruno"]
    session.at_once(lambda account: attempt(session, MIXED, account, f"{account}123", polite=account < "c"), accounts)
    key(session, MIXED, "git", own_key("root"))
    attempt(session, MIXED, "carla", "letmein", tries=3)


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
