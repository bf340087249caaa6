"""WordPress behind nginx and PHP-FPM, with MariaDB, all from Debian. WordPress itself writes nothing about logins: what the
access log says of `wp-login.php` and `xmlrpc.php` is all there is. Both logs at the levels that nginx's package sets."""

import xmlrpc.client

from runner import php, web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="WordPress, web site",
    packages=["wordpress", "wordpress-theme-twentytwentythree", "mariadb-server", "php8.2-fpm", "php-mysql", "php-xml", "nginx"],
    hostname="blog",
    logs=[Log("access", "/var/log/nginx/access.log"), Log("error", "/var/log/nginx/error.log")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, CALLER, AMPLIFIER, COUNTER, SCANNER, COMMENTER, BACK, TRESPASSER = ATTACKERS[:10]
GUESSER6 = ATTACKERS6[0]


@SERVICE.prepared
def prepare(machine):
    machine.write("/etc/wordpress/config-blog.example.org.php", """<?php
define('DB_NAME', 'wordpress');
define('DB_USER', 'wordpress');
define('DB_PASSWORD', 'Heide-Quarz-19');
define('DB_HOST', 'localhost');
define('WP_CONTENT_DIR', '/var/lib/wordpress/wp-content');
""")
    php.site(machine, "/usr/share/wordpress", "blog.example.org", """    index index.php;
    location / {
        try_files $uri $uri/ /index.php?$args;
    }
    location /wp-content/ {
        root /var/lib/wordpress;
    }""")
    start(machine)
    machine.run("mariadb", stdin="CREATE DATABASE wordpress; "
                "GRANT ALL ON wordpress.* TO wordpress@localhost IDENTIFIED BY 'Heide-Quarz-19';")
    # The accounts as the installation page and the functions of WordPress make them.
    users = "".join(f"wp_create_user('{name}', '{word}', '{name}@example.org');" for name, word in ACCOUNTS.items()
                    if name != "anna")
    machine.write("/tmp/install.php", f"""<?php
$_SERVER['HTTP_HOST'] = 'blog.example.org';
define('WP_INSTALLING', true);
require '/usr/share/wordpress/wp-load.php';
require '/usr/share/wordpress/wp-admin/includes/upgrade.php';
wp_install('The harbour', 'anna', 'anna@example.org', true, '', '{ACCOUNTS["anna"]}');
{users}
$wp_rewrite->set_permalink_structure('/%postname%/');
flush_rewrite_rules();
""")
    machine.run("php", "/tmp/install.php")
    machine.stop()


@SERVICE.started
def start(machine):
    php.start(machine, database=True)


SERVICE.stopped(php.stop)


def log_in(browser, account, password):
    """Sends the login form, with the cookie by which WordPress tests for cookies."""
    browser.cookies["wordpress_test_cookie"] = "WP%20Cookie%20check"
    return browser.post("/wp-login.php", {"log": account, "pwd": password, "wp-submit": "Log In", "testcookie": "1",
                                          "redirect_to": "http://blog.example.org/wp-admin/"})


def attempt(session, address, account, password):
    """One refused login: the form again, with status 200."""
    answer = log_in(web.Browser(session, address), account, password)
    assert answer.status == 200 and "login_error" in answer.text, answer.status
    session.refused(address)


def work(session, address, account):
    """A login and the pages of administration that the account may see."""
    browser = web.Browser(session, address)
    assert browser.get("/wp-login.php").status == 200
    answer = log_in(browser, account, ACCOUNTS[account])
    assert answer.status == 302, answer.text
    session.logged_in(address)
    pages = ["/wp-admin/profile.php"]
    if account == "anna":
        pages += ["/wp-admin/", "/wp-admin/edit.php", "/wp-admin/post-new.php", "/wp-admin/upload.php", "/wp-admin/users.php"]
    for path in pages:
        assert browser.get(path).status == 200, path
    browser.post("/wp-admin/admin-ajax.php", {"action": "heartbeat", "interval": "60", "has_focus": "true"})


def read(session, address):
    """A visitor's pages and the files that belong to them."""
    browser = web.Browser(session, address)
    for path in ("/", "/hello-world/", "/sample-page/", "/feed/", "/?s=harbour", "/wp-includes/css/dashicons.min.css"):
        browser.get(path)


def call(session, address, method, *parameters):
    """One call to xmlrpc.php. Returns the answer's text."""
    body = xmlrpc.client.dumps(parameters, method)
    answer = web.request(session, address, "/xmlrpc.php", method="POST", body=body, headers={"Content-Type": "text/xml"})
    assert answer.status == 200, answer.status
    return answer.text


@SERVICE.benign
def benign(session):
    """Visitors read; three people log in, two mistype once; a mobile program uses xmlrpc.php; monitor and robot; restart."""
    for address in (ROAD[2], ROAD[3], ROAD6[1]):
        read(session, address)
    work(session, OFFICE[0], "anna")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    work(session, ROAD6[0], "carla")
    for _ in range(3):
        assert "blogid" in call(session, ROAD[1], "wp.getUsersBlogs", "anna", ACCOUNTS["anna"])
        session.logged_in(ROAD[1])
    for _ in range(3):
        web.request(session, OFFICE[9], "/", headers={"User-Agent": "check_http/v2.3.3"})
    for path in ("/robots.txt", "/wp-sitemap.xml", "/gone/", "/favicon.ico"):
        web.request(session, ROAD[5], path, headers={"User-Agent": "Mozilla/5.0 (compatible; Seeker/2.0)"})
    session.machine.restart()
    attempt(session, OFFICE[0], "anna", "Fjord-Kiesel-7")
    work(session, OFFICE[0], "anna")
    read(session, ROAD[4])


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account; each answer is the form again, with status 200."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}"), range(14))


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER6, "bruno", f"bruno{number}"), range(12))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    names = [*ACCOUNTS, "editor", "author", "office", "sales", "press", "support", "info", "shop", "web"]
    session.at_once(lambda name: attempt(session, SPRAYER, name, "Winter2026!"), names)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist."""
    names = ["admin", "administrator", "root", "test", "wordpress", "wp", "user", "webmaster", "demo", "blog", "admin1"]
    session.at_once(lambda name: attempt(session, STRANGER, name, name), names)


@SERVICE.attack(CALLER)
def guess_by_xmlrpc(session):
    """One address tries passwords by calls to xmlrpc.php; each answer is a fault with status 200."""
    def guess(number):
        assert "faultCode" in call(session, CALLER, "wp.getUsersBlogs", "anna", f"harbour{number}")
        session.refused(CALLER)

    session.at_once(guess, range(14))


@SERVICE.attack(AMPLIFIER)
def guess_by_multicall(session):
    """One address tries fifty passwords in each of twelve calls to xmlrpc.php; WordPress checks the first of a call only."""
    def guess(number):
        calls = [{"methodName": "wp.getUsersBlogs", "params": ["anna", f"pass{number}-{word}"]} for word in range(50)]
        assert "faultCode" in call(session, AMPLIFIER, "system.multicall", calls)
        session.refused(AMPLIFIER)

    session.at_once(guess, range(12))


@SERVICE.attack(COUNTER)
def names_of_accounts(session):
    """One address asks for the names of accounts in the ways that are known."""
    paths = [f"/?author={number}" for number in range(1, 11)]
    for path in [*paths, "/wp-json/wp/v2/users", "/?rest_route=/wp/v2/users", "/wp-sitemap-users-1.xml"]:
        web.request(session, COUNTER, path)
        session.acted(COUNTER, "account names asked for")


@SERVICE.attack(SCANNER)
def paths(session):
    """One address asks for plugins with known flaws, copies of the configuration, shells and other programs."""
    probes = ["/wp-config.php.bak", "/wp-config.php~", "/wp-content/debug.log", "/wp-content/plugins/revslider/readme.txt",
              "/wp-content/plugins/wp-file-manager/lib/php/connector.minimal.php", "/wp-content/uploads/shell.php",
              "/wp-admin/install.php", "/wp-admin/setup-config.php", "/.env", "/.git/config", "/backup.zip", "/alfa.php",
              "/wp-content/plugins/duplicator/installer.php", "/wlwmanifest.xml", "/readme.html", "/wp-includes/wp-class.php",
              "/wp-admin/admin-ajax.php?action=revslider_show_image&img=../wp-config.php"]
    for path in probes:
        assert web.request(session, SCANNER, path).status < 500, path
        session.acted(SCANNER, "path probed")


@SERVICE.attack(COMMENTER)
def comments(session):
    """One address sends advertisements as comments, as fast as it can; WordPress refuses most."""
    for number in range(12):
        form = {"comment": f"<a href='http://pills.example/{number}'>cheap {number}</a>", "author": f"dave{number}",
                "email": f"dave{number}@example.com", "url": "http://pills.example/", "comment_post_ID": "1", "comment_parent": "0"}
        answer = web.Browser(session, COMMENTER).post("/wp-comments-post.php", form)
        if answer.status in (409, 429):
            session.acted(COMMENTER, "comment refused")


@SERVICE.attack(BACK)
def guess_until_found(session):
    """One address tries passwords for one account one after another, until one is right, and opens its pages."""
    for number in range(12):
        attempt(session, BACK, "carla", f"Carla{number}")
    work(session, BACK, "carla")


@SERVICE.attack(TRESPASSER)
def without_login(session):
    """One address asks for pages of administration without a login, and is sent to the form."""
    pages = ["", "users.php", "plugins.php", "theme-editor.php", "options-general.php", "user-new.php"]
    for page in pages * 2:
        assert web.request(session, TRESPASSER, f"/wp-admin/{page}").status == 302
        session.acted(TRESPASSER, "page denied")
