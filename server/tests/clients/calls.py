"""One HTTP request with the standard library, its answer, and what every answer has in common."""

import http.client
import json
import os
import urllib.parse

URL = urllib.parse.urlsplit(os.environ["PALISADE_URL"])
KEY = os.environ["PALISADE_API_KEY"]
ALIASES = ["x-superagent-api-key", "x-service-api-key", "x-api-key"]


class Violated(Exception):
    """An expectation that an answer does not satisfy."""


def expect(holds, what, seen=""):
    if not holds:
        raise Violated(f"{what}; seen: {str(seen)[:600]}")


def expect_keys(value, keys, where, optional=()):
    """Requires exactly these keys: a key of a later version must not be taken for one of the contract."""
    expect(isinstance(value, dict), f"{where} is an object", value)
    missing, unknown = set(keys) - set(value), set(value) - set(keys) - set(optional)
    expect(not missing and not unknown, f"{where} has the keys {sorted(keys)}", sorted(value))


class Answer:
    """Status, headers and body."""

    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    def json(self):
        kind = self.headers.get_content_type()
        expect(kind == "application/json", "the answer has content type application/json", kind)
        return json.loads(self.body, object_pairs_hook=without_repetition)

    def __str__(self):
        return f"{self.status} {self.body[:400]!r}"


def without_repetition(pairs):
    members = dict(pairs)
    expect(len(members) == len(pairs), "no key is repeated", pairs)
    return members


def connect():
    kind = http.client.HTTPSConnection if URL.scheme == "https" else http.client.HTTPConnection
    return kind(URL.netloc, timeout=60)


def send(method, path, body=None, headers=None):
    """Sends a request with exactly these headers."""
    connection = connect()
    try:
        try:
            connection.request(method, URL.path.rstrip("/") + path, body, headers or {})
        except (BrokenPipeError, ConnectionResetError):
            # A server may refuse a large body before it has read all of it. Its answer can still be read.
            pass
        return Answer(connection.getresponse())
    finally:
        connection.close()


def with_key(headers=None, key=KEY):
    return {"Authorization": f"Bearer {key}", **(headers or {})}


def post(path, value, headers=None):
    """Sends a JSON value with the key, as most applications do."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return send("POST", path, body, {"Content-Type": "application/json", **(headers or with_key())})


def form(path, fields, headers=None):
    """Sends a form. A field is text, or the name and the bytes of a file."""
    boundary = "------------------------3f1c9d0e7a55"
    body = b"".join(part(boundary, name, value) for name, value in fields) + f"--{boundary}--\r\n".encode()
    kind = f"multipart/form-data; boundary={boundary}"
    return send("POST", path, body, {"Content-Type": kind, **(headers or with_key())})


def part(boundary, name, value):
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"'
    if isinstance(value, tuple):
        file, content = value
        head += f'; filename="{file}"\r\nContent-Type: application/pdf'
    else:
        content = value.encode()
    return head.encode() + b"\r\n\r\n" + content + b"\r\n"
