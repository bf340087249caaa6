"""Mosquitto with a password file and TLS; its log at the types that are on unless told otherwise, in the file that its
package sets."""

import socket
import ssl
import struct
import time

from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="Mosquitto, MQTT broker",
    packages=["mosquitto"],
    hostname="broker",
    logs=[Log("mosquitto", "/var/log/mosquitto/mosquitto.log")],
)
ACCOUNTS = {"sensor1": "Fjord-Kiesel-77", "sensor2": "Tal-Birke-31", "panel": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, ANONYMOUS, DROPPER, RAW, TLS, TAKER = ATTACKERS[:8]
GUESSER6 = ATTACKERS6[0]
# Answers of the broker (MQTT 3.1.1, 3.2.2.3).
ACCEPTED, NOT_AUTHORISED = 0, 5


@SERVICE.prepared
def prepare(machine):
    for name, word in ACCOUNTS.items():
        machine.run("mosquitto_passwd", *([] if name != "sensor1" else ["-c"]), "-b", "/etc/mosquitto/passwd", name, word)
    machine.run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "900",
                "-subj", "/CN=broker.example.org", "-keyout", "/etc/mosquitto/certs/broker.key",
                "-out", "/etc/mosquitto/certs/broker.crt")
    machine.run("chown", "mosquitto", "/etc/mosquitto/certs/broker.key", "/etc/mosquitto/passwd")
    machine.write("/etc/mosquitto/conf.d/lab.conf", """allow_anonymous false
password_file /etc/mosquitto/passwd
listener 1883
listener 8883
certfile /etc/mosquitto/certs/broker.crt
keyfile /etc/mosquitto/certs/broker.key
""")


@SERVICE.started
def start(machine):
    machine.run("install", "-d", "-o", "mosquitto", "/run/mosquitto")
    machine.daemon("mosquitto", "-c", "/etc/mosquitto/mosquitto.conf", port=1883)
    machine.listening(8883)


def text(value):
    """A text as packets carry it."""
    data = value.encode()
    return struct.pack(">H", len(data)) + data


def packet(kind, body):
    """A packet of at most 127 bytes."""
    return struct.pack("BB", kind, len(body)) + body


def connect_packet(client, account=None, password=None, level=4):
    """A request to connect."""
    flags = 0x02 | (0x80 if account is not None else 0) | (0x40 if password is not None else 0)
    body = text("MQTT") + struct.pack(">BBH", level, flags, 60) + text(client)
    return packet(0x10, body + b"".join(text(word) for word in (account, password) if word is not None))


def connect(session, address, client, account=None, password=None, tls=False):
    """A connection that has asked to connect, and the broker's answer."""
    connection = session.connect(address, 8883 if tls else 1883)
    if tls:
        connection = ssl._create_unverified_context().wrap_socket(connection)
    connection.sendall(connect_packet(client, account, password))
    answer = connection.recv(64)
    return connection, answer[3] if len(answer) > 3 else None


def attempt(session, address, account, password, client="mqttx_7f3a", tls=False):
    """One refused login."""
    connection, answer = connect(session, address, client, account, password, tls)
    connection.close()
    assert answer == NOT_AUTHORISED, answer
    session.refused(address)


def work(session, address, account, client, tls=False, polite=True):
    """A login that publishes and asks for messages."""
    connection, answer = connect(session, address, client, account, ACCOUNTS[account], tls)
    assert answer == ACCEPTED, answer
    session.logged_in(address)
    connection.sendall(packet(0x82, b"\x00\x01" + text(f"house/{account}/#") + b"\x00"))
    connection.recv(64)
    connection.sendall(packet(0x30, text(f"house/{account}/state") + b"21.5"))
    connection.sendall(packet(0xc0, b""))
    connection.recv(64)
    if polite:
        connection.sendall(packet(0xe0, b""))
    connection.close()


@SERVICE.benign
def benign(session):
    """Sensors and a panel connect by both ports; one loses its line, one takes over its own older connection; a password is
    mistyped once; a monitor connects and leaves; reload and restart."""
    for _ in range(3):
        work(session, OFFICE[0], "sensor1", "sensor1")
        work(session, OFFICE[1], "sensor2", "sensor2", tls=True)
        work(session, ROAD6[0], "panel", "panel", tls=True)
    work(session, OFFICE[0], "sensor1", "sensor1", polite=False)
    attempt(session, ROAD[0], "panel", "Ufer-Moos-85", "phone", tls=True)
    work(session, ROAD[0], "panel", "phone", tls=True)
    older, _ = connect(session, OFFICE[0], "sensor1", "sensor1", ACCOUNTS["sensor1"])
    work(session, OFFICE[0], "sensor1", "sensor1")
    session.logged_in(OFFICE[0])
    older.close()
    session.drop(OFFICE[9], 1883, 2, read_banner=False)
    session.drop(OFFICE[9], 8883, 2, read_banner=False)
    session.machine.reload()
    work(session, OFFICE[1], "sensor2", "sensor2", tls=True)
    session.machine.restart()
    for _ in range(2):
        work(session, OFFICE[0], "sensor1", "sensor1")
        work(session, OFFICE[1], "sensor2", "sensor2", tls=True)
        work(session, ROAD[0], "panel", "phone", tls=True)


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER, "panel", f"panel{number}"), range(12))


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address tries passwords for one account, each time under another name of a client."""
    session.at_once(lambda number: attempt(session, GUESSER6, "sensor1", f"sensor{number}", f"probe{number}"), range(12))


@SERVICE.attack(TLS)
def guess_by_tls(session):
    """One address tries passwords for one account by TLS."""
    session.at_once(lambda number: attempt(session, TLS, "panel", f"winter{number}", f"auto-{number}", tls=True), range(12))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    names = [*ACCOUNTS, "admin", "mqtt", "homeassistant", "sensor", "zigbee", "iot", "root", "test", "guest"]
    session.at_once(lambda name: attempt(session, SPRAYER, name, "Winter2026!"), names)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist, without a name of its own."""
    names = ["admin", "mosquitto", "user", "test", "mqtt", "esp", "tasmota", "shelly", "guest", "root", "pi"]
    session.at_once(lambda name: attempt(session, STRANGER, name, name, ""), names)


@SERVICE.attack(ANONYMOUS)
def anonymous(session):
    """One address connects without an account."""
    session.at_once(lambda number: attempt(session, ANONYMOUS, None, None, f"scan{number}"), range(12))


@SERVICE.attack(TAKER)
def foreign_clients(session):
    """One address has a sensor's password and connects under the names of other clients, whose connections end."""
    for number in range(10):
        holder, _ = connect(session, OFFICE[0], "sensor1", "sensor1", ACCOUNTS["sensor1"])
        taker, answer = connect(session, TAKER, "sensor1", "sensor2", ACCOUNTS["sensor2"])
        assert answer == ACCEPTED
        session.logged_in(OFFICE[0])
        session.logged_in(TAKER)
        session.acted(TAKER, "client taken over")
        taker.close()
        holder.close()
        time.sleep(0.05)


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects to both ports and leaves before it logs in."""
    session.drop(DROPPER, 1883, 8, read_banner=False)
    session.drop(DROPPER, 8883, 8, read_banner=False)


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no MQTT, to both ports."""
    hello = bytes.fromhex("160301006c010000680303") + bytes(range(60))
    probes = [(1883, b"GET / HTTP/1.0\r\n\r\n"), (1883, hello), (1883, connect_packet("x", "a", "b", level=9)),
              (1883, packet(0x30, text("house/x") + b"1")), (8883, b"GET / HTTP/1.0\r\n\r\n"),
              (8883, connect_packet("x", "a", "b")), (1883, packet(0x10, text("MQIsdp") + b"\x03\x00\x00\x3c"))]
    for port, data in probes * 2:
        with session.connect(RAW, port) as connection:
            try:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                connection.recv(64)
            except OSError:
                pass
        session.acted(RAW, "malformed request")
