"""ejabberd with accounts of its own and closed registration, and with `mod_fail2ban` as in its package's
configuration; the log at the default level, info."""

from runner import guessing, web, xmpp_sessions
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service
from runner.xmpp import Stream
from runner.xmpp_sessions import DOMAIN

SERVICE = Service(
    title="ejabberd, XMPP server",
    packages=["ejabberd", "openssl"],
    hostname="jabber",
    logs=[Log("ejabberd", "/var/log/ejabberd/ejabberd.log")],
)
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


def work(session, address, account):
    """A login, a message to oneself, and the end."""
    xmpp_sessions.work(session, address, account, ACCOUNTS[account])


@SERVICE.benign
def benign(session):
    """People log in and write; one mistypes; clients lose their connection; somebody administers; a monitor connects and
    leaves; restart."""
    for _ in range(3):
        work(session, OFFICE[0], "anna")
        work(session, ROAD6[0], "carla")
    xmpp_sessions.attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    for _ in range(2):
        xmpp_sessions.lost_connection(session, ROAD[1], "bruno", ACCOUNTS["bruno"])
    assert web.request(session, OFFICE[0], "/admin/", 5280, account=f"anna@{DOMAIN}", password=ACCOUNTS["anna"]).status == 200
    session.logged_in(OFFICE[0])
    session.drop(OFFICE[9], 5222, 3, read_banner=False)
    session.machine.run("ejabberdctl", "reload_config")
    work(session, OFFICE[0], "anna")
    session.machine.restart()
    for account, address in (("anna", OFFICE[0]), ("bruno", ROAD[0]), ("carla", ROAD6[0])):
        work(session, address, account)


guessing.one_account(SERVICE, GUESSER, xmpp_sessions.attempt)
guessing.spray(SERVICE, SPRAYER, xmpp_sessions.attempt, [*ACCOUNTS, *guessing.OFFICES])
guessing.unknown_users(SERVICE, STRANGER, xmpp_sessions.attempt, ["admin", "administrator", "root", "test", "bot", "jabber", "user",
                                                                  "guest", "demo", "xmpp", "support"])
guessing.over_ipv6(SERVICE, GUESSER6, xmpp_sessions.attempt)
xmpp_sessions.several_per_connection(SERVICE, PATIENT, "carla")


@SERVICE.attack(BANNED)
def until_banned(session):
    """One address tries passwords until `mod_fail2ban` refuses it, and goes on."""
    for number in range(20):
        xmpp_sessions.attempt(session, BANNED, "bruno", f"word{number}")
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


xmpp_sessions.registration(SERVICE, REGISTRAR)
xmpp_sessions.foreign_servers(SERVICE, SERVER)
xmpp_sessions.malformed(SERVICE, RAW)
xmpp_sessions.connect_and_drop(SERVICE, DROPPER)
