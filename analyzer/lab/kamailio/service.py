"""Kamailio as a registrar and proxy, logging to syslog. Its script follows the package's: digest authentication, `pike`
against floods, `sanity`, accounting of calls by `acc`. Kamailio writes nothing of a refused login by itself; as is
usual, the script does so by `xlog`, with the address."""

import hashlib
import re
import socket
import threading
import time

from runner.network import ATTACKERS, ATTACKERS6, OFFICE, ROAD, ROAD6, SERVER, SERVER6
from runner.definition import Log, Service

SERVICE = Service(
    title="Kamailio, SIP server",
    packages=["kamailio"],
    hostname="sip",
    logs=[Log("syslog")],
)
DOMAIN = "example.org"
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, SCANNER, CALLER, OPEN, RAW, FLOOD = ATTACKERS[:8]
GUESSER6 = ATTACKERS6[0]

SCRIPT = """#!KAMAILIO
debug=2
log_stderror=no
log_facility=LOG_LOCAL0
children=2
listen=udp:SERVER:5060
listen=udp:[SERVER6]:5060
alias="DOMAIN"
mpath="/usr/lib/x86_64-linux-gnu/kamailio/modules/"
loadmodule "kex.so"
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "pv.so"
loadmodule "maxfwd.so"
loadmodule "usrloc.so"
loadmodule "registrar.so"
loadmodule "textops.so"
loadmodule "siputils.so"
loadmodule "xlog.so"
loadmodule "sanity.so"
loadmodule "acc.so"
loadmodule "auth.so"
loadmodule "htable.so"
loadmodule "pike.so"
modparam("acc", "log_flag", 1)
modparam("acc", "log_missed_flag", 2)
modparam("acc", "failed_transaction_flag", 3)
modparam("acc", "log_extra", "src_user=$fU;src_domain=$fd;src_ip=$si;dst_user=$rU;dst_domain=$rd")
modparam("htable", "htable", "passwords=>size=4;")
modparam("pike", "sampling_time_unit", 2)
modparam("pike", "reqs_density_per_unit", 30)
modparam("pike", "remove_latency", 4)

request_route {
    if (!pike_check_req()) {
        xlog("L_ALERT", "ALERT: pike blocking $rm from $fu (IP:$si:$sp)\\n");
        exit;
    }
    if ($ua =~ "friendly-scanner|sipvicious|sipcli") {
        xlog("L_NOTICE", "scanner $ua refused: $rm from $fu (IP:$si:$sp)\\n");
        exit;
    }
    if (!mf_process_maxfwd_header("10")) {
        sl_send_reply("483", "Too Many Hops");
        exit;
    }
    if (!sanity_check("17895", "7")) {
        xlog("L_WARN", "malformed SIP request from $si:$sp\\n");
        exit;
    }
    if (is_method("OPTIONS") && uri == myself && $rU == $null) {
        sl_send_reply("200", "Keepalive");
        exit;
    }
    if (has_totag()) {
        if (is_method("BYE")) setflag(1);
        if (loose_route()) {
            t_relay();
            exit;
        }
        if (is_method("ACK")) exit;
        sl_send_reply("404", "Not here");
        exit;
    }
    if (is_method("ACK|CANCEL")) {
        if (t_check_trans()) t_relay();
        exit;
    }
    route(AUTH);
    if (is_method("INVITE|SUBSCRIBE")) record_route();
    if (is_method("INVITE")) setflag(1);
    if (is_method("REGISTER")) {
        save("location");
        exit;
    }
    if (!lookup("location")) {
        setflag(2);
        setflag(3);
        t_newtran();
        t_reply("404", "Not Found");
        exit;
    }
    setflag(2);
    if (!t_relay()) sl_reply_error();
    exit;
}

route[AUTH] {
    if (!is_method("REGISTER") && from_uri != myself) {
        xlog("L_NOTICE", "relaying denied: $rm from $fu to $ru (IP:$si:$sp)\\n");
        sl_send_reply("403", "Not relaying");
        exit;
    }
    if (!has_credentials("DOMAIN")) {
        www_challenge("DOMAIN", "0");
        exit;
    }
    $var(word) = $sht(passwords=>$au);
    if ($var(word) == $null || !pv_www_authenticate("DOMAIN", "$var(word)", "0")) {
        xlog("L_NOTICE", "authentication failed for $au: $rm from $fu (IP:$si:$sp)\\n");
        sl_send_reply("403", "Forbidden");
        exit;
    }
    consume_credentials();
}

event_route[htable:mod-init] {
PASSWORDS}
"""


@SERVICE.prepared
def prepare(machine):
    words = "".join(f'    $sht(passwords=>{name}) = "{word}";\n' for name, word in ACCOUNTS.items())
    script = SCRIPT.replace("SERVER6", SERVER6).replace("SERVER", SERVER).replace("DOMAIN", DOMAIN)
    machine.write("/etc/kamailio/kamailio.cfg", script.replace("PASSWORDS", words))
    machine.run("install", "-d", "-o", "kamailio", "/run/kamailio")


@SERVICE.started
def start(machine):
    machine.daemon("kamailio", "-DD", "-P", "/run/kamailio/kamailio.pid", "-f", "/etc/kamailio/kamailio.cfg", "-u", "kamailio",
                   "-g", "kamailio", "-m", "32", "-M", "8", port=5060, protocol="udp")


def md5(text):
    """A hash of digest authentication."""
    return hashlib.md5(text.encode()).hexdigest()


class Phone:
    """A telephone at an address."""

    def __init__(self, address, account, agent="Office phone 4.2", domain=DOMAIN):
        version6 = ":" in address
        self.account = account
        self.agent = agent
        self.sender = f"sip:{account}@{domain}"
        self.server = (SERVER6 if version6 else SERVER, 5060)
        self.udp = socket.socket(socket.AF_INET6 if version6 else socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind((address, 0))
        self.udp.settimeout(2)
        host = f"[{address}]" if version6 else address
        self.place = f"{host}:{self.udp.getsockname()[1]}"
        self.number = 0
        self.call = md5(f"{self.place}{time.monotonic()}")[:16]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.udp.close()

    def send(self, method, target, extra="", receiver=None):
        """Sends one request."""
        receiver = receiver or f"<{self.sender if method == 'REGISTER' else target}>"
        text = (f"{method} {target} SIP/2.0\r\nVia: SIP/2.0/UDP {self.place};branch=z9hG4bK{self.call}{self.number}\r\n"
                f"From: <{self.sender}>;tag={self.call[:8]}\r\nTo: {receiver}\r\nCall-ID: {self.call}\r\n"
                f"CSeq: {self.number} {method}\r\nContact: <sip:{self.account}@{self.place}>\r\nMax-Forwards: 70\r\n"
                f"User-Agent: {self.agent}\r\n{extra}Content-Length: 0\r\n\r\n")
        self.udp.sendto(text.encode(), self.server)

    def receive(self):
        """The next final answer, or a request."""
        while True:
            text = self.udp.recv(8192).decode()
            if not text.startswith("SIP/2.0 1"):
                return text

    def ask(self, method, target, extra=""):
        """One request and its answer."""
        self.number += 1
        self.send(method, target, extra)
        return self.receive()

    def request(self, method, target, password, extra=""):
        """A request that is asked for credentials, with those; returns the answer. A refused INVITE is acknowledged."""
        answer = self.ask(method, target, extra)
        if not answer.startswith("SIP/2.0 401"):
            return answer
        if method == "INVITE":
            self.acknowledge(answer, target)
        nonce = re.search(r'nonce="([^"]+)"', answer)[1]
        secret = md5(f"{self.account}:{DOMAIN}:{password}")
        response = md5(f"{secret}:{nonce}:{md5(f'{method}:{target}')}")
        fields = (f'Authorization: Digest username="{self.account}", realm="{DOMAIN}", nonce="{nonce}", uri="{target}", '
                  f'response="{response}", algorithm=MD5\r\n')
        answer = self.ask(method, target, fields + extra)
        if method == "INVITE":
            self.acknowledge(answer, target)
        return answer

    def acknowledge(self, answer, target):
        """Confirms the final answer to an INVITE; one that was accepted, to the place that accepted it."""
        if answer.startswith("SIP/2.0 200"):
            target = field(answer, "Contact").strip("<>")
        self.send("ACK", target, routes(answer), field(answer, "To"))

    def register(self, password, seconds=600):
        """Registers; returns the answer."""
        return self.request("REGISTER", f"sip:{DOMAIN}", password, f"Expires: {seconds}\r\n")

    def answer_calls(self, times):
        """Accepts requests from the server, as the one that is called."""
        for _ in range(times):
            text = self.receive()
            copied = "".join(f"{line}\r\n" for line in text.split("\r\n")
                             if line.startswith(("Via:", "From:", "Call-ID:", "CSeq:", "Record-Route:")))
            receiver = field(text, "To")
            tag = "" if "tag=" in receiver else f";tag={self.call[:8]}"
            if not text.startswith("ACK"):
                answer = (f"SIP/2.0 200 OK\r\n{copied}To: {receiver}{tag}\r\n"
                          f"Contact: <sip:{self.account}@{self.place}>\r\nContent-Length: 0\r\n\r\n")
                self.udp.sendto(answer.encode(), self.server)


def field(text, name):
    """A header's value."""
    return re.search(rf"^{name}: (.*?)\r$", text, re.MULTILINE)[1]


def routes(answer):
    """The route that later requests of a call take."""
    return "".join(f"Route: {value}\r\n" for value in re.findall(r"^Record-Route: (.*?)\r$", answer, re.MULTILINE))


def attempt(session, address, account, password, method="REGISTER", target=f"sip:{DOMAIN}"):
    """One refused login."""
    with Phone(address, account) as phone:
        answer = phone.request(method, target, password)
        assert answer.startswith("SIP/2.0 403"), answer
    session.refused(address)


def call(caller, callee):
    """A call that is answered and ended."""
    caller.call = md5(f"{caller.place}{time.monotonic()}")[:16]
    listener = threading.Thread(target=callee.answer_calls, args=(3,))
    listener.start()
    target = f"sip:{callee.account}@{DOMAIN}"
    answer = caller.request("INVITE", target, ACCOUNTS[caller.account])
    assert answer.startswith("SIP/2.0 200"), answer
    caller.number += 1
    caller.send("BYE", f"sip:{callee.account}@{callee.place}", routes(answer), field(answer, "To"))
    assert caller.receive().startswith("SIP/2.0 200")
    listener.join()


def work(session, address, account):
    """A telephone registers, and leaves later."""
    with Phone(address, account) as phone:
        for seconds in (600, 600, 0):
            assert phone.register(ACCOUNTS[account], seconds).startswith("SIP/2.0 200")
        session.logged_in(address)


@SERVICE.benign
def benign(session):
    """People register and call; one mistypes; calls go to telephones that are off; a monitor asks; restart."""
    work(session, ROAD6[0], "carla")
    attempt(session, ROAD[0], "bruno", "Tal-Birke-13")
    for _ in range(2):
        with Phone(OFFICE[0], "anna") as anna, Phone(ROAD[0], "bruno") as bruno:
            for phone, address in ((anna, OFFICE[0]), (bruno, ROAD[0])):
                assert phone.register(ACCOUNTS[phone.account]).startswith("SIP/2.0 200")
                session.logged_in(address)
            for _ in range(4):
                call(anna, bruno)
                call(bruno, anna)
            for _ in range(2):
                answer = anna.request("INVITE", f"sip:carla@{DOMAIN}", ACCOUNTS["anna"])
                assert answer.startswith("SIP/2.0 404"), answer
            for phone in (anna, bruno):
                phone.register(ACCOUNTS[phone.account], 0)
        with Phone(OFFICE[9], "monitor", "check_sip 1.3") as monitor:
            for _ in range(3):
                assert monitor.ask("OPTIONS", f"sip:{DOMAIN}").startswith("SIP/2.0 200")
        session.machine.restart()
    work(session, OFFICE[0], "anna")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address tries passwords for one account."""
    for number in range(12):
        attempt(session, GUESSER, "anna", f"anna{number}")
        time.sleep(0.1)


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    for name in [*ACCOUNTS, "100", "101", "102", "200", "1000", "1001", "office", "sales", "info"]:
        attempt(session, SPRAYER, name, "Winter2026!")
        time.sleep(0.1)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist, extension by extension."""
    for number in range(12):
        attempt(session, STRANGER, f"{100 + number}", f"{100 + number}")
        time.sleep(0.1)


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One address of version 6 tries passwords for one account."""
    for number in range(12):
        attempt(session, GUESSER6, "bruno", f"bruno{number}")
        time.sleep(0.1)


@SERVICE.attack(CALLER)
def guess_for_calls(session):
    """One address tries passwords with calls to expensive numbers."""
    for number in range(10):
        attempt(session, CALLER, "carla", f"carla{number}", "INVITE", f"sip:00972595{number:06}@{DOMAIN}")
        time.sleep(0.2)


@SERVICE.attack(OPEN)
def open_relay(session):
    """One address calls without an account, from a name elsewhere."""
    for number in range(12):
        with Phone(OPEN, "1001", domain="elsewhere.example") as phone:
            target = f"sip:9{number}0046406900{number}@{DOMAIN}"
            answer = phone.ask("INVITE", target)
            assert answer.startswith("SIP/2.0 403"), answer
            phone.acknowledge(answer, target)
        session.acted(OPEN, "relay denied")
        time.sleep(0.1)


@SERVICE.attack(SCANNER)
def scanner(session):
    """One address asks and registers under the name of a scanner, which is not answered."""
    for number in range(14):
        with Phone(SCANNER, f"{100 + number}", "friendly-scanner") as phone:
            phone.number += 1
            phone.send("REGISTER" if number % 2 else "OPTIONS", f"sip:{DOMAIN}")
        session.acted(SCANNER, "scanner refused")
        time.sleep(0.1)


@SERVICE.attack(FLOOD)
def flood(session):
    """One address registers faster than the limit allows."""
    with Phone(FLOOD, "anna") as phone:
        for _ in range(80):
            phone.number += 1
            phone.send("REGISTER", f"sip:{DOMAIN}")
            time.sleep(0.005)
    session.acted(FLOOD, "request of a flood", 80)


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no SIP."""
    data = [b"GET / HTTP/1.0\r\n\r\n", b"\0\1\2\3\4\5\6\7" * 4, b"REGISTER sip:example.org SIP/2.0\r\n\r\n",
            b"INVITE sip:\xff\xfe SIP/2.0\r\nVia: x\r\nCSeq: a\r\n\r\n",
            b"OPTIONS sip:example.org SIP/2.0\r\nVia: SIP/2.0/UDP 1.2.3.4\r\nFrom: <x\r\nTo: y\r\nCall-ID: z\r\nCSeq: 1 INVITE\r\n\r\n"]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind((RAW, 0))
        for words in data * 3:
            udp.sendto(words, (SERVER, 5060))
            session.acted(RAW, "malformed message")
            time.sleep(0.1)
