"""The envelope that the three endpoints share."""

import re
import uuid

from calls import expect, expect_keys


def message(answer, service, optional=()):
    """The message of a successful answer; `optional` are keys beside those of the envelope."""
    expect(answer.status == 200, "the status is 200", answer)
    whole = answer.json()
    expect_keys(whole, ["id", "model", "choices", "usage"], "the answer", optional)
    expect(isinstance(whole["id"], str) and str(uuid.UUID(whole["id"])) == whole["id"], "id is a uuid", whole["id"])
    expect_model(whole["model"], service)
    expect_usage(whole["usage"])
    expect_rate(answer)
    return only_message(whole["choices"])


def expect_model(model, service):
    # The contract says "names per service", not what the name of redact is.
    name = {"redact": "(redact|names)"}.get(service, service)
    pattern = rf"palisade-{name}-\d{{4}}\.\d{{2}}"
    expect(isinstance(model, str) and re.fullmatch(pattern, model), f"model is like {pattern}", model)


def only_message(choices):
    expect(isinstance(choices, list) and len(choices) == 1, "there is one choice", choices)
    expect_keys(choices[0], ["message", "finish_reason"], "the choice")
    expect(choices[0]["finish_reason"] == "stop", "finish_reason is stop", choices[0]["finish_reason"])
    said = choices[0]["message"]
    expect_keys(said, ["role", "content", "reasoning"], "the message")
    expect(said["role"] == "assistant", "role is assistant", said["role"])
    expect(isinstance(said["reasoning"], str) and said["reasoning"], "reasoning is a text", said["reasoning"])
    return said


def expect_usage(usage):
    names = ["prompt_tokens", "completion_tokens", "total_tokens"]
    expect_keys(usage, names, "usage")
    expect(all(type(usage[name]) is int and usage[name] > 0 for name in names), "usage has positive integers", usage)
    total = usage["prompt_tokens"] + usage["completion_tokens"]
    expect(usage["total_tokens"] == total, "total_tokens is the sum", usage)


def expect_rate(answer, over="no"):
    remaining = answer.headers.get("x-ratelimit-remaining-requests", "")
    expect(re.fullmatch(r"\d+", remaining), "x-ratelimit-remaining-requests is a number", answer.headers)
    seen = answer.headers.get("x-ratelimit-over-limit")
    expect(seen == over, f"x-ratelimit-over-limit is {over}", seen)
    return int(remaining)


def expect_error(answer, status, text=None, begins=None):
    """The answer is an error of this family: a status and `{error}`."""
    expect(answer.status == status, f"the status is {status}", answer)
    said = answer.json()
    expect_keys(said, ["error"], "the error")
    expect(isinstance(said["error"], str) and said["error"], "error is a text", said)
    expect(text is None or said["error"] == text, f"error is {text!r}", said)
    expect(begins is None or said["error"].startswith(begins), f"error begins with {begins!r}", said)
