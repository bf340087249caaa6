"""Verifies the signature of a webhook request, from the specification's text alone.

Arguments: the signing secret, the value of X-Service-Timestamp, the value of X-Service-Signature. Standard input: the
raw body. Exit status 0 when the request is genuine, 1 when it is not.
"""

import hashlib
import hmac
import sys


def is_genuine(secret: str, timestamp: str, signature: str, body: bytes) -> bool:
    signed = timestamp.encode() + b"." + body
    digest = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    expected = f"t={timestamp},v1={digest}"
    return len(expected) == len(signature) and hmac.compare_digest(expected, signature)


if __name__ == "__main__":
    _, secret, timestamp, signature = sys.argv
    sys.exit(0 if is_genuine(secret, timestamp, signature, sys.stdin.buffer.read()) else 1)
