"""Sessions that the XMPP servers have in common; each function adds one to a service. `entity` is `host=NAME` where the
log has no address."""

from . import web
from .xmpp import Refused, Stream

DOMAIN = "example.org"


def attempt(session, address, account, password, tries=1):
    """One connection with refused logins."""
    with Stream(session, address, DOMAIN) as stream:
        for number in range(tries):
            guess = f"{password}{number or ''}"
            session.expect_refusal(address, lambda guess=guess: stream.login(account, guess), Refused)


def work(session, address, account, password):
    """A login, a message to oneself, and the end."""
    with Stream(session, address, DOMAIN) as stream:
        stream.login(account, password)
        session.logged_in(address)
        stream.start()
        stream.send("<iq type='get' id='2'><query xmlns='jabber:iq:roster'/></iq>", r"<iq[^>]*id='2'")
        stream.send(f"<message to='{account}@{DOMAIN}' type='chat'><body>note</body></message>", r"</message>")
        stream.leave()


def lost_connection(session, address, account, password):
    """A login after which the client is gone."""
    with Stream(session, address, DOMAIN) as stream:
        stream.login(account, password)
        session.logged_in(address)
        stream.start()


def attack(service, address, entity):
    """The decorator of an attack."""
    return service.attack(**entity) if entity else service.attack(address)


def several_per_connection(service, address, account):
    """Adds a session with three passwords in each connection."""
    @service.attack(address)
    def several_per_connection(session):
        """One address tries three passwords in each connection."""
        session.at_once(lambda number: attempt(session, address, account, f"{account}{number}-", 3), range(4))


def registration(service, address, **entity):
    """Adds a session of registrations."""
    @attack(service, address, entity)
    def registration(session):
        """One address tries to register accounts, which is closed."""
        for number in range(12):
            with Stream(session, address, DOMAIN) as stream:
                answer = stream.send("<iq type='set' id='r'><query xmlns='jabber:iq:register'>"
                                     f"<username>sp{number}</username><password>x{number}</password></query></iq>",
                                     r"</iq>|</stream:stream>")
                assert "error" in answer, answer
                session.acted(address, "registration denied")


def foreign_servers(service, address, **entity):
    """Adds a session on the port of servers."""
    @attack(service, address, entity)
    def foreign_servers(session):
        """One address speaks to the port of servers, for domains that are not here and without encryption."""
        for number in range(6):
            for domain in (f"other{number}.example", DOMAIN):
                with Stream(session, address, domain, 5269, encrypted=False, namespace="jabber:server") as stream:
                    # The server may leave a stanza without an answer.
                    stream.connection.settimeout(0.3)
                    stream.send("<message from='spam@spam.example' to='anna@example.org'><body>x</body></message>",
                                r"</stream:stream>")
                session.acted(address, "server stream refused")


def malformed(service, address, **entity):
    """Adds a session of bytes that are no stream."""
    @attack(service, address, entity)
    def malformed(session):
        """One address sends bytes that are not XMPP, or streams to domains that are not here."""
        lines = [b"GET / HTTP/1.1\r\nHost: chat\r\n\r\n", b"\x16\x03\x01\x00\x6c\x01\x00", b"<stream>", b"<a/>", b"\xff\xfe\x00",
                 b"<?xml version='1.0'?><stream:stream xmlns='jabber:client' to='nowhere.example' version='1.0' "
                 b"xmlns:stream='http://etherx.jabber.org/streams'>"]
        for data in lines * 2:
            web.raw(session, address, 5222, data)
            session.acted(address, "malformed stream")


def connect_and_drop(service, address, **entity):
    """Adds a session that leaves before the login."""
    @attack(service, address, entity)
    def connect_and_drop(session):
        """One address connects and leaves, without a word or after the encryption began."""
        session.drop(address, 5222, 7, read_banner=False)
        for _ in range(7):
            with Stream(session, address, DOMAIN):
                session.acted(address, "closed before login")
