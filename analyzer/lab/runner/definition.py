"""What a service's folder says: its packages, its logs, how it starts, and the sessions with it."""

import dataclasses
import importlib.util
import pathlib
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class Log:
    """One log of a service: a file that it writes or, without a path, what it writes to the syslog socket.

    `form` is `text` or `json`. The output of a daemon that is started with `output=NAME` is the file
    `/var/log/NAME.output`. The syslog daemon writes Debian 12's traditional format; with `iso`, the format of
    Debian 13's."""

    name: str
    path: str = ""
    form: str = "text"
    iso: bool = False

    @property
    def file(self):
        return self.path or ("/var/log/syslog.iso" if self.iso else "/var/log/syslog")

    @property
    def source(self):
        if not self.path:
            return "syslog"
        return "output" if self.path.endswith(".output") else "file"


@dataclasses.dataclass(frozen=True)
class Script:
    """One session: a function that acts on the service, and what must be found in the log it leaves."""

    name: str
    kind: str
    entities: tuple[tuple[str, str], ...]
    act: Callable


@dataclasses.dataclass
class Service:
    """A service of the laboratory. `packages` are Debian's; the first is the one whose version is reported, unless
    `version` is a command that prints it. `start(machine)` brings it up, and again after a restart."""

    title: str
    packages: list[str]
    hostname: str
    logs: list[Log]
    version: list[str] | None = None
    # Seconds for all sessions together.
    limit: int = 180
    name: str = ""
    folder: pathlib.Path = pathlib.Path()
    scripts: list[Script] = dataclasses.field(default_factory=list)
    prepare: Callable = lambda machine: None
    start: Callable = lambda machine: None
    stop: Callable = lambda machine: machine.stop_daemons()

    def prepared(self, function):
        """Decorates what is done once, before the first start: configuration and accounts."""
        self.prepare = function
        return function

    def started(self, function):
        """Decorates what starts the daemons."""
        self.start = function
        return function

    def stopped(self, function):
        """Decorates what ends them, where SIGTERM to each that was started does not do."""
        self.stop = function
        return function

    def benign(self, function):
        """Decorates a session in which nobody attacks."""
        return self.add(function, "benign", ())

    def attack(self, *addresses, **others):
        """Decorates an attack session. The entities are the attacking addresses or, for a log without them,
        `account=NAME` or `host=NAME`."""
        entities = tuple(("address", address) for address in addresses) + tuple(others.items())
        if not entities:
            raise ValueError(f"{self.title}: an attack without an entity")
        return lambda function: self.add(function, "attack", entities)

    def add(self, function, kind, entities):
        words = function.__name__.replace("_", "-")
        name = words if words.startswith(kind) else f"{kind}-{words}"
        self.scripts.append(Script(name, kind, entities, function))
        return function


def load(folder):
    """Reads a service's folder."""
    folder = pathlib.Path(folder)
    spec = importlib.util.spec_from_file_location(f"lab_{folder.name.replace('-', '_')}", folder / "service.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.SERVICE.name = folder.name
    module.SERVICE.folder = folder
    return module.SERVICE


def names(lab):
    """The services of the laboratory, by name."""
    return sorted(path.parent.name for path in pathlib.Path(lab).glob("*/service.py"))
