"""Sessions of guessing that services have in common. Each function adds one to a service; `attempt(session, address,
account, password)` is one refused login of that service. The description may be changed by `description`, the entity
by `host=NAME` where the log has no address."""

import re

OFFICES = ["admin", "root", "test", "office", "sales", "info", "user", "guest", "backup"]
STOLEN = ["emma", "felix", "greta", "hugo", "ida", "jonas", "klara", "lukas", "mia", "noah", "olga", "paul"]


def add(service, address, act, name, description, entity):
    """Adds an attack session."""
    act.__name__ = name
    act.__doc__ = description
    if entity:
        service.attack(**entity)(act)
    else:
        service.attack(address)(act)


def one_account(service, address, attempt, account="anna", tries=14, workers=6, name="guess_one_account",
                description="One address tries passwords for one account.", **entity):
    """Passwords for one account."""
    stem = re.sub(r"\W.*", "", account).lower()

    def act(session):
        session.at_once(lambda number: attempt(session, address, account, f"{stem}{number}"), range(tries), workers)

    add(service, address, act, name, description, entity)


def over_ipv6(service, address, attempt, account="bruno", workers=6):
    """Passwords for one account, from an IPv6 address."""
    one_account(service, address, attempt, account, 12, workers, "guess_over_ipv6",
                "One IPv6 address tries passwords for one account.")


def spray(service, address, attempt, accounts, workers=6):
    """One password for many accounts."""
    def act(session):
        session.at_once(lambda account: attempt(session, address, account, "Winter2026!"), accounts, workers)

    add(service, address, act, "spray", "One address tries one password for many accounts, of which some exist.", {})


def unknown_users(service, address, attempt, accounts, password=None, workers=6,
                  description="One address tries accounts that do not exist."):
    """Accounts that do not exist, with their names as passwords or one password."""
    def act(session):
        session.at_once(lambda account: attempt(session, address, account, password or account), accounts, workers)

    add(service, address, act, "unknown_users", description, {})


def stolen_pairs(service, address, attempt, work, found, spelling=str.lower):
    """Accounts with passwords stolen elsewhere; `work(session, address, account)` is the login that succeeds."""
    def act(session):
        for account in STOLEN:
            attempt(session, address, spelling(account), f"{account.title()}2019")
        work(session, address, found)

    add(service, address, act, "stolen_pairs", "One address tries accounts with passwords stolen elsewhere, one after another; "
        "the last one is right.", {})
