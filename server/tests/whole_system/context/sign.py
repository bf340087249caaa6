"""Signs the mail of the standard input with dkimpy and prints it: sign.py dkim|arc SELECTOR DOMAIN KEY [SERVER]."""

import sys

import dkim

kind, selector, domain, key = sys.argv[1:5]
mail = sys.stdin.buffer.read()
with open(key, "rb") as file:
    private = file.read()
if kind == "dkim":
    lines = [dkim.sign(mail, selector.encode(), domain.encode(), private, canonicalize=(b"relaxed", b"relaxed"))]
else:
    lines = dkim.arc_sign(mail, selector.encode(), domain.encode(), private, sys.argv[5].encode())
sys.stdout.buffer.write(b"".join(lines) + mail)
