"""nginx with basic authentication, rules of access and limits; both logs at the levels that its package sets."""

from runner import site, web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6
from runner.definition import Log, Service

SERVICE = Service(
    title="nginx, web server",
    packages=["nginx", "apache2-utils"],
    hostname="web2",
    logs=[Log("access", "/var/log/nginx/access.log"), Log("error", "/var/log/nginx/error.log")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, TRESPASSER, SCANNER, CLIMBER, RAW, FLOOD, SLOW = ATTACKERS[:9]
GUESSER6 = ATTACKERS6[0]


@SERVICE.prepared
def prepare(machine):
    for name, word in ACCOUNTS.items():
        machine.run("htpasswd", "-b", *([] if name != "anna" else ["-c"]), "/etc/nginx/staff.htpasswd", name, word)
    machine.write("/etc/nginx/conf.d/limits.conf", "limit_req_zone $binary_remote_addr zone=forms:1m rate=30r/m;\n")
    machine.write("/etc/nginx/sites-enabled/default", """server {
    listen 80 default_server;
    listen [::]:80 default_server;
    root /var/www/html;
    server_name web2.example.org;
    location / {
        index index.html;
    }
    location /staff/ {
        auth_basic "staff";
        auth_basic_user_file /etc/nginx/staff.htpasswd;
    }
    location /intern/ {
        allow 198.51.100.0/24;
        deny all;
    }
    location ~ /\\.ht {
        deny all;
    }
    location /form/ {
        limit_req zone=forms burst=3 nodelay;
    }
    location /upload/ {
        client_max_body_size 1k;
        limit_except GET { deny all; }
    }
    location /app/ {
        proxy_pass http://127.0.0.1:8080;
    }
}
""")
    for folder in ("", "staff/", "intern/", "form/", "upload/"):
        machine.write(f"/var/www/html/{folder}index.html", "<h1>page</h1>\n")
    machine.write("/var/www/html/images/logo.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>\n")
    machine.run("install", "-d", "-o", "www-data", "/var/log/nginx")


@SERVICE.started
def start(machine):
    machine.daemon("nginx", "-g", "daemon off;", port=80)


def work(session, address, account):
    """A login and some pages, as a browser asks for them."""
    site.work(session, address, account, ACCOUNTS[account], ["/staff/index.html", "/images/logo.svg"])


@SERVICE.benign
def benign(session):
    """People read pages, log in and send forms; one mistypes, a file is missing; a monitor asks; reload and restart."""
    for address in (OFFICE[0], ROAD[1], ROAD6[0]):
        for path in ("/", "/images/logo.svg", "/form/"):
            site.get(session, address, path, 200)
    site.get(session, ROAD[1], "/favicon.ico", 404)
    work(session, OFFICE[0], "anna")
    site.attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    work(session, ROAD6[0], "carla")
    site.get(session, OFFICE[1], "/intern/", 200)
    site.get(session, OFFICE[1], "/app/", 502)
    site.monitor(session, OFFICE[9], 2)
    session.machine.reload()
    work(session, OFFICE[0], "anna")
    session.machine.restart()
    work(session, ROAD[0], "bruno")


site.guess(SERVICE, GUESSER, SPRAYER, STRANGER, GUESSER6, ACCOUNTS)


@SERVICE.attack(TRESPASSER)
def forbidden(session):
    """One address asks for what only the office may see, for listings and with methods that are denied."""
    for number in range(5):
        site.get(session, TRESPASSER, f"/intern/file{number}.html", 403)
        session.acted(TRESPASSER, "address denied")
        site.get(session, TRESPASSER, "/images/", 403)
        session.acted(TRESPASSER, "listing denied")
        assert web.request(session, TRESPASSER, "/upload/x", method="PUT", body="x").status == 403
        session.acted(TRESPASSER, "method denied")


site.paths(SERVICE, SCANNER)
site.traversal(SERVICE, CLIMBER)
site.malformed(SERVICE, RAW, [*site.MALFORMED,
                              b"POST /upload/ HTTP/1.1\r\nHost: web2.example.org\r\nContent-Length: 99999999\r\n\r\n"],
               "One address sends bytes that are not HTTP, and bodies larger than allowed.")


@SERVICE.attack(FLOOD)
def too_many_requests(session):
    """One address sends a form more often than the limit allows."""
    answers = [web.request(session, FLOOD, "/form/").status for _ in range(20)]
    session.acted(FLOOD, "rate limited", answers.count(503))


site.connect_and_drop(SERVICE, SLOW)
