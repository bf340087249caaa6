"""One session with a service: what its clients do, and the account of it that the capture is judged by. The account is
kept by the script that acts, never read from the log."""

import collections
import concurrent.futures
import datetime
import subprocess
import threading
import time

from . import network


class Session:
    """Passed to each session function. Failures count only where the service refused."""

    def __init__(self, script, machine):
        self.script = script
        self.machine = machine
        self.server = network.SERVER
        self.login_failures = collections.Counter()
        self.logins = collections.Counter()
        self.acts = collections.Counter()
        self.account = threading.Lock()
        self.started = datetime.datetime.now(datetime.UTC)

    def client(self, address):
        """`with session.client(ADDRESS):` connections of the standard library come from there."""
        return network.client(address)

    def connect(self, address, port, timeout=10):
        """A connection from a client to a port of the server."""
        server = network.SERVER6 if ":" in address else network.SERVER
        return network.connect_from_client((server, port), timeout, (address, 0))

    def command(self, address, *command, stdin=None, timeout=20):
        """Runs a real client from an address. Returns what `subprocess.run` does."""
        with network.default_source(address):
            return subprocess.run(command, input=stdin, text=True, timeout=timeout, check=False,
                                  stdin=None if stdin is not None else subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def logged_in(self, address):
        """Records a login that succeeded."""
        with self.account:
            self.logins[address] += 1

    def refused(self, address, times=1):
        """Records a login that was refused."""
        with self.account:
            self.login_failures[address] += times

    def acted(self, address, act, times=1):
        """Records something else that the log should show, under a short name such as `relay denied`."""
        with self.account:
            self.acts[(address, act)] += times

    def expect_refusal(self, address, attempt, *errors):
        """Calls what must fail with one of the errors, and records a refused login."""
        try:
            attempt()
        except errors:
            self.refused(address)
            return
        raise AssertionError(f"{self.script.name}: the service accepted what it must refuse")

    def at_once(self, function, items, workers=6):
        """Calls a function for each item, several at a time as attack tools do: services delay each refusal."""
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            list(pool.map(function, items))

    def drop(self, address, port, times, read_banner=True):
        """Connects and closes before anything is said, as scanners do."""
        for _ in range(times):
            with self.connect(address, port) as connection:
                if read_banner:
                    connection.recv(256)
            self.acted(address, "closed before login")
            time.sleep(0.1)

    def report(self, files):
        """What the manifest says of this session."""
        acts = [{"address": address, "act": act, "count": count} for (address, act), count in sorted(self.acts.items())]
        return {
            "name": self.script.name,
            "kind": self.script.kind,
            "description": " ".join((self.script.act.__doc__ or "").split()),
            "entities": [{"kind": kind, "value": value} for kind, value in self.script.entities],
            "started": self.started.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "ended": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "login_failures": dict(sorted(self.login_failures.items())),
            "logins": dict(sorted(self.logins.items())),
            "other_acts": acts,
            "files": files,
        }
