#!/usr/bin/env python3
"""How soon `proxyctl` shows an exchange that proxyd has just recorded, and what it costs while
nothing happens.

    follow.py PROXYD PROXYCTL

Prints milliseconds (wall clock) from the end of an exchange until its row is on the screen, and
the processor time of an interface that nobody touches.
"""
import http.server
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from pseudoterminal import Program, report

EXCHANGE_COUNT = 20
IDLE_SECONDS = 10


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as directory:
        data = directory + "/data"
        proxyd = subprocess.Popen(
            [sys.argv[1], "--listen", "127.0.0.1:0", "--data-dir", data],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            address = proxyd.stdout.readline().split()[-1]
            measure(address, f"http://127.0.0.1:{server.server_port}", data)
        finally:
            proxyd.terminate()
            proxyd.wait()


def measure(address, origin, data):
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({"http": "http://" + address}))
    program = Program([sys.argv[2], "--data-dir", data])
    program.read_and_show()
    delays = []
    for number in range(EXCHANGE_COUNT):
        path = f"/number/{number}/"
        opener.open(origin + path).read()
        delays.append(program.appears(
            time.monotonic(), lambda lines: any(path in line for line in lines)))
        program.read_and_show()
    report("a new exchange, median", sorted(delays)[EXCHANGE_COUNT // 2], 200)
    report("a new exchange, slowest", max(delays), 200)
    idle(program, "beside a daemon")
    program.end()


def idle(program, name):
    program.read_and_show()
    before = program.processor_milliseconds()
    time.sleep(IDLE_SECONDS)
    spent = program.processor_milliseconds() - before
    report(f"idle {name}, processor", spent / IDLE_SECONDS / 10, 1.0, "%")


main()
