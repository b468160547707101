"""A recording proxyd, a small origin server and `proxyctl web` on loopback, for the tests beside it."""

import http.server
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# Programs that only tests run, and those that users run.
TEST_PROGRAMS = ROOT / ".build" / "debug"
PROGRAMS = Path(os.environ.get("PROXYD_PROGRAMS", TEST_PROGRAMS))
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")
}


class Origin(http.server.BaseHTTPRequestHandler):
    """Answers with what the path names; `/status/N` and the parameter `status` give the status."""

    protocol_version = "HTTP/1.1"
    pages = {
        "/json": ("application/json", b'{"user":{"name":"Ann","tags":["a","b"]},"ok":true}'),
        "/html": ("text/html", b"<script>document.title='owned'</script><b>bold</b>"),
        "/hostile": ("text/plain", "\u202e<img src=x onerror=alert(1)>\x1b[31m".encode()),
        "/xml": ("application/xml", b"<a><b c='d'>text</b></a>"),
    }

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.rfile.read(length)
        path, query = urllib.parse.urlsplit(self.path)[2:4]
        wanted = urllib.parse.parse_qs(query).get("status", ["200"])[0]
        status = int(path.split("/")[2] if path.startswith("/status/") else wanted)
        kind, body = self.pages.get(path, ("text/plain", b"hello from " + path.encode()))
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = answer

    def log_message(self, *_):
        pass


class Program:
    """One of our programs; its first line that starts with a prefix says where it listens."""

    def __init__(self, name, *arguments, prefix):
        self.process = subprocess.Popen(
            [PROGRAMS / name, *arguments], env=ENVIRONMENT, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        self.address = None
        for line in self.process.stdout:
            if line.startswith(prefix):
                self.address = line.removeprefix(prefix).strip()
                break
        if self.address is None:
            raise RuntimeError(f"{name} ended with {self.process.wait()}")

    def stop(self):
        """Ends the program as systemd would; returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=30)


class Rig:
    """Everything that a test needs, from `with` to its end."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="proxyd-browser-")
        self.data = os.path.join(self.folder, "data")
        self.configuration = os.path.join(self.folder, "proxyd.toml")
        Path(self.configuration).touch()
        self.origin = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
        threading.Thread(target=self.origin.serve_forever, daemon=True).start()
        self.origin_url = f"http://127.0.0.1:{self.origin.server_port}"
        self.start_daemon()
        self.start_web()
        return self

    def __exit__(self, *_):
        for program in (self.web, self.daemon):
            if program.process.poll() is None:
                program.stop()
        self.origin.shutdown()
        shutil.rmtree(self.folder)

    def start_daemon(self, listen="127.0.0.1:0"):
        self.daemon = Program(
            "proxyd", "--config", self.configuration, "--data-dir", self.data,
            "--listen", listen, prefix="proxyd: listening on ")
        self.proxy = f"http://{self.daemon.address}"

    def start_web(self, *arguments):
        self.web = Program(
            "proxyctl", "web", "--data-dir", self.data, "--no-open", *arguments,
            prefix="proxyctl: ")
        self.page, _, self.token = self.web.address.partition("#token=")

    # Traffic

    def send(self, path, method="GET", body=None, fields=None):
        """Sends a request through the proxy; returns the status."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": self.proxy}))
        url = path if path.startswith("http") else self.origin_url + path
        request = urllib.request.Request(url, data=body, method=method, headers=fields or {})
        try:
            with opener.open(request, timeout=30) as response:
                response.read()
                return response.status
        except urllib.error.HTTPError as error:
            error.read()
            return error.code

    def record(self):
        """Sends some of everything, and waits until it is in the store."""
        self.send("/json?q=caf%C3%A9&tags[]=a")
        self.send("/login", "POST", b"user=ann&password=hunter2",
                  {"Content-Type": "application/x-www-form-urlencoded"})
        self.send("/order", "POST", b'{"items":[{"id":1,"price":9.5}]}',
                  {"Content-Type": "application/json"})
        part = b'--x\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\nhi\r\n'
        self.send("/upload", "POST", part + b"--x--\r\n",
                  {"Content-Type": "multipart/form-data; boundary=x"})
        for path in ("/html", "/hostile", "/xml", "/status/404", "/status/500"):
            self.send(path)
        self.wait_for_count(9)

    def import_rows(self, rows):
        """Puts rows, as `proxyctl show --json` prints them, into the store."""
        file = os.path.join(self.folder, "rows.jsonl")
        with open(file, "w") as lines:
            lines.writelines(json.dumps(row) + "\n" for row in rows)
        subprocess.run(
            [PROGRAMS / "proxyctl", "--data-dir", self.data, "import", file], env=ENVIRONMENT,
            check=True, stdout=subprocess.DEVNULL)

    def wait_for_count(self, count):
        """Waits until the store has this many finished exchanges."""
        deadline = time.monotonic() + 30
        found = None
        while time.monotonic() < deadline:
            _, _, found = self.api("GET", "/count?filter=state%3Dcomplete")
            if found.get("count") == count:
                return
            time.sleep(0.05)
        raise AssertionError(f"the store has {found}, not {count}")

    # The interface

    def api(self, method, path, body=None, fields=None, token=True):
        """Asks the interface; returns the status, the fields, and the JSON or bytes."""
        all_fields = {"Authorization": f"Bearer {self.token}"} if token else {}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            all_fields["Content-Type"] = "application/json"
        all_fields.update(fields or {})
        request = urllib.request.Request(
            self.page.rstrip("/") + "/api/v1" + path, data=data, method=method,
            headers=all_fields)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=30) as response:
                return Rig.parsed(response.status, response.headers, response.read())
        except urllib.error.HTTPError as error:
            return Rig.parsed(error.code, error.headers, error.read())

    @staticmethod
    def parsed(status, fields, content):
        is_json = "json" in fields.get("Content-Type", "")
        return status, fields, json.loads(content) if is_json else content
