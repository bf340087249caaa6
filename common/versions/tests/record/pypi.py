"""Results of Python's packaging for generated versions and specifiers, as lines of tab-separated values:
order, match and prerelease as in npm.mjs. Specifiers are evaluated with pre-releases permitted.
Usage: python3 pypi.py SEED COUNT
"""

import random
import sys

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

seed, count = int(sys.argv[1]), int(sys.argv[2])
generator = random.Random(seed)
pick, chance = generator.choice, generator.random


def number():
    return pick(["0", "1", "2", "3", "9", "10", "11", "2026", "01"])


def version():
    text = pick(["", "", "", "", "", "", "v", "1!", "0!"])
    text += ".".join(number() for _ in range(pick([1, 2, 2, 3, 3, 3, 4])))
    if chance() < 0.3:
        text += pick(["a", "b", "rc", ".a", "-beta", "_c", "alpha", "preview", "pre"]) + pick(["", "0", "1", "2", ".3"])
    if chance() < 0.15:
        text += pick([".post1", ".post", "-1", "post2", ".rev3", "_r4"])
    if chance() < 0.15:
        text += pick([".dev0", ".dev1", "dev", "-dev2", ".dev"])
    if chance() < 0.1:
        text += pick(["+local", "+1", "+ubuntu.1", "+abc-2", "+01"])
    if chance() < 0.02:
        text += pick([".x", "-", "..1", "foo", " ", "+", "!1"])
    return text


def specifier():
    operator = pick(["==", "!=", "<", "<=", ">", ">=", "~=", "~=", "==", ">=", "==="])
    text = version()
    if operator in ("==", "!=") and chance() < 0.35:
        text = ".".join(number() for _ in range(pick([1, 2, 3]))) + ".*"
    elif operator == "~=" and chance() < 0.7:
        text = ".".join(number() for _ in range(pick([2, 3])))
    return operator + pick(["", "", "", " "]) + text


def near(text):
    words = [word.strip("=!<>~ *.") for word in text.split(",")]
    if chance() < 0.4 or not words[0]:
        return version()
    base = pick(words)
    kind = chance()
    if kind < 0.3:
        return base
    if kind < 0.5:
        return base + pick([".0", ".1", "a1", "rc1", ".post1", ".dev1", "+local"])
    parts = base.split(".")
    at = generator.randrange(len(parts))
    if parts[at].isdigit():
        parts[at] = str(max(0, int(parts[at]) + pick([-1, 1])))
    return ".".join(parts)


def read(kind, text):
    try:
        return kind(text)
    except (InvalidVersion, InvalidSpecifier):
        return None


lines = {}
while len(lines) < count:
    kind = chance()
    if kind < 0.3:
        left = version()
        right = near(left) if chance() < 0.5 else version()
        a, b = read(Version, left), read(Version, right)
        result = "invalid" if a is None or b is None else "less" if a < b else "greater" if a > b else "equal"
        lines[f"order\t{left}\t{right}\t{result}"] = None
    elif kind < 0.35:
        text = version()
        a = read(Version, text)
        result = "invalid" if a is None else "yes" if a.is_prerelease else "no"
        lines[f"prerelease\t{text}\t-\t{result}"] = None
    else:
        right = ",".join(specifier() for _ in range(pick([1, 1, 1, 2, 3])))
        left = near(right)
        a, b = read(Version, left), read(SpecifierSet, right)
        result = "invalid" if a is None or b is None else "yes" if b.contains(a, prereleases=True) else "no"
        lines[f"match\t{left}\t{right}\t{result}"] = None
print("\n".join(lines))
