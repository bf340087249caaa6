"""IMAP and POP3 for the sessions: refused logins, and attacks that servers of mailboxes have in common."""

import imaplib
import poplib

from . import guessing, network


def opened(session, address):
    """A connection for IMAP."""
    return imaplib.IMAP4(network.SERVER6 if ":" in address else session.server)


def imap(session, address, account, password, tries=1, by="login"):
    """One IMAP connection with refused logins."""
    with session.client(address), opened(session, address) as box:
        for number in range(tries):
            guess = f"{password}{number or ''}"
            session.expect_refusal(address, lambda guess=guess: getattr(box, by)(account, guess), imaplib.IMAP4.error)


def pop(session, address, account, password):
    """One POP3 connection with one refused login."""
    with session.client(address):
        box = poplib.POP3(session.server)
        box.user(account)
        session.expect_refusal(address, lambda: box.pass_(password), poplib.error_proto)
        box.close()


def fetch(session, address, account, password):
    """A login by POP3 that fetches a message."""
    with session.client(address):
        box = poplib.POP3(session.server)
        box.user(account)
        box.pass_(password)
        session.logged_in(address)
        box.retr(1)
        box.quit()


def pop_guess(service, address, account, tries=12, workers=6):
    """Adds a session of guessing by POP3."""
    guessing.one_account(service, address, pop, account, tries, workers, "pop_guess", "One address tries passwords by POP3.")


def several_per_connection(service, address, account, tries, connections, workers=6):
    """Adds a session with several passwords in each connection."""
    @service.attack(address)
    def several_per_connection(session):
        """One address tries several passwords in each connection."""
        session.at_once(lambda number: imap(session, address, account, f"spring{number}", tries), range(connections), workers)


def connect_and_drop(service, address):
    """Adds a session that leaves before the login."""
    @service.attack(address)
    def connect_and_drop(session):
        """One address connects to both ports and leaves before it logs in."""
        session.drop(address, 143, 8)
        session.drop(address, 110, 8)


def malformed(service, address, mechanism):
    """Adds a session of bytes that are not IMAP, and a mechanism that is off."""
    def probe(session, words):
        with session.connect(address, 143) as connection:
            connection.recv(512)
            connection.sendall(words)
            connection.recv(512)
        session.acted(address, "malformed request")

    @service.attack(address)
    def malformed(session):
        """One address sends bytes that are not IMAP, and asks for mechanisms that are off."""
        probes = [b"GET / HTTP/1.0\r\n\r\n", f"a AUTHENTICATE {mechanism}\r\n".encode(), b"\x16\x03\x01\x02\x00\r\n"]
        session.at_once(lambda words: probe(session, words), probes * 4)
