"""MIT Kerberos: the key distribution center and the administration server. They log to files, as in the example of their
manual's section [logging], and to syslog, as they do without that section."""

import socket

from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6, SERVER, SERVER6
from runner.definition import Log, Service

SERVICE = Service(
    title="MIT Kerberos, key distribution center",
    packages=["krb5-kdc", "krb5-admin-server", "krb5-user"],
    hostname="kdc1",
    logs=[Log("kdc", "/var/log/krb5kdc.log"), Log("kadmin", "/var/log/kadmin.log"), Log("syslog")],
)
REALM = "EXAMPLE.ORG"
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58", "emil/admin": "Heide-Quarz-12"}
SERVICES = ["HTTP/intranet", "imap/mail", "nfs/files", "host/build", "postgres/db2", "ldap/directory", "cifs/files", "HTTP/wiki"]
GUESSER, SPRAYER, STRANGER, LISTER, ROASTER, LOCKER, DROPPER, RAW, ADMIN_GUESSER, CHANGER = ATTACKERS[:10]
GUESSER6 = ATTACKERS6[0]
CACHE = "FILE:/tmp/tickets"


def client_configuration(server):
    """The configuration of clients of one address of the server."""
    return f"""[libdefaults]
default_realm = {REALM}
dns_lookup_kdc = false
dns_lookup_realm = false
dns_canonicalize_hostname = false
rdns = false
[realms]
{REALM} = {{
  kdc = {server}
  admin_server = {server}
  kpasswd_server = {server}
}}
"""


@SERVICE.prepared
def prepare(machine):
    machine.write("/etc/krb5.conf", client_configuration(SERVER) + """[logging]
kdc = FILE:/var/log/krb5kdc.log
kdc = SYSLOG:INFO:AUTH
admin_server = FILE:/var/log/kadmin.log
admin_server = SYSLOG:INFO:AUTH
""")
    machine.write("/etc/krb5-version6.conf", client_configuration(f"[{SERVER6}]"))
    machine.write("/etc/krb5kdc/kadm5.acl", f"*/admin@{REALM} *\n")
    machine.run("kdb5_util", "create", "-s", "-r", REALM, "-P", "Stein-Ahorn-90")
    lines = ["addpol -maxfailure 5 -failurecountinterval 600 strict", "addprinc -policy strict -pw Nebel-Farn-21 dora",
             "addprinc -requires_preauth -pw Sommer2019 oldscanner"]
    lines += [f"addprinc -pw {word} {name}" for name, word in ACCOUNTS.items()]
    lines += [f"addprinc -randkey {name}.example.org" for name in SERVICES]
    machine.run("kadmin.local", stdin="\n".join(lines) + "\n")


@SERVICE.started
def start(machine):
    machine.run("install", "-d", "/run/krb5kdc")
    machine.daemon("krb5kdc", "-n", port=88, output="kdc")
    machine.daemon("kadmind", "-nofork", port=749, output="kadmind")


def kinit(session, address, account, password):
    """Asks for a ticket; returns the status and the text of the client."""
    configuration = ["env", "KRB5_CONFIG=/etc/krb5-version6.conf"] if ":" in address else []
    return session.command(address, *configuration, "kinit", "-c", CACHE, account, stdin=password + "\n")


def attempt(session, address, account, password):
    """One request for a ticket that is refused for its password."""
    done = kinit(session, address, account, password)
    assert "Password incorrect" in done.stdout or "Preauthentication failed" in done.stdout, done.stdout
    session.refused(address)


def unknown(session, address, account):
    """One request for a principal that does not exist."""
    done = kinit(session, address, account, "x")
    assert "not found in Kerberos database" in done.stdout, done.stdout
    session.refused(address)


def log_in(session, address, account, *services):
    """A login and tickets for services."""
    done = kinit(session, address, account, ACCOUNTS[account])
    assert done.returncode == 0, done.stdout
    session.logged_in(address)
    for service in services:
        session.command(address, "kvno", "-c", CACHE, service)


@SERVICE.benign
def benign(session):
    """People get tickets for services, one after a typo, one for a service that does not exist; administration; a monitor."""
    for address, account in zip(OFFICE, ["anna", "bruno", "carla"] * 2):
        log_in(session, address, account, "HTTP/intranet.example.org", "imap/mail.example.org", "nfs/files.example.org")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    log_in(session, ROAD[0], "bruno", "HTTP/intranet.example.org")
    log_in(session, ROAD6[0], "anna")
    log_in(session, OFFICE[0], "anna", "HTTP/printer.example.org", "host/build.example.org")
    unknown(session, ROAD[1], "anna.smith")
    log_in(session, ROAD[1], "anna")
    done = session.command(OFFICE[5], "kadmin", "-p", "emil/admin", "-q", "getprinc anna", stdin=ACCOUNTS["emil/admin"] + "\n")
    assert "Principal: anna" in done.stdout, done.stdout
    session.logged_in(OFFICE[5])
    words = [ACCOUNTS["carla"], "Ufer-Moos-59", "Ufer-Moos-59"]
    done = session.command(OFFICE[2], "kpasswd", "carla", stdin="\n".join(words) + "\n")
    assert "Password changed" in done.stdout, done.stdout
    session.logged_in(OFFICE[2])
    session.drop(OFFICE[9], 88, 3, read_banner=False)
    session.machine.reload()
    log_in(session, OFFICE[0], "anna", "cifs/files.example.org")
    session.machine.restart()
    for address, account in zip(OFFICE, ["anna", "bruno", "anna"]):
        log_in(session, address, account, "HTTP/wiki.example.org", "imap/mail.example.org")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    for number in range(14):
        attempt(session, GUESSER, "anna", f"anna{number}")


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One address of version 6 tries passwords for one account."""
    for number in range(12):
        attempt(session, GUESSER6, "bruno", f"bruno{number}")


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    for name in ACCOUNTS:
        attempt(session, SPRAYER, name, "Winter2026!")
    for name in ["office", "sales", "support", "scanner", "backup", "admin", "root", "test"]:
        unknown(session, SPRAYER, name)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address asks for principals that do not exist."""
    for name in ["administrator", "admin", "root", "krbtgt_502", "guest", "test", "john", "mary", "svc_sql", "svc_backup", "user",
                 "root/admin", "admin/admin"]:
        unknown(session, STRANGER, name)


@SERVICE.attack(LISTER)
def list_users(session):
    """One address finds out which principals exist, with an empty password."""
    for name in ["anna", "bruno", "carla", "dora", "erik", "frida", "georg", "hanna", "ivo", "jana", "karl", "lena"]:
        done = kinit(session, LISTER, name, "")
        assert done.returncode != 0, done.stdout
        session.refused(LISTER)


@SERVICE.attack(ROASTER)
def tickets_for_all_services(session):
    """One address without a password, and with a stolen one, gets tickets for many services, to guess their keys elsewhere."""
    for _ in range(3):
        done = kinit(session, ROASTER, "oldscanner", "x")
        assert done.returncode != 0, done.stdout
        session.acted(ROASTER, "ticket without pre-authentication")
    services = [f"{name}.example.org" for name in SERVICES]
    log_in(session, ROASTER, "anna", *services)
    session.acted(ROASTER, "service ticket", len(services))
    for service in services[:4]:
        done = session.command(ROASTER, "kvno", "-c", CACHE, "-e", "arcfour-hmac", service)
        assert "no support for encryption type" in done.stdout, done.stdout
        session.acted(ROASTER, "old encryption denied")


@SERVICE.attack(LOCKER)
def locked_out(session):
    """One address tries passwords for one account, which is locked after five."""
    for number in range(12):
        done = kinit(session, LOCKER, "dora", f"dora{number}")
        assert done.returncode != 0, done.stdout
        session.refused(LOCKER)


@SERVICE.attack(ADMIN_GUESSER)
def guess_administrator(session):
    """One address tries passwords for the administration server."""
    for number in range(10):
        done = session.command(ADMIN_GUESSER, "kadmin", "-p", "emil/admin", "-q", "listprincs", stdin=f"admin{number}\n")
        assert "while initializing kadmin" in done.stdout, done.stdout
        session.refused(ADMIN_GUESSER)


@SERVICE.attack(CHANGER)
def forbidden_administration(session):
    """One address with a stolen password asks the administration server for what only administrators may do."""
    for query in ["listprincs", "getprinc emil/admin", "cpw -pw Owned-1 emil/admin", "addprinc -pw Owned-1 helper/admin",
                  "delprinc -force carla", "listpols"] * 2:
        done = session.command(CHANGER, "kadmin", "-p", "bruno", "-q", query, stdin=ACCOUNTS["bruno"] + "\n")
        assert "privilege" in done.stdout, done.stdout
        session.acted(CHANGER, "administration denied")


@SERVICE.attack(host="kdc1")
def connect_and_drop(session):
    """One address connects and leaves without a word. The log has no address of it."""
    session.drop(DROPPER, 88, 8, read_banner=False)
    session.drop(DROPPER, 749, 8, read_banner=False)


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no message of the protocol, over TCP and UDP."""
    for data in [b"GET / HTTP/1.0\r\n\r\n", b"\0\0\0\x05hello", b"\xff\xff\xff\xff", b"\0\0\0\x08\x6a\x81\x06\x30\x81\x03\xa1\x03"] * 2:
        with session.connect(RAW, 88, timeout=1) as connection:
            try:
                connection.sendall(data)
                connection.recv(512)
            except (TimeoutError, ConnectionError):
                pass
        session.acted(RAW, "malformed request")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        datagrams.bind((RAW, 0))
        for data in [b"hello", b"\x6a\x81\x06\x30\x81\x03\xa1\x03", b"\x6c\x03\x30\x01\xa1"] * 2:
            datagrams.sendto(data, (SERVER, 88))
            session.acted(RAW, "malformed request")
