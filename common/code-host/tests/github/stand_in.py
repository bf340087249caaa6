"""A stand-in for GitHub on loopback: its contents are real bare repositories, and every request and reply is checked against
GitHub's interface description. It misbehaves as it is told to. With `leaks` in its state, pull requests of an installation's
private repositories are shown as if they were public.

usage: python3 stand_in.py STATE.json: prints the port. Not part of GitHub: `PUT /_state` replaces the state, `PUT /_faults`
says how the next requests fail, `GET /_seen` returns requests and differences from the description.
"""

import base64
import hashlib
import json
import pathlib
import re
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

import description
import world

STATE = json.loads(pathlib.Path(sys.argv[1]).read_text())
FAULTS, SEEN, DIFFERENCES, TOKENS, USERS = [], [], [], {}, {}
LOCK = threading.Lock()
# Notified when the faults change.
CHANGED = threading.Condition()
# Requests in progress, and most of them at a time.
AT_ONCE = [0, 0]


class Refused(Exception):
    def __init__(self, status, message, headers=None):
        super().__init__(message)
        self.status, self.message, self.headers = status, message, headers or {}


def app_of(token):
    """Refuses what is not a valid JWT of the app: the signature is verified by OpenSSL."""
    try:
        signed, _, signature = token.rpartition(".")
        header, claims = (json.loads(base64.urlsafe_b64decode(part + "==")) for part in signed.split("."))
        with tempfile.NamedTemporaryFile() as file:
            file.write(base64.urlsafe_b64decode(signature + "=="))
            file.flush()
            command = ["openssl", "dgst", "-sha256", "-verify", STATE["app"]["public_key"], "-signature", file.name]
            done = subprocess.run(command, input=signed.encode(), capture_output=True, check=False)
        now = STATE.get("now", time.time())
        fits = header["alg"] == "RS256" and str(claims["iss"]) == str(STATE["app"]["id"])
        lives = claims["iat"] <= now < claims["exp"] <= claims["iat"] + 660
    except (ValueError, KeyError):
        done, fits, lives = None, False, False
    if not (done and done.returncode == 0 and fits and lives):
        raise Refused(401, "A JSON web token could not be decoded")


def rights_of(token):
    rights = TOKENS.get(token)
    if rights is None or rights["expires"] <= STATE.get("now", time.time()):
        raise Refused(401, "Bad credentials")
    return rights


def create_token(installation, body):
    found = STATE["installations"].get(installation)
    if found is None:
        raise Refused(404, "Not Found")
    if found.get("suspended"):
        raise Refused(403, "This installation has been suspended")
    only = body.get("repository_ids")
    if only is not None and not set(only) <= set(found["repositories"]):
        raise Refused(422, "There is at least one repository that does not exist or is not accessible to the parent installation.")
    granted = STATE["app"].get("permissions", {"metadata": "read", "contents": "read"})
    if not set(body["permissions"].items()) <= set(granted.items()):
        raise Refused(422, "The permissions requested are not granted to this installation.")
    token = "ghs_" + secrets.token_hex(18)
    expires = STATE.get("now", time.time()) + 3600
    TOKENS[token] = {
        "installation": installation,
        "only": only,
        "permissions": body["permissions"],
        "expires": expires,
    }
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(expires))
    return {"token": token, "expires_at": stamp, "permissions": body["permissions"]}


def covered(rights):
    listed = STATE["installations"][rights["installation"]]["repositories"]
    return [one for one in listed if rights["only"] is None or one in rights["only"]]


def find_repository(name):
    for identifier, repository in STATE["repositories"].items():
        if repository["full_name"].lower() == name.lower():
            return identifier, repository
    raise Refused(404, "Not Found")


def readable(rights, name, contents=False):
    identifier, repository = find_repository(name)
    own = int(identifier) in covered(rights) and (not contents or "contents" in rights["permissions"])
    if repository.get("private") and not own:
        raise Refused(404, "Not Found")
    return identifier, repository


def public_fields(pull):
    fields = {key: pull[key] for key in ("number", "title", "body", "state", "created_at")}
    return {
        **fields,
        "html_url": f"https://github.example/{pull['repository']}/pull/{pull['number']}",
        "user": {"login": pull["author"]},
        "author_association": pull.get("author_association", "NONE"),
        "closed_at": pull.get("closed_at"),
    }


def search(rights, query):
    """The terms that the client uses."""
    words = query["q"][0].split()
    terms = dict(word.split(":", 1) for word in words if not word.startswith("is:"))
    if not {"is:pr", "is:public"} <= set(words):
        raise Refused(422, "Validation Failed")
    found = []
    for pull in STATE["pulls"]:
        _, repository = find_repository(pull["repository"])
        states = {"is:open": pull["state"] == "open", "is:merged": bool(pull.get("merged_at"))}
        states["is:closed"], states["is:unmerged"] = not states["is:open"], not states["is:merged"]
        if (
            (STATE.get("leaks") or not repository.get("private"))
            and pull["author"].lower() == terms["author"].lower()
            and terms.get("repo", pull["repository"]).lower() == pull["repository"].lower()
            and all(states.get(word, True) for word in words)
        ):
            found.append({
                **public_fields(pull),
                "repository_url": f"https://api.github.example/repos/{pull['repository']}",
                "pull_request": {"merged_at": pull.get("merged_at")},
            })
    return sorted(found, key=lambda one: one["created_at"], reverse=True)


def user_of(login):
    for name, user in STATE["users"].items():
        if name.lower() == login.lower():
            return name, user
    raise Refused(404, "Not Found")


def installation_fields(identifier):
    found = STATE["installations"][identifier]
    stamp = "2026-01-02T03:04:05Z" if found.get("suspended") else None
    return {"id": int(identifier), "account": {"login": found["account"]}, "suspended_at": stamp}


class Page:
    """A list that is answered in pages, perhaps as a property of an object."""

    def __init__(self, items, key=None, **beside):
        self.items, self.key, self.beside = items, key, beside


def below_repository(rights, name, rest, query):
    identifier, repository = readable(rights, name, contents=rest[:1] not in ([], ["pulls"]))
    every = STATE["repositories"]
    match rest:
        case []:
            return world.repository_fields(identifier, repository, every)
        case ["git", "trees", revision]:
            return world.tree(repository, revision)
        case ["git", "blobs", sha]:
            return world.blob(repository, sha)
        case ["commits"]:
            revision = query.get("sha", [repository.get("default_branch", "main")])[0]
            return Page(world.commits(repository, revision, query.get("path", [None])[0]))
        case ["releases"]:
            return Page(repository.get("releases", []))
        case ["pulls", number, *part]:
            pulls = [pull for pull in STATE["pulls"] if pull["repository"] == repository["full_name"]]
            pull = next((pull for pull in pulls if str(pull["number"]) == number), None)
            if pull is None or (repository.get("private") and not STATE.get("leaks")):
                raise Refused(404, "Not Found")
            if part == ["files"]:
                made = "head" in pull and world.pull_files(repository, pull.get("base", "main"), pull["head"])
                return Page(made or pull.get("files", []))
            if part == ["reviews"]:
                return Page(pull.get("reviews", []))
            base = {"repo": world.repository_fields(identifier, repository, every)}
            return {**public_fields(pull), "merged_at": pull.get("merged_at"), "base": base}
    raise Refused(404, "Not Found")


def below_user(rights, login, rest):
    name, user = user_of(login)
    match rest:
        case []:
            return {"login": name, **user["profile"]}
        case ["events", "public"]:
            return Page(user.get("events", []))
        case ["gpg_keys"] | ["ssh_signing_keys"] | ["orgs"]:
            return Page(user.get(rest[0], []))
        case ["repos"]:
            own = covered(rights)
            listed = [
                (identifier, repository)
                for identifier, repository in STATE["repositories"].items()
                if repository["full_name"].lower().startswith(f"{login.lower()}/")
                and (not repository.get("private") or int(identifier) in own)
            ]
            listed.sort(key=lambda one: one[1].get("created_at", "2020-01-02T03:04:05Z"), reverse=True)
            return Page([world.repository_fields(*one, STATE["repositories"]) for one in listed])
    raise Refused(404, "Not Found")


def usable_repositories(token, identifier):
    """Repositories of an installation that a user may use, with the user's permissions: admin, unless `roles` has another role."""
    user = USERS.get(token)
    if user is None:
        raise Refused(401, "Bad credentials")
    if int(identifier) not in user["installations"]:
        raise Refused(404, "Not Found")
    every, listed = STATE["repositories"], []
    for one in STATE["installations"][identifier]["repositories"]:
        role = user["roles"].get(str(one), "admin")
        if role != "none":
            rank = ["read", "write", "admin"].index(role)
            permissions = {"pull": True, "push": rank >= 1, "admin": rank >= 2}
            listed.append({**world.repository_fields(one, every[str(one)], every), "permissions": permissions})
    return Page(listed, "repositories", total_count=len(listed))


def answer(method, path, query, token, body):
    parts = [unquote(part) for part in path.strip("/").split("/")]
    match parts:
        case ["app"]:
            app_of(token)
            return {"id": STATE["app"]["id"], "slug": STATE["app"]["slug"]}
        case ["app", "installations", identifier]:
            app_of(token)
            if identifier not in STATE["installations"]:
                raise Refused(404, "Not Found")
            return installation_fields(identifier)
        case ["app", "installations", identifier, "access_tokens"] if method == "POST":
            app_of(token)
            return create_token(identifier, body)
        case ["user", "installations"]:
            if token not in USERS:
                raise Refused(401, "Bad credentials")
            listed = [installation_fields(str(one)) for one in USERS[token]["installations"]]
            return Page(listed, "installations", total_count=len(listed))
        case ["user", "installations", identifier, "repositories"]:
            return usable_repositories(token, identifier)
    rights = rights_of(token)
    match parts:
        case ["installation", "repositories"]:
            every = STATE["repositories"]
            listed = [world.repository_fields(one, every[str(one)], every) for one in covered(rights)]
            return Page(listed, "repositories", total_count=len(listed))
        case ["repos", owner, name, *rest]:
            return below_repository(rights, f"{owner}/{name}", rest, query)
        case ["users", login, *rest]:
            return below_user(rights, login, rest)
        case ["search", "issues"]:
            found = search(rights, query)
            return Page(found, "items", total_count=len(found), incomplete_results=False)
    raise Refused(404, "Not Found")


def fault_for(line):
    with LOCK:
        for fault in FAULTS:
            if fault["times"] > 0 and re.search(fault["match"], line):
                fault["times"] -= 1
                return fault
    return None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.handle_one()

    do_POST = do_PUT = do_GET

    def handle_one(self):
        url = urlsplit(self.path)
        length = int(self.headers.get("content-length") or 0)
        raw = self.rfile.read(length)
        try:
            if url.path.startswith("/_"):
                return self.control(url.path, raw)
            fault = fault_for(f"{self.command} {self.path}")
            if fault and fault["kind"] == "close":
                self.close_connection = True
                return None
            if fault and fault["kind"] == "hold":
                self.note(url)
                with CHANGED:
                    CHANGED.wait_for(lambda: all(one is not fault for one in FAULTS))
                self.close_connection = True
                return None
            if fault and fault["kind"] == "reply":
                self.note(url)
                return self.send(fault["status"], fault.get("body", "").encode(), fault.get("headers", {}))
            self.serve(url, raw, fault)
        except Refused as refused:
            body = json.dumps({"message": refused.message, "documentation_url": "https://docs.github.example"})
            self.send(refused.status, body.encode(), refused.headers)
        except KeyError:
            self.send(404, b'{"message": "Not Found"}', {})
        return None

    def note(self, url):
        with LOCK:
            SEEN.append({"method": self.command, "path": url.path, "query": url.query, "authorized": "authorization" in self.headers})

    def serve(self, url, raw, fault):
        with LOCK:
            AT_ONCE[0] += 1
            AT_ONCE[1] = max(AT_ONCE)
        try:
            self.serve_one(url, raw, fault)
        finally:
            with LOCK:
                AT_ONCE[0] -= 1

    def serve_one(self, url, raw, fault):
        self.note(url)
        token = (self.headers.get("authorization") or "").removeprefix("Bearer ")
        body = json.loads(raw) if raw else None
        if url.path == "/login/oauth/access_token":
            return self.send(200, json.dumps(self.exchange(body)).encode(), {})
        if url.path.startswith("/codeload/"):
            _, _, owner, name, revision, _ = url.path.split("/", 5)
            _, repository = find_repository(f"{owner}/{name}")
            return self.send(200, world.archive(repository, revision), {}, "application/x-gzip")
        by_id = re.match(r"/repositories/(\d+)(.*)", url.path)
        if by_id:
            name = STATE["repositories"][by_id[1]]["full_name"]
            url = url._replace(path=f"/repos/{name}{by_id[2]}")
        self.differ(description.request_fault(self.command, url.path, url.query, body))
        if self.headers.get("user-agent") is None or self.headers.get("accept") != "application/vnd.github+json":
            self.differ(f"{self.path}: expected User-Agent and Accept")
        renamed = re.match(r"/repos/([^/]+/[^/]+)(.*)", url.path)
        if renamed and renamed[1] in STATE.get("renamed", {}):
            # GitHub redirects to a path with the id, which its description does not have.
            identifier = STATE["renamed"][renamed[1]]
            target = f"http://{self.headers['host']}/repositories/{identifier}{renamed[2]}{'?' + url.query if url.query else ''}"
            raise Refused(301, "Moved Permanently", {"location": target})
        tarball = re.fullmatch(r"/repos/([^/]+/[^/]+)/tarball/(.+)", url.path)
        if tarball:
            readable(rights_of(token), tarball[1], contents=True)
            secret = secrets.token_hex(8)
            target = f"http://{self.headers['host']}/codeload/{tarball[1]}/{tarball[2]}/{secret}"
            return self.send(302, b"", {"location": target})
        value = answer(self.command, url.path, parse_qs(url.query, keep_blank_values=True), token, body)
        return self.reply(url, value, fault)

    def reply(self, url, value, fault):
        headers = {"x-ratelimit-remaining": "4999", "x-ratelimit-reset": "9999999999"}
        if isinstance(value, Page):
            value = self.page(url, value, headers, fault)
        status = 201 if self.command == "POST" else 200
        value = description.fill(description.reply_schema(self.command, url.path, status), value)
        if fault and fault["kind"] == "truncate":
            value["truncated"], value["tree"] = True, value["tree"][:1]
        if fault and fault["kind"] == "partial":
            # A search that has reached its time limit.
            value["incomplete_results"], value["items"] = True, value["items"][: fault.get("keep", 0)]
        if fault and fault["kind"] == "omit":
            del value[fault["field"]]
        else:
            self.differ(description.reply_fault(self.command, url.path, status, value))
        body = json.dumps(value).encode()
        headers["etag"] = f'"{hashlib.sha256(body).hexdigest()}"'
        if self.headers.get("if-none-match") == headers["etag"]:
            SEEN[-1]["not_modified"] = True
            return self.send(304, b"", headers)
        return self.send(status, body, headers)

    def page(self, url, page, headers, fault):
        query = parse_qs(url.query)
        number, size = int(query.get("page", ["1"])[0]), int(query.get("per_page", ["30"])[0])
        if fault and fault["kind"] == "loop":
            headers["link"] = f'<http://{self.headers["host"]}{self.path}>; rel="next"'
        elif number * size < len(page.items):
            others = "&".join(part for part in url.query.split("&") if not part.startswith("page="))
            target = f"http://{self.headers['host']}{url.path}?{others}&page={number + 1}"
            headers["link"] = f'<{target}>; rel="next", <{target}>; rel="last"'
        items = page.items[(number - 1) * size : number * size]
        return {page.key: items, **page.beside} if page.key else items

    def exchange(self, body):
        app = STATE["app"]
        if (body["client_id"], body["client_secret"]) != (app["client_id"], app["client_secret"]):
            return {"error": "incorrect_client_credentials"}
        installations = STATE.get("codes", {}).pop(body["code"], None)
        if installations is None:
            return {"error": "bad_verification_code"}
        token = "ghu_" + secrets.token_hex(18)
        USERS[token] = {"installations": installations, "roles": STATE.get("roles", {}).get(body["code"], {})}
        return {"access_token": token, "token_type": "bearer", "scope": ""}

    def control(self, path, raw):
        if path == "/_seen":
            seen = {"requests": SEEN, "differences": DIFFERENCES, "at_once": AT_ONCE[1]}
            return self.send(200, json.dumps(seen).encode(), {})
        with LOCK:
            target = STATE if path == "/_state" else FAULTS
            target.clear()
            (target.update if path == "/_state" else target.extend)(json.loads(raw))
            SEEN.clear()
        with CHANGED:
            CHANGED.notify_all()
        if path == "/_faults" and any(fault.get("revoke") for fault in FAULTS):
            TOKENS.clear()
        return self.send(200, b"{}", {})

    def differ(self, difference):
        if difference:
            DIFFERENCES.append(difference)

    def send(self, status, body, headers, kind="application/json; charset=utf-8"):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
# Ends with the test that started it: its standard input is closed then.
sys.stdin.read()
