"""Servers that a test drives: a response that waits for its second half, a WebSocket, and a stream of events."""

import base64
import hashlib
import http.server
import socket
import threading
import urllib.parse

MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class SlowOrigin:
    """Sends half of a text, and the rest when the test says so."""

    def __enter__(self):
        self.may_finish = threading.Event()
        may_finish = self.may_finish

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(200)
                self.send_header("Content-Type", "text/plain")
                self.send_header("Content-Length", "22")
                self.end_headers()
                self.wfile.write(b"first half,")
                self.wfile.flush()
                may_finish.wait(60)
                self.wfile.write(b"second half")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        return self

    def __exit__(self, *_):
        self.may_finish.set()
        self.server.shutdown()
        self.server.server_close()


class WebSocketOrigin:
    """A client connected to a server through the proxy; the test lets the server speak."""

    def __init__(self, proxy, path):
        self.proxy = urllib.parse.urlsplit(proxy)
        self.path = path

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        authority = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.client = socket.create_connection((self.proxy.hostname, self.proxy.port))
        key = base64.b64encode(b"0123456789abcdef").decode()
        self.client.sendall((
            f"GET http://{authority}{self.path} HTTP/1.1\r\nHost: {authority}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
        self.server, _ = self.listener.accept()
        received_head(self.server)
        accept = base64.b64encode(hashlib.sha1((key + MAGIC).encode()).digest()).decode()
        self.server.sendall((
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Accept: {accept}\r\n\r\n").encode())
        received_head(self.client)
        return self

    def __exit__(self, *_):
        for one in (self.client, self.server, self.listener):
            one.close()

    def say(self, text):
        """The server sends a text of less than 126 bytes."""
        payload = text.encode()
        self.server.sendall(bytes([0x81, len(payload)]) + payload)


class EventOrigin:
    """A client that reads a stream of events through the proxy; the test lets the server speak."""

    def __init__(self, proxy, path="/events"):
        self.proxy = urllib.parse.urlsplit(proxy)
        self.path = path

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        authority = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.client = socket.create_connection((self.proxy.hostname, self.proxy.port))
        self.client.sendall(f"GET http://{authority}{self.path} HTTP/1.1\r\nHost: {authority}\r\n\r\n".encode())
        self.server, _ = self.listener.accept()
        received_head(self.server)
        self.server.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        return self

    def __exit__(self, *_):
        for one in (self.server, self.client, self.listener):
            one.close()

    def say(self, text):
        self.server.sendall(f"data: {text}\n\n".encode())


def received_head(connection):
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += connection.recv(1)
