"""MediaWiki with SQLite behind nginx and PHP-FPM, all from Debian. It writes no log as it comes; here the groups of its debug
log that its manual names for logins are on (`authentication`, `authevents`, `throttler`). nginx logs as its
package sets it."""

import json
import re

from runner import guessing, php, site, web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="MediaWiki, wiki",
    packages=["mediawiki", "php8.2-fpm", "php-sqlite3", "nginx"],
    hostname="wiki",
    logs=[Log("authentication", "/var/log/mediawiki/authentication.log"), Log("access", "/var/log/nginx/access.log"),
          Log("error", "/var/log/nginx/error.log")],
)
ACCOUNTS = {"Anna": "Fjord-Kiesel-77", "Bruno": "Tal-Birke-31", "Carla": "Ufer-Moos-58", "Dora": "Watt-Erle-24"}
GUESSER, SPRAYER, STRANGER, CALLER, BLIND, FOUND, SCANNER = ATTACKERS[:7]
GUESSER6 = ATTACKERS6[0]
TOKEN = re.compile(r'name="wpLoginToken"[^>]*value="([^"]+)"|value="([^"]+)"[^>]*name="wpLoginToken"')
LOGIN = "/index.php?title=Special:UserLogin&returnto=Main+Page"


def maintain(machine, script, *arguments):
    """Runs one of MediaWiki's programs of maintenance as the web server's account."""
    machine.run("php", f"/usr/share/mediawiki/maintenance/{script}", *arguments, user="www-data")


@SERVICE.prepared
def prepare(machine):
    machine.run("install", "-d", "-o", "www-data", "/var/log/mediawiki", "/var/lib/mediawiki/data")
    maintain(machine, "install.php", "--dbtype=sqlite", "--dbpath=/var/lib/mediawiki/data", "--server=http://wiki.example.org",
             "--scriptpath=", "--confpath=/var/lib/mediawiki/data", f"--pass={ACCOUNTS['Anna']}", "Harbour", "Anna")
    machine.run("mv", "/var/lib/mediawiki/data/LocalSettings.php", "/etc/mediawiki/LocalSettings.php")
    groups = "".join(f"$wgDebugLogGroups['{group}'] = '/var/log/mediawiki/authentication.log';\n"
                     for group in ("authentication", "authevents", "throttler"))
    # Without a cache MediaWiki does not count refused logins.
    machine.append("/etc/mediawiki/LocalSettings.php", f"{groups}$wgEnableEmail = false;\n$wgMainCacheType = CACHE_DB;\n")
    for name, word in ACCOUNTS.items():
        if name != "Anna":
            maintain(machine, "createAndPromote.php", name, word)
    php.site(machine, "/usr/share/mediawiki", "wiki.example.org", """    index index.php;
    location ~ ^/(cache|includes|maintenance|languages|images/deleted)/ {
        deny all;
    }""")


SERVICE.started(php.start)
SERVICE.stopped(php.stop)


def log_in(browser, account, password):
    """Opens the login page and sends its form."""
    page = browser.get(LOGIN)
    assert page.status == 200, page.status
    found = TOKEN.search(page.text)
    return browser.post(LOGIN, {"wpName": account, "wpPassword": password, "wploginattempt": "Log in", "wpEditToken": "+\\",
                                "title": "Special:UserLogin", "authAction": "login", "force": "",
                                "wpLoginToken": (found[1] or found[2]).replace("&#43;", "+").replace("&#92;", "\\")})


def attempt(session, address, account, password):
    """One refused login: the form again, with status 200."""
    answer = log_in(web.Browser(session, address), account, password)
    assert answer.status == 200 and "wpLoginToken" in answer.text, answer.status
    session.refused(address)


def call(browser, account, password):
    """A login by the interface for programs; returns its result."""
    answer = browser.get("/api.php?action=query&meta=tokens&type=login&format=json")
    token = json.loads(answer.text)["query"]["tokens"]["logintoken"]
    form = {"action": "login", "format": "json", "lgname": account, "lgpassword": password, "lgtoken": token}
    return json.loads(browser.post("/api.php", form).text)["login"]["result"]


def read(browser):
    """A reader's pages and what belongs to them."""
    for path in ("/index.php?title=Main_Page", "/index.php?title=Special:RecentChanges", "/index.php?search=anchor",
                 "/load.php?lang=en&modules=startup&only=scripts&raw=1&skin=vector", "/index.php?title=Special:Version"):
        assert browser.get(path).status == 200, path


def work(session, address, account):
    """A login, pages and an edit."""
    browser = web.Browser(session, address)
    assert log_in(browser, account, ACCOUNTS[account]).status == 302
    session.logged_in(address)
    read(browser)
    token = json.loads(browser.get("/api.php?action=query&meta=tokens&format=json").text)["query"]["tokens"]["csrftoken"]
    form = {"action": "edit", "format": "json", "title": f"Pier {account}", "text": f"Ships of {account}", "token": token}
    assert "Success" in browser.post("/api.php", form).text


@SERVICE.benign
def benign(session):
    """Visitors read; people log in and edit, three mistype once; a program logs in; a monitor and a robot ask; both daemons
    restart."""
    for address in (ROAD[2], ROAD6[1]):
        read(web.Browser(session, address))
    work(session, OFFICE[0], "Anna")
    attempt(session, ROAD[0], "Bruno", "Tal-Birke-13")
    work(session, ROAD[0], "Bruno")
    attempt(session, ROAD6[0], "Karla", ACCOUNTS["Carla"])
    work(session, ROAD6[0], "Carla")
    for _ in range(2):
        assert call(web.Browser(session, OFFICE[2]), "Dora", ACCOUNTS["Dora"]) == "Success"
        session.logged_in(OFFICE[2])
    for _ in range(3):
        web.request(session, OFFICE[9], "/index.php?title=Main_Page", headers={"User-Agent": "check_http/v2.3.3"})
    for path in ("/robots.txt", "/index.php?title=Old_Pier", "/favicon.ico", "/index.php?title=Main_Page&action=history"):
        web.request(session, ROAD[5], path, headers={"User-Agent": "Mozilla/5.0 (compatible; Seeker/2.0)"})
    session.machine.restart()
    attempt(session, OFFICE[0], "Anna", "Fjord-Kiesel-7")
    work(session, OFFICE[0], "Anna")


guessing.one_account(SERVICE, GUESSER, attempt, "Anna",
                     description="One address tries passwords for one account; MediaWiki bars account and address for some minutes after five.")
guessing.over_ipv6(SERVICE, GUESSER6, attempt, "Bruno")
guessing.spray(SERVICE, SPRAYER, attempt, [*ACCOUNTS, "Office", "Sales", "Support", "Billing", "Jobs", "Press", "Legal",
                                           "Backup"])
guessing.unknown_users(SERVICE, STRANGER, attempt, ["Admin", "Root", "Test", "WikiSysop", "User", "Guest", "Demo",
                                                    "Bureaucrat", "a|b", "<script>", "MediaWiki default"], "1234",
                       description="One address tries accounts that do not exist, and names that cannot be.")


@SERVICE.attack(CALLER)
def guess_by_interface(session):
    """One address tries passwords for one account by the interface for programs, which answers 200 each time."""
    def guess(number):
        assert call(web.Browser(session, CALLER), "Carla", f"carla{number}") in ("Failed", "Aborted", "Throttled")
        session.refused(CALLER)

    session.at_once(guess, range(12))


guessing.stolen_pairs(SERVICE, FOUND, attempt, work, "Dora", str.title)


@SERVICE.attack(BLIND)
def without_token(session):
    """One address sends login forms without the page's token, as simple tools do."""
    for number in range(12):
        answer = web.Browser(session, BLIND).post(LOGIN, {"wpName": "Anna", "wpPassword": f"anna{number}", "wploginattempt": "Log in"})
        assert answer.status == 200, answer.status
        session.acted(BLIND, "form without token")


site.scan(SERVICE, SCANNER, ["/LocalSettings.php.bak", "/LocalSettings.php~", "/mw-config/index.php",
                             "/maintenance/update.php", "/includes/Setup.php", "/.env", "/.git/config", "/wp-login.php",
                             "/phpmyadmin/", "/images/shell.php", "/cache/l10n_cache-en.cdb", "/wiki/"],
          "One address asks for files of MediaWiki and of other programs, as scanners do.")
