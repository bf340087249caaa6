"""PostgreSQL with `log_connections` and `log_disconnections`, which its manual gives for seeing who connects. It writes its
text log, with the prefix that Debian sets, and the same records as JSON. Debian's prefix has no client address: the line
`connection received` of the same process has it, and so has each JSON record. Two sessions have a prefix with it."""

from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6, SERVER6
from runner.definition import Log, Service

SERVICE = Service(
    title="PostgreSQL, database server",
    packages=["postgresql-15", "postgresql-client-15"],
    hostname="db2",
    logs=[Log("server", "/var/log/postgresql/postgresql.log"), Log("json", "/var/log/postgresql/postgresql.json", form="json")],
)
ACCOUNTS = {"shop": "Fjord-Kiesel-77", "report": "Tal-Birke-31", "backup": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, DROPPER, TRESPASSER, SEEKER, THIEF, RAW, PREFIXED, PREFIXED_RULE = ATTACKERS[:10]
GUESSER6 = ATTACKERS6[0]
CONFIGURATION = "/etc/postgresql/15/main/conf.d/lab.conf"
DATA = "/var/lib/postgresql/15/main"
SETTINGS = """listen_addresses = '*'
log_connections = on
log_disconnections = on
logging_collector = on
log_destination = 'stderr,jsonlog'
log_directory = '/var/log/postgresql'
log_filename = 'postgresql.log'
"""
TABLES = """
CREATE TABLE orders (number integer PRIMARY KEY, article text NOT NULL, price numeric CHECK (price > 0));
CREATE TABLE salaries (person text, amount numeric);
ALTER TABLE orders OWNER TO shop;
GRANT SELECT ON orders TO report;
"""


@SERVICE.prepared
def prepare(machine):
    machine.write(CONFIGURATION, SETTINGS)
    machine.append("/etc/postgresql/15/main/pg_hba.conf", """host replication backup 198.51.100.0/24 scram-sha-256
host payroll all 198.51.100.0/24 scram-sha-256
host shop,postgres,archive,invoices all all scram-sha-256
""")
    start(machine)
    roles = "".join(f"CREATE ROLE {name} LOGIN PASSWORD '{word}';" for name, word in ACCOUNTS.items())
    sql(machine, "postgres", roles, "ALTER ROLE backup REPLICATION", "CREATE DATABASE shop", "CREATE DATABASE payroll")
    sql(machine, "shop", TABLES)
    machine.stop()


@SERVICE.started
def start(machine):
    machine.run("install", "-d", "-o", "postgres", "-g", "postgres", "/run/postgresql", "/var/log/postgresql")
    machine.daemon("/usr/lib/postgresql/15/bin/postgres", "-D", DATA,
                   "-c", "config_file=/etc/postgresql/15/main/postgresql.conf", port=5432, user="postgres")
    # It listens before it takes logins; `pg_isready` would leave lines.
    machine.wait(lambda: "ready" in machine.run("tail", "-1", f"{DATA}/postmaster.pid"), "the database to be ready")


def sql(machine, database, *statements):
    """Statements of the administrator, on the server."""
    words = (word for statement in statements for word in ("-c", statement))
    machine.run("psql", "-qX", "-d", database, *words, user="postgres")


def psql(session, address, account, password, database, *statements, encryption="disable"):
    """Runs a client, whose output is returned with its status."""
    server = SERVER6 if ":" in address else session.server
    target = f"host={server} user={account} password={password} dbname={database} sslmode={encryption} connect_timeout=5"
    words = [word for statement in statements or ("SELECT 1",) for word in ("-c", statement)]
    return session.command(address, "psql", "-qAtX", "-d", target, *words)


def attempt(session, address, account, password, database="shop"):
    """One login that is refused for its password."""
    done = psql(session, address, account, password, database)
    assert "password authentication failed" in done.stdout, done.stdout
    session.refused(address)


def denied(session, address, account, database, message, act, *statements):
    """One connection with the right password that is not let in, or a statement that is not allowed."""
    done = psql(session, address, account, ACCOUNTS[account], database, *statements)
    assert message in done.stdout, done.stdout
    session.acted(address, act)


def work(session, address, account, *statements):
    """A login over TLS with some statements."""
    done = psql(session, address, account, ACCOUNTS[account], "shop", *statements, encryption="require")
    assert "connection to server" not in done.stdout, done.stdout
    session.logged_in(address)


def order(number):
    """A statement of the shop."""
    return f"INSERT INTO orders VALUES ({number}, 'chair', 49.90)"


@SERVICE.benign
def benign(session):
    """A shop, a report and a backup log in and make the mistakes of programs; a person mistypes; a monitor; reload, restart."""
    for number in range(6):
        work(session, OFFICE[0], "shop", order(number), "SELECT count(*) FROM orders")
    for statement in (order(1), "INSERT INTO orders VALUES (90, 'table', -1)", "SELECT * FROM ordres", "SELEC 1",
                      "SELECT 1 / 0", "SELECT 'twelve'::integer", "INSERT INTO orders (number) VALUES (91)"):
        work(session, OFFICE[0], "shop", statement)
    work(session, OFFICE[0], "shop", "SET statement_timeout = 100", "SELECT pg_sleep(5)")
    attempt(session, ROAD[0], "report", "Tal-Birke-13")
    work(session, ROAD[0], "report", "SELECT article, sum(price) FROM orders GROUP BY article")
    work(session, ROAD6[0], "report", "SELECT max(price) FROM orders")
    denied(session, OFFICE[1], "report", "archive", "does not exist", "unknown database")
    denied(session, ROAD[0], "report", "shop", "permission denied", "permission denied", "SELECT * FROM salaries")
    done = session.command(OFFICE[2], "pg_basebackup", "-d", f"host={session.server} user=backup password={ACCOUNTS['backup']}",
                           "--checkpoint=fast", "-X", "fetch", "-D", "/tmp/backup")
    assert done.returncode == 0, done.stdout
    session.logged_in(OFFICE[2])
    session.drop(OFFICE[9], 5432, 3, read_banner=False)
    for _ in range(3):
        session.command(OFFICE[9], "pg_isready", "-h", session.server, "-U", "report", "-d", "shop")
    session.machine.reload()
    work(session, OFFICE[0], "shop", order(6))
    session.machine.restart()
    for number in range(7, 11):
        work(session, OFFICE[0], "shop", order(number))


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    for number in range(12):
        attempt(session, GUESSER, "shop", f"shop{number}")


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One address of version 6 tries passwords for one account."""
    for number in range(12):
        attempt(session, GUESSER6, "report", f"report{number}")


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    for name in [*ACCOUNTS, "postgres", "admin", "root", "web", "app", "test", "dba", "odoo", "gitlab"]:
        attempt(session, SPRAYER, name, "Winter2026!")


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist."""
    for name in ["admin", "root", "pgsql", "test", "user", "oracle", "zabbix", "django", "rails", "confluence", "sa"]:
        attempt(session, STRANGER, name, name, "postgres")


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects and leaves without a word."""
    session.drop(DROPPER, 5432, 15, read_banner=False)


@SERVICE.attack(TRESPASSER)
def refused_by_rule(session):
    """One address asks for databases that only the office may use."""
    def ask(account, database):
        done = psql(session, TRESPASSER, account, "postgres", database)
        assert "no pg_hba.conf entry" in done.stdout, done.stdout
        session.acted(TRESPASSER, "refused by rule")

    for account in ("postgres", "admin", "shop", "root"):
        for database in ("payroll", "template1", "customers"):
            ask(account, database)


@SERVICE.attack(SEEKER)
def unknown_databases(session):
    """One address with a stolen password looks for databases."""
    for database in ["archive", "invoices"] * 6:
        denied(session, SEEKER, "report", database, "does not exist", "unknown database")


@SERVICE.attack(THIEF)
def forbidden_statements(session):
    """One address with a stolen password tries to read files, run programs and become somebody else."""
    for statement in ("COPY (SELECT 1) TO PROGRAM 'id'", "COPY orders FROM '/etc/passwd'", "SELECT pg_read_file('/etc/passwd')",
                      "SELECT * FROM pg_authid", "SELECT * FROM salaries", "SET ROLE postgres", "CREATE ROLE helper SUPERUSER",
                      "ALTER ROLE report SUPERUSER", "SELECT pg_ls_dir('/')", "SELECT lo_import('/etc/passwd')",
                      "LOAD '/tmp/x.so'", "ALTER SYSTEM SET log_connections = off"):
        done = psql(session, THIEF, "report", ACCOUNTS["report"], "shop", statement)
        assert "ERROR:" in done.stdout, (statement, done.stdout)
        session.acted(THIEF, "permission denied")


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no startup packet, and asks for versions of the protocol that do not exist."""
    hello = bytes.fromhex("160301006c010000680303") + bytes(range(60))
    future = (8 + 5).to_bytes(4, "big") + (9 << 16).to_bytes(4, "big") + b"user\0"
    nameless = (9).to_bytes(4, "big") + (3 << 16).to_bytes(4, "big") + b"\0"
    for data in [b"GET / HTTP/1.0\r\n\r\n", hello, future, nameless, b"\0\0\0\x04", b"SSH-2.0-probe\r\n"] * 2:
        with session.connect(RAW, 5432) as connection:
            connection.sendall(data)
            connection.recv(512)
        session.acted(RAW, "malformed request")


def name_clients(machine):
    """Sets the prefix that the manual of pgBadger gives, in which every line has the client's address."""
    machine.write(CONFIGURATION, SETTINGS + "log_line_prefix = '%t [%p]: user=%u,db=%d,app=%a,client=%h '\n")
    machine.reload()


@SERVICE.attack(PREFIXED)
def guess_with_address_in_prefix(session):
    """One address tries passwords for several accounts; the prefix of the lines has the client's address."""
    name_clients(session.machine)
    for name in [*ACCOUNTS, "postgres", "admin", "nobody"] * 2:
        attempt(session, PREFIXED, name, f"{name}2026")


@SERVICE.attack(PREFIXED_RULE)
def refused_by_rule_with_address_in_prefix(session):
    """One address asks for databases that only the office may use; the prefix of the lines has the client's address."""
    for database in ["payroll", "customers", "template1"] * 4:
        done = psql(session, PREFIXED_RULE, "postgres", "postgres", database)
        assert "no pg_hba.conf entry" in done.stdout, done.stdout
        session.acted(PREFIXED_RULE, "refused by rule")
