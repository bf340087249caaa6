"""The network of a laboratory: the server in a namespace of its own, behind a pair of virtual interfaces, and clients
with documentation addresses (RFC 5737, RFC 3849) on the other side, where the sessions run."""

import contextlib
import socket
import subprocess
import threading

SERVER = "198.51.100.10"
SERVER6 = "2001:db8::10"
# The server's own network, and places that employees and customers connect from.
OFFICE = [f"198.51.100.{host}" for host in range(20, 30)]
ROAD = [f"192.0.2.{host}" for host in range(20, 40)]
ROAD6 = [f"2001:db8:cafe::{host}" for host in range(20, 24)]
ATTACKERS = [f"203.0.113.{host}" for host in range(10, 60)]
ATTACKERS6 = [f"2001:db8:bad::{host}" for host in range(10, 14)]
# Names that reverse look-ups find: most attackers have none.
NAMES = {"198.51.100.20": "desk20.example.net", "192.0.2.20": "dsl-20.isp.example", "203.0.113.59": "vps59.example.com"}
IN_SERVER = ["nsenter", "--net=/run/netns/server"]

_client = threading.local()
_route = threading.Lock()
_create_connection = socket.create_connection


def ip(lines):
    """Runs commands of iproute2."""
    subprocess.run(["ip", "-batch", "-"], input="\n".join(lines) + "\n", text=True, check=True)


def set_up(hostname):
    """Makes both sides and their names."""
    ip(["netns add server"])
    ip(["link add eth0 type veth peer name eth0 netns server", "link set lo up", "link set eth0 up"])
    ip([f"addr add {address}/24 dev eth0" for address in OFFICE + ROAD + ATTACKERS])
    ip([f"addr add {address}/32 dev eth0 nodad" for address in ROAD6 + ATTACKERS6])
    ip(["route add 2001:db8::/64 dev eth0"])
    server = ["link set lo up", "link set eth0 up", f"addr add {SERVER}/24 dev eth0",
              f"addr add {SERVER6}/32 dev eth0 nodad",
              "route add 192.0.2.0/24 dev eth0", "route add 203.0.113.0/24 dev eth0"]
    subprocess.run(["ip", "-netns", "server", "-batch", "-"], input="\n".join(server) + "\n", text=True, check=True)
    lines = ["127.0.0.1 localhost", "::1 localhost", f"{SERVER} {hostname}.example.org {hostname}"]
    with open("/etc/hosts", "w", encoding="ascii") as hosts:
        hosts.write("\n".join(lines + [f"{address} {name}" for address, name in NAMES.items()]) + "\n")
    # A resolver that refuses at once: what is not in the file above has no name.
    with open("/etc/resolv.conf", "w", encoding="ascii") as resolver:
        resolver.write("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
    socket.create_connection = connect_from_client


def connect_from_client(address, timeout=10, source_address=None, **options):
    """`socket.create_connection` for the standard library's clients: from the thread's client, with a time limit."""
    source = source_address or ((_client.address, 0) if getattr(_client, "address", None) else None)
    if not isinstance(timeout, (int, float)):
        timeout = 10
    return _create_connection(address, timeout, source, **options)


@contextlib.contextmanager
def client(address):
    """Every connection that this thread opens through the standard library comes from this address."""
    before = getattr(_client, "address", None)
    _client.address = address
    try:
        yield
    finally:
        _client.address = before


@contextlib.contextmanager
def default_source(address):
    """Programs that choose no source address take this one. One at a time: it is a route of all."""
    with _route:
        if ":" in address:
            ip([f"route replace 2001:db8::/64 dev eth0 src {address}"])
        else:
            ip([f"route replace {SERVER}/32 dev eth0 src {address}"])
        yield


def listening(port, protocol="tcp"):
    """Whether the server listens on a port, without a connection that it would log."""
    tables = [f"/proc/net/{protocol}", f"/proc/net/{protocol}6"]
    text = subprocess.run([*IN_SERVER, "cat", *tables], capture_output=True, text=True, check=True).stdout
    state = "0A" if protocol == "tcp" else "07"
    rows = [line.split() for line in text.splitlines() if ":" in line]
    return any(row[1].endswith(f":{port:04X}") and row[3] == state for row in rows if len(row) > 3)
