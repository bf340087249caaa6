"""A client of guard, redact and verify, written from their contract alone: what it requires is what an application may rely on.

Usage: PALISADE_URL=… PALISADE_API_KEY=… PALISADE_NARROW_KEY=… python3 analysis.py contract|unpaid|gone|limited

Prints a line per check, and exits with 1 at the first expectation that does not hold. Every phase but the first requires a
server in the state of its name. 500 and 503 have no check: no request of a client causes them.
"""

import sys

import guard
import redact
import refusals
import verify
from calls import Violated


def named(module):
    return [(f"{module.PATH}: {name}", check) for name, check in module.CHECKS]


PHASES = {
    "contract": [*named(guard), *named(redact), *named(verify), *refusals.CHECKS],
    "unpaid": refusals.UNPAID,
    "gone": refusals.GONE,
    "limited": refusals.LIMITED,
}


def main():
    checks = PHASES[sys.argv[1]]
    for name, check in checks:
        try:
            check()
        except Violated as violated:
            sys.exit(f"VIOLATED {name}: {violated}")
        print("ok", name, flush=True)
    print(len(checks), "checks hold")


main()
