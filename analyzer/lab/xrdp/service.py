"""xrdp with its session manager and PAM; their logs at the levels that the package sets, which go to files and to syslog.
PAM's delay after refused logins is off, for the sessions' sake. The sessions are Xvnc's, and show nothing."""

import os
import subprocess

from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6, SERVER6, default_source
from runner.definition import Log, Service

SERVICE = Service(
    title="xrdp, RDP server",
    packages=["xrdp", "tigervnc-standalone-server", "freerdp2-x11"],
    hostname="terminal",
    logs=[Log("xrdp", "/var/log/xrdp.log"), Log("sesman", "/var/log/xrdp-sesman.log"), Log("syslog")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, ROOT, DROPPER, SCANNER, RAW = ATTACKERS[:7]
GUESSER6 = ATTACKERS6[0]
PORT = 3389
DISPLAY = ":9"


@SERVICE.prepared
def prepare(machine):
    for name, word in ACCOUNTS.items():
        machine.account(name, word)
    machine.replace("/etc/pam.d/common-auth", "pam_unix.so nullok", "pam_unix.so nullok nodelay")
    machine.write("/etc/default/locale", "LANG=C.UTF-8\n")
    machine.replace("/etc/xrdp/xrdp.ini", "\nautorun=\n", "\nautorun=Xvnc\n")
    machine.replace("/etc/xrdp/sesman.ini", "AllowRootLogin=true", "AllowRootLogin=false")
    machine.write("/etc/xrdp/startwm.sh", "#!/bin/sh\nexec sleep 600\n", 0o755)
    machine.run("mkdir", "-p", "-m", "1777", "/tmp/.X11-unix")
    # The clients' screen.
    subprocess.Popen(["Xtigervnc", DISPLAY, "-SecurityTypes", "None", "-rfbport", "5999"], stdin=subprocess.DEVNULL,
                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    machine.wait(lambda: os.path.exists("/tmp/.X11-unix/X9"), "the clients' screen")


@SERVICE.started
def start(machine):
    machine.run("sh", "/usr/share/xrdp/socksetup")
    machine.daemon("xrdp-sesman", "--nodaemon", port=3350, output="sesman")
    machine.daemon("xrdp", "--nodaemon", port=PORT, output="xrdp")


def rdp(address, account, password, seconds):
    """A real client that stays for some seconds; `default_source` says where it comes from."""
    server = f"[{SERVER6}]" if ":" in address else "198.51.100.10"
    return subprocess.run(["timeout", str(seconds), "xfreerdp", f"/v:{server}", f"/u:{account}", f"/p:{password}", "/cert:ignore",
                           "/sec:tls", "/size:640x480", "/client-hostname:notebook"],
                          env={**os.environ, "DISPLAY": DISPLAY}, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False).stdout


def attempts(session, address, pairs):
    """Refused logins from an address, several at once; the server leaves the client at its window for logins."""
    def one(pair):
        rdp(address, *pair, 4)
        session.refused(address)

    with default_source(address):
        session.at_once(one, pairs)


def work(session, address, account):
    """A login that stays for a while."""
    with default_source(address):
        rdp(address, account, ACCOUNTS[account], 5)
    session.logged_in(address)


@SERVICE.benign
def benign(session):
    """Three people work, and take their sessions up again; one mistypes a password; a monitor connects; restart."""
    work(session, OFFICE[0], "anna")
    work(session, ROAD6[0], "carla")
    attempts(session, ROAD[0], [("bruno", "Tal-Birke-13")])
    work(session, ROAD[0], "bruno")
    session.drop(OFFICE[9], PORT, 2, read_banner=False)
    work(session, ROAD[1], "anna")
    session.machine.restart()
    work(session, OFFICE[0], "anna")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    attempts(session, GUESSER, [("anna", f"anna{number}") for number in range(10)])


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address tries passwords for one account."""
    attempts(session, GUESSER6, [("bruno", f"bruno{number}") for number in range(10)])


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    names = [*ACCOUNTS, "root", "www-data", "backup", "daemon", "mail", "Administrator", "support", "sales", "office"]
    attempts(session, SPRAYER, [(name, "Winter2026!") for name in names])


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist."""
    names = ["Administrator", "admin", "test", "user", "guest", "EXAMPLE\\admin", "scanner", "pos", "reception",
             "backup1"]
    attempts(session, STRANGER, [(name, "Passw0rd") for name in names])


@SERVICE.attack(ROOT)
def root(session):
    """One address tries passwords for root, whose logins are off."""
    attempts(session, ROOT, [("root", f"toor{number}") for number in range(10)])


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects and leaves before it says anything."""
    session.drop(DROPPER, PORT, 12, read_banner=False)


@SERVICE.attack(SCANNER)
def scan(session):
    """One address asks which kinds of security the server has, as scanners do, and leaves."""
    for number in range(12):
        cookie = b"Cookie: mstshash=Administr\r\n"
        request = b"\xe0\x00\x00\x00\x00\x00" + cookie + b"\x01\x00\x08\x00" + bytes([[0, 1, 3, 11][number % 4], 0, 0, 0])
        length = len(request) + 5
        with session.connect(SCANNER, PORT) as connection:
            connection.sendall(b"\x03\x00" + length.to_bytes(2, "big") + bytes([len(request)]) + request)
            connection.recv(256)
        session.acted(SCANNER, "closed before login")


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no RDP."""
    probes = [b"GET / HTTP/1.0\r\n\r\n", b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00", b"SSH-2.0-probe\r\n",
              b"\x03\x00\xff\xff\xfe\xe0" + bytes(20)]

    def probe(words):
        with session.connect(RAW, PORT, timeout=2) as connection:
            try:
                connection.sendall(words)
                connection.recv(256)
            except OSError:
                pass
        session.acted(RAW, "malformed request")

    session.at_once(probe, probes * 3)
