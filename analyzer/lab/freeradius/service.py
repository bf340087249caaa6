"""FreeRADIUS with accounts in its file of users and the log of logins on (`auth = yes`), as its configuration recommends
for finding refused ones; passwords are not logged. The delay of refusals is off, for the sessions' sake.

Its clients are a VPN gateway, which names the address of whoever logs in as the calling station, and an access point, which
names the hardware address."""

import hashlib
import hmac
import itertools
import os
import socket
import struct
import time

from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="FreeRADIUS, RADIUS server",
    packages=["freeradius", "eapoltest"],
    hostname="radius",
    logs=[Log("radius", "/var/log/freeradius/radius.log")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58", "monitor": "Probe-Kabel-1"}
GATEWAY, ACCESS_POINT, MONITOR = OFFICE[1], OFFICE[2], OFFICE[9]
SECRETS = {GATEWAY: b"Kupfer-Dach-3", ACCESS_POINT: b"Messing-Tor-8", MONITOR: b"Zink-Rohr-6"}
GUESSER, SPRAYER, STRANGER, CHAP, REFUSED, OUTSIDER, PARTNER, RAW = ATTACKERS[:8]
GUESSER6 = ATTACKERS6[0]
ACCESS_REQUEST, ACCESS_ACCEPT, ACCESS_REJECT = 1, 2, 3
numbers = itertools.count()


@SERVICE.prepared
def prepare(machine):
    root = "/etc/freeradius/3.0"
    clients = {"vpn": GATEWAY, "wlan1": ACCESS_POINT, "monitor": MONITOR, "partner1": PARTNER, "partner2": RAW}
    for name, address in clients.items():
        # Who attacks from a partner's address does not have its secret.
        secret = SECRETS.get(address, b"Nickel-Tor-2").decode()
        machine.append(f"{root}/clients.conf", f"client {name} {{\n\tipaddr = {address}\n\tsecret = {secret}\n}}\n")
    machine.append(f"{root}/mods-config/files/authorize", "".join(
        f'{name} Cleartext-Password := "{word}"\n' for name, word in ACCOUNTS.items()) +
        'emil Cleartext-Password := "Wald-Kanne-6", Auth-Type := Reject\n\tReply-Message = "account is locked"\n'
        'frida Cleartext-Password := "Laub-Krug-9", Expiration := "01 Jan 2026"\n')
    machine.replace(f"{root}/radiusd.conf", "\tauth = no\n", "\tauth = yes\n")
    machine.replace(f"{root}/radiusd.conf", "reject_delay = 1", "reject_delay = 0")


@SERVICE.started
def start(machine):
    machine.run("install", "-d", "-o", "freerad", "/run/freeradius")
    machine.daemon("freeradius", "-f", port=1812, protocol="udp")


def attribute(kind, value):
    """One attribute of a packet."""
    return struct.pack("BB", kind, len(value) + 2) + value


def hidden(password, secret, authenticator):
    """A password as a packet carries it (RFC 2865, 5.2)."""
    padded = password + bytes(-len(password) % 16)
    result, last = b"", authenticator
    for start in range(0, len(padded), 16):
        pad = hashlib.md5(secret + last).digest()
        last = bytes(left ^ right for left, right in zip(padded[start:start + 16], pad, strict=True))
        result += last
    return result


def send(address, packet, answer=True):
    """Sends a packet from an address; returns the code of the answer, or None."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.bind((address, 0))
        client.settimeout(3)
        client.sendto(packet, ("198.51.100.10", 1812))
        return client.recv(4096)[0] if answer else None


def request(account, password, station, secret, chap=False, signed=False):
    """An access request of a client that has a secret; signed as RFC 3579, 3.2 says, or not."""
    authenticator = os.urandom(16)
    name, word = account.encode(), password.encode()
    body = attribute(1, name)
    if chap:
        body += attribute(3, b"\x07" + hashlib.md5(b"\x07" + word + authenticator).digest())
    else:
        body += attribute(2, hidden(word, secret, authenticator))
    body += attribute(5, struct.pack(">I", 12)) + attribute(31, station.encode())
    if signed:
        body = attribute(80, bytes(16)) + body
    head = struct.pack(">BBH", ACCESS_REQUEST, next(numbers) % 256, len(body) + 20) + authenticator
    if signed:
        body = body[:2] + hmac.digest(secret, head + body, "md5") + body[18:]
    return head + body


def attempt(session, station, account, password, client=GATEWAY, chap=False):
    """One refused login of whoever is at a station."""
    assert send(client, request(account, password, station, SECRETS[client], chap)) == ACCESS_REJECT
    session.refused(station)


def work(session, station, account, client=GATEWAY):
    """One login of an account at a station."""
    assert send(client, request(account, ACCOUNTS[account], station, SECRETS[client])) == ACCESS_ACCEPT
    session.logged_in(station)


def wireless(session, station, account, password):
    """One login by PEAP with MSCHAPv2 at the access point. Returns whether it succeeded."""
    path = f"/tmp/{account}.conf"
    session.machine.write(path, f"""network={{
  ssid="office"
  key_mgmt=WPA-EAP
  eap=PEAP
  identity="{account}"
  password="{password}"
  phase2="auth=MSCHAPV2"
}}
""")
    done = session.command(ACCESS_POINT, "eapol_test", "-c", path, "-a", session.server, "-A", ACCESS_POINT,
                           "-s", SECRETS[ACCESS_POINT].decode(), "-M", station, "-t", "5")
    return done.returncode == 0


@SERVICE.benign
def benign(session):
    """Three people log in by the gateway and by wireless; two passwords are mistyped and one account; a monitor logs in
    with an account of its own; reload and restart."""
    stations = {"anna": ROAD[0], "bruno": ROAD[1], "carla": ROAD6[0]}
    for _ in range(4):
        for account, station in stations.items():
            work(session, station, account)
    attempt(session, ROAD[1], "bruno", "Tal-Birke-13")
    work(session, ROAD[1], "bruno")
    attempt(session, ROAD[2], "carlla", ACCOUNTS["carla"])
    work(session, ROAD[2], "carla")
    for _ in range(6):
        work(session, MONITOR, "monitor", MONITOR)
    for account, station in (("anna", "02:00:00:00:00:21"), ("bruno", "02:00:00:00:00:22")):
        assert wireless(session, station, account, ACCOUNTS[account])
        session.logged_in(station)
    assert not wireless(session, "02:00:00:00:00:23", "carla", "Ufer-Moos-85")
    session.refused("02:00:00:00:00:23")
    assert wireless(session, "02:00:00:00:00:23", "carla", ACCOUNTS["carla"])
    session.logged_in("02:00:00:00:00:23")
    session.machine.reload()
    for account, station in stations.items():
        work(session, station, account)
    session.machine.restart()
    for account, station in stations.items():
        work(session, station, account)


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account at the gateway."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}"), range(12))


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address tries passwords for one account at the gateway."""
    session.at_once(lambda number: attempt(session, GUESSER6, "bruno", f"bruno{number}"), range(12))


@SERVICE.attack(CHAP)
def guess_by_chap(session):
    """One address tries passwords for one account by CHAP."""
    session.at_once(lambda number: attempt(session, CHAP, "carla", f"carla{number}", chap=True), range(12))


@SERVICE.attack(account="bruno")
def guess_by_wireless(session):
    """Somebody near an access point tries passwords for one account, each time with another hardware address."""
    for number in range(10):
        station = f"02:00:00:00:66:{number:02x}"
        assert not wireless(session, station, "bruno", f"bruno{number}")
        session.refused(station)


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    names = [*ACCOUNTS, "root", "admin", "backup", "office", "sales", "support", "vpn", "guest", "test"]
    session.at_once(lambda name: attempt(session, SPRAYER, name, "Winter2026!"), names)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist; names have a domain or a space."""
    names = ["admin", "test", "oracle", "user", "cisco", "guest", "EXAMPLE\\admin", "admin@example.org", "vpn user",
             "administrator", "root"]
    session.at_once(lambda name: attempt(session, STRANGER, name, "password"), names)


@SERVICE.attack(REFUSED)
def locked_accounts(session):
    """One address has the passwords of an account that is locked and of one that has expired."""
    session.at_once(lambda number: attempt(session, REFUSED, *[("emil", "Wald-Kanne-6"), ("frida", "Laub-Krug-9")][number % 2]),
                    range(12))


@SERVICE.attack(OUTSIDER)
def unknown_client(session):
    """One address that is no client of the server sends requests."""
    for number in range(10):
        send(OUTSIDER, request("anna", f"anna{number}", OUTSIDER, b"testing123"), answer=False)
        session.acted(OUTSIDER, "unknown client")
        # The server logs this once a second at most.
        time.sleep(1.1)


@SERVICE.attack(PARTNER)
def wrong_secret(session):
    """One address that is a client of the server tries secrets."""
    for number in range(10):
        send(PARTNER, request("anna", ACCOUNTS["anna"], PARTNER, f"secret{number}".encode(), signed=True), answer=False)
        session.acted(PARTNER, "wrong secret")
        time.sleep(1.1)


@SERVICE.attack(RAW)
def malformed(session):
    """One address that is a client of the server sends what is no RADIUS, and packets that are none of a client."""
    good = request("anna", "x", RAW, b"x")
    packets = [b"GET / HTTP/1.0\r\n\r\n", good[:18], good[:2] + b"\x0f\xff" + good[4:], good[:20] + b"\x01\x01" + good[22:],
               b"\xff" + good[1:], b"\x02" + good[1:]]
    for packet in packets * 2:
        send(RAW, packet, answer=False)
        session.acted(RAW, "malformed request")
