"""ejabberd with accounts of its own and closed registration, and with `mod_fail2ban` as in its package's
configuration; the log at the default level, info."""

from runner import web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service
from runner.xmpp import Refused, Stream

SERVICE = Service(
    title="ejabberd, XMPP server",
    packages=["ejabberd", "openssl"],
    hostname="jabber",
    logs=[Log("ejabberd", "/var/log/ejabberd/ejabberd.log")],
)
DOMAIN = "example.org"
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, PATIENT, REGISTRAR, SERVER, RAW, DROPPER, BANNED, ADMIN = ATTACKERS[:10]
GUESSER6 = ATTACKERS6[0]


@SERVICE.prepared
def prepare(machine):
    machine.run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "400", "-subj", f"/CN={DOMAIN}",
                "-keyout", "/etc/ejabberd/key.pem", "-out", "/etc/ejabberd/cert.pem")
    pem = machine.run("cat", "/etc/ejabberd/key.pem", "/etc/ejabberd/cert.pem")
    machine.write("/etc/ejabberd/ejabberd.pem", pem, 0o640, "root:ejabberd")
    machine.write("/etc/ejabberd/ejabberd.yml", f"""hosts: ["{DOMAIN}"]
loglevel: info
certfiles: ["/etc/ejabberd/ejabberd.pem"]
listen:
  - {{port: 5222, ip: "::", module: ejabberd_c2s, max_stanza_size: 262144, shaper: c2s_shaper, access: c2s, starttls_required: true}}
  - {{port: 5269, ip: "::", module: ejabberd_s2s_in, max_stanza_size: 524288}}
  - {{port: 5280, ip: "::", module: ejabberd_http, request_handlers: {{"/admin": ejabberd_web_admin}}}}
s2s_use_starttls: required
auth_method: internal
acl:
  admin: {{user: ["anna@{DOMAIN}"]}}
  loopback: {{ip: ["127.0.0.0/8", "::1/128"]}}
access_rules:
  c2s: {{allow: all}}
  configure: {{allow: admin}}
  register: {{deny: all}}
shaper: {{normal: {{rate: 3000, burst_size: 20000}}, fast: 100000}}
shaper_rules: {{c2s_shaper: {{normal: all}}}}
modules:
  mod_disco: {{}}
  mod_fail2ban: {{}}
  mod_ping: {{}}
  mod_private: {{}}
  mod_register: {{access: register}}
  mod_roster: {{}}
  mod_vcard: {{}}
  mod_version: {{}}
""", 0o640, "root:ejabberd")
    machine.run("install", "-d", "-o", "ejabberd", "/run/ejabberd", "/var/log/ejabberd", "/var/lib/ejabberd")


@SERVICE.started
def start(machine):
    machine.daemon("ejabberdctl", "foreground", port=5222, output="ejabberd")
    machine.wait(lambda: "is started" in machine.run("ejabberdctl", "status", check=False), "ejabberd")
    for name, word in ACCOUNTS.items():
        machine.run("ejabberdctl", "register", name, DOMAIN, word, check=False)


@SERVICE.stopped
def stop(machine):
    machine.run("ejabberdctl", "stop", check=False)
    machine.run("ejabberdctl", "stopped", check=False)
    machine.stop_daemons()


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
    """People log in and write; one mistypes; clients lose their connection; somebody administers; a monitor connects and
    leaves; restart."""
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
    assert web.request(session, OFFICE[0], "/admin/", 5280, account=f"anna@{DOMAIN}", password=ACCOUNTS["anna"]).status == 200
    session.logged_in(OFFICE[0])
    session.drop(OFFICE[9], 5222, 3, read_banner=False)
    session.machine.run("ejabberdctl", "reload_config")
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


@SERVICE.attack(BANNED)
def until_banned(session):
    """One address tries passwords until `mod_fail2ban` refuses it, and goes on."""
    for number in range(20):
        attempt(session, BANNED, "bruno", f"word{number}")
    for _ in range(5):
        with Stream(session, BANNED, DOMAIN, encrypted=False) as stream:
            assert "mechanisms" not in stream.features, stream.features
        session.acted(BANNED, "address refused")


@SERVICE.attack(ADMIN)
def web_administration(session):
    """One address tries passwords for the pages of the administration."""
    for number in range(12):
        answer = web.request(session, ADMIN, "/admin/", 5280, account=f"anna@{DOMAIN}", password=f"anna{number}")
        assert answer.status == 401, answer.status
        session.refused(ADMIN)


@SERVICE.attack(REGISTRAR)
def registration(session):
    """One address tries to register accounts, which is closed."""
    for number in range(12):
        with Stream(session, REGISTRAR, DOMAIN) as stream:
            answer = stream.send("<iq type='set' id='r'><query xmlns='jabber:iq:register'>"
                                 f"<username>sp{number}</username><password>x{number}</password></query></iq>",
                                 r"</iq>|</stream:stream>")
            assert "error" in answer, answer
            session.acted(REGISTRAR, "registration denied")


@SERVICE.attack(SERVER)
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


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no XMPP, or streams to domains that are not here."""
    lines = [b"GET / HTTP/1.1\r\nHost: chat\r\n\r\n", b"\x16\x03\x01\x00\x6c\x01\x00", b"<stream>", b"<a/>", b"\xff\xfe\x00",
             b"<?xml version='1.0'?><stream:stream xmlns='jabber:client' to='nowhere.example' version='1.0' "
             b"xmlns:stream='http://etherx.jabber.org/streams'>"]
    for data in lines * 2:
        web.raw(session, RAW, 5222, data)
        session.acted(RAW, "malformed stream")


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects and leaves, without a word or after the encryption began."""
    session.drop(DROPPER, 5222, 7, read_banner=False)
    for _ in range(7):
        with Stream(session, DROPPER, DOMAIN):
            session.acted(DROPPER, "closed before login")
