"""Web servers, with a page `/staff/` behind basic authentication: a client's requests, and attacks that they have in common."""

from . import guessing, web

# Files of other programs, as scanners ask for them.
PROBES = ["/.env", "/.git/config", "/wp-login.php", "/wp-config.php.bak", "/phpmyadmin/index.php", "/backup.sql", "/admin.php",
          "/server-status", "/.htpasswd", "/config.json", "/cgi-bin/test.cgi", "/actuator/env", "/solr/admin/",
          "/boaform/admin/formLogin", "/owa/auth/logon.aspx"]
# Files above the root of the site.
CLIMBS = ["/../../../../etc/passwd", "/images/..%2f..%2f..%2fetc/passwd", "/.%2e/.%2e/.%2e/etc/shadow",
          "/static/%2e%2e/%2e%2e/%2e%2e/%2e%2e/proc/self/environ", "/images/..%5c..%5cwindows/win.ini"]
# Bytes that are not HTTP, or not of a version or method that there is.
MALFORMED = [bytes.fromhex("160301006c010000680303") + bytes(range(60)), b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
             b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", b"SSH-2.0-probe\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"]


def get(session, address, path, status, account=None, password="", **options):
    """One request that must be answered with a status."""
    answer = web.request(session, address, path, account=account, password=password, **options)
    assert answer.status == status, (path, answer.status)
    return answer


def attempt(session, address, account, password, path="/staff/", port=80):
    """One refused login."""
    get(session, address, path, 401, account, password, port=port)
    session.refused(address)


def work(session, address, account, password, paths):
    """A login and some pages, as a browser asks for them."""
    get(session, address, "/staff/", 401)
    for path in ("/staff/", *paths):
        get(session, address, path, 200, account, password)
    session.logged_in(address)


def monitor(session, address, times):
    """A monitor's checks."""
    for _ in range(times):
        get(session, address, "/", 200, method="HEAD", headers={"User-Agent": "check_http/v2.3.3"})


def guess(service, guesser, sprayer, stranger, guesser6, accounts):
    """Adds sessions that try passwords."""
    guessing.one_account(service, guesser, attempt)
    guessing.spray(service, sprayer, attempt, [*accounts, *guessing.OFFICES])
    guessing.unknown_users(service, stranger, attempt, ["admin", "administrator", "root", "test", "web", "webmaster", "user", "guest",
                                                        "demo", "oracle", "pi"])
    guessing.over_ipv6(service, guesser6, attempt)


def paths(service, address, probes=PROBES, statuses=(403, 404),
          description="One address asks for files of other programs, as scanners do."):
    """Adds a session of a scanner."""
    def probe(session, path):
        answer = web.request(session, address, path, headers={"User-Agent": "Mozilla/5.0 zgrab/0.x"})
        assert answer.status in statuses, (path, answer.status)
        session.acted(address, "path probed")

    def act(session):
        session.at_once(lambda path: probe(session, path), probes * 2)

    guessing.add(service, address, act, "paths", description, {})


def traversal(service, address, climbs=CLIMBS):
    """Adds a session of requests for files above the root."""
    @service.attack(address)
    def traversal(session):
        """One address asks for files above the root of the site."""
        for path in climbs * 2:
            status = web.request(session, address, path).status
            assert status in (400, 403, 404), (path, status)
            session.acted(address, "traversal")


def malformed(service, address, lines, description="One address sends bytes that are not HTTP."):
    """Adds a session of malformed requests."""
    def act(session):
        for data in lines * 2:
            web.raw(session, address, 80, data)
            session.acted(address, "malformed request")

    guessing.add(service, address, act, "malformed", description, {})


def connect_and_drop(service, address, drops=6):
    """Adds a session that leaves before a request is complete."""
    @service.attack(address)
    def connect_and_drop(session):
        """One address connects and leaves, without a word or within a request."""
        session.drop(address, 80, drops, read_banner=False)
        for _ in range(8):
            with session.connect(address, 80) as connection:
                connection.sendall(f"GET / HTTP/1.1\r\nHost: {web.host(session, 80)}\r\nX-".encode())
            session.acted(address, "request left unfinished")


def scan(service, address, probes, description):
    """Adds a session of a scanner to an application that may answer anything but an error of its own."""
    def act(session):
        for path in probes:
            assert web.request(session, address, path).status < 500, path
            session.acted(address, "path probed")

    guessing.add(service, address, act, "paths", description, {})
