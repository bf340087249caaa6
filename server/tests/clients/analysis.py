"""A client of guard, redact and verify, written from their contract alone: an application may rely on what it requires.

Usage: python3 analysis.py contract|unpaid|limited, with PALISADE_URL, PALISADE_API_KEY, and PALISADE_NARROW_KEY, a key
without the scope guard:use.

Prints a line per check, and exits with 1 at the first expectation that does not hold. Every phase but the first requires a
server in the state of its name. 404 and 500 have no check: no command deletes an organization, and no request causes a
failure.
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
