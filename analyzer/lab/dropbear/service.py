"""Dropbear, logging to syslog as it does unless told otherwise, with logins of root switched off as its manual offers."""

import socket
import time

from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="Dropbear, small SSH server",
    packages=["dropbear", "openssh-client", "python3-paramiko"],
    hostname="gateway",
    logs=[Log("syslog", iso=True)],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31"}
GUESSER, SPRAYER, STRANGER, ROOT, KEYS, REFUSED, DROPPER, PATIENT, RAW, OLD, MIXED = ATTACKERS[:11]
GUESSER6 = ATTACKERS6[0]


@SERVICE.prepared
def prepare(machine):
    for name, word in ACCOUNTS.items():
        machine.account(name, word)
    machine.account("kiosk", "Saal-Lampe-5", shell="/usr/sbin/nologin")
    machine.run("useradd", "--create-home", "--shell", "/bin/bash", "sync2")
    machine.run("chpasswd", stdin="root:Wurzel-Stein-44\n")
    machine.run("mkdir", "/etc/lab")
    machine.run("ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "", "-C", "anna", "-f", "/etc/lab/anna")
    machine.run("install", "-d", "-m", "700", "-o", "anna", "/home/anna/.ssh")
    machine.run("install", "-m", "600", "-o", "anna", "/etc/lab/anna.pub", "/home/anna/.ssh/authorized_keys")


@SERVICE.started
def start(machine):
    machine.daemon("dropbear", "-F", "-w", port=22)


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
        time.sleep(0.2)


def attempts(session, address, pairs):
    """Refused passwords from one address, fewer at a time than the server takes of one."""
    session.at_once(lambda pair: attempt(session, address, *pair), pairs, workers=3)


def key(session, address, account, private):
    """One connection with one refused key."""
    import paramiko
    connection = transport(session, address)
    session.expect_refusal(address, lambda: connection.auth_publickey(account, private), paramiko.AuthenticationException)
    connection.close()
    # The server counts a connection against the address until its process has ended.
    time.sleep(0.2)


def own_key():
    """Anna's key."""
    import paramiko
    return paramiko.RSAKey.from_private_key_file("/etc/lab/anna")


def work(session, address, account, by_key=False, polite=True):
    """A login with a command."""
    connection = transport(session, address)
    if by_key:
        connection.auth_publickey(account, own_key())
    else:
        connection.auth_password(account, ACCOUNTS[account], fallback=False)
    session.logged_in(address)
    channel = connection.open_session()
    channel.exec_command("uptime")
    channel.recv(4096)
    if polite:
        leave(connection)
    else:
        connection.close()


@SERVICE.benign
def benign(session):
    """Two people work by password and by key; one mistypes a password, one an account, one offers a key that the server
    does not know before the password; a monitor connects; the daemon restarts."""
    for _ in range(3):
        work(session, OFFICE[0], "anna", by_key=True)
        work(session, OFFICE[1], "bruno")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    attempt(session, ROAD6[0], "ana", ACCOUNTS["anna"], polite=False)
    work(session, ROAD6[0], "anna", by_key=True)
    key(session, ROAD[1], "bruno", own_key())
    work(session, ROAD[1], "bruno")
    session.drop(OFFICE[9], 22, 2)
    for _ in range(2):
        with session.connect(OFFICE[9], 22) as monitor:
            monitor.recv(256)
            monitor.sendall(b"SSH-2.0-check_ssh_2.3.3\r\n")
    work(session, ROAD[2], "anna", by_key=True, polite=False)
    session.machine.restart()
    for address, account in ((OFFICE[0], "anna"), (ROAD[3], "anna")):
        work(session, address, account, by_key=True)
    work(session, OFFICE[1], "bruno")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    attempts(session, GUESSER, [("anna", f"anna{number}") for number in range(12)])


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address tries passwords for one account."""
    attempts(session, GUESSER6, [("bruno", f"bruno{number}") for number in range(12)])


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    names = [*ACCOUNTS, "root", "www-data", "backup", "daemon", "mail", "news", "games", "sys", "admin", "support"]
    attempts(session, SPRAYER, [(name, "Winter2026!") for name in names])


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist; one name has a space."""
    names = ["admin", "test", "oracle", "ubuntu", "pi", "user", "git", "guest", "deploy", "ftp user", "hadoop"]
    attempts(session, STRANGER, [(name, name) for name in names])


@SERVICE.attack(ROOT)
def root(session):
    """One address tries passwords for root, whose logins are off, and at last its password."""
    attempts(session, ROOT, [("root", f"toor{number}") for number in range(11)])
    attempt(session, ROOT, "root", "Wurzel-Stein-44")


@SERVICE.attack(KEYS)
def keys(session):
    """One address offers keys that no account has."""
    import paramiko
    private = paramiko.RSAKey.generate(2048)
    names = ["anna", "bruno", "git", "root", "deploy", "backup"] * 2
    session.at_once(lambda account: key(session, KEYS, account, private), names, workers=2)


@SERVICE.attack(REFUSED)
def no_login_shell(session):
    """One address has the password of an account without a login shell, and tries one that has no password."""
    attempts(session, REFUSED, [("kiosk", "Saal-Lampe-5"), ("sync2", "sync2")] * 6)


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
        time.sleep(0.2)
        session.acted(DROPPER, "closed before login")


@SERVICE.attack(PATIENT)
def too_many_failures(session):
    """One address tries passwords until the server ends the connection."""
    import paramiko

    def until_the_end(account):
        connection = transport(session, PATIENT)
        for number in range(12):
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

    session.at_once(until_the_end, ["bruno", "admin"])


@SERVICE.attack(RAW)
def no_ssh(session):
    """One address sends what is no SSH."""
    probes = [b"GET / HTTP/1.1\r\nHost: gateway.example.org\r\n\r\n", b"SSH-1.5-probe\r\n",
              b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + bytes(64), b"SSH-2.0-probe\r\n" + b"\x00\xff\xff\xff" * 8]

    def probe(words):
        with session.connect(RAW, 22) as connection:
            connection.recv(256)
            connection.sendall(words)
            try:
                # Otherwise the server waits until its time limit for the end of a line.
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(256):
                    pass
            except OSError:
                pass
        session.acted(RAW, "malformed request")

    session.at_once(probe, probes * 3, workers=3)


@SERVICE.attack(OLD)
def no_common_method(session):
    """One address offers only methods that the server does not have."""
    offers = ["KexAlgorithms=diffie-hellman-group1-sha1", "HostKeyAlgorithms=ssh-dss", "Ciphers=aes128-cbc",
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
    session.drop(MIXED, 22, 2)
    attempts(session, MIXED, [(name, f"{name}123") for name in ("root", "admin", "anna", "test", "bruno", "support")])
    key(session, MIXED, "git", own_key())
    attempt(session, MIXED, "root", "letmein", tries=3, polite=False)
