"""Runs a service's sessions inside its tree and writes what it logged: `python3 -m runner.capture NAME`."""

import datetime
import json
import pathlib
import subprocess
import sys
import time
import traceback

from . import network
from .machine import Machine
from .definition import load
from .session import Session

LAB = pathlib.Path("/lab")
CAPTURED = pathlib.Path("/captured")
# A session's lines are complete when no log has grown for this long; daemons write on their own time.
QUIET_SECONDS = 0.6
QUIET_LIMIT = 10


def size(log):
    """A log's size now; 0 before its first line."""
    path = pathlib.Path(log.file)
    return path.stat().st_size if path.exists() else 0


def settle(logs):
    """Waits until the logs no longer grow."""
    end = time.monotonic() + QUIET_LIMIT
    before, since = None, time.monotonic()
    while time.monotonic() < end:
        now = [size(log) for log in logs]
        if now != before:
            before, since = now, time.monotonic()
        elif time.monotonic() - since > QUIET_SECONDS:
            return
        time.sleep(0.05)


def cut(logs, name, starts):
    """Writes each log's new lines to a file of the session's name. Returns the manifest's entries."""
    files = []
    for log, start in zip(logs, starts, strict=True):
        path = pathlib.Path(log.file)
        # A log that is shorter than before was begun anew.
        with open(path, "rb") as file:
            file.seek(start if size(log) >= start else 0)
            lines = file.read()
        if not lines:
            continue
        file_name = f"{name}.log" if len(logs) == 1 else f"{name}.{log.name}.log"
        (CAPTURED / file_name).write_bytes(lines)
        files.append({"file": file_name, "log": log.name, "lines": lines.count(b"\n")})
    return files


def run_session(script, machine, logs):
    """Runs one session and captures its lines."""
    starts = [size(log) for log in logs]
    session = Session(script, machine)
    began = time.monotonic()
    script.act(session)
    settle(logs)
    report = session.report(cut(logs, script.name, starts))
    lines = sum(file["lines"] for file in report["files"])
    failures = sum(report["login_failures"].values())
    print(f"  {script.name}: {lines} lines, {failures} refused logins, {time.monotonic() - began:.1f} s", flush=True)
    if lines == 0:
        print(f"  {script.name}: THE SERVICE WROTE NOTHING", flush=True)
    return report


def packages(service):
    """Debian's versions of the packages that were asked for."""
    if not service.packages:
        return {}
    query = ["dpkg-query", "-W", "-f", "${Package}\t${Version}\n", *service.packages]
    text = subprocess.run(query, capture_output=True, text=True, check=False).stdout
    return dict(line.split("\t") for line in text.splitlines())


def program_version(service, machine):
    """The version as the program says it, else as Debian says it without its own revision."""
    if service.version:
        return machine.run(*service.version, check=False).strip().splitlines()[-1]
    return packages(service)[service.packages[0]].split(":")[-1].split("-")[0]


def show_logs(logs):
    """Prints the end of every log, for whoever mends the script."""
    outputs = [str(path) for path in pathlib.Path("/var/log").glob("*.output")]
    for path in [*(log.file for log in logs), *outputs]:
        if pathlib.Path(path).exists():
            print(f"--- {path}")
            print("\n".join(pathlib.Path(path).read_text(errors="replace").splitlines()[-15:]))


def main():
    service = load(LAB / sys.argv[1])
    machine = Machine(service)
    network.set_up(service.hostname)
    for log in service.logs:
        pathlib.Path(log.file).parent.mkdir(parents=True, exist_ok=True)
    try:
        machine.start_syslog()
        service.prepare(machine)
        service.start(machine)
        settle(service.logs)
        sessions = [run_session(script, machine, service.logs) for script in service.scripts]
        machine.stop()
    except Exception:
        traceback.print_exc(file=sys.stdout)
        show_logs(service.logs)
        sys.exit(1)
    manifest = {
        "service": service.name,
        "title": service.title,
        "version": program_version(service, machine),
        "packages": packages(service),
        "captured_on": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        "host": service.hostname,
        "logs": [{"name": log.name, "source": log.source, "path": log.file, "form": log.form} for log in service.logs],
        "sessions": sessions,
    }
    (CAPTURED / "capture.json").write_text(json.dumps(manifest, indent=2) + "\n")


main()
