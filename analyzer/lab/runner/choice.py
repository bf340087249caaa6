"""The services that a run of CI takes: some chosen by the commit's hash, so that every service has its turn, and those
whose files were changed."""

import dataclasses
import hashlib
import pathlib
import subprocess

# Chosen by hash, and the most in all.
BY_HASH = 3
MOST = 5
# On the main branch itself: commits that are looked at for changes, as many as are pushed together at most.
RECENT = 10
# Never chosen by hash, see README.md; one whose files were changed is run all the same.
LARGE = ("keycloak",)


@dataclasses.dataclass(frozen=True)
class Choice:
    """The services to run, in this order, and sentences about how they were chosen."""

    services: list[str]
    remarks: list[str]


def git(folder, *arguments):
    """The output of git, or None where it fails or there is none."""
    command = ["git", "-c", "safe.directory=*", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def base(folder, head):
    """The commit that changes are counted from: where the branch left main, or some commits ago on main itself. None
    without a history."""
    for main in ("origin/main", "main"):
        fork = git(folder, "merge-base", main, "HEAD")
        if fork and fork != head:
            return fork
    recent = (git(folder, "rev-list", "--first-parent", f"--max-count={RECENT + 1}", "HEAD") or "").split()
    return recent[-1] if len(recent) > 1 else None


def changed_since(folder, commit, names):
    """The services with changed files, committed or not."""
    paths = git(folder, "diff", "--name-only", "--relative", commit, "--", ".") or ""
    untracked = git(folder, "ls-files", "--others", "--exclude-standard", "--", ".") or ""
    folders = {pathlib.PurePosixPath(path).parts[0] for path in [*paths.splitlines(), *untracked.splitlines()]}
    return folders & set(names)


def turn(head, name):
    """A service's place in the order that a commit gives to all services."""
    return hashlib.sha256(f"{head} {name}".encode()).hexdigest()


def pick(head, names, changed):
    """Changed services first, then those by hash; at most MOST in all."""
    order = sorted(names, key=lambda name: turn(head, name))
    modified = [name for name in order if name in changed]
    by_hash = [name for name in order if name not in changed and name not in LARGE][:BY_HASH]
    left = modified[MOST:]
    remarks = []
    if modified:
        remarks.append(f"changed: {', '.join(sorted(modified))}")
    if left:
        remarks.append(f"{len(modified)} services were changed, and {MOST} are run at most: NOT RUN: {', '.join(sorted(left))}")
    services = (modified[:MOST] + by_hash)[:MOST]
    remarks.append(f"by the hash of {head[:12]}: {', '.join(name for name in services if name not in changed) or 'none'}")
    return Choice(services, remarks)


def choose(folder, names):
    """Chooses among the services below a folder."""
    head = git(folder, "rev-parse", "HEAD")
    if head is None:
        choice = pick("no commit", names, set())
        return Choice(choice.services, ["no commit is known here: changed services cannot be found", *choice.remarks])
    since = base(folder, head)
    if since is None:
        choice = pick(head, names, set())
        return Choice(choice.services, ["no earlier commit is known here: changed services cannot be found", *choice.remarks])
    return pick(head, names, changed_since(folder, since, names))
