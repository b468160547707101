"""Says how h11 and nginx read bytes.

usage: peers.py DIRECTORY NGINX CASES

CASES is a file of JSON objects, one a line: {"id", "role": "request"|"response", "bytes" (Latin-1),
"methods" (what responses answer), "peers": ["h11", "nginx"]}. For each peer of each case a line is
printed: {"id", "peer", "messages": [{"start", "body" (Latin-1), "length"}], "end", "reason"}. Only
complete messages are listed; `end` is "refused", "open" (more was wanted) or "closed".

Every case ends with its connection. nginx runs in DIRECTORY; NGINX is its program, or "-".
"""

import ctypes
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

try:
    import h11
except ImportError:
    h11 = None


def main(directory, nginx, cases):
    # The mask of who started us may block what ends nginx.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    with open(cases, encoding="utf-8") as file:
        cases = [json.loads(line) for line in file]
    peers = {}
    if h11:
        peers["h11"] = read_with_h11
    server = None
    if nginx != "-":
        server = Nginx(directory, nginx, cases)
        peers["nginx"] = server.read
    try:
        for case in cases:
            octets = case["bytes"].encode("latin-1")
            for peer in case["peers"]:
                if peer in peers:
                    verdict = peers[peer](case, octets)
                    print(json.dumps({"id": case["id"], "peer": peer, **verdict}))
    finally:
        if server:
            server.stop()


def message(start, body, length=None):
    return {
        "start": start,
        "body": None if body is None else body.decode("latin-1"),
        "length": len(body) if length is None else length,
    }


def verdict(messages, end, reason=""):
    return {"messages": messages, "end": end, "reason": reason}


# h11


def read_with_h11(case, octets):
    reader = H11Requests() if case["role"] == "request" else H11Responses(case["methods"])
    return reader.read(octets)


class H11Reader:
    """Feeds h11 and collects complete messages."""

    def __init__(self):
        self.messages = []

    def read(self, octets):
        self.connection.receive_data(octets)
        has_ended = False
        start, body = None, b""
        while True:
            try:
                event = self.connection.next_event()
            except h11.RemoteProtocolError as error:
                if has_ended:
                    return verdict(self.messages, "open", str(error))
                return verdict(self.messages, "refused", str(error))
            if event is h11.NEED_DATA:
                if has_ended:
                    return verdict(self.messages, "open")
                has_ended = True
                self.connection.receive_data(b"")
            elif event is h11.PAUSED or isinstance(event, h11.ConnectionClosed):
                return verdict(self.messages, "closed")
            elif isinstance(event, (h11.Request, h11.Response)):
                start, body = self.start(event), b""
            elif isinstance(event, h11.Data):
                body += bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                self.messages.append(message(start, body))
                if not self.next():
                    return verdict(self.messages, "closed")

    def cycle(self):
        if self.connection.states == {h11.CLIENT: h11.DONE, h11.SERVER: h11.DONE}:
            self.connection.start_next_cycle()
            return True
        return False


class H11Requests(H11Reader):
    def __init__(self):
        super().__init__()
        self.connection = h11.Connection(h11.SERVER, max_incomplete_event_size=1 << 20)

    def start(self, event):
        return f"{event.method.decode('latin-1')} {event.target.decode('latin-1')}"

    def next(self):
        if self.connection.their_state is h11.MIGHT_SWITCH_PROTOCOL:
            self.connection.send(h11.Response(status_code=400, headers=[("content-length", "0")]))
        else:
            self.connection.send(h11.Response(status_code=200, headers=[("content-length", "0")]))
        self.connection.send(h11.EndOfMessage())
        return self.cycle()


class H11Responses(H11Reader):
    def __init__(self, methods):
        super().__init__()
        self.connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=1 << 20)
        self.methods = list(methods)
        self.ask()

    def ask(self):
        method = self.methods.pop(0)
        self.connection.send(h11.Request(method=method, target="/", headers=[("Host", "h")]))
        self.connection.send(h11.EndOfMessage())

    def start(self, event):
        return str(event.status_code)

    def next(self):
        if self.methods and self.cycle():
            self.ask()
            return True
        return False


# nginx


class Nginx:
    """nginx in front of itself for requests, and in front of our own server for responses."""

    def __init__(self, directory, program, cases):
        self.answers = [case["bytes"].encode("latin-1") for case in cases]
        self.numbers = {case["id"]: number for number, case in enumerate(cases)}
        self.upstream = socket.create_server(("127.0.0.1", 0), backlog=256)
        threading.Thread(target=self.answer, daemon=True).start()
        for _ in range(20):  # ports are picked before nginx takes them
            self.port, inner = free_port(), free_port()
            upstream = self.upstream.getsockname()[1]
            with open(directory + "/nginx.conf", "w", encoding="ascii") as file:
                file.write(configuration(directory, self.port, inner, upstream))
            self.process = subprocess.Popen(
                [program, "-p", directory, "-e", "stderr", "-c", directory + "/nginx.conf"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                preexec_fn=die_with_parent)
            if self.is_listening():
                return
        raise SystemExit("nginx does not start")

    def is_listening(self):
        while self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return True
            except ConnectionRefusedError:
                time.sleep(0.01)
        return False

    def stop(self):
        self.process.kill()
        self.process.wait()

    def answer(self):
        """Answers `GET /NUMBER` with the bytes of that case."""
        while True:
            connection, _ = self.upstream.accept()
            head = b""
            while b"\r\n\r\n" not in head:
                piece = connection.recv(65536)
                if not piece:
                    break
                head += piece
            parts = head.split(b" ")
            if len(parts) > 1 and parts[1][1:].isdigit():
                connection.sendall(self.answers[int(parts[1][1:])])
            connection.close()

    def read(self, case, octets):
        if case["role"] == "request":
            return self.read_requests(octets)
        return self.read_response(case)

    def read_requests(self, octets):
        messages = []
        for status, fields, _, is_whole in self.talk(octets, []):
            if "x-seen" not in fields or not is_whole:
                return verdict(messages, "refused", status)
            method, target, length = fields["x-seen"].rsplit(" ", 2)
            messages.append(message(f"{method} {target}", None, int(length)))
        return verdict(messages, "open")

    def read_response(self, case):
        method = case["methods"][0]
        path = f"/{self.numbers[case['id']]}"
        request = f"{method} {path} HTTP/1.1\r\nHost: upstream\r\nConnection: close\r\n\r\n"
        replies = self.talk(request.encode("ascii"), [method])
        for status, fields, body, is_whole in replies:
            if "x-passed" not in fields or status == "502":
                return verdict([], "refused", status)
            if not is_whole:
                return verdict([], "open", "cut short")
            return verdict([message(status, body)], "closed")
        return verdict([], "open", "no response")

    def talk(self, octets, methods):
        """Sends octets and reads responses to the end of the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
            try:
                connection.sendall(octets)
                connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # refused before all was read
            received = b""
            try:
                while piece := connection.recv(65536):
                    received += piece
            except ConnectionResetError:
                pass
        while received:
            head, mark, received = received.partition(b"\r\n\r\n")
            if not mark:
                return
            lines = head.decode("latin-1").split("\r\n")
            if not lines[0].startswith("HTTP/1.1 "):
                return  # what nginx takes for HTTP/0.9 it passes on as it is
            status = lines[0].split(" ")[1]
            fields = {
                name.strip().lower(): value.strip()
                for name, _, value in (line.partition(":") for line in lines[1:])
            }
            if status.startswith("1") and status != "101":
                continue
            method = methods.pop(0) if methods else fields.get("x-seen", " ").split(" ")[0]
            body, received, is_whole = take_body(method, status, fields, received)
            yield status, fields, body, is_whole


def take_body(method, status, fields, octets):
    if method == "HEAD" or status in ("204", "304"):
        return b"", octets, True
    if fields.get("transfer-encoding") == "chunked":
        return take_chunks(octets)
    if "content-length" in fields:
        if not fields["content-length"].isdigit():
            return octets, b"", False  # nginx passes on what it does not understand
        length = int(fields["content-length"])
        return octets[:length], octets[length:], len(octets) >= length
    return octets, b"", True


def take_chunks(octets):
    body = b""
    while True:
        line, mark, octets = octets.partition(b"\r\n")
        if not mark:
            return body, b"", False
        if not re.fullmatch(rb"[0-9a-fA-F]+", line):
            return body + line + mark + octets, b"", False  # passed on, not understood
        size = int(line, 16)
        if size == 0:
            return body, octets.partition(b"\r\n")[2], octets.startswith(b"\r\n")
        if len(octets) < size + 2:
            return body + octets[:size], b"", False
        body += octets[:size]
        octets = octets[size + 2:]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def configuration(directory, port, inner, upstream):
    paths = "".join(
        f"{kind}_temp_path {directory}/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    return f"""
    daemon off;
    master_process off;
    pid {directory}/nginx.pid;
    error_log /dev/null;
    events {{ worker_connections 512; }}
    http {{
        access_log off;
        {paths}
        client_max_body_size 0;
        client_body_buffer_size 1m;
        large_client_header_buffers 4 64k;
        merge_slashes off;
        lingering_close off;
        proxy_http_version 1.1;
        proxy_ignore_client_abort on;
        proxy_read_timeout 5s;
        proxy_intercept_errors off;
        server {{
            listen 127.0.0.1:{port} backlog=256 default_server;
            location / {{ proxy_pass http://127.0.0.1:{inner}; }}
        }}
        server {{
            listen 127.0.0.1:{port};
            server_name upstream;
            location / {{
                proxy_pass http://127.0.0.1:{upstream};
                # Set only where the upstream's head could be read.
                add_header X-Passed $upstream_http_x_probe$upstream_header_time always;
            }}
        }}
        server {{
            listen 127.0.0.1:{inner} backlog=256;
            location / {{
                add_header X-Seen "$request_method $request_uri 0$content_length" always;
                return 200;
            }}
        }}
    }}
    """


if __name__ == "__main__":
    main(*sys.argv[1:])
