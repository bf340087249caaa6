"""XMPP for the sessions: a client's stream up to its login and a message, and bytes that no client would send."""

import base64
import re
import ssl


class Refused(Exception):
    """The server refused a login."""


class Stream:
    """A stream of a client to a domain, encrypted by STARTTLS unless told otherwise."""

    def __init__(self, session, address, domain, port=5222, encrypted=True, namespace="jabber:client"):
        self.domain = domain
        self.namespace = namespace
        self.connection = session.connect(address, port)
        self.features = self.open()
        if encrypted:
            self.ask("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>", r"<proceed[^>]*>")
            context = ssl._create_unverified_context()
            self.connection = context.wrap_socket(self.connection, server_hostname=domain)
            self.features = self.open()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def open(self):
        """Begins the stream, and again after each change of it."""
        return self.ask(f"<?xml version='1.0'?><stream:stream xmlns='{self.namespace}' to='{self.domain}' version='1.0' "
                        "xmlns:stream='http://etherx.jabber.org/streams'>", r"</stream:features>|<stream:features/>|</stream:stream>")

    def ask(self, text, end):
        """Sends a text and reads until a pattern, the end or the time limit of the connection."""
        answer = ""
        try:
            self.connection.sendall(text.encode())
            while not re.search(end, answer):
                data = self.connection.recv(8192)
                if not data:
                    break
                answer += data.decode(errors="replace")
        except (ConnectionError, TimeoutError):
            pass
        return answer

    def attempt(self, account, password):
        """Tries a login by SASL PLAIN; returns whether it succeeded."""
        words = base64.b64encode(f"\0{account}\0{password}".encode()).decode()
        answer = self.ask(f"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>{words}</auth>",
                          r"<success|</failure>|<failure[^>]*/>|</stream:stream>")
        return "<success" in answer

    def login(self, account, password):
        """Logs in, or raises Refused."""
        if not self.attempt(account, password):
            raise Refused(account)

    def start(self):
        """After the login: binds a resource and becomes available."""
        self.open()
        self.ask("<iq type='set' id='1'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>", r"</iq>")
        self.ask("<presence/>", r"<presence")

    def send(self, stanza, end):
        """Sends a stanza and reads until the pattern of its answer."""
        return self.ask(stanza, end)

    def leave(self):
        """Ends the stream as a client does."""
        self.ask("<presence type='unavailable'/></stream:stream>", r"</stream:stream>")
