"""Prosody with accounts of its own and closed registration, logging at level info to its file as its package does.
`mod_log_auth` is on, as its manual says for tools that block addresses: without it no address is written. It
writes them with refused logins only, so the other attacks have no address."""

from runner import guessing, xmpp_sessions
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service
from runner.xmpp_sessions import DOMAIN

SERVICE = Service(
    title="Prosody, XMPP server",
    packages=["prosody", "prosody-modules", "lua-unbound"],
    hostname="chat",
    logs=[Log("prosody", "/var/log/prosody/prosody.log")],
)
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
    machine.daemon("prosody", "-F", port=5222, user="prosody")


def work(session, address, account):
    """A login, a message to oneself, and the end."""
    xmpp_sessions.work(session, address, account, ACCOUNTS[account])


@SERVICE.benign
def benign(session):
    """People log in and write; one mistypes; clients lose their connection; a monitor connects and leaves; reload and restart."""
    for _ in range(3):
        work(session, OFFICE[0], "anna")
        work(session, ROAD6[0], "carla")
    xmpp_sessions.attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    for _ in range(2):
        xmpp_sessions.lost_connection(session, ROAD[1], "bruno", ACCOUNTS["bruno"])
    session.drop(OFFICE[9], 5222, 3, read_banner=False)
    session.machine.reload()
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
xmpp_sessions.registration(SERVICE, REGISTRAR, host="chat")
xmpp_sessions.foreign_servers(SERVICE, SERVER, host="chat")
xmpp_sessions.malformed(SERVICE, RAW, host="chat")
xmpp_sessions.connect_and_drop(SERVICE, DROPPER, host="chat")
