"""phpMyAdmin behind nginx and PHP-FPM, with MariaDB, all from Debian. phpMyAdmin reports refused logins to syslog with
`AuthLog` at its default `auto`; MariaDB and nginx log as their packages set them."""

import re

from runner import php, web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="phpMyAdmin, administration of MariaDB",
    packages=["phpmyadmin", "mariadb-server", "php8.2-fpm", "nginx"],
    hostname="dbadmin",
    logs=[Log("syslog"), Log("access", "/var/log/nginx/access.log"), Log("error", "/var/log/nginx/error.log"),
          Log("mariadb", "/var/log/mysql/error.log")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "shop": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, ROOT, SCANNER, BARRED, BLIND, FOUND = ATTACKERS[:8]
GUESSER6 = ATTACKERS6[0]
TOKEN = re.compile(r'name="token" value="([^"]+)"')
SESSION = re.compile(r'name="set_session" value="([^"]+)"')


@SERVICE.prepared
def prepare(machine):
    machine.write("/etc/phpmyadmin/conf.d/lab.php", f"""<?php
$cfg['Servers'][1]['auth_type'] = 'cookie';
$cfg['Servers'][1]['host'] = 'localhost';
$cfg['Servers'][1]['AllowRoot'] = false;
$cfg['Servers'][1]['AllowDeny']['order'] = 'deny,allow';
$cfg['Servers'][1]['AllowDeny']['rules'] = ['deny % from {BARRED}'];
foreach (['controluser', 'controlpass', 'pmadb'] as $unused) {{
    unset($cfg['Servers'][1][$unused]);
}}
""")
    machine.write("/etc/mysql/mariadb.conf.d/90-lab.cnf", "[mariadbd]\nlog_error = /var/log/mysql/error.log\n")
    machine.run("install", "-d", "-o", "mysql", "-g", "mysql", "/var/log/mysql")
    machine.write("/etc/nginx/sites-enabled/default", """server {
    listen 80 default_server;
    listen [::]:80 default_server;
    root /var/www/html;
    server_name dbadmin.example.org;
    location /phpmyadmin/ {
        root /usr/share;
        index index.php;
        location ~ ^/phpmyadmin/(libraries|templates|setup)/ {
            deny all;
        }
        location ~ \\.php$ {
            include snippets/fastcgi-php.conf;
            fastcgi_pass unix:/run/php/php8.2-fpm.sock;
        }
    }
}
""")
    start(machine)
    grants = "".join(f"GRANT ALL ON shop.* TO {name}@localhost IDENTIFIED BY '{word}';" for name, word in ACCOUNTS.items())
    machine.run("mariadb", stdin=f"CREATE DATABASE shop; CREATE TABLE shop.orders (id INT, item TEXT); {grants}")
    machine.stop()


@SERVICE.started
def start(machine):
    php.start(machine, database=True)


SERVICE.stopped(php.stop)


def log_in(browser, account, password):
    """Opens the login page and sends its form."""
    page = browser.get("/phpmyadmin/index.php")
    assert page.status == 200, page.status
    form = {"set_session": SESSION.search(page.text)[1], "pma_username": account, "pma_password": password, "server": "1",
            "target": "index.php", "token": TOKEN.search(page.text)[1]}
    return browser.post("/phpmyadmin/index.php?route=/", form)


def attempt(session, address, account, password):
    """One refused login: the form again, with status 200."""
    answer = log_in(web.Browser(session, address), account, password)
    assert answer.status == 200 and "pma_password" in answer.text, answer.status
    session.refused(address)


def work(session, address, account):
    """A login, the list of databases, a table, and the logout."""
    browser = web.Browser(session, address)
    answer = log_in(browser, account, ACCOUNTS[account])
    assert answer.status == 302, answer.text[:3000]
    session.logged_in(address)
    page = browser.get("/phpmyadmin/index.php?route=/")
    assert page.status == 200 and "pma_password" not in page.text, page.text[:3000]
    for route in ("/server/databases", "/database/structure&db=shop", "/sql&db=shop&table=orders&pos=0", "/server/status"):
        assert browser.get(f"/phpmyadmin/index.php?route={route}").status == 200, route
    browser.post("/phpmyadmin/index.php?route=/logout", {"token": TOKEN.search(page.text)[1]})


@SERVICE.benign
def benign(session):
    """People look at tables; two mistype once, one sends no password; a monitor asks; the database is down for a moment;
    everything restarts."""
    work(session, OFFICE[0], "anna")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    work(session, ROAD6[0], "shop")
    attempt(session, OFFICE[1], "shop", "")
    work(session, OFFICE[1], "shop")
    for _ in range(3):
        web.request(session, OFFICE[9], "/phpmyadmin/", headers={"User-Agent": "check_http/v2.3.3"})
    database = session.machine.daemons[0]
    database.terminate()
    database.wait(20)
    attempt(session, OFFICE[0], "anna", ACCOUNTS["anna"])
    session.machine.restart()
    work(session, OFFICE[0], "anna")
    attempt(session, OFFICE[0], "anna", "Fjord-Kiesel-7")
    work(session, OFFICE[0], "anna")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account; each answer is the form again, with status 200."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}"), range(14))


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER6, "shop", f"shop{number}"), range(12))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    names = [*ACCOUNTS, "admin", "mysql", "web", "wordpress", "backup", "test", "dba", "app", "nextcloud"]
    session.at_once(lambda name: attempt(session, SPRAYER, name, "Winter2026!"), names)


@SERVICE.attack(STRANGER)
def without_password(session):
    """One address tries accounts without a password, which phpMyAdmin refuses before it asks the database."""
    session.at_once(lambda name: attempt(session, STRANGER, name, ""), ["admin", "pma", "mysql", "test"] * 3)


@SERVICE.attack(ROOT)
def root_denied(session):
    """One address tries passwords for root, whom phpMyAdmin's configuration refuses."""
    session.at_once(lambda number: attempt(session, ROOT, "root", f"toor{number}"), range(12))


@SERVICE.attack(BARRED)
def address_denied(session):
    """An address that the configuration refuses tries an account."""
    session.at_once(lambda number: attempt(session, BARRED, "bruno", f"bruno{number}"), range(12))


@SERVICE.attack(FOUND)
def guess_until_found(session):
    """One address tries passwords for one account one after another, until one is right, and looks at tables."""
    for number in range(12):
        attempt(session, FOUND, "bruno", f"Bruno{number}")
    work(session, FOUND, "bruno")


@SERVICE.attack(BLIND)
def without_token(session):
    """One address sends the login form without the page's token, as simple tools do; phpMyAdmin asks no database."""
    def guess(number):
        form = {"pma_username": "anna", "pma_password": f"anna{number}", "server": "1"}
        answer = web.Browser(session, BLIND).post("/phpmyadmin/index.php", form)
        assert answer.status in (200, 302), answer.status
        session.acted(BLIND, "form without token")

    session.at_once(guess, range(12))


@SERVICE.attack(SCANNER)
def paths(session):
    """One address looks for phpMyAdmin under the names that are usual, and for its setup."""
    probes = ["/pma/", "/phpMyAdmin/", "/myadmin/", "/mysql/", "/dbadmin/", "/phpmyadmin2/", "/admin/phpmyadmin/", "/sqladmin/",
              "/phpmyadmin/setup/index.php", "/phpmyadmin/scripts/setup.php", "/phpmyadmin/libraries/config.default.php",
              "/phpmyadmin/README", "/phpMyAdmin-5.2.1/", "/web/phpMyAdmin/", "/phpmyadmin/index.php?target=db_sql.php%253f/../etc/passwd"]
    for path in probes:
        assert web.request(session, SCANNER, path).status < 500, path
        session.acted(SCANNER, "path probed")
