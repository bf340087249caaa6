"""TigerVNC's X server with a VNC password; its log at the level that it has unless told otherwise. Addresses are rejected
for a while after five refused passwords, its default."""

import struct
import subprocess
import time

from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="TigerVNC, VNC server",
    packages=["tigervnc-standalone-server", "tigervnc-tools"],
    hostname="desktop",
    logs=[Log("output", "/var/log/vnc.output")],
)
PASSWORD = "Fjord-77"
PORT = 5901
GUESSER, SLOW, DROPPER, OLD, KINDS, RAW = ATTACKERS[:6]
GUESSER6 = ATTACKERS6[0]
NONE, VNC = 1, 2


@SERVICE.prepared
def prepare(machine):
    machine.account("anna", "x")
    machine.run("sh", "-c", "mkdir -p /etc/lab && tigervncpasswd -f >/etc/lab/vnc && chown anna /etc/lab/vnc", stdin=PASSWORD)


@SERVICE.started
def start(machine):
    machine.run("sh", "-c", "mkdir -p -m 1777 /tmp/.X11-unix; rm -f /tmp/.X1-lock /tmp/.X11-unix/X1")
    machine.daemon("Xtigervnc", ":1", "-rfbport", str(PORT),
                   "-SecurityTypes", "VncAuth", "-PasswordFile", "/etc/lab/vnc", "-desktop", "desktop:1 (anna)",
                   "-geometry", "640x480", "-localhost=0", port=PORT, output="vnc", user="anna")


def response(challenge, password):
    """The challenge, encrypted with a password as RFC 6143, 7.2.2 says: the bits of its bytes are reversed."""
    key = bytes(int(f"{byte:08b}"[::-1], 2) for byte in password.encode().ljust(8, b"\0")[:8])
    return subprocess.run(["openssl", "enc", "-des-ecb", "-nopad", "-K", key.hex(), "-provider", "legacy",
                           "-provider", "default"], input=challenge, capture_output=True, check=True).stdout


def handshake(session, address, version=b"RFB 003.008\n"):
    """A connection, and the kinds of security that the server offers or, where it offers none, its reason."""
    connection = session.connect(address, PORT)
    assert connection.recv(12).startswith(b"RFB")
    connection.sendall(version)
    time.sleep(0.05)
    return connection, connection.recv(256)


def login(session, address, password):
    """Tries a password. Returns the connection and whether the server took the password; None for that where it rejected the
    address before."""
    connection, kinds = handshake(session, address)
    if not kinds or kinds[0] == 0:
        return connection, None
    connection.sendall(bytes([VNC]))
    connection.sendall(response(connection.recv(16), password))
    return connection, connection.recv(4) == bytes(4)


def attempt(session, address, password):
    """One refused password, or a rejection of the address after some of those."""
    connection, taken = login(session, address, password)
    connection.close()
    assert not taken
    if taken is None:
        session.acted(address, "address rejected")
    else:
        session.refused(address)


def work(session, address):
    """A login that looks at the screen and types."""
    connection, taken = login(session, address, PASSWORD)
    assert taken
    session.logged_in(address)
    connection.sendall(b"\x01")
    connection.recv(4096)
    connection.sendall(struct.pack(">BBHHHH", 3, 0, 0, 0, 64, 48))
    connection.recv(65536)
    connection.sendall(struct.pack(">BBHI", 4, 1, 0, 0x61) + struct.pack(">BBHI", 4, 0, 0, 0x61))
    connection.close()


@SERVICE.benign
def benign(session):
    """Two people work from several places; one mistypes the password; a monitor connects; the server restarts."""
    for _ in range(3):
        work(session, OFFICE[0])
        work(session, ROAD6[0])
    attempt(session, ROAD[0], "Fjord-78")
    work(session, ROAD[0])
    session.drop(OFFICE[9], PORT, 2)
    session.machine.restart()
    for address in (OFFICE[0], ROAD[1], OFFICE[0]):
        work(session, address)


@SERVICE.attack(GUESSER)
def guess(session):
    """One address tries passwords, and goes on while the server rejects it."""
    for number in range(12):
        attempt(session, GUESSER, f"anna{number}")


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address tries passwords, and goes on while the server rejects it."""
    for number in range(12):
        attempt(session, GUESSER6, f"desk{number}")


@SERVICE.attack(SLOW)
def guess_slowly(session):
    """One address tries passwords, and waits until the server no longer rejects it."""
    for number in range(10):
        attempt(session, SLOW, f"slow{number}")
        if number >= 4:
            time.sleep(1)


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects and leaves before it logs in."""
    session.drop(DROPPER, PORT, 12)


@SERVICE.attack(KINDS)
def without_password(session):
    """One address asks for security without a password, and for kinds that the server does not offer."""
    for number in range(12):
        connection, kinds = handshake(session, KINDS)
        if kinds and kinds[0]:
            connection.sendall(bytes([NONE if number % 2 else 19]))
            connection.recv(256)
            session.acted(KINDS, "security refused")
        else:
            session.acted(KINDS, "address rejected")
        connection.close()


@SERVICE.attack(OLD)
def old_version(session):
    """One address says it has versions that there are not, or old ones, and leaves."""
    for number in range(10):
        connection, _ = handshake(session, OLD, [b"RFB 003.003\n", b"RFB 002.000\n", b"RFB 009.000\n"][number % 3])
        connection.close()
        session.acted(OLD, "closed before login")


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no VNC."""
    hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(40)
    for words in [b"GET / HTTP/1.0\r\n\r\n", hello, b"SSH-2.0-probe\r\n"] * 4:
        with session.connect(RAW, PORT, timeout=2) as connection:
            try:
                connection.recv(12)
                connection.sendall(words)
                connection.recv(256)
            except OSError:
                pass
        session.acted(RAW, "malformed request")
