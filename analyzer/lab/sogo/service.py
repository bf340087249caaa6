"""SOGo with its accounts in MariaDB, behind nginx as its manual shows it, all from Debian. SOGo's own log reports refused logins
and requests as it comes; the address is that which nginx passes on. Limits on refused logins are on, as the manual
describes them."""

import json

from runner import guessing, web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="SOGo, groupware",
    packages=["sogo", "mariadb-server", "memcached", "nginx"],
    hostname="groupware",
    logs=[Log("sogo", "/var/log/sogo/sogo.log"), Log("access", "/var/log/nginx/access.log")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58", "dora": "Watt-Erle-24"}
GUESSER, SPRAYER, STRANGER, CALENDAR, TRESPASSER, FOUND, SCANNER = ATTACKERS[:7]
GUESSER6 = ATTACKERS6[0]
DATABASE = "mysql://sogo:Heide-Quarz-19@127.0.0.1:3306/sogo"


@SERVICE.prepared
def prepare(machine):
    machine.write("/etc/sogo/sogo.conf", f"""{{
  SOGoProfileURL = "{DATABASE}/sogo_user_profile";
  OCSFolderInfoURL = "{DATABASE}/sogo_folder_info";
  OCSSessionsFolderURL = "{DATABASE}/sogo_sessions_folder";
  OCSEMailAlarmsFolderURL = "{DATABASE}/sogo_alarms_folder";
  SOGoUserSources = (
    {{
      type = sql;
      id = directory;
      viewURL = "{DATABASE}/people";
      canAuthenticate = YES;
      isAddressBook = YES;
      displayName = "People";
      userPasswordAlgorithm = plain;
    }}
  );
  SOGoMailDomain = "example.org";
  SOGoTimeZone = UTC;
  SOGoMailModuleDisabled = YES;
  SOGoLoginModule = Calendar;
  SOGoMaximumFailedLoginCount = 8;
  SOGoMaximumFailedLoginInterval = 60;
  SOGoFailedLoginBlockInterval = 60;
  WOPort = 127.0.0.1:20000;
}}
""")
    machine.write("/etc/nginx/sites-enabled/default", """server {
    listen 80 default_server;
    listen [::]:80 default_server;
    root /usr/lib/GNUstep/SOGo/WebServerResources;
    server_name groupware.example.org;
    location = / {
        return 302 /SOGo/;
    }
    location ^~ /SOGo.woa/WebServerResources/ {
        alias /usr/lib/GNUstep/SOGo/WebServerResources/;
    }
    location ^~ /SOGo {
        proxy_pass http://127.0.0.1:20000;
        proxy_buffer_size 64k;
        proxy_buffers 8 64k;
        proxy_set_header X-Real-IP $remote_addr;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header Host $host;
        proxy_set_header x-webobjects-server-protocol HTTP/1.0;
        proxy_set_header x-webobjects-remote-host $remote_addr;
        proxy_set_header x-webobjects-server-name $server_name;
        proxy_set_header x-webobjects-server-url $scheme://$host;
        proxy_set_header x-webobjects-server-port $server_port;
    }
}
""")
    start_database(machine)
    people = ", ".join(f"('{name}', '{name}', '{word}', '{name.title()}', '{name}@example.org')" for name, word in ACCOUNTS.items())
    machine.run("mariadb", stdin="CREATE DATABASE sogo CHARACTER SET utf8mb4; GRANT ALL ON sogo.* TO sogo@localhost IDENTIFIED BY "
                "'Heide-Quarz-19'; CREATE TABLE sogo.people (c_uid VARCHAR(60) PRIMARY KEY, c_name VARCHAR(60), "
                f"c_password VARCHAR(60), c_cn VARCHAR(60), mail VARCHAR(60)); INSERT INTO sogo.people VALUES {people};")
    machine.stop()


def start_database(machine):
    """Starts MariaDB."""
    machine.run("install", "-d", "-o", "mysql", "-g", "mysql", "/run/mysqld")
    machine.daemon("mariadbd", "--user=mysql", port=3306, output="mariadb")


@SERVICE.started
def start(machine):
    start_database(machine)
    machine.daemon("memcached", "-u", "nobody", "-l", "127.0.0.1", port=11211, output="memcached")
    machine.run("install", "-d", "-o", "sogo", "-g", "sogo", "/run/sogo", "/var/log/sogo")
    machine.daemon("sogod", "-WONoDetach", "YES", "-WOWorkersCount", "3", "-WOPidFile",
                   "/run/sogo/sogo.pid", "-WOLogFile", "/var/log/sogo/sogo.log", port=20000, output="sogod",
                   env={"HOME": "/var/lib/sogo"}, user="sogo")
    machine.daemon("nginx", "-g", "daemon off;", port=80, output="nginx")


def log_in(browser, account, password):
    """The request by which the login page asks for a session."""
    body = json.dumps({"userName": account, "password": password, "domain": None, "language": "English", "rememberLogin": 0})
    return browser.post("/SOGo/connect", body, {"Content-Type": "application/json"})


def attempt(session, address, account, password):
    """One refused login at the page."""
    answer = log_in(web.Browser(session, address), account, password)
    assert answer.status == 403, answer.status
    session.refused(address)


def dav(session, address, account, password, owner=None, method="PROPFIND"):
    """One request of a calendar program; returns its status."""
    path = f"/SOGo/dav/{owner or account}/Calendar/personal/"
    return web.request(session, address, path, method=method, account=account, password=password,
                       headers={"Depth": "1", "User-Agent": "calendar/1.4"}).status


def attempt_dav(session, address, account, password):
    """One refused login of a calendar program."""
    assert dav(session, address, account, password) == 401
    session.refused(address)


def work(session, address, account):
    """A login, calendar and contacts, and the logout."""
    browser = web.Browser(session, address)
    assert browser.get("/SOGo/").status == 200
    answer = log_in(browser, account, ACCOUNTS[account])
    assert answer.status == 200, answer.text
    session.logged_in(address)
    header = {"X-XSRF-TOKEN": browser.cookies.get("XSRF-TOKEN", "")}
    for path in ("Calendar/view", "Calendar/calendarslist", "Contacts/view", "Calendar/eventslist"):
        answer = browser.ask("GET", f"/SOGo/so/{account}/{path}", None, header)
        assert answer.status == 200, (path, answer.status)
    answer = browser.ask("GET", f"/SOGo/so/{account}/logoff", None, header)
    assert answer.status == 302, answer.status


@SERVICE.benign
def benign(session):
    """People look at calendars and contacts, three mistype once; calendar programs ask again and again, one with an old password
    at first; a monitor asks; everything restarts."""
    work(session, OFFICE[0], "anna")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    attempt(session, ROAD6[0], "carla@example.com", ACCOUNTS["carla"])
    work(session, ROAD6[0], "carla")
    for _ in range(4):
        assert dav(session, OFFICE[1], "anna", ACCOUNTS["anna"]) == 207
        session.logged_in(OFFICE[1])
    attempt_dav(session, ROAD[1], "dora", "Watt-Erle-23")
    for _ in range(3):
        assert dav(session, ROAD[1], "dora", ACCOUNTS["dora"]) == 207
        session.logged_in(ROAD[1])
        web.request(session, OFFICE[9], "/SOGo/", headers={"User-Agent": "check_http/v2.3.3"})
    assert dav(session, ROAD[1], "dora", ACCOUNTS["dora"], "bruno") in (403, 404)
    session.machine.restart()
    attempt(session, OFFICE[0], "anna", "Fjord-Kiesel-7")
    work(session, OFFICE[0], "anna")
    work(session, ROAD[2], "dora")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account; SOGo bars the account for a while after eight."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}"), range(14))


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER6, "bruno", f"bruno{number}"), range(12))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    names = [*ACCOUNTS, "office", "sales", "support", "billing", "jobs", "press", "legal", "backup"]
    session.at_once(lambda name: attempt(session, SPRAYER, name, "Winter2026!"), names)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist, some of them phrases with the log's own signs."""
    names = ["admin", "root", "test", "sogo", "user", "guest", "demo", "' from '192.0.2.20", "anna' might have worked", "oracle",
             "postmaster", "' OR '1'='1"]
    session.at_once(lambda name: attempt(session, STRANGER, name, "1234"), names)


@SERVICE.attack(CALENDAR)
def guess_by_calendar(session):
    """One address tries passwords for one account as calendar programs log in."""
    session.at_once(lambda number: attempt_dav(session, CALENDAR, "carla", f"carla{number}"), range(12))


guessing.stolen_pairs(SERVICE, FOUND, attempt, work, "dora")


@SERVICE.attack(TRESPASSER)
def foreign_calendars(session):
    """One address has an account's password and asks for the calendars of others."""
    for owner in ["anna", "bruno", "carla", "office", "boss", "emil"] * 2:
        assert dav(session, TRESPASSER, "dora", ACCOUNTS["dora"], owner) in (403, 404)
        session.acted(TRESPASSER, "foreign resource denied")


@SERVICE.attack(SCANNER)
def paths(session):
    """One address asks for files of other programs, and for pages of accounts without a login."""
    probes = ["/.env", "/.git/config", "/wp-login.php", "/SOGo/so/admin/Administration/view", "/SOGo/dav/public/", "/autodiscover/",
              "/SOGo/../../etc/passwd", "/SOGo.woa/WebServerResources/../../../etc/passwd", "/owa/", "/Microsoft-Server-ActiveSync",
              "/SOGo/so/anna/Calendar/view", "/SOGo/dav/anna/"]
    for path in probes:
        assert web.request(session, SCANNER, path).status < 500, path
        session.acted(SCANNER, "path probed")
