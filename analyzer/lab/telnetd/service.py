"""The telnet daemon of GNU inetutils behind inetd and TCP wrappers, as its package enters it there; login and PAM log to
syslog. The delays after refused logins are off, for the sessions' sake."""

import telnetlib

from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6, SERVER6
from runner.definition import Log, Service

SERVICE = Service(
    title="GNU inetutils telnetd, telnet server",
    packages=["inetutils-telnetd", "openbsd-inetd", "tcpd"],
    hostname="console",
    logs=[Log("syslog")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, ROOT, PATIENT, DROPPER, BARRED, RAW = ATTACKERS[:8]
GUESSER6, NAMED = ATTACKERS6[0], ATTACKERS[-1]


@SERVICE.prepared
def prepare(machine):
    for name, password in ACCOUNTS.items():
        machine.account(name, password)
    machine.run("chpasswd", stdin="root:Wurzel-Stein-44\n")
    machine.write("/etc/default/locale", "LANG=C.UTF-8\n")
    machine.replace("/etc/pam.d/common-auth", "pam_unix.so nullok", "pam_unix.so nullok nodelay")
    machine.replace("/etc/pam.d/login", "delay=3000000", "delay=0")
    machine.write("/etc/hosts.deny", f"telnetd: {BARRED}\n")
    machine.write("/etc/inetd.conf", "".join(
        f"telnet\tstream\t{protocol}\tnowait\troot\t/usr/sbin/tcpd\t/usr/sbin/telnetd\n" for protocol in ("tcp", "tcp6")))


@SERVICE.started
def start(machine):
    machine.daemon("inetd", "-i", "-R", "1000", port=23)


def telnet(session, address):
    """A connection."""
    with session.client(address):
        return telnetlib.Telnet(SERVER6 if ":" in address else session.server, 23, 30)


def say(connection, account, password):
    """Answers both questions."""
    for question, answer in ((b"login: ", account), (b"Password: ", password)):
        assert connection.read_until(question, 20).endswith(question)
        connection.write(answer.encode() + b"\n")


def attempt(session, address, account, password, tries=1):
    """One connection with refused logins."""
    connection = telnet(session, address)
    for number in range(tries):
        say(connection, account, f"{password}{number or ''}")
        assert b"incorrect" in connection.read_until(b"incorrect", 20)
        session.refused(address)
    connection.close()


def attempts(session, address, pairs):
    """Refused logins, several at once."""
    session.at_once(lambda pair: attempt(session, address, *pair), pairs)


def work(session, address, account, polite=True):
    """A login with a command."""
    connection = telnet(session, address)
    say(connection, account, ACCOUNTS[account])
    assert connection.read_until(b"$ ", 20).endswith(b"$ ")
    session.logged_in(address)
    connection.write(b"uptime\n")
    connection.read_until(b"$ ", 20)
    if polite:
        connection.write(b"exit\n")
        connection.read_all()
    connection.close()


@SERVICE.benign
def benign(session):
    """Three people work; one mistypes a password, one an account; one line breaks; a monitor connects; the daemon restarts."""
    for _ in range(3):
        work(session, OFFICE[0], "anna")
        work(session, OFFICE[1], "carla")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    attempt(session, ROAD6[0], "cralla", ACCOUNTS["carla"])
    work(session, ROAD6[0], "carla")
    session.drop(OFFICE[9], 23, 3)
    work(session, ROAD[1], "anna", polite=False)
    session.machine.restart()
    work(session, OFFICE[0], "anna")
    work(session, OFFICE[1], "carla")
    work(session, ROAD[1], "bruno")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    attempts(session, GUESSER, [("anna", f"anna{number}") for number in range(12)])


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address tries passwords for one account."""
    attempts(session, GUESSER6, [("bruno", f"bruno{number}") for number in range(12)])


@SERVICE.attack(NAMED)
def guess_from_a_named_host(session):
    """One address that has a name tries passwords for one account."""
    attempts(session, NAMED, [("carla", f"carla{number}") for number in range(12)])


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    names = [*ACCOUNTS, "root", "www-data", "backup", "daemon", "mail", "news", "games", "admin", "support"]
    attempts(session, SPRAYER, [(name, "Winter2026!") for name in names])


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries the accounts that devices are delivered with and that do not exist here."""
    names = ["admin", "support", "guest", "ubnt", "pi", "user", "cisco", "default", "service", "tech", "telecomadmin"]
    attempts(session, STRANGER, [(name, name) for name in names])


@SERVICE.attack(ROOT)
def root(session):
    """One address tries the passwords for root that devices are delivered with."""
    words = ["root", "admin", "12345", "123456", "vizxv", "xc3511", "888888", "juantech", "default", "54321", "pass",
             "7ujMko0admin"]
    attempts(session, ROOT, [("root", word) for word in words])


@SERVICE.attack(PATIENT)
def several_per_connection(session):
    """One address tries passwords until the server ends the connection."""
    session.at_once(lambda account: attempt(session, PATIENT, account, "spring", tries=4), ["bruno", "admin", "anna"])


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects and leaves before it logs in."""
    session.drop(DROPPER, 23, 15)


@SERVICE.attack(BARRED)
def address_denied(session):
    """One address, which the wrappers deny, connects."""
    def knock(number):
        with session.connect(BARRED, 23) as connection:
            try:
                assert connection.recv(256) == b""
            except ConnectionError:
                pass
        session.acted(BARRED, "address denied")

    session.at_once(knock, range(12), workers=12)


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no telnet, and answers without a login."""
    probes = [b"GET / HTTP/1.0\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"SSH-2.0-probe\r\n",
              b"\xff\xfa\x18\x00" + b"A" * 300 + b"\xff\xf0", b"\n\n\n\n", b"a" * 300 + b"\n"]

    def probe(words):
        with session.connect(RAW, 23, timeout=2) as connection:
            try:
                connection.recv(256)
                connection.sendall(words)
                while connection.recv(256):
                    pass
            except OSError:
                pass
        session.acted(RAW, "malformed request")

    session.at_once(probe, probes * 2)
