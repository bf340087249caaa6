"""Dovecot with IMAP and POP3 and a password file, logging to syslog as it does unless told otherwise, with
`auth_verbose` on, as its manual says for finding failed logins. The growing delay after refused logins is off, for the sessions' sake."""

import poplib

from runner import guessing, mail
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD
from runner.definition import Log, Service

SERVICE = Service(
    title="Dovecot, IMAP and POP3 server",
    packages=["dovecot-core", "dovecot-imapd", "dovecot-pop3d"],
    hostname="mail",
    logs=[Log("syslog")],
    version=["dovecot", "--version"],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, DROPPER, POP, PATIENT, PROBER = ATTACKERS[:7]
GUESSER6 = ATTACKERS6[0]


@SERVICE.prepared
def prepare(machine):
    machine.run("useradd", "--create-home", "vmail")
    machine.write("/etc/dovecot/users", "".join(f"{name}@example.org:{{PLAIN}}{word}\n" for name, word in ACCOUNTS.items()))
    machine.write("/etc/dovecot/dovecot.conf", """protocols = imap pop3
auth_verbose = yes
disable_plaintext_auth = no
ssl = no
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
mail_location = maildir:/home/vmail/%u
passdb {
  driver = passwd-file
  args = /etc/dovecot/users
}
userdb {
  driver = static
  args = uid=vmail gid=vmail home=/home/vmail/%u
}
""")


@SERVICE.started
def start(machine):
    machine.daemon("dovecot", "-F", port=143)
    machine.listening(110)


def read_mail(session, address, account):
    """A login by IMAP that stores and reads a message."""
    with session.client(address), mail.opened(session, address) as box:
        box.login(f"{account}@example.org", ACCOUNTS[account])
        session.logged_in(address)
        box.append("INBOX", None, None, b"Subject: lunch\r\n\r\nToday?\r\n")
        box.select()
        box.search(None, "ALL")


@SERVICE.benign
def benign(session):
    """Three people read mail by IMAP and POP3; one mistypes once; a monitor connects; reload and restart."""
    read_mail(session, OFFICE[0], "anna")
    mail.imap(session, ROAD[0], "bruno@example.org", "Tal-Birke-13")
    read_mail(session, ROAD[0], "bruno")
    with session.client(ROAD[1]):
        box = poplib.POP3(session.server)
        box.user("carla@example.org")
        box.pass_(ACCOUNTS["carla"])
        session.logged_in(ROAD[1])
        box.quit()
    session.drop(OFFICE[9], 143, 1)
    session.drop(OFFICE[9], 110, 1)
    session.machine.reload()
    read_mail(session, OFFICE[0], "anna")
    session.machine.restart()
    read_mail(session, ROAD[2], "carla")


guessing.one_account(SERVICE, GUESSER, mail.imap, "anna@example.org", tries=12,
                     description="One address tries passwords for one account by IMAP.")
guessing.over_ipv6(SERVICE, GUESSER6, mail.imap, "bruno@example.org")
guessing.spray(SERVICE, SPRAYER, mail.imap, [f"{name}@example.org" for name in [*ACCOUNTS, "office", "sales", "support",
                                             "billing", "jobs", "press", "legal", "scanner", "backup"]])
guessing.unknown_users(SERVICE, STRANGER, mail.imap, ["admin", "test", "root", "postmaster", "webmaster", "info", "user",
                                                      "mail", "guest", "oracle"],
                       description="One address tries account names without a domain, which do not exist.")
mail.connect_and_drop(SERVICE, DROPPER)
mail.pop_guess(SERVICE, POP, "carla@example.org")
mail.several_per_connection(SERVICE, PATIENT, "bruno@example.org", 3, 4)
mail.malformed(SERVICE, PROBER, "NTLM")
