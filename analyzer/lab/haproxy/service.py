"""HAProxy in front of a web server and of a database's port, with the global section of its package: `option httplog`
and `tcplog`, `dontlognull`, syslog to its own file by the package's rsyslog rule.

`defer-accept` makes the refused connections independent of timing: without it, HAProxy often refuses one before its first
byte has arrived, and `dontlognull` then omits its line.

Two ports listen on both families with one socket, so that addresses of version 4 appear there in their mapped form."""

import signal

from runner import site, web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="HAProxy, load balancer",
    packages=["haproxy"],
    hostname="lb",
    logs=[Log("haproxy", "/var/log/haproxy.log")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, STATS, TRESPASSER, SCANNER, RAW, FLOOD, PORT, DROPPER = ATTACKERS[:10]
GUESSER6 = ATTACKERS6[0]


@SERVICE.prepared
def prepare(machine):
    users = "".join(f"    user {name} insecure-password {word}\n" for name, word in ACCOUNTS.items())
    machine.append("/etc/haproxy/haproxy.cfg", f"""
userlist staff
{users}
frontend web
    bind :80
    bind :::80 v6only
    acl office src 198.51.100.0/24
    stick-table type ipv6 size 10k expire 60s store http_req_rate(10s)
    http-request track-sc0 src if {{ path_beg /form }}
    http-request deny deny_status 429 if {{ sc_http_req_rate(0) gt 10 }}
    http-request deny if {{ path_beg /intern }} !office
    http-request deny if {{ path_beg /.git /.env }}
    http-request auth realm staff if {{ path_beg /staff }} !{{ http_auth(staff) }}
    use_backend down if {{ path_beg /app }}
    default_backend site
backend site
    server web1 127.0.0.1:8000 check
backend down
    server app1 127.0.0.1:8001 check inter 200
listen stats
    bind :::8404 v4v6
    stats enable
    stats uri /
    stats auth anna:{ACCOUNTS['anna']}
listen database
    mode tcp
    option tcplog
    bind :::3306 v4v6 defer-accept
    tcp-request inspect-delay 1s
    tcp-request content reject if !{{ src 198.51.100.0/24 }}
    server db1 127.0.0.1:8000
""")
    for path in ("index.html", "staff/index.html", "staff/plan.html", "intern/index.html", "form/index.html", "logo.svg"):
        machine.write(f"/srv/www/{path}", "<h1>page</h1>\n")


@SERVICE.started
def start(machine):
    machine.daemon("python3", "-m", "http.server", "8000", "--bind", "127.0.0.1", port=8000, output="web1", directory="/srv/www")
    machine.run("mkdir", "-p", "/run/haproxy")
    machine.daemon("haproxy", "-Ws", "-f", "/etc/haproxy/haproxy.cfg", "-p", "/run/haproxy.pid", port=3306)


def work(session, address, account):
    """A login and some pages, as a browser asks for them."""
    site.work(session, address, account, ACCOUNTS[account], ["/staff/plan.html", "/logo.svg"])


def query(session, address):
    """Bytes through the port of the database; nothing comes back where it is refused."""
    return web.raw(session, address, 3306, b"GET / HTTP/1.0\r\n\r\n")


@SERVICE.benign
def benign(session):
    """People read pages, log in and send forms; one mistypes, a file is missing, a server is down; a program uses the
    database; somebody reads statistics; a monitor asks; reload and restart."""
    for address in (OFFICE[0], ROAD[1], ROAD6[0]):
        for path in ("/", "/logo.svg", "/form/"):
            site.get(session, address, path, 200)
    site.get(session, ROAD[1], "/favicon.ico", 404)
    work(session, OFFICE[0], "anna")
    site.attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    work(session, ROAD6[0], "carla")
    site.get(session, OFFICE[1], "/intern/", 200)
    site.get(session, OFFICE[1], "/app/", 503)
    site.get(session, ROAD[2], "/intern/", 403)
    for _ in range(4):
        assert query(session, OFFICE[5])
    site.get(session, OFFICE[0], "/", 200, "anna", ACCOUNTS["anna"], port=8404)
    session.logged_in(OFFICE[0])
    site.monitor(session, OFFICE[9], 3)
    session.drop(OFFICE[9], 80, 2, read_banner=False)
    # A master process reloads with SIGUSR2.
    session.machine.daemons[-1].send_signal(signal.SIGUSR2)
    session.machine.wait(lambda: "Loading success" in session.machine.run("cat", "/var/log/daemon.output"), "a reload")
    work(session, OFFICE[0], "anna")
    session.machine.restart()
    work(session, ROAD[0], "bruno")


site.guess(SERVICE, GUESSER, SPRAYER, STRANGER, GUESSER6, ACCOUNTS)


@SERVICE.attack(STATS)
def statistics_page(session):
    """One address tries passwords for the page of statistics."""
    for number in range(12):
        site.attempt(session, STATS, "admin", f"admin{number}", "/", 8404)


@SERVICE.attack(TRESPASSER)
def forbidden(session):
    """One address asks for what only the office may see."""
    for number in range(12):
        site.get(session, TRESPASSER, f"/intern/file{number}.html", 403)
        session.acted(TRESPASSER, "address denied")


site.paths(SERVICE, SCANNER, [*site.PROBES, "/../../../etc/passwd", "/images/..%2f..%2fetc/passwd", "/haproxy?stats"], (400,
                              403, 404),
           "One address asks for files of other programs and above the root of the site, as scanners do.")
site.malformed(SERVICE, RAW, [*site.MALFORMED, b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n",
                              b"GET / HTTP/1.1\r\nBad Header: x\r\n\r\n", b"GET /\x00\x01 HTTP/1.1\r\n\r\n"])


@SERVICE.attack(FLOOD)
def too_many_requests(session):
    """One address sends a form more often than the limit allows."""
    answers = [web.request(session, FLOOD, "/form/").status for _ in range(30)]
    session.acted(FLOOD, "rate limited", answers.count(429))


@SERVICE.attack(PORT)
def database_port(session):
    """One address connects to the port of the database, which is the office's alone."""
    for _ in range(12):
        assert not query(session, PORT)
        session.acted(PORT, "connection denied")


site.connect_and_drop(SERVICE, DROPPER, 8)
