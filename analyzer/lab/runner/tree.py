"""Unpacks a service into a tree of its own below the cache directory. The host gets no package and no account.

One base tree holds Debian's essential packages, Python, rsyslog and the tools of the network; each service is a layer
above it. Packages come from the host's own Debian sources with an index and an archive of the laboratory's own. Inside
the tree they are configured as Debian configures them, without a network and without a service starting."""

import contextlib
import ctypes
import fcntl
import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys

LAB = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "palisade/lab"
ENTER = LAB / "runner/enter"
# What every service has: a client's language, the syslog daemon, and what sets the network up.
BASE_PACKAGES = ["python3", "rsyslog", "iproute2", "procps", "netbase", "openssl", "ca-certificates"]
# To change when the way of unpacking changes: every tree is then built again.
FORMAT = "2"
PR_SET_PDEATHSIG = 1


class LabError(Exception):
    """A failure that a person can act on; its text is printed alone."""


def end_with_parent():
    """Called in a child: the kernel kills it when the laboratory ends, however that happens."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def run(command, log, **options):
    """Runs a command whose output goes to a file, and reports the file's end where it fails."""
    with open(log, "ab") as out:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                              preexec_fn=end_with_parent, **options)
    if done.returncode != 0:
        end = pathlib.Path(log).read_text(errors="replace").splitlines()[-25:]
        raise LabError("\n".join([*end, f"exit {done.returncode}: {' '.join(map(str, command))}", f"all output: {log}"]))


def enter(mode, tree, layer, hostname, binds, command):
    """The command line that runs a command inside a tree; see `runner/enter`."""
    stage = CACHE / "stage"
    stage.mkdir(parents=True, exist_ok=True)
    return [str(ENTER), mode, str(tree), str(layer), str(stage), hostname, *binds, "--", *command]


def apt(tree, *arguments):
    """The host's apt, with the sources of the host and everything else of the laboratory's own."""
    own = {
        "Dir::State": CACHE / "apt/state",
        "Dir::State::status": tree / "var/lib/dpkg/status",
        "Dir::Cache": CACHE / "apt/cache",
        "APT::Install-Recommends": "false",
        "APT::Sandbox::User": "root",
        "Acquire::Retries": "3",
        "Debug::NoLocking": "true",
        "APT::Keep-Downloaded-Packages": "true",
    }
    options = [word for name, value in own.items() for word in ("-o", f"{name}={value}")]
    return ["apt-get", "-qq", "-y", *options, *arguments]


def download(tree, packages, log):
    """Fetches packages and all that they need and the tree does not have. Returns the archive's directory."""
    archive = CACHE / "apt/cache/archives"
    for directory in (archive / "partial", CACHE / "apt/state/lists/partial"):
        directory.mkdir(parents=True, exist_ok=True)
    command = apt(tree, "--download-only", "--no-install-recommends", "install", *packages)
    try:
        run(command, log)
    except LabError:
        # No index yet, or one that names versions which are gone.
        run(apt(tree, "update"), log)
        run(command, log)
    return archive


def install(mode, tree, layer, packages, seen_status, log):
    """Installs packages inside a tree, from the archive alone."""
    archive = download(seen_status, packages, log)
    binds = [f"{archive}:/var/cache/apt/archives:rw", f"{CACHE}/apt/state/lists:/var/lib/apt/lists"]
    inside = ["apt-get", "-qq", "-y", "--no-download", "--no-install-recommends", "-o", "Dpkg::Use-Pty=0",
              "-o", "APT::Sandbox::User=root", "-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache=",
              "-o", "APT::Keep-Downloaded-Packages=true", "install", *packages]
    run(enter(mode, tree, layer, "build", binds, inside), log)


def build_base(tree, log):
    """Fills the base tree: the essential packages by hand, the others by the apt among them."""
    (tree / "var/lib/dpkg").mkdir(parents=True)
    (tree / "var/lib/dpkg/status").touch()
    archive = CACHE / "apt/cache/archives"
    shutil.rmtree(archive, ignore_errors=True)
    download(tree, ["?essential", "apt"], log)
    for directory in ("bin", "sbin", "lib", "lib64"):
        (tree / "usr" / directory).mkdir(parents=True)
        (tree / directory).symlink_to(f"usr/{directory}")
    packages = sorted(archive.glob("*.deb"))
    for package in packages:
        unpack = 'dpkg-deb --fsys-tarfile "$1" | tar --keep-directory-symlink -xpf - -C "$2"'
        run(["bash", "-o", "pipefail", "-c", unpack, "unpack", str(package), str(tree)], log)
    for name in ("passwd", "group"):
        shutil.copy(tree / f"usr/share/base-passwd/{name}.master", tree / f"etc/{name}")
    # Packages ask for the machine's full name when they are configured.
    (tree / "etc/hosts").write_text("127.0.0.1 build.example.org build localhost\n")
    (tree / "etc/dpkg/dpkg.cfg.d").mkdir(parents=True, exist_ok=True)
    (tree / "etc/dpkg/dpkg.cfg.d/lab").write_text(
        "force-unsafe-io\nforce-confnew\npath-exclude=/usr/share/doc/*\npath-exclude=/usr/share/man/*\n"
        "path-exclude=/usr/share/locale/*\n")
    policy = tree / "usr/sbin/policy-rc.d"
    policy.write_text("#!/bin/sh\n# The laboratory starts what it needs.\nexit 101\n")
    policy.chmod(0o755)
    binds = [f"{archive}:/var/cache/apt/archives"]
    inside = [f"/var/cache/apt/archives/{package.name}" for package in packages]
    run(enter("build", tree, "-", "build", binds, ["dpkg", "--install", "--force-depends", *inside]), log)
    shutil.copytree("/etc/apt", tree / "etc/apt", dirs_exist_ok=True, ignore=shutil.ignore_patterns("apt.conf.d"))
    for keyring in pathlib.Path("/usr/share/keyrings").glob("*.gpg"):
        shutil.copy(keyring, tree / "usr/share/keyrings")
    install("build", tree, "-", BASE_PACKAGES, tree, log)


def once(directory, key, fill):
    """Fills a directory, unless it was filled under the same key. One that is marked is complete."""
    mark = directory / "key"
    if mark.is_file() and mark.read_text() == key:
        return
    print(f"  unpacking {directory.name}", file=sys.stderr)
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    fill()
    mark.write_text(key)


def digest(*parts):
    """A key over texts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@contextlib.contextmanager
def locked():
    """One laboratory at a time unpacks."""
    if os.geteuid() != 0:
        raise LabError("only root can make namespaces and unpack services")
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def base_under_lock():
    """Builds the base tree where it is missing. Returns it and its key."""
    base, key = CACHE / "base", digest(FORMAT, *BASE_PACKAGES)
    once(base, key, lambda: build_base(base / "root", CACHE / "base.log"))
    return base, key


def prepare_base():
    """Builds the base tree where it is missing."""
    with locked():
        base_under_lock()


def prepare(service):
    """Builds what a service's tree lacks. Returns the base tree and the layer above it."""
    layer = CACHE / "services" / service.name
    with locked():
        base, base_key = base_under_lock()
        fetch = service.folder / "fetch"
        fetch_text = fetch.read_text() if fetch.is_file() else ""
        once(layer, digest(base_key, fetch_text, *service.packages), lambda: fill_layer(base, layer, service, fetch))
    return base / "root", layer


def fill_layer(base, layer, service, fetch):
    """Installs a service's packages into its layer, and what its `fetch` gets from a registry into /opt/NAME of it."""
    log = layer / "build.log"
    (layer / "root").mkdir()
    (layer / "work").mkdir()
    if service.packages:
        install("install", base / "root", layer, service.packages, base / "root", log)
    if fetch.is_file():
        target = layer / "root/opt" / service.name
        target.mkdir(parents=True)
        run([str(fetch), str(target)], log)
