"""BIND as an authoritative server that also resolves for the office. Messages go to syslog, as they do unless told
otherwise; `category queries` has a file of its own, as its manual shows, and response rate limiting is on."""

from runner import dns
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6, SERVER
from runner.definition import Log, Service

SERVICE = Service(
    title="BIND, DNS server",
    packages=["bind9", "bind9-dnsutils", "bind9-utils"],
    hostname="ns1",
    logs=[Log("syslog"), Log("queries", "/var/log/named/queries.log")],
)
KEY = "Zm9yIHRoZSBsYWJvcmF0b3J5IG9ubHksIG5vdCBzZWNyZXQ="
TRANSFERRER, RESOLVER, UPDATER, FORGER, COUNTER, FLOODER, NOTIFIER, CONTROLLER, VERSION, RAW = ATTACKERS[:10]
TRANSFERRER6, RESOLVER6 = ATTACKERS6[:2]

OPTIONS = f"""key "office" {{ algorithm hmac-sha256; secret "{KEY}"; }};
acl office {{ 198.51.100.0/24; 127.0.0.0/8; }};
options {{
    directory "/var/cache/bind";
    listen-on {{ any; }};
    listen-on-v6 {{ any; }};
    recursion yes;
    allow-recursion {{ office; }};
    allow-transfer {{ 198.51.100.21; key office; }};
    forward only;
    forwarders {{ 127.0.0.1 port 5300; }};
    dnssec-validation no;
    rate-limit {{ responses-per-second 30; exempt-clients {{ office; }}; }};
}};
controls {{ inet * port 953 allow {{ office; }} keys {{ "rndc-key"; }}; }};
include "/etc/bind/rndc.key";
logging {{
    channel queries {{ file "/var/log/named/queries.log" versions 3 size 20m; print-time yes; print-category yes; print-severity yes; }};
    category queries {{ queries; }};
}};
zone "example.org" {{
    type primary; file "/var/lib/bind/example.org"; allow-update {{ key office; }};
}};
zone "intern.example.org" {{ type primary; file "/var/lib/bind/intern"; allow-query {{ office; }}; }};
"""
# What the office's resolver forwards to: an Internet of one wildcard.
INTERNET = """options {
    directory "/tmp"; listen-on port 5300 { 127.0.0.1; }; listen-on-v6 { none; }; recursion no; pid-file none;
    dnssec-validation no;
};
controls { };
zone "." { type primary; file "/etc/bind/internet"; };
"""
HEAD = """$TTL 3600
@ IN SOA ns1.example.org. hostmaster.example.org. ( 2026110101 7200 3600 1209600 3600 )
@ IN NS ns1.example.org.
"""


@SERVICE.prepared
def prepare(machine):
    machine.write("/etc/bind/named.conf", OPTIONS)
    machine.write("/etc/bind/internet.conf", INTERNET)
    machine.write("/etc/bind/internet", HEAD + "* IN A 192.0.2.80\nns1.example.org. IN A 198.51.100.10\n")
    hosts = "".join(f"{name} IN A 198.51.100.10\n" for name in ("ns1", "www", "mail", "files", "vpn"))
    machine.write("/var/lib/bind/example.org", HEAD + "@ IN MX 10 mail\n" + hosts, owner="bind")
    machine.write("/var/lib/bind/intern", HEAD + "wiki IN A 198.51.100.30\n", owner="bind")
    machine.run("install", "-d", "-o", "bind", "-g", "bind", "/run/named", "/var/log/named")


@SERVICE.started
def start(machine):
    machine.daemon("named", "-g", "-c", "/etc/bind/internet.conf", port=5300, output="internet")
    machine.daemon("named", "-f", "-u", "bind", "-c", "/etc/bind/named.conf", port=953)


def denied(session, address, act, *question):
    """One question that must be refused."""
    text = dns.dig(session, address, *question)
    assert "REFUSED" in text or "Transfer failed" in text, text
    session.acted(address, act)


def update(session, address, lines, key=None):
    """One dynamic update; returns what nsupdate says."""
    text = f"server {SERVER}\nlocal {address}\nzone example.org\n{lines}\nsend\n"
    return session.command(address, "nsupdate", *(["-y", f"hmac-sha256:{key}"] if key else []), stdin=text).stdout


def control(session, address, key, command):
    """One command to the control channel, with a key file of the client's own."""
    session.machine.write("/tmp/rndc.key", f'key "rndc-key" {{ algorithm hmac-sha256; secret "{key}"; }};\n')
    return session.command(address, "rndc", "-b", address, "-s", SERVER, "-k", "/tmp/rndc.key", command).stdout


@SERVICE.benign
def benign(session):
    """Resolvers elsewhere ask for the zone; the office resolves, transfers and updates; somebody asks for what is not
    theirs once; a monitor asks; reload and restart."""
    for address in (ROAD[0], ROAD[1], ROAD6[0]):
        for words in (["www.example.org", "A"], ["example.org", "MX"], ["www.example.org", "AAAA"], ["example.org", "NS"]):
            assert "NOERROR" in dns.dig(session, address, *words)
    assert "NXDOMAIN" in dns.dig(session, ROAD[1], "ww.example.org", "A")
    for number in range(12):
        assert "192.0.2.80" in dns.dig(session, OFFICE[number % 3], f"site{number}.example", "A")
    assert "198.51.100.30" in dns.dig(session, OFFICE[0], "wiki.intern.example.org", "A")
    # A laptop that still has the office's resolver when its owner is on the road.
    denied(session, ROAD[2], "recursion denied", "news.example", "A")
    denied(session, ROAD[2], "query denied", "wiki.intern.example.org", "A")
    assert "XFR size" in dns.dig(session, OFFICE[1], "example.org", "AXFR", "+tcp")
    answer = update(session, OFFICE[0], "update add desk20.example.org 300 A 198.51.100.20", f"office:{KEY}")
    assert "failed" not in answer, answer
    for _ in range(2):
        dns.dig(session, OFFICE[9], "example.org", "SOA")
        session.drop(OFFICE[9], 53, 1, read_banner=False)
    session.machine.run("rndc", "freeze", "example.org")
    session.machine.run("rndc", "thaw", "example.org")
    session.machine.run("rndc", "reload")
    session.machine.restart()
    for number in range(4):
        dns.dig(session, OFFICE[0], f"shop{number}.example", "A")
    dns.dig(session, ROAD[0], "vpn.example.org", "A")


@SERVICE.attack(TRANSFERRER)
def zone_transfer(session):
    """One address asks for whole zones."""
    for number in range(12):
        zone = ("example.org", "intern.example.org")[number % 2]
        denied(session, TRANSFERRER, "zone transfer denied", zone, "AXFR" if number % 3 else "IXFR=1", "+tcp")


@SERVICE.attack(TRANSFERRER6)
def zone_transfer_over_ipv6(session):
    """One address of version 6 asks for a whole zone."""
    for _ in range(12):
        denied(session, TRANSFERRER6, "zone transfer denied", "example.org", "AXFR", "+tcp")


@SERVICE.attack(RESOLVER)
def open_resolver(session):
    """One address tries to use the server as an open resolver, with questions whose answers are large."""
    for number in range(14):
        words = ("isc.example", "ANY") if number % 2 else (f"victim{number}.example", "TXT")
        denied(session, RESOLVER, "recursion denied", *words)


@SERVICE.attack(RESOLVER6)
def open_resolver_over_ipv6(session):
    """One address of version 6 tries to use the server as an open resolver."""
    for number in range(12):
        denied(session, RESOLVER6, "recursion denied", f"victim{number}.example", "A")


@SERVICE.attack(UPDATER)
def updates(session):
    """One address tries to change the zone without a key."""
    for number in range(12):
        answer = update(session, UPDATER, f"update add mail{number}.example.org 60 A {UPDATER}")
        assert "REFUSED" in answer, answer
        session.acted(UPDATER, "update denied")


@SERVICE.attack(FORGER)
def forged_keys(session):
    """One address tries keys for updates and transfers: wrong secrets for the right name, and other names."""
    for number in range(12):
        key = dns.guessed_key(number)
        if number < 6:
            answer = update(session, FORGER, "update delete www.example.org", key)
        else:
            answer = dns.dig(session, FORGER, "example.org", "AXFR", "+tcp", "-y", f"hmac-sha256:{key}")
        assert "BADKEY" in answer or "BADSIG" in answer or "failed" in answer or "REFUSED" in answer, answer
        session.refused(FORGER)


@SERVICE.attack(COUNTER)
def enumeration(session):
    """One address tries names of the zone, and of the inner zone, which is the office's alone."""
    for name in ["admin", "dev", "test", "staging", "backup", "db", "git", "jenkins", "owa", "remote", "intranet", "ldap"]:
        assert "NXDOMAIN" in dns.dig(session, COUNTER, f"{name}.example.org", "A")
        session.acted(COUNTER, "name probed")
        denied(session, COUNTER, "query denied", f"{name}.intern.example.org", "A")


dns.flood(SERVICE, FLOODER, ["example.org"] * 80, 0.02)
dns.notifies(SERVICE, NOTIFIER, ["example.org"])


@SERVICE.attack(CONTROLLER)
def control_channel(session):
    """One address tries the control channel, which is the office's alone."""
    for _ in range(10):
        answer = control(session, CONTROLLER, "Z3Vlc3NlZA==", "status")
        assert "connection" in answer, answer
        session.acted(CONTROLLER, "command channel denied")


@SERVICE.attack(VERSION)
def version(session):
    """One address asks for the server's version and name, as scanners do."""
    for _ in range(5):
        for name in ("version.bind", "hostname.bind", "id.server"):
            dns.dig(session, VERSION, name, "CH", "TXT")
            session.acted(VERSION, "version asked")


dns.malformed(SERVICE, RAW)
