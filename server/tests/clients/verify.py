"""POST /api/verify."""

from calls import expect, expect_keys, form, post, with_key
from envelope import expect_error, message

PATH = "/api/verify"
BRIDGE = {
    "name": "Handbook of bridges",
    "url": "https://example.org/bridges",
    "content": "The Harbour Bridge was opened in March 1932. The Harbour Bridge carries eight lanes of traffic.",
}
LAKE = {"name": "Guide to lakes", "content": "Lake Constance lies between Germany, Austria and Switzerland."}
TRUE = "The Harbour Bridge was opened in March 1932."
FALSE = "The Harbour Bridge carries six lanes of traffic."
UNKNOWN = "The architect of the opera house was born in Lisbon."
NO_TEXT = "text is required and must be a string"
NO_SOURCES = "sources is required and must be a non-empty array"
NO_CONTENT = "Each source must have a 'content' field (string)"


def claims(text, sources):
    """The claims of an answer, checked in every field."""
    answer = post(PATH, {"text": text, "sources": sources})
    said = message(answer, "verify")["content"]
    expect_keys(said, ["claims"], "content")
    expect(isinstance(said["claims"], list), "claims is a list", said)
    for claim in said["claims"]:
        expect_claim(claim, sources)
    return said["claims"]


def expect_claim(claim, sources):
    expect_keys(claim, ["claim", "verdict", "sources", "evidence", "reasoning", "confidence"], "a claim")
    expect(isinstance(claim["claim"], str) and claim["claim"], "claim is a text", claim)
    expect(isinstance(claim["verdict"], bool), "verdict is a boolean", claim)
    expect(type(claim["confidence"]) in (int, float), "confidence is a number", claim)
    expect(0 <= claim["confidence"] <= 1, "confidence is within 0 and 1", claim)
    begins = ("Supported:",) if claim["verdict"] else ("Contradicted:", "Not found:")
    expect(claim["reasoning"].startswith(begins), f"reasoning begins with {begins}", claim)
    expect_evidence(claim, sources)


def expect_evidence(claim, sources):
    """Evidence is verbatim, and the sources named are given ones."""
    expect(isinstance(claim["evidence"], str), "evidence is a text", claim)
    for part in filter(None, claim["evidence"].split(" … ")):
        expect(any(part in source["content"] for source in sources), "evidence is verbatim", claim)
    expect(isinstance(claim["sources"], list), "sources is a list", claim)
    for named in claim["sources"]:
        # The contract does not say whether a url that the request leaves out is absent or null.
        expect_keys(named, ["name"], "a source of a claim", ["url"])
        given = [(source.get("name", named["name"]), source.get("url")) for source in sources]
        expect((named["name"], named.get("url")) in given, "the source is one of the request", claim)
    if claim["verdict"]:
        expect(claim["evidence"] and claim["sources"], "what is supported has evidence and a source", claim)


def one(text, sources):
    found = claims(text, sources)
    expect(len(found) == 1, "a sentence is one claim", found)
    return found[0]


def supported():
    claim = one(TRUE, [BRIDGE, LAKE])
    expect(claim["verdict"] is True, "it is supported", claim)
    expect(claim["claim"] in TRUE, "the claim is that of the text", claim)
    expect(claim["sources"] == [{"name": BRIDGE["name"], "url": BRIDGE["url"]}], "by the right source", claim)
    expect(TRUE.rstrip(".") in claim["evidence"], "with its sentence", claim)


def contradicted():
    claim = one(FALSE, [BRIDGE, LAKE])
    expect(claim["verdict"] is False and claim["reasoning"].startswith("Contradicted:"), "it is contradicted", claim)
    expect("eight lanes" in claim["evidence"], "with the sentence that contradicts", claim)


def not_found():
    claim = one(UNKNOWN, [BRIDGE, LAKE])
    expect(claim["verdict"] is False and claim["reasoning"].startswith("Not found:"), "it is not found", claim)


def several():
    found = claims(f"{TRUE} {FALSE} {UNKNOWN}", [BRIDGE, LAKE])
    expect([claim["verdict"] for claim in found] == [True, False, False], "claims are in the order of the text", found)


def no_claim():
    expect(claims("Is that so? Hello there!", [LAKE]) == [], "questions and greetings are no claims")


def source_without_url():
    claim = one("Lake Constance lies between Germany, Austria and Switzerland.", [LAKE])
    named = [(source["name"], source.get("url")) for source in claim["sources"]]
    expect(named == [(LAKE["name"], None)], "no url is made up", claim)
    expect_error(post(PATH, {"text": TRUE, "sources": [{**BRIDGE, "url": 7}]}), 400)


def source_without_name():
    claim = one(TRUE, [{"content": BRIDGE["content"]}])
    expect(claim["verdict"] is True and len(claim["sources"]) == 1, "only content is required", claim)


def invalid_texts():
    for value in ({}, {"text": None}, {"text": 1}, {"text": [TRUE]}):
        expect_error(post(PATH, {**value, "sources": [LAKE]}), 400, NO_TEXT)
    for body in (b"", b"{", b"[]", b"null"):
        expect_error(post(PATH, body), 400)


def invalid_sources():
    for value in ({}, {"sources": None}, {"sources": []}, {"sources": "a"}, {"sources": LAKE}):
        expect_error(post(PATH, {"text": TRUE, **value}), 400, NO_SOURCES)
    for source in ({}, {"name": "a"}, {"name": "a", "content": 1}, {"name": "a", "content": None}):
        expect_error(post(PATH, {"text": TRUE, "sources": [LAKE, source]}), 400, NO_CONTENT)


def sizes():
    filler = "Nothing is said here about any bridge. "
    largest = {"name": "a", "content": (filler * (2**22 // len(filler)))[: 2**22 - 1024]}
    expect(claims(TRUE, [largest])[0]["verdict"] is False, "nearly 4 MiB of sources are read")
    larger = {"name": "a", "content": "a " * 2**22}
    expect_error(post(PATH, {"text": TRUE, "sources": [larger]}), 413, "Input too large")
    # The contract gives no status for more than 100 sources.
    many = post(PATH, {"text": TRUE, "sources": [LAKE] * 101})
    expect(many.status in (400, 413), "more than 100 sources are refused", many)
    expect(post(PATH, {"text": TRUE, "sources": [LAKE] * 100}).status == 200, "100 sources are read")


def forms():
    expect_error(form(PATH, [("text", TRUE)], with_key()), 415, "Unsupported content type")


CHECKS = [
    ("a claim that a source states is supported", supported),
    ("a claim that a source contradicts is false", contradicted),
    ("a claim that no source mentions is false", not_found),
    ("the claims of a text have their order", several),
    ("a text without a claim has none", no_claim),
    ("a source need not have a url", source_without_url),
    ("a source need not have a name", source_without_name),
    ("400 text is required and must be a string", invalid_texts),
    ("400 for sources that are missing or have no content", invalid_sources),
    ("413 Input too large", sizes),
    ("415 for a form", forms),
]
