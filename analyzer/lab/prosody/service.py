"""Prosody with accounts of its own and closed registration, logging at level info to its file as its package does.
`mod_log_auth` is on, as its manual says for tools that block addresses: without it no address is written. It
writes them with refused logins only, so the other attacks have no address."""

from runner import web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service
from runner.xmpp import Refused, Stream

SERVICE = Service(
    title="Prosody, XMPP server",
    packages=["prosody", "prosody-modules", "lua-unbound"],
    hostname="chat",
    logs=[Log("prosody", "/var/log/prosody/prosody.log")],
)
DOMAIN = "example.org"
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, PATIENT, REGISTRAR, SERVER, RAW, DROPPER = ATTACKERS[:8]
GUESSER6 = ATTACKERS6[0]


@SERVICE.prepared
def prepare(machine):
    machine.write("/etc/prosody/prosody.cfg.lua", f"""plugin_paths = {{ "/usr/lib/prosody/modules" }}
modules_enabled = {{ "disco", "roster", "saslauth", "tls", "blocklist", "carbons", "private", "vcard4", "version",
    "uptime", "time", "ping", "register", "admin_shell", "offline", "log_auth" }}
allow_registration = false
c2s_require_encryption = true
s2s_require_encryption = true
authentication = "internal_hashed"
pidfile = "/run/prosody/prosody.pid"
log = {{ info = "/var/log/prosody/prosody.log" }}
certificates = "certs"
VirtualHost "{DOMAIN}"
    ssl = {{ key = "/etc/prosody/certs/{DOMAIN}.key"; certificate = "/etc/prosody/certs/{DOMAIN}.crt"; }}
Component "rooms.{DOMAIN}" "muc"
""")
    machine.run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "400", "-subj", f"/CN={DOMAIN}",
                "-keyout", f"/etc/prosody/certs/{DOMAIN}.key", "-out", f"/etc/prosody/certs/{DOMAIN}.crt")
    machine.run("chown", "-R", "prosody:prosody", "/etc/prosody/certs", "/var/lib/prosody")
    machine.run("install", "-d", "-o", "prosody", "/run/prosody", "/var/log/prosody")
    for name, word in ACCOUNTS.items():
        machine.run("prosodyctl", "register", name, DOMAIN, word)


@SERVICE.started
def start(machine):
    machine.daemon("setpriv", "--reuid=prosody", "--regid=prosody", "--clear-groups", "prosody", "-F", port=5222)


def attempt(session, address, account, password, tries=1):
    """One connection with refused logins."""
    with Stream(session, address, DOMAIN) as stream:
        for number in range(tries):
            guess = f"{password}{number or ''}"
            session.expect_refusal(address, lambda guess=guess: stream.login(account, guess), Refused)


def work(session, address, account):
    """A login, a message to oneself, and the end."""
    with Stream(session, address, DOMAIN) as stream:
        stream.login(account, ACCOUNTS[account])
        session.logged_in(address)
        stream.start()
        stream.send("<iq type='get' id='2'><query xmlns='jabber:iq:roster'/></iq>", r"<iq[^>]*id='2'")
        stream.send(f"<message to='{account}@{DOMAIN}' type='chat'><body>note</body></message>", r"</message>")
        stream.leave()


@SERVICE.benign
def benign(session):
    """People log in and write; one mistypes; clients lose their connection; a monitor connects and leaves; reload and restart."""
    for _ in range(3):
        work(session, OFFICE[0], "anna")
        work(session, ROAD6[0], "carla")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    for _ in range(2):
        with Stream(session, ROAD[1], DOMAIN) as stream:
            stream.login("bruno", ACCOUNTS["bruno"])
            session.logged_in(ROAD[1])
            stream.start()
    session.drop(OFFICE[9], 5222, 3, read_banner=False)
    session.machine.reload()
    work(session, OFFICE[0], "anna")
    session.machine.restart()
    for account, address in (("anna", OFFICE[0]), ("bruno", ROAD[0]), ("carla", ROAD6[0])):
        work(session, address, account)


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}"), range(14))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    names = [*ACCOUNTS, "admin", "root", "test", "office", "sales", "info", "user", "guest", "backup"]
    session.at_once(lambda name: attempt(session, SPRAYER, name, "Winter2026!"), names)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist."""
    names = ["admin", "administrator", "root", "test", "bot", "jabber", "user", "guest", "demo", "xmpp", "support"]
    session.at_once(lambda name: attempt(session, STRANGER, name, name), names)


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One address of version 6 tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER6, "bruno", f"bruno{number}"), range(12))


@SERVICE.attack(PATIENT)
def several_per_connection(session):
    """One address tries three passwords in each connection."""
    session.at_once(lambda number: attempt(session, PATIENT, "carla", f"carla{number}-", 3), range(4))


@SERVICE.attack(host="chat")
def registration(session):
    """One address tries to register accounts, which is closed."""
    for number in range(12):
        with Stream(session, REGISTRAR, DOMAIN) as stream:
            answer = stream.send("<iq type='set' id='r'><query xmlns='jabber:iq:register'>"
                                 f"<username>sp{number}</username><password>x{number}</password></query></iq>",
                                 r"</iq>|</stream:stream>")
            assert "error" in answer, answer
            session.acted(REGISTRAR, "registration denied")


@SERVICE.attack(host="chat")
def foreign_servers(session):
    """One address speaks to the port of servers, for domains that are not here and without encryption."""
    for number in range(6):
        for domain in (f"other{number}.example", DOMAIN):
            with Stream(session, SERVER, domain, 5269, encrypted=False, namespace="jabber:server") as stream:
                # The server may leave a stanza without an answer.
                stream.connection.settimeout(0.3)
                stream.send("<message from='spam@spam.example' to='anna@example.org'><body>x</body></message>",
                            r"</stream:stream>")
            session.acted(SERVER, "server stream refused")


@SERVICE.attack(host="chat")
def malformed(session):
    """One address sends what is no XMPP, or streams to domains that are not here."""
    lines = [b"GET / HTTP/1.1\r\nHost: chat\r\n\r\n", b"\x16\x03\x01\x00\x6c\x01\x00", b"<stream>", b"<a/>", b"\xff\xfe\x00",
             b"<?xml version='1.0'?><stream:stream xmlns='jabber:client' to='nowhere.example' version='1.0' "
             b"xmlns:stream='http://etherx.jabber.org/streams'>"]
    for data in lines * 2:
        web.raw(session, RAW, 5222, data)
        session.acted(RAW, "malformed stream")


@SERVICE.attack(host="chat")
def connect_and_drop(session):
    """One address connects and leaves, without a word or after the encryption began."""
    session.drop(DROPPER, 5222, 7, read_banner=False)
    for _ in range(7):
        with Stream(session, DROPPER, DOMAIN):
            session.acted(DROPPER, "closed before login")
