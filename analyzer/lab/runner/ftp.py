"""FTP for the sessions: a client's work, a refused login, and attacks that servers have in common."""

import ftplib
import io

from . import network


def connect(session, address, timeout=40):
    """A connection; a server may delay its answers."""
    return ftplib.FTP(network.SERVER6 if ":" in address else session.server, timeout=timeout)


def attempt(session, address, account, password):
    """One connection with one refused login."""
    with session.client(address), connect(session, address) as connection:
        session.expect_refusal(address, lambda: connection.login(account, password), ftplib.error_perm)


def work(session, address, account, password):
    """A login with an upload, a download and a listing."""
    with session.client(address), connect(session, address) as connection:
        connection.login(account, password)
        session.logged_in(address)
        connection.storbinary("STOR report.txt", io.BytesIO(b"figures\n"))
        connection.retrbinary("RETR report.txt", lambda block: None)
        connection.nlst()
        connection.delete("report.txt")


def search(session, address, mistyped, account, password):
    """A login after a mistyped account, and a look for files that are not there."""
    with session.client(address), connect(session, address) as connection:
        session.expect_refusal(address, lambda: connection.login(mistyped, password), ftplib.error_perm)
        connection.login(account, password)
        session.logged_in(address)
        for act in (lambda: connection.cwd("2025"), lambda: connection.size("list.txt"), lambda: connection.rmd("old")):
            try:
                act()
            except ftplib.error_perm:
                pass


def lost_connection(session, address, account, password):
    """A line that breaks after the login."""
    with session.client(address):
        connection = connect(session, address)
        connection.login(account, password)
        session.logged_in(address)
        connection.close()


def connect_and_drop(service, address):
    """Adds a session that leaves before the login."""
    @service.attack(address)
    def connect_and_drop(session):
        """One address connects and leaves before it logs in."""
        session.drop(address, 21, 15)


def anonymous(service, address, attempt, workers=6):
    """Adds a session of anonymous logins."""
    @service.attack(address)
    def anonymous(session):
        """One address tries anonymous logins, which are off."""
        session.at_once(lambda account: attempt(session, address, account, "probe@example.com"), ["anonymous", "ftp"] * 5, workers)


def root(service, address, attempt, password, workers=6):
    """Adds a session of logins as root, the last with the right password."""
    @service.attack(address)
    def root(session):
        """One address tries passwords for root, whose logins are off, and at last its password."""
        words = [*(f"toor{number}" for number in range(10)), password]
        session.at_once(lambda word: attempt(session, address, "root", word), words, workers)


def malformed(service, address, timeout=10, workers=6):
    """Adds a session of bytes that are not FTP."""
    def probe(session, words):
        with session.connect(address, 21, timeout) as connection:
            connection.recv(512)
            connection.sendall(words)
            try:
                connection.recv(512)
            except OSError:
                pass
        session.acted(address, "malformed request")

    @service.attack(address)
    def malformed(session):
        """One address sends bytes that are not FTP, and commands that need a login."""
        probes = [b"GET / HTTP/1.0\r\n\r\n", b"\x16\x03\x01\x02\x00\r\n", b"SITE EXEC id\r\n", b"USER " + b"a" * 300 + b"\r\n",
                  b"SITE CPFR /etc/passwd\r\nSITE CPTO /tmp/x\r\n"]
        session.at_once(lambda words: probe(session, words), probes * 3, workers)


def bounce(service, address, account, password):
    """Adds a session of commands that a server must deny an account."""
    @service.attack(address)
    def bounce(session):
        """One address has an account's password and asks for connections to other machines and for files above its own."""
        with session.client(address), connect(session, address) as connection:
            connection.login(account, password)
            session.logged_in(address)
            for number in range(1, 11):
                for act, words in (("bounce denied", f"PORT 10,0,0,{number},0,22"), ("path denied", f"CWD /etc/ssl/private/{number}")):
                    try:
                        connection.sendcmd(words)
                    except ftplib.error_perm:
                        session.acted(address, act)
