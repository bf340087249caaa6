"""coturn with long-term credentials and denied peers, logging to syslog as its package sets, with `verbose`: without it
no client address is written. Over UDP that is when a session ends, which without a relay is after a minute; here after
two seconds, for the sessions' sake."""

import hashlib
import hmac
import os
import socket
import struct
import time

from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6, SERVER, SERVER6
from runner.definition import Log, Service

SERVICE = Service(
    title="coturn, TURN server",
    packages=["coturn"],
    hostname="turn",
    logs=[Log("syslog")],
)
REALM = "example.org"
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, STREAMER, ANONYMOUS, INSIDE, RAW, DROPPER = ATTACKERS[:8]
GUESSER6 = ATTACKERS6[0]
ALLOCATE, REFRESH, PERMISSION, BINDING = 0x003, 0x004, 0x008, 0x001
TRANSPORT, USERNAME, REALM_NAME, NONCE, INTEGRITY, ERROR, LIFETIME, PEER = 0x19, 0x06, 0x14, 0x15, 0x08, 0x09, 0x0D, 0x12
COOKIE = 0x2112A442


@SERVICE.prepared
def prepare(machine):
    users = "".join(f"user={name}:{word}\n" for name, word in ACCOUNTS.items())
    machine.write("/etc/turnserver.conf", f"""syslog
verbose
no-cli
max-allocate-timeout=2
lt-cred-mech
realm={REALM}
no-tls
no-dtls
denied-peer-ip=10.0.0.0-10.255.255.255
denied-peer-ip=169.254.0.0-169.254.255.255
denied-peer-ip=198.51.100.0-198.51.100.255
{users}""", owner="turnserver")
    machine.run("install", "-d", "-o", "turnserver", "/run/turnserver")


@SERVICE.started
def start(machine):
    machine.daemon("turnserver", "-c", "/etc/turnserver.conf", "--pidfile=/run/turnserver/turnserver.pid",
                   "--proc-user=turnserver", "--proc-group=turnserver", port=3478, protocol="udp")
    machine.listening(3478)


def attribute(kind, value):
    """One attribute, padded."""
    return struct.pack("!HH", kind, len(value)) + value + b"\0" * (-len(value) % 4)


def message(method, attributes, key=None):
    """One request, signed where a key is given."""
    body = b"".join(attribute(kind, value) for kind, value in attributes)
    number = os.urandom(12)
    if key is None:
        return struct.pack("!HHI", method, len(body), COOKIE) + number + body
    signed = struct.pack("!HHI", method, len(body) + 24, COOKIE) + number + body
    return signed + attribute(INTEGRITY, hmac.new(key, signed, hashlib.sha1).digest())


def read(answer):
    """The attributes of an answer."""
    found, place = {}, 20
    while place + 4 <= len(answer):
        kind, length = struct.unpack_from("!HH", answer, place)
        found[kind] = answer[place + 4:place + 4 + length]
        place += 4 + length + (-length % 4)
    return found


class Client:
    """A client of relays, over UDP or, as a stream, over TCP."""

    def __init__(self, session, address, account="", password="", stream=False):
        if stream:
            self.socket = session.connect(address, 3478)
        else:
            self.socket = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
            self.socket.bind((address, 0))
            self.socket.connect((SERVER6 if ":" in address else SERVER, 3478))
        self.socket.settimeout(2)
        self.account = account
        self.key = hashlib.md5(f"{account}:{REALM}:{password}".encode()).digest()
        self.nonce = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def ask(self, method, attributes, signed=True):
        """One request; returns the code of its error, or 0."""
        names = [(USERNAME, self.account.encode()), (REALM_NAME, REALM.encode()), (NONCE, self.nonce)] if signed else []
        self.socket.send(message(method, [*attributes, *names], self.key if signed else None))
        found = read(self.socket.recv(2048))
        self.nonce = found.get(NONCE, self.nonce)
        return found[ERROR][2] * 100 + found[ERROR][3] if ERROR in found else 0

    def allocate(self):
        """Asks for a relay without an account, and then with it; returns the code of the error, or 0."""
        transport = [(TRANSPORT, b"\x11\0\0\0")]
        assert self.ask(ALLOCATE, transport, signed=False) == 401
        return self.ask(ALLOCATE, transport)

    def permit(self, peer):
        """Asks for permission to reach a peer; returns the code of the error, or 0."""
        number = struct.unpack("!I", socket.inet_aton(peer))[0] ^ COOKIE
        return self.ask(PERMISSION, [(PEER, struct.pack("!HHI", 1, 9 ^ (COOKIE >> 16), number))])


def attempt(session, address, account, password, stream=False):
    """One refused login."""
    with Client(session, address, account, password, stream) as client:
        code = client.allocate()
        assert code == 401, code
    session.refused(address)


def work(session, address, account, stream=False):
    """A relay that is used, prolonged and given back."""
    with Client(session, address, account, ACCOUNTS[account], stream) as client:
        assert client.ask(BINDING, [], signed=False) == 0
        assert client.allocate() == 0
        session.logged_in(address)
        assert client.permit("192.0.2.39") == 0
        for seconds in (600, 0):
            assert client.ask(REFRESH, [(LIFETIME, struct.pack("!I", seconds))]) == 0


def wait_for_ends():
    """Until the server has given up the sessions without a relay."""
    time.sleep(4)


@SERVICE.benign
def benign(session):
    """People use relays for calls; one has a wrong password once; one asks for a peer in the office; clients ask for
    their own address only; a monitor connects and leaves; restart."""
    for _ in range(2):
        work(session, OFFICE[0], "anna")
        work(session, ROAD6[0], "carla")
        work(session, ROAD[1], "anna", stream=True)
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    with Client(session, ROAD[0], "bruno", ACCOUNTS["bruno"]) as client:
        assert client.allocate() == 0
        session.logged_in(ROAD[0])
        assert client.permit("198.51.100.22") == 403
    for address in (OFFICE[3], ROAD[3], ROAD6[1]):
        with Client(session, address) as client:
            assert client.ask(BINDING, [], signed=False) == 0
    session.drop(OFFICE[9], 3478, 2, read_banner=False)
    wait_for_ends()
    session.machine.restart()
    work(session, OFFICE[0], "anna")
    wait_for_ends()


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}"), range(14))
    wait_for_ends()


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    names = [*ACCOUNTS, "admin", "root", "test", "office", "sales", "info", "user", "guest", "turn"]
    session.at_once(lambda name: attempt(session, SPRAYER, name, "Winter2026!"), names)
    wait_for_ends()


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist."""
    names = ["admin", "turn", "turnuser", "test", "webrtc", "coturn", "user", "guest", "demo", "username", "stun"]
    session.at_once(lambda name: attempt(session, STRANGER, name, name), names)
    wait_for_ends()


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One address of version 6 tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER6, "bruno", f"bruno{number}"), range(12))
    wait_for_ends()


@SERVICE.attack(STREAMER)
def guess_over_tcp(session):
    """One address tries passwords for one account over TCP."""
    session.at_once(lambda number: attempt(session, STREAMER, "carla", f"carla{number}", True), range(12))


@SERVICE.attack(ANONYMOUS)
def without_account(session):
    """One address asks for relays without an account."""
    for _ in range(14):
        with Client(session, ANONYMOUS) as client:
            assert client.ask(ALLOCATE, [(TRANSPORT, b"\x11\0\0\0")], signed=False) == 401
        session.acted(ANONYMOUS, "relay without authentication")
    wait_for_ends()


@SERVICE.attack(INSIDE)
def inner_peers(session):
    """One address, with a stolen account, asks for the office, the server itself and cloud metadata behind the relay."""
    with Client(session, INSIDE, "bruno", ACCOUNTS["bruno"]) as client:
        assert client.allocate() == 0
        session.logged_in(INSIDE)
        for number in range(4):
            for peer in (f"198.51.100.{20 + number}", "127.0.0.1", "169.254.169.254", f"10.0.0.{number}"):
                code = client.permit(peer)
                assert code == 403, (peer, code)
                session.acted(INSIDE, "peer denied")
        assert client.ask(REFRESH, [(LIFETIME, b"\0\0\0\0")]) == 0
    wait_for_ends()


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no STUN, over both protocols."""
    data = [b"GET / HTTP/1.0\r\n\r\n", b"\x16\x03\x01\x00\x6c\x01\x00", message(ALLOCATE, [])[:18], b"\xff" * 40,
            message(0x3FF, []), message(PERMISSION, []), message(ALLOCATE, [(USERNAME, b"x" * 600)])]
    for words in data:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            udp.bind((RAW, 0))
            udp.sendto(words, (SERVER, 3478))
        with session.connect(RAW, 3478) as connection:
            connection.sendall(words)
            time.sleep(0.05)
        session.acted(RAW, "malformed message", 2)
    wait_for_ends()


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects and leaves."""
    session.drop(DROPPER, 3478, 14, read_banner=False)
