"""MariaDB with `log_warnings = 2`, which its manual gives for refused and aborted connections; the default since 10.2.4."""

from runner.network import ATTACKERS, OFFICE, ROAD
from runner.definition import Log, Service

SERVICE = Service(
    title="MariaDB, database server",
    packages=["mariadb-server", "mariadb-client", "python3-pymysql"],
    hostname="db1",
    logs=[Log("error", "/var/log/mysql/error.log")],
    version=["mariadbd", "--version"],
)
ACCOUNTS = {"shop": "Fjord-Kiesel-77", "report": "Tal-Birke-31"}
GUESSER, SPRAYER, STRANGER, DROPPER, INTRUDER, RAW = ATTACKERS[:6]


@SERVICE.prepared
def prepare(machine):
    machine.write("/etc/mysql/mariadb.conf.d/90-lab.cnf", """[mariadbd]
bind_address = 0.0.0.0
log_error = /var/log/mysql/error.log
log_warnings = 2
skip_name_resolve = 1
""")
    machine.run("install", "-d", "-o", "mysql", "-g", "mysql", "/var/log/mysql")
    # Accounts that hold for every client, and a database that the report account may not see.
    grants = "".join(f"CREATE USER {name}@'%' IDENTIFIED BY '{word}';" for name, word in ACCOUNTS.items())
    start(machine)
    machine.run("mariadb", stdin=f"CREATE DATABASE shop; CREATE DATABASE payroll; {grants} GRANT ALL ON shop.* TO shop@'%';")
    machine.stop()


@SERVICE.started
def start(machine):
    machine.run("install", "-d", "-o", "mysql", "-g", "mysql", "/run/mysqld")
    machine.daemon("mariadbd", "--user=mysql", port=3306)


def attempt(session, address, account, password, database=None):
    """One connection that is refused."""
    import pymysql
    with session.client(address):
        session.expect_refusal(
            address, lambda: pymysql.connect(host=session.server, user=account, password=password, database=database),
            pymysql.err.OperationalError)


def work(session, address, account, database=None):
    """A login and a query."""
    import pymysql
    with session.client(address):
        connection = pymysql.connect(host=session.server, user=account, password=ACCOUNTS[account], database=database)
        session.logged_in(address)
        with connection.cursor() as cursor:
            cursor.execute("SELECT version(), current_user()")
            cursor.fetchall()
        connection.close()


@SERVICE.benign
def benign(session):
    """An application and a report log in; a person mistypes once; a monitor connects; the server restarts."""
    for _ in range(3):
        work(session, OFFICE[0], "shop", "shop")
    attempt(session, ROAD[0], "report", "Tal-Birke-13")
    work(session, ROAD[0], "report")
    session.drop(OFFICE[9], 3306, 2)
    session.machine.restart()
    work(session, OFFICE[0], "shop", "shop")
    done = session.command(OFFICE[1], "mariadb", f"--host={session.server}", "--user=shop",
                           f"--password={ACCOUNTS['shop']}", "shop", stdin="SHOW TABLES;")
    assert done.returncode == 0, done.stdout
    session.logged_in(OFFICE[1])


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER, "shop", f"shop{number}"), range(12))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts."""
    names = [*ACCOUNTS, "root", "admin", "mysql", "web", "wordpress", "backup", "test", "dba", "app", "nextcloud"]
    session.at_once(lambda name: attempt(session, SPRAYER, name, "Winter2026!"), names)


@SERVICE.attack(STRANGER)
def without_password(session):
    """One address tries accounts without a password."""
    session.at_once(lambda name: attempt(session, STRANGER, name, ""), ["root", "admin", "test", "mysql"] * 3)


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects and leaves before it logs in."""
    session.drop(DROPPER, 3306, 15)


@SERVICE.attack(account="report")
def foreign_databases(session):
    """Whoever has an account's password tries databases that are not the account's. The log has no address of it."""
    import pymysql
    with session.client(INTRUDER):
        for name in ["payroll", "mysql", "customers", "backup", "accounting", "hr"] * 2:
            try:
                pymysql.connect(host=session.server, user="report", password=ACCOUNTS["report"], database=name)
            except pymysql.err.OperationalError:
                session.acted(INTRUDER, "database denied")


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no packet of the protocol."""
    for number in range(12):
        with session.connect(RAW, 3306) as connection:
            connection.recv(512)
            connection.sendall(b"GET / HTTP/1.0\r\n\r\n" if number % 2 else b"\x05\x00\x00\x01hello")
            connection.recv(512)
        session.acted(RAW, "malformed request")
