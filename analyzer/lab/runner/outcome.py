"""What came of running services anew, and whether it is a failure."""

import dataclasses
import enum


class Reason(enum.Enum):
    """Why services were not run."""

    NOT_ROOT = "not root"
    OTHER_SYSTEM = "another system"
    NO_NAMESPACES = "no namespaces"
    NO_PACKAGE = "a package could not be had"
    NO_TIME = "no time left"


# Properties of the machine, which a run on it cannot change: these alone are allowed where the laboratory is required. All
# others may hide a service that does not work any more.
ALLOWED = frozenset({Reason.NOT_ROOT, Reason.OTHER_SYSTEM, Reason.NO_NAMESPACES})


class Lacking(Exception):
    """Something that the laboratory needs cannot be had here; the text says so."""

    def __init__(self, reason, text):
        super().__init__(text)
        self.reason = reason


@dataclasses.dataclass
class Outcome:
    """What came of the services."""

    captured: list[str] = dataclasses.field(default_factory=list)
    failures: list[str] = dataclasses.field(default_factory=list)
    lacking: list[tuple[Reason, str]] = dataclasses.field(default_factory=list)

    def lack(self, names, lacking):
        """Takes note of services that were not run."""
        self.lacking.append((lacking.reason, f"{', '.join(names)}: {lacking}"))

    def is_failure(self, is_required):
        """Whether the run fails. Where the laboratory is required, only allowed reasons pass; a machine that is slow passes
        once it has run one service."""
        def may_lack(reason):
            return reason in ALLOWED or (reason is Reason.NO_TIME and bool(self.captured))
        return bool(self.failures) or (is_required and not all(may_lack(reason) for reason, _ in self.lacking))

    def report(self):
        """The lines that say what was run and what was not."""
        lines = [f"run anew: {', '.join(self.captured) or 'none'}"]
        lines += [f"NOT RUN ({reason.value}): {text}" for reason, text in self.lacking]
        lines += [f"FAILED: {text}" for text in self.failures]
        if self.lacking and not self.captured:
            bar = "=" * 100
            lines += [bar, "THE SERVICE LABORATORY DID NOT RUN: no service was attacked and no fresh log was judged.", bar]
        return lines
