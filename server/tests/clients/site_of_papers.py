"""A site on loopback from which the server fetches papers."""

import http.server
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    """`/N` redirects N times before the paper, `/private` to a private address; other paths are missing."""

    def do_GET(self):
        left = self.path.lstrip("/").partition("?")[0]
        if left == "0":
            self.answer(self.server.paper)
        elif left.isdecimal():
            self.redirect(f"/{int(left) - 1}")
        elif left == "private":
            self.redirect("http://10.0.0.1/a.pdf")
        else:
            self.send_error(404)

    def redirect(self, target):
        self.send_response(302)
        self.send_header("Location", target)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def answer(self, paper):
        self.send_response(200)
        self.send_header("Content-Type", "application/pdf")
        self.send_header("Content-Length", str(len(paper)))
        self.end_headers()
        self.wfile.write(paper)

    def log_message(self, *_):
        """Standard error has only what a check says."""


class Site:
    """Runs until the end of its block."""

    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.paper = b""
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def address(self, path, paper=b""):
        """The URL of a path, where `paper` is from now on."""
        self.server.paper = paper
        return f"http://127.0.0.1:{self.server.server_address[1]}{path}"
