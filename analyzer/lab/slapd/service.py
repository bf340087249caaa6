"""OpenLDAP's server with `olcLogLevel: stats`, which its manual recommends, through syslog. The address of a client is in the
line of the connection; the lines of its operations have the connection's number."""

from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6, SERVER6
from runner.definition import Log, Service

SERVICE = Service(
    title="OpenLDAP, directory server",
    packages=["slapd", "ldap-utils", "python3-ldap3"],
    hostname="directory",
    logs=[Log("syslog")],
)
BASE = "dc=example,dc=org"
ADMIN, ADMIN_PASSWORD = f"cn=admin,{BASE}", "Heide-Quarz-12"
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58", "mailserver": "Wald-Schiefer-40"}
GUESSER, SPRAYER, STRANGER, DROPPER, PATIENT, BARE, THIEF, READER, RAW, ADMIN_GUESSER = ATTACKERS[:10]
GUESSER6 = ATTACKERS6[0]
SETTINGS = f"""dn: cn=config
changetype: modify
replace: olcLogLevel
olcLogLevel: stats

dn: olcDatabase={{1}}mdb,cn=config
changetype: modify
replace: olcRootPW
olcRootPW: {ADMIN_PASSWORD}
"""


def dn(account):
    """The name of an account's entry."""
    return f"uid={account},ou=people,{BASE}"


def entry(account, password):
    """An entry of a person."""
    return f"""
dn: {dn(account)}
objectClass: inetOrgPerson
uid: {account}
cn: {account}
sn: {account}
mail: {account}@example.org
userPassword: {password}
"""


@SERVICE.prepared
def prepare(machine):
    machine.run("slapmodify", "-b", "cn=config", stdin=SETTINGS, user="openldap")
    people = f"dn: ou=people,{BASE}\nobjectClass: organizationalUnit\nou: people\n"
    machine.run("slapadd", "-b", BASE, stdin=people + "".join(entry(*account) for account in ACCOUNTS.items()), user="openldap")


@SERVICE.started
def start(machine):
    machine.run("install", "-d", "-o", "openldap", "-g", "openldap", "/run/slapd")
    # With a level of debugging, even none, it stays in the foreground; it still logs to syslog.
    machine.daemon("slapd", "-h", "ldap:///", "-u", "openldap", "-g", "openldap", "-F", "/etc/ldap/slapd.d", "-d", "0", port=389)


def opened(session, address, name=None, password=None):
    """A connection that has not bound."""
    import ldap3
    server = ldap3.Server(SERVER6 if ":" in address else session.server, get_info=ldap3.NONE)
    return ldap3.Connection(server, name, password, source_address=address, receive_timeout=10)


def attempt(session, address, name, password):
    """One connection with one bind that is refused."""
    connection = opened(session, address, name, password)
    assert not connection.bind() and connection.result["result"] == 49, connection.result
    session.refused(address)
    connection.unbind()


def bound(session, address, account):
    """A connection of who has the right password."""
    connection = opened(session, address, dn(account), ACCOUNTS[account])
    assert connection.bind(), connection.result
    session.logged_in(address)
    return connection


def look_up(session, address, account):
    """A program that asks for the entry of an account."""
    connection = bound(session, address, "mailserver")
    connection.search(BASE, f"(&(objectClass=inetOrgPerson)(uid={account}))", attributes=["cn", "mail"])
    connection.unbind()


def log_in(session, address, account):
    """A login through a program: it looks the account up and binds as the account."""
    look_up(session, address, account)
    bound(session, address, account).unbind()


@SERVICE.benign
def benign(session):
    """Programs look people up and log them in; one mistypes; entries change; a monitor connects; the server restarts."""
    import ldap3
    log_in(session, OFFICE[0], "anna")
    look_up(session, OFFICE[0], "nobody.of.that.name")
    attempt(session, OFFICE[0], dn("bruno"), "Tal-Birke-13")
    log_in(session, OFFICE[0], "bruno")
    log_in(session, ROAD6[0], "carla")
    attempt(session, ROAD[0], dn("anna"), "Fjord-Kiesel-7")
    bound(session, ROAD[0], "anna").unbind()
    host = ["-x", "-H", f"ldap://{session.server}"]
    done = session.command(OFFICE[1], "ldapsearch", *host, "-D", ADMIN, "-w", ADMIN_PASSWORD, "-b", BASE)
    assert done.returncode == 0, done.stdout
    done = session.command(OFFICE[1], "ldapadd", *host, "-D", ADMIN, "-w", ADMIN_PASSWORD, stdin=entry("dora", "Berg-Lehm-66"))
    assert done.returncode == 0, done.stdout
    done = session.command(OFFICE[2], "ldappasswd", *host, "-D", dn("carla"), "-w", ACCOUNTS["carla"], "-s", ACCOUNTS["carla"])
    assert done.returncode == 0, done.stdout
    session.logged_in(OFFICE[1])
    session.logged_in(OFFICE[1])
    session.logged_in(OFFICE[2])
    connection = bound(session, OFFICE[1], "anna")
    connection.modify(dn("bruno"), {"mail": [(ldap3.MODIFY_REPLACE, ["bruno.b@example.org"])]})
    assert connection.result["result"] == 50, connection.result
    connection.search(f"ou=rooms,{BASE}", "(cn=*)")
    connection.unbind()
    session.drop(OFFICE[9], 389, 3, read_banner=False)
    for _ in range(3):
        session.command(OFFICE[9], "ldapsearch", *host, "-b", "", "-s", "base", "namingContexts")
    session.machine.restart()
    log_in(session, OFFICE[0], "anna")
    log_in(session, OFFICE[0], "carla")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER, dn("anna"), f"anna{number}"), range(14))


@SERVICE.attack(ADMIN_GUESSER)
def guess_administrator(session):
    """One address tries passwords for the administrator of the directory."""
    session.at_once(lambda number: attempt(session, ADMIN_GUESSER, ADMIN, f"secret{number}"), range(12))


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One address of version 6 tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER6, dn("bruno"), f"bruno{number}"), range(12))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    names = [*ACCOUNTS, "office", "sales", "support", "scanner", "backup", "admin", "root", "test"]
    session.at_once(lambda name: attempt(session, SPRAYER, dn(name), "Winter2026!"), names)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries names of entries that do not exist, some of them elsewhere in the tree."""
    names = [f"cn=Manager,{BASE}", f"cn=root,{BASE}", "cn=admin,dc=example,dc=com", f"uid=admin,ou=users,{BASE}",
             f"cn=Directory Manager,{BASE}", f"uid=test,{BASE}", f"cn=replicator,{BASE}", "uid=admin,ou=system",
             f"cn=ldapadmin,{BASE}", f"uid=root,ou=people,{BASE}", "cn=Manager,dc=my-domain,dc=com"]
    session.at_once(lambda name: attempt(session, STRANGER, name, "secret"), names)


@SERVICE.attack(PATIENT)
def several_per_connection(session):
    """One address tries six passwords on each connection."""
    for number in range(2):
        connection = opened(session, PATIENT)
        connection.open()
        for word in ("summer", "Passw0rd", "letmein", "welcome", "qwertz", "monkey"):
            connection.rebind(dn("bruno"), f"{word}{number}")
            assert connection.result["result"] == 49, connection.result
            session.refused(PATIENT)
        connection.unbind()


def refused_mechanism(session, mechanism):
    """One bind by a mechanism of SASL that the server does not have. The tools ask only for those that it offers."""
    import ldap3
    from ldap3.operation.bind import bind_operation
    connection = opened(session, BARE)
    connection.open()
    number = connection.send("bindRequest", bind_operation(3, ldap3.SASL, "", None, mechanism, b"x"))
    _, result = connection.get_response(number)
    assert result["result"] != 0, result
    session.refused(BARE)
    connection.unbind()


@SERVICE.attack(BARE)
def without_password(session):
    """One address names an account and gives no password, and tries mechanisms of SASL that are not there."""
    host = ["-H", f"ldap://{session.server}"]
    for name in ["anna", "bruno", "admin", "root", "carla", "test"]:
        done = session.command(BARE, "ldapwhoami", *host, "-x", "-D", dn(name), "-w", "")
        assert done.returncode == 53, done.stdout
        session.acted(BARE, "bind without password")
    for mechanism in ["PLAIN", "GSSAPI", "NTLM"] * 2:
        refused_mechanism(session, mechanism)


@SERVICE.attack(READER)
def search_for_passwords(session):
    """One address searches without a login for accounts, passwords and other trees."""
    connection = opened(session, READER)
    connection.bind()
    for base, query in [(BASE, "(uid=*)"), (BASE, "(userPassword=*)"), ("dc=example,dc=com", "(objectClass=*)"),
                        ("cn=config", "(objectClass=*)"), (f"ou=groups,{BASE}", "(cn=*admin*)"), (f"ou=sudoers,{BASE}", "(cn=*)"),
                        (BASE, "(&(uid=*)(userPassword=a*))"), (f"ou=computers,{BASE}", "(cn=*)"), ("dc=local", "(cn=*)")] * 2:
        connection.search(base, query, attributes=["*", "userPassword"])
        session.acted(READER, "search without login")
    connection.unbind()


@SERVICE.attack(THIEF)
def forbidden_changes(session):
    """One address with a stolen password tries to change what is not its own."""
    import ldap3
    connection = bound(session, THIEF, "anna")
    for name in ["bruno", "carla", "mailserver"]:
        for change in ({"userPassword": [(ldap3.MODIFY_REPLACE, ["owned"])]}, {"mail": [(ldap3.MODIFY_ADD, ["x@example.com"])]}):
            connection.modify(dn(name), change)
            assert connection.result["result"] == 50, connection.result
            session.acted(THIEF, "change denied")
        connection.delete(dn(name))
        assert connection.result["result"] == 50, connection.result
        session.acted(THIEF, "change denied")
    for number in range(3):
        connection.add(dn(f"helper{number}"), "inetOrgPerson", {"cn": "helper", "sn": "helper"})
        assert connection.result["result"] == 50, connection.result
        session.acted(THIEF, "change denied")
    connection.unbind()


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects and leaves without a word."""
    session.drop(DROPPER, 389, 15, read_banner=False)


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no message of the protocol."""
    hello = bytes.fromhex("160301006c010000680303") + bytes(range(60))
    for data in [b"GET / HTTP/1.0\r\n\r\n", hello, b"\x30\x84\xff\xff\xff\xff", b"\x30\x05\x02\x01\x01\x7f\x00",
                 b"\x30\x0c\x02\x01\x01\x60\x07\x02\x01\x09\x04\x00\x80\x00", b"SSH-2.0-probe\r\n"] * 2:
        with session.connect(RAW, 389, timeout=1) as connection:
            try:
                connection.sendall(data)
                connection.recv(512)
            except (TimeoutError, ConnectionError):
                pass
        session.acted(RAW, "malformed request")
