"""Compares a fresh capture with the committed one, at the level that must not change: the sessions and their logs. Lines
differ from run to run, and are judged by the test of detection."""


def complaints(committed, fresh):
    """The differences that matter between the texts `capture.json` of two captures."""
    before = {session["name"]: session for session in committed["sessions"]}
    after = {session["name"]: session for session in fresh["sessions"]}
    found = [f"session {name} is gone" for name in sorted(before.keys() - after.keys())]
    found += [f"session {name} is not in the committed capture" for name in sorted(after.keys() - before.keys())]
    for name in sorted(before.keys() & after.keys()):
        for key in ("kind", "entities"):
            if before[name][key] != after[name][key]:
                found.append(f"session {name}: {key}: {after[name][key]} in place of {before[name][key]}")
        if before[name]["files"] and not after[name]["files"]:
            found.append(f"session {name}: the service wrote nothing")
    return found
