"""Exim as a mail server of a domain, with SMTP authentication and no relaying for strangers. `log_selector` and the access
control lists are those of the configuration that its manual describes. Connections that are closed
without a word leave no line."""

import smtplib
import time

from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6, SERVER6
from runner.definition import Log, Service

SERVICE = Service(
    title="Exim, SMTP server",
    packages=["exim4-daemon-heavy"],
    hostname="mx2",
    logs=[Log("main", "/var/log/exim4/mainlog"), Log("reject", "/var/log/exim4/rejectlog")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, RELAYER, DROPPER, HARVESTER, RAW, LOGIN, PATIENT, FORGER, VERIFIER, HELO = ATTACKERS[:11]
GUESSER6 = ATTACKERS6[0]
PID_FILE = "/run/exim4/exim.pid"

CONFIGURATION = r"""primary_hostname = mx2.example.org
domainlist local_domains = @ : example.org
domainlist relay_to_domains =
hostlist relay_from_hosts = localhost
acl_smtp_rcpt = acl_check_rcpt
never_users = root
host_lookup = *
rfc1413_query_timeout = 0s
log_selector = +smtp_protocol_error +smtp_syntax_error +tls_certificate_verified
log_file_path = /var/log/exim4/%slog
keep_environment =

begin acl
acl_check_rcpt:
  accept hosts = :
  deny message = Restricted characters in address
       domains = +local_domains
       local_parts = ^[.] : ^.*[@%!/|]
  deny message = Restricted characters in address
       domains = !+local_domains
       local_parts = ^[./|] : ^.*[@%!] : ^.*/\\.\\./
  accept local_parts = postmaster
         domains = +local_domains
  require verify = sender
  accept hosts = +relay_from_hosts
         control = submission
  accept authenticated = *
         control = submission/domain=example.org
  require message = relay not permitted
          domains = +local_domains : +relay_to_domains
  require verify = recipient
  accept

begin routers
elsewhere:
  driver = accept
  domains = ! +local_domains
  transport = nowhere
localuser:
  driver = accept
  check_local_user
  transport = local_delivery
  cannot_route_message = Unknown user

begin transports
nowhere:
  driver = appendfile
  file = /dev/null
  user = mail
local_delivery:
  driver = appendfile
  file = /var/mail/$local_part_data
  delivery_date_add
  envelope_to_add
  return_path_add
  group = mail
  mode = 0660

begin retry
* * F,2h,15m; G,16h,1h,1.5; F,4d,6h

begin authenticators
PLAIN:
  driver = plaintext
  public_name = PLAIN
  server_set_id = $auth2
  server_prompts = :
  server_condition = ${if eq {$auth3} {${lookup{$auth2}lsearch{/etc/exim4/passwd}{$value}fail}}}
  server_advertise_condition = *
LOGIN:
  driver = plaintext
  public_name = LOGIN
  server_set_id = $auth1
  server_prompts = <| Username: | Password:
  server_condition = ${if eq {$auth2} {${lookup{$auth1}lsearch{/etc/exim4/passwd}{$value}fail}}}
  server_advertise_condition = *
"""


@SERVICE.prepared
def prepare(machine):
    for name in ACCOUNTS:
        machine.account(name, "no-login-here")
    machine.write("/etc/exim4/passwd", "".join(f"{name}: {word}\n" for name, word in ACCOUNTS.items()), 0o640, "root:Debian-exim")
    machine.write("/etc/exim4/exim4.conf", CONFIGURATION)


@SERVICE.started
def start(machine):
    machine.run("install", "-d", "-o", "Debian-exim", "-g", "Debian-exim", "/run/exim4")
    machine.run("rm", "-f", PID_FILE)
    # It listens before it takes connections; the file comes later.
    machine.daemon("/usr/sbin/exim4", "-bdf", "-q30m", "-oP", PID_FILE, path=PID_FILE)


def opened(session, address, greeting="laptop.example.net"):
    """A connection that has said nothing yet."""
    return smtplib.SMTP(SERVER6 if ":" in address else session.server, local_hostname=greeting)


def mail(session, address, sender, recipient, account=None, encrypted=False):
    """One message, after a login where there is an account."""
    with session.client(address), opened(session, address) as smtp:
        if encrypted:
            smtp.starttls()
        if account:
            smtp.login(account, ACCOUNTS[account])
            session.logged_in(address)
        smtp.sendmail(sender, recipient, f"From: {sender}\r\nTo: {recipient}\r\nSubject: lunch\r\n\r\nToday?\r\n")


def attempt(session, address, account, password, mechanism="plain", tries=1):
    """One connection with refused logins."""
    with session.client(address), opened(session, address, "User") as smtp:
        smtp.ehlo()
        authenticate = getattr(smtp, f"auth_{mechanism}")
        for number in range(tries):
            smtp.user, smtp.password = account, f"{password}{number or ''}"
            session.expect_refusal(address, lambda: smtp.auth(mechanism.upper(), authenticate), smtplib.SMTPException)


def refused_message(session, address, sender, recipient, act):
    """One message that the server does not take."""
    try:
        mail(session, address, sender, recipient)
    except smtplib.SMTPRecipientsRefused:
        session.acted(address, act)
        return
    raise AssertionError(f"the server took a message for {recipient}")


@SERVICE.benign
def benign(session):
    """People send after a login, one after a typo; servers deliver, some to who has left; a monitor; reload and restart."""
    for number in range(3):
        mail(session, OFFICE[number], "anna@example.org", "dora@example.com", "anna", encrypted=True)
        mail(session, ROAD[5 + number], f"news{number}@example.com", "anna@example.org")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    mail(session, ROAD[0], "bruno@example.org", "anna@example.org", "bruno", encrypted=True)
    mail(session, ROAD6[0], "carla@example.org", "erik@example.net", "carla")
    refused_message(session, ROAD[5], "dora@example.com", "ana@example.org", "unknown recipient")
    # A mailing list whose subscribers have left.
    for number in range(15):
        refused_message(session, ROAD[6], "list@example.net", f"former.colleague{number}@example.org", "unknown recipient")
    session.drop(OFFICE[9], 25, 3)
    for _ in range(3):
        with session.client(OFFICE[9]), opened(session, OFFICE[9], "monitor.example.org") as smtp:
            smtp.ehlo()
    session.machine.reload()
    mail(session, ROAD[5], "dora@example.com", "bruno@example.org")
    session.machine.restart()
    for name in ACCOUNTS:
        mail(session, OFFICE[0], f"{name}@example.org", "dora@example.com", name)
        mail(session, ROAD[5], "dora@example.com", f"{name}@example.org")
    time.sleep(1)


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}"), range(12))


@SERVICE.attack(LOGIN)
def guess_by_login(session):
    """One address tries passwords by the older mechanism LOGIN."""
    session.at_once(lambda number: attempt(session, LOGIN, "bruno", f"bruno{number}", "login"), range(12))


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One address of version 6 tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER6, "carla", f"carla{number}"), range(12))


@SERVICE.attack(PATIENT)
def several_per_connection(session):
    """One address tries three passwords in each connection."""
    session.at_once(lambda number: attempt(session, PATIENT, "anna", f"spring{number}", tries=3), range(4))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, most of which do not exist."""
    names = [*ACCOUNTS, "office", "sales", "support", "billing", "jobs", "press", "legal", "scanner", "admin", "test@example.org"]
    session.at_once(lambda name: attempt(session, SPRAYER, name, "Winter2026!"), names)


@SERVICE.attack(RELAYER)
def relay(session):
    """One address asks for mail to other domains to be passed on."""
    def ask(number):
        refused_message(session, RELAYER, "news@example.com", f"relaytest{number}@example.net", "relay denied")

    session.at_once(ask, range(12))


@SERVICE.attack(HARVESTER)
def harvest_recipients(session):
    """One address tries which recipients exist."""
    names = ["info", "admin", "sales", "john", "mary", "peter", "office", "jobs", "hr", "it", "web", "billing", "a%b", "|id"]
    names += [f"{first}.{last}" for first in ["anna", "bruno", "carla", "dora"] for last in ["berg", "lang", "roth", "wolf", "kern", "vogt", "horn"]]
    session.at_once(lambda name: refused_message(session, HARVESTER, "news@example.com", f"{name}@example.org",
                                                 "unknown recipient"), names)


@SERVICE.attack(FORGER)
def forged_senders(session):
    """One address writes in the name of people of the domain, who do not exist."""
    names = ["director", "ceo", "payroll", "it-support", "scanner", "voicemail", "hr", "fax", "board", "bank"]
    session.at_once(lambda name: refused_message(session, FORGER, f"{name}@example.org", "anna@example.org", "forged sender"), names)


def say(session, address, act, *lines):
    """Sends lines one after another on one connection, and waits for an answer to each."""
    with session.connect(address, 25) as connection:
        connection.recv(512)
        for line in lines:
            try:
                connection.sendall(line)
                connection.recv(2048)
            except ConnectionError:
                break
            session.acted(address, act)


@SERVICE.attack(VERIFIER)
def verify_users(session):
    """One address asks whether users exist, with commands for it."""
    for name in ["root", "admin", "anna", "postmaster", "test", "oracle"]:
        say(session, VERIFIER, "command denied", b"HELO scan\r\n", f"VRFY {name}\r\n".encode(), f"EXPN {name}\r\n".encode())


@SERVICE.attack(HELO)
def invalid_greetings(session):
    """One address greets with what is no name."""
    for name in ["*.*", "a b", "ylmf_pc", "[192.0.2.300]", "\\\\host", "x;id"] * 2:
        say(session, HELO, "invalid greeting", f"EHLO {name}\r\n".encode())


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects and leaves before it says anything."""
    session.drop(DROPPER, 25, 15)


@SERVICE.attack(RAW)
def not_smtp(session):
    """One address sends commands of other protocols, and speaks before the greeting."""
    for words in [b"GET / HTTP/1.0\r\nHost: x\r\n\r\n", b"CONNECT a.example:80 HTTP/1.0\r\n\r\n", b"\x16\x03\x01\r\n"] * 4:
        say(session, RAW, "malformed request", words)
    for _ in range(3):
        with session.connect(RAW, 25) as connection:
            connection.sendall(b"EHLO early\r\nMAIL FROM:<>\r\n")
            connection.recv(2048)
        session.acted(RAW, "malformed request")
