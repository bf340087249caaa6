"""strongSwan with IKEv2 by EAP and by pre-shared keys, logging to syslog as it does unless told otherwise.

The clients are a second daemon on the other side of the network, to which each session gives its configuration."""

import os
import socket
import subprocess

from runner.network import ATTACKERS, ATTACKERS6, ROAD, ROAD6, SERVER, SERVER6
from runner.definition import Log, Service

SERVICE = Service(
    title="strongSwan, IKE server",
    packages=["strongswan-charon", "strongswan-swanctl", "libcharon-extra-plugins", "libcharon-extauth-plugins",
              "libstrongswan-standard-plugins", "strongswan-pki"],
    hostname="ike",
    logs=[Log("syslog")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
BRANCH, BRANCH_KEY = "branch.example.org", "Granit-Mole-Kran-14"
GUESSER, SPRAYER, STRANGER, KEYS, PEERS, OLD, WEAK, RAW = ATTACKERS[:8]
GUESSER6 = ATTACKERS6[0]
CLIENT = "unix:///tmp/client.vici"


def pki(machine, path, *arguments):
    """Makes a key or a certificate."""
    machine.run("sh", "-c", 'path=$1; shift; pki "$@" --outform pem >"$path"', "pki", path, *arguments)


@SERVICE.prepared
def prepare(machine):
    root = "/etc/swanctl"
    for name in ("ca", "server"):
        pki(machine, f"{root}/private/{name}.pem", "--gen", "--type", "ecdsa")
    pki(machine, f"{root}/x509ca/ca.pem", "--self", "--ca", "--type", "ecdsa", "--in", f"{root}/private/ca.pem",
        "--dn", "CN=Office CA")
    pki(machine, f"{root}/x509/server.pem", "--issue", "--type", "priv", "--in", f"{root}/private/server.pem",
        "--cacert", f"{root}/x509ca/ca.pem", "--cakey", f"{root}/private/ca.pem", "--dn", "CN=ike.example.org",
        "--san", "ike.example.org", "--flag", "serverAuth")
    secrets = "".join(f'  eap-{name} {{\n    id = {name}\n    secret = "{word}"\n  }}\n' for name, word in ACCOUNTS.items())
    machine.write(f"{root}/conf.d/office.conf", f"""connections {{
  road {{
    version = 2
    pools = road
    local {{
      auth = pubkey
      certs = server.pem
      id = ike.example.org
    }}
    remote {{
      auth = eap-mschapv2
    }}
    children {{
      net {{
        local_ts = 10.1.0.0/16
      }}
    }}
  }}
  branch {{
    version = 2
    local {{
      auth = psk
      id = ike.example.org
    }}
    remote {{
      auth = psk
      id = {BRANCH}
    }}
    children {{
      net {{
        local_ts = 10.1.0.0/16
        remote_ts = 10.2.0.0/16
      }}
    }}
  }}
}}
pools {{
  road {{
    addrs = 10.9.0.0/24
  }}
}}
secrets {{
{secrets}  ike-branch {{
    id = {BRANCH}
    secret = "{BRANCH_KEY}"
  }}
}}
""")
    # Packets are encrypted by the daemon, since not every host's kernel can.
    machine.write("/etc/strongswan.d/charon/kernel-libipsec.conf", "kernel-libipsec {\n  load = yes\n}\n")
    machine.write("/etc/lab/client.conf", f"""charon {{
  load_modular = yes
  retransmit_tries = 1
  retransmit_timeout = 1.0
  plugins {{
    include /etc/strongswan.d/charon/*.conf
    vici {{
      socket = {CLIENT}
    }}
  }}
  syslog {{
    daemon {{
      default = -1
    }}
    auth {{
      default = -1
    }}
  }}
}}
""")
    # Certificates are looked for beside the configuration.
    machine.run("cp", "-r", f"{root}/x509ca", "/etc/lab/x509ca")
    # Each side has an address in its own network.
    machine.run("ip", "addr", "add", "10.1.0.1/16", "dev", "lo")
    subprocess.run(["ip", "addr", "add", "10.2.0.1/16", "dev", "lo"], check=True)
    subprocess.Popen(["/usr/lib/ipsec/charon"], env={**os.environ, "STRONGSWAN_CONF": "/etc/lab/client.conf"},
                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    machine.wait(lambda: os.path.exists("/tmp/client.vici"), "the clients' daemon")
    # The server would not start beside another daemon.
    os.unlink("/run/charon.pid")


@SERVICE.started
def start(machine):
    machine.daemon("/usr/lib/ipsec/charon", port=500, protocol="udp", path="/run/charon.vici")
    machine.run("swanctl", "--load-all")


def swanctl(*arguments):
    """Asks the clients' daemon."""
    return subprocess.run(["swanctl", *arguments, "--uri", CLIENT], capture_output=True, text=True, check=False, timeout=30)


def connect(session, address, identity, secret, by="eap-mschapv2", version=2, **options):
    """Connects, and leaves where that succeeds. Returns whether it did."""
    kind = "ike" if by == "psk" else "eap"
    server = SERVER6 if ":" in address else SERVER
    more = "".join(f"    {name} = {value}\n" for name, value in options.items())
    virtual = "" if by == "psk" else "    vips = 0.0.0.0\n"
    session.machine.write("/etc/lab/office.conf", f"""connections {{
  office {{
    version = {version}
    local_addrs = {address}
    remote_addrs = {server}
{virtual}{more}    local {{
      auth = {by}
      id = "{identity}"
    }}
    remote {{
      auth = {"psk" if by == "psk" else "pubkey"}
      id = ike.example.org
    }}
    children {{
      net {{
        local_ts = {"10.2.0.0/16" if by == "psk" else "dynamic"}
        remote_ts = 10.1.0.0/16
      }}
    }}
  }}
}}
secrets {{
  {kind}-one {{
    id = "{identity}"
    secret = "{secret}"
  }}
}}
""", 0o600)
    loaded = swanctl("--load-all", "--clear", "--file", "/etc/lab/office.conf")
    assert loaded.returncode == 0, loaded.stdout + loaded.stderr
    done = swanctl("--initiate", "--child", "net", "--timeout", "6")
    stands = done.returncode == 0
    swanctl("--terminate", "--ike", "office", "--timeout", "2")
    return stands


def attempt(session, address, identity, secret, **how):
    """One refused login."""
    assert not connect(session, address, identity, secret, **how)
    session.refused(address)


def work(session, address, account):
    """One login by EAP."""
    assert connect(session, address, account, ACCOUNTS[account])
    session.logged_in(address)


def branch(session, address):
    """One connection of the branch, by a pre-shared key."""
    assert connect(session, address, BRANCH, BRANCH_KEY, by="psk")
    session.logged_in(address)


@SERVICE.benign
def benign(session):
    """Three people and a branch connect; one mistypes a password; reload and restart."""
    branch(session, ROAD[9])
    work(session, ROAD[0], "anna")
    work(session, ROAD6[0], "carla")
    attempt(session, ROAD[1], "bruno", "Tal-Birke-13")
    work(session, ROAD[1], "bruno")
    session.machine.reload()
    session.machine.run("swanctl", "--load-all")
    work(session, ROAD[2], "carla")
    session.machine.restart()
    branch(session, ROAD[9])
    work(session, ROAD[0], "anna")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    for number in range(12):
        attempt(session, GUESSER, "anna", f"anna{number}")


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address tries passwords for one account."""
    for number in range(12):
        attempt(session, GUESSER6, "bruno", f"bruno{number}")


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    for name in [*ACCOUNTS, "root", "admin", "backup", "office", "sales", "support", "vpn", "guest", "test"]:
        attempt(session, SPRAYER, name, "Winter2026!")


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist."""
    for name in ["admin", "test", "oracle", "user", "cisco", "guest", "administrator", "vpnuser",
                 "admin@example.org", "root", "pi"]:
        attempt(session, STRANGER, name, name)


@SERVICE.attack(KEYS)
def guess_the_shared_key(session):
    """One address tries pre-shared keys of the branch."""
    for number in range(12):
        attempt(session, KEYS, BRANCH, f"secret{number}", by="psk")


@SERVICE.attack(PEERS)
def unknown_peers(session):
    """One address tries names of branches that do not exist, by pre-shared keys."""
    for number in range(12):
        attempt(session, PEERS, f"site{number}.example.org", "secret", by="psk")


@SERVICE.attack(OLD)
def old_version(session):
    """One address asks for IKEv1, by main and by aggressive mode, which the server does not offer."""
    for number in range(10):
        assert not connect(session, OLD, BRANCH, "secret", by="psk", version=1, aggressive="yes" if number % 2 else "no")
        session.acted(OLD, "no common method")


@SERVICE.attack(WEAK)
def no_common_method(session):
    """One address offers only methods that the server does not take."""
    for _ in range(10):
        assert not connect(session, WEAK, "anna", "x", proposals="3des-md5-modp1024")
        session.acted(WEAK, "no common method")


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no IKE."""
    header = bytes(range(1, 9)) + bytes(8)
    packets = [b"GET / HTTP/1.0\r\n\r\n", header + b"\x21\x20\x22\x08" + bytes(4) + b"\x00\x00\x00\x1c",
               header + b"\x21\x20\x22\x08" + bytes(4) + b"\x00\x00\x00\x40" + b"\xff" * 36,
               header + b"\x01\x30\x02\x00" + bytes(4) + b"\x00\x00\x00\x1c", bytes(28)]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.bind((RAW, 0))
        for packet in packets * 3:
            client.sendto(packet, (SERVER, 500))
            session.acted(RAW, "malformed request")
