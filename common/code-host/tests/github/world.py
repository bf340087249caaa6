"""The state of the stand-in: apps, installations, users and pull requests from a file, contents from real bare repositories."""

import base64
import subprocess


def git(repository, *arguments):
    """Output of a git command in a bare repository."""
    done = subprocess.run(
        ["git", "--git-dir", repository["git"], *arguments], capture_output=True, check=False
    )
    if done.returncode:
        raise KeyError(done.stderr.decode(errors="replace"))
    return done.stdout


def tree(repository, revision):
    """Entries of `git ls-tree`: mode, type, hash, size, path."""
    entries = []
    for line in git(repository, "ls-tree", "-r", "-t", "-l", "-z", revision).decode().split("\0"):
        if line:
            about, path = line.split("\t", 1)
            mode, kind, sha, size = about.split()
            entry = {"path": path, "mode": mode, "type": kind, "sha": sha, "url": "https://github.example/x"}
            entries.append(entry if size == "-" else {**entry, "size": int(size)})
    sha = git(repository, "rev-parse", f"{revision}^{{tree}}").decode().strip()
    return {"sha": sha, "url": "https://github.example/x", "truncated": False, "tree": entries}


def blob(repository, sha):
    if git(repository, "cat-file", "-t", sha).strip() != b"blob":
        raise KeyError(sha)
    content = git(repository, "cat-file", "blob", sha)
    # GitHub breaks the lines.
    return {
        "sha": sha,
        "size": len(content),
        "encoding": "base64",
        "content": base64.encodebytes(content).decode(),
    }


def commits(repository, revision, path):
    form = "%H%x00%B%x00%aI%x00%cI%x00%an%x00%ae%x01"
    below = ["--", path] if path else []
    listed = git(repository, "log", f"--format={form}", revision, *below).decode()
    found = []
    for one in listed.split("\x01"):
        if one.strip():
            sha, message, authored, committed, name, email = one.lstrip("\n").split("\0")
            login = repository.get("authors", {}).get(email)
            signature = {"name": name, "email": email}
            found.append({
                "sha": sha,
                "commit": {
                    "message": message.rstrip("\n"),
                    "author": {**signature, "date": authored},
                    "committer": {**signature, "date": committed},
                    "verification": {"verified": False, "reason": "unsigned"},
                },
                "author": login and {"login": login},
                "committer": login and {"login": login},
            })
    return found


def pull_files(repository, base, head):
    """Files of a pull request from a branch, as GitHub lists them: hunks without the lines before them, none for binaries."""
    words = {"A": "added", "M": "modified", "D": "removed"}
    files = []
    changed = git(repository, "diff", "--no-renames", "--name-status", "-z", f"{base}...{head}").decode().split("\0")
    for status, path in zip(changed[::2], changed[1::2]):
        patch = git(repository, "diff", "--no-renames", f"{base}...{head}", "--", path).decode(errors="replace")
        hunks = patch[patch.find("\n@@") + 1 :] if "\n@@" in patch else ""
        lines = hunks.splitlines()
        added, removed = (sum(line.startswith(mark) for line in lines) for mark in "+-")
        file = {
            "sha": "1" * 40,
            "filename": path,
            "status": words[status],
            "additions": added,
            "deletions": removed,
            "changes": added + removed,
        }
        files.append({**file, "patch": hunks.rstrip("\n")} if hunks else file)
    return files


def archive(repository, revision):
    owner, name = repository["full_name"].split("/")
    return git(repository, "archive", "--format=tar.gz", f"--prefix={owner}-{name}-{revision}/", revision)


def repository_fields(identifier, repository, every):
    """Fields of a repository that the client reads; the others are filled in by the description."""
    owner, name = repository["full_name"].split("/")
    fields = {
        "id": int(identifier),
        "name": name,
        "full_name": repository["full_name"],
        "owner": {"login": owner},
        "private": repository.get("private", False),
        "visibility": "private" if repository.get("private") else "public",
        "archived": repository.get("archived", False),
        "fork": "parent" in repository,
        "default_branch": repository.get("default_branch", "main"),
        "created_at": repository.get("created_at", "2020-01-02T03:04:05Z"),
        "pushed_at": repository.get("pushed_at", "2026-01-02T03:04:05Z"),
        "stargazers_count": repository.get("stars", 0),
    }
    if "parent" in repository:
        parent = every[str(repository["parent"])]
        fields["parent"] = {"full_name": parent["full_name"], "id": repository["parent"]}
    return fields
