"""Writes openapi.json: the part of GitHub's interface description that the client uses.

usage: python3 extract.py FILE, where FILE is `generated/api.github.com.json` of the npm package @octokit/openapi.
"""

import json
import pathlib
import sys

OPERATIONS = [
    ("get", "/app"),
    ("get", "/app/installations/{installation_id}"),
    ("post", "/app/installations/{installation_id}/access_tokens"),
    ("get", "/installation/repositories"),
    ("get", "/repos/{owner}/{repo}"),
    ("get", "/repos/{owner}/{repo}/commits"),
    ("get", "/repos/{owner}/{repo}/git/blobs/{file_sha}"),
    ("get", "/repos/{owner}/{repo}/git/trees/{tree_sha}"),
    ("get", "/repos/{owner}/{repo}/pulls/{pull_number}"),
    ("get", "/repos/{owner}/{repo}/pulls/{pull_number}/files"),
    ("get", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews"),
    ("get", "/repos/{owner}/{repo}/releases"),
    ("get", "/repos/{owner}/{repo}/tarball/{ref}"),
    ("get", "/search/issues"),
    ("get", "/user/installations"),
    ("get", "/user/installations/{installation_id}/repositories"),
    ("get", "/users/{username}"),
    ("get", "/users/{username}/events/public"),
    ("get", "/users/{username}/gpg_keys"),
    ("get", "/users/{username}/orgs"),
    ("get", "/users/{username}/repos"),
    ("get", "/users/{username}/ssh_signing_keys"),
]
PROSE = {"description", "summary", "example", "examples", "externalDocs", "title", "default", "deprecated"}


def stripped(value, keys_are_names=False):
    """Without prose. Below `properties` keys are names of properties."""
    if isinstance(value, list):
        return [stripped(one) for one in value]
    if not isinstance(value, dict):
        return value
    kept = {}
    for key, one in value.items():
        if not keys_are_names and (key in PROSE or key.startswith("x-")):
            continue
        kept[key] = stripped(one, key == "properties" and not keys_are_names)
    return kept


def references(value):
    if isinstance(value, dict):
        for key, one in value.items():
            if key == "$ref":
                yield one
            else:
                yield from references(one)
    elif isinstance(value, list):
        for one in value:
            yield from references(one)


def find(document, reference):
    value = document
    for part in reference.removeprefix("#/").split("/"):
        value = value[part]
    return value


def main():
    document = json.loads(pathlib.Path(sys.argv[1]).read_text())
    paths = {}
    for method, path in OPERATIONS:
        operation = document["paths"][path][method]
        answers = {
            status: reply for status, reply in operation["responses"].items() if status in ("200", "201", "302")
        }
        part = {key: operation[key] for key in ("parameters", "requestBody") if key in operation}
        paths.setdefault(path, {})[method] = stripped({**part, "responses": answers})
    components = {}
    pending = list(references(paths))
    while pending:
        reference = pending.pop()
        _, kind, name = reference.removeprefix("#/").split("/")
        if name in components.setdefault(kind, {}):
            continue
        components[kind][name] = stripped(find(document, reference))
        pending.extend(references(components[kind][name]))
    extract = {
        "source": "npm package @octokit/openapi 23.0.2, generated/api.github.com.json, made from "
        "github/rest-api-description; prose and unused operations are left out",
        "licence": "MIT, Copyright (c) Octokit contributors; MIT, Copyright (c) GitHub, Inc.",
        "paths": paths,
        "components": {kind: dict(sorted(parts.items())) for kind, parts in sorted(components.items())},
    }
    target = pathlib.Path(__file__).with_name("openapi.json")
    target.write_text(json.dumps(extract, indent=None, separators=(",", ":"), sort_keys=True) + "\n")


main()
