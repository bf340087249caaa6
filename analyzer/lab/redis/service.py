"""Redis with a password and users of its access control list. Its log is at `verbose`, the level of its configuration file that
has the clients. Redis logs no refused password and no refused command: a guess is a connection accepted and closed, whose
last command was `auth` and whose user is still the default."""

from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="Redis, key-value store",
    packages=["redis-server", "redis-tools"],
    hostname="cache1",
    logs=[Log("redis", "/var/log/redis/redis-server.log")],
)
ACCOUNTS = {"default": "Fjord-Kiesel-77", "shop": "Tal-Birke-31", "report": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, DROPPER, POSTER, RAW, ROGUE, THIEF, BARE = ATTACKERS[:9]
GUESSER6 = ATTACKERS6[0]


@SERVICE.prepared
def prepare(machine):
    machine.replace("/etc/redis/redis.conf", "bind 127.0.0.1 -::1", "bind * -::*")
    machine.replace("/etc/redis/redis.conf", "loglevel notice", "loglevel verbose")
    machine.append("/etc/redis/redis.conf", f"""
requirepass {ACCOUNTS["default"]}
user shop on >{ACCOUNTS["shop"]} ~shop:* +@all -@admin -@dangerous
user report on >{ACCOUNTS["report"]} ~shop:* +@read +@connection
""")


@SERVICE.started
def start(machine):
    machine.run("install", "-d", "-o", "redis", "-g", "redis", "/run/redis", "/var/log/redis")
    machine.daemon("redis-server", "/etc/redis/redis.conf", "--daemonize", "no", port=6379, user="redis")


def talk(session, address, *commands):
    """Sends commands on one connection and returns the first line of each answer."""
    answers = []
    with session.connect(address, 6379) as connection, connection.makefile("rb") as lines:
        for command in commands:
            connection.sendall(command.encode() + b"\r\n")
            answers.append(lines.readline().decode().strip())
            if answers[-1].startswith("$") and answers[-1] != "$-1":
                lines.read(int(answers[-1][1:]) + 2)
    return answers


def attempt(session, address, password, account=None):
    """One connection with one refused password."""
    words = [account, password] if account else [password]
    answer, = talk(session, address, f"AUTH {' '.join(words)}")
    assert answer.startswith("-WRONGPASS"), answer
    session.refused(address)


def work(session, address, account, *commands):
    """A login and commands that are answered."""
    answers = talk(session, address, f"AUTH {account} {ACCOUNTS[account]}", *commands)
    assert not any(answer.startswith("-") for answer in answers), answers
    session.logged_in(address)


def denied(session, address, act, *commands):
    """Commands after a login that the access control list, or the server's configuration, does not allow."""
    for answer in talk(session, address, *commands)[1:]:
        assert answer.startswith("-"), answer
        session.acted(address, act)


@SERVICE.benign
def benign(session):
    """A shop and reports use the store; a person mistypes; programs lack a right or a password; a monitor; saving, restart."""
    for number in range(8):
        work(session, OFFICE[0], "shop", "PING", f"SET shop:{number} chair", f"GET shop:{number}", f"EXPIRE shop:{number} 600")
    for address in (OFFICE[1], ROAD[1], ROAD6[0]):
        work(session, address, "report", "GET shop:1", "GET shop:2", "QUIT")
    attempt(session, ROAD[0], "Ufer-Moos-85", "report")
    work(session, ROAD[0], "report", "GET shop:3")
    denied(session, OFFICE[1], "command denied", f"AUTH report {ACCOUNTS['report']}", "SET shop:1 table", "GET till:1")
    answers = talk(session, OFFICE[2], "GET shop:1")
    assert answers[0].startswith("-NOAUTH"), answers
    for words in (["INFO", "server"], ["BGSAVE"], ["CONFIG", "GET", "maxmemory"], ["PING"]):
        done = session.command(OFFICE[3], "redis-cli", "-h", session.server, "-a", ACCOUNTS["default"], *words)
        assert done.returncode == 0 and "ERR" not in done.stdout, done.stdout
        session.logged_in(OFFICE[3])
    session.drop(OFFICE[9], 6379, 4, read_banner=False)
    for _ in range(4):
        assert talk(session, OFFICE[9], "PING")[0].startswith("-NOAUTH")
    session.machine.restart()
    for number in range(4):
        work(session, OFFICE[0], "shop", f"SET shop:{number} table", f"GET shop:{number}")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords of the default user."""
    session.at_once(lambda number: attempt(session, GUESSER, f"redis{number}"), range(14))


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One address of version 6 tries passwords of one user."""
    session.at_once(lambda number: attempt(session, GUESSER6, f"shop{number}", "shop"), range(12))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many users, of which some exist."""
    names = [*ACCOUNTS, "admin", "root", "redis", "app", "cache", "worker", "celery", "sidekiq", "backup"]
    session.at_once(lambda name: attempt(session, SPRAYER, "Winter2026!", name), names)


@SERVICE.attack(STRANGER)
def several_per_connection(session):
    """One address tries many users that do not exist, on few connections."""
    names = ["admin", "root", "redis", "test", "user", "guest", "web", "queue", "session", "dev", "stage", "ops"]
    for part in (names[:4], names[4:8], names[8:]):
        for answer in talk(session, STRANGER, *(f"AUTH {name} {name}" for name in part)):
            assert answer.startswith("-WRONGPASS"), answer
            session.refused(STRANGER)


@SERVICE.attack(BARE)
def without_password(session):
    """One address sends commands without a login, as scanners for open servers do."""
    for command in ["INFO", "CONFIG GET dir", "KEYS *", "CLIENT LIST", "SLAVEOF NO ONE", "DBSIZE"] * 2:
        answer, = talk(session, BARE, command)
        assert answer.startswith("-NOAUTH"), answer
        session.acted(BARE, "command without login")


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects and leaves without a word."""
    session.drop(DROPPER, 6379, 15, read_banner=False)


@SERVICE.attack(POSTER)
def requests_of_http(session):
    """One address sends requests of HTTP, as a browser or a server does that was misled into it."""
    for method in ["POST", "GET"] * 6:
        with session.connect(POSTER, 6379) as connection:
            connection.sendall(f"{method} / HTTP/1.1\r\nHost: cache1.example.org:6379\r\n\r\n".encode())
            connection.recv(512)
        session.acted(POSTER, "request of HTTP")


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no request of the protocol."""
    for data in [b"*-9x\r\n", b"*1\r\n$-5\r\n", b"*3\r\n+SET\r\n", b"*99999999999\r\n", b'GET "x\r\n', b"*1\r\n$x\r\n"] * 2:
        with session.connect(RAW, 6379) as connection:
            connection.sendall(data)
            connection.recv(512)
        session.acted(RAW, "malformed request")


@SERVICE.attack(THIEF)
def forbidden_commands(session):
    """One address with a stolen password tries commands that would run programs or write files."""
    login = f"AUTH default {ACCOUNTS['default']}"
    for command in ["CONFIG SET dir /root/.ssh", "CONFIG SET dbfilename authorized_keys", "MODULE LOAD /tmp/exp.so",
                    "DEBUG SEGFAULT", "CONFIG SET dir /var/spool/cron"] * 2:
        denied(session, THIEF, "command denied", login, command)


@SERVICE.attack(ROGUE)
def foreign_master(session):
    """One address with a stolen password makes the server a replica of its own, and ends that."""
    for _ in range(6):
        work(session, ROGUE, "default", f"REPLICAOF {ROGUE} 6380", "REPLICAOF NO ONE")
        session.acted(ROGUE, "replication changed")
