"""DokuWiki behind nginx and PHP-FPM, all from Debian, with its password file. DokuWiki itself writes nothing about logins: the
access log is all there is, at the level that nginx's package sets."""

import re

from runner import guessing, php, site, web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="DokuWiki, wiki",
    packages=["dokuwiki", "php8.2-fpm", "nginx"],
    hostname="notes",
    logs=[Log("access", "/var/log/nginx/access.log"), Log("error", "/var/log/nginx/error.log")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58", "dora": "Watt-Erle-24"}
GUESSER, SPRAYER, STRANGER, QUERY, FOUND, SCANNER = ATTACKERS[:6]
GUESSER6 = ATTACKERS6[0]
TOKEN = re.compile(r'name="sectok" value="([^"]*)"')


@SERVICE.prepared
def prepare(machine):
    lines = []
    for name, word in ACCOUNTS.items():
        hashed = machine.run("openssl", "passwd", "-1", word).strip()
        lines.append(f"{name}:{hashed}:{name.title()}:{name}@example.org:{'admin,user' if name == 'anna' else 'user'}\n")
    machine.write("/var/lib/dokuwiki/acl/users.auth.php", "".join(lines), owner="www-data")
    machine.write("/var/lib/dokuwiki/acl/acl.auth.php", "*\t@ALL\t1\n*\t@user\t8\nboard:*\t@ALL\t0\nboard:*\t@user\t0\n", owner="www-data")
    machine.append("/etc/dokuwiki/local.php", "$conf['updatecheck'] = 0;\n")
    php.site(machine, "/usr/share/dokuwiki", "notes.example.org", """    index doku.php;
    location ~ ^/(data|conf|bin|inc|vendor)/ {
        deny all;
    }""")


SERVICE.started(php.start)
SERVICE.stopped(php.stop)


def forget(browser):
    """Drops the cookies that a page has deleted, as browsers do."""
    browser.cookies = {name: value for name, value in browser.cookies.items() if value != "deleted"}


def log_in(browser, account, password):
    """Opens the login page and sends its form."""
    page = browser.get("/doku.php?id=start&do=login")
    found = TOKEN.search(page.text)
    forget(browser)
    form = {"sectok": found[1] if found else "", "id": "start", "do": "login", "u": account, "p": password}
    return browser.post("/doku.php?id=start", form)


def attempt(session, address, account, password):
    """One refused login: the form again, with status 200 or 403."""
    answer = log_in(web.Browser(session, address), account, password)
    assert answer.status in (200, 403) and 'name="p"' in answer.text, answer.status
    session.refused(address)


def read(browser):
    """A reader's pages and what belongs to them."""
    for path in ("/", "/doku.php?id=start", "/doku.php?id=wiki:syntax", "/lib/exe/css.php?t=dokuwiki", "/doku.php?do=search&q=anchor",
                 "/doku.php?do=recent", "/lib/exe/taskrunner.php?id=start"):
        assert browser.get(path).status < 400, path
        forget(browser)


def work(session, address, account):
    """A login, pages and an edit."""
    browser = web.Browser(session, address)
    answer = log_in(browser, account, ACCOUNTS[account])
    assert answer.status == 302 or 'name="p"' not in answer.text, answer.status
    session.logged_in(address)
    read(browser)
    page = browser.get(f"/doku.php?id=pier:{account}&do=edit")
    form = {"sectok": TOKEN.search(page.text)[1], "id": f"pier:{account}", "do[save]": "1", "wikitext": "Ships", "summary": "",
            "date": "", "prefix": ".", "suffix": "", "rev": "0", "target": "section"}
    assert browser.post(f"/doku.php?id=pier:{account}&do=edit", form).status in (200, 302)
    if account == "anna":
        assert browser.get("/doku.php?id=start&do=admin").status == 200


@SERVICE.benign
def benign(session):
    """Visitors read; people log in and edit, three mistype once, one opens what she may not see; a monitor and a robot ask;
    both daemons restart."""
    for address in (ROAD[2], ROAD[3], ROAD6[1]):
        read(web.Browser(session, address))
    work(session, OFFICE[0], "anna")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    attempt(session, ROAD6[0], "carla@example.org", ACCOUNTS["carla"])
    work(session, ROAD6[0], "carla")
    assert "Permission Denied" in web.request(session, ROAD[1], "/doku.php?id=board:salaries").text
    for _ in range(3):
        web.request(session, OFFICE[9], "/doku.php?id=start", headers={"User-Agent": "check_http/v2.3.3"})
    for path in ("/robots.txt", "/doku.php?id=old_pier", "/feed.php", "/favicon.ico"):
        web.request(session, ROAD[5], path, headers={"User-Agent": "Mozilla/5.0 (compatible; Seeker/2.0)"})
    session.machine.restart()
    attempt(session, OFFICE[0], "anna", "Fjord-Kiesel-7")
    work(session, OFFICE[0], "anna")


guessing.one_account(SERVICE, GUESSER, attempt)
guessing.over_ipv6(SERVICE, GUESSER6, attempt)
guessing.spray(SERVICE, SPRAYER, attempt, [*ACCOUNTS, "office", "sales", "support", "billing", "jobs", "press", "legal",
                                           "backup"])
guessing.unknown_users(SERVICE, STRANGER, attempt, ["admin", "root", "test", "wiki", "user", "guest", "demo", "dokuwiki",
                                                    "oracle", "web", "pi"], "1234")


@SERVICE.attack(QUERY)
def guess_in_address(session):
    """One address tries passwords in the address of the page, so that they are in the access log."""
    def guess(number):
        answer = web.request(session, QUERY, f"/doku.php?id=start&do=login&u=carla&p=Carla{number}")
        assert answer.status in (200, 403), answer.status
        session.refused(QUERY)

    session.at_once(guess, range(12))


guessing.stolen_pairs(SERVICE, FOUND, attempt, work, "dora")


site.scan(SERVICE, SCANNER, ["/conf/users.auth.php", "/data/pages/start.txt", "/install.php", "/conf/local.php.bak", "/.env",
                             "/.git/config", "/wp-login.php", "/phpmyadmin/",
                             "/lib/exe/fetch.php?media=../../conf/users.auth.php", "/data/meta/_dokuwiki.changes",
                             "/lib/exe/ajax.php?call=../../../etc/passwd", "/doku.php?id=start&do=admin&page=extension"],
          "One address asks for files of DokuWiki and of other programs, as scanners do.")
