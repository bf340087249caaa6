"""The rsync daemon with modules that need an account, are the office's alone or are read-only; `log file` as its manual
shows, and `transfer logging`."""

from runner import web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6, SERVER, SERVER6
from runner.definition import Log, Service

SERVICE = Service(
    title="rsync daemon",
    packages=["rsync"],
    hostname="mirror",
    logs=[Log("rsyncd", "/var/log/rsyncd.log")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, MODULES, TRESPASSER, WRITER, RAW, DROPPER = ATTACKERS[:8]
GUESSER6 = ATTACKERS6[0]
# Of the attackers only the last has a name.
NAMED = ATTACKERS[-1]


@SERVICE.prepared
def prepare(machine):
    machine.write("/etc/rsyncd.secrets", "".join(f"{name}:{word}\n" for name, word in ACCOUNTS.items()), 0o600)
    machine.write("/etc/rsyncd.conf", """log file = /var/log/rsyncd.log
transfer logging = yes
pid file = /run/rsyncd.pid
uid = nobody
gid = nogroup
use chroot = yes
[public]
    path = /srv/public
    read only = yes
[backup]
    path = /srv/backup
    read only = no
    auth users = anna, bruno, carla
    secrets file = /etc/rsyncd.secrets
[intern]
    path = /srv/intern
    hosts allow = 198.51.100.0/24
""")
    for path in ("public/list.txt", "public/image.iso", "intern/plan.txt"):
        machine.write(f"/srv/{path}", f"{path}\n" * 20)
    machine.run("install", "-d", "-o", "nobody", "/srv/backup")
    machine.write("/tmp/send/report.txt", "figures\n")
    machine.write("/tmp/send/plan.txt", "plan\n")


@SERVICE.started
def start(machine):
    # After a stop the file of its number may be left, and it does not start then.
    machine.run("rm", "-f", "/run/rsyncd.pid")
    machine.daemon("rsync", "--daemon", "--no-detach", "--config=/etc/rsyncd.conf", port=873)


def rsync(session, address, source, target, account=None, password=""):
    """One run of the client; `@` stands for the server. Returns its exit status and what it says."""
    host = f"[{SERVER6}]" if ":" in address else SERVER
    server = f"rsync://{f'{account}@' if account else ''}{host}/"
    session.machine.write("/tmp/word", f"{password}\n", 0o600)
    paths = [path.replace("@", server) for path in (source, target) if path]
    done = session.command(address, "rsync", "-r", "-t", f"--address={address}", "--password-file=/tmp/word", *paths)
    return done.returncode, done.stdout


def attempt(session, address, account, password):
    """One refused login."""
    status, text = rsync(session, address, "@backup/", "/tmp/got/", account, password)
    assert status == 5 and "auth failed" in text, text
    session.refused(address)


def work(session, address, account):
    """A backup and its listing."""
    for source, target in (("/tmp/send/", f"@backup/{account}/"), (f"@backup/{account}/", "")):
        status, text = rsync(session, address, source, target, account, ACCOUNTS[account])
        assert status == 0, text
    session.logged_in(address)


@SERVICE.benign
def benign(session):
    """People back up, and others fetch what is public; one mistypes; a file is missing; a monitor connects and leaves;
    restart."""
    for address in (ROAD[1], ROAD6[0], OFFICE[3]):
        for source, target in (("@", ""), ("@public/", ""), ("@public/", f"/tmp/got{address}/")):
            status, text = rsync(session, address, source, target)
            assert status == 0, text
    status, _ = rsync(session, ROAD[1], "@public/missing.txt", "/tmp/got/")
    assert status == 23
    work(session, OFFICE[0], "anna")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    work(session, ROAD6[0], "carla")
    assert rsync(session, OFFICE[1], "@intern/", "/tmp/intern/")[0] == 0
    session.drop(OFFICE[9], 873, 3)
    session.machine.restart()
    work(session, OFFICE[0], "anna")
    work(session, ROAD[0], "bruno")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    for number in range(12):
        attempt(session, GUESSER, "anna", f"anna{number}")


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    for name in [*ACCOUNTS, "root", "admin", "backup", "office", "sales", "info", "user", "guest", "rsync"]:
        attempt(session, SPRAYER, name, "Winter2026!")


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist."""
    for name in ["root", "admin", "backup", "rsync", "test", "user", "mirror", "nas", "guest", "oracle", "pi"]:
        attempt(session, STRANGER, name, name)


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One address of version 6 tries passwords for one account."""
    for number in range(12):
        attempt(session, GUESSER6, "bruno", f"bruno{number}")


@SERVICE.attack(NAMED)
def guess_with_a_name(session):
    """One address, which has a name, tries passwords for one account."""
    for number in range(12):
        attempt(session, NAMED, "carla", f"carla{number}")


@SERVICE.attack(MODULES)
def unknown_modules(session):
    """One address asks for the list of modules and for modules that do not exist."""
    rsync(session, MODULES, "@", "")
    session.acted(MODULES, "modules listed")
    for name in ["home", "root", "etc", "www", "data", "backups", "share", "nas", "web", "db", "volume1", "export"]:
        status, text = rsync(session, MODULES, f"@{name}/", "")
        assert status == 5 and "Unknown module" in text, text
        session.acted(MODULES, "module unknown")


@SERVICE.attack(TRESPASSER)
def forbidden(session):
    """One address asks for a module that is the office's alone."""
    for _ in range(12):
        status, text = rsync(session, TRESPASSER, "@intern/", "/tmp/got/")
        assert status == 5, text
        session.acted(TRESPASSER, "address denied")


@SERVICE.attack(WRITER)
def writing(session):
    """One address writes to a module that is read-only, and asks for files above its root."""
    for number in range(6):
        status, text = rsync(session, WRITER, "/tmp/send/report.txt", f"@public/x{number}.txt")
        assert status != 0, text
        session.acted(WRITER, "write denied")
        status, text = rsync(session, WRITER, "@public/../../../etc/passwd", "/tmp/got/")
        assert status != 0, text
        session.acted(WRITER, "traversal")


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is not the protocol of rsync, and a login whose answer has no form."""
    data = [b"GET / HTTP/1.0\r\n\r\n", b"\x16\x03\x01\x00\x6c\x01\x00", b"SSH-2.0-probe\r\n", b"@RSYNCD: 99.9\nbackup\n",
            b"@RSYNCD: 31.0\n#list\n", b"@RSYNCD: 31.0\nbackup\nanna x\n", b"@RSYNCD: x\n"]
    for words in data * 2:
        web.raw(session, RAW, 873, words)
        if b"anna" in words:
            session.refused(RAW)
        else:
            session.acted(RAW, "malformed message")


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects and leaves."""
    session.drop(DROPPER, 873, 14)
