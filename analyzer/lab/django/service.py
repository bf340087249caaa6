"""A small Django site with its administration, guarded by django-axes and run by gunicorn. The site logs with the format
`verbose` of Django's manual and reports refused logins from the signal that Django gives for it; django-axes and Django
log at `INFO`, django-axes with the names and addresses that it masks by default, gunicorn with its access log on."""

import re
import time

from runner import web
from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6, SERVER, SERVER6
from runner.definition import Log, Service

SERVICE = Service(
    title="Django with django-axes and gunicorn",
    packages=["tzdata"],
    hostname="shop3",
    logs=[Log("site", "/var/log/site/site.log"), Log("access", "/var/log/site/access.log"),
          Log("gunicorn", "/var/log/site/error.log")],
    version=["env", "PYTHONPATH=/opt/django", "python3", "-m", "django", "--version"],
)
PORT = 8000
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58", "dora": "Watt-Erle-24"}
GUESSER, SPRAYER, STRANGER, BLIND, TRESPASSER, SCANNER, PRETENDER, RAW = ATTACKERS[:8]
GUESSER6 = ATTACKERS6[0]
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
ENVIRONMENT = {"PYTHONPATH": "/opt/django:/srv/site", "DJANGO_SETTINGS_MODULE": "site_settings"}

SETTINGS = """
SECRET_KEY = "lab"
ALLOWED_HOSTS = ["shop3.example.org"]
ROOT_URLCONF = "site_urls"
INSTALLED_APPS = ["django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions",
                  "django.contrib.messages", "axes"]
MIDDLEWARE = ["django.middleware.security.SecurityMiddleware", "django.contrib.sessions.middleware.SessionMiddleware",
              "django.middleware.common.CommonMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
              "django.contrib.auth.middleware.AuthenticationMiddleware",
              "django.contrib.messages.middleware.MessageMiddleware", "axes.middleware.AxesMiddleware"]
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": ["/srv/site/templates"],
              "APP_DIRS": True, "OPTIONS": {"context_processors": ["django.template.context_processors.request",
              "django.contrib.auth.context_processors.auth", "django.contrib.messages.context_processors.messages"]}}]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "/srv/site/db.sqlite3",
                         "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE"}}}
AXES_SENSITIVE_PARAMETERS = []
LOGIN_REDIRECT_URL = "/account/"
STATIC_URL = "/static/"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
TIME_ZONE = "UTC"
USE_TZ = True
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"verbose": {"format": "{levelname} {asctime} {module} {process:d} {thread:d} {message}", "style": "{"}},
    "handlers": {"file": {"class": "logging.FileHandler", "filename": "/var/log/site/site.log", "formatter": "verbose"}},
    "root": {"handlers": ["file"], "level": "INFO"},
    "loggers": {"django": {"handlers": ["file"], "level": "INFO", "propagate": False}},
}
"""

URLS = """
import logging
from django.contrib import admin
from django.contrib.auth import views
from django.contrib.auth.decorators import login_required, permission_required
from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.dispatch import receiver
from django.http import HttpResponse
from django.urls import path

logger = logging.getLogger("shop.auth")


@receiver(user_logged_in)
def report_login(sender, request, user, **others):
    logger.info("user %s logged in from %s", user.get_username(), request.META["REMOTE_ADDR"])


@receiver(user_login_failed)
def report_refusal(sender, credentials, request, **others):
    logger.warning("login failed for user %s from %s", credentials.get("username"), request.META["REMOTE_ADDR"])


def page(request, number=0):
    return HttpResponse(f"<h1>page {number}</h1>")


urlpatterns = [
    path("", page),
    path("items/<int:number>/", page),
    path("accounts/login/", views.LoginView.as_view()),
    path("accounts/logout/", views.LogoutView.as_view()),
    path("account/", login_required(page)),
    path("reports/", permission_required("auth.view_user", raise_exception=True)(page)),
    path("admin/", admin.site.urls),
]
"""


@SERVICE.prepared
def prepare(machine):
    machine.run("install", "-d", "/var/log/site")
    machine.write("/srv/site/site_settings.py", SETTINGS)
    machine.write("/srv/site/site_urls.py", URLS)
    machine.write("/srv/site/templates/registration/login.html",
                  "<form method=post>{% csrf_token %}{{ form }}<button>Log in</button></form>")
    # Anna administers; the others are customers.
    people = "".join(f"User.objects.create_user('{name}', password='{word}', is_staff={name == 'anna'}, "
                     f"is_superuser={name == 'anna'})\n" for name, word in ACCOUNTS.items())
    machine.write("/tmp/people.py", f"from django.contrib.auth.models import User\n{people}")
    environment = [f"{name}={value}" for name, value in ENVIRONMENT.items()]
    machine.run("env", *environment, "python3", "-m", "django", "migrate", "--verbosity=0")
    machine.run("env", *environment, "python3", "-m", "django", "shell", stdin="exec(open('/tmp/people.py').read())\n")


@SERVICE.started
def start(machine):
    machine.daemon("python3", "-m", "gunicorn", "--bind", f"{SERVER}:{PORT}", "--bind", f"[{SERVER6}]:{PORT}", "--workers=2",
                   "--threads=2", "--access-logfile=/var/log/site/access.log", "--error-logfile=/var/log/site/error.log",
                   "django.core.wsgi:get_wsgi_application()", port=PORT, env=ENVIRONMENT)


def log_in(browser, account, password, page="/accounts/login/"):
    """Opens a login page and sends its form."""
    form = browser.get(page)
    assert form.status == 200, form.status
    return browser.post(page, {"csrfmiddlewaretoken": TOKEN.search(form.text)[1], "username": account, "password": password,
                               "next": ""})


def attempt(session, address, account, password, page="/accounts/login/"):
    """One refused login: the form again, or 429 where django-axes has locked the address."""
    answer = log_in(web.Browser(session, address, PORT), account, password, page)
    assert answer.status in (200, 429), answer.status
    session.refused(address)


def work(session, address, account):
    """A login and pages; Anna's are those of the administration."""
    browser = web.Browser(session, address, PORT)
    page = "/admin/login/" if account == "anna" else "/accounts/login/"
    answer = log_in(browser, account, ACCOUNTS[account], page)
    assert answer.status == 302, answer.status
    session.logged_in(address)
    paths = ["/account/", "/items/7/", "/items/12/"]
    if account == "anna":
        paths += ["/admin/", "/admin/auth/user/", "/admin/auth/user/2/change/", "/reports/"]
    for path in paths:
        assert browser.get(path).status == 200, path


@SERVICE.benign
def benign(session):
    """People look at the shop and log in; three mistype once, one opens what is not hers, one follows old links; a monitor
    and a robot ask; reload and restart."""
    for address in (ROAD[2], ROAD[3], ROAD6[1]):
        for path in ("/", "/items/1/", "/items/2/", "/favicon.ico"):
            web.request(session, address, path, PORT)
    work(session, OFFICE[0], "anna")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    work(session, ROAD[0], "bruno")
    attempt(session, ROAD6[0], "Carla", ACCOUNTS["carla"])
    work(session, ROAD6[0], "carla")
    work(session, ROAD[1], "dora")
    browser = web.Browser(session, ROAD[1], PORT)
    assert browser.get("/account/").status == 302
    for path in ("/shop/old/", "/robots.txt", "/items/abc/"):
        assert web.request(session, ROAD[5], path, PORT, headers={"User-Agent": "Mozilla/5.0 (compatible; Seeker/2.0)"}).status == 404
    for _ in range(3):
        web.request(session, OFFICE[9], "/", PORT, headers={"User-Agent": "check_http/v2.3.3"})
    session.machine.reload()
    # Workers that are about to end may still take a connection and reset it.
    time.sleep(2)
    work(session, ROAD[1], "dora")
    session.machine.restart()
    attempt(session, OFFICE[0], "anna", "Fjord-Kiesel-7", "/admin/login/")
    work(session, OFFICE[0], "anna")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for the administrator; django-axes locks the address after three."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}", "/admin/login/"), range(14))


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER6, "bruno", f"bruno{number}"), range(12))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    names = [*ACCOUNTS, "office", "sales", "support", "billing", "jobs", "press", "legal", "backup"]
    session.at_once(lambda name: attempt(session, SPRAYER, name, "Winter2026!"), names)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist, some of them phrases."""
    names = ["admin", "root", "test", "administrator", "user", "guest", "demo", "anna from 192.0.2.20", "' OR 1=1 --",
             "user anna logged in", "django", "manager"]
    session.at_once(lambda name: attempt(session, STRANGER, name, "1234", "/admin/login/"), names)


@SERVICE.attack(BLIND)
def without_token(session):
    """One address sends login forms without the token, as simple tools do; Django refuses them before it looks at them."""
    for number in range(12):
        answer = web.Browser(session, BLIND, PORT).post("/admin/login/", {"username": "anna", "password": f"anna{number}"})
        assert answer.status == 403, answer.status
        session.acted(BLIND, "form without token")


@SERVICE.attack(TRESPASSER)
def foreign_pages(session):
    """One address has a customer's password and opens reports that the customer may not see."""
    browser = web.Browser(session, TRESPASSER, PORT)
    assert log_in(browser, "dora", ACCOUNTS["dora"]).status == 302
    session.logged_in(TRESPASSER)
    for number in range(12):
        assert browser.get(f"/reports/?month={number + 1}").status == 403
        session.acted(TRESPASSER, "page denied")


@SERVICE.attack(SCANNER)
def paths(session):
    """One address asks for files of other programs, as scanners do."""
    probes = ["/.env", "/.git/config", "/wp-login.php", "/phpmyadmin/", "/settings.py", "/db.sqlite3", "/admin.php", "/api/v1/users",
              "/static/../settings.py", "/backup.zip", "/server-status", "/actuator/env", "/media/..%2f..%2fetc/passwd"]
    for path in probes:
        assert web.request(session, SCANNER, path, PORT).status == 404, path
        session.acted(SCANNER, "path probed")


@SERVICE.attack(PRETENDER)
def foreign_hosts(session):
    """One address asks for hosts that the site is not."""
    for name in ["localhost", "198.51.100.10", "evil.example", "shop3.example.org.evil.example", "_", "10.0.0.1:8080"] * 2:
        assert web.request(session, PRETENDER, "/", PORT, headers={"Host": name}).status == 400, name
        session.acted(PRETENDER, "host denied")


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no HTTP."""
    hello = bytes.fromhex("160301006c010000680303") + bytes(range(60))
    lines = [hello, b"SSH-2.0-probe\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
             b"GET / HTTP/1.1\r\nHost: shop3.example.org\r\nBad header\r\n\r\n",
             b"POST / HTTP/1.1\r\nHost: shop3.example.org\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"]
    for data in lines * 2:
        web.raw(session, RAW, PORT, data)
        session.acted(RAW, "malformed request")
