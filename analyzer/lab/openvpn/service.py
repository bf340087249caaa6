"""OpenVPN with certificates, a `tls-crypt` key and PAM's accounts; its log at `verb 3`, as its sample configuration sets
it. PAM's delay after refused passwords is off and the time for a handshake short, for the sessions' sake."""

import os
import signal
import socket
import subprocess
import threading
import time

from runner.network import ATTACKERS, ATTACKERS6, ROAD, ROAD6, SERVER6
from runner.definition import Log, Service

SERVICE = Service(
    title="OpenVPN, VPN server",
    packages=["openvpn"],
    hostname="vpn",
    logs=[Log("openvpn", "/var/log/openvpn/openvpn.log"), Log("syslog")],
)
ACCOUNTS = {"anna": "Fjord-Kiesel-77", "bruno": "Tal-Birke-31", "carla": "Ufer-Moos-58"}
GUESSER, SPRAYER, STRANGER, FORGER, REVOKED, KEYLESS, RAW, FOREIGN = ATTACKERS[:8]
GUESSER6 = ATTACKERS6[0]
PKI = "/etc/openvpn/pki"


def authority(machine, name):
    """An authority that signs its own certificate."""
    machine.run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "900",
                "-subj", f"/CN={name}", "-keyout", f"{PKI}/{name}.key", "-out", f"{PKI}/{name}.crt")


def certificate(machine, name, issuer, usage, days="300"):
    """A certificate of an authority, for a server or for a client."""
    machine.run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
                "-keyout", f"{PKI}/{name}.key", "-out", f"{PKI}/{name}.csr")
    machine.write(f"{PKI}/{name}.ext", f"extendedKeyUsage={usage}\nkeyUsage=digitalSignature\n")
    machine.run("openssl", "ca", "-batch", "-notext", "-config", f"{PKI}/ca.conf", "-name", issuer, "-days", days,
                "-extfile", f"{PKI}/{name}.ext", "-in", f"{PKI}/{name}.csr", "-out", f"{PKI}/{name}.crt")


@SERVICE.prepared
def prepare(machine):
    for name, word in ACCOUNTS.items():
        machine.account(name, word)
    machine.replace("/etc/pam.d/common-auth", "pam_unix.so nullok", "pam_unix.so nullok nodelay")
    machine.write("/etc/pam.d/openvpn", "@include common-auth\n@include common-account\n")
    machine.write(f"{PKI}/ca.conf", "".join(f"""[{name}]
database = {PKI}/{name}.index
new_certs_dir = {PKI}
serial = {PKI}/{name}.serial
certificate = {PKI}/{name}.crt
private_key = {PKI}/{name}.key
default_md = sha256
default_crl_days = 300
unique_subject = no
policy = names
""" for name in ("office-ca", "other-ca")) + "[names]\ncommonName = supplied\n")
    for name in ("office-ca", "other-ca"):
        machine.write(f"{PKI}/{name}.index", "")
        machine.write(f"{PKI}/{name}.serial", "1000\n")
        authority(machine, name)
    certificate(machine, "vpn.example.org", "office-ca", "serverAuth")
    for name in ("laptop", "stolen"):
        certificate(machine, name, "office-ca", "clientAuth")
    certificate(machine, "forged", "other-ca", "clientAuth")
    machine.run("openssl", "ca", "-config", f"{PKI}/ca.conf", "-name", "office-ca", "-revoke", f"{PKI}/stolen.crt")
    machine.run("openssl", "ca", "-config", f"{PKI}/ca.conf", "-name", "office-ca", "-gencrl", "-out", f"{PKI}/crl.pem")
    for name in ("office", "other"):
        machine.run("openvpn", "--genkey", "tls-crypt", f"{PKI}/{name}.key")
    machine.write("/etc/openvpn/server/office.conf", f"""dev tun
topology subnet
ca {PKI}/office-ca.crt
cert {PKI}/vpn.example.org.crt
key {PKI}/vpn.example.org.key
crl-verify {PKI}/crl.pem
dh none
tls-crypt {PKI}/office.key
plugin /usr/lib/x86_64-linux-gnu/openvpn/plugins/openvpn-plugin-auth-pam.so openvpn
keepalive 10 120
hand-window 8
persist-key
persist-tun
log-append /var/log/openvpn/openvpn.log
verb 3
""")


@SERVICE.started
def start(machine):
    machine.run("mkdir", "-p", "/var/log/openvpn")
    for number, protocol in enumerate(("udp", "udp6")):
        bind = ["--bind", "ipv6only"] if protocol == "udp6" else []
        machine.daemon("openvpn", "--config", "/etc/openvpn/server/office.conf", "--proto", protocol, "--server",
                       f"10.8.{number}.0", "255.255.255.0", *bind, output=protocol)
    for table in ("udp", "udp6"):
        machine.wait(lambda table=table: ":04AA" in machine.run("cat", f"/proc/net/{table}"), table)


def vpn(session, address, account="", password="", identity="laptop", key="office", options=()):
    """Connects, and leaves once the connection stands. Returns what the client printed."""
    path = f"/tmp/{threading.get_ident()}"
    session.machine.write(path, f"{account}\n{password}\n", 0o600)
    version = "6" if ":" in address else ""
    command = ["openvpn", "--client", "--dev", "null", "--ifconfig-noexec", "--route-noexec", "--proto", f"udp{version}",
               "--remote", SERVER6 if version else session.server, "1194", "--local", address, "--lport", "0",
               "--ca", f"{PKI}/office-ca.crt", "--cert", f"{PKI}/{identity}.crt", "--key", f"{PKI}/{identity}.key",
               "--tls-crypt", f"{PKI}/{key}.key", "--auth-user-pass", path, "--auth-retry", "none", "--remote-cert-tls", "server",
               "--connect-retry-max", "1", "--connect-retry", "1", "1", "--hand-window", "3", "--explicit-exit-notify", "1",
               "--verb", "3", *options]
    text = ""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True) as client:
        clock = threading.Timer(12, client.terminate)
        clock.start()
        for line in client.stdout:
            text += line
            if "Initialization Sequence Completed" in line:
                time.sleep(0.3)
                client.send_signal(signal.SIGINT)
            elif "will try again" in line or "Connection reset" in line or "restarting" in line:
                client.terminate()
        clock.cancel()
    os.unlink(path)
    return text


def attempt(session, address, account, password):
    """One refused password."""
    text = vpn(session, address, account, password)
    assert "AUTH_FAILED" in text, text
    session.refused(address)


def work(session, address, account):
    """One connection that is used."""
    text = vpn(session, address, account, ACCOUNTS[account])
    assert "Initialization Sequence Completed" in text, text
    session.logged_in(address)


def denied(session, address, act, **how):
    """One connection that the server does not take up."""
    text = vpn(session, address, "anna", ACCOUNTS["anna"], **how)
    assert "Initialization Sequence Completed" not in text, text
    session.acted(address, act)


@SERVICE.benign
def benign(session):
    """Three people connect; one mistypes a password, one has an old key at first; reload and restart."""
    work(session, ROAD[0], "anna")
    work(session, ROAD6[0], "carla")
    attempt(session, ROAD[1], "bruno", "Tal-Birke-13")
    work(session, ROAD[1], "bruno")
    denied(session, ROAD[2], "key refused", key="other")
    session.machine.reload()
    time.sleep(1)
    work(session, ROAD[2], "carla")
    session.machine.restart()
    work(session, ROAD[0], "anna")
    work(session, ROAD[2], "carla")


@SERVICE.attack(GUESSER)
def guess_one_account(session):
    """One address, with a certificate, tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER, "anna", f"anna{number}"), range(12))


@SERVICE.attack(GUESSER6)
def guess_over_ipv6(session):
    """One IPv6 address, with a certificate, tries passwords for one account."""
    session.at_once(lambda number: attempt(session, GUESSER6, "bruno", f"bruno{number}"), range(12))


@SERVICE.attack(SPRAYER)
def spray(session):
    """One address tries one password for many accounts, of which some exist."""
    names = [*ACCOUNTS, "root", "www-data", "backup", "daemon", "mail", "admin", "support", "sales", "office"]
    session.at_once(lambda name: attempt(session, SPRAYER, name, "Winter2026!"), names)


@SERVICE.attack(STRANGER)
def unknown_users(session):
    """One address tries accounts that do not exist."""
    names = ["admin", "test", "oracle", "user", "vpn", "guest", "openvpn", "administrator", "client1", "vpn user", "pi"]
    session.at_once(lambda name: attempt(session, STRANGER, name, name), names)


@SERVICE.attack(FORGER)
def foreign_certificate(session):
    """One address has a certificate of another authority."""
    session.at_once(lambda number: denied(session, FORGER, "certificate refused", identity="forged"), range(12))


@SERVICE.attack(REVOKED)
def revoked_certificate(session):
    """One address has a certificate that is revoked."""
    session.at_once(lambda number: denied(session, REVOKED, "certificate refused", identity="stolen"), range(12))


@SERVICE.attack(KEYLESS)
def wrong_key(session):
    """One address has another key than the server's."""
    session.at_once(lambda number: denied(session, KEYLESS, "key refused", key="other"), range(12))


@SERVICE.attack(FOREIGN)
def no_common_method(session):
    """One address offers only methods that the server does not have."""
    options = ("--tls-cipher", "TLS-DHE-RSA-WITH-AES-128-CBC-SHA", "--tls-version-max", "1.2")
    session.at_once(lambda number: denied(session, FOREIGN, "no common method", options=options), range(12))


@SERVICE.attack(RAW)
def malformed(session):
    """One address sends what is no packet of the protocol."""
    opening = b"\x38" + bytes(range(8)) + b"\x00\x00\x00\x00\x00"
    packets = [opening, b"GET / HTTP/1.0\r\n\r\n", bytes(60), b"\x50" + bytes(53), opening + bytes(40)]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.bind((RAW, 0))
        for packet in packets * 3:
            client.sendto(packet, (session.server, 1194))
            session.acted(RAW, "malformed request")
