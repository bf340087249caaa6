"""PHP-FPM behind nginx with two login pages that report refusals by `error_log`, as applications of PHP do. The pool of
the shop has Debian's configuration: its messages go to nginx's error log. The pool of the office writes a file of its
own, as the comments of the pool's configuration show it."""

from runner import php, web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="PHP-FPM behind nginx",
    packages=["php8.2-fpm", "nginx"],
    hostname="shop2",
    logs=[
        Log("access", "/var/log/nginx/access.log"),
        Log("error", "/var/log/nginx/error.log"),
        Log("office", "/var/log/php/office.log"),
        Log("fpm", "/var/log/php8.2-fpm.log"),
    ],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31"}
GUESSER, SPRAYER, STRANGER, OFFICE_GUESSER, SCANNER, BREAKER = ATTACKERS[:6]
GUESSER6 = ATTACKERS6[0]

SHOP = """<?php
$accounts = ['anna' => 'Fjord-Kiesel-77', 'bruno' => 'Tal-Birke-31'];
$user = $_POST['user'] ?? null;
if ($user !== null) {
    if (hash_equals($accounts[$user] ?? '', $_POST['password'] ?? '') && isset($accounts[$user])) {
        header('Location: /account.html');
        exit;
    }
    error_log(sprintf('Login failed for user %s from %s', $user, $_SERVER['REMOTE_ADDR']));
    echo '<p>Wrong name or password</p>';
}
echo '<form method="post"><input name="user"><input name="password" type="password"><button>Log in</button></form>';
"""


@SERVICE.prepared
def prepare(machine):
    pool = "/etc/php/8.2/fpm/pool.d/office.conf"
    machine.run("cp", "/etc/php/8.2/fpm/pool.d/www.conf", pool)
    machine.replace(pool, "[www]", "[office]")
    machine.replace(pool, "/run/php/php8.2-fpm.sock", "/run/php/office.sock")
    machine.append(pool, "php_admin_value[error_log] = /var/log/php/office.log\nphp_admin_flag[log_errors] = on\n")
    machine.run("install", "-d", "-o", "www-data", "/var/log/php")
    machine.write("/etc/nginx/sites-enabled/default", """server {
    listen 80 default_server;
    listen [::]:80 default_server;
    root /var/www/html;
    server_name shop2.example.org;
    index index.html;
    location ~ ^/office/.*\\.php$ {
        include snippets/fastcgi-php.conf;
        fastcgi_pass unix:/run/php/office.sock;
    }
    location ~ \\.php(/|$) {
        include fastcgi.conf;
        fastcgi_pass unix:/run/php/php8.2-fpm.sock;
    }
}
""")
    machine.write("/var/www/html/login.php", SHOP)
    office = SHOP.replace("Login failed for user %s from %s', $user, $_SERVER['REMOTE_ADDR']",
                          "authentication failure; user=%s client=%s', $user, $_SERVER['REMOTE_ADDR']")
    machine.write("/var/www/html/office/login.php", office.replace("    echo '<p>", "    http_response_code(403);\n    echo '<p>"))
    for page in ("index.html", "account.html", "uploads/photo.jpg"):
        machine.write(f"/var/www/html/{page}", f"{page}\n")


@SERVICE.started
def start(machine):
    php.start(machine, socket="/run/php/office.sock")


SERVICE.stopped(php.stop)


def attempt(session, address, account, password, page="/login.php", status=200):
    """One refused login."""
    browser = web.Browser(session, address)
    answer = browser.post(page, {"user": account, "password": password})
    assert answer.status == status and "Wrong name" in answer.text, answer
    session.refused(address)


def work(session, address, account, page="/login.php"):
    """A login and the page after it."""
    browser = web.Browser(session, address)
    assert browser.get(page).status == 200
    assert browser.post(page, {"user": account, "password": ACCOUNTS[account]}).status == 302
    session.logged_in(address)
    assert browser.get("/account.html").status == 200


@SERVICE.benign
def benign(session):
    """People log in at both pages; one mistypes, a page is missing; a monitor asks; both daemons restart."""
    work(session, OFFICE[0], "anna")
    work(session, OFFICE[0], "anna", "/office/login.php")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    work(session, ROAD6[0], "bruno")
    assert web.request(session, ROAD[1], "/old.html").status == 404
    web.request(session, OFFICE[9], "/login.php", headers={"User-Agent": "check_http/v2.3.3"})
    session.machine.restart()
    attempt(session, OFFICE[1], "anna", "Fjord-Kiesel-7", "/office/login.php", 403)
    work(session, OFFICE[1], "anna", "/office/login.php")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account; the page answers 200 each time."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}"), range(14))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    names = [*ACCOUNTS, "admin", "root", "test", "office", "sales", "info", "user", "guest", "backup", "shop"]
    session.at_once(lambda name: attempt(session, SPRAYER, name, "Winter2026!"), names)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries names that do not exist, some of them addresses, phrases or fragments."""
    names = ["admin", "admin@shop2.example.org", "root", "' or 1=1 --", "user from 192.0.2.20", "test", "demo",
             "accepted password for anna", "198.51.100.20", "web master", "pi", "oracle"]
    session.at_once(lambda name: attempt(session, STRANGER, name, "1234"), names)


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One address of version 6 tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER6, "bruno", f"bruno{number}"), range(12))


@SERVICE.attack(OFFICE_GUESSER)
def guess_at_the_office(session):
    """One address tries passwords at the page whose pool has a log of its own; it answers 403 each time."""
    def guess(number):
        attempt(session, OFFICE_GUESSER, "anna", f"Anna{number}!", "/office/login.php", 403)

    session.at_once(guess, range(12))


@SERVICE.attack(SCANNER)
def scripts(session):
    """One address asks for programs of PHP that are not there, and for a picture as a program."""
    probes = ["/wp-login.php", "/xmlrpc.php", "/phpmyadmin/index.php", "/admin.php", "/shell.php", "/info.php", "/config.php",
              "/vendor/phpunit/phpunit/src/Util/PHP/eval-stdin.php", "/c99.php", "/uploads/photo.jpg/x.php"]
    for path in probes * 2:
        assert web.request(session, SCANNER, path).status in (403, 404), path
        session.acted(SCANNER, "program probed")


@SERVICE.attack(BREAKER)
def unexpected_parameters(session):
    """One address sends lists where the page expects texts, so that it ends with an error."""
    for number in range(12):
        answer = web.Browser(session, BREAKER).post("/login.php", {"user": "anna", f"password[{number}]": "x"})
        assert answer.status == 500, answer.status
        session.acted(BREAKER, "program failed")
