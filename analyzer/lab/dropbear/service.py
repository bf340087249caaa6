"""Dropbear, logging to syslog as it does unless told otherwise, with logins of root switched off as its manual offers."""

import socket

from runner import guessing, ssh
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
# Connections at a time, fewer than the server takes of one address.
WORKERS = 3


@SERVICE.prepared
def prepare(machine):
    for name, word in ACCOUNTS.items():
        machine.account(name, word)
    machine.account("kiosk", "Saal-Lampe-5", shell="/usr/sbin/nologin")
    machine.run("useradd", "--create-home", "--shell", "/bin/bash", "sync2")
    machine.run("chpasswd", stdin="root:Wurzel-Stein-44\n")
    ssh.make_key(machine, "anna", "/home/anna")


@SERVICE.started
def start(machine):
    machine.daemon("dropbear", "-F", "-w", port=22)


def attempts(session, address, pairs):
    """Refused passwords from one address."""
    session.at_once(lambda pair: ssh.attempt(session, address, *pair), pairs, workers=WORKERS)


@SERVICE.benign
def benign(session):
    """Two people work by password and by key; one mistypes a password, one an account, one offers a key that the server
    does not know before the password; a monitor connects; the daemon restarts."""
    for _ in range(3):
        ssh.work(session, OFFICE[0], "anna")
        ssh.work(session, OFFICE[1], "bruno", ACCOUNTS["bruno"])
    ssh.attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    ssh.work(session, ROAD[0], "bruno", ACCOUNTS["bruno"])
    ssh.attempt(session, ROAD6[0], "ana", ACCOUNTS["anna"], polite=False)
    ssh.work(session, ROAD6[0], "anna")
    ssh.key(session, ROAD[1], "bruno", ssh.own_key("anna"))
    ssh.work(session, ROAD[1], "bruno", ACCOUNTS["bruno"])
    ssh.monitor(session, OFFICE[9])
    ssh.work(session, ROAD[2], "anna", polite=False)
    session.machine.restart()
    for address in (OFFICE[0], ROAD[3]):
        ssh.work(session, address, "anna")
    ssh.work(session, OFFICE[1], "bruno", ACCOUNTS["bruno"])


guessing.one_account(SERVICE, GUESSER, ssh.attempt, tries=12, workers=WORKERS)
guessing.over_ipv6(SERVICE, GUESSER6, ssh.attempt, workers=WORKERS)
guessing.spray(SERVICE, SPRAYER, ssh.attempt, [*ACCOUNTS, "root", "www-data", "backup", "daemon", "mail", "news", "games",
                                               "sys",
                                               "admin", "support"], WORKERS)
guessing.unknown_users(SERVICE, STRANGER, ssh.attempt, ["admin", "test", "oracle", "ubuntu", "pi", "user", "git", "guest",
                                                        "deploy",
                                                        "ftp user", "hadoop"], workers=WORKERS,
                       description="One address tries accounts that do not exist; one name has a space.")


@SERVICE.attack(ROOT)
def root(session):
    """One address tries passwords for root, whose logins are off, and at last its password."""
    attempts(session, ROOT, [("root", f"toor{number}") for number in range(11)])
    ssh.attempt(session, ROOT, "root", "Wurzel-Stein-44")


@SERVICE.attack(KEYS)
def keys(session):
    """One address offers keys that no account has."""
    import paramiko
    private = paramiko.RSAKey.generate(2048)
    names = ["anna", "bruno", "git", "root", "deploy", "backup"] * 2
    session.at_once(lambda account: ssh.key(session, KEYS, account, private), names, workers=2)


@SERVICE.attack(REFUSED)
def no_login_shell(session):
    """One address has the password of an account without a login shell, and tries one that has no password."""
    attempts(session, REFUSED, [("kiosk", "Saal-Lampe-5"), ("sync2", "sync2")] * 6)


ssh.connect_and_drop(SERVICE, DROPPER)
ssh.too_many_failures(SERVICE, PATIENT, ["bruno", "admin"], 12)


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


ssh.no_common_method(SERVICE, OLD, "aes128-cbc")


@SERVICE.attack(MIXED)
def mixture(session):
    """One address tries a little of everything, as scanners do that look for old and weak servers."""
    session.drop(MIXED, 22, 2)
    attempts(session, MIXED, [(name, f"{name}123") for name in ("root", "admin", "anna", "test", "bruno", "support")])
    ssh.key(session, MIXED, "git", ssh.own_key("anna"))
    ssh.attempt(session, MIXED, "root", "letmein", tries=3, polite=False)
