"""PDF files of one page."""

import base64


def pdf(line):
    """A page with one line of text."""
    text = line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return document(f"BT /F1 12 Tf 40 700 Td ({text}) Tj ET".encode("latin-1"))


def document(content):
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 1200 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    written, offsets = b"%PDF-1.4\n", []
    for number, value in enumerate(objects, 1):
        offsets.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, value)
    rows = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    table = b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, rows)
    return written + table + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(written))


def data_uri(content):
    return "data:application/pdf;base64," + base64.b64encode(content).decode()


def from_data_uri(uri):
    head, _, rest = uri.partition(",")
    assert head == "data:application/pdf;base64", head
    return base64.b64decode(rest, validate=True)
