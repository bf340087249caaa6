"""Zabbix's frontend behind nginx and PHP-FPM, with MariaDB, all from Debian. Zabbix keeps refused logins in its database: the
access log is all that says of them, at the level that nginx's package sets."""

import json

from runner import guessing, php, site, web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="Zabbix frontend, monitoring",
    packages=["zabbix-frontend-php", "zabbix-server-mysql", "mariadb-server", "mariadb-client", "php8.2-fpm", "php-mysql", "nginx"],
    hostname="monitor",
    logs=[Log("access", "/var/log/nginx/access.log"), Log("error", "/var/log/nginx/error.log")],
)
ACCOUNTS = {"Admin": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58", "dora": "Watt-Erle-24"}
GUESSER, SPRAYER, STRANGER, CALLER, ANONYMOUS, FOUND, SCANNER = ATTACKERS[:7]
GUESSER6 = ATTACKERS6[0]


@SERVICE.prepared
def prepare(machine):
    machine.write("/etc/zabbix/zabbix.conf.php", """<?php
$DB['TYPE'] = 'MYSQL';
$DB['SERVER'] = 'localhost';
$DB['PORT'] = '0';
$DB['DATABASE'] = 'zabbix';
$DB['USER'] = 'zabbix';
$DB['PASSWORD'] = 'Heide-Quarz-19';
$DB['SCHEMA'] = '';
$DB['ENCRYPTION'] = false;
$DB['DOUBLE_IEEE754'] = true;
$ZBX_SERVER_NAME = 'monitor';
$IMAGE_FORMAT_DEFAULT = IMAGE_FORMAT_PNG;
""")
    machine.write("/etc/php/8.2/fpm/conf.d/90-zabbix.ini", "post_max_size = 16M\nmax_execution_time = 300\nmax_input_time = 300\n")
    php.site(machine, "/usr/share/zabbix", "monitor.example.org", """    index index.php;
    location ~ ^/(conf|app|include|local|locale|vendor)/ {
        deny all;
    }""")
    start(machine)
    machine.run("mariadb", stdin="CREATE DATABASE zabbix CHARACTER SET utf8mb4 COLLATE utf8mb4_bin; "
                "GRANT ALL ON zabbix.* TO zabbix@localhost IDENTIFIED BY 'Heide-Quarz-19';")
    for part in ("schema", "images", "data"):
        machine.run("sh", "-c", f"zcat /usr/share/zabbix-server-mysql/{part}.sql.gz | mariadb zabbix")
    for number, (name, word) in enumerate(ACCOUNTS.items(), 1):
        script = f"echo password_hash('{word}', PASSWORD_BCRYPT);"
        hashed = machine.run("php", "-r", script).strip()
        if name == "Admin":
            sql = f"UPDATE users SET passwd='{hashed}' WHERE username='Admin';"
        else:
            sql = (f"INSERT INTO users (userid, username, passwd, roleid) VALUES ({100 + number}, '{name}', '{hashed}', 1); "
                   f"INSERT INTO users_groups (id, usrgrpid, userid) VALUES ({100 + number}, 8, {100 + number});")
        machine.run("mariadb", "zabbix", stdin=sql)
    machine.stop()


@SERVICE.started
def start(machine):
    php.start(machine, database=True)


SERVICE.stopped(php.stop)


def log_in(browser, account, password):
    """Opens the login page and sends its form."""
    assert browser.get("/index.php").status == 200
    return browser.post("/index.php", {"name": account, "password": password, "autologin": "1", "enter": "Sign in"})


def attempt(session, address, account, password):
    """One refused login: the form again, with status 200."""
    answer = log_in(web.Browser(session, address), account, password)
    assert answer.status == 200 and 'name="enter"' in answer.text, answer.status
    session.refused(address)


def call(session, address, method, parameters, token=None):
    """One call of the interface for programs; returns its answer."""
    body = json.dumps({"jsonrpc": "2.0", "method": method, "params": parameters, "id": 1, "auth": token})
    headers = {"Content-Type": "application/json-rpc", "User-Agent": "report/1.2"}
    return json.loads(web.request(session, address, "/api_jsonrpc.php", method="POST", body=body, headers=headers).text)


def work(session, address, account):
    """A login and pages."""
    browser = web.Browser(session, address)
    answer = log_in(browser, account, ACCOUNTS[account])
    assert answer.status == 302, answer.status
    session.logged_in(address)
    for path in ("/zabbix.php?action=problem.view", "/zabbix.php?action=host.view", "/zabbix.php?action=dashboard.view",
                 "/zabbix.php?action=userprofile.edit"):
        assert browser.get(path).status == 200, path


@SERVICE.benign
def benign(session):
    """People look at problems and hosts, three mistype once; a program logs in by the interface; a monitor asks; everything
    restarts."""
    work(session, OFFICE[0], "Admin")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    attempt(session, ROAD6[0], "Carla", ACCOUNTS["carla"])
    work(session, ROAD6[0], "carla")
    for _ in range(4):
        token = call(session, OFFICE[2], "user.login", {"username": "dora", "password": ACCOUNTS["dora"]})["result"]
        session.logged_in(OFFICE[2])
        assert "result" in call(session, OFFICE[2], "host.get", {"output": ["hostid"]}, token)
        assert "result" in call(session, OFFICE[2], "user.logout", [], token)
    for _ in range(3):
        web.request(session, OFFICE[9], "/index.php", headers={"User-Agent": "check_http/v2.3.3"})
    web.request(session, ROAD[1], "/favicon.ico")
    web.request(session, ROAD[1], "/zabbix.php?action=problem.view")
    session.machine.restart()
    attempt(session, OFFICE[0], "Admin", "Fjord-Kiesel-7")
    work(session, OFFICE[0], "Admin")
    work(session, ROAD[1], "dora")


guessing.one_account(SERVICE, GUESSER, attempt, "Admin",
                     description="One address tries passwords for the administrator; Zabbix bars the account for half a minute after five.")
guessing.over_ipv6(SERVICE, GUESSER6, attempt)
guessing.spray(SERVICE, SPRAYER, attempt, [*ACCOUNTS, "office", "support", "noc", "operator", "monitoring", "viewer",
                                           "netops", "backup"])
guessing.unknown_users(SERVICE, STRANGER, attempt, ["admin", "root", "test", "zabbix", "user", "administrator", "demo",
                                                    "nagios", "oracle", "web", "pi"], "zabbix")


@SERVICE.attack(CALLER)
def guess_by_interface(session):
    """One address tries passwords by the interface for programs, which answers 200 each time."""
    def guess(number):
        assert "error" in call(session, CALLER, "user.login", {"username": "carla", "password": f"carla{number}"})
        session.refused(CALLER)

    session.at_once(guess, range(12))


guessing.stolen_pairs(SERVICE, FOUND, attempt, work, "dora")


@SERVICE.attack(ANONYMOUS)
def without_login(session):
    """One address asks for pages of administration and of the setup without a login."""
    for path in ["/zabbix.php?action=user.list", "/zabbix.php?action=script.list", "/setup.php", "/items.php", "/templates.php",
                 "/zabbix.php?action=export.hosts"] * 2:
        assert web.request(session, ANONYMOUS, path).status < 500, path
        session.acted(ANONYMOUS, "page denied")


site.scan(SERVICE, SCANNER, ["/conf/zabbix.conf.php", "/zabbix/",
                             "/jsrpc.php?type=0&mode=1&method=screen.get&profileIdx2=updatexml(0,concat(0xa,user()),0)",
                             "/.env", "/.git/config", "/wp-login.php", "/phpmyadmin/", "/nagios/", "/include/config.inc.php",
                             "/local/README", "/httpmon.php?applications=2%20and%20(select%201)",
                             "/zabbix.php?action=dashboard.view&dashboardid=1"],
          "One address asks for files of Zabbix and of other programs, as scanners do.")
