"""DNS for the sessions: questions as dig asks them, packets of any content, and attacks that servers have in common."""

import base64
import socket

from . import network


def dig(session, address, *question):
    """One question; returns the answer as dig prints it."""
    server = network.SERVER6 if ":" in address else session.server
    options = ["+time=2", "+tries=1", "+nocookie"]
    return session.command(address, "dig", "-b", address, f"@{server}", *options, *question).stdout


def packet(session, address, data, wait=0.3):
    """Sends a datagram and returns the answer, or nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind((address, 0))
        udp.settimeout(wait)
        udp.sendto(data, (session.server, 53))
        try:
            return udp.recv(4096)
        except TimeoutError:
            return b""


def question(name, number=1):
    """A question for an address as it is sent."""
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return number.to_bytes(2, "big") + b"\1\0\0\1\0\0\0\0\0\0" + labels + b"\0\0\1\0\1"


def guessed_key(number, right="office"):
    """A name and a secret that the server does not have; every second time for a name that it has."""
    name = right if number % 2 else f"key{number}"
    return f"{name}:{base64.b64encode(f'guess{number}'.encode()).decode()}"


def flood(service, address, names, wait):
    """Adds a session with more questions than the rate limit allows."""
    @service.attack(address)
    def flood(session):
        """One address asks more often than the rate limit allows, as the victim of a reflection appears to."""
        answers = [packet(session, address, question(name, number), wait) for number, name in enumerate(names)]
        session.acted(address, "rate limited", sum(not answer for answer in answers))


def notifies(service, address, zones):
    """Adds a session of announcements."""
    @service.attack(address)
    def notifies(session):
        """One address pretends to be the primary server and announces new versions of zones."""
        for number in range(12):
            data = bytearray(question(zones[number % len(zones)], number))
            # Operation 4 with the authoritative bit, and the question's type changed to SOA.
            data[2], data[-3] = 0x24, 6
            packet(session, address, bytes(data))
            session.acted(address, "notify refused")


def malformed(service, address):
    """Adds a session of packets that are not DNS."""
    @service.attack(address)
    def malformed(session):
        """One address sends packets that are not DNS."""
        data = [b"GET / HTTP/1.0\r\n\r\n", b"\0\1\1\0\0\2\0\0\0\0\0\0", question("example.org")[:20],
                b"\0\1\x78\0\0\1\0\0\0\0\0\0\0\0\1\0\1", b"\0\1\1\0\0\1\0\0\0\0\0\0\xc0\x0c\0\1\0\1", b"\xff" * 60]
        for words in data * 2:
            packet(session, address, words, 0.1)
            session.acted(address, "malformed packet")
