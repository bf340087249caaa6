"""NSD as an authoritative server with transfers by address and by key and with response rate limiting. It logs to
syslog; `verbosity: 2`, the level at which its manual has transfers and their refusals."""

from runner import dns
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
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


@SERVICE.benign
def benign(session):
    """Resolvers ask; a second server transfers the zone, and others with the key; a laptop on the road asks for the inner
    zone; a monitor asks; the primary of a partner's zone is away; reload and restart."""
    for address in (ROAD[0], ROAD[1], ROAD6[0]):
        for words in (["www.example.org", "A"], ["example.org", "NS"], ["mail.example.org", "AAAA"]):
            assert "NOERROR" in dns.dig(session, address, *words)
    for _ in range(8):
        assert "XFR size" in dns.dig(session, OFFICE[1], "example.org", "AXFR", "+tcp")
        assert "XFR size" in dns.dig(session, ROAD[3], "example.org", "AXFR", "+tcp", "-y", f"hmac-sha256:office:{KEY}")
    assert "NOERROR" in dns.dig(session, OFFICE[0], "www.intern.example.org", "A")
    assert "REFUSED" in dns.dig(session, ROAD[2], "www.intern.example.org", "A")
    for _ in range(3):
        dns.dig(session, OFFICE[9], "example.org", "SOA")
        session.drop(OFFICE[9], 53, 1, read_banner=False)
    for command in (["reload"], ["reconfig"], ["reload", "example.org"], ["zonestatus"]):
        session.machine.run("nsd-control", *command)
    session.machine.restart()
    dns.dig(session, ROAD[0], "vpn.example.org", "A")
    for _ in range(3):
        assert "XFR size" in dns.dig(session, OFFICE[1], "example.org", "AXFR", "+tcp")


@SERVICE.attack(TRANSFERRER)
def zone_transfer(session):
    """One address asks for whole zones."""
    for number in range(12):
        zone = ("example.org", "intern.example.org")[number % 2]
        answer = dns.dig(session, TRANSFERRER, zone, "AXFR", "+tcp")
        assert "XFR size" not in answer, answer
        session.acted(TRANSFERRER, "zone transfer denied")


@SERVICE.attack(TRANSFERRER6)
def zone_transfer_over_ipv6(session):
    """One address of version 6 asks for a whole zone."""
    for _ in range(12):
        assert "XFR size" not in dns.dig(session, TRANSFERRER6, "example.org", "AXFR", "+tcp")
        session.acted(TRANSFERRER6, "zone transfer denied")


@SERVICE.attack(FORGER)
def forged_keys(session):
    """One address tries keys for transfers: wrong secrets for the right name, and other names."""
    for number in range(12):
        key = dns.guessed_key(number)
        answer = dns.dig(session, FORGER, "example.org", "AXFR", "+tcp", "-y", f"hmac-sha256:{key}")
        assert "BADKEY" in answer or "BADSIG" in answer or "failed" in answer or "NOTAUTH" in answer, answer
        session.refused(FORGER)


dns.notifies(SERVICE, NOTIFIER, ["example.org", "partner.example"])


@SERVICE.attack(RESOLVER)
def open_resolver(session):
    """One address tries to use the server as an open resolver."""
    for number in range(14):
        assert "REFUSED" in dns.dig(session, RESOLVER, f"victim{number}.example", "TXT")
        session.acted(RESOLVER, "recursion denied")


dns.flood(SERVICE, FLOODER, ["example.org"] * 120, 0.01)
dns.malformed(SERVICE, RAW)
