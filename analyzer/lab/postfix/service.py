"""Postfix as a mail server of a domain: SASL logins through Dovecot's authentication, no relaying for strangers.
Dovecot's growing delay after refused logins is off, for the sessions' sake."""

import smtplib
import time

from runner.network import ATTACKERS, OFFICE, ROAD
from runner.definition import Log, Service

SERVICE = Service(
    title="Postfix, SMTP server",
    packages=["postfix", "dovecot-core"],
    hostname="mx1",
    logs=[Log("syslog")],
    version=["postconf", "-h", "mail_version"],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31"}
GUESSER, SPRAYER, RELAYER, DROPPER, HARVESTER, PIPELINER, LOGIN = ATTACKERS[:7]
NAMED = ATTACKERS[49]

DOVECOT = """protocols =
log_path = /var/log/dovecot.log
passdb {
  driver = passwd-file
  args = /etc/dovecot/users
}
userdb {
  driver = static
  args = uid=nobody gid=nogroup home=/nonexistent
}
disable_plaintext_auth = no
auth_mechanisms = plain login
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service auth {
  unix_listener /var/spool/postfix/private/auth {
    mode = 0666
  }
}
"""


@SERVICE.prepared
def prepare(machine):
    machine.account("anna", "no-login-here")
    machine.account("bruno", "no-login-here")
    machine.write("/etc/dovecot/users", "".join(f"{name}:{{PLAIN}}{word}\n" for name, word in ACCOUNTS.items()))
    machine.write("/etc/dovecot/dovecot.conf", DOVECOT)
    machine.write("/etc/postfix/main.cf", """compatibility_level = 3.6
myhostname = mx1.example.org
mydestination = example.org, localhost
mynetworks = 127.0.0.0/8
inet_protocols = ipv4
alias_maps =
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = private/auth
smtpd_relay_restrictions = permit_sasl_authenticated, reject_unauth_destination
smtpd_data_restrictions = reject_unauth_pipelining
smtpd_helo_required = yes
default_transport = discard
""")
    # Debian runs the servers in a directory of their own, with copies of the files that name hosts.
    machine.run("/usr/lib/postfix/configure-instance.sh", "-")


@SERVICE.started
def start(machine):
    machine.daemon("dovecot", "-F", path="/var/spool/postfix/private/auth", output="dovecot")
    machine.run("postfix", "start")
    machine.listening(25)


@SERVICE.stopped
def stop(machine):
    machine.run("postfix", "stop", check=False)
    machine.stop_daemons()


def mail(session, address, sender, recipient, account=None):
    """One message, after a login where there is an account."""
    with session.client(address), smtplib.SMTP(session.server, local_hostname="laptop.example.net") as smtp:
        if account:
            smtp.login(account, ACCOUNTS[account])
            session.logged_in(address)
        smtp.sendmail(sender, recipient, "Subject: lunch\r\n\r\nToday?\r\n")


def attempt(session, address, account, password, mechanism="plain"):
    """One connection with one refused login."""
    with session.client(address), smtplib.SMTP(session.server, local_hostname="User") as smtp:
        smtp.ehlo()
        smtp.user, smtp.password = account, password
        authenticate = getattr(smtp, f"auth_{mechanism}")
        session.expect_refusal(address, lambda: smtp.auth(mechanism.upper(), authenticate), smtplib.SMTPException)


def refused_recipient(session, address, recipient, act):
    """One message that the server does not take."""
    try:
        mail(session, address, "news@example.com", recipient)
    except smtplib.SMTPRecipientsRefused:
        session.acted(address, act)
        return
    raise AssertionError(f"the server took a message for {recipient}")


@SERVICE.benign
def benign(session):
    """Two people send after a login, one after a typo; another server delivers; a monitor; reload and restart."""
    mail(session, OFFICE[0], "anna@example.org", "carla@example.com", "anna")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    mail(session, ROAD[0], "bruno@example.org", "anna@example.org", "bruno")
    mail(session, ROAD[5], "dora@example.com", "anna@example.org")
    refused_recipient(session, ROAD[5], "ana@example.org", "unknown recipient")
    # A mailing list whose subscribers have left.
    for number in range(15):
        refused_recipient(session, ROAD[6], f"subscriber{number}@example.org", "unknown recipient")
    session.drop(OFFICE[9], 25, 2)
    session.machine.run("postfix", "reload")
    mail(session, ROAD[5], "dora@example.com", "bruno@example.org")
    session.machine.restart()
    mail(session, OFFICE[0], "anna@example.org", "carla@example.com", "anna")
    time.sleep(1)


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}"), range(12))


@SERVICE.attack(LOGIN)
def guess_by_login(session):
    """One address tries passwords by the older mechanism LOGIN."""
    session.at_once(lambda number: attempt(session, LOGIN, "bruno", f"bruno{number}", "login"), range(12))


@SERVICE.attack(NAMED)
def guess_with_name(session):
    """An address with a name in the reverse zone tries passwords."""
    session.at_once(lambda number: attempt(session, NAMED, "bruno", f"winter{number}"), range(12))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, most of which do not exist."""
    names = [*ACCOUNTS, "office", "sales", "support", "billing", "jobs", "press", "legal", "scanner", "admin", "test"]
    session.at_once(lambda name: attempt(session, SPRAYER, f"{name}@example.org", "Winter2026!"), names)


@SERVICE.attack(RELAYER)
def relay(session):
    """One address asks for mail to other domains to be passed on."""
    session.at_once(lambda number: refused_recipient(session, RELAYER, f"relaytest{number}@example.net", "relay denied"),
                    range(12))


@SERVICE.attack(HARVESTER)
def harvest_recipients(session):
    """One address tries which recipients exist."""
    names = ["info", "admin", "sales", "john", "mary", "peter", "office", "jobs", "hr", "it", "web", "billing"]
    names += [f"{first}.{last}" for first in ["anna", "bruno", "carla", "dora"] for last in ["berg", "lang", "roth", "wolf", "kern", "vogt", "horn"]]
    session.at_once(lambda name: refused_recipient(session, HARVESTER, f"{name}@example.org", "unknown recipient"), names)


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects and leaves before it says anything."""
    session.drop(DROPPER, 25, 15)


@SERVICE.attack(PIPELINER)
def not_smtp(session):
    """One address sends commands of other protocols."""
    for words in [b"GET / HTTP/1.0\r\nHost: x\r\n\r\n", b"CONNECT a.example:80 HTTP/1.0\r\n\r\n", b"\x16\x03\x01\r\n"] * 4:
        with session.connect(PIPELINER, 25) as connection:
            connection.recv(512)
            connection.sendall(words)
            connection.recv(512)
        session.acted(PIPELINER, "malformed request")
