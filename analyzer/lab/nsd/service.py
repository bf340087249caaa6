"""NSD as an authoritative server with transfers by address and by key and with response rate limiting. It logs to
syslog; `verbosity: 2`, the level at which its manual has transfers and their refusals."""

import base64
import socket

from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6, SERVER, SERVER6
from runner.definition import Log, Service

SERVICE = Service(
    title="NSD, authoritative DNS server",
    packages=["nsd", "bind9-dnsutils"],
    hostname="ns2",
    logs=[Log("syslog")],
)
KEY = "Zm9yIHRoZSBsYWJvcmF0b3J5IG9ubHksIG5vdCBzZWNyZXQ="
TRANSFERRER, FORGER, NOTIFIER, RESOLVER, FLOODER, RAW = ATTACKERS[:6]
TRANSFERRER6 = ATTACKERS6[0]


@SERVICE.prepared
def prepare(machine):
    machine.write("/etc/nsd/nsd.conf", f"""server:
    ip-address: 0.0.0.0
    ip-address: ::0
    verbosity: 2
    rrl-ratelimit: 40
remote-control:
    control-enable: yes
    control-interface: /run/nsd/nsd.ctl
key:
    name: office
    algorithm: hmac-sha256
    secret: "{KEY}"
zone:
    name: example.org
    zonefile: example.org.zone
    provide-xfr: 198.51.100.21 NOKEY
    provide-xfr: 0.0.0.0/0 office
zone:
    name: intern.example.org
    zonefile: intern.zone
    allow-query: 198.51.100.0/24 NOKEY
zone:
    name: partner.example
    zonefile: partner.zone
    request-xfr: AXFR 198.51.100.22 NOKEY
    allow-notify: 198.51.100.22 NOKEY
""")
    hosts = "".join(f"{name} IN A 198.51.100.10\n" for name in ("ns2", "www", "mail", "vpn"))
    for zone in ("example.org", "intern"):
        machine.write(f"/etc/nsd/{zone}.zone", f"""$TTL 3600
@ IN SOA ns2.example.org. hostmaster.example.org. ( 2026110101 7200 3600 1209600 3600 )
@ IN NS ns2.example.org.
{hosts}""")
    machine.run("install", "-d", "-o", "nsd", "-g", "nsd", "/run/nsd", "/var/lib/nsd")


@SERVICE.started
def start(machine):
    machine.daemon("nsd", "-d", "-c", "/etc/nsd/nsd.conf", port=53)


def dig(session, address, *question):
    """One question; returns the answer as dig prints it."""
    server = SERVER6 if ":" in address else SERVER
    options = ["+time=2", "+tries=1", "+nocookie"]
    return session.command(address, "dig", "-b", address, f"@{server}", *options, *question).stdout


def packet(session, address, data, wait=0.3):
    """Sends a datagram and returns the answer, or nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind((address, 0))
        udp.settimeout(wait)
        udp.sendto(data, (SERVER, 53))
        try:
            return udp.recv(4096)
        except TimeoutError:
            return b""


def question(name, number=1):
    """A question for an address as it is sent."""
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return number.to_bytes(2, "big") + b"\1\0\0\1\0\0\0\0\0\0" + labels + b"\0\0\1\0\1"


@SERVICE.benign
def benign(session):
    """Resolvers ask; a second server transfers the zone, and others with the key; a laptop on the road asks for the inner
    zone; a monitor asks; the primary of a partner's zone is away; reload and restart."""
    for address in (ROAD[0], ROAD[1], ROAD6[0]):
        for words in (["www.example.org", "A"], ["example.org", "NS"], ["mail.example.org", "AAAA"]):
            assert "NOERROR" in dig(session, address, *words)
    for _ in range(8):
        assert "XFR size" in dig(session, OFFICE[1], "example.org", "AXFR", "+tcp")
        assert "XFR size" in dig(session, ROAD[3], "example.org", "AXFR", "+tcp", "-y", f"hmac-sha256:office:{KEY}")
    assert "NOERROR" in dig(session, OFFICE[0], "www.intern.example.org", "A")
    assert "REFUSED" in dig(session, ROAD[2], "www.intern.example.org", "A")
    for _ in range(3):
        dig(session, OFFICE[9], "example.org", "SOA")
        session.drop(OFFICE[9], 53, 1, read_banner=False)
    for command in (["reload"], ["reconfig"], ["reload", "example.org"], ["zonestatus"]):
        session.machine.run("nsd-control", *command)
    session.machine.restart()
    dig(session, ROAD[0], "vpn.example.org", "A")
    for _ in range(3):
        assert "XFR size" in dig(session, OFFICE[1], "example.org", "AXFR", "+tcp")


@SERVICE.attack(TRANSFERRER)
def zone_transfer(session):
    """One address asks for whole zones."""
    for number in range(12):
        zone = ("example.org", "intern.example.org")[number % 2]
        answer = dig(session, TRANSFERRER, zone, "AXFR", "+tcp")
        assert "XFR size" not in answer, answer
        session.acted(TRANSFERRER, "zone transfer denied")


@SERVICE.attack(TRANSFERRER6)
def zone_transfer_over_ipv6(session):
    """One address of version 6 asks for a whole zone."""
    for _ in range(12):
        assert "XFR size" not in dig(session, TRANSFERRER6, "example.org", "AXFR", "+tcp")
        session.acted(TRANSFERRER6, "zone transfer denied")


@SERVICE.attack(FORGER)
def forged_keys(session):
    """One address tries keys for transfers: wrong secrets for the right name, and other names."""
    for number in range(12):
        name = "office" if number % 2 else f"key{number}"
        secret = base64.b64encode(f"guess{number}".encode()).decode()
        answer = dig(session, FORGER, "example.org", "AXFR", "+tcp", "-y", f"hmac-sha256:{name}:{secret}")
        assert "BADKEY" in answer or "BADSIG" in answer or "failed" in answer or "NOTAUTH" in answer, answer
        session.refused(FORGER)


@SERVICE.attack(NOTIFIER)
def notifies(session):
    """One address pretends to be the primary server and announces new versions of zones."""
    for number in range(12):
        data = bytearray(question(("example.org", "partner.example")[number % 2], number))
        # Operation 4 with the authoritative bit, and the question's type changed to SOA.
        data[2], data[-3] = 0x24, 6
        packet(session, NOTIFIER, bytes(data))
        session.acted(NOTIFIER, "notify refused")


@SERVICE.attack(RESOLVER)
def open_resolver(session):
    """One address tries to use the server as an open resolver."""
    for number in range(14):
        assert "REFUSED" in dig(session, RESOLVER, f"victim{number}.example", "TXT")
        session.acted(RESOLVER, "recursion denied")


@SERVICE.attack(FLOODER)
def flood(session):
    """One address, as the victim of a reflection appears, asks the same more often than the rate limit allows."""
    answers = [packet(session, FLOODER, question("example.org", number), 0.01) for number in range(120)]
    session.acted(FLOODER, "rate limited", sum(not answer for answer in answers))


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no DNS."""
    data = [b"GET / HTTP/1.0\r\n\r\n", b"\0\1\1\0\0\2\0\0\0\0\0\0", question("example.org")[:20],
            b"\0\1\x78\0\0\1\0\0\0\0\0\0\0\0\1\0\1", b"\0\1\1\0\0\1\0\0\0\0\0\0\xc0\x0c\0\1\0\1", b"\xff" * 60]
    for words in data * 2:
        packet(session, RAW, words, 0.1)
        session.acted(RAW, "malformed packet")
