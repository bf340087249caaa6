"""POST /api/redact."""

import json
import re

import papers
from calls import expect, form, post
from envelope import expect_error, expect_rate, expect_usage, message

PATH = "/api/redact"
MAIL, PHONE, SSN, CARD = "maria.lopez@example.org", "+1 202 555 0143", "536-22-8145", "4111 1111 1111 1111"
TEXT = f"Write to {MAIL} or call {PHONE}. SSN: {SSN}. Card: {CARD}. Order 48213 of Contoso Ltd is open."
ALL = {"EMAIL": MAIL, "PHONE": PHONE, "SSN": SSN, "CREDIT_CARD": CARD}
PLACEHOLDER = re.compile(r"<([A-Z0-9]+(?:_[A-Z0-9]+)*)_REDACTED>")
UNENTITLED = "entities must be a non-empty array of strings"
NOT_A_PDF = "file must be a PDF file (application/pdf)"
INVALID = "Invalid text provided"


def redacted(answer):
    """The text of an answer in JSON; an answer about a file may carry the file."""
    said = message(answer, "redact", ["redacted_pdf"])
    expect(isinstance(said["content"], str), "content is a text", said)
    file = answer.json().get("redacted_pdf")
    expect(file is None or papers.from_data_uri(file).startswith(b"%PDF-"), "redacted_pdf is a PDF", file)
    return said["content"]


def expect_only(text, types):
    """The values of these types are replaced by their placeholders, and those of the others are left."""
    seen = set(PLACEHOLDER.findall(text))
    expect(seen == set(types), f"the placeholders are those of {sorted(types)}", text)
    for kind, value in ALL.items():
        expect((value in text) == (kind not in types), f"{kind} is removed exactly if asked for", text)
    expect("Order 48213 of Contoso Ltd is open." in text, "the rest is left alone", text)


def default_set():
    answer = post(PATH, {"text": TEXT})
    expect_only(redacted(answer), ALL)
    expected = TEXT
    for kind, value in ALL.items():
        expected = expected.replace(value, f"<{kind}_REDACTED>")
    expect(redacted(answer) == expected, "each value is replaced by <TYPE_REDACTED>", answer)


def nothing_to_redact():
    text = "The meeting about version 2.4.1 takes place on Tuesday.\n\tTicket 7731 describes it – in full."
    expect(redacted(post(PATH, {"text": text})) == text, "a text without such values is unchanged", text)


def entities():
    expect_only(redacted(post(PATH, {"text": TEXT, "entities": ["email addresses"]})), ["EMAIL"])
    expect_only(redacted(post(PATH, {"text": TEXT, "entities": ["SSN", "CREDIT_CARD"]})), ["SSN", "CREDIT_CARD"])


def entities_of_ones_own():
    text = "The project name: Falcon. We start on Monday."
    said = redacted(post(PATH, {"text": text, "entities": ["project names"]}))
    expect("<PROJECT_NAME_REDACTED>" in said and "Falcon" not in said, "a kind of one's own is replaced", said)


def rewrite():
    text = redacted(post(PATH, {"text": TEXT, "rewrite": True}))
    expect(not PLACEHOLDER.search(text), "there are no placeholders", text)
    expect(not any(value in text for value in ALL.values()), "no value is left", text)
    expect(text.endswith("Order 48213 of Contoso Ltd is open."), "the rest is left alone", text)
    expect_only(redacted(post(PATH, {"text": TEXT, "rewrite": False})), ALL)


def rewrite_entities():
    text = redacted(post(PATH, {"text": TEXT, "entities": ["emails"], "rewrite": True}))
    expect(MAIL not in text and SSN in text and not PLACEHOLDER.search(text), "only the mail is rewritten", text)


def paper():
    return ("paper.pdf", papers.pdf(TEXT))


def form_as_json():
    for fields in ([], [("format", "json")], [("format", "json"), ("rewrite", "false")]):
        expect_only(redacted(form(PATH, [("text", ""), ("file", paper()), *fields])), ALL)
    asked = [("text", ""), ("entities", json.dumps(["SSN"])), ("file", paper()), ("format", "json")]
    expect_only(redacted(form(PATH, asked)), ["SSN"])
    text = redacted(form(PATH, [("text", ""), ("file", paper()), ("format", "json"), ("rewrite", "true")]))
    expect(not PLACEHOLDER.search(text) and MAIL not in text, "a form can ask for rewriting", text)


def form_with_text():
    expect_only(redacted(form(PATH, [("text", TEXT)])), ALL)
    expect_only(redacted(form(PATH, [("text", TEXT), ("entities", '["emails"]')])), ["EMAIL"])


def form_as_pdf():
    answer = form(PATH, [("text", ""), ("file", paper()), ("format", "pdf")])
    expect(answer.status == 200, "the status is 200", answer)
    kind = answer.headers.get_content_type()
    expect(kind == "application/pdf", "the content type is application/pdf", kind)
    expect(answer.body.startswith(b"%PDF-") and b"%%EOF" in answer.body[-16:], "the body is a PDF", answer)
    expect(not any(value.encode() in answer.body for value in ALL.values()), "no value is left", answer)
    stats = answer.headers.get("X-Redaction-Stats")
    expect(stats is not None, "X-Redaction-Stats is sent", answer.headers)
    expect_usage(json.loads(stats))
    expect_rate(answer)
    # What was written is read back with the service itself: nothing is left to redact, and the rest is there.
    back = redacted(form(PATH, [("text", ""), ("file", ("b.pdf", answer.body)), ("entities", '["SSN", "emails"]')]))
    expect("Order 48213 of Contoso Ltd is open." in " ".join(back.split()), "the rest is in the PDF", back)
    expect("<EMAIL_REDACTED>" in "".join(back.split()), "the PDF has placeholders", back)


def invalid_texts():
    for value in ({}, {"text": None}, {"text": 1}, {"text": []}, {"text": ""}, {"entities": ["emails"]}):
        expect_error(post(PATH, value), 400, INVALID)
    expect_error(form(PATH, [("text", "")]), 400, INVALID)
    for body in (b"", b"{", b"[]", b"null"):
        expect_error(post(PATH, body), 400)


def invalid_entities():
    for value in ([], "emails", [1], ["emails", None], {"a": "b"}, 7):
        expect_error(post(PATH, {"text": TEXT, "entities": value}), 400, UNENTITLED)
    for value in ("[]", '"emails"', "[1]", "emails"):
        expect_error(form(PATH, [("text", TEXT), ("entities", value)]), 400, UNENTITLED)


def invalid_choices():
    for value in ("true", 1, []):
        expect_error(post(PATH, {"text": TEXT, "rewrite": value}), 400)
    expect_error(form(PATH, [("text", TEXT), ("rewrite", "maybe")]), 400)
    expect_error(form(PATH, [("text", ""), ("file", paper()), ("format", "docx")]), 400)


def invalid_files():
    expect_error(form(PATH, [("text", ""), ("file", ("a.pdf", b"plain text"))]), 400, NOT_A_PDF)
    for format in ("json", "pdf"):
        empty = ("a.pdf", papers.document(b""))
        asked = [("text", ""), ("file", empty), ("format", format)]
        expect_error(form(PATH, asked), 400, "file contains no readable text")


def sizes():
    text = ("Nothing here has to be removed. " * 2**15)[: 2**20]
    expect(redacted(post(PATH, {"text": text})) == text, "1 MiB of text is read", len(text))
    expect_error(post(PATH, {"text": text + "."}), 413, "Input too large")
    large = papers.pdf(TEXT) + b" " * (25 * 2**20)
    expect_error(form(PATH, [("text", ""), ("file", ("a.pdf", large))]), 413, "Input too large")


CHECKS = [
    ("the default set is replaced by placeholders", default_set),
    ("a text with nothing to redact is unchanged", nothing_to_redact),
    ("entities choose what is replaced", entities),
    ("entities can be of one's own", entities_of_ones_own),
    ("rewrite leaves no placeholder and no value", rewrite),
    ("rewrite keeps to the entities", rewrite_entities),
    ("a form with a file is answered as JSON", form_as_json),
    ("a form with text is answered as JSON", form_with_text),
    ("a form with format=pdf is answered with a PDF and its usage", form_as_pdf),
    ("400 Invalid text provided", invalid_texts),
    ("400 entities must be a non-empty array of strings", invalid_entities),
    ("400 for an unknown rewrite or format", invalid_choices),
    ("400 for a file that is no readable PDF", invalid_files),
    ("413 Input too large", sizes),
]
