"""The server of a laboratory: its files, accounts, daemons and syslog."""

import os
import pathlib
import signal
import subprocess
import time

from . import network

RSYSLOG = r"""module(load="imuxsock" SysSock.RateLimit.Interval="0")
module(load="builtin:omfile" Template="RSYSLOG_TraditionalFileFormat")
include(file="/etc/rsyslog.d/*.conf" mode="optional")
action(type="omfile" file="/var/log/syslog" template="RSYSLOG_TraditionalFileFormat")
action(type="omfile" file="/var/log/syslog.iso" template="RSYSLOG_FileFormat")
"""
# Seconds for a command and for a daemon to be ready, on a machine that is busy with other things.
PATIENCE = 120


def as_user(user):
    """What a command begins with to run as an account and its groups. Only root can enter the server's network, so the account
    is changed after that."""
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"] if user else []


class Machine:
    """Acts on the server from inside its tree. `service` is its definition."""

    def __init__(self, service):
        self.service = service
        self.daemons = []

    def write(self, path, text, mode=0o644, owner=None):
        """Writes a file, with the directories above it."""
        path = pathlib.Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        if owner:
            self.run("chown", owner, str(path))

    def append(self, path, text):
        """Adds to a file that a package brought."""
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)

    def replace(self, path, old, new):
        """Changes a file that a package brought; the old text must be there."""
        text = pathlib.Path(path).read_text()
        if old not in text:
            raise RuntimeError(f"{path} does not contain {old!r}")
        pathlib.Path(path).write_text(text.replace(old, new))

    def run(self, *command, stdin=None, check=True, user=None, timeout=PATIENCE):
        """Runs a command on the server, as root or an account, and returns its output."""
        done = subprocess.run([*network.IN_SERVER, *as_user(user), *command], input=stdin, text=True, timeout=timeout,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=None if stdin is not None else subprocess.DEVNULL)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}")
        return done.stdout

    def account(self, name, password, shell="/bin/bash"):
        """Adds an account of the system."""
        self.run("useradd", "--create-home", "--shell", shell, name)
        self.run("chpasswd", stdin=f"{name}:{password}\n")

    def daemon(self, *command, port=None, protocol="tcp", path=None, output="daemon", user=None, env=None, directory="/"):
        """Starts a daemon in the foreground, as root or an account, and waits until it listens on a port or a path is there.
        What it prints goes to /var/log/OUTPUT.output."""
        with open(f"/var/log/{output}.output", "ab") as out:
            process = subprocess.Popen([*network.IN_SERVER, *as_user(user), *command], stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=out, cwd=directory, env={**os.environ, **(env or {})}, start_new_session=True)
        self.daemons.append(process)
        self.wait(lambda: self.ready(process, command[0], port, protocol, path), f"{command[0]} to be ready")
        return process

    def ready(self, process, name, port, protocol, path):
        """Whether a daemon can be used."""
        if process.poll() is not None:
            raise RuntimeError(f"{name} ended with {process.returncode}")
        return (port is None or network.listening(port, protocol)) and (path is None or pathlib.Path(path).exists())

    def wait(self, condition, meaning, seconds=PATIENCE):
        """Waits for a condition, for a bounded time."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise RuntimeError(f"waited {seconds} s for {meaning}")
            time.sleep(0.05)

    def listening(self, port, protocol="tcp"):
        """Waits until the server listens on a port."""
        self.wait(lambda: network.listening(port, protocol), f"port {port}")

    def reload(self):
        """Sends every daemon SIGHUP."""
        for process in self.daemons:
            process.send_signal(signal.SIGHUP)
        time.sleep(0.5)

    def restart(self):
        """Ends the daemons as an init system does, and starts them again."""
        self.stop()
        self.service.start(self)

    def stop(self):
        """Ends the service as its definition says."""
        self.service.stop(self)

    def stop_daemons(self):
        """Sends the daemons SIGTERM, the last first; one that does not end within ten seconds is killed."""
        for process in reversed(self.daemons):
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.daemons.clear()

    def start_syslog(self):
        """Starts rsyslog on /dev/log."""
        self.write("/etc/rsyslog.conf", RSYSLOG)
        self.run("mkdir", "-p", "/var/spool/rsyslog")
        self.daemon("rsyslogd", "-n", path="/dev/log", output="rsyslog")
        self.daemons.clear()
