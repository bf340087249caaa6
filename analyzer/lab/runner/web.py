"""HTTP for the sessions: single requests, a browser that keeps cookies, and bytes that no client library would send."""

import base64
import dataclasses
import http.client
import socket
import ssl
import urllib.parse

from . import network

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
# What is read of an answer at most: pages of the laboratory are smaller.
BODY_LIMIT = 4 * 1024 * 1024


@dataclasses.dataclass(frozen=True)
class Answer:
    """A response; `headers` is case-insensitive, `text` the body."""

    status: int
    headers: http.client.HTTPMessage
    text: str


def host(session, port):
    """The name that clients know the server by."""
    name = f"{session.machine.service.hostname}.example.org"
    return name if port in (80, 443) else f"{name}:{port}"


def request(session, address, path, port=80, method="GET", account=None, password="", headers=None, body=None, tls=False):
    """One request on a connection of its own, with basic authentication where an account is given."""
    fields = {"Host": host(session, port), "User-Agent": BROWSER, **(headers or {})}
    if account is not None:
        fields["Authorization"] = "Basic " + base64.b64encode(f"{account}:{password}".encode()).decode()
    server = network.SERVER6 if ":" in address else session.server
    with session.client(address):
        if tls:
            connection = http.client.HTTPSConnection(server, port, context=ssl._create_unverified_context())
        else:
            connection = http.client.HTTPConnection(server, port)
        try:
            connection.request(method, path, body=body, headers=fields)
            response = connection.getresponse()
            text = response.read(BODY_LIMIT).decode(errors="replace")
            return Answer(response.status, response.headers, text)
        finally:
            connection.close()


def raw(session, address, port, data):
    """Sends bytes and nothing after them, and returns the first that come back; nothing where the server closes or resets the connection."""
    with session.connect(address, port) as connection:
        try:
            connection.sendall(data)
            # Without it some servers wait for the rest until their time limit.
            connection.shutdown(socket.SHUT_WR)
            return connection.recv(4096)
        except OSError:
            # Not ConnectionError alone: shutdown of a connection that the server has reset is ENOTCONN.
            return b""


class Browser:
    """A browser at an address: it keeps cookies and names the page it comes from."""

    def __init__(self, session, address, port=80, tls=False):
        self.session = session
        self.address = address
        self.port = port
        self.tls = tls
        self.cookies = {}
        self.referer = None

    def get(self, path):
        """Asks for a page."""
        return self.ask("GET", path, None, {})

    def post(self, path, form, headers=None):
        """Sends a form; a text is sent as it is, with the type that the headers say."""
        if isinstance(form, str):
            return self.ask("POST", path, form, headers or {})
        fields = {"Content-Type": "application/x-www-form-urlencoded", **(headers or {})}
        return self.ask("POST", path, urllib.parse.urlencode(form), fields)

    def ask(self, method, path, body, headers):
        """One request with the cookies so far."""
        headers = dict(headers)
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if self.referer:
            headers["Referer"] = self.referer
        answer = request(self.session, self.address, path, self.port, method, headers=headers, body=body, tls=self.tls)
        for line in answer.headers.get_all("Set-Cookie", []):
            name, _, value = line.split(";")[0].partition("=")
            self.cookies[name.strip()] = value.strip()
        self.referer = f"{'https' if self.tls else 'http'}://{host(self.session, self.port)}{path}"
        return answer
