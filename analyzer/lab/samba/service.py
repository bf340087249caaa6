"""Samba as a file server with Debian's settings, and `log level = 1 auth_audit:3 auth_json_audit:3`, with which its manual logs
refused and accepted logins, as text and as JSON. It logs to one file, in which each record follows a line with its origin,
and to syslog. Connections that are closed without a word leave no line."""

from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6, SERVER6
from runner.definition import Log, Service

SERVICE = Service(
    title="Samba, file server",
    packages=["samba", "smbclient"],
    hostname="files2",
    logs=[Log("smbd", "/var/log/samba/log.smbd"), Log("syslog")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, DROPPER, LISTER, TRESPASSER, SEEKER, RAW = ATTACKERS[:8]
GUESSER6 = ATTACKERS6[0]
SHARES = """
[team]
   path = /srv/team
   read only = no
   valid users = anna bruno carla
[payroll]
   path = /srv/payroll
   valid users = carla
[backup]
   path = /srv/backup
   valid users = anna
   hosts allow = 198.51.100.
"""


@SERVICE.prepared
def prepare(machine):
    configuration = "/etc/samba/smb.conf"
    machine.replace(configuration, "log file = /var/log/samba/log.%m", "log file = /var/log/samba/log.smbd\n"
                    "   log level = 1 auth_audit:3 auth_json_audit:3\n   load printers = no")
    machine.replace(configuration, "logging = file", "logging = file syslog@3")
    machine.append(configuration, SHARES)
    for name, password in ACCOUNTS.items():
        machine.account(name, "no-login-here")
        machine.run("smbpasswd", "-s", "-a", name, stdin=f"{password}\n{password}\n")
    for name in ("team", "payroll", "backup"):
        machine.run("install", "-d", "-m", "1777", f"/srv/{name}")
    machine.write("/tmp/report.txt", "figures\n")


@SERVICE.started
def start(machine):
    machine.run("install", "-d", "/run/samba")
    machine.daemon("smbd", "--foreground", "--no-process-group", port=445)


def workstation(address):
    """The name that a client gives itself."""
    return f"PC{address.replace(':', '.').split('.')[-1]}"


def smb(session, address, account, password, share, command="ls"):
    """Runs a client; returns its output."""
    server = SERVER6 if ":" in address else session.server
    return session.command(address, "smbclient", f"//files2/{share}", "-I", server, "-U", f"{account}%{password}", "-c", command,
                           "-n", workstation(address)).stdout


def attempt(session, address, account, password, share="team"):
    """One login that is refused; who is not known gets a guest's session and no share."""
    text = smb(session, address, account, password, share)
    assert "NT_STATUS_LOGON_FAILURE" in text or "NT_STATUS_ACCESS_DENIED" in text, text
    session.refused(address)


def work(session, address, account, share="team"):
    """A login with an upload, a download and a listing."""
    name = f"{account}.txt"
    text = smb(session, address, account, ACCOUNTS[account], share, f"put /tmp/report.txt {name}; ls; get {name} /tmp/{name}; rm {name}")
    assert "NT_STATUS" not in text, text
    session.logged_in(address)


def denied(session, address, act, status, text):
    """What a client was told when it was not let in."""
    assert status in text, text
    session.acted(address, act)


@SERVICE.benign
def benign(session):
    """People work on shares; one mistypes; some ask for shares that are not theirs; a monitor; reload and restart."""
    for address, account in zip(OFFICE, ["anna", "bruno", "carla"] * 2):
        work(session, address, account)
    assert "NT_STATUS" not in smb(session, OFFICE[2], "carla", ACCOUNTS["carla"], "payroll")
    session.logged_in(OFFICE[2])
    assert "NT_STATUS" not in smb(session, OFFICE[0], "anna", ACCOUNTS["anna"], "backup")
    session.logged_in(OFFICE[0])
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    work(session, ROAD6[0], "carla")
    text = smb(session, OFFICE[1], "bruno", ACCOUNTS["bruno"], "payroll")
    denied(session, OFFICE[1], "share denied", "NT_STATUS_ACCESS_DENIED", text)
    text = smb(session, OFFICE[1], "bruno", ACCOUNTS["bruno"], "scans")
    denied(session, OFFICE[1], "unknown share", "NT_STATUS_BAD_NETWORK_NAME", text)
    session.command(OFFICE[3], "smbclient", "-L", "files2", "-I", session.server, "-U", f"anna%{ACCOUNTS['anna']}", "-n", "PC23")
    session.logged_in(OFFICE[3])
    session.drop(OFFICE[9], 445, 3, read_banner=False)
    session.command(OFFICE[9], "smbclient", "-L", "files2", "-I", session.server, "-N", "-n", "MONITOR")
    session.machine.reload()
    work(session, OFFICE[0], "anna")
    session.machine.restart()
    for address, account in zip(OFFICE, ["anna", "bruno", "carla"]):
        work(session, address, account)


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    for number in range(12):
        attempt(session, GUESSER, "anna", f"anna{number}")


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One address of version 6 tries passwords for one account."""
    for number in range(12):
        attempt(session, GUESSER6, "bruno", f"bruno{number}")


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    for name in [*ACCOUNTS, "office", "sales", "support", "scanner", "backup", "admin", "root", "test", "guest1"]:
        attempt(session, SPRAYER, name, "Winter2026!")


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist, some of them of another domain."""
    for name in ["Administrator", "admin", "CORP\\Administrator", "user", "guest2", "CORP\\svc_sql", "test", "root", "backup", "pc01"]:
        attempt(session, STRANGER, name, "P@ssw0rd")


@SERVICE.attack(LISTER)
def enumeration_without_login(session):
    """One address asks without a login for shares and users."""
    for command in ["enumdomusers", "netshareenum", "querydominfo", "lsaquery", "lookupnames root", "srvinfo"] * 2:
        session.command(LISTER, "rpcclient", "-U", "%", "-N", "-n", workstation(LISTER), session.server, "-c", command)
        session.acted(LISTER, "anonymous session")


@SERVICE.attack(TRESPASSER)
def refused_by_rule(session):
    """One address with a stolen password asks for shares that the account, or the address, may not use."""
    for share in ["payroll", "backup"] * 6:
        account = "bruno" if share == "payroll" else "anna"
        text = smb(session, TRESPASSER, account, ACCOUNTS[account], share)
        denied(session, TRESPASSER, "share denied", "NT_STATUS_", text)


@SERVICE.attack(SEEKER)
def unknown_shares(session):
    """One address with a stolen password looks for shares."""
    for share in ["C$", "ADMIN$", "D$", "finance", "hr", "it", "scans", "public", "data", "sysvol", "netlogon", "backups"]:
        text = smb(session, SEEKER, "bruno", ACCOUNTS["bruno"], share)
        denied(session, SEEKER, "unknown share", "NT_STATUS_BAD_NETWORK_NAME", text)


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects and leaves without a word."""
    session.drop(DROPPER, 445, 15, read_banner=False)


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no message of the protocol."""
    hello = bytes.fromhex("160301006c010000680303") + bytes(range(60))
    for data in [b"GET / HTTP/1.0\r\n\r\n", hello, b"\0\0\0\x04\xffSMB", b"\0\0\0\x20\xfeSMB" + bytes(28), b"\0\xff\xff\xff"] * 2:
        with session.connect(RAW, 445, timeout=1) as connection:
            try:
                connection.sendall(data)
                connection.recv(512)
            except (TimeoutError, ConnectionError):
                pass
        session.acted(RAW, "malformed request")
