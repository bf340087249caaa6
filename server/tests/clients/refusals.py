"""Refusals that the three endpoints have in common, in their order: 405, 401, 403, 402, 429, 413, 415, 400, 503."""

import contextlib
import json
import os
import re

import guard
import redact
import verify
from calls import ALIASES, KEY, URL, connect, expect, post, send, with_key
from envelope import expect_error, expect_rate

NARROW = os.environ.get("PALISADE_NARROW_KEY", "")
GOOD = {
    guard.PATH: {"text": guard.QUESTION},
    redact.PATH: {"text": redact.TEXT},
    verify.PATH: {"text": verify.TRUE, "sources": [verify.BRIDGE]},
}
JSON = {"Content-Type": "application/json"}
LARGEST = {guard.PATH: 36 * 2**20, redact.PATH: 36 * 2**20, verify.PATH: 8 * 2**20}
TOO_LARGE = {path: size + 1 for path, size in LARGEST.items()}


def every_header_of_a_key(path):
    for name in ALIASES:
        expect(post(path, GOOD[path], {name: KEY}).status == 200, f"{name} is accepted")
        expect_error(post(path, GOOD[path], {name: "pal_live_wrong"}), 401, "Invalid API key")
    both = {**with_key(), "x-superagent-api-key": KEY}
    expect(post(path, GOOD[path], both).status == 200, "two headers with the key are accepted")


def missing_and_wrong_keys(path):
    expect_error(post(path, GOOD[path], {"Accept": "*/*"}), 401, "API key missing")
    wrong = KEY[:-1] + ("0" if KEY[-1] != "0" else "1")
    for key in ("wrong", wrong, KEY + "a"):
        expect_error(post(path, GOOD[path], with_key(key=key)), 401, "Invalid API key")
    lower = {"authorization": f"bearer {KEY}"}
    expect(post(path, GOOD[path], lower).status == 200, "the name of the scheme has no case (RFC 9110)")


def missing_scope(path):
    expect_error(post(path, GOOD[path], with_key(key=NARROW)), 403, "API key lacks scope guard:use")


def wrong_method(path):
    for method in ("GET", "PUT", "PATCH", "DELETE"):
        answer = send(method, path, None, with_key())
        expect_error(answer, 405)
        expect(answer.headers.get("Allow") == "POST", "Allow is POST", answer.headers)


def wrong_content_type(path):
    body = json.dumps(GOOD[path]).encode()
    for kind in ("text/plain", "application/xml", "application/x-www-form-urlencoded", "application/jsonp"):
        expect_error(send("POST", path, body, with_key({"Content-Type": kind})), 415, "Unsupported content type")
    for kind in ("application/json; charset=utf-8", "Application/JSON"):
        expect(send("POST", path, body, with_key({"Content-Type": kind})).status == 200, f"{kind} is JSON")


def large_body(path):
    expect_error(post(path, b" " * TOO_LARGE[path]), 413, "Input too large")


def order(path):
    large, plain = b" " * TOO_LARGE[path], {"Content-Type": "text/plain"}
    expect(send("GET", path).status == 405, "405 comes before 401")
    expect_error(send("POST", path, large, plain), 401)
    expect_error(send("POST", path, b"{", with_key(plain, NARROW)), 403)
    expect_error(send("POST", path, large, with_key(plain)), 413)
    expect_error(send("POST", path, b"{", with_key(plain)), 415)


def headers(path):
    rates = [expect_rate(post(path, GOOD[path])) for _ in range(2)]
    expect(max(rates) < 6000, "remaining requests are below the 6000 a minute", rates)
    named = post(path, GOOD[path], with_key({"X-Request-Id": "a-request.7"}))
    expect(named.headers.get("X-Request-Id") == "a-request.7", "X-Request-Id is echoed", named.headers)
    expect(post(path, GOOD[path]).headers.get("X-Request-Id"), "there is always an X-Request-Id")


def unknown_members(path):
    expect(post(path, {**GOOD[path], "unknown": [1]}).status == 200, "a member of a later version is ignored")


def everywhere(name, check):
    return [(f"{path}: {name}", lambda path=path: check(path)) for path in GOOD]


CHECKS = [
    *everywhere("the key is read from every header", every_header_of_a_key),
    *everywhere("401 for a missing and a wrong key", missing_and_wrong_keys),
    *everywhere("403 without the scope guard:use", missing_scope),
    *everywhere("405 with Allow", wrong_method),
    *everywhere("415 Unsupported content type", wrong_content_type),
    *everywhere("413 for a large body", large_body),
    *everywhere("refusals have their order", order),
    *everywhere("rate limit and request id are in the headers", headers),
    *everywhere("unknown members are ignored", unknown_members),
]


def unpaid(path):
    expect_error(post(path, GOOD[path]), 402, "No subscription found")
    expect_error(post(path, b" " * TOO_LARGE[path]), 402)
    expect_error(post(path, b"{"), 402)


def limited(path):
    """Asks until it is refused."""
    for _ in range(20):
        answer = post(path, GOOD[path])
        if answer.status != 200:
            break
    expect_error(answer, 429, "Rate limit exceeded")
    expect(expect_rate(answer, over="yes") == 0, "nothing remains", answer.headers)
    expect_later(answer)
    expect_error(post(path, b" " * TOO_LARGE[path]), 429)
    expect_error(post(path, GOOD[path], with_key(key="wrong")), 401)


def expect_later(answer):
    seconds = answer.headers.get("Retry-After", "")
    expect(re.fullmatch("[1-9][0-9]*", seconds), "Retry-After has seconds", answer.headers)


def busy(path):
    """Bodies that are announced and do not arrive hold the room of all requests."""
    size = LARGEST[path]
    with contextlib.ExitStack() as held:
        for _ in range(2**29 // size + 1):
            held.enter_context(contextlib.closing(announce(path, size)))
        body = json.dumps(GOOD[path]).encode()
        answer = post(path, body + b" " * (size - len(body)))
        expect_error(answer, 503, "Service busy")
        expect_later(answer)
    expect(post(path, GOOD[path]).status == 200, "it is accepted when the others are gone")


def announce(path, size):
    connection = connect()
    connection.putrequest("POST", URL.path.rstrip("/") + path)
    for name, value in with_key({**JSON, "Content-Length": str(size)}).items():
        connection.putheader(name, value)
    connection.endheaders()
    return connection


CHECKS += everywhere("503 while there is no room", busy)
UNPAID = everywhere("402 without credits, before 413 and 400", unpaid)
LIMITED = everywhere("429 beyond the rate, after 401 and before 413", limited)
